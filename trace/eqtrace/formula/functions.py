"""Functions of the vocabulary that the normal form writes by others."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eqtrace.formula import guards
from eqtrace.formula.algebra import Algebra
from eqtrace.formula.facts import NOT_NEGATIVE
from eqtrace.formula.polynomial import ONE, Atom, Kind, Polynomial, add, number, of_atom, scale, subtract


def _absolute(algebra: Algebra, x: Polynomial) -> Polynomial:
    if algebra.facts.sign(x) & NOT_NEGATIVE:
        return x
    return subtract(scale(algebra.multiply(guards.positive(algebra, x), x), 2), x)


def _sign(algebra: Algebra, x: Polynomial) -> Polynomial:
    return subtract(add((scale(guards.positive(algebra, x), 2), guards.delta(algebra, x))), ONE)


def _over_log(algebra: Algebra, x: Polynomial, base: int) -> Polynomial:
    return algebra.divide(algebra.log(x), algebra.log(number(base)))


def _factorial(algebra: Algebra, x: Polynomial) -> Polynomial:
    return of_atom(Atom(Kind.FUNCTION, "gamma", (add((x, ONE)),)))


FUNCTIONS: Mapping[str, Callable[..., Polynomial]] = {
    "expm1": lambda algebra, x: subtract(algebra.exp(x), ONE),
    "log1p": lambda algebra, x: algebra.log(add((x, ONE))),
    "log2": lambda algebra, x: _over_log(algebra, x, 2),
    "log10": lambda algebra, x: _over_log(algebra, x, 10),
    "Abs": _absolute,
    "sign": _sign,
    "Mod": lambda algebra, x, y: algebra.floor(x, y)[1],
    "KroneckerDelta": lambda algebra, x, y: guards.delta(algebra, subtract(x, y)),
    "factorial": _factorial,
}
