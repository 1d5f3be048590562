"""Polynomials built anew: other values for names or entries put in, names renamed. Bound names are opened before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from eqtrace.formula import binders, guards
from eqtrace.formula.polynomial import (
    ONE,
    Atom,
    Kind,
    Monomial,
    Polynomial,
    Rational,
    add,
    of_atom,
    ordered,
    scale,
)

if TYPE_CHECKING:
    from eqtrace.formula.algebra import Algebra

Renaming: TypeAlias = Mapping[str, str]


class Rebuilding:
    """Puts polynomials in the place of atoms.

    Args:
        algebra: the rules.
        touches: whether anything inside an atom can change.
        change: what stands in the place of a variable or an entry (its subscripts already rebuilt); None leaves it.
        exponential: the exponential of an entry to a power, where `change` has no polynomial for that entry.
    """

    def __init__(
        self,
        algebra: Algebra,
        touches: Callable[[Atom], bool],
        change: Callable[[Atom], Polynomial | None],
        exponential: Callable[[Atom, Rational], Polynomial | None] = lambda atom, exponent: None,
    ) -> None:
        self.algebra = algebra
        self.touches = touches
        self.change = change
        self.exponential = exponential

    def polynomial(self, poly: Polynomial) -> Polynomial:
        """A polynomial, rebuilt."""
        parts: list[Polynomial] = []
        for monomial, value in poly.terms.items():
            touched = [factor for factor in monomial if self.touches(factor[0])]
            if not touched:
                parts.append(Polynomial({monomial: value}))
                continue
            rest: dict[Atom, Rational] = {atom: e for atom, e in monomial if not self.touches(atom)}
            result = scale(self.algebra.product(self.factor(atom, e) for atom, e in touched), value)
            parts.append(self.algebra.multiply(result, Polynomial({ordered(rest): 1})) if rest else result)
        return add(parts)

    def factor(self, atom: Atom, exponent: Rational) -> Polynomial:
        """A power of an atom, rebuilt."""
        if not self.touches(atom):
            return Polynomial({((atom, exponent),): 1})
        if atom.kind is Kind.EXP:
            inner = atom.args[0].atom()
            if inner is not None and inner.kind is Kind.ENTRY:
                own = self._entry(inner)
                found = self.exponential(own, exponent)
                if found is not None:
                    return found
        return self.algebra.power(self.atom(atom), exponent)

    def atom(self, atom: Atom) -> Polynomial:
        """An atom, rebuilt."""
        algebra = self.algebra
        match atom.kind:
            case Kind.VARIABLE:
                changed = self.change(atom)
                return of_atom(atom) if changed is None else changed
            case Kind.ENTRY:
                own = self._entry(atom)
                changed = self.change(own)
                return of_atom(own) if changed is None else changed
            case Kind.EXP:
                return algebra.exp(self.polynomial(atom.args[0]))
            case Kind.BASE:
                return self.polynomial(atom.args[0])
            case Kind.DELTA:
                return guards.delta(algebra, self.polynomial(atom.args[0]))
            case Kind.NOT_ZERO:
                return guards.opposite(algebra, guards.delta(algebra, self.polynomial(atom.args[0])))
            case Kind.POSITIVE:
                return guards.positive(algebra, self.polynomial(atom.args[0]))
            case Kind.NOT_NEGATIVE:
                return guards.not_negative(algebra, self.polynomial(atom.args[0]))
            case Kind.FUNCTION:
                return self._function(atom)
            case Kind.SUM:
                return self._sum(atom)
            case Kind.REDUCTION:
                opened = binders.opened(algebra, atom)
                args = tuple(self.polynomial(arg) for arg in opened.args)
                return of_atom(binders.reduction(algebra, atom.name, opened.bound[0], args))
            case Kind.PARTIAL:
                args = tuple(self.polynomial(arg) for arg in atom.args)
                return of_atom(Atom(Kind.PARTIAL, atom.name, args))
        return of_atom(atom)

    def _entry(self, atom: Atom) -> Atom:
        if not any(self.touches(factor[0]) for arg in atom.args for each in arg.terms for factor in each):
            return atom
        return Atom(Kind.ENTRY, atom.name, tuple(self.polynomial(arg) for arg in atom.args))

    def _function(self, atom: Atom) -> Polynomial:
        args = [self.polynomial(arg) for arg in atom.args]
        if atom.name == "log":
            return self.algebra.log(args[0])
        if atom.name == "mod":
            return self.algebra.floor(args[0], args[1])[1]
        if atom.name == "floor":
            return floored(self.algebra, args[0])
        return of_atom(Atom(Kind.FUNCTION, atom.name, tuple(args)))

    def _sum(self, atom: Atom) -> Polynomial:
        ranges, factors = binders.open_sum(self.algebra, atom)
        new = {name: (self.polynomial(start), self.polynomial(stop)) for name, (start, stop) in ranges.items()}
        self.algebra.facts.ranges.update(new)
        body = self.algebra.product(self.factor(each, e) for each, e in factors.items())
        return add(binders.closed(self.algebra, value, dict(each), new) for each, value in body.terms.items())


def floored(algebra: Algebra, poly: Polynomial) -> Polynomial:
    """The floor of a polynomial, taken apart as a quotient of integers where it is one."""
    single = [e for each in poly.terms for atom, e in each if atom.kind is Kind.VARIABLE and e == -1]
    bottom = {atom for each in poly.terms for atom, e in each if atom.kind is Kind.VARIABLE and e == -1}
    if single and len(bottom) == 1:
        size = of_atom(next(iter(bottom)))
        return algebra.floor(algebra.multiply(poly, size), size)[0]
    return algebra.floor(poly, ONE)[0]


def put(algebra: Algebra, atom: Atom, exponent: Rational, values: Mapping[str, Polynomial]) -> Polynomial:
    """A power of an atom with other values for some names."""
    return _putting(algebra, values).factor(atom, exponent)


def put_in(algebra: Algebra, poly: Polynomial, values: Mapping[str, Polynomial]) -> Polynomial:
    """A polynomial with other values for some names."""
    return _putting(algebra, values).polynomial(poly) if values.keys() & poly.free else poly


def _putting(algebra: Algebra, values: Mapping[str, Polynomial]) -> Rebuilding:
    names = frozenset(values)

    def change(atom: Atom) -> Polynomial | None:
        return values.get(atom.name) if atom.kind is Kind.VARIABLE else None

    return Rebuilding(algebra, lambda atom: not names.isdisjoint(atom.free), change)


# Renaming: distinct names for distinct names, so that atoms stay atoms


def rename(algebra: Algebra, atom: Atom, names: Renaming) -> Atom:
    """An atom with free names renamed, distinct ones to distinct ones."""
    if atom.free.isdisjoint(names):
        return atom
    key = (atom, tuple(sorted((old, new) for old, new in names.items() if old in atom.free)))
    found = algebra.renamed.get(key)
    if found is None:
        found = algebra.renamed[key] = _renamed(algebra, atom, names)
    return found


def _renamed(algebra: Algebra, atom: Atom, names: Renaming) -> Atom:
    if atom.kind is Kind.VARIABLE:
        return Atom(Kind.VARIABLE, names[atom.name])
    if atom.kind in (Kind.DELTA, Kind.NOT_ZERO):
        return guards.zero_atom(atom.kind, rename_polynomial(algebra, atom.args[0], names))
    if atom.kind is Kind.SUM:
        ranges, factors = binders.open_sum(algebra, atom)
        new = {
            name: (rename_polynomial(algebra, start, names), rename_polynomial(algebra, stop, names))
            for name, (start, stop) in ranges.items()
        }
        return binders.canonical(algebra, new, {rename(algebra, each, names): e for each, e in factors.items()})
    if atom.kind is Kind.REDUCTION:
        opened = binders.opened(algebra, atom)
        args = tuple(rename_polynomial(algebra, arg, names) for arg in opened.args)
        return binders.reduction(algebra, atom.name, opened.bound[0], args)
    args = tuple(rename_polynomial(algebra, arg, names) for arg in atom.args)
    return Atom(atom.kind, atom.name, args)


def rename_polynomial(algebra: Algebra, poly: Polynomial, names: Renaming) -> Polynomial:
    """A polynomial with free names renamed, distinct ones to distinct ones."""
    if poly.free.isdisjoint(names):
        return poly
    terms: dict[Monomial, Rational] = {}
    for monomial, value in poly.terms.items():
        factors: dict[Atom, Rational] = {rename(algebra, atom, names): e for atom, e in monomial}
        terms[ordered(factors)] = value
    return Polynomial(terms)
