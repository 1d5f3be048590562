"""What a lifted form needs to be defined, as a documented formula does: without clamps, and without what is plain."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

_TINY = 1e-6


class _Unclamped(ast.NodeTransformer):
    """`Max(1e-15, e)` as `e`."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "Max" and len(node.args) == 2:
            for tiny, other in (node.args, node.args[::-1]):
                if isinstance(tiny, ast.Constant) and isinstance(tiny.value, float) and 0 < tiny.value <= _TINY:
                    return other
        return node


def needed(where: Iterable[str], positive: Collection[str]) -> tuple[str, ...]:
    """The conditions that remain: those that are no consequence of what is positive anyway."""
    found = []
    for text in where:
        node = _Unclamped().visit(ast.parse(text, mode="eval").body)
        if not _holds(node, positive):
            found.append(ast.unparse(node))
    return tuple(dict.fromkeys(found))


def _holds(node: ast.expr, positive: Collection[str]) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="Ne"), args=[term, ast.Constant(value=0)]):
            return _sign(term, positive) > 0
        case ast.Compare(left=term, ops=[ast.Gt()], comparators=[ast.Constant(value=0)]):
            return _sign(term, positive) > 0
        case ast.Compare(left=term, ops=[ast.GtE()], comparators=[ast.Constant(value=0)]):
            return _sign(term, positive) >= 0
    return False


def _sign(node: ast.expr, positive: Collection[str]) -> int:
    """1 where a term is above 0, 0 where it is not below, -1 where nothing tells."""

    def of(each: ast.expr) -> int:
        return _sign(each, positive)

    match node:
        case ast.Constant(value=int() | float() as value):
            return 1 if value > 0 else 0 if value == 0 else -1
        case ast.Name(id=name):
            return 1 if name == "pi" or name in positive else -1
        case ast.Call(func=ast.Name(id="exp")):
            return 1
        case ast.Call(func=ast.Name(id="Abs"), args=[term]):
            return max(of(term), 0)
        case ast.Call(func=ast.Name(id="sqrt" | "gamma"), args=[term]):
            return of(term)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return max(of(left), of(right)) if min(of(left), of(right)) >= 0 else -1
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            if ast.dump(left) == ast.dump(right):
                return max(of(left), 0)
            return min(of(left), of(right))
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return of(left) if of(right) > 0 else -1
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)) if power % 2 == 0:
            return max(of(left), 0) if power > 0 else of(left)
        case ast.BinOp(left=left, op=ast.Pow()):
            return of(left) if of(left) > 0 else -1
    return -1
