"""The backward slice of a function's value: the statements that what it returns depends on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from eqtrace.code.bind import changed_in_place
from eqtrace.code.source import SourceFile, Statement
from eqtrace.code.tree import FunctionNode, is_compound, targets, walk


def backward_slice(file: SourceFile, function: str) -> tuple[Statement, ...]:
    """The statements of a function on which its return and yield values depend, its inner functions' included.

    The order of statements is ignored, so a name's every assignment counts: the slice is never too small for that.
    """
    statements = file.statements_in(function)
    chosen = {item for item in statements if _gives(item)}
    wanted = {name for item in chosen for name in _read(item)}
    while True:
        more = {
            item for item in statements if item not in chosen and (_written(item) & wanted or _governs(item, chosen))
        }
        if not more:
            break
        chosen |= more
        wanted |= {name for item in more for name in _read(item)}
    inner = tuple(part for item in chosen for part in _inner(file, function, item))
    return (*(item for item in statements if item in chosen), *inner)


def _inner(file: SourceFile, function: str, statement: Statement) -> Iterator[Statement]:
    if isinstance(statement.node, FunctionNode):
        yield from backward_slice(file, f"{function}.{statement.node.name}")


def _gives(statement: Statement) -> bool:
    return any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) for node in walk(statement.node))


def _read(statement: Statement) -> Iterator[str]:
    for node in walk(statement.node):
        if isinstance(node, ast.Name):
            yield node.id


def _written(statement: Statement) -> set[str]:
    node = statement.node
    if isinstance(node, FunctionNode):
        return {node.name}
    return {_root(target) for target in (*targets(node), *changed_in_place(node))}


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _governs(header: Statement, chosen: set[Statement]) -> bool:
    """Whether a compound statement decides if or how often a chosen one runs."""
    node = header.node
    if not is_compound(node) or isinstance(node, FunctionNode | ast.ClassDef | ast.match_case):
        return False
    end = node.end_lineno or node.lineno
    return any(node.lineno <= item.line <= end and item is not header for item in chosen)
