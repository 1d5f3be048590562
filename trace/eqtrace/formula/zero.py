"""Whether a polynomial of the normal form is 0: it is when nothing is left, or when that is so of its parts.

Each step is an equivalence or goes from a stronger claim to a weaker one: conditions are written by their opposites,
polynomials under negative or broken exponents are multiplied out, each class of broken exponents must vanish by itself,
a sum vanishes where what is summed does, and free conditions are split into cases.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import floor

from eqtrace.formula import binders, guards
from eqtrace.formula.algebra import Algebra
from eqtrace.formula.facts import NOT_NEGATIVE, POSITIVE
from eqtrace.formula.polynomial import (
    GUARDS,
    Atom,
    Kind,
    Monomial,
    Polynomial,
    Rational,
    add,
    number,
    of_atom,
    rational,
    scale,
    subtract,
    variable,
)
from eqtrace.formula.rebuilding import Rebuilding, put_in

LIMIT_CASES = 4
LIMIT_ORDERS = 24


def is_zero(algebra: Algebra, poly: Polynomial, cases: int = LIMIT_CASES) -> bool:
    """Whether a polynomial is seen to be 0 for all sizes, indices and values."""
    if not poly.terms:
        return True
    poly = _one_sided(algebra, poly)
    if not poly.terms:
        return True
    cleared = _cleared(algebra, poly)
    if cleared is not None:
        return all(is_zero(algebra, each, cases) for each in cleared)
    for widely in (False, True):
        opened = _opened(algebra, poly, widely=widely)
        if opened is not None and all(is_zero(algebra, each, cases) for each in opened):
            return True
        if opened is not None and widely:
            return False
    return cases > 0 and _by_cases(algebra, poly, cases)


def _one_sided(algebra: Algebra, poly: Polynomial) -> Polynomial:
    """Every condition of a free argument in one of its two forms, so that both forms together add up to 1."""
    parts: list[Polynomial] = []
    for monomial, value in poly.terms.items():
        turned = [atom for atom, _ in monomial if _is_turned(algebra, atom)]
        if not turned:
            parts.append(Polynomial({monomial: value}))
            continue
        rest: dict[Atom, Rational] = {atom: e for atom, e in monomial if atom not in turned}
        result = algebra.monomial(value, rest)
        for atom in turned:
            result = algebra.multiply(result, subtract(number(1), of_atom(guards.opposite_atom(algebra, atom))))
        parts.append(result)
    return add(parts)


def _is_turned(algebra: Algebra, atom: Atom) -> bool:
    if atom.kind not in GUARDS or atom.kind is Kind.DELTA:
        return False
    return atom.kind is Kind.NOT_ZERO or guards.opposite_atom(algebra, atom).key < atom.key


# Denominators


def _cleared(algebra: Algebra, poly: Polynomial) -> list[Polynomial] | None:
    """By classes of broken exponents, the polynomial multiplied by its denominators; None where there are none."""
    bases = {atom for each in poly.terms for atom, _ in each if atom.kind is Kind.BASE}
    if not bases:
        return None
    classes: dict[tuple[tuple[Atom, Fraction], ...], list[tuple[Monomial, Rational]]] = {}
    for monomial, value in poly.terms.items():
        broken = ((atom, Fraction(e) - floor(e)) for atom, e in monomial if atom.kind is Kind.BASE)
        key = tuple(sorted(((atom, part) for atom, part in broken if part), key=lambda entry: entry[0].key))
        classes.setdefault(key, []).append((monomial, value))
    found: list[Polynomial] = []
    for terms in classes.values():
        least: dict[Atom, Rational] = {}
        for monomial, _ in terms:
            exponents: dict[Atom, Rational] = dict(monomial)
            for atom in bases:
                own = exponents.get(atom, 0)
                least[atom] = min(least.get(atom, own), own)
        parts: list[Polynomial] = []
        for monomial, value in terms:
            factors: dict[Atom, Rational] = dict(monomial)
            for atom, exponent in least.items():
                factors[atom] = rational(factors.get(atom, 0) - exponent)
            parts.append(algebra.monomial(value, factors))
        found.append(add(parts))
    return found


# Sums with denominators inside


def _opened(algebra: Algebra, poly: Polynomial, *, widely: bool) -> list[Polynomial] | None:
    """Where sums hold denominators of their own indices, what is summed in all of them, and the rest.

    Sums over the same ranges are opened together, with the same names; where several indices have one range, over all
    orders of these, of which the mean is the same sum. With `widely`, sums without denominators that run over such a
    range too are opened as well.
    """
    groups: dict[str, tuple[list[str], list[Polynomial]]] = {}
    rest: list[Polynomial] = []
    for monomial, value in poly.terms.items():
        atom = next((atom for atom, e in monomial if e == 1 and _inner(atom)), None)
        if atom is None:
            rest.append(Polynomial({monomial: value}))
            continue
        classes = _inner(atom)
        key = "|".join(f"{text}#{len(names)}" for text, names in classes)
        if key not in groups:
            groups[key] = [algebra.facts.fresh() for _, names in classes for _ in names], []
        others: dict[Atom, Rational] = {other: e for other, e in monomial if other != atom}
        outside = algebra.monomial(value, others)
        orders = [list(itertools.chain(*each)) for each in itertools.product(*_orders(classes))]
        for order in orders[:LIMIT_ORDERS]:
            inside = _with_names(algebra, atom, dict(zip(order, groups[key][0], strict=True)))
            groups[key][1].append(scale(algebra.multiply(outside, inside), Fraction(1, len(orders))))
        if len(orders) > LIMIT_ORDERS:
            return None
    if not groups:
        return None
    if widely:
        rest = [left for each in rest if (left := _joined(algebra, each, groups)) is not None]
    return [*(add(parts) for _, parts in groups.values()), add(rest)]


def _joined(
    algebra: Algebra, poly: Polynomial, groups: dict[str, tuple[list[str], list[Polynomial]]]
) -> Polynomial | None:
    """Add a term to the group of its range, as the mean over the indices that have it; the term if there is none."""
    ((monomial, value),) = poly.terms.items()
    for atom, exponent in monomial:
        if atom.kind is not Kind.SUM or exponent != 1:
            continue
        ends = zip(atom.args[::2], atom.args[1::2], strict=True)
        texts = {name: f"{start.key}:{stop.key}" for name, (start, stop) in zip(atom.bound, ends, strict=True)}
        for key, (names, parts) in groups.items():
            same = [name for name, text in texts.items() if f"{text}#1" == key]
            if not same or any(not set(atom.bound).isdisjoint(end.free) for end in atom.args):
                continue
            outside = algebra.monomial(value, {other: e for other, e in monomial if other != atom})
            for name in same:
                inside = _with_names(algebra, atom, {name: names[0]})
                parts.append(scale(algebra.multiply(outside, inside), Fraction(1, len(same))))
            return None
    return poly


def _orders(classes: list[tuple[str, list[str]]]) -> list[list[tuple[str, ...]]]:
    return [list(itertools.permutations(names)) for _, names in classes]


def _inner(atom: Atom) -> list[tuple[str, list[str]]]:
    """The bound names of a sum that stand in a denominator in it, by their range; none where ranges depend on them."""
    if atom.kind is not Kind.SUM:
        return []
    bound = set(atom.bound)
    names: set[str] = set()
    for inner, exponent in atom.factors:
        if inner.kind is Kind.BASE or (inner.kind is Kind.SUM and exponent < 0):
            names |= inner.free & bound
    classes: dict[str, list[str]] = {}
    for name in sorted(names):
        start, stop = atom.args[2 * atom.bound.index(name) :][:2]
        if not bound.isdisjoint(start.free | stop.free):
            return []
        classes.setdefault(f"{start.key}:{stop.key}", []).append(name)
    return sorted(classes.items())


def _with_names(algebra: Algebra, atom: Atom, names: dict[str, str]) -> Polynomial:
    """A sum's terms, with some of its bound names open under given names, summed over the others."""
    ranges, factors = binders.open_sum(algebra, atom)
    fixed = {new: names[old] for old, new in zip(atom.bound, ranges, strict=True) if old in names}
    values = {old: variable(new) for old, new in fixed.items()}
    for old, new in fixed.items():
        algebra.facts.ranges[new] = ranges[old]
    body = put_in(algebra, algebra.monomial(1, factors), values)
    left = {
        name: (put_in(algebra, start, values), put_in(algebra, stop, values))
        for name, (start, stop) in ranges.items()
        if name not in fixed
    }
    if not left:
        return body
    algebra.facts.ranges.update(left)
    return add(binders.closed(algebra, value, dict(each), left) for each, value in body.terms.items())


# Cases


def _by_cases(algebra: Algebra, poly: Polynomial, cases: int) -> bool:
    """Split by the sign of what stands in a condition with free arguments only."""
    held = sorted((atom for each in poly.terms for atom, _ in each if atom.kind in GUARDS), key=lambda atom: atom.key)
    if not held:
        return False
    argument = held[0].args[0]
    known = algebra.facts.known
    for sign in (1, -1):
        above = scale(argument, sign)
        before = len(known)
        known.append((above, POSITIVE))
        if algebra.facts.is_integer(argument):
            known.append((subtract(above, number(1)), NOT_NEGATIVE))
        try:
            if not is_zero(algebra, _decided(algebra, poly), cases - 1):
                return False
        finally:
            del known[before:]
    return is_zero(algebra, _vanishing(algebra, poly, argument), cases - 1)


def _decided(algebra: Algebra, poly: Polynomial) -> Polynomial:
    """Conditions decided anew, under what is known now."""
    again = Rebuilding(algebra, lambda atom: atom.kind in GUARDS, lambda atom: None)
    return again.polynomial(poly)


def _vanishing(algebra: Algebra, poly: Polynomial, argument: Polynomial) -> Polynomial:
    """Conditions as they are where the argument is 0, and what it gives put in."""
    parts: list[Polynomial] = []
    for monomial, value in poly.terms.items():
        result = of_atom(guards.zero_atom(Kind.DELTA, argument))
        factors: dict[Atom, Rational] = {}
        for atom, exponent in monomial:
            if atom.kind in GUARDS and _same(atom.args[0], argument):
                if atom.kind in (Kind.NOT_ZERO, Kind.POSITIVE):
                    result = number(0)
            else:
                factors[atom] = exponent
        parts.append(algebra.multiply(result, algebra.monomial(value, factors)))
    return add(parts)


def _same(one: Polynomial, other: Polynomial) -> bool:
    return one == other or one == scale(other, -1)
