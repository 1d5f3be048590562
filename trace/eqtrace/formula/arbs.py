"""Elementary functions of python-flint's `arb`, with exact infinities by the rules of IEEE 754.

arb keeps exact infinities through sums, products and most functions (it prints them as `[+/- inf]`), but answers NaN
for log(0), (-inf)**2, floor(inf) and erf(inf), and a wide ball for sin(inf). These are mended here. -0.0 is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, fmpq

NAN = arb.nan()
INFINITY = arb.pos_inf()
LIMIT_EXACT_POWER = 10_000
_HUGE = arb(2) ** 4096


def of_fraction(value: Fraction) -> arb:
    """A rational, as a ball that holds it (exact where it is dyadic and fits)."""
    if value.denominator == 1:
        return arb(value.numerator)
    return arb(fmpq(value.numerator, value.denominator))


def is_infinite(x: arb) -> bool:
    """Whether x is an exact infinity: neither finite, nor NaN, nor a ball without bounds."""
    return not x.is_finite() and not x.is_nan() and bool(x > 0 or x < 0)


def order(x: arb, y: arb) -> int | None:
    """-1, 0 or 1 as x is below, equal to or above y; None where that is not decided."""
    if x < y:
        return -1
    if x > y:
        return 1
    if x == y or (is_infinite(x) and is_infinite(y)):
        return 0
    return None


def whole(x: arb) -> int | None:
    """The integer that x exactly is, else None; None too for one of more than some thousand bits."""
    return int(x.fmpz()) if x.is_exact() and x.is_integer() and abs(x) < _HUGE else None


def floor(x: arb) -> int | None:
    """The largest integer not above x; None where that is not decided."""
    if not x.is_finite() or not abs(x) < _HUGE:
        return None
    if x.is_exact():
        if abs(x) < 1:  # its exponent may be far too small to write x as a fraction
            return -1 if x < 0 else 0
        exact = x.fmpq()
        return int(exact.p // exact.q)
    low, high = x.lower().floor().unique_fmpz(), x.upper().floor().unique_fmpz()
    return int(low) if low is not None and low == high else None


def log(x: arb) -> arb:
    """Natural logarithm; that of an exact 0 is -inf."""
    return -INFINITY if x.is_zero() else x.log()


def log1p(x: arb) -> arb:
    """Natural logarithm of 1 + x; at an exact -1 it is -inf."""
    return -INFINITY if x == -1 else x.log1p()


def expm1(x: arb) -> arb:
    """Exponential less 1."""
    return x.expm1()


def cbrt(x: arb) -> arb:
    """Real cube root."""
    return -(-x).root(3) if x < 0 else (arb(0) if x.is_zero() else x.root(3))


def sign(x: arb) -> arb:
    """-1, 0 or 1; a ball that holds them where that is not decided."""
    return x.sgn()


def power(x: arb, y: arb | int) -> arb:
    """X to the y: repeated multiplication for an integer y, roots for halves, exp(y log x) else; 0**0 is 1."""
    exponent = y if isinstance(y, int) else whole(y)
    if exponent is not None:
        return _integer_power(x, exponent)
    ball = arb(y)
    if x.is_zero():
        return arb(0) if ball > 0 else (INFINITY if ball < 0 else NAN)
    twice = whole(ball + ball)
    if twice is not None and abs(twice) < LIMIT_EXACT_POWER:
        root = x.sqrt() if twice > 0 else x.rsqrt()
        return root if abs(twice) == 1 else _integer_power(root, abs(twice))
    return x**ball


def _integer_power(x: arb, exponent: int) -> arb:
    if is_infinite(x):
        if exponent == 0:
            return arb(1)
        size = INFINITY if exponent > 0 else arb(0)
        return -size if x < 0 and exponent % 2 else size
    if exponent < 0 and x.is_zero():
        return NAN if exponent % 2 else INFINITY
    power = _by_squaring(x, abs(exponent))
    return 1 / power if exponent < 0 else power


def _by_squaring(x: arb, exponent: int) -> arb:
    """A natural power by multiplications alone: python-flint's `**` takes logarithms, which a ball about 0 has not."""
    power, square = arb(1), x
    while exponent:
        if exponent & 1:
            power = power * square
        exponent >>= 1
        if exponent:
            square = square * square
    return power


def maximum(x: arb, y: arb) -> arb:
    """The larger, as a ball that holds it though it is not decided which that is."""
    return x.max(y)


def minimum(x: arb, y: arb) -> arb:
    """The smaller."""
    return x.min(y)


def divide(x: arb, y: arb) -> arb:
    """Quotient; NaN by 0, for the sign of a zero is lost."""
    return x / y


def _unless_infinite(function: Callable[[arb], arb], at_infinity: Callable[[arb], arb]) -> Callable[[arb], arb]:
    def guarded(x: arb) -> arb:
        if x.is_finite():
            return function(x)
        return at_infinity(x) if is_infinite(x) else NAN

    return guarded


def _nan(_: arb) -> arb:
    return NAN


erf = _unless_infinite(arb.erf, lambda x: x.sgn())
erfc = _unless_infinite(arb.erfc, lambda x: 1 - x.sgn())
loggamma = _unless_infinite(lambda x: x.lgamma() if x > 0 else NAN, lambda x: INFINITY if x > 0 else NAN)
gamma = _unless_infinite(arb.gamma, lambda x: INFINITY if x > 0 else NAN)
digamma = _unless_infinite(arb.digamma, lambda x: INFINITY if x > 0 else NAN)
cos = _unless_infinite(arb.cos, _nan)
sin = _unless_infinite(arb.sin, _nan)
tan = _unless_infinite(arb.tan, _nan)


def log2(x: arb) -> arb:
    """Logarithm to the base 2."""
    return log(x) / arb(2).log()


def log10(x: arb) -> arb:
    """Logarithm to the base 10."""
    return log(x) / arb.const_log10()


def beta(a: arb, b: arb) -> arb:
    """Beta function."""
    return gamma(a) * gamma(b) * (a + b).rgamma()


def atan2(y: arb, x: arb) -> arb:
    """Angle of the point (x, y)."""
    return arb.atan2(y, x)


FUNCTIONS: dict[str, Callable[[arb], arb]] = {
    "exp": arb.exp,
    "expm1": expm1,
    "log": log,
    "log1p": log1p,
    "log2": log2,
    "log10": log10,
    "sqrt": arb.sqrt,
    "cbrt": cbrt,
    "Abs": abs,
    "sign": sign,
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "asin": arb.asin,
    "acos": arb.acos,
    "atan": arb.atan,
    "sinh": arb.sinh,
    "cosh": arb.cosh,
    "tanh": arb.tanh,
    "asinh": arb.asinh,
    "acosh": arb.acosh,
    "atanh": arb.atanh,
    "erf": erf,
    "erfc": erfc,
    "gamma": gamma,
    "loggamma": loggamma,
    "digamma": digamma,
    "factorial": lambda x: gamma(x + 1),
}
