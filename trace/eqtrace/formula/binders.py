"""Sums over open names closed into canonical atoms, and opened again.

A closed sum is connected: factors without a bound name stand outside, sums that share no factor are apart, sums within
are merged with it. A delta takes its index out, the range being kept as a condition where the value is not seen to lie
in it. The canonical order of bound names is found by refinement, ties by trying.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from eqtrace.formula import guards, rebuilding
from eqtrace.formula.polynomial import (
    ONE,
    Atom,
    Kind,
    Polynomial,
    Rational,
    add,
    monomial_key,
    of_atom,
    ordered,
    rational,
    subtract,
)

if TYPE_CHECKING:
    from eqtrace.formula.algebra import Algebra

Ranges: TypeAlias = dict[str, tuple[Polynomial, Polynomial]]
Factors: TypeAlias = dict[Atom, Rational]

LIMIT_ORDERS = 720
_TOKENS = re.compile(r"~~?[\d.]+|[^\W_]\w*|\W")


def closed(algebra: Algebra, coefficient: Rational, factors: Factors, ranges: Ranges) -> Polynomial:
    """The sum of a product over open names."""
    algebra.facts.tick()
    names = frozenset(ranges)
    for atom in factors:
        if atom.kind is Kind.DELTA and not names.isdisjoint(atom.free):
            found = _collapsed(algebra, coefficient, factors, ranges, atom)
            if found is not None:
                return found
    ranges, factors = _merged(algebra, ranges, factors)
    _cancel(algebra, ranges, factors)
    return _components(algebra, coefficient, ranges, factors)


def _collapsed(
    algebra: Algebra, coefficient: Rational, factors: Factors, ranges: Ranges, delta: Atom
) -> Polynomial | None:
    """A delta in a sum takes an index out: the index becomes what it must equal, where that is in its range."""
    facts = algebra.facts
    for name in sorted(ranges, reverse=True):
        found = guards.solved(algebra, delta.args[0], frozenset((name,)))
        if found is None or not facts.is_integer(found[1]):
            continue
        value = found[1]
        start, stop = ranges[name]
        dependent = {other for other, ends in ranges.items() if any(name in end.free for end in ends)}
        if dependent & value.free:
            continue
        parts: list[Polynomial] = []
        if not facts.not_negative(subtract(value, start)):
            parts.append(guards.not_negative(algebra, subtract(value, start)))
        if not facts.not_negative(subtract(subtract(stop, ONE), value)):
            parts.append(guards.not_negative(algebra, subtract(subtract(stop, ONE), value)))
        put = {name: value}
        rest: Factors = {atom: e for atom, e in factors.items() if atom != delta and name not in atom.free}
        parts += [
            rebuilding.put(algebra, atom, e, put) for atom, e in factors.items() if name in atom.free and atom != delta
        ]
        left = {
            other: (rebuilding.put_in(algebra, first, put), rebuilding.put_in(algebra, last, put))
            for other, (first, last) in ranges.items()
            if other != name
        }
        facts.ranges.update(left)
        body = algebra.multiply(algebra.product(parts), algebra.monomial(coefficient, rest))
        return add(closed(algebra, value, dict(each), left) for each, value in body.terms.items())
    return None


def _merged(algebra: Algebra, ranges: Ranges, factors: Factors) -> tuple[Ranges, Factors]:
    """Sums that depend on a bound name and are multiplied are one sum with it."""
    ranges, merged = dict(ranges), dict(factors)
    while True:
        inner = [
            (atom, e)
            for atom, e in merged.items()
            if atom.kind is Kind.SUM and isinstance(e, int) and e > 0 and not ranges.keys().isdisjoint(atom.free)
        ]
        if not inner:
            return ranges, merged
        for atom, exponent in inner:
            del merged[atom]
            for _ in range(exponent):
                own, product = open_sum(algebra, atom)
                ranges |= own
                for each, e in product.items():
                    merged[each] = rational(merged.get(each, 0) + e)
        merged = {atom: e for atom, e in merged.items() if e}


def _cancel(algebra: Algebra, ranges: Ranges, factors: Factors) -> None:
    """Where a product divides by a sum and holds the very terms of it, summed over alike, they cancel."""
    again = True
    while again:
        again = False
        for divisor in [a for a, e in factors.items() if a.kind is Kind.SUM and (e < 0 or not isinstance(e, int))]:
            count = len(divisor.bound)
            for names in itertools.combinations(sorted(ranges), count) if count <= 2 else ():
                chosen = frozenset(names)
                touched: Factors = {atom: e for atom, e in factors.items() if not chosen.isdisjoint(atom.free)}
                outer = [ends for name, ends in ranges.items() if name not in chosen]
                if len(touched) != len(divisor.factors) or divisor in touched:
                    continue
                if any(not chosen.isdisjoint(end.free) for ends in outer for end in ends):
                    continue
                if canonical(algebra, {name: ranges[name] for name in names}, touched) != divisor:
                    continue
                for atom in touched:
                    del factors[atom]
                for name in names:
                    del ranges[name]
                factors[divisor] = rational(factors[divisor] + 1)
                if not factors[divisor]:
                    del factors[divisor]
                again = True
                break
            if again:
                break


def _components(algebra: Algebra, coefficient: Rational, ranges: Ranges, factors: Factors) -> Polynomial:
    """The connected parts of a sum, each an atom; an index that nothing needs counts its range."""
    outside: Factors = {}
    links: list[set[str]] = []
    for atom, exponent in factors.items():
        used = set(atom.free & ranges.keys())
        if used:
            links.append(used)
        else:
            outside[atom] = exponent
    for name, ends in ranges.items():
        links.append({name, *(other for end in ends for other in end.free if other in ranges)})
    result = algebra.monomial(coefficient, outside)
    for names in _joined(links):
        own: Ranges = {name: ranges[name] for name in ranges if name in names}
        inside: Factors = {atom: e for atom, e in factors.items() if not atom.free.isdisjoint(names)}
        if not inside and len(own) == 1:
            ((start, stop),) = own.values()
            if algebra.facts.not_negative(subtract(stop, start)):
                result = algebra.multiply(result, subtract(stop, start))
                continue
        result = algebra.multiply(result, of_atom(canonical(algebra, own, inside)))
    return result


def _joined(links: list[set[str]]) -> list[set[str]]:
    groups: list[set[str]] = []
    for link in links:
        joined = set(link)
        apart = []
        for group in groups:
            if group.isdisjoint(joined):
                apart.append(group)
            else:
                joined |= group
        groups = [*apart, joined]
    return groups


# Canonical names


def canonical(algebra: Algebra, ranges: Ranges, factors: Factors) -> Atom:
    """The atom of a connected sum."""
    levels = [atom.level for atom in factors] + [end.level for ends in ranges.values() for end in ends]
    level = max(levels, default=0) + 1
    best: Atom | None = None
    for names in _orders(ranges, factors):
        renamed = {name: f"~{level}.{number}" for number, name in enumerate(names)}
        product = ordered({rebuilding.rename(algebra, atom, renamed): e for atom, e in factors.items()})
        ends = [rebuilding.rename_polynomial(algebra, end, renamed) for name in names for end in ranges[name]]
        found = Atom(Kind.SUM, "", tuple(ends), tuple(renamed.values()), product)
        if best is None or found.key < best.key:
            best = found
    if best is None:
        raise ValueError("a sum over nothing")
    return best


def _orders(ranges: Ranges, factors: Factors) -> Iterable[tuple[str, ...]]:
    """The orders of bound names to try: those that refinement leaves open."""
    if len(ranges) == 1:
        return (tuple(ranges),)
    colours = dict.fromkeys(ranges, 0)
    texts = [(monomial_key(((atom, e),)), atom.free) for atom, e in factors.items()]
    for _ in range(len(ranges)):
        found = {name: _signature(name, colours, ranges, texts) for name in ranges}
        ranks = {value: number for number, value in enumerate(sorted(set(found.values())))}
        new = {name: ranks[found[name]] for name in ranges}
        if new == colours:
            break
        colours = new
    classes: dict[int, list[str]] = {}
    for name in sorted(ranges):
        classes.setdefault(colours[name], []).append(name)
    parts = [itertools.permutations(classes[colour]) for colour in sorted(classes)]
    orders = (tuple(itertools.chain.from_iterable(each)) for each in itertools.product(*parts))
    return itertools.islice(orders, LIMIT_ORDERS)


def _signature(
    name: str, colours: Mapping[str, int], ranges: Ranges, texts: list[tuple[str, frozenset[str]]]
) -> tuple[str, ...]:
    def tokens(text: str) -> str:
        parts = (
            "@" if each == name else f"#{colours[each]}" if each in colours else each for each in _TOKENS.findall(text)
        )
        return " ".join(sorted(parts))

    own = sorted(tokens(text) for text, free in texts if name in free)
    ends = [tokens(end.key) for end in ranges[name]]
    used = sorted(tokens(end.key) for ends in ranges.values() for end in ends if name in end.free)
    return (str(colours[name]), *own, "/", *ends, "/", *used)


# Opening


@dataclass(frozen=True, slots=True)
class Opened:
    """A reduction with its bound name open."""

    bound: tuple[str, ...]
    args: tuple[Polynomial, ...]


def open_sum(algebra: Algebra, atom: Atom) -> tuple[Ranges, Factors]:
    """A sum's ranges and factors, with names that stand nowhere else."""
    names = {name: algebra.facts.fresh() for name in atom.bound}
    ranges: Ranges = {}
    for number, name in enumerate(names.values()):
        start, stop = atom.args[2 * number : 2 * number + 2]
        ranges[name] = (
            rebuilding.rename_polynomial(algebra, start, names),
            rebuilding.rename_polynomial(algebra, stop, names),
        )
    algebra.facts.ranges.update(ranges)
    return ranges, {rebuilding.rename(algebra, each, names): e for each, e in atom.factors}


def opened(algebra: Algebra, atom: Atom) -> Opened:
    """A reduction's arguments, with a bound name that stands nowhere else."""
    names = {name: algebra.facts.fresh() for name in atom.bound}
    args = tuple(rebuilding.rename_polynomial(algebra, arg, names) for arg in atom.args)
    algebra.facts.ranges.update(dict.fromkeys(names.values(), (args[0], args[1])))
    return Opened(tuple(names.values()), args)


def reduction(algebra: Algebra, kind: str, name: str, args: tuple[Polynomial, ...]) -> Atom:
    """The atom of a reduction over an open name: start, stop, then conditions and values in turn."""
    level = max(arg.level for arg in args) + 1
    new = {name: f"~{level}.0"}
    renamed = tuple(rebuilding.rename_polynomial(algebra, arg, new) for arg in args)
    return Atom(Kind.REDUCTION, kind, renamed, tuple(new.values()))
