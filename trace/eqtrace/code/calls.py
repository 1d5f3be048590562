"""The call graph: who calls a function, which tests reach it. Static, so it knows what names lead to, not what runs.

An edge is a call or a mere reference (a function passed on, a fixture asked for, a decorator). A reference is enough to
reach a function, never enough to call it. A method of an object of unknown class is reached by its name.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from eqtrace.code import fixtures
from eqtrace.code.bindings import Item
from eqtrace.code.entity import CLASS, FUNCTION, INSTANCE, Entities, Entity, FunctionRef, Scope
from eqtrace.code.index import Index
from eqtrace.code.names import Names
from eqtrace.code.reached import read
from eqtrace.code.source import SourceFile, Statement
from eqtrace.code.tree import FunctionNode, walk

_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")
_VALUE = "="  # marks the pseudo-function that stands for a module-level name's value


@dataclass(frozen=True, slots=True)
class CallSite:
    """A statement that calls or reaches a function."""

    path: str
    line: int
    function: str
    source: str


class Edge(NamedTuple):
    """From a statement to a function: by a call, or by a reference only."""

    to: FunctionRef
    call: bool


class CallGraph:
    """Calls and references between the functions of sources, tests and named packages."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.names = Names(index)
        self._edges: dict[FunctionRef, tuple[tuple[Statement | None, Edge], ...]] = {}
        self._reached: dict[FunctionRef, frozenset[FunctionRef]] = {}
        self._testers: dict[FunctionRef, tuple[CallSite, ...]] = {}
        self._callers: dict[bool, dict[FunctionRef, list[CallSite]]] = {}
        index.on_release(self._release)

    def _release(self, path: str) -> None:
        """Lets go of a file's statements, see `Index`."""
        self.names.release(path)
        for ref in [each for each in self._edges if each.path == path]:
            del self._edges[ref]

    def function(self, text: str) -> FunctionRef | None:
        """The function that `path.py::qualname` names, through re-exports; None where there is none."""
        path, _, qualname = text.partition("::")
        return self.names.member(path, qualname)

    def calls_in(self, path: str, node: ast.AST) -> frozenset[FunctionRef]:
        """The functions and classes that a statement calls (of a compound one, its header)."""
        file = self.index.file(path)
        for statement in file.statements if file else ():
            if statement.node is node:
                return self.calls_of(statement)
        return frozenset()

    def calls_of(self, statement: Statement) -> frozenset[FunctionRef]:
        """The same, of a statement at hand; a class stands for its construction, beside its constructor."""
        return frozenset(self._called(statement))

    def _called(self, statement: Statement) -> Iterator[FunctionRef]:
        if "(" not in statement.file.text_of(statement.node):
            return
        scope = Scope(statement.file.path, statement.function)
        for part in walk(statement.node):
            if isinstance(part, ast.Call):
                yield from (edge.to for edge in self._call_edges(part, scope) if edge.call)

    def callers(self, ref: FunctionRef) -> tuple[CallSite, ...]:
        """The statements of the sources that call a function, in the order of files and lines."""
        return self._calling(ref, tests=False)

    def testers(self, ref: FunctionRef) -> tuple[CallSite, ...]:
        """One statement of each test that reaches a function: the one that calls it, or else the first on the way."""
        found = self._testers.get(ref)
        if found is None:
            found = self._testers[ref] = tuple(self._way(test, ref) for test in self.tests if self.reaches(test, ref))
        return found

    def recorded_testers(self, ref: FunctionRef) -> tuple[CallSite, ...] | None:
        """The tests whose recorded run entered a function, at their definitions; None where there is no record."""
        if not self._recorded:
            return None
        names = {test for found, tests in self._entered.items() if meets(found, ref) for test in tests}
        return tuple(self._definition(test) for test in self.tests if f"{test.path}::{test.qualname}" in names)

    def _definition(self, ref: FunctionRef) -> CallSite:
        file = self.index.file(ref.path)
        node = file.functions[ref.qualname] if file else None
        line = node.lineno if isinstance(node, FunctionNode) else 1
        return CallSite(ref.path, line, ref.qualname, "")

    def reaches(self, start: FunctionRef, end: FunctionRef) -> bool:
        """Whether calls and references lead from one function to another."""
        return any(meets(reached, end) for reached in self.reached(start))

    def leads(self, starts: Iterable[FunctionRef], ends: Collection[FunctionRef]) -> bool:
        """Whether calls and references lead from one of some functions to one of others; it looks no further then."""
        first = tuple(starts)
        if any(meets(called, end) for start in first for called in self._directly(start) for end in ends):
            return True
        found: set[FunctionRef] = set()
        pending = deque(first)
        while pending:
            start = pending.popleft()
            for _, edge in self._function_edges(start):
                if edge.to not in found:
                    if any(meets(edge.to, end) for end in ends):
                        return True
                    found.add(edge.to)
                    pending.append(edge.to)
        return False

    def _directly(self, start: FunctionRef) -> Iterator[FunctionRef]:
        """What a function's own statements call: sooner found than all that it refers to."""
        file = self.index.file(start.path)
        for statement in file.statements_in(start.qualname) if file else ():
            if not isinstance(statement.node, FunctionNode | ast.ClassDef):
                yield from self._called(statement)

    def reached(self, start: FunctionRef) -> frozenset[FunctionRef]:
        """Every function to which calls and references lead, the start not counted unless it leads back to itself."""
        known = self._reached.get(start)
        if known is None:
            known = self._reached[start] = self._closure([start])
        return known

    def ran(self, test: FunctionRef, ref: FunctionRef) -> bool:
        """Whether a recorded run of a test entered a function, which must still be there."""
        recorded = self._recorded.get(f"{test.path}::{test.qualname}", frozenset())
        found = (FunctionRef(*name.split("::", 1)) for name in recorded if "::" in name)
        return any(meets(each, ref) and self._is_there(each) for each in found)

    def _is_there(self, ref: FunctionRef) -> bool:
        file = self.index.file(ref.path)
        return file is not None and ref.qualname in file.functions

    @cached_property
    def _recorded(self) -> Mapping[str, frozenset[str]]:
        """What tests reached when they last ran, by test, as the configuration's `testers` has it."""
        config = self.index.config
        if not config.testers:
            return {}
        self.index.inputs.content(config.testers, None)
        return read(config.root / config.testers)

    @cached_property
    def _entered(self) -> dict[FunctionRef, list[str]]:
        """The tests that entered each function that is still there."""
        found: dict[FunctionRef, list[str]] = {}
        for test, names in self._recorded.items():
            for name in names:
                if "::" in name:
                    found.setdefault(FunctionRef(*name.split("::", 1)), []).append(test)
        return {ref: tests for ref, tests in found.items() if self._is_there(ref)}

    @cached_property
    def tests(self) -> tuple[FunctionRef, ...]:
        """Every test function under `tests`."""
        found: list[FunctionRef] = []
        for path in self.index.tests():
            file = self.index.file(path)
            if file is not None:
                found.extend(FunctionRef(path, name) for name in file.functions if fixtures.is_test(file, name))
        return tuple(found)

    @cached_property
    def tested(self) -> frozenset[FunctionRef]:
        """Every function that some test reaches, and the tests themselves."""
        return self._closure(self.tests) | frozenset(self.tests)

    def is_tested(self, ref: FunctionRef) -> bool:
        """Whether some test reaches a function or class."""
        return any(meets(reached, ref) for reached in self.tested)

    def _closure(self, starts: Iterable[FunctionRef]) -> frozenset[FunctionRef]:
        found: set[FunctionRef] = set()
        pending = list(starts)
        while pending:
            for _, edge in self._function_edges(pending.pop()):
                if edge.to not in found:
                    found.add(edge.to)
                    pending.append(edge.to)
        return frozenset(found)

    def _way(self, test: FunctionRef, ref: FunctionRef) -> CallSite:
        edges = self._function_edges(test)
        direct = [statement for statement, edge in edges if statement and meets(edge.to, ref)]
        leading = [statement for statement, edge in edges if statement and self.reaches(edge.to, ref)]
        for statement in (*direct, *leading):
            return CallSite(test.path, statement.line, statement.function, statement.source)
        file = self.index.file(test.path)
        node = file.functions[test.qualname] if file else None
        line = node.lineno if isinstance(node, FunctionNode) else 1
        return CallSite(test.path, line, test.qualname, file.slice(file.span(node)) if file and node else "")

    def _calling(self, ref: FunctionRef, tests: bool) -> tuple[CallSite, ...]:
        if tests not in self._callers:
            table: dict[FunctionRef, list[CallSite]] = {}
            for path in self.index.tests() if tests else self.index.sources():
                file = self.index.file(path)
                for statement in file.statements if file else ():
                    site = CallSite(path, statement.line, statement.function, statement.source)
                    for called in self.calls_of(statement):
                        table.setdefault(called, []).append(site)
            self._callers[tests] = table
        return tuple(sorted(self._callers[tests].get(ref, ()), key=lambda site: (site.path, site.line)))

    def _function_edges(self, ref: FunctionRef) -> tuple[tuple[Statement | None, Edge], ...]:
        known = self._edges.get(ref)
        if known is None:
            known = self._edges[ref] = tuple(self._collect(ref))
        return known

    def _collect(self, ref: FunctionRef) -> Iterator[tuple[Statement | None, Edge]]:
        file = self.index.file(ref.path)
        if file is None:
            return
        if ref.qualname.startswith(_VALUE):
            scope = Scope(ref.path, "")
            for binding in self.names.bindings(scope).get(ref.qualname[1:], ()):
                if isinstance(binding, Item):
                    yield from ((None, edge) for edge in self._expression_edges(binding.value, scope))
            return
        for statement in file.statements_in(ref.qualname):
            if not isinstance(statement.node, FunctionNode | ast.ClassDef):
                yield from ((statement, edge) for edge in self._statement_edges(statement))
        yield from ((None, Edge(to, call=False)) for to in self._implied(file, ref))

    def _implied(self, file: SourceFile, ref: FunctionRef) -> Iterator[FunctionRef]:
        """What comes with a function without being written in it."""
        node = file.functions.get(ref.qualname) or file.classes.get(ref.qualname)
        outer = Scope(ref.path, ref.qualname.rpartition(".")[0])
        for decorator in getattr(node, "decorator_list", ()):
            yield from (edge.to for edge in self._expression_edges(decorator, outer))
        if isinstance(node, ast.ClassDef):
            yield from self._constructors(ref)
        elif isinstance(node, FunctionNode):
            test = fixtures.is_test(file, ref.qualname)
            if test or fixtures.is_fixture(node):
                for argument in (*node.args.args, *node.args.kwonlyargs):
                    found = fixtures.providers(self.index, ref.path, ref.qualname, argument.arg)
                    yield from (FunctionRef(*provider) for provider in found)
            if test:
                around = fixtures.surroundings(self.index, ref.path, ref.qualname)
                yield from (FunctionRef(*provider) for provider in around)
        yield from self._overrides(ref)

    def _statement_edges(self, statement: Statement) -> Iterator[Edge]:
        return self._expression_edges(statement.node, Scope(statement.file.path, statement.function))

    def _expression_edges(self, node: ast.AST, scope: Scope) -> Iterator[Edge]:
        called: set[int] = set()
        for part in walk(node):
            if isinstance(part, ast.Call):
                called.add(id(part.func))
                yield from self._call_edges(part, scope)
            elif isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Load):
                if isinstance(part, ast.Name):
                    yield from self._value_edges(part.id, scope)
                if id(part) not in called:
                    yield from (Edge(to, call=False) for to in self._meant(self._resolved(part, scope)))

    def _call_edges(self, node: ast.Call, scope: Scope) -> Iterator[Edge]:
        entities = self._resolved(node.func, scope)
        for entity in entities:
            if entity.kind == INSTANCE:
                method = self.names.classes.method(entity.ref, "__call__")
                if method is not None:
                    yield Edge(method, call=True)
            else:
                yield from (Edge(to, call=True) for to in self._meant({entity}))
        if not entities and isinstance(node.func, ast.Attribute):
            yield from self._by_name(node.func, scope)

    def _by_name(self, node: ast.Attribute, scope: Scope) -> Iterator[Edge]:
        """Methods of an object that stands for nothing known: a call where the name leaves no choice."""
        if self._resolved(node.value, scope):
            return
        methods = self._methods.get(node.attr, ())
        yield from (Edge(method, call=len(methods) == 1) for method in methods)

    def _meant(self, entities: Iterable[Entity]) -> Iterator[FunctionRef]:
        for entity in entities:
            if entity.kind in (FUNCTION, CLASS):
                yield entity.ref
            if entity.kind == CLASS:
                yield from self._constructors(entity.ref)

    def _constructors(self, ref: FunctionRef) -> Iterator[FunctionRef]:
        for name in _CONSTRUCTORS:
            method = self.names.classes.method(ref, name)
            if method is not None:
                yield method

    def _value_edges(self, name: str, scope: Scope) -> Iterator[Edge]:
        """To the value of a module-level name: calls that made it are reached by whoever uses it."""
        for outer in self.names.enclosing(scope):
            bound = self.names.bindings(outer).get(name)
            if bound:
                if not outer.qualname and any(isinstance(binding, Item) for binding in bound):
                    yield Edge(FunctionRef(outer.path, _VALUE + name), call=False)
                return

    def _resolved(self, node: ast.expr, scope: Scope) -> Entities:
        try:
            return self.names.resolve(node, scope)
        except RecursionError:  # an expression nested beyond what people write
            return frozenset()

    @cached_property
    def _class_refs(self) -> tuple[FunctionRef, ...]:
        paths = (*self.index.sources(), *self.index.tests())
        files = [file for file in map(self.index.file, paths) if file is not None]
        return tuple(FunctionRef(file.path, name) for file in files for name in file.classes)

    @cached_property
    def _methods(self) -> dict[str, tuple[FunctionRef, ...]]:
        """The methods of the sources' classes by bare name."""
        found: dict[str, tuple[FunctionRef, ...]] = {}
        for path in self.index.sources():
            file = self.index.file(path)
            for qualname in file.functions if file else ():
                owner, _, name = qualname.rpartition(".")
                if file and owner in file.classes:
                    found[name] = (*found.get(name, ()), FunctionRef(path, qualname))
        return found

    @cached_property
    def _subclasses(self) -> dict[FunctionRef, list[FunctionRef]]:
        found: dict[FunctionRef, list[FunctionRef]] = {}
        for ref in self._class_refs:
            for base in self.names.classes.bases(ref):
                found.setdefault(base, []).append(ref)
        return found

    def _overrides(self, ref: FunctionRef) -> Iterator[FunctionRef]:
        """A method's versions in derived classes: calling it on `self` may mean any of them."""
        owner, _, name = ref.qualname.rpartition(".")
        pending = list(self._subclasses.get(FunctionRef(ref.path, owner), ())) if owner else []
        while pending:
            derived = pending.pop()
            if f"{derived.qualname}.{name}" in (getattr(self.index.file(derived.path), "functions", ())):
                yield FunctionRef(derived.path, f"{derived.qualname}.{name}")
            pending.extend(self._subclasses.get(derived, ()))


def meets(found: FunctionRef, wanted: FunctionRef) -> bool:
    """Whether a function found is the one wanted; a class is met by its methods, a constructor by its class."""
    if found == wanted:
        return True
    if found.path != wanted.path:
        return False
    owner, _, name = wanted.qualname.rpartition(".")
    return found.qualname.startswith(wanted.qualname + ".") or (name in _CONSTRUCTORS and found.qualname == owner)
