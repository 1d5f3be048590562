"""The conditions of a statement: what is decided in it, for a whole array or entry by entry.

Tests of headers, of conditional expressions and of comprehensions count, taken apart at `and`, `or` and `not`; every
comparison; what decides which operand `and` and `or` give; the mask of `where`; and which of two operands `maximum` and
its kin take.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from eqtrace.code.tree import FunctionNode, StatementNode, dotted, walk

_EXTREMES = frozenset({"maximum", "minimum", "fmax", "fmin", "max", "min"})
_UNTESTED = ast.Assert | ast.ClassDef | FunctionNode  # an assertion that fails ends the run


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression that is true or false; of an extreme its first operand, true where it is larger than the `other`.

    `shown` is the expression that a reader knows it by.
    """

    node: ast.expr
    other: ast.expr | None
    shown: ast.expr


def of_cited(statement: StatementNode, whole: bool = False) -> list[Condition]:
    """The conditions of a statement (of a compound one, of its header), or of the `whole` function that it defines.

    They come in the order of the text.
    """
    if whole:
        return _among(_inside(getattr(statement, "value", statement)))
    return [] if isinstance(statement, _UNTESTED) else _among(walk(statement))


def _inside(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function's body; functions within it are others."""
    body = getattr(function, "body", [])
    waiting = [*body] if isinstance(body, list) else [body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _UNTESTED):
            waiting.extend(ast.iter_child_nodes(node))


def _among(nodes: Iterable[ast.AST]) -> list[Condition]:
    found: dict[int, Condition] = {}
    for node in nodes:
        for each in _of(node):
            found.setdefault(id(each.node), each)
    return sorted(found.values(), key=lambda each: (each.node.lineno, each.node.col_offset, each.other is None))


def _of(node: ast.AST) -> Iterator[Condition]:
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield from _atoms(test)
        case ast.comprehension(ifs=tests):
            for test in tests:
                yield from _atoms(test)
        case ast.BoolOp(values=[*values, _]):  # the last one is what it gives, and decides nothing
            for value in values:
                yield from _atoms(value)
        case ast.Compare():
            yield Condition(node, None, node)
        case ast.Call(func=function, args=[first, *others], keywords=[]):
            name = (dotted(function) or "").rpartition(".")[2]
            if name == "where" and len(others) == 2:
                yield from _atoms(first)
            elif name in _EXTREMES and len(others) == 1:
                yield Condition(first, others[0], node)


def _atoms(test: ast.expr) -> Iterator[Condition]:
    """The conditions that a test is put together of; a constant decides nothing."""
    match test:
        case ast.BoolOp(values=values):
            for value in values:
                yield from _atoms(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _atoms(operand)
        case ast.Constant():
            return
        case _:
            yield Condition(test, None, test)


def numbers_in(conditions: Iterable[Condition]) -> Iterator[float]:
    """The numbers that conditions compare with, as written; what is true or false by itself compares with 0."""
    for each in conditions:
        if each.other is None and not isinstance(each.node, ast.Compare | ast.Call):
            yield 0.0
        for operand in (each.node, each.other):
            for node in ast.walk(operand) if operand is not None else ():
                if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
                    yield float(node.value)
