"""What a name or an expression stands for, worked out from the text alone: imports, aliases, classes, containers.

The analysis ignores the order of statements: a name assigned twice stands for both values. A container stands for its
elements. What cannot be worked out stands for nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from eqtrace.code import fixtures
from eqtrace.code.bindings import Binding, Import, Item, Parameter, bindings
from eqtrace.code.classes import Classes
from eqtrace.code.entity import (
    BASES,
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MODULE,
    NOTHING,
    Entities,
    Entity,
    FunctionRef,
    Scope,
    union,
)
from eqtrace.code.index import Index
from eqtrace.code.source import SourceFile
from eqtrace.code.tree import FunctionNode

_DEEPEST = 60  # steps of resolution; longer chains of aliases are not code that people write


class Names:
    """Resolves names and expressions over an index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._bindings: dict[str, dict[str, dict[str, list[Binding]]]] = {}  # by file and scope
        self._known: dict[tuple[str, Scope, str], Entities] = {}
        self._active: set[tuple[str, Scope, str]] = set()
        self._cut = False
        self.classes = Classes(self)

    def bindings(self, scope: Scope) -> dict[str, list[Binding]]:
        """Everything that binds a name in a scope."""
        scopes = self._bindings.setdefault(scope.path, {})
        found = scopes.get(scope.qualname)
        if found is None:
            file = self.index.file(scope.path)
            found = bindings(file, scope.qualname) if file else {}
            self._bindings.setdefault(scope.path, {})[scope.qualname] = found
        return found

    def release(self, path: str) -> None:
        """Lets go of a file's syntax trees; what was worked out from them stays."""
        self._bindings.pop(path, None)
        self.classes.release(path)

    def member(self, path: str, qualname: str) -> FunctionRef | None:
        """The function or class that a dotted name in a file leads to, through re-exports and base classes."""
        file = self.index.file(path)
        if file is None or not qualname:
            return None
        if qualname in file.definitions:
            return FunctionRef(path, qualname)
        first, *rest = qualname.split(".")
        found = self.global_name(path, first)
        for attribute in rest:
            found = union(self.attribute(entity, attribute) for entity in found)
        refs = [entity.ref for entity in found if entity.kind in (FUNCTION, CLASS)]
        return refs[0] if len(refs) == 1 else None

    def resolve(self, node: ast.expr, scope: Scope) -> Entities:
        """What an expression in a scope may stand for."""
        match node:
            case ast.Name():
                return self.name(node.id, scope)
            case ast.Attribute():
                return union(self.attribute(base, node.attr) for base in self.resolve(node.value, scope))
            case ast.Call():
                return self._call(node, scope)
            case ast.Subscript() | ast.Starred() | ast.Await() | ast.NamedExpr():
                return self.resolve(node.value, scope)
            case ast.IfExp():
                return self.resolve(node.body, scope) | self.resolve(node.orelse, scope)
            case ast.BoolOp():
                return union(self.resolve(value, scope) for value in node.values)
            case ast.List() | ast.Tuple() | ast.Set():
                return union(self.resolve(item, scope) for item in node.elts)
            case ast.Dict():
                return union(self.resolve(value, scope) for value in node.values)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self.resolve(node.elt, scope)
            case ast.DictComp():
                return self.resolve(node.value, scope)
        return NOTHING

    def name(self, name: str, scope: Scope) -> Entities:
        """What a plain name stands for: looked up outwards, class bodies passed over from within functions."""
        for outer in self.enclosing(scope):
            found = self.bindings(outer).get(name)
            if found:
                return self.bound(found, outer, name)
        return self._starred(name, scope.path)

    def enclosing(self, scope: Scope) -> Iterator[Scope]:
        """The scopes in which a name is looked up, innermost first."""
        file = self.index.file(scope.path)
        classes = file.classes if file else {}
        qualname = scope.qualname
        while qualname:
            if qualname not in classes or qualname == scope.qualname:
                yield Scope(scope.path, qualname)
            qualname = qualname.rpartition(".")[0]
        yield Scope(scope.path, "")

    def global_name(self, path: str, name: str) -> Entities:
        """What a module's own name stands for."""
        return self.name(name, Scope(path, ""))

    def attribute(self, base: Entity, name: str) -> Entities:
        """What an attribute of something stands for."""
        if base.kind == EXTERNAL:
            return frozenset({Entity(EXTERNAL, "", f"{base.name}.{name}")})
        if base.kind == MODULE:
            return self._module_member(base, name)
        if base.kind == FUNCTION:  # only a property's value has attributes of interest
            returned = self.returned(base.ref) if self._is_property(base.ref) else NOTHING
            return union(self.attribute(entity, name) for entity in returned)
        found = self.classes.member(base.ref, name, own=base.kind != BASES)
        return found | self.classes.instance_member(base.ref, name) if base.kind == INSTANCE else found

    def returned(self, ref: FunctionRef) -> Entities:
        """What a call of a function may give: its return and yield values, or its annotation."""
        file = self.index.file(ref.path)
        node = file.functions.get(ref.qualname) if file else None
        if file is None or not isinstance(node, FunctionNode):
            return NOTHING
        return self.guarded(("return", Scope(*ref), ""), lambda: self._returned(file, node, ref))

    def _returned(self, file: SourceFile, node: FunctionNode, ref: FunctionRef) -> Entities:
        scope = Scope(*ref)
        values = [
            statement.node.value.value if isinstance(statement.node.value, ast.Yield) else statement.node.value
            for statement in file.statements_in(ref.qualname)
            if isinstance(statement.node, ast.Return | ast.Expr)
            and (isinstance(statement.node, ast.Return) or isinstance(statement.node.value, ast.Yield))
        ]
        found = union(self.resolve(value, scope) for value in values if value is not None)
        return found | self.annotated(node.returns, scope)

    def annotated(self, node: ast.expr | None, scope: Scope) -> Entities:
        """Instances of the project's classes that an annotation names."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return NOTHING
        if isinstance(node, ast.BinOp):
            return self.annotated(node.left, scope) | self.annotated(node.right, scope)
        if isinstance(node, ast.Subscript):
            return self.annotated(node.slice, scope) | self.annotated(node.value, scope)
        if isinstance(node, ast.Tuple):
            return union(self.annotated(item, scope) for item in node.elts)
        found = self.resolve(node, scope) if isinstance(node, ast.Name | ast.Attribute) else NOTHING
        return frozenset(entity._replace(kind=INSTANCE) for entity in found if entity.kind == CLASS)

    def bound(self, found: Iterable[Binding], scope: Scope, name: str) -> Entities:
        """What the bindings of a name in a scope stand for together."""
        key = ("name", scope, name)
        return self.guarded(key, lambda: union(self._binding(binding, scope) for binding in found))

    def _binding(self, binding: Binding, scope: Scope) -> Entities:
        match binding:
            case str():
                file = self.index.file(scope.path)
                kind = CLASS if file and binding in file.classes else FUNCTION
                return frozenset({Entity(kind, scope.path, binding)})
            case Import():
                return self._imported(binding, scope.path)
            case Item(value=value, position=position):
                if position is not None and isinstance(value, ast.Tuple | ast.List) and position < len(value.elts):
                    value = value.elts[position]
                return self.resolve(value, scope)
            case Parameter():
                return self._parameter(binding, scope)

    def _imported(self, binding: Import, path: str) -> Entities:
        module = self.absolute(binding.module, binding.level, path)
        if module is None:
            return NOTHING
        entity = self.module(module, path)
        return self.attribute(entity, binding.name) if binding.name else frozenset({entity})

    def absolute(self, module: str, level: int, path: str) -> str | None:
        """A module's absolute name, of an import that starts with `level` dots in a file."""
        if not level:
            return module
        own = self.index.module_name(path)
        parts = own.split(".") if own else []
        if not path.endswith("__init__.py"):
            parts = parts[:-1]
        if level > len(parts):
            return None
        base = parts[: len(parts) - level + 1]
        return ".".join([*base, module] if module else base)

    def module(self, name: str, importer: str) -> Entity:
        """A module of the project or the named packages, or something external."""
        path = self.index.module_path(name)
        if path is None and "." not in name:  # pytest puts a test's own folder on the path
            beside = f"{importer.rpartition('/')[0]}/{name}.py".lstrip("/")
            path = beside if self.index.is_test_file(beside) else None
        if path is None and not self.index.is_package(name):
            return Entity(EXTERNAL, "", name)
        return Entity(MODULE, path or "", name)

    def _module_member(self, module: Entity, name: str) -> Entities:
        if module.path:
            found = self.global_name(module.path, name)
            if found or name in self.bindings(Scope(module.path, "")):
                return found
        submodule = f"{module.name}.{name}"
        path = self.index.module_path(submodule)
        if path is None and not self.index.is_package(submodule):
            return NOTHING
        return frozenset({Entity(MODULE, path or "", submodule)})

    def _starred(self, name: str, path: str) -> Entities:
        stars = self.bindings(Scope(path, "")).get("*", ())
        key = ("star", Scope(path, ""), name)
        found: list[Entities] = []
        for star in stars:
            if isinstance(star, Import) and not name.startswith("_"):
                module = self.absolute(star.module, star.level, path)
                entity = self.module(module, path) if module else None
                if entity is not None and entity.kind == MODULE:
                    found.append(self.guarded(key, lambda entity=entity: self._module_member(entity, name)))  # type: ignore[misc]
        return union(found)

    def _parameter(self, parameter: Parameter, scope: Scope) -> Entities:
        file = self.index.file(scope.path)
        node = file.functions.get(scope.qualname) if file else None
        if file is None or not isinstance(node, FunctionNode):
            return NOTHING
        owner = scope.qualname.rpartition(".")[0]
        decorators = {ast.unparse(item) for item in node.decorator_list if isinstance(item, ast.Name)}
        if owner in file.classes and parameter.position == 0 and "staticmethod" not in decorators:
            kind = CLASS if "classmethod" in decorators or node.name == "__new__" else INSTANCE
            return frozenset({Entity(kind, scope.path, owner)})
        outer = Scope(scope.path, owner)
        found = self.annotated(parameter.annotation, outer)
        if parameter.default is not None:
            found |= self.resolve(parameter.default, outer)
        for value in fixtures.parametrised(node, parameter.name):
            found |= self.resolve(value, outer)
        for fixture in fixtures.providers(self.index, scope.path, scope.qualname, parameter.name):
            found |= self.returned(FunctionRef(*fixture))
        return found

    def _call(self, node: ast.Call, scope: Scope) -> Entities:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            return frozenset(Entity(BASES, scope.path, owner) for owner in self.classes.around(scope))
        results = []
        for entity in self.resolve(node.func, scope):
            if entity.kind == CLASS:
                results.append(frozenset({entity._replace(kind=INSTANCE)}))
            elif entity.kind == FUNCTION:
                results.append(self.returned(entity.ref))
            elif entity.name in ("functools.partial", "functools.wraps") and node.args:
                results.append(self.resolve(node.args[0], scope))
        return union(results)

    def _is_property(self, ref: FunctionRef) -> bool:
        file = self.index.file(ref.path)
        node = file.functions.get(ref.qualname) if file else None
        decorators = node.decorator_list if isinstance(node, FunctionNode) else ()
        return any(ast.unparse(item).rpartition(".")[2] in ("property", "cached_property") for item in decorators)

    def guarded(self, key: tuple[str, Scope, str], work: Callable[[], Entities]) -> Entities:
        """Runs a step of resolution once; a step that comes back to itself adds nothing."""
        known = self._known.get(key)
        if known is not None:
            return known
        if key in self._active or len(self._active) > _DEEPEST:
            self._cut = True
            return NOTHING
        if not self._active:
            self._cut = False
        self._active.add(key)
        try:
            found: Entities = work()
        except RecursionError:  # an expression nested beyond what people write
            self._cut, found = True, NOTHING
        finally:
            self._active.discard(key)
        if not self._cut or not self._active:  # what a circle cut short is only final at its outermost step
            self._known[key] = found
        return found
