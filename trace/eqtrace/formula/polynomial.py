"""Polynomials with rational coefficients over atoms: the data of the normal form. Its rules are in `algebra`.

An atom is anything that is not taken apart: an index or a size, a symbol's entry, the exponential of a monomial, a sum
that cannot be split (its bound names are canonical, so that equal sums are one atom), a condition that counts as 1 or
0. A monomial is a product of atoms with rational exponents. Atoms are equal if their keys are.

Bound names are `~LEVEL.NUMBER`, the level being one more than that of everything inside, so that an inner name never
meets an outer one; names opened for work are `~~NUMBER`. Both sort behind every name of a form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

Rational: TypeAlias = int | Fraction


class Kind(StrEnum):
    """What an atom is."""

    VARIABLE = "v"  # an index, a size
    ENTRY = "e"  # an entry of a symbol; a scalar symbol has no subscripts
    NUMBER = "n"  # a prime, to a fraction between 0 and 1
    CONSTANT = "c"  # pi
    EXP = "x"  # of a monomial with coefficient 1; every other coefficient is an exponent
    BASE = "b"  # a polynomial under a negative or fractional exponent
    FUNCTION = "f"
    DELTA = "d"  # 1 where the argument is 0
    NOT_ZERO = "z"
    POSITIVE = "p"
    NOT_NEGATIVE = "q"
    SUM = "s"  # connected: no factor is free of the bound names, and no split into two sums is possible
    REDUCTION = "r"  # a maximum and the like, opaque
    PARTIAL = "t"  # the derivative of a symbol that depends on another in a way that is not said


GUARDS = frozenset((Kind.DELTA, Kind.NOT_ZERO, Kind.POSITIVE, Kind.NOT_NEGATIVE))


_NONE: frozenset[str] = frozenset()


class Atom:
    """See the module. `args` of a sum are start and stop of each bound name; of a reduction those, then its cases."""

    __slots__ = ("_hash", "args", "bound", "factors", "free", "key", "kind", "level", "name", "symbols")

    def __init__(
        self,
        kind: Kind,
        name: str,
        args: tuple[Polynomial, ...] = (),
        bound: tuple[str, ...] = (),
        factors: Monomial = (),
    ) -> None:
        self.kind = kind
        self.name = name
        self.args = args
        self.bound = bound
        self.factors = factors
        self.level: int
        self.free: frozenset[str]
        self.symbols: frozenset[str]
        if kind is Kind.VARIABLE:
            self.level, self.free, self.symbols, self.key = 0, frozenset((name,)), _NONE, "v" + name
            self._hash = hash(self.key)
            return
        parts: list[Polynomial | Atom] = [*args, *(atom for atom, _ in factors)] if factors else [*args]
        inner = max([part.level for part in parts], default=0)
        self.level = inner + 1 if bound else inner
        free = _NONE.union(*[part.free for part in parts])
        self.free = free - frozenset(bound) if bound else free
        self.symbols = _NONE.union(*[part.symbols for part in parts])
        if kind is Kind.ENTRY:
            self.symbols |= {name}
        elif kind is Kind.PARTIAL:
            self.symbols |= {name.partition("/")[0]}
        inside = ",".join([arg.key for arg in args])
        product = f"|{','.join(bound)}|{monomial_key(factors)}" if bound or factors else ""
        self.key = f"{kind}{name}({inside}{product})" if args or product else f"{kind}{name}"
        self._hash = hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self.key == other.key

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return self.key


Monomial: TypeAlias = tuple[tuple[Atom, Rational], ...]


def monomial_key(monomial: Monomial) -> str:
    """The key of a monomial, whose factors are in the order of their keys."""
    return "*".join(atom.key if exponent == 1 else f"{atom.key}^{exponent}" for atom, exponent in monomial)


def ordered(factors: Mapping[Atom, Rational]) -> Monomial:
    """Factors as a monomial."""
    if len(factors) == 1:
        return tuple(factors.items())
    return tuple(sorted(factors.items(), key=lambda factor: factor[0].key))


class Polynomial:
    """A sum of monomials with coefficients that are not 0."""

    __slots__ = ("_free", "_key", "_level", "_symbols", "terms")

    def __init__(self, terms: dict[Monomial, Rational]) -> None:
        self.terms = terms
        self._key: str | None = None
        self._free: frozenset[str] | None = None
        self._symbols: frozenset[str] | None = None
        self._level = -1

    @property
    def key(self) -> str:
        """Equal polynomials have equal keys."""
        if self._key is None:
            parts = sorted((monomial_key(monomial), value) for monomial, value in self.terms.items())
            self._key = "[" + "+".join(f"{value}:{text}" for text, value in parts) + "]"
        return self._key

    @property
    def free(self) -> frozenset[str]:
        """The free variables."""
        if self._free is None:
            self._free = _NONE.union(*[atom.free for each in self.terms for atom, _ in each])
        return self._free

    @property
    def symbols(self) -> frozenset[str]:
        """The names of symbols inside."""
        if self._symbols is None:
            self._symbols = _NONE.union(*[atom.symbols for each in self.terms for atom, _ in each])
        return self._symbols

    @property
    def level(self) -> int:
        """The highest level of bound names inside."""
        if self._level < 0:
            self._level = max([atom.level for each in self.terms for atom, _ in each], default=0)
        return self._level

    @property
    def size(self) -> int:
        """The number of monomials."""
        return len(self.terms)

    def constant(self) -> Rational | None:
        """The value of a polynomial without atoms; None of any other."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    def single(self) -> tuple[Rational, Monomial] | None:
        """Coefficient and factors where there is one monomial."""
        if len(self.terms) != 1:
            return None
        ((monomial, value),) = self.terms.items()
        return value, monomial

    def atom(self) -> Atom | None:
        """The atom that a polynomial is, if it is one."""
        single = self.single()
        if single is None or single[0] != 1 or len(single[1]) != 1 or single[1][0][1] != 1:
            return None
        return single[1][0][0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return self.key


def rational(value: Rational) -> Rational:
    """An int where the value is whole."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def number(value: Rational) -> Polynomial:
    """A constant."""
    return Polynomial({(): rational(value)} if value else {})


ZERO = number(0)
ONE = number(1)


def of_atom(atom: Atom) -> Polynomial:
    """An atom as a polynomial."""
    return Polynomial({((atom, 1),): 1})


def variable(name: str) -> Polynomial:
    """An index or a size."""
    return of_atom(Atom(Kind.VARIABLE, name))


def add(parts: Iterable[Polynomial]) -> Polynomial:
    """A sum."""
    terms: dict[Monomial, Rational] = {}
    for part in parts:
        for monomial, value in part.terms.items():
            new = terms.get(monomial, 0) + value
            if new:
                terms[monomial] = rational(new)
            else:
                terms.pop(monomial, None)
    return Polynomial(terms)


def scale(poly: Polynomial, factor: Rational) -> Polynomial:
    """A multiple."""
    if factor == 1:
        return poly
    return Polynomial({each: rational(value * factor) for each, value in poly.terms.items()}) if factor else ZERO


def subtract(left: Polynomial, right: Polynomial) -> Polynomial:
    """A difference."""
    return add((left, scale(right, -1)))


def content(poly: Polynomial) -> Fraction:
    """The positive rational that divides a polynomial into one with coprime integer coefficients."""
    from math import gcd, lcm

    top, bottom = 0, 1
    for value in poly.terms.values():
        top, bottom = gcd(top, value.numerator), lcm(bottom, value.denominator)
    return Fraction(top, bottom) if top else Fraction(1)
