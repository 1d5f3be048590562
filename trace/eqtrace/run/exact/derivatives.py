"""The derivatives of the elementary functions of the forms' vocabulary."""

from __future__ import annotations

from collections.abc import Callable

from flint import acb, arb

from eqtrace.formula import arbs


def _trigamma(x: arb) -> arb:
    return acb(2).zeta(acb(x)).real


def _step(x: arb, _: arb) -> arb:
    """The derivative of a sign: 0 off its jump."""
    return arb(0) if x > 0 or x < 0 else arb.nan()


DERIVATIVES: dict[str, Callable[[arb, arb], arb]] = {  # of x and of the function's value there
    "exp": lambda x, y: y,
    "expm1": lambda x, y: x.exp(),
    "log": lambda x, y: 1 / x,
    "log1p": lambda x, y: 1 / (1 + x),
    "log2": lambda x, y: 1 / (x * arb(2).log()),
    "log10": lambda x, y: 1 / (x * arb.const_log10()),
    "sqrt": lambda x, y: 1 / (2 * y),
    "cbrt": lambda x, y: 1 / (3 * y * y),
    "sign": _step,
    "sin": lambda x, y: arbs.cos(x),
    "cos": lambda x, y: -arbs.sin(x),
    "tan": lambda x, y: 1 + y * y,
    "asin": lambda x, y: (1 - x * x).rsqrt(),
    "acos": lambda x, y: -(1 - x * x).rsqrt(),
    "atan": lambda x, y: 1 / (1 + x * x),
    "sinh": lambda x, y: x.cosh(),
    "cosh": lambda x, y: x.sinh(),
    "tanh": lambda x, y: 1 - y * y,
    "asinh": lambda x, y: (x * x + 1).rsqrt(),
    "acosh": lambda x, y: (x * x - 1).rsqrt(),
    "atanh": lambda x, y: 1 / (1 - x * x),
    "erf": lambda x, y: 2 * (-x * x).exp() / arb.pi().sqrt(),
    "erfc": lambda x, y: -2 * (-x * x).exp() / arb.pi().sqrt(),
    "gamma": lambda x, y: y * arbs.digamma(x),
    "loggamma": lambda x, y: arbs.digamma(x),
    "digamma": lambda x, y: _trigamma(x),
    "factorial": lambda x, y: y * arbs.digamma(x + 1),
}
