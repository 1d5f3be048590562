"""Helper names (`let`): short for a term, which is put in wherever the name stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar, cast

from eqtrace.formula.claims import free_names
from eqtrace.formula.term import Name, Node, Term, children, rebuilt, walk

LIMIT_NODES = 20_000
LIMIT_DEPTH = 200

Kind = TypeVar("Kind", bound=Node)


class Helpers:
    """The helpers of an equation. An index that is free in a helper means the index of the place where it is put in."""

    def __init__(self, let: Mapping[str, Term], indices: frozenset[str]) -> None:
        self._let = let
        self._indices = indices
        self._full: dict[str, Term] = {}
        self._free: dict[str, tuple[str, ...]] = {}
        self._problems: dict[str, str] = {}
        self._sizes: dict[int, tuple[Node, int, int]] = {}  # the node is held, so that its id stays its own
        for name in let:
            self._expand(name, ())

    def problems(self) -> Iterator[tuple[str, str]]:
        """Helpers that depend on themselves or become too large: name and message."""
        yield from self._problems.items()

    def put_in(self, node: Kind) -> Kind:
        """A node with helpers put in; a helper stands for a term, so the kind of node stays."""
        if isinstance(node, Name):
            return cast(Kind, self._full.get(node.name, node))
        return cast(Kind, rebuilt(node, self.put_in))

    def free(self, node: Node) -> tuple[str, ...]:
        """The free indices of a node, those of the helpers in it included."""
        return tuple(free_names(node, self._indices, self._free))

    def too_large(self, node: Node) -> bool:
        """Whether a node with its helpers put in is more than can be worked with."""
        count, depth = self._measure(node)
        return count > LIMIT_NODES or depth > LIMIT_DEPTH

    def _expand(self, name: str, path: tuple[str, ...]) -> None:
        if name in self._full or name in self._problems:
            return
        if name in path:
            self._problems[name] = f"{name} depends on itself: {' -> '.join((*path[path.index(name) :], name))}"
            return
        term = self._let[name]
        for node in walk(term):
            if isinstance(node, Name) and node.name in self._let:
                self._expand(node.name, (*path, name))
        full = self.put_in(term)
        if self.too_large(full):
            self._problems[name] = f"{name} is too large a term once its own helpers are put in"
        if name not in self._problems:
            self._full[name] = full
            self._free[name] = self.free(term)

    def _measure(self, node: Node) -> tuple[int, int]:
        """Number of nodes and depth; nodes that stand in many places are measured once."""
        known = self._sizes.get(id(node))
        if known is None:
            parts = [self._measure(child) for child in children(node)]
            known = node, 1 + sum(part[0] for part in parts), 1 + max((part[1] for part in parts), default=0)
            self._sizes[id(node)] = known
        return known[1:]
