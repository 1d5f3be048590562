"""What is known while a proof is made: sizes are at least 1, indices lie in their ranges, symbols in their domains.

Whatever a step needs and cannot show from these is noted as an assumption.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from fractions import Fraction

from eqtrace.formula.polynomial import (
    GUARDS,
    ONE,
    Atom,
    Kind,
    Monomial,
    Polynomial,
    Rational,
    add,
    number,
    scale,
    subtract,
    variable,
)

NOT_NEGATIVE, NOT_ZERO, POSITIVE = 1, 2, 3  # signs are sets of bits; POSITIVE is both
LIMIT_TERMS = 4_000


class Unprovable(Exception):
    """The normal form does not get there: an operation that it refuses, or too large a polynomial."""


class TimeUp(Unprovable):
    """The time limit has passed."""


@dataclass
class Facts:
    """See the module."""

    sizes: set[str] = field(default_factory=set)
    ranges: dict[str, tuple[Polynomial, Polynomial]] = field(default_factory=dict)  # half-open, of indices
    signs: dict[str, int] = field(default_factory=dict)  # of every entry of a symbol
    integers: dict[str, tuple[Polynomial | None, Polynomial | None]] = field(default_factory=dict)  # first and last
    known: list[tuple[Polynomial, int]] = field(default_factory=list)  # polynomials and their signs
    assumptions: dict[str, None] = field(default_factory=dict)
    deadline: float | None = None
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    ticks: int = 0

    def fresh(self) -> str:
        """A name that stands nowhere else."""
        return f"~~{next(self._numbers)}"

    def tick(self) -> None:
        """Called in every inner step.

        Raises:
            TimeUp: the time is over.
        """
        self.ticks += 1
        if self.deadline is not None and self.ticks % 64 == 0 and time.process_time() > self.deadline:
            raise TimeUp("the time limit has passed")

    def assume(self, text: str) -> None:
        """Note an assumption."""
        self.assumptions[text] = None

    # Signs

    def sign(self, poly: Polynomial) -> int:
        """What is known of a polynomial's sign."""
        single = poly.single()
        if single is not None:
            bits = self.monomial_sign(single[1])
            found = bits & NOT_ZERO if single[0] < 0 else bits
        else:
            signs = [self.monomial_sign(each) for each in poly.terms]
            up = all(value > 0 for value in poly.terms.values()) and all(bits & NOT_NEGATIVE for bits in signs)
            found = (NOT_NEGATIVE | (NOT_ZERO if NOT_ZERO & _any(signs) else 0)) if up else 0
        if found == POSITIVE:
            return found
        for known, bits in self.known:
            if known == poly:
                found |= bits
            elif bits & NOT_ZERO and known == scale(poly, -1):
                found |= NOT_ZERO
        return found

    def monomial_sign(self, monomial: Monomial) -> int:
        """What is known of a product's sign."""
        bits = POSITIVE
        for atom, exponent in monomial:
            bits &= self.factor_sign(atom, exponent)
        return bits

    def factor_sign(self, atom: Atom, exponent: Rational) -> int:
        """What is known of a power's sign, wherever the power is defined."""
        bits = self.atom_sign(atom)
        if exponent < 0:
            bits |= NOT_ZERO
        if isinstance(exponent, Fraction) or exponent % 2 == 0:
            bits |= NOT_NEGATIVE
        return bits

    def atom_sign(self, atom: Atom) -> int:
        """What is known of an atom's sign."""
        match atom.kind:
            case Kind.VARIABLE:
                return self._variable_sign(atom.name)
            case Kind.ENTRY:
                return self.signs.get(atom.name, 0)
            case Kind.EXP | Kind.NUMBER:
                return POSITIVE
            case Kind.CONSTANT:
                return POSITIVE if atom.name == "pi" else 0
            case Kind.BASE:
                return self.sign(atom.args[0])
            case Kind.SUM:
                bits = self.monomial_sign(atom.factors)
                if bits == POSITIVE:
                    pairs = zip(atom.args[::2], atom.args[1::2], strict=True)
                    full = all(self.not_negative(subtract(stop, add((start, ONE)))) for start, stop in pairs)
                    return POSITIVE if full else NOT_NEGATIVE
                return bits & NOT_NEGATIVE
            case Kind.FUNCTION:
                return POSITIVE if atom.name in ("cosh", "erfc") else 0
        return NOT_NEGATIVE if atom.kind in GUARDS else 0

    def _variable_sign(self, name: str) -> int:
        if name in self.sizes:
            return POSITIVE
        if name in self.ranges:
            start = self.ranges[name][0].constant()
            if start is not None:
                return POSITIVE if start > 0 else NOT_NEGATIVE if start == 0 else 0
            return NOT_NEGATIVE if self.not_negative(self.ranges[name][0]) else 0
        return 0

    # Integers

    def is_integer(self, poly: Polynomial) -> bool:
        """Whether a polynomial surely has integer values."""
        return all(
            value.denominator == 1
            and all(isinstance(exponent, int) and exponent > 0 and self._whole(atom) for atom, exponent in monomial)
            for monomial, value in poly.terms.items()
        )

    def _whole(self, atom: Atom) -> bool:
        if atom.kind is Kind.VARIABLE:
            return atom.name in self.sizes or atom.name in self.ranges
        if atom.kind is Kind.ENTRY:
            return atom.name in self.integers
        return atom.kind in GUARDS or (atom.kind is Kind.FUNCTION and atom.name in ("floor", "mod"))

    def not_negative(self, poly: Polynomial) -> bool:
        """Whether a polynomial is surely at least 0, by signs, by what is known, or by the ranges of what is in it."""
        value = poly.constant()
        if value is not None:
            return value >= 0
        if self.sign(poly) & NOT_NEGATIVE:
            return True
        if self._by_ranges(poly):
            return True
        return any(bits & NOT_NEGATIVE and self._by_ranges(subtract(poly, known)) for known, bits in self.known)

    def within(self, poly: Polynomial, start: Polynomial, stop: Polynomial) -> bool:
        """Whether an integer surely lies in a half-open range."""
        atom = poly.atom()
        if atom is not None and self.ranges.get(atom.name) == (start, stop) and atom.kind is Kind.VARIABLE:
            return True
        if not start.terms and self._is_composite(poly, stop):
            return True
        return self.not_negative(subtract(poly, start)) and self.not_negative(subtract(subtract(stop, ONE), poly))

    def _is_composite(self, poly: Polynomial, stop: Polynomial) -> bool:
        """Whether a polynomial is h*s + c, h from 0 below H, c from 0 below s, and the end H*s; the usual case."""
        if poly.size != 2:
            return False
        high, low = sorted(poly.terms, key=len, reverse=True)
        if len(high) != 2 or len(low) != 1 or any(value != 1 for value in poly.terms.values()):
            return False
        if any(exponent != 1 or atom.kind is not Kind.VARIABLE for atom, exponent in (*high, *low)):
            return False
        for head, width in (high, high[::-1]):
            first, second = self.ranges.get(head[0].name), self.ranges.get(low[0][0].name)
            if first is None or second is None or width[0].name not in self.sizes or first[0].terms or second[0].terms:
                continue
            size = Polynomial({(width,): 1})
            if second[1] == size and plain_product(first[1], size) == stop:
                return True
        return False

    def _by_ranges(self, poly: Polynomial) -> bool:
        """Put each bounded name as far as it can go (first + more, or last - more) until all coefficients are >= 0."""
        rest: set[str] = set()
        for _ in range(24):
            if all(value >= 0 for value in poly.terms.values()):
                return all(self._counts(each, rest) for each in poly.terms)
            found = self._replacement(poly, rest)
            if found is None:
                return False
            atom, value = found
            poly = _put(poly, atom, value)
        return False

    def _counts(self, monomial: Monomial, rest: set[str]) -> bool:
        return all(
            (atom.kind is Kind.VARIABLE and atom.name in rest) or self.factor_sign(atom, exponent) & NOT_NEGATIVE
            for atom, exponent in monomial
        )

    def _replacement(self, poly: Polynomial, rest: set[str]) -> tuple[Atom, Polynomial] | None:
        """The next name to replace: indices and integers before sizes, for their bounds hold sizes."""
        signs: dict[Atom, set[bool]] = {}
        powers = {atom for each in poly.terms for atom, exponent in each if exponent not in (1, 2)}
        for monomial, value in poly.terms.items():
            for atom, _ in monomial:
                if atom not in powers and atom.kind in (Kind.VARIABLE, Kind.ENTRY) and atom.name not in rest:
                    signs.setdefault(atom, set()).add(value > 0)
        for atom, found in sorted(signs.items(), key=lambda entry: (entry[0].name in self.sizes, entry[0].key)):
            first, last = self._bounds(atom)
            if any(atom.key in other.key and other != atom for each in poly.terms for other, _ in each):
                continue
            if found == {False} and last is not None:
                return atom, subtract(last, self._more(rest))
            if True in found and first is not None and (first.terms or atom.name in self.sizes):
                return atom, add((first, self._more(rest)))
            if True in found and first is not None and atom.kind is Kind.ENTRY:
                return atom, self._more(rest)
        return None

    def _more(self, rest: set[str]) -> Polynomial:
        name = self.fresh()
        rest.add(name)
        return variable(name)

    def _bounds(self, atom: Atom) -> tuple[Polynomial | None, Polynomial | None]:
        if atom.kind is Kind.ENTRY:
            return self.integers.get(atom.name, (None, None))
        if atom.name in self.sizes:
            return ONE, None
        if atom.name in self.ranges:
            start, stop = self.ranges[atom.name]
            return start, subtract(stop, ONE)
        return None, None


def _any(signs: list[int]) -> int:
    found = 0
    for bits in signs:
        found |= bits if bits & NOT_NEGATIVE else 0
    return found


def _put(poly: Polynomial, atom: Atom, value: Polynomial) -> Polynomial:
    """A polynomial with one atom, of exponent 1 or 2, replaced; everything else stays as it is."""
    parts: list[Polynomial] = []
    for monomial, coefficient in poly.terms.items():
        result = number(coefficient)
        for factor, exponent in monomial:
            times = value if factor == atom else Polynomial({((factor, exponent),): 1})
            for _ in range(int(exponent) if factor == atom else 1):
                result = plain_product(result, times)
        parts.append(result)
    return add(parts)


def plain_product(left: Polynomial, right: Polynomial) -> Polynomial:
    """A product of polynomials whose atoms need no rules: indices, sizes, entries."""
    terms: dict[Monomial, Rational] = {}
    for one, first in left.terms.items():
        for other, second in right.terms.items():
            factors: dict[Atom, Rational] = dict(one)
            for atom, exponent in other:
                factors[atom] = factors.get(atom, 0) + exponent
            key = tuple(sorted(((a, e) for a, e in factors.items() if e), key=lambda factor: factor[0].key))
            terms[key] = terms.get(key, 0) + first * second
    return Polynomial({each: value for each, value in terms.items() if value})
