"""Numbers that carry derivatives: exact rationals as long as may be, else balls, each with its partial derivatives.

A dual number belongs to one differentiation, its tag; what is differentiated twice holds duals of a lower tag within.
The rules here are forward-mode differentiation and share nothing with the normal form's, which they are held against.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from flint import arb, fmpq

from eqtrace.formula import arbs
from eqtrace.formula.failures import EvaluationError, Undecided

Num: TypeAlias = Any  # int, fmpq, arb or Dual
Place: TypeAlias = tuple[int, ...]


class Dual:
    """A value with its derivatives by the entries of one symbol; entries that are not there are 0."""

    __slots__ = ("gradient", "tag", "value")

    def __init__(self, tag: int, value: Num, gradient: Mapping[Place, Num]) -> None:
        self.tag = tag
        self.value = value
        self.gradient = gradient


def plain(number: Num) -> Num:
    """A number without its derivatives."""
    while isinstance(number, Dual):
        number = number.value
    return number


def ball(number: Num) -> arb:
    """A plain number as a ball."""
    return number if isinstance(number, arb) else arb(number)


def exact(value: Fraction) -> Num:
    """A rational as an exact number."""
    return value.numerator if value.denominator == 1 else fmpq(value.numerator, value.denominator)


def fraction(number: Num) -> Fraction:
    """An exact number as a rational."""
    return Fraction(int(number.p), int(number.q)) if isinstance(number, fmpq) else Fraction(number)


def _tag(one: Num, other: Num = 0) -> int:
    first = one.tag if isinstance(one, Dual) else 0
    second = other.tag if isinstance(other, Dual) else 0
    return first if first > second else second


def _parts(tag: int, number: Num) -> tuple[Num, Mapping[Place, Num]]:
    return (number.value, number.gradient) if isinstance(number, Dual) and number.tag == tag else (number, {})


def add(one: Num, other: Num) -> Num:
    """A sum."""
    tag = _tag(one, other)
    if not tag:
        return one + other
    (a, da), (b, db) = _parts(tag, one), _parts(tag, other)
    if not db:
        return Dual(tag, add(a, b), da)
    gradient = dict(da)
    for place, value in db.items():
        gradient[place] = add(gradient[place], value) if place in gradient else value
    return Dual(tag, add(a, b), gradient)


def multiply(one: Num, other: Num) -> Num:
    """A product; an exact 0 makes it 0, but of infinity."""
    tag = _tag(one, other)
    if not tag:
        return one * other
    (a, da), (b, db) = _parts(tag, one), _parts(tag, other)
    gradient = {place: multiply(value, b) for place, value in da.items()}
    for place, value in db.items():
        more = multiply(a, value)
        gradient[place] = add(gradient[place], more) if place in gradient else more
    return Dual(tag, multiply(a, b), gradient)


def negate(number: Num) -> Num:
    """The negative."""
    return multiply(-1, number)


def inverse(number: Num) -> Num:
    """One over a number."""
    tag = _tag(number)
    if not tag:
        if isinstance(number, arb):
            if not number.is_finite() or number.contains(0):
                raise EvaluationError("a division by what may be 0")
            return 1 / number
        if not number:
            raise EvaluationError("a division by 0")
        return fmpq(1) / number
    found = inverse(number.value)
    slope = negate(multiply(found, found))
    return Dual(tag, found, {place: multiply(slope, value) for place, value in number.gradient.items()})


def natural_power(number: Num, exponent: int) -> Num:
    """A whole power."""
    if exponent < 0:
        return natural_power(inverse(number), -exponent)
    result: Num = 1
    for _ in range(exponent):
        result = multiply(result, number)
    return result


def power(base: Num, exponent: Num) -> Num:
    """A power: whole ones by products, halves by roots, others by exp and log."""
    if not isinstance(exponent, Dual) and not isinstance(exponent, arb):
        exponent = fraction(exponent)
        if exponent.denominator == 1:
            return natural_power(base, int(exponent))
        if exponent.denominator == 2:
            return natural_power(apply("sqrt", base), int(exponent.numerator))
        exponent = exact(exponent)
    if not plain_order(base, 0) > 0:
        raise EvaluationError("a power of what is not positive")
    return apply("exp", multiply(exponent, apply("log", base)))


def plain_order(one: Num, other: Num) -> int:
    """-1, 0 or 1.

    Raises:
        Undecided: the balls don't tell.
    """
    first, second = plain(one), plain(other)
    if isinstance(first, arb) or isinstance(second, arb):
        found = arbs.order(ball(first), ball(second))
        if found is None:
            raise Undecided("a comparison that balls do not decide")
        return found
    return int(first > second) - int(first < second)


def apply(name: str, number: Num) -> Num:
    """An elementary function of one argument."""
    tag = _tag(number)
    if not tag:
        if name == "Abs":
            return abs(number)
        if name == "exp" and not isinstance(number, arb) and number == 0:
            return 1
        found = arbs.FUNCTIONS[name](ball(number))
        if found.is_nan():
            raise EvaluationError(f"{name} is not defined here")
        return found
    found = apply(name, number.value)
    gradient = number.gradient
    if not gradient:
        return Dual(tag, found, {})
    if name not in _SLOPES:
        raise EvaluationError(f"{name} is not differentiated here")
    slope = _SLOPES[name](number.value, found)
    return Dual(tag, found, {place: multiply(slope, value) for place, value in gradient.items()})


def _one_over_root(x: Num, square: int, one: int) -> Num:
    return inverse(apply("sqrt", add(one, multiply(square, multiply(x, x)))))


def _bell(x: Num, sign: int) -> Num:
    return multiply(arb(2 * sign) / arb.pi().sqrt(), apply("exp", negate(multiply(x, x))))


def _step(x: Num) -> int:
    order = plain_order(x, 0)
    if not order:
        raise Undecided("a kink")
    return order


# From the argument and the value: the slope.
_SLOPES: Mapping[str, Callable[[Num, Num], Num]] = {
    "exp": lambda x, y: y,
    "expm1": lambda x, y: add(y, 1),
    "log": lambda x, y: inverse(x),
    "log1p": lambda x, y: inverse(add(x, 1)),
    "log2": lambda x, y: inverse(multiply(x, arb(2).log())),
    "log10": lambda x, y: inverse(multiply(x, arb(10).log())),
    "sqrt": lambda x, y: inverse(multiply(2, y)),
    "cbrt": lambda x, y: inverse(multiply(3, multiply(y, y))),
    "Abs": lambda x, y: _step(x),
    "sin": lambda x, y: apply("cos", x),
    "cos": lambda x, y: negate(apply("sin", x)),
    "tan": lambda x, y: inverse(multiply(apply("cos", x), apply("cos", x))),
    "asin": lambda x, y: _one_over_root(x, -1, 1),
    "acos": lambda x, y: negate(_one_over_root(x, -1, 1)),
    "atan": lambda x, y: inverse(add(1, multiply(x, x))),
    "sinh": lambda x, y: apply("cosh", x),
    "cosh": lambda x, y: apply("sinh", x),
    "tanh": lambda x, y: inverse(multiply(apply("cosh", x), apply("cosh", x))),
    "asinh": lambda x, y: _one_over_root(x, 1, 1),
    "acosh": lambda x, y: _one_over_root(x, 1, -1),
    "atanh": lambda x, y: inverse(add(1, negate(multiply(x, x)))),
    "erf": lambda x, y: _bell(x, 1),
    "erfc": lambda x, y: _bell(x, -1),
    "gamma": lambda x, y: multiply(y, apply("digamma", x)),
    "loggamma": lambda x, y: apply("digamma", x),
}
