"""Derivatives in the normal form: exact wherever what is differentiated is differentiable.

A symbol with a definition is differentiated through it (the chain rule); conditions are constant off the points where
they change, which is noted as an assumption; maxima over an index are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from eqtrace.formula import binders, guards
from eqtrace.formula.algebra import Algebra
from eqtrace.formula.facts import NOT_ZERO, Unprovable
from eqtrace.formula.polynomial import (
    GUARDS,
    ONE,
    ZERO,
    Atom,
    Kind,
    Polynomial,
    Rational,
    add,
    number,
    of_atom,
    ordered,
    rational,
    scale,
    subtract,
    variable,
)
from eqtrace.formula.written import written_polynomial


class Differentiator:
    """Differentiates by one entry of a symbol.

    Args:
        algebra: the rules.
        by: the entry.
        reaches: whether a symbol depends on the one that is differentiated by.
        definition: what a symbol's entry is defined as.
        opaque: by symbol that is not defined, the symbols that it depends on.
        shape: the sizes of a symbol.
    """

    def __init__(
        self,
        algebra: Algebra,
        by: Atom,
        reaches: Callable[[str], bool],
        definition: Callable[[Atom], Polynomial],
        opaque: Mapping[str, frozenset[str]],
        shape: Callable[[str], tuple[Polynomial, ...]],
    ) -> None:
        self.algebra = algebra
        self.by = by
        self.reaches = reaches
        self.definition = definition
        self.opaque = opaque
        self.shape = shape
        self._known: dict[Atom, Polynomial] = {}

    def polynomial(self, poly: Polynomial) -> Polynomial:
        """The derivative of a polynomial."""
        parts: list[Polynomial] = []
        for monomial, value in poly.terms.items():
            for atom, exponent in monomial:
                inner = self.atom(atom)
                if not inner.terms:
                    continue
                rest: dict[Atom, Rational] = dict(monomial)
                rest[atom] = rational(exponent - 1)
                outer = self.algebra.monomial(value * exponent, rest)
                parts.append(self.algebra.multiply(outer, inner))
        return add(parts)

    def atom(self, atom: Atom) -> Polynomial:
        """The derivative of an atom."""
        if not any(self.reaches(name) for name in atom.symbols):
            return ZERO
        found = self._known.get(atom)
        if found is None:
            found = self._known[atom] = self._atom(atom)
        return found

    def _atom(self, atom: Atom) -> Polynomial:
        algebra = self.algebra
        match atom.kind:
            case Kind.ENTRY:
                return self._entry(atom)
            case Kind.EXP:
                return algebra.multiply(of_atom(atom), self.polynomial(atom.args[0]))
            case Kind.BASE:
                return self.polynomial(atom.args[0])
            case Kind.SUM:
                ranges, factors = binders.open_sum(algebra, atom)
                body = self.polynomial(Polynomial({ordered(factors): 1}))
                return add(binders.closed(algebra, value, dict(each), ranges) for each, value in body.terms.items())
            case Kind.FUNCTION:
                return self._function(atom)
            case Kind.REDUCTION:
                if any(self.polynomial(arg).terms for arg in binders.opened(algebra, atom).args):
                    raise Unprovable(f"the derivative of a {atom.name}")
                return ZERO
            case Kind.PARTIAL:
                raise Unprovable("a second derivative of a symbol that is not defined")
        if atom.kind in GUARDS and self.polynomial(atom.args[0]).terms:
            self._off_kink(atom.args[0])
        return ZERO

    def _off_kink(self, poly: Polynomial) -> None:
        if not self.algebra.facts.sign(poly) & NOT_ZERO:
            self.algebra.facts.assume(f"{written_polynomial(poly)} != 0 (a kink)")

    def _entry(self, atom: Atom) -> Polynomial:
        if atom.name == self.by.name:
            pairs = zip(atom.args, self.by.args, strict=True)
            return self.algebra.product(guards.delta(self.algebra, subtract(one, other)) for one, other in pairs)
        if atom.name in self.opaque:
            return add(self._through(atom, name) for name in sorted(self.opaque[atom.name]) if self.reaches(name))
        return self.polynomial(self.definition(atom))

    def _through(self, atom: Atom, name: str) -> Polynomial:
        """The derivative of a symbol that is not defined, through one that it depends on."""
        if name == self.by.name:
            return of_atom(Atom(Kind.PARTIAL, f"{atom.name}/{name}", (*atom.args, *self.by.args)))
        ranges = {self.algebra.facts.fresh(): (ZERO, size) for size in self.shape(name)}
        self.algebra.facts.ranges.update(ranges)
        places = tuple(variable(each) for each in ranges)
        partial = Atom(Kind.PARTIAL, f"{atom.name}/{name}", (*atom.args, *places))
        found = self.algebra.multiply(of_atom(partial), self.atom(Atom(Kind.ENTRY, name, places)))
        for each, (start, stop) in ranges.items():
            found = self.algebra.sum_over(found, each, start, stop)
        return found

    def _function(self, atom: Atom) -> Polynomial:
        inner = [self.polynomial(arg) for arg in atom.args]
        if not any(each.terms for each in inner):
            return ZERO
        if atom.name == "floor":
            self._off_kink(subtract(atom.args[0], of_atom(atom)))
            return ZERO
        if atom.name == "power":
            return self._general_power(atom, inner)
        rule = _RULES.get(atom.name)
        if rule is None:
            raise Unprovable(f"the derivative of {atom.name}")
        return self.algebra.multiply(rule(self.algebra, atom.args[0], of_atom(atom)), inner[0])

    def _general_power(self, atom: Atom, inner: list[Polynomial]) -> Polynomial:
        """A power whose exponent is no number: x**y, y x**(y - 1) dx + log(x) x**y dy."""
        algebra, (base, exponent) = self.algebra, atom.args
        by_base = algebra.multiply(algebra.divide(exponent, base), inner[0])
        by_exponent = algebra.multiply(algebra.log(base), inner[1]) if inner[1].terms else ZERO
        return algebra.multiply(of_atom(atom), add((by_base, by_exponent)))


def _call(name: str, argument: Polynomial) -> Polynomial:
    return of_atom(Atom(Kind.FUNCTION, name, (argument,)))


def _root(algebra: Algebra, square_sign: int, one_sign: int, x: Polynomial) -> Polynomial:
    """(one_sign + square_sign x**2)**(-1/2)."""
    return algebra.power(add((number(one_sign), scale(algebra.power(x, 2), square_sign))), Fraction(-1, 2))


def _inverse(algebra: Algebra, square_sign: int, x: Polynomial) -> Polynomial:
    """1/(1 + square_sign x**2)."""
    return algebra.power(add((ONE, scale(algebra.power(x, 2), square_sign))), -1)


def _gauss(algebra: Algebra, x: Polynomial) -> Polynomial:
    pi = Atom(Kind.CONSTANT, "pi")
    bell = algebra.exp(scale(algebra.power(x, 2), -1))
    return algebra.multiply(Polynomial({((pi, Fraction(-1, 2)),): 2}), bell)


# By name: the derivative, from the argument and the function's own value.
_RULES: Mapping[str, Callable[[Algebra, Polynomial, Polynomial], Polynomial]] = {
    "log": lambda algebra, x, y: algebra.power(x, -1),
    "sin": lambda algebra, x, y: _call("cos", x),
    "cos": lambda algebra, x, y: scale(_call("sin", x), -1),
    "tan": lambda algebra, x, y: add((ONE, algebra.power(y, 2))),
    "sinh": lambda algebra, x, y: _call("cosh", x),
    "cosh": lambda algebra, x, y: _call("sinh", x),
    "tanh": lambda algebra, x, y: subtract(ONE, algebra.power(y, 2)),
    "asin": lambda algebra, x, y: _root(algebra, -1, 1, x),
    "acos": lambda algebra, x, y: scale(_root(algebra, -1, 1, x), -1),
    "atan": lambda algebra, x, y: _inverse(algebra, 1, x),
    "asinh": lambda algebra, x, y: _root(algebra, 1, 1, x),
    "acosh": lambda algebra, x, y: _root(algebra, 1, -1, x),
    "atanh": lambda algebra, x, y: _inverse(algebra, -1, x),
    "erf": lambda algebra, x, y: _gauss(algebra, x),
    "erfc": lambda algebra, x, y: scale(_gauss(algebra, x), -1),
    "cbrt": lambda algebra, x, y: scale(algebra.power(y, -2), Fraction(1, 3)),
    "gamma": lambda algebra, x, y: algebra.multiply(y, _call("digamma", x)),
    "loggamma": lambda algebra, x, y: _call("digamma", x),
}
