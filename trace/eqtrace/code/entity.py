"""What names stand for: functions, classes, their instances, modules, things outside the project."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

FUNCTION, CLASS, INSTANCE, MODULE, EXTERNAL, BASES = "function", "class", "instance", "module", "external", "bases"


class FunctionRef(NamedTuple):
    """A function or class of the project: the file that defines it and its qualified name ('' is module code)."""

    path: str
    qualname: str


class Entity(NamedTuple):
    """What an expression stands for.

    `name` is a qualified name in the file `path` (function, class, instance of that class, its bases for `super()`), or
    a dotted name (module, external).
    """

    kind: str
    path: str
    name: str

    @property
    def ref(self) -> FunctionRef:
        """The function or class that is meant."""
        return FunctionRef(self.path, self.name)


class Scope(NamedTuple):
    """Where a name is looked up: a file and a qualified name in it."""

    path: str
    qualname: str


Entities = frozenset[Entity]
NOTHING: Entities = frozenset()


def union(sets: Iterable[Entities]) -> Entities:
    """Everything that some of several expressions may stand for."""
    return frozenset().union(*sets)
