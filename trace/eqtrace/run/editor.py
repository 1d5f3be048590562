"""Puts probes around the cited statements in a module's tree."""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from eqtrace.code.conditions import Condition, constants, numbers, of_cited
from eqtrace.code.tree import FunctionNode, StatementNode, is_compound, walk
from eqtrace.run.earlier import earlier, outer_names
from eqtrace.run.plan import (
    HEADERS,
    RESULT,
    Output,
    Plan,
    SiteError,
    at_return,
    entries_in,
    left_side,
    make_plan,
    mangle,
    mangled,
    names_in,
    stored,
    turn_statement,
    written,
)
from eqtrace.run.site import Site
from eqtrace.run.tree import Tree, located, own_nodes

_Edit = Callable[[], None]


@dataclass(frozen=True, slots=True)
class _Loop:
    """A function with a loop of which values are collected."""

    function: FunctionNode
    turn: StatementNode
    names: frozenset[str]
    parameters: frozenset[str]

    def enter(self, line: ast.stmt) -> None:
        """Puts a line at the function's beginning."""
        docstring = 0 if ast.get_docstring(self.function, clean=False) is None else 1
        self.function.body[docstring:docstring] = [located(line, self.function.body[0])]


class Editor:
    """Finds the sites of one module in its tree, then edits the tree.

    Sites may share a statement, so all are found before the first edit. Whole functions must come last, as they move
    statements.
    """

    def __init__(self, tree: Tree, probe: ast.expr) -> None:
        self._tree = tree
        self._constants = constants(tree.module)
        self._probe = probe
        self._number = 0
        self._edits: list[_Edit] = []
        self.plans: list[Plan] = []

    def find(self, site: Site) -> None:
        """Finds a site's statement and left sides.

        Raises:
            SiteError: there is no such statement, or its left sides cannot be captured.
            BindError: a bind is outside the grammar or not in the statement.
        """
        statement = self._tree.statement(site.line, site.column)
        if statement is None:
            raise SiteError(f"no statement begins at {site.path}:{site.line}:{site.column}")
        if not site.whole:
            self._check_end(site, statement)
        find = self._whole if site.whole else self._statement if site.outputs else self._count
        plan, edit = find(site, statement, self._tree.owner(statement))
        found = of_cited(statement, site.whole)

        def both() -> None:
            self._tell(found)
            edit()

        compared = numbers(statement, self._constants, site.whole).union(site.elsewhere)
        self.plans.append(replace(plan, compared=compared))
        self._edits.append(both)

    def edit(self) -> None:
        """Puts the probes of all sites in."""
        for number, edit in enumerate(self._edits):
            self._number = number
            edit()

    def _tell(self, conditions: Sequence[Condition]) -> None:
        """Has conditions tell which way they go."""
        for number, each in enumerate(conditions):
            node = each.node
            if isinstance(node, ast.match_case | ast.ExceptHandler):
                if each.of is not None:
                    self._tree.insert(each.of, [self._noted(number, False)], [])
                    self._first(node.body, [self._noted(number, True)])
            elif each.other is None:
                self._told("branch", number, node)
            elif self._tree.can_wrap(each.other) and self._tree.can_wrap(node):
                self._told("first", number, node)
                self._told("second", number, each.other)

    def _noted(self, number: int, way: bool) -> ast.stmt:
        return ast.Expr(self._call("branch", ast.Constant(number), ast.Constant(way)))

    def _told(self, method: str, number: int, node: ast.expr) -> None:
        if self._tree.can_wrap(node):
            self._tree.wrap(node, lambda held: self._call(method, ast.Constant(number), held))

    def _check_end(self, site: Site, statement: StatementNode) -> None:
        if not is_compound(statement) and self._tree.end(statement) != (site.end_line, site.end_column):
            raise SiteError(f"the statement at {site.path}:{site.line} is another than the one that was looked up")

    def _call(self, method: str, *arguments: ast.expr, outer: Iterable[str] = ()) -> ast.expr:
        keywords = [ast.keyword(name, ast.Lambda(_no_arguments(), _load(name))) for name in outer]
        target = ast.Attribute(copy.copy(self._probe), method, ast.Load())
        return ast.Call(target, [ast.Constant(self._number), *arguments], keywords)

    def _line(self, method: str, outer: Iterable[str] = ()) -> ast.stmt:
        """A call where something is recorded at the site; where nothing is, asking costs a tenth of the call."""
        flags = ast.Attribute(copy.copy(self._probe), "live", ast.Load())
        live = ast.Subscript(flags, ast.Constant(self._number), ast.Load())
        return ast.Expr(ast.BoolOp(ast.And(), [live, self._call(method, outer=outer)]))

    def _close(self, node: ast.expr, begin: ast.expr) -> None:
        self._tree.wrap(node, lambda held: self._call("close", begin, held))

    def _count(self, site: Site, statement: StatementNode, _: str) -> tuple[Plan, _Edit]:
        header = getattr(statement, HEADERS.get(type(statement), ""), None)
        docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)

        def edit() -> None:
            if isinstance(statement, ast.ExceptHandler | ast.match_case):
                self._first(statement.body, [self._line("begin")])
            elif header is not None:
                self._close(header, self._call("begin"))
            # A docstring and future imports must stay first; they run nothing.
            elif not docstring and getattr(statement, "module", None) != "__future__":
                self._tree.insert(statement, [self._line("begin")], [])

        return Plan(site), edit

    def _statement(self, site: Site, statement: StatementNode, owner: str) -> tuple[Plan, _Edit]:
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
        before = earlier(self._tree, statement, site)
        names = frozenset(mangle(name, owner) for name in names_in(walk(statement)) | outer_names(before))
        nodes = [node for each in (*before, statement) for node in walk(each)]
        plan = make_plan(site, outputs, names, written(statement), owner, entries_in(nodes, owner))
        loop = self._loop(statement, site, owner) if site.collects else None
        if loop is not None:
            plan = replace(plan, collected=loop.names, parameters=loop.parameters)
        scopes = {self._tree.inner_scope(node, statement) for node in captured} or {None}
        asserted = _asserted(statement.test) if isinstance(statement, ast.Assert) and captured else None
        around = self._around(statement, plan) if scopes == {None} else self._inner(captured, scopes, plan, owner)

        def edit() -> None:
            for key, node in enumerate(captured):
                self._tree.wrap(node, lambda held, key=key: self._call("value", ast.Constant(key), held))  # type: ignore[misc]
            around()
            if loop is not None:
                self._tree.insert(loop.turn, [], [self._line("turn")])
                loop.enter(self._line("enter"))
            if asserted is not None:
                ast.copy_location(statement, asserted)

        return plan, edit

    def _loop(self, statement: StatementNode, site: Site, owner: str) -> _Loop:
        """The function around a statement, and the assignment in it that gives what is collected of each turn."""
        function = next((node for node, _ in self._tree.ancestors(statement) if isinstance(node, FunctionNode)), None)
        if function is None:
            raise SiteError("values of a loop's turns are read in functions only")
        turn = turn_statement(function, site.collects)
        return _Loop(
            function,
            turn,
            frozenset(mangle(name, owner) for name in stored(turn)),
            frozenset(mangle(name, owner) for name in _parameters(function.args)),
        )

    def _inner(self, captured: list[ast.expr], scopes: set[ast.AST | None], plan: Plan, owner: str) -> _Edit:
        """Inside a comprehension, generator expression or lambda: one event for each evaluation."""
        scope = scopes.pop()
        smallest = self._tree.common(captured, scope) if scope is not None and not scopes else None
        if smallest is None or len(captured) < len(plan.outputs):
            raise SiteError("its left sides are evaluated at different times")
        mentioned = sorted(plan.inputs_read | {mangle(name, owner) for name in names_in(ast.walk(smallest))})
        return lambda: self._close(smallest, self._call("begin_inside", outer=mentioned))

    def _around(self, statement: StatementNode, plan: Plan) -> _Edit:
        """A begin before a statement and an end after it, or both in its header or around its value."""
        outer = sorted(plan.read) if self._tree.in_local_class(statement) else ()
        after = any(output.key is None for output in plan.outputs)
        if isinstance(statement, ast.For | ast.AsyncFor) and after:
            if any(output.key is not None for output in plan.outputs):
                raise SiteError("a loop's variable and its iterable have values at different times")
            return lambda: self._first(statement.body, [self._line("begin", outer), self._line("end")])
        header = getattr(statement, HEADERS.get(type(statement), ""), None)
        if isinstance(header, ast.expr):
            return lambda: self._close(header, self._call("begin", outer=outer))
        if isinstance(statement, ast.ExceptHandler | ast.match_case):
            raise SiteError("a clause's names have no value before it")
        value = {ast.Return: "value", ast.Raise: "exc"}.get(type(statement))
        if value is not None:
            return self._leaving(statement, getattr(statement, value), outer)

        def edit() -> None:
            inside = isinstance(statement, ast.With | ast.AsyncWith)
            end = self._line("end")
            self._tree.insert(statement, [self._line("begin", outer)], [] if inside else [end])
            if isinstance(statement, ast.With | ast.AsyncWith):
                self._first(statement.body, [end])

        return edit

    def _leaving(self, statement: StatementNode, value: ast.expr | None, outer: Iterable[str]) -> _Edit:
        """A statement with nothing after it ends when its value is there."""
        if value is None:
            raise SiteError("the statement has no value")

        def edit() -> None:
            self._tree.insert(statement, [self._line("begin", outer)], [])
            self._close(value, ast.Constant(None))

        return edit

    def _first(self, body: list[ast.stmt], lines: list[ast.stmt]) -> None:
        body[:0] = _located(lines, body[0])

    def _whole(self, site: Site, statement: StatementNode, owner: str) -> tuple[Plan, _Edit]:
        function = getattr(statement, "value", statement)
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            raise SiteError(f"no function begins at {site.path}:{site.line}:{site.column}")
        outputs = [at_return(symbol, text, owner) for symbol, text in site.outputs.items()]
        parameters = frozenset(mangle(name, owner) for name in _parameters(function.args))
        plan = make_plan(site, outputs, parameters, [], owner)
        if isinstance(function, ast.Lambda):
            body = function.body
            return plan, lambda: self._close(body, self._call("begin_inside", outer=sorted(plan.read)))
        return plan, lambda: self._body(function)

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


def _asserted(test: ast.expr) -> ast.expr | None:
    """The comparison whose place Python 3.11 gives to the AssertionError; it finds none in a call of a probe."""
    if sys.version_info >= (3, 12) or isinstance(test, ast.Compare):
        return test if sys.version_info < (3, 12) else None
    parts: list[ast.expr] = []
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        parts = [test.operand]
    elif isinstance(test, ast.BoolOp):
        parts = test.values
    elif isinstance(test, ast.IfExp):
        parts = [test.test, test.body, test.orelse]
    return next((found for part in reversed(parts) if (found := _asserted(part)) is not None), None)


def _parameters(arguments: ast.arguments) -> list[str]:
    several = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return [argument.arg for argument in several if argument is not None]


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _no_arguments() -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _located(nodes: Sequence[ast.stmt], place: ast.AST) -> list[ast.stmt]:
    return [located(node, place) for node in nodes]
