"""The rules of the normal form: products, powers, exponentials, logarithms, over `Facts`.

Every rule holds for all real values for which what it is applied to is defined; what must be known of a sign is taken
from the facts, and noted as an assumption where a definition alone implies it.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import floor, isqrt

from eqtrace.formula import binders, guards
from eqtrace.formula.facts import LIMIT_TERMS, NOT_NEGATIVE, POSITIVE, Facts, Unprovable
from eqtrace.formula.polynomial import (
    GUARDS,
    ONE,
    ZERO,
    Atom,
    Kind,
    Monomial,
    Polynomial,
    Rational,
    add,
    content,
    number,
    of_atom,
    ordered,
    rational,
    scale,
)

LIMIT_POWER = 12
LIMIT_PRIME = 10_000
_RULED = GUARDS | {Kind.NUMBER, Kind.BASE}


class Algebra:
    """See the module."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.renamed: dict[tuple[Atom, tuple[tuple[str, str], ...]], Atom] = {}

    # Products

    def monomial(self, coefficient: Rational, factors: dict[Atom, Rational]) -> Polynomial:
        """A product of powers, `factors` being changed; exponents that are 0 vanish."""
        self.facts.tick()
        ruled = False
        for atom, exponent in list(factors.items()):
            if exponent == 0:
                del factors[atom]
            elif atom.kind in _RULED:
                ruled = True
        if not coefficient:
            return ZERO
        return self._ruled(coefficient, factors) if ruled else Polynomial({ordered(factors): rational(coefficient)})

    def _ruled(self, coefficient: Rational, factors: dict[Atom, Rational]) -> Polynomial:
        expanded: list[tuple[Polynomial, int]] = []
        held: list[Atom] = []
        for atom, exponent in list(factors.items()):
            if atom.kind is Kind.NUMBER:
                whole = floor(exponent)
                coefficient = coefficient * Fraction(int(atom.name)) ** whole
                factors[atom] = rational(exponent - whole)
                if exponent == whole:
                    del factors[atom]
            elif atom.kind is Kind.BASE and isinstance(exponent, int) and exponent > 0:
                del factors[atom]
                expanded.append((atom.args[0], exponent))
            elif atom.kind in GUARDS:
                if not isinstance(exponent, int) or exponent < 0:
                    raise Unprovable("a condition stands under a root or in a denominator")
                factors[atom] = 1
                held.append(atom)
        found = guards.combined(self, coefficient, factors, held) if held else None
        result = found if found is not None else Polynomial({ordered(factors): rational(coefficient)})
        for poly, times in expanded:
            result = self.multiply(result, self.power(poly, times))
        return result

    def multiply(self, left: Polynomial, right: Polynomial) -> Polynomial:
        """A product, distributed."""
        if left.size * right.size > LIMIT_TERMS:
            raise Unprovable(f"a product of {left.size} and {right.size} terms is too large")
        if left.constant() is not None or right.constant() is not None:
            value, other = left.constant(), right
            if value is None:
                value, other = right.constant(), left
            return scale(other, value or 0)
        parts: list[Polynomial] = []
        for one, first in left.terms.items():
            for other_factors, second in right.terms.items():
                factors: dict[Atom, Rational] = dict(one)
                for atom, exponent in other_factors:
                    factors[atom] = rational(factors.get(atom, 0) + exponent)
                parts.append(self.monomial(first * second, factors))
        return add(parts)

    def product(self, parts: Iterable[Polynomial]) -> Polynomial:
        """A product of many."""
        result = ONE
        for part in parts:
            result = self.multiply(result, part)
        return result

    # Powers

    def power(self, poly: Polynomial, exponent: Rational) -> Polynomial:
        """A rational power, wherever it is defined."""
        exponent = rational(exponent)
        if exponent == 0:
            return ONE
        if exponent == 1:
            return poly
        if not poly.terms:
            if exponent > 0:
                return ZERO
            raise Unprovable("a division by zero")
        if isinstance(exponent, int) and exponent > 0:
            return self._natural(poly, exponent)
        single = poly.single()
        if single is not None:
            return self._monomial_power(single[0], single[1], exponent)
        outside, inside = self._content(poly, whole=isinstance(exponent, int))
        rest = Polynomial({((Atom(Kind.BASE, "", (inside,)), exponent),): 1})
        if outside == ONE:
            return rest
        return self.multiply(self.power(outside, exponent), rest)

    def _natural(self, poly: Polynomial, exponent: int) -> Polynomial:
        single = poly.single()
        if single is not None:
            return self.monomial(single[0] ** exponent, {a: rational(e * exponent) for a, e in single[1]})
        if exponent > LIMIT_POWER:
            raise Unprovable(f"a power of {exponent} is too large")
        return self.product([poly] * exponent)

    def _monomial_power(self, coefficient: Rational, factors: Monomial, exponent: Rational) -> Polynomial:
        if isinstance(exponent, int):
            value = Fraction(coefficient) ** exponent
            return self.monomial(value, {atom: rational(e * exponent) for atom, e in factors})
        outside: dict[Atom, Rational] = {}
        inside: dict[Atom, Rational] = {}
        for atom, own in factors:
            # (a**e)**r is a**(e*r) where a >= 0. Of a**(1/2) that is so, for else it would not be defined.
            good = isinstance(own, Fraction) or self.facts.atom_sign(atom) & NOT_NEGATIVE
            (outside if good and atom.kind not in GUARDS else inside)[atom] = own
        if inside:  # what may be 0 stays with what may be negative
            for atom in [a for a, e in outside.items() if self.facts.factor_sign(a, e) != POSITIVE]:
                inside[atom] = outside.pop(atom)
        if len(inside) == 1 and coefficient > 0:
            ((atom, own),) = inside.items()
            if isinstance(own, int) and own % 2 == 1 and atom.kind not in GUARDS:
                outside[atom] = own  # an odd power under a root is not negative, and so its base is not
                inside = {}
        if coefficient < 0 and not inside:
            raise Unprovable("a root of a negative number")
        result = self.monomial(1, {atom: rational(e * exponent) for atom, e in outside.items()})
        if not inside:
            return self.multiply(result, self.number_power(Fraction(coefficient), exponent))
        sign = 1 if coefficient > 0 else -1
        result = self.multiply(result, self.number_power(abs(Fraction(coefficient)), exponent))
        base = Atom(Kind.BASE, "", (Polynomial({ordered(inside): sign}),))
        return self.multiply(result, Polynomial({((base, exponent),): 1}))

    def number_power(self, value: Fraction, exponent: Rational) -> Polynomial:
        """A power of a positive number: of its primes, the whole part of each exponent being multiplied out."""
        factors: dict[Atom, Rational] = {}
        for part, sign in ((value.numerator, 1), (value.denominator, -1)):
            for prime, times in _primes(part).items():
                atom = Atom(Kind.NUMBER, str(prime))
                factors[atom] = rational(factors.get(atom, 0) + sign * times * exponent)
        return self.monomial(1, factors)

    def _content(self, poly: Polynomial, *, whole: bool) -> tuple[Polynomial, Polynomial]:
        """Numbers and factors that all monomials share, and the rest; under a root, only what is not negative."""
        monomials = list(poly.terms)
        common: dict[Atom, Rational] = dict(monomials[0])
        for each in monomials[1:]:
            own: dict[Atom, Rational] = dict(each)
            common = {atom: min(e, own[atom]) for atom, e in common.items() if atom in own}
        taken = {
            atom: e
            for atom, e in common.items()
            if atom.kind not in GUARDS
            # of a root only what is positive comes out, and of an even power only that of what is positive itself
            and (whole or self.facts.atom_sign(atom) == POSITIVE)
        }
        shared = content(poly)
        if shared == 1 and not taken:
            return ONE, poly
        outside = self.monomial(shared, dict(taken))
        inverse: dict[Atom, Rational] = {atom: -e for atom, e in taken.items()}
        parts: list[Polynomial] = []
        for each, value in poly.terms.items():
            factors: dict[Atom, Rational] = dict(each)
            for atom, e in inverse.items():
                factors[atom] = rational(factors[atom] + e)
            parts.append(self.monomial(Fraction(value) / shared, factors))
        return outside, add(parts)

    # Exponentials and logarithms

    def exp(self, poly: Polynomial) -> Polynomial:
        """The exponential: of a sum the product, of a multiple the power; of a logarithm's multiple its argument's."""
        result = ONE
        for monomial, value in poly.terms.items():
            if len(monomial) == 1 and monomial[0][1] == 1 and _is(monomial[0][0], "log"):
                factor = self.power(monomial[0][0].args[0], value)
            else:
                base = Atom(Kind.EXP, "", (Polynomial({monomial: 1}),))
                factor = Polynomial({((base, value),): 1})
            result = self.multiply(result, factor)
        return result

    def log(self, poly: Polynomial) -> Polynomial:
        """The logarithm: of a product the sum, as far as the factors are positive."""
        single = poly.single()
        outside, inside = (poly, ONE) if single is not None else self._content(poly, whole=False)
        single = outside.single()
        if single is None:
            raise Unprovable("the logarithm of what is no product")
        parts: list[Polynomial] = []
        rest: dict[Atom, Rational] = {}
        for atom, exponent in single[1]:
            good = self.facts.atom_sign(atom) == POSITIVE or isinstance(exponent, Fraction)
            if good and atom.kind not in GUARDS:
                parts.append(scale(self._log_atom(atom), exponent))
            else:
                rest[atom] = exponent
        left = self.multiply(Polynomial({ordered(rest): -1 if single[0] < 0 else 1}), inside)
        if left != ONE:
            if left.constant() is not None:
                raise Unprovable("the logarithm of a negative number")
            parts.append(of_atom(Atom(Kind.FUNCTION, "log", (left,))))
        parts.append(self._log_number(abs(Fraction(single[0]))))
        return add(parts)

    def _log_atom(self, atom: Atom) -> Polynomial:
        if atom.kind is Kind.EXP:
            return atom.args[0]
        argument = (
            atom.args[0] if atom.kind is Kind.BASE else number(int(atom.name)) if atom.kind is Kind.NUMBER else None
        )
        return of_atom(Atom(Kind.FUNCTION, "log", (of_atom(atom) if argument is None else argument,)))

    def _log_number(self, value: Fraction) -> Polynomial:
        parts = []
        for part, sign in ((value.numerator, 1), (value.denominator, -1)):
            for prime, times in _primes(part).items():
                parts.append(scale(of_atom(Atom(Kind.FUNCTION, "log", (number(prime),))), sign * times))
        return add(parts)

    # Others

    def divide(self, left: Polynomial, right: Polynomial) -> Polynomial:
        """A quotient, where the divisor is not 0."""
        return self.multiply(left, self.power(right, -1))

    def entry(self, name: str, subscripts: Iterable[Polynomial]) -> Polynomial:
        """A symbol's entry."""
        return of_atom(Atom(Kind.ENTRY, name, tuple(subscripts)))

    def floor(self, top: Polynomial, bottom: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Floor of a quotient and remainder: apart where the remainder is seen to lie in its range, else opaque."""
        if bottom == ONE and self.facts.is_integer(top):
            return top, ZERO
        first, second = top.constant(), bottom.constant()
        if first is not None and second:
            low = floor(Fraction(first) / second)
            return number(low), number(first - low * second)
        if self.facts.is_integer(top) and self.facts.is_integer(bottom) and self.facts.sign(bottom) == POSITIVE:
            quotient = add(
                Polynomial({ordered(dict(each)): value})
                for each, value in self.divide(top, bottom).terms.items()
                if self.facts.is_integer(Polynomial({each: value}))
            )
            remainder = add((top, scale(self.multiply(quotient, bottom), -1)))
            if self.facts.within(remainder, ZERO, bottom):
                return quotient, remainder
        opaque = of_atom(Atom(Kind.FUNCTION, "floor", (self.divide(top, bottom),)))
        if not self.facts.is_integer(top) or not self.facts.is_integer(bottom):
            return opaque, add((top, scale(self.multiply(bottom, opaque), -1)))
        return opaque, of_atom(Atom(Kind.FUNCTION, "mod", (top, bottom)))

    def sum_over(self, poly: Polynomial, name: str, start: Polynomial, stop: Polynomial) -> Polynomial:
        """A sum over an open name."""
        return add(
            binders.closed(self, value, dict(monomial), {name: (start, stop)}) for monomial, value in poly.terms.items()
        )


def _is(atom: Atom, function: str) -> bool:
    return atom.kind is Kind.FUNCTION and atom.name == function


def _primes(value: int) -> dict[int, int]:
    """The prime factors of a positive integer; what is left of a large one counts as prime."""
    found: dict[int, int] = {}
    prime = 2
    while prime <= min(isqrt(value), LIMIT_PRIME):
        while value % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            value //= prime
        prime += 1
    if value > 1:
        found[value] = found.get(value, 0) + 1
    return found
