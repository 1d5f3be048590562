"""Random points at which statements are evaluated: small sizes, then a value for every symbol without a definition."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from eqtrace.formula.dual import Num, Place, exact, fraction, plain
from eqtrace.formula.failures import EvaluationError, Undecided
from eqtrace.formula.given import Bounds, Problem, Requirement
from eqtrace.formula.pointwise import Point
from eqtrace.formula.shape import integer
from eqtrace.formula.term import Call, Compare, Node, Number, Term, symbol_names, walk

TRIES = 60
LIMIT_ENTRIES = 4_000
NEAR = Fraction(1, 2**30)
OFTEN = 0.3


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a point must have: symbols, sizes, symbols half of whose entries are 0, and reals that are tried often."""

    symbols: frozenset[str]
    sizes: frozenset[str]
    zeros: frozenset[str] = frozenset()
    special: tuple[Fraction, ...] = ()


def special(nodes: Iterable[Node]) -> tuple[Fraction, ...]:
    """Reals close to the numbers that something is compared with, and one between each two of them."""
    limits: set[Fraction] = set()
    for node in (each for top in nodes for each in walk(top)):
        if isinstance(node, Compare) or (isinstance(node, Call) and node.function in ("Max", "Min", "Abs", "sign")):
            limits |= {Fraction(0), *(each.value for each in walk(node) if isinstance(each, Number))}
    ends = sorted(limits)
    close = [end + sign * NEAR for end in ends for sign in (-1, 1)]
    return (*close, *((one + other) / 2 for one, other in itertools.pairwise(ends)))


def draw(problem: Problem, rng: random.Random, wanted: Wanted, deadline: float | None = None) -> Point:
    """A point at which all that `where` requires holds.

    Raises:
        EvaluationError: none was found.
    """
    needed = wanted.symbols
    for _ in range(TRIES):
        sizes = draw_sizes(problem, rng, wanted.sizes)
        if sizes is None:
            continue
        try:
            point = Point(problem, sizes, {})
            values: dict[str, Mapping[Place, Num]] = {}
            for name in sorted(needed - problem.definitions.keys() - sizes.keys()):
                values[name] = _values(problem, name, point, rng, wanted)
            point = Point(problem, sizes, values, deadline)
            if all(_holds(point, each, needed) for each in problem.where):
                return point
        except Undecided:
            continue
    raise EvaluationError("no point was found that `where` and the domains allow")


def draw_sizes(problem: Problem, rng: random.Random, wanted: frozenset[str]) -> dict[str, int] | None:
    """Small sizes, mostly distinct; None where `where` or a domain refuses them."""
    aliases = problem.aliases()
    wanted = wanted | {name for alias in wanted & aliases.keys() for name in symbol_names(aliases[alias])}
    aliases = {name: term for name, term in aliases.items() if name in wanted}
    names = sorted((problem.sizes & wanted) - aliases.keys())
    pool = [2, 3, 4] if len(names) <= 3 else [2, 3, 2, 1, 2, 3, 2, 2]
    rng.shuffle(pool)
    sizes = {name: pool[number % len(pool)] for number, name in enumerate(names)}
    if names and rng.random() < 0.2:
        sizes[rng.choice(names)] = 1
    for name in names:  # a size that is a symbol may have bounds of its own
        first = problem.bounds.get(name, Bounds()).first
        least = integer(first, sizes) if first is not None else None
        sizes[name] = max(sizes[name], least or 1)
    for name, term in aliases.items():
        value = integer(term, sizes)
        if value is None or value < 1:
            return None
        sizes[name] = value
    point = Point(problem, sizes, {})
    for requirement in problem.where:
        if requirement.indices or not set(symbol_names(requirement.condition)) <= sizes.keys():
            continue
        if not point.holds(requirement.condition, {}):
            return None
    return sizes


def _holds(point: Point, requirement: Requirement, needed: frozenset[str]) -> bool:
    names = set(symbol_names(requirement.condition)) - requirement.indices.keys() - point.sizes.keys()
    if not names <= needed:
        return True
    if not names:
        return True  # on sizes (seen already) or on indices alone, which it narrows
    return all(point.holds(requirement.condition, env) for env in environments(point, requirement.indices))


def environments(point: Point, indices: Mapping[str, object]) -> Iterator[dict[str, int]]:
    """All values of indices in their ranges, which may depend on each other."""
    names = list(indices)
    ordered: list[str] = []
    while names:
        ready = [
            name
            for name in names
            if not any(other in names for end in _ends(indices[name]) for other in symbol_names(end))
        ]
        if not ready:
            raise EvaluationError("ranges of indices depend on each other in a circle")
        ordered += ready
        names = [name for name in names if name not in ready]

    def extend(number: int, env: dict[str, int]) -> Iterator[dict[str, int]]:
        if number == len(ordered):
            yield env
            return
        name = ordered[number]
        start, stop = (int(plain(point.value(end, env))) for end in _ends(indices[name]))
        for value in range(start, stop):
            yield from extend(number + 1, {**env, name: value})

    return extend(0, {})


def _ends(ends: object) -> tuple[Term, Term]:
    return ends.start, ends.stop  # type: ignore[attr-defined]


def _values(problem: Problem, name: str, point: Point, rng: random.Random, wanted: Wanted) -> dict[Place, Num]:
    dims = problem.shapes.get(name.removeprefix("Old(").removesuffix(")"))
    if dims is None:
        dims = ()
    lengths = [integer(dim, point.sizes) for dim in dims]
    if any(length is None for length in lengths):
        raise EvaluationError(f"the shape of {name} is not known")
    places = list(itertools.product(*(range(length or 0) for length in lengths)))
    if len(places) > LIMIT_ENTRIES:
        raise EvaluationError(f"{name} is too large")
    bounds = problem.bounds.get(name, Bounds())
    if bounds.probabilities:
        return _probabilities(places, rng)
    if bounds.permutation:
        order = list(range(len(places)))
        rng.shuffle(order)
        return dict(zip(places, order, strict=True))
    first, last = _bound(bounds.first, point), _bound(bounds.last, point)
    found: dict[Place, Num] = {}
    for place in places:
        zero = name in wanted.zeros and not bounds.one_of and rng.random() < 0.5
        found[place] = 0 if zero else _value(bounds, first, last, rng)
        if wanted.special and not bounds.integer and not bounds.one_of and rng.random() < OFTEN:
            value = rng.choice(wanted.special)
            if (first is None or first < value) and (last is None or value < last):
                found[place] = exact(value)
    return found


def _bound(term: Term | None, point: Point) -> Fraction | None:
    if term is None or any(each.name not in point.sizes for each in walk(term) if hasattr(each, "name")):
        return None
    value = plain(point.value(term, {}))
    return Fraction(float(value.mid())) if isinstance(value, arb) else fraction(value)


def _value(bounds: Bounds, first: Fraction | None, last: Fraction | None, rng: random.Random) -> Num:
    if bounds.one_of:
        return exact(Fraction(rng.choice(bounds.one_of)))
    low = first if first is not None else (last - 3 if last is not None else Fraction(-2))
    high = last if last is not None else low + 4
    if bounds.integer:
        return rng.randint(int(low), min(int(high), int(low) + 6))
    if high - low > 8:
        high = low + 8
    steps = rng.randint(1, 22)
    return exact(low + (high - low) * Fraction(steps, 23))


def _probabilities(places: list[Place], rng: random.Random) -> dict[Place, Num]:
    weights = {place: Fraction(rng.randint(1, 9)) for place in places}
    totals: dict[Place, Fraction] = {}
    for place, weight in weights.items():
        totals[place[:-1]] = totals.get(place[:-1], Fraction(0)) + weight
    return {place: exact(weight / totals[place[:-1]]) for place, weight in weights.items()}
