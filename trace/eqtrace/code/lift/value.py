"""Values while a function is read: their dimensions, and how an entry is written."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eqtrace.code.lift.reasons import NotLifted
from eqtrace.code.lift.terms import brief, negated, of_word


@dataclass(frozen=True, slots=True)
class Value:
    """Dimensions, and the entry at given indices; or what is no number, as it is written."""

    dims: tuple[str, ...]
    at: Callable[[tuple[str, ...]], ast.expr]
    fixed: ast.expr | None = None


def no_number(name: str, value: ast.expr) -> Value:
    """What is no number: a flag, a unit, None."""

    def at(indices: tuple[str, ...]) -> ast.expr:
        raise NotLifted(f"works with `{name}`, which is no number by default", value)

    return Value((), at, value)


def number_at(value: Value, place: int) -> Value:
    """One entry of an array of one axis."""
    return Value((), lambda _: value.at((str(place),)))


def negation(condition: Value) -> Value:
    """The condition that holds where this one does not."""

    def at(indices: tuple[str, ...]) -> ast.expr:
        parts = [ast.parse(each, mode="eval").body for each in negated(condition.at(indices))]
        return parts[0] if len(parts) == 1 else of_word("And", *parts)

    return Value(condition.dims, at)


def joined(parts: Sequence[Value], node: ast.AST) -> tuple[str, ...]:
    """The dimensions of what is put together of several values.

    Raises:
        NotLifted: arrays among them have different ones.
    """
    found = {each.dims for each in parts if each.dims}
    if len(found) > 1:
        raise NotLifted(f"joins arrays of different shapes: `{brief(node)}`", node)
    return found.pop() if found else ()


def over(parts: Sequence[Value], build: Callable[[list[ast.expr]], ast.expr], node: ast.AST) -> Value:
    """Something worked out entry by entry."""
    return Value(joined(parts, node), lambda at: build([each.at(at if each.dims else ()) for each in parts]))


def cases(condition: Value, yes: Value, no: Value, node: ast.AST) -> Value:
    """One value where a condition holds, and another where it does not."""
    dims = joined([condition, yes, no], node)

    def at(indices: tuple[str, ...]) -> ast.expr:
        pairs = [(yes, condition.at(indices[: len(condition.dims)])), (no, ast.Constant(True))]
        tuples = [ast.Tuple([value.at(indices if value.dims else ()), test]) for value, test in pairs]
        return of_word("Piecewise", *tuples)

    return Value(dims, at)


def reduced(name: str, value: Value, letter: Callable[[str], str], node: ast.AST) -> Value:
    """The sum or the mean of an array of one axis; `letter` gives an index over a size."""
    if len(value.dims) != 1:
        raise NotLifted("adds up an array whose shape nothing says: annotate it, or write `shapes`", node)
    index = letter(value.dims[0])
    total = of_word("Sum", value.at((index,)), ast.Name(index))
    size = value.dims[0]
    return Value((), lambda _: ast.BinOp(total, ast.Div(), ast.Name(size)) if name == "mean" else total)


def dot(left: Value, right: Value, letter: Callable[[str], str], node: ast.AST) -> Value:
    """The product of matrices and vectors."""
    if not left.dims or not right.dims or len(left.dims) > 2 or len(right.dims) > 2:
        raise NotLifted("multiplies matrices whose shapes nothing says: annotate them, or write `shapes`", node)
    before, after = left.dims[:-1], right.dims[1:]
    if left.dims[-1] != right.dims[0]:
        raise NotLifted(f"multiplies {list(left.dims)} by {list(right.dims)}", node)
    index = letter(right.dims[0])

    def at(indices: tuple[str, ...]) -> ast.expr:
        lead, tail = indices[: len(before)], indices[len(before) :]
        return of_word("Sum", ast.BinOp(left.at((*lead, index)), ast.Mult(), right.at((index, *tail))), ast.Name(index))

    return Value((*before, *after), at)
