"""Normal form of an expression: what only order, or the place of a minus, tells apart gets the same text.

Two expressions of one normal form are the same formula, of the same shape: nothing is cancelled, multiplied out,
collected or dropped. Terms and factors are reordered where all are known to be floats or integers, two of them also
where they are numbers of other types (masks add up to a mask, strings and lists join). Where a part could change
something while it is worked out, everything around it stays in its order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from eqtrace.code.mutation.kinds import Kinds
from eqtrace.code.mutation.library import CHOOSING

_SYMMETRIC = CHOOSING | {"logical_and", "logical_or", "array_equal", "hypot"}
_EVEN = frozenset({"abs", "absolute", "fabs", "square", "cos", "cosh"})  # a minus within makes no difference
_MIRRORED = {ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_ZEROS = frozenset({"zeros", "zeros_like"})

_Signed = tuple[int, str]  # 1 or -1, and what it stands before


class Normal:
    """Normal forms of the expressions in one function."""

    def __init__(self, kinds: Kinds) -> None:
        self._kinds = kinds

    def text(self, node: ast.expr) -> str:
        """An expression's normal form."""
        sign, text = self._signed(node)
        return text if sign > 0 else f"-{text}"

    def _signed(self, node: ast.expr) -> _Signed:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=operand) if self._kinds.real(operand):
                sign, text = self._signed(operand)
                return (1 if self._is_zero(operand) else -sign), text
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                return self._sum(node)
            case ast.BinOp(op=ast.Mult() | ast.Div()):
                return self._product(node)
            case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() as power)) if self._kinds.real(base):
                sign, text = self._signed(base)
                return sign if power % 2 else 1, f"{text}**{power!r}"
            case ast.Call(func=function, args=[argument], keywords=[]) if self._even(function, argument):
                return 1, f"{self._parts(function)}({self._signed(argument)[1]})"
            case ast.Call(func=function, args=[argument], keywords=[]) if self._kinds.builtin(
                function
            ) == "int" and self._kinds.integer(argument):
                return self._signed(argument)
        return 1, self._atom(node)

    def _is_zero(self, node: ast.expr) -> bool:
        """Whether an expression is an array of zeros, to which a minus does nothing."""
        return isinstance(node, ast.Call) and self._kinds.known(node.func) in _ZEROS

    def _even(self, function: ast.expr, argument: ast.expr) -> bool:
        name = self._kinds.known(function) or self._kinds.builtin(function)
        return name in _EVEN and self._kinds.real(argument)

    # --- sums and products -------------------------------------------------------------------------------------------

    def _sum(self, node: ast.BinOp) -> _Signed:
        terms = [*_terms(node, 1)]
        if all(self._kinds.real(each) for _, each in terms) and self._kinds.pure(node):
            parts = []
            for outer, each in terms:
                sign, text = self._signed(each)
                parts.append((text, outer * sign))
            parts.sort()
            first = parts[0][1]
            return first, f"({' '.join(f'{_SIGNS[first * sign]}{text}' for text, sign in parts)})"
        if isinstance(node.op, ast.Add) and self._commutes(node):
            return 1, f"({' +'.join(sorted((self.text(node.left), self.text(node.right))))})"
        return 1, self._atom(node)

    def _product(self, node: ast.BinOp) -> _Signed:
        factors = [*_factors(node, 1)]
        if all(self._kinds.real(each) for _, each in factors) and self._kinds.pure(node):
            sign, parts = 1, []
            for power, each in factors:
                own, text = self._signed(each)
                sign *= own
                parts.append((power < 0, text))
            return sign, f"({' '.join(f'{_OPERATORS[below]}{text}' for below, text in sorted(parts))})"
        if isinstance(node.op, ast.Mult) and self._commutes(node):
            return 1, f"({' *'.join(sorted((self.text(node.left), self.text(node.right))))})"
        return 1, self._atom(node)

    def _commutes(self, node: ast.BinOp) -> bool:
        return self._kinds.number(node.left) and self._kinds.number(node.right) and self._kinds.pure(node)

    # --- all else ----------------------------------------------------------------------------------------------------

    def _atom(self, node: ast.expr) -> str:
        match node:
            case ast.Call(func=function, args=[one, other], keywords=[]) if self._symmetric(node, one, other):
                return f"{self._parts(function)}({', '.join(sorted((self.text(one), self.text(other))))})"
            case ast.Compare(left=left, ops=[op], comparators=[right]) if self._comparable(node, left, right):
                sides = [self.text(left), self.text(right)]
                if isinstance(op, ast.Eq | ast.NotEq):
                    return f"({f' {type(op).__name__} '.join(sorted(sides))})"
                mirrored = _MIRRORED.get(type(op))
                if mirrored is not None:
                    return f"({sides[1]} {mirrored.__name__} {sides[0]})"
                return f"({sides[0]} {type(op).__name__} {sides[1]})"
        return self._parts(node)

    def _symmetric(self, node: ast.Call, one: ast.expr, other: ast.expr) -> bool:
        if any(isinstance(each, ast.Starred) for each in (one, other)) or not self._kinds.pure(node):
            return False
        if self._kinds.builtin(node.func) in ("min", "max"):  # of floats one may be NaN, and the first counts
            return self._kinds.of(one).word == self._kinds.of(other).word == "int"
        return self._kinds.known(node.func) in _SYMMETRIC

    def _comparable(self, node: ast.Compare, left: ast.expr, right: ast.expr) -> bool:
        return self._kinds.number(left) and self._kinds.number(right) and self._kinds.pure(node)

    def _parts(self, node: ast.AST) -> str:
        """A node written out, the expressions in it in normal form."""
        match node:
            case ast.Name(id=name):
                return name
            case ast.Constant(value=value):
                return repr(value)
            case ast.Attribute(value=value, attr=name):
                return f"{self.text(value)}.{name}"
        shown = []
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                shown.append(f"{name}=[{', '.join(map(self._part, value))}]")
            elif not isinstance(value, ast.expr_context):
                shown.append(f"{name}={self._part(value)}")
        return f"{type(node).__name__}({', '.join(shown)})"

    def _part(self, value: object) -> str:
        if isinstance(value, ast.expr):
            return self.text(value)
        return self._parts(value) if isinstance(value, ast.AST) else repr(value)


_SIGNS = {1: "+", -1: "-"}
_OPERATORS = {False: "*", True: "/"}


def _terms(node: ast.expr, sign: int) -> Iterator[tuple[int, ast.expr]]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield from _terms(node.left, sign)
        yield from _terms(node.right, sign if isinstance(node.op, ast.Add) else -sign)
    else:
        yield sign, node


def _factors(node: ast.expr, power: int) -> Iterator[tuple[int, ast.expr]]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        yield from _factors(node.left, power)
        yield from _factors(node.right, power if isinstance(node.op, ast.Mult) else -power)
    else:
        yield power, node
