"""Conditions that count as 1 or 0: decided where the facts decide them, else atoms; products of them are simplified."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from eqtrace.formula import rebuilding
from eqtrace.formula.facts import NOT_NEGATIVE, NOT_ZERO, POSITIVE
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
    of_atom,
    ordered,
    scale,
    subtract,
)

if TYPE_CHECKING:
    from eqtrace.formula.algebra import Algebra


def delta(algebra: Algebra, poly: Polynomial) -> Polynomial:
    """1 where a polynomial is 0, else 0."""
    value = poly.constant()
    if value is not None:
        return ZERO if value else ONE
    poly = _reduced(algebra, poly)
    facts = algebra.facts
    if facts.sign(poly) & NOT_ZERO or facts.sign(scale(poly, -1)) & NOT_ZERO:
        return ZERO
    if facts.is_integer(poly):
        if facts.not_negative(subtract(poly, ONE)) or facts.not_negative(subtract(scale(poly, -1), ONE)):
            return ZERO
        parts = _split(algebra, poly)
        if parts is not None:
            return algebra.multiply(delta(algebra, parts[0]), delta(algebra, parts[1]))
    return of_atom(zero_atom(Kind.DELTA, poly))


def zero_atom(kind: Kind, poly: Polynomial) -> Atom:
    """DELTA or NOT_ZERO of a polynomial; of it and its negative the same."""
    return Atom(kind, "", (min(poly, scale(poly, -1), key=lambda each: each.key),))


def positive(algebra: Algebra, poly: Polynomial) -> Polynomial:
    """1 where a polynomial is above 0, else 0."""
    if algebra.facts.is_integer(poly):
        return not_negative(algebra, subtract(poly, ONE))
    value = poly.constant()
    if value is not None:
        return ONE if value > 0 else ZERO
    poly = scale(poly, 1 / content(poly))
    if algebra.facts.sign(poly) == POSITIVE:
        return ONE
    if algebra.facts.sign(scale(poly, -1)) & NOT_NEGATIVE:
        return ZERO
    return of_atom(Atom(Kind.POSITIVE, "", (poly,)))


def not_negative(algebra: Algebra, poly: Polynomial) -> Polynomial:
    """1 where a polynomial is at least 0, else 0."""
    facts = algebra.facts
    value = poly.constant()
    if value is not None:
        return ONE if value >= 0 else ZERO
    integer = facts.is_integer(poly)
    poly = scale(poly, 1 / content(poly))
    if facts.not_negative(poly):
        return ONE
    opposite = scale(poly, -1)
    if facts.sign(opposite) == POSITIVE or (integer and facts.not_negative(subtract(opposite, ONE))):
        return ZERO
    return of_atom(Atom(Kind.NOT_NEGATIVE, "", (poly,)))


def opposite(algebra: Algebra, poly: Polynomial) -> Polynomial:
    """1 less a condition, as one condition where it is one."""
    atom = poly.atom()
    if atom is None or atom.kind not in GUARDS:
        return subtract(ONE, poly)
    return of_atom(opposite_atom(algebra, atom))


def opposite_atom(algebra: Algebra, atom: Atom) -> Atom:
    """The condition that holds where another does not."""
    (poly,) = atom.args
    match atom.kind:
        case Kind.DELTA:
            return Atom(Kind.NOT_ZERO, "", (poly,))
        case Kind.NOT_ZERO:
            return Atom(Kind.DELTA, "", (poly,))
        case Kind.POSITIVE:
            return Atom(Kind.NOT_NEGATIVE, "", (scale(poly, -1),))
    if algebra.facts.is_integer(poly):
        return Atom(Kind.NOT_NEGATIVE, "", (subtract(scale(poly, -1), ONE),))
    return Atom(Kind.POSITIVE, "", (scale(poly, -1),))


def combined(
    algebra: Algebra, coefficient: Rational, factors: Mapping[Atom, Rational], held: list[Atom]
) -> Polynomial | None:
    """A product with conditions in it, where there is something to simplify.

    What a delta says is put into the other factors; conditions that exclude each other make 0.
    """
    if len(held) > 1 and any(opposite_atom(algebra, atom) in factors for atom in held):
        return ZERO
    for atom in held:
        if atom.kind is not Kind.DELTA:
            continue
        found = solved(algebra, atom.args[0])
        if found is not None:
            name, value = found
            others = {other: e for other, e in factors.items() if other != atom and name in other.free}
            if not others:
                continue
            rest: dict[Atom, Rational] = {other: e for other, e in factors.items() if other not in others}
            put_in = (rebuilding.put(algebra, other, e, {name: value}) for other, e in others.items())
            return algebra.multiply(algebra.product(put_in), Polynomial({ordered(rest): coefficient}))
        entry = _solved_entry(atom.args[0])
        if entry is not None and entry[0] in factors and isinstance(factors[entry[0]], int) and factors[entry[0]] > 0:
            rest = {other: e for other, e in factors.items() if other != entry[0]}
            value = algebra.power(entry[1], factors[entry[0]])
            return algebra.multiply(value, Polynomial({ordered(rest): coefficient}))
    return None


def solved(algebra: Algebra, poly: Polynomial, names: frozenset[str] | None = None) -> tuple[str, Polynomial] | None:
    """An index that a polynomial being 0 gives, and its value; of several the last in order."""
    best: tuple[str, Polynomial] | None = None
    for monomial, value in poly.terms.items():
        if len(monomial) != 1 or monomial[0][1] != 1 or abs(value) != 1 or monomial[0][0].kind is not Kind.VARIABLE:
            continue
        name = monomial[0][0].name
        if name not in algebra.facts.ranges or (names is not None and name not in names):
            continue
        if best is not None and best[0] > name:
            continue
        rest = _without(poly, monomial)
        if name not in rest.free:
            best = name, scale(rest, -value)
    return best


def _solved_entry(poly: Polynomial) -> tuple[Atom, Polynomial] | None:
    single = [entry for entry in poly.terms.items() if len(entry[0]) == 1 and entry[0][0][0].kind is Kind.ENTRY]
    for monomial, value in sorted(single, key=lambda entry: entry[0][0][0].key, reverse=True):
        if monomial[0][1] == 1 and abs(value) == 1:
            rest = _without(poly, monomial)
            if monomial[0][0].key not in rest.key:
                return monomial[0][0], scale(rest, -value)
    return None


def _without(poly: Polynomial, monomial: Monomial) -> Polynomial:
    return Polynomial({each: value for each, value in poly.terms.items() if each != monomial})


def _reduced(algebra: Algebra, poly: Polynomial) -> Polynomial:
    """A polynomial without the positive factors that all of it shares: it is 0 in the same places."""
    poly = scale(poly, 1 / content(poly))
    monomials = list(poly.terms)
    for atom, _ in monomials[0]:
        if atom.kind is Kind.VARIABLE and atom.name in algebra.facts.sizes:
            exponents = [dict(each).get(atom, 0) for each in monomials]
            least = min(exponents)
            if least > 0:
                poly = algebra.multiply(poly, Polynomial({((atom, -least),): 1}))
    return poly


def _split(algebra: Algebra, poly: Polynomial) -> tuple[Polynomial, Polynomial] | None:
    """s*A + B with |B| < s is 0 only where A and B are: A and B, for a size s, where that is so."""
    facts = algebra.facts
    sizes = sorted(name for name in poly.free if name in facts.sizes)
    for size in sizes:
        atom = Atom(Kind.VARIABLE, size)
        divided: dict[Monomial, Rational] = {}
        rest: dict[Monomial, Rational] = {}
        for monomial, value in poly.terms.items():
            factors: dict[Atom, Rational] = dict(monomial)
            exponent = factors.pop(atom, 0)
            if exponent == 1:
                divided[ordered(factors)] = value
            else:
                rest[monomial] = value
        first, second = Polynomial(divided), Polynomial(rest)
        if not divided or not rest or size in first.free or size in second.free:
            continue
        limit = subtract(Polynomial({((atom, 1),): 1}), ONE)
        if facts.not_negative(add((limit, second))) and facts.not_negative(subtract(limit, second)):
            return first, second
    return None
