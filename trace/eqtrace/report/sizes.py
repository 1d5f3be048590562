"""Dimensions as pages show them: symbolic, and with the sizes of the configuration put in."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cache

_DEEPEST = 20


def size(expression: str, sizes: Mapping[str, int | str]) -> int | None:
    """The value of a dimension such as `H*dh`; None where it holds a letter that has no size."""
    tree = _parsed(expression)
    return None if tree is None else _value(tree, sizes, _DEEPEST)


def shown(dimensions: Iterable[str], sizes: Mapping[str, int | str]) -> tuple[str, str]:
    """`(T, d)` and `(16, 32)`; letters without a size stay. A scalar's are `()`."""
    symbolic = list(dimensions)
    numbers = [text if (value := size(text, sizes)) is None else str(value) for text in symbolic]
    return _tuple(symbolic), _tuple(numbers)


def legend(expressions: Iterable[str], sizes: Mapping[str, int | str]) -> tuple[tuple[str, int], ...]:
    """The sizes that the expressions use, by name in the order of the configuration."""
    used = names(expressions)
    return tuple((name, value) for name in sizes if name in used and (value := size(name, sizes)) is not None)


def names(expressions: Iterable[str]) -> set[str]:
    """The letters that dimensions use."""
    return {name for expression in expressions for name in _names(expression)}


@cache
def _names(expression: str) -> frozenset[str]:
    tree = _parsed(expression)
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)) if tree else frozenset()


@cache
def _parsed(expression: str) -> ast.expr | None:
    try:
        return ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _tuple(parts: list[str]) -> str:
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def _value(node: ast.expr, sizes: Mapping[str, int | str], depth: int) -> int | None:
    if depth == 0:
        return None
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.Name):
        found = sizes.get(node.id)
        if isinstance(found, str):
            tree = _parsed(found)
            return None if tree is None else _value(tree, sizes, depth - 1)
        return found
    if isinstance(node, ast.BinOp):
        left, right = (_value(side, sizes, depth - 1) for side in (node.left, node.right))
        return None if left is None or right is None else _combined(node.op, left, right)
    return None


def _combined(operator: ast.operator, left: int, right: int) -> int | None:
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    if isinstance(operator, ast.FloorDiv | ast.Div) and right and left % right == 0:
        return left // right
    return None
