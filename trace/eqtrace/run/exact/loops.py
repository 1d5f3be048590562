"""Re-executes a function with a loop, the assignment of each turn replaced by the values that it gave.

So a mean over a loop's turns is exact where each turn's share is taken as it was captured: what the loop does with the
shares runs again in balls, and what they come from does not.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from eqtrace.code.bind import TARGET, BindError, Left, parse_left
from eqtrace.code.source import SourceFile, decode
from eqtrace.code.tree import FunctionNode
from eqtrace.run.plan import SiteError, stored, turn_statement
from eqtrace.run.site import Site
from eqtrace.run.sources import read, source_tree
from eqtrace.run.statement import CannotRun, Rewrite
from eqtrace.run.tree import Tree, own_nodes

_FUNCTION, _TURN = "__eqtrace_loop__", "__eqtrace_turn__"


class Loop:
    """A function that ends with the cited statement, and takes each turn's values as given.

    Args:
        site: the cited statement, and the names whose values in each turn it reads.
        rewrite: changes the function's tree before it is compiled.

    Raises:
        CannotRun: it can't be taken out of its module.
    """

    def __init__(self, site: Site, rewrite: Rewrite) -> None:
        tree, lines = source_tree(site.file)
        places = Tree(SourceFile(site.file, decode(read(site.file)), tree))
        statement = places.statement(site.line, site.column)
        around = places.ancestors(statement) if statement is not None else iter(())
        function = next((node for node, _ in around if isinstance(node, FunctionNode)), None)
        if not isinstance(statement, ast.stmt) or not isinstance(function, ast.FunctionDef):
            raise CannotRun("the statement is in no function")
        try:
            turn = turn_statement(function, site.collects)
            self._names = tuple(sorted(stored(turn)))
            self._lefts = {symbol: parse_left(text, statement) for symbol, text in site.outputs.items()}
        except (SiteError, BindError) as error:
            raise CannotRun(str(error)) from error
        _replace(places, turn, [_assigned(self._names)])
        before = [statement] if any(left.kind == TARGET for left in self._lefts.values()) else []
        values: list[ast.expr] = [_value(left) for left in self._lefts.values()]
        _replace(places, statement, [*before, ast.Return(ast.Tuple(values, ast.Load()))])
        _drop_unread(function)
        arguments = [ast.arg(each.arg) for each in _parameters(function.args)]
        function.args = ast.arguments([], arguments, None, [], [], None, [])
        function.name, function.decorator_list, function.returns = _FUNCTION, [], None
        module = ast.fix_missing_locations(ast.Module([rewrite(function, lines)], []))
        self._code = compile(module, site.file, "exec", dont_inherit=True)

    def run(
        self, namespace: Mapping[str, Any], parameters: Mapping[str, Any], turns: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """The outputs, by symbol.

        Raises:
            CannotRun: the loop has another number of turns than were captured.
        """
        given = iter(turns)
        space = {**namespace, _TURN: lambda: _next(given, self._names)}
        exec(self._code, space)
        values = space[_FUNCTION](**parameters)
        if next(given, None) is not None:
            raise CannotRun("the loop had more turns than it has in balls")
        pairs = zip(self._lefts.items(), values, strict=True)
        return {symbol: reduce(lambda each, index: each[index], left.path, value) for (symbol, left), value in pairs}


def _next(given: Iterator[Mapping[str, Any]], names: tuple[str, ...]) -> tuple[Any, ...]:
    turn = next(given, None)
    if turn is None:
        raise CannotRun("the loop has more turns in balls than it had")
    return tuple(turn[name] for name in names)


def _assigned(names: tuple[str, ...]) -> ast.stmt:
    target = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
    return ast.Assign([target], ast.Call(ast.Name(_TURN, ast.Load()), [], []))


def _value(left: Left) -> ast.expr:
    node = copy.deepcopy(left.node)
    if left.kind == TARGET:
        node.ctx = ast.Load()  # type: ignore[attr-defined]
    return node


def _replace(tree: Tree, statement: ast.stmt, by: list[ast.stmt]) -> None:
    slot = next(slot for _, slot in tree.ancestors(statement))
    body = getattr(slot.parent, slot.field)
    place = next(i for i, item in enumerate(body) if item is statement)
    body[place : place + 1] = [ast.copy_location(each, statement) for each in by]


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    several = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    return [each for each in several if each is not None]


def _drop_unread(function: ast.FunctionDef) -> None:
    """Drops assignments to names that nothing reads any more: they led to the values of the turns."""
    while True:
        nodes = list(own_nodes(function))
        read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        assigned = [node for node in nodes if isinstance(node, ast.Assign) and _only_names(node)]
        unread = [node for node in assigned if not stored(node) & read]
        if not unread:
            return
        for node in nodes:
            for name in ("body", "orelse", "finalbody"):
                held = getattr(node, name, None)
                if isinstance(held, list):
                    setattr(node, name, [each for each in held if each not in unread] or [ast.Pass()] * bool(held))
        function.body = [each for each in function.body if each not in unread]


def _only_names(node: ast.Assign) -> bool:
    kinds = (ast.Name, ast.Tuple, ast.Starred, ast.Store)
    return all(isinstance(each, kinds) for target in node.targets for each in ast.walk(target))
