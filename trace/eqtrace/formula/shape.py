"""Sizes, worked out from the shapes of captured values and held against the declared ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral
from typing import TypeGuard

from eqtrace.formula.form import Shape
from eqtrace.formula.parse import parse_term
from eqtrace.formula.term import Add, Call, Div, Indexed, Mul, Name, Neg, Node, Number, Pow, Term, walk
from eqtrace.model.symbol import Symbol

LIMIT_SIZE = 10**9


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An axis that is not as long as declared; `axis` is None where the number of axes itself is wrong."""

    symbol: str
    axis: int | None
    found: int
    expected: str

    def __str__(self) -> str:
        if self.axis is None:
            return f"{self.symbol} has {self.found} axes, declared are {self.expected}"
        return f"axis {self.axis} of {self.symbol} has length {self.found}, declared is {self.expected}"


@dataclass(frozen=True, slots=True)
class Sizes:
    """What was worked out: a size for each name, the axes that stand for `...`, and everything that does not fit."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    batch: tuple[int, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()


def declared(symbols: Mapping[str, Symbol]) -> dict[str, Shape | None]:
    """The declared shapes of symbols; None where there is none or it cannot be read."""
    shapes: dict[str, Shape | None] = {}
    for name, symbol in symbols.items():
        shapes[name] = None
        if symbol.shape is not None:
            batch = bool(symbol.shape) and symbol.shape[0].value.strip() == "..."
            dims = [parse_term(text.value)[0] for text in symbol.shape[batch:]]
            if None not in dims:
                shapes[name] = Shape(batch, tuple(dim for dim in dims if dim is not None))
    return shapes


def solve(
    symbols: Mapping[str, Symbol] | Mapping[str, Shape | None],
    values: Mapping[str, object],
    known: Mapping[str, int] | None = None,
) -> Sizes:
    """Work out every size from the values' shapes.

    Names are taken from axes that they are alone on, and from integer values of symbols of their name; expressions are
    then solved for their one unknown name, or checked.
    """
    shapes: dict[str, Shape | None] = {}
    for name, entry in symbols.items():
        shapes |= declared({name: entry}) if isinstance(entry, Symbol) else {name: entry}
    solver = _Solving(dict(known or {}))
    for name, value in values.items():
        shape = shapes.get(name)
        if shape is not None:
            solver.add(name, shape, shape_of(value))
    solver.add_values(values)
    return solver.solved()


class Solver:
    """Works out the sizes of many values of the same symbols; what it found for the same shapes before is kept."""

    def __init__(self, shapes: Mapping[str, Shape | None]) -> None:
        self._shapes = shapes
        self._found: dict[tuple[object, ...], Sizes] = {}

    def solve(self, values: Mapping[str, object]) -> Sizes:
        """As the function `solve`."""
        key = tuple(
            (name, int(value) if _may_be_size(value) else None, shape_of(value)) for name, value in values.items()
        )
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = solve(self._shapes, values)
        return found


def shape_of(value: object) -> tuple[int, ...]:
    """The shape of a value: `()` of a scalar, and lists and tuples of numbers count as arrays."""
    if isinstance(value, list | tuple | range):
        return (len(value), *(shape_of(value[0]) if value else ()))
    shape = getattr(value, "shape", ())
    return tuple(int(length) for length in shape) if isinstance(shape, tuple) else ()


def _may_be_size(value: object) -> TypeGuard[Integral]:
    return isinstance(value, Integral) and not isinstance(value, bool)  # NumPy's integers are some too


class _Solving:
    def __init__(self, sizes: dict[str, int]) -> None:
        self.sizes = sizes
        self.mismatches: list[Mismatch] = []
        self.axes: list[tuple[str, int, Term, int]] = []  # symbol, axis, declared, found
        self.batches: list[tuple[str, tuple[int, ...]]] = []

    def add(self, name: str, shape: Shape, found: tuple[int, ...]) -> None:
        """One value's shape."""
        count = len(shape.dims)
        if len(found) < count or (len(found) > count and not shape.batch):
            expected = f"{'... and ' if shape.batch else ''}{count} ({', '.join(map(written, shape.dims))})"
            self.mismatches.append(Mismatch(name, None, len(found), expected if count else "none"))
            return
        lead = len(found) - count
        if shape.batch:
            self.batches.append((name, found[:lead]))
        # How long an axis `n[k]` of a family is depends on the member; it is padded.
        self.axes += [
            (name, lead + axis, dim, found[lead + axis])
            for axis, dim in enumerate(shape.dims)
            if not isinstance(dim, Indexed)
        ]

    def add_values(self, values: Mapping[str, object]) -> None:
        """Integer values whose names are sizes."""
        names = {node.name for _, _, dim, _ in self.axes for node in walk(dim) if isinstance(node, Name)}
        for name in names - set(self.sizes):
            value = values.get(name)
            if _may_be_size(value):
                self.sizes[name] = int(value)

    def solved(self) -> Sizes:
        """Names first, then expressions with one unknown, then everything is checked."""
        for _, _, dim, found in self.axes:
            if isinstance(dim, Name):
                self.sizes.setdefault(dim.name, found)
        while self._solve_one():
            pass
        for name, axis, dim, found in self.axes:
            expected, text = integer(dim, self.sizes), written(dim)
            if expected is None and not self._fits(dim, found):
                self.mismatches.append(Mismatch(name, axis, found, text))
            elif expected is not None and expected != found:
                shown = text if text == str(expected) else f"{text} = {expected}"
                self.mismatches.append(Mismatch(name, axis, found, shown))
        return Sizes(self.sizes, self._batch(), tuple(self.mismatches))

    def _solve_one(self) -> bool:
        for _, _, dim, found in self.axes:
            unknown = unknown_sizes(dim, self.sizes)
            fits = self._guesses(dim, found, unknown[0]) if len(unknown) == 1 else []
            if len(fits) == 1:
                self.sizes[unknown[0]] = fits[0]
                return True
        return False

    def _guesses(self, dim: Term, found: int, name: str) -> list[int]:
        return [guess for guess in range(found + 2) if integer(dim, {**self.sizes, name: guess}) == found]

    def _fits(self, dim: Term, found: int) -> bool:
        """Whether an expression that is not worked out can still be as long as found."""
        unknown = unknown_sizes(dim, self.sizes)
        return len(unknown) > 1 or (len(unknown) == 1 and bool(self._guesses(dim, found, unknown[0])))

    def _batch(self) -> tuple[int, ...]:
        if not self.batches:
            return ()
        import numpy as np  # takes its time, and nothing else here needs it

        batch: tuple[int, ...] = ()
        for name, found in self.batches:
            try:
                batch = np.broadcast_shapes(batch, found)
            except ValueError:
                self.mismatches.append(Mismatch(name, 0, found[0], f"one that broadcasts with {batch}"))
        return batch


def integer(term: Node, sizes: Mapping[str, int]) -> int | None:
    """The value of a small integer expression; None where a name is unknown or the value is no integer."""
    value = rational(term, sizes)
    return int(value) if value is not None and value.denominator == 1 else None


def rational(term: Node, sizes: Mapping[str, float]) -> Fraction | None:
    """The value of a small rational expression; None where a name is unknown or a word has no rational value."""
    if isinstance(term, Number):
        return term.value
    if isinstance(term, Name):
        return Fraction(sizes[term.name]) if term.name in sizes else None
    if isinstance(term, Neg):
        value = rational(term.operand, sizes)
        return None if value is None else -value
    if isinstance(term, Call):
        return _called(term.function, [rational(argument, sizes) for argument in term.args])
    if not isinstance(term, Add | Mul | Div | Pow):
        return None
    first, second = (term.base, term.exponent) if isinstance(term, Pow) else (term.left, term.right)
    left, right = rational(first, sizes), rational(second, sizes)
    if left is None or right is None or max(abs(left), abs(right)) > LIMIT_SIZE:
        return None
    if isinstance(term, Add):
        return left + right
    if isinstance(term, Mul):
        return left * right
    if isinstance(term, Div):
        return left / right if right else None
    return Fraction(left ** int(right)) if right.denominator == 1 and 0 <= right <= 64 else None


def _called(function: str, arguments: Iterable[Fraction | None]) -> Fraction | None:
    values = [value for value in arguments if value is not None]
    match function, values:
        case "floor", [value]:
            return Fraction(math.floor(value))
        case "ceiling", [value]:
            return Fraction(math.ceil(value))
        case "Abs", [value]:
            return abs(value)
        case "Mod", [value, modulus] if modulus:
            return value % modulus
        case "Max", [_, *_]:
            return max(values)
        case "Min", [_, *_]:
            return min(values)
    return None


def unknown_sizes(term: Node, sizes: Mapping[str, int]) -> tuple[str, ...]:
    """The names of an expression that are not known yet."""
    return tuple(sorted({node.name for node in walk(term) if isinstance(node, Name)} - set(sizes)))


def written(term: Node) -> str:
    """A dimension as people write it."""
    match term:
        case Number(value=value):
            return str(value)
        case Name(name=name):
            return name
        case Indexed(base=base, subscripts=subscripts):
            return f"{base}[{', '.join(map(written, subscripts))}]"
        case Add(left=left, right=Neg(operand=right)):
            return f"{written(left)} - {_bracketed(right)}"
        case Add(left=left, right=right):
            return f"{written(left)} + {written(right)}"
        case Mul(left=left, right=right):
            return f"{_bracketed(left)}*{_bracketed(right)}"
        case Div(left=left, right=right):
            return f"{_bracketed(left)}/{_bracketed(right)}"
        case Pow(base=base, exponent=exponent):
            return f"{_bracketed(base)}**{_bracketed(exponent)}"
        case Neg(operand=operand):
            return f"-{_bracketed(operand)}"
        case Call(function=function, args=args):
            return f"{function}({', '.join(map(written, args))})"
    return "?"


def _bracketed(term: Node) -> str:
    return f"({written(term)})" if isinstance(term, Add | Neg) else written(term)
