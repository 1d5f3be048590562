"""Attributes of classes and their instances: own, inherited, or assigned to `self`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from eqtrace.code.entity import CLASS, FUNCTION, NOTHING, Entities, FunctionRef, Scope, union
from eqtrace.code.tree import FunctionNode

if TYPE_CHECKING:
    from eqtrace.code.names import Names


class Classes:
    """The half of name resolution that deals with classes."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._attributes: dict[Scope, dict[str, list[tuple[ast.expr, Scope]]]] = {}

    def release(self, path: str) -> None:
        """Lets go of a file's syntax trees."""
        for scope in [each for each in self._attributes if each.path == path]:
            del self._attributes[scope]

    def method(self, ref: FunctionRef, name: str) -> FunctionRef | None:
        """A class's method, its own or inherited."""
        for entity in self.member(ref, name, own=True):
            if entity.kind == FUNCTION:
                return entity.ref
        return None

    def around(self, scope: Scope) -> Iterator[str]:
        """The innermost class around a function."""
        file = self.names.index.file(scope.path)
        owner = scope.qualname.rpartition(".")[0]
        while owner and file:
            if owner in file.classes:
                yield owner
                return
            owner = owner.rpartition(".")[0]

    def member(self, ref: FunctionRef, name: str, own: bool) -> Entities:
        """What a class's attribute stands for; with `own` false, its bases' only."""
        key = ("member" if own else "inherited", Scope(*ref), name)
        return self.names.guarded(key, lambda: self._search_class(ref, name, own))

    def _search_class(self, ref: FunctionRef, name: str, own: bool) -> Entities:
        scope = Scope(*ref)
        bound = self.names.bindings(scope).get(name) if own else None
        if bound:
            return self.names.bound(bound, scope, name)
        for base in self.bases(ref):
            found = self.member(base, name, own=True)
            if found:
                return found
        return NOTHING

    def bases(self, ref: FunctionRef) -> list[FunctionRef]:
        """A class's bases that belong to the project or the named packages."""
        file = self.names.index.file(ref.path)
        node = file.classes.get(ref.qualname) if file else None
        outer = Scope(ref.path, ref.qualname.rpartition(".")[0])
        found = (entity for base in (node.bases if node else ()) for entity in self.names.resolve(base, outer))
        return [entity.ref for entity in found if entity.kind == CLASS]

    def instance_member(self, ref: FunctionRef, name: str) -> Entities:
        """What methods assign to an attribute of `self`, in the class or its bases."""
        key = ("instance", Scope(*ref), name)
        return self.names.guarded(key, lambda: self._search_instance(ref, name))

    def _search_instance(self, ref: FunctionRef, name: str) -> Entities:
        values = self._assigned_attributes(Scope(*ref)).get(name, ())
        found = union(self.names.resolve(value, scope) for value, scope in values)
        return found | union(self.instance_member(base, name) for base in self.bases(ref))

    def _assigned_attributes(self, scope: Scope) -> dict[str, list[tuple[ast.expr, Scope]]]:
        """What methods assign to `self.name`, and class bodies annotate."""
        found = self._attributes.get(scope)
        if found is not None:
            return found
        found = self._attributes[scope] = {}
        file = self.names.index.file(scope.path)
        for qualname, function in (file.functions if file else {}).items():
            if file is None or qualname.rpartition(".")[0] != scope.qualname or not isinstance(function, FunctionNode):
                continue
            for statement in file.statements_in(qualname):
                node = statement.node
                targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
                value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
                for target in targets:
                    if value is not None and isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                        found.setdefault(target.attr, []).append((value, Scope(scope.path, qualname)))
        return found
