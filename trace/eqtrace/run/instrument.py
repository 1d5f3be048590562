"""Puts probes around the cited statements of one module; the user's file and its line numbers stay as they are."""

from __future__ import annotations

import ast
import importlib.util
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, cast

from eqtrace.code.bind import BindError
from eqtrace.run.plan import (
    HEADERS,
    RESULT,
    Output,
    Plan,
    SiteError,
    at_return,
    left_side,
    make_plan,
    mangle,
    mangled,
    names_in,
    written,
)
from eqtrace.run.probe import Probe
from eqtrace.run.record import Recorder
from eqtrace.run.site import Site
from eqtrace.run.tree import FunctionNode, Tree, header, located, own_nodes

Optimize = Literal[-1, 0, 1, 2]
_DEEPEST = 20_000  # the compiler counts recursion over a tree's depth, which probes and long sums make deep


def instrument(
    data: bytes,
    filename: str,
    module: str,
    sites: Sequence[Site],
    recorder: Recorder,
    optimize: Literal[-1, 0, 1, 2] = -1,
) -> types.CodeType:
    """The code of a module with probes at `sites`; why one of them could not be placed is in `recorder.problems`.

    Raises:
        SyntaxError: the source cannot be compiled.
    """
    probe = Probe(recorder, module)
    with _deep():
        tree = cast(ast.Module, compile(data, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True))
        marker = _marker(data)
        editor = _Editor(Tree(tree, importlib.util.decode_source(data)), marker)
        for site in sorted(sites, key=lambda site: site.whole):
            try:
                editor.place(site)
            except (SiteError, BindError) as error:
                recorder.problems[site.anchor] = str(error)
        probe.plans = tuple(editor.plans)
        try:
            code = compile(tree, filename, "exec", dont_inherit=True, optimize=optimize)
        except (ValueError, TypeError, RecursionError) as error:
            recorder.problems.update((site.anchor, f"{filename} cannot be instrumented: {error}") for site in sites)
            return compile(data, filename, "exec", dont_inherit=True, optimize=optimize)
    return _embed(code, marker, probe)


@contextmanager
def _deep() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _marker(data: bytes) -> bytes:
    """A constant that the source does not hold."""
    number = 0
    while (marker := b"eqtrace probe %d" % number) in data:
        number += 1
    return marker


def _embed(code: types.CodeType, marker: bytes, probe: Probe) -> types.CodeType:
    """Puts the probe where the marker stands, as a constant: no name is needed that user code could see or shadow."""
    constants = tuple(
        _embed(constant, marker, probe)
        if isinstance(constant, types.CodeType)
        else probe
        if isinstance(constant, bytes) and constant == marker
        else constant
        for constant in code.co_consts
    )
    return code.replace(co_consts=constants)


class _Editor:
    """Edits one module's tree, a site at a time; whole functions come last, as they move statements."""

    def __init__(self, tree: Tree, marker: bytes) -> None:
        self._tree = tree
        self._marker = marker
        self.plans: list[Plan] = []

    def place(self, site: Site) -> None:
        """Puts a site's probes in.

        Raises:
            SiteError: there is no such statement, or its left sides cannot be captured.
            BindError: a bind is outside the grammar or not in the statement.
        """
        plan = Plan(site)
        try:
            statement = self._tree.statement(site.line, site.column)
            if statement is None:
                raise SiteError(f"no statement begins at {site.path}:{site.line}:{site.column}")
            if not site.whole:
                self._check_end(site, statement)
            place = self._whole if site.whole else self._statement if site.outputs else self._count
            plan = place(site, statement, self._tree.owner(statement))
        finally:
            self.plans.append(plan)  # also where it failed halfway: its number may be in the tree already

    def _check_end(self, site: Site, statement: ast.stmt) -> None:
        compound = any(hasattr(statement, name) for name in ("body", "cases"))
        if not compound and self._tree.end(statement) != (site.end_line, site.end_column):
            raise SiteError(f"the statement at {site.path}:{site.line} is another than the one that was looked up")

    def _call(self, method: str, *arguments: ast.expr, outer: Iterable[str] = ()) -> ast.expr:
        keywords = [ast.keyword(name, ast.Lambda(_no_arguments(), _load(name))) for name in outer]
        target = ast.Attribute(ast.Constant(self._marker), method, ast.Load())
        return ast.Call(target, [ast.Constant(len(self.plans)), *arguments], keywords)

    def _line(self, method: str, outer: Iterable[str] = ()) -> ast.stmt:
        return ast.Expr(self._call(method, outer=outer))

    def _value(self, node: ast.expr, key: int) -> None:
        self._tree.wrap(node, lambda held: self._call("value", ast.Constant(key), held))

    def _close(self, node: ast.expr, begin: ast.expr) -> None:
        self._tree.wrap(node, lambda held: self._call("close", begin, held))

    def _begin_here(self, inputs: Iterable[str]) -> ast.expr:
        """A begin inside an inner scope.

        Names that the scope does not mention are not in its frame; mentioning them, never run, takes them in.
        """
        mention = ast.Tuple([_load(name) for name in sorted(inputs)], ast.Load())
        return ast.IfExp(ast.Constant(True), self._call("begin"), mention)

    def _count(self, site: Site, statement: ast.stmt, _: str) -> Plan:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return Plan(site)  # a docstring must stay the first statement, and runs nothing
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            return Plan(site)
        if (name := HEADERS.get(type(statement))) is not None:
            self._close(getattr(statement, name), self._call("begin"))
        else:
            self._tree.insert(statement, [self._line("begin")], [])
        return Plan(site)

    def _statement(self, site: Site, statement: ast.stmt, owner: str) -> Plan:
        outputs: list[Output] = []
        captured: list[ast.expr] = []
        for symbol, text in site.outputs.items():
            node, path, after = left_side(text, statement)
            if after:
                outputs.append(Output(symbol, None, path, mangled(node, owner)))
            elif self._tree.can_wrap(node):
                outputs.append(Output(symbol, len(captured), path))
                captured.append(node)
            else:
                raise SiteError(f"{symbol}: {text} has no value of its own that could be captured")
        names = frozenset(mangle(name, owner) for name in names_in(header(statement)))
        plan = make_plan(site, outputs, names, written(statement), owner)
        scopes = {self._tree.inner_scope(node, statement) for node in captured} or {None}
        if scopes == {None}:
            self._capture(captured)
            self._around(statement, plan)
        else:
            self._inner(captured, scopes, plan)
        return plan

    def _capture(self, nodes: list[ast.expr]) -> None:
        for key, node in enumerate(nodes):
            self._value(node, key)

    def _inner(self, captured: list[ast.expr], scopes: set[ast.AST | None], plan: Plan) -> None:
        """Captures inside a comprehension, generator expression or lambda: one event for each evaluation."""
        scope = scopes.pop()
        smallest = self._tree.common(captured, scope) if scope is not None and not scopes else None
        if smallest is None or len(captured) < len(plan.outputs):
            raise SiteError("its left sides are evaluated at different times")
        self._capture(captured)
        self._close(smallest, self._begin_here(plan.inputs_read))

    def _around(self, statement: ast.stmt, plan: Plan) -> None:
        outer = sorted(plan.read) if self._tree.in_local_class(statement) else ()
        begin, end = self._line("begin", outer), self._line("end")
        after = any(output.key is None for output in plan.outputs)
        if isinstance(statement, (ast.For, ast.AsyncFor)) and after:
            if any(output.key is not None for output in plan.outputs):
                raise SiteError("a loop's variable and its iterable have values at different times")
            statement.body[:0] = _located([begin, end], statement.body[0])
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            self._tree.insert(statement, [begin], [])
            statement.body[:0] = _located([end], statement.body[0])
        elif (name := HEADERS.get(type(statement))) is not None:
            self._close(getattr(statement, name), self._call("begin", outer=outer))
        elif isinstance(statement, (ast.Return, ast.Raise)):
            value = statement.value if isinstance(statement, ast.Return) else statement.exc
            if value is None:
                raise SiteError("the statement has no value")
            self._tree.insert(statement, [begin], [])
            self._close(value, ast.Constant(None))
        else:
            self._tree.insert(statement, [begin], [end])

    def _whole(self, site: Site, statement: ast.stmt, owner: str) -> Plan:
        function = getattr(statement, "value", statement)
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            raise SiteError(f"no function begins at {site.path}:{site.line}:{site.column}")
        outputs = [at_return(symbol, text, owner) for symbol, text in site.outputs.items()]
        parameters = frozenset(mangle(name, owner) for name in _parameters(function.args))
        plan = make_plan(site, outputs, parameters, [], owner)
        if isinstance(function, ast.Lambda):
            self._close(function.body, self._begin_here(plan.inputs_read))
        else:
            self._body(function)
        return plan

    def _body(self, function: FunctionNode) -> None:
        """A with statement around a function's body sees every way out of it; its returns tell the value."""
        nodes = list(own_nodes(function))
        # A generator of the asynchronous kind must not return a value.
        bare = isinstance(function, ast.AsyncFunctionDef) and any(isinstance(node, ast.Yield) for node in nodes)
        for node in nodes:
            if isinstance(node, ast.Return) and not bare:
                held = node.value or ast.Constant(None)
                node.value = located(self._call("value", ast.Constant(RESULT), held), node)
        docstring = 0 if ast.get_docstring(function, clean=False) is None else 1
        body = function.body[docstring:]
        place = function.body[0] if not body else body[0]
        none = self._call("value", ast.Constant(RESULT), ast.Constant(None))
        last: ast.stmt = ast.Pass() if bare else ast.Return(none)
        block = ast.With([ast.withitem(self._call("whole"), None)], [*body, *_located([last], place)])
        function.body[docstring:] = _located([block], place)


def _parameters(arguments: ast.arguments) -> list[str]:
    several = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return [argument.arg for argument in several if argument is not None]


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _no_arguments() -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _located(nodes: Sequence[ast.stmt], place: ast.AST) -> list[ast.stmt]:
    return [located(node, place) for node in nodes]
