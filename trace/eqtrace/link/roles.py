"""Whether a cited statement plays the role that its anchor claims, by syntax tree and call graph."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator

from eqtrace.code import fixtures
from eqtrace.code.bind import changed_in_place
from eqtrace.code.calls import CallGraph, meets
from eqtrace.code.entity import FunctionRef
from eqtrace.code.index import Index
from eqtrace.code.source import Statement
from eqtrace.code.tree import walk
from eqtrace.link.binding import check_bind, writes_left_side
from eqtrace.link.place import first_line, place
from eqtrace.model.anchor import Match, Role
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault, Related

_GIVING_VALUES = (ast.Assign, ast.AugAssign, ast.Return, ast.If, ast.While, ast.For, ast.AsyncFor)
_HEADERS_WITH_VALUES = (ast.With, ast.AsyncWith, ast.Match)


def check(
    match: Match, equation: Equation, index: Index, graph: CallGraph, functions: Collection[FunctionRef] = ()
) -> Iterator[Fault]:
    """The faults of a matched anchor's role; `functions` are those of the equation's topic."""
    anchor = match.anchor
    if match.span is None or anchor.target is not None or anchor.role is Role.STATES:
        return
    file = index.file(match.span.path)
    statement = file.statement_at(match.span.line, match.span.column, match.function) if file else None
    if statement is None:
        return
    if anchor.role in (Role.COMPUTES, Role.INLINE):
        reason = _no_computation(statement)
        if reason and not writes_left_side(match, equation, statement):
            yield wrong_role(match, equation, reason, "cite the statement that computes the value, or use explains")
        else:
            yield from check_bind(match, equation, statement)
    elif anchor.role in _BY_GRAPH:
        reason, hint = _BY_GRAPH[anchor.role](statement, graph, functions)
        if reason:
            yield wrong_role(match, equation, reason, hint)
        elif anchor.computing:
            yield from check_bind(match, equation, statement)


def wrong_role(match: Match, equation: Equation, reason: str, hint: str = "") -> Fault:
    """A wrong-role fault at the anchor's place, with the code beside it."""
    anchor = match.anchor
    related = (Related(match.span, f"the cited statement: {first_line(match.source)}"),) if match.span else ()
    message = f"`{first_line(anchor.code)}` cannot be cited as {anchor.role}: {reason}"
    return Fault("wrong-role", message, place(anchor), hint, related, equation.id)


def cited_calls(statement: Statement, graph: CallGraph, functions: Collection[FunctionRef]) -> list[ast.Call]:
    """The calls of a topic's functions in a statement."""
    calls = [part for part in walk(statement.node) if isinstance(part, ast.Call)]
    return [call for call in calls if _is_called(call, statement, graph, functions)]


def no_call(statement: Statement, graph: CallGraph, functions: Collection[FunctionRef]) -> str:
    """Why a statement cannot be cited as calling one of the topic's functions; '' where it can."""
    return _no_call(statement, graph, functions)[0]


def _is_called(call: ast.Call, statement: Statement, graph: CallGraph, functions: Collection[FunctionRef]) -> bool:
    alone = ast.Expr(ast.Call(call.func, [], []))
    called = graph.calls_of(Statement(statement.file, alone, statement.function))
    return any(meets(ref, wanted) for ref in called for wanted in functions)


def _no_computation(statement: Statement) -> str:
    """Why a statement computes nothing; '' where it does."""
    node = statement.node
    if isinstance(node, _GIVING_VALUES):
        return "" if getattr(node, "value", node) is not None else "it returns nothing"
    if isinstance(node, _HEADERS_WITH_VALUES):
        return ""
    if isinstance(node, ast.match_case):
        return "" if node.guard is not None else "a pattern without a guard computes nothing"
    if isinstance(node, ast.AnnAssign):
        return "" if node.value is not None else "it only annotates a name"
    if any(isinstance(part, ast.Yield | ast.YieldFrom | ast.NamedExpr) for part in walk(node)):
        return ""
    if isinstance(node, ast.Expr):
        return "" if changed_in_place(node) else "it neither assigns, returns nor changes an array in place"
    return f"{_KINDS.get(type(node), 'this kind of statement')} computes no value"


_KINDS: dict[type[ast.AST], str] = {
    ast.FunctionDef: "the header of a function",
    ast.AsyncFunctionDef: "the header of a function",
    ast.ClassDef: "the header of a class",
    ast.Import: "an import",
    ast.ImportFrom: "an import",
    ast.Assert: "an assertion",
    ast.Raise: "a raise",
    ast.ExceptHandler: "an except clause",
    ast.Delete: "a deletion",
}


def _no_call(statement: Statement, graph: CallGraph, functions: Collection[FunctionRef]) -> tuple[str, str]:
    if not functions:
        return "", ""
    called = graph.calls_of(statement)
    if any(meets(ref, wanted) for ref in called for wanted in functions):
        return "", ""
    reason = f"it calls none of the topic's functions ({_listed(functions)})"
    if called:
        reason += f", only {_listed(called)}"
    return reason, "cite the statement that holds the call"


def _no_test(statement: Statement, graph: CallGraph, functions: Collection[FunctionRef]) -> tuple[str, str]:
    path, function = statement.file.path, statement.function
    here = FunctionRef(path, _outermost(statement))
    node = statement.file.functions.get(here.qualname)
    in_test = fixtures.is_test(statement.file, here.qualname) or fixtures.is_fixture(node)
    # What all tests reach is asked last: working it out takes as long as everything else here.
    if not in_test and not (graph.index.is_test_file(path) and FunctionRef(path, function) in graph.tested):
        where = f"`{function}`" if function else "the module's top level"
        return f"{where} is no test, no fixture, and no test reaches it", "cite a statement of a test"
    # Most often the cited statement is the call itself.
    if any(meets(ref, wanted) for ref in graph.calls_of(statement) for wanted in functions):
        return "", ""
    starts = list(dict.fromkeys((FunctionRef(path, function), here)))
    ran = (graph.ran(start, wanted) for start in starts for wanted in functions)
    if functions and not (graph.leads(starts, functions) or any(ran)):
        hint = "cite a test that calls it, directly or through other functions"
        if graph.index.config.testers:
            hint += f"; or record again what tests reach: pytest --eqtrace-record {graph.index.config.testers}"
        return f"`{here.qualname}` reaches none of the topic's functions ({_listed(functions)})", hint
    return "", ""


def _outermost(statement: Statement) -> str:
    """The test that a statement lies in, where it lies in a function within it."""
    name = statement.function
    while name:
        if fixtures.is_test(statement.file, name):
            return name
        name = name.rpartition(".")[0]
    return statement.function


def _listed(functions: Collection[FunctionRef]) -> str:
    return ", ".join(f"{ref.path}::{ref.qualname}" for ref in sorted(functions))


_BY_GRAPH: dict[Role, Callable[[Statement, CallGraph, Collection[FunctionRef]], tuple[str, str]]] = {
    Role.CALLS: _no_call,
    Role.TESTS: _no_test,
}
