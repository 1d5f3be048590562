"""Dual numbers over balls: a value, and how it changes along each of several directions at once.

User code runs on them as it runs on balls: unmodified, in NumPy's object arrays, and just as strictly. Comparisons
decide on values. Where a value alone does not decide (a tie, a ReLU at exactly 0), or decides though another value
lies arbitrarily near, the derivative depends on the side that one comes from: a `Kink` is raised, or, within
`beside(+1)` or `beside(-1)`, the point an infinitesimal step along (against) all tangents together decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
from flint import arb

from eqtrace.formula import arbs
from eqtrace.formula.ball import Ball, Number, Undecided, as_arb, ball_of, operand
from eqtrace.run.exact.derivatives import DERIVATIVES

Tangent = dict[int, arb]  # by direction; a direction that is not there is 0. Never changed in place
NONE: Tangent = {}


class Kink(Undecided):
    """A decision that a step in some direction would change: there is no derivative here, or the code has a case."""


class _Side:
    """To which side of a kink decisions are taken; 0: they raise."""

    now = 0


@contextmanager
def beside(side: int) -> Iterator[None]:
    """Decide kinks as at the point an infinitesimal step along (1) or against (-1) the tangents."""
    before, _Side.now = _Side.now, side
    try:
        yield
    finally:
        _Side.now = before


def _parts(value: object) -> tuple[arb, Tangent] | None:
    if type(value) is Dual:
        return value.arb, value.tangent
    number = operand(value)
    return None if number is None else (number, NONE)


def _scaled(tangent: Tangent, factor: arb) -> Tangent:
    return {direction: factor * change for direction, change in tangent.items()} if tangent else tangent


def _sum(left: Tangent, right: Tangent) -> Tangent:
    if not right:
        return left
    if not left:
        return right
    total = left.copy()
    for direction, change in right.items():
        total[direction] = total[direction] + change if direction in total else change
    return total


def _negated(tangent: Tangent) -> Tangent:
    return {direction: -change for direction, change in tangent.items()} if tangent else tangent


def _along(tangent: Tangent) -> int | None:
    """The sign of a step along all directions together; None where it is not decided."""
    return arbs.order(sum(tangent.values(), arb(0)), arb(0))


def _order(left: tuple[arb, Tangent], right: tuple[arb, Tangent]) -> int:
    """-1, 0 or 1 as the left is below, equal to or above the right.

    Raises:
        Kink: the values are equal or too close to tell, and the tangents are not.
        Undecided: the same without tangents.
    """
    order = arbs.order(left[0], right[0])
    if order:
        return order
    if left[1] is right[1] and order == 0:
        return 0
    change = _sum(left[1], _negated(right[1]))
    if all(each.is_zero() for each in change.values()):
        if order is None:
            raise Undecided(f"{ball_of(left[0])} against {ball_of(right[0])}")
        return 0
    step = _along(change) if _Side.now else None
    if not step or left[0].is_nan() or right[0].is_nan():
        raise Kink(f"{ball_of(left[0])} against {ball_of(right[0])}")
    return step * _Side.now


def _ordered(holds: Callable[[int], bool]) -> Callable[[Dual, object], Any]:
    def compare(self: Dual, other: object) -> Any:
        parts = _parts(other)
        return NotImplemented if parts is None else holds(_order((self.arb, self.tangent), parts))

    return compare


def _swapped(function: Callable[[Dual, Dual], Any]) -> Callable[[Dual, object], Any]:
    def operate(self: Dual, other: object) -> Any:
        parts = _parts(other)
        return NotImplemented if parts is None else function(dual(*parts), self)

    return operate


def _applied(name: str) -> Callable[[Dual], Dual]:
    return lambda self: self.function(name)


class Dual(Number):
    """A ball and its tangents; immutable."""

    __slots__ = ("tangent",)
    tangent: Tangent

    def __init__(self, value: object, tangent: Mapping[int, object] | None = None) -> None:
        number = as_arb(value)
        changes = {direction: as_arb(change) for direction, change in (tangent or {}).items()}
        if number is None or None in changes.values():
            raise TypeError(f"{type(value).__name__} is no real number")
        _set_arb(self, number)
        _set_tangent(self, changes)

    def __reduce__(self) -> tuple[Any, ...]:
        return Dual, (Ball(self.arb), {direction: Ball(change) for direction, change in self.tangent.items()})

    def __repr__(self) -> str:
        changes = "".join(f", {direction}: {change.str(5)}" for direction, change in self.tangent.items())
        return f"Dual({Ball(self.arb)!r}{changes})"

    @property
    def ball(self) -> Ball:
        """Its value alone."""
        return ball_of(self.arb)

    # Arithmetic

    def __add__(self, other: object) -> Any:
        if type(other) is Dual:
            return dual(self.arb + other.arb, _sum(self.tangent, other.tangent))
        number = operand(other)
        return NotImplemented if number is None else dual(self.arb + number, self.tangent)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        if type(other) is Dual:
            return dual(self.arb - other.arb, _sum(self.tangent, _negated(other.tangent)))
        number = operand(other)
        return NotImplemented if number is None else dual(self.arb - number, self.tangent)

    def __rsub__(self, other: object) -> Any:
        number = operand(other)
        return NotImplemented if number is None else dual(number - self.arb, _negated(self.tangent))

    def __mul__(self, other: object) -> Any:
        if type(other) is Dual:
            left, right = self.arb, other.arb
            return dual(left * right, _sum(_scaled(self.tangent, right), _scaled(other.tangent, left)))
        number = operand(other)
        return NotImplemented if number is None else dual(self.arb * number, _scaled(self.tangent, number))

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        parts = _parts(other)
        if parts is None:
            return NotImplemented
        number, tangent = parts
        quotient = arbs.divide(self.arb, number)
        if not tangent:
            return dual(quotient, _scaled(self.tangent, 1 / number) if self.tangent else NONE)
        inverse = 1 / number
        return dual(quotient, _sum(_scaled(self.tangent, inverse), _scaled(tangent, -quotient * inverse)))

    __rtruediv__ = _swapped(lambda left, right: left / right)

    def __floordiv__(self, other: object) -> Any:
        quotient = self / other
        return quotient if quotient is NotImplemented else quotient.floor()

    __rfloordiv__ = _swapped(lambda left, right: left // right)

    def __mod__(self, other: object) -> Any:
        whole = self // other
        return whole if whole is NotImplemented else self - whole * other

    __rmod__ = _swapped(lambda left, right: left % right)

    def __pow__(self, other: object, modulo: object = None) -> Any:
        if isinstance(other, int | np.integer) and not isinstance(other, bool):
            return _power(self, int(other))
        parts = _parts(other)
        if parts is None:
            return NotImplemented
        return _power(self, parts[0]) if not parts[1] else _exponential(self, *parts)

    def __rpow__(self, other: object, modulo: object = None) -> Any:
        number = operand(other)
        return NotImplemented if number is None else _exponential(dual(number, NONE), self.arb, self.tangent)

    def __neg__(self) -> Dual:
        return dual(-self.arb, _negated(self.tangent))

    def __abs__(self) -> Dual:
        return self if _order((self.arb, self.tangent), _ZERO) >= 0 else -self

    fabs = absolute = __abs__

    def __floor__(self) -> Dual:
        found = arbs.floor(self.arb)
        if found is None:
            raise Undecided(f"floor of {self.ball}")
        if self.is_integer() and any(not change.is_zero() for change in self.tangent.values()):
            step = _along(self.tangent) if _Side.now else None
            if not step:
                raise Kink(f"floor of {self.ball}")
            found -= step * _Side.now < 0
        return dual(arb(found), NONE)

    floor = __floor__

    def __ceil__(self) -> Dual:
        return -((-self).floor())

    ceil = __ceil__

    def __trunc__(self) -> Dual:
        return self.floor() if self >= 0 else self.ceil()

    trunc = __trunc__

    def rint(self) -> Dual:
        """The nearest integer, ties to even."""
        low = (self + _HALF).floor()
        tie = self == low - _HALF and int(low.arb.fmpz()) % 2 == 1
        return low - 1 if tie else low  # type: ignore[no-any-return]

    # Comparisons

    __lt__ = _ordered(lambda order: order < 0)
    __le__ = _ordered(lambda order: order <= 0)
    __gt__ = _ordered(lambda order: order > 0)
    __ge__ = _ordered(lambda order: order >= 0)
    __eq__ = _ordered(lambda order: order == 0)
    __ne__ = _ordered(lambda order: order != 0)

    # What NumPy's loops over objects call

    def function(self, name: str) -> Dual:
        """An elementary function of the forms' vocabulary."""
        value = arbs.FUNCTIONS[name](self.arb)
        if not self.tangent:
            return dual(value, NONE)
        if name == "Abs":
            return abs(self)
        return dual(value, _scaled(self.tangent, DERIVATIVES[name](self.arb, value)))

    def square(self) -> Dual:
        """Its square."""
        return self * self  # type: ignore[no-any-return]

    def reciprocal(self) -> Dual:
        """One by it."""
        return 1 / self  # type: ignore[no-any-return]

    def exp2(self) -> Dual:
        """Two to it."""
        return 2**self  # type: ignore[no-any-return]

    def arctan2(self, other: object) -> Any:
        """The angle of the point (other, self)."""
        parts = _parts(other)
        return NotImplemented if parts is None else _angle(self, dual(*parts))

    def hypot(self, other: object) -> Any:
        """The root of the sum of squares."""
        return (self * self + cast(Any, other) * other).sqrt()

    def degrees(self) -> Dual:
        """Radians in degrees."""
        return self * 180 / Ball(arb.pi())  # type: ignore[no-any-return]

    def radians(self) -> Dual:
        """Degrees in radians."""
        return self * Ball(arb.pi()) / 180  # type: ignore[no-any-return]

    rad2deg, deg2rad = degrees, radians
    exp, expm1, log, log1p = _applied("exp"), _applied("expm1"), _applied("log"), _applied("log1p")
    log2, log10, sqrt, cbrt = _applied("log2"), _applied("log10"), _applied("sqrt"), _applied("cbrt")
    sin, cos, tan = _applied("sin"), _applied("cos"), _applied("tan")
    sinh, cosh, tanh = _applied("sinh"), _applied("cosh"), _applied("tanh")
    arcsin, arccos, arctan = _applied("asin"), _applied("acos"), _applied("atan")
    arcsinh, arccosh, arctanh = _applied("asinh"), _applied("acosh"), _applied("atanh")


_HALF = Ball(0.5)
_ZERO: tuple[arb, Tangent] = (arb(0), NONE)
_set_arb = vars(Number)["arb"].__set__
_set_tangent = vars(Dual)["tangent"].__set__
_new = object.__new__


def dual(value: arb, tangent: Tangent) -> Dual:
    """A dual number of raw parts, without asking what they are."""
    made = _new(Dual)
    _set_arb(made, value)
    _set_tangent(made, tangent)
    return made


def _power(base: Dual, exponent: arb | int) -> Dual:
    """A power with an exponent that does not change."""
    value = arbs.power(base.arb, exponent)
    if not base.tangent or exponent == 0:
        return dual(value, NONE)
    return dual(value, _scaled(base.tangent, exponent * arbs.power(base.arb, exponent - 1)))


def _exponential(base: Dual, exponent: arb, tangent: Tangent) -> Dual:
    """A power with an exponent that changes."""
    fixed = _power(base, exponent)
    return dual(fixed.arb, _sum(fixed.tangent, _scaled(tangent, fixed.arb * arbs.log(base.arb))))


def _angle(y: Dual, x: Dual) -> Dual:
    size = x.arb * x.arb + y.arb * y.arb
    value = arbs.atan2(y.arb, x.arb)
    return dual(value, _sum(_scaled(y.tangent, x.arb / size), _scaled(x.tangent, -y.arb / size)))
