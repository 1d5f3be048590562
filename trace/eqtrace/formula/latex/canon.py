"""A cheap normal form: two nodes of the same key say the same at all sizes, by the laws of rings and by renaming.

Sums are expanded and sorted, constants leave a Sum, exp of a sum is a product, bound names are numbered. Everything
else is an atom of its parts' keys. It proves equality, never a difference.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from eqtrace.formula.form import Range
from eqtrace.formula.term import (
    Add,
    And,
    Apply,
    Branch,
    Call,
    Compare,
    Div,
    Eq,
    Mul,
    Name,
    Neg,
    Node,
    Number,
    Or,
    Pow,
    Reduction,
    Sum,
    Truth,
    children,
)

LIMIT_TERMS = 200

Key = Hashable
Factors = tuple[tuple[Any, Any], ...]  # (atom, exponent), sorted by text
Exact = int | Fraction  # an int wherever it is one: much of the time goes into hashing
Poly = dict[Factors, Exact]


class TooLarge(Exception):
    """A normal form that is too large to be compared cheaply."""


class Canon:
    """Keys of nodes; an index without a range of its own has that of `indices`."""

    def __init__(self, indices: Mapping[str, Range]) -> None:
        self._indices = indices

    def key(self, node: Node, bound: Mapping[str, Any] | None = None) -> Key:
        """The key of a term or a condition.

        Raises:
            TooLarge: it has too many terms.
        """
        return self._key(node, bound or {})

    def _key(self, node: Node, bound: Mapping[str, Any]) -> Key:
        match node:
            case Name(name=name):
                return _key_of(_atom(bound.get(name, ("name", name))))
            case Compare(operator=operator, left=left, right=right):
                one, other = self._key(left, bound), self._key(right, bound)
                if operator in (">", ">="):
                    operator, one, other = {">": "<", ">=": "<="}[operator], other, one
                return ("compare", operator, one, other)
            case Eq(sides=sides):
                return ("eq", *sorted((self._key(side, bound) for side in sides), key=repr))
            case And(parts=parts) | Or(parts=parts):
                keys = {self._key(part, bound) for part in parts}
                return (type(node).__name__, *sorted(keys, key=repr))
            case Truth(value=value):
                return ("truth", value)
            case Branch():
                return (self._key(node.value, bound), self._key(node.condition, bound))
        if _is_polynomial(node):
            return _key_of(self._poly(node, bound))
        return self._opaque(node, bound)

    def _opaque(self, node: Node, bound: Mapping[str, Any]) -> Key:
        if isinstance(node, Reduction):
            first, stop = self._range(node, bound)
            inner = {**bound, node.index: ("bound", len(bound))}
            return (type(node).__name__, first, stop, self._key(node.body, inner))
        if isinstance(node, Call) and node.function in ("Max", "Min", "KroneckerDelta"):
            return ("Call", node.function, *sorted((self._key(each, bound) for each in node.args), key=repr))
        fields = tuple(
            getattr(node, name)
            for name in node.__dataclass_fields__
            if name not in ("offset", "length") and isinstance(getattr(node, name), str | int)
        )
        if isinstance(node, Apply):
            fields = (*fields, len(node.args))
        return (type(node).__name__, *fields, *(self._key(child, bound) for child in children(node)))

    def _range(self, node: Reduction, bound: Mapping[str, Any]) -> tuple[Key, Key]:
        own = self._indices.get(node.index)
        start = node.start if node.start is not None else own.start if own else Name("?")
        stop = node.stop if node.stop is not None else own.stop if own else Name(f"?{node.index}")
        return self._key(start, bound), self._key(stop, bound)

    def _poly(self, node: Node, bound: Mapping[str, Any]) -> Poly:
        match node:
            case Number(value=value):
                return {(): _exact(value)} if value else {}
            case Add(left=left, right=right):
                return _plus(self._poly(left, bound), self._poly(right, bound))
            case Neg(operand=operand):
                return {factors: -value for factors, value in self._poly(operand, bound).items()}
            case Mul(left=left, right=right):
                return _times(self._poly(left, bound), self._poly(right, bound))
            case Div(left=left, right=right):
                return _times(self._poly(left, bound), _power(self._poly(right, bound), Fraction(-1)))
            case Pow(base=base, exponent=exponent):
                power = self._poly(exponent, bound)
                if not power.keys() - {()}:
                    return _power(self._poly(base, bound), Fraction(power.get((), 0)))
                return _atom(("Pow", _key_of(self._poly(base, bound)), _key_of(power)))
            case Call(function="sqrt", args=(operand,)):
                return _power(self._poly(operand, bound), Fraction(1, 2))
            case Call(function="exp", args=(operand,)):
                found: Poly = {(): 1}
                for factors, times in self._poly(operand, bound).items():
                    found = _times(found, {((("exp", factors), times),): 1})
                return found
            case Sum():
                return self._sum(node, bound)
            case Name(name=name):
                return _atom(bound.get(name, ("name", name)))
        return _atom(self._opaque(node, bound))

    def _sum(self, node: Sum, bound: Mapping[str, Any]) -> Poly:
        own = ("bound", len(bound))
        start, stop = self._range(node, bound)
        found: Poly = {}
        for factors, value in self._poly(node.body, {**bound, node.index: own}).items():
            mark = repr(own)
            inside = tuple(each for each in factors if mark in repr(each))
            outside = tuple(each for each in factors if mark not in repr(each))
            atom = _atom(("Sum", start, stop, inside))
            found = _plus(found, _times({outside: value}, atom))
        return found


_POLYNOMIAL = (Number, Add, Neg, Mul, Div, Pow, Sum)


def _is_polynomial(node: Node) -> bool:
    return isinstance(node, _POLYNOMIAL) or (isinstance(node, Call) and node.function in ("sqrt", "exp"))


def _exact(value: Exact) -> Exact:
    return int(value) if value.denominator == 1 else value


def _atom(key: Key) -> Poly:
    # a polynomial of one atom is that atom, so that names and sums have one key
    return {((key, 1),): 1}


def _key_of(poly: Poly) -> Key:
    return ("poly", *_sorted(poly.items()))


Part = TypeVar("Part")


def _sorted(parts: Collection[Part]) -> Iterable[Part]:
    return sorted(parts, key=repr) if len(parts) > 1 else parts  # what is long takes long to write out


def _plus(one: Poly, other: Poly) -> Poly:
    found = dict(one)
    for factors, value in other.items():
        total = found.get(factors, 0) + value
        if total:
            found[factors] = _exact(total)
        else:
            found.pop(factors, None)
    if len(found) > LIMIT_TERMS:
        raise TooLarge
    return found


def _times(one: Poly, other: Poly) -> Poly:
    found: Poly = {}
    for first, value in one.items():
        for second, factor in other.items():
            found = _plus(found, {_joined(first, second): value * factor})
    return found


def _joined(first: Factors, second: Factors) -> Factors:
    powers: dict[Any, Exact] = dict(first)
    for atom, exponent in second:
        powers[atom] = _exact(powers.get(atom, 0) + exponent)
    return tuple(_sorted([(atom, power) for atom, power in powers.items() if power]))


def _power(base: Poly, exponent: Fraction) -> Poly:
    if exponent.denominator == 1 and 0 <= exponent <= 4:
        found: Poly = {(): 1}
        for _ in range(int(exponent)):
            found = _times(found, base)
        return found
    if len(base) == 1:
        ((factors, value),) = base.items()
        if exponent.denominator == 1:
            return {
                tuple((atom, _exact(power * exponent)) for atom, power in factors): _exact(
                    Fraction(value) ** int(exponent)
                )
            }
        if value == 1 and len(factors) == 1 and factors[0][1] == 1:
            return {((factors[0][0], _exact(exponent)),): 1}
    return {((("root", _key_of(base)), _exact(exponent)),): 1}
