"""Claims tried at random points, exactly or in balls: the independent half of a proof."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass

from flint import arb

from eqtrace.formula import dual
from eqtrace.formula.ball import precision
from eqtrace.formula.dual import Num
from eqtrace.formula.failures import EvaluationError, Undecided
from eqtrace.formula.form import Range
from eqtrace.formula.given import Bounds, Problem
from eqtrace.formula.points import Wanted, draw, environments, special
from eqtrace.formula.pointwise import Point
from eqtrace.formula.statement import Claim
from eqtrace.formula.term import Condition, Eq, Indexed, Name, Node, Term, symbol_names, walk

BITS = 160
LIMIT_PLACES = 16
ATTEMPTS = 6
_SMALL = arb(2) ** -60


@dataclass(frozen=True, slots=True)
class Trial:
    """How many index values were compared at how many points, and where the sides differ."""

    points: int = 0
    compared: int = 0
    counterexample: str = ""
    part: int = 0
    failure: str = ""  # why fewer points than asked for


def tried(problem: Problem, claims: list[Claim], rng: random.Random, points: int, deadline: float) -> Trial:
    """Compare the sides of claims at random points, until every claim was met at as many as asked for."""
    met = [0] * len(claims)
    compared = 0
    failure = ""
    wanted = wanted_of(problem, claims)
    with precision(BITS):
        for _ in range(points * ATTEMPTS * len(claims)):
            if min(met) == points:
                break
            if time.process_time() > deadline:
                failure = "the time limit has passed"
                break
            try:
                point = draw(problem, rng, wanted, deadline)
                for number, claim in enumerate(claims):
                    if met[number] == points:
                        continue
                    found, count = _compare(point, claim, rng, deadline)
                    if found:
                        return Trial(min(met) + 1, compared + count, found, claim.part)
                    compared += count
                    met[number] += count > 0
                    if not count:
                        failure = "no index value met the premises"
            except (EvaluationError, Undecided) as error:
                failure = str(error)
    done = min(met)
    return Trial(done, compared, failure="" if done == points else f"{done} random points evaluated: {failure}")


def wanted_of(problem: Problem, claims: list[Claim]) -> Wanted:
    """What claims need of a point: the symbols and sizes in them, in what they depend on, and in the shapes of that."""
    nodes: list[Node] = []
    zeros: set[str] = set()
    for claim in claims:
        nodes += [*claim.sides, *claim.premises, *_ends(claim.indices)]
        for part in (each for premise in claim.premises for each in walk(premise)):
            if isinstance(part, Eq) and isinstance(part.sides[0], Indexed | Name):
                side = part.sides[0]
                zeros.add(side.base if isinstance(side, Indexed) else side.name)
    names = {other for node in nodes for name in symbol_names(node) for other in problem.depends(name)}
    symbols = frozenset(name for name in names if name in problem.shapes or name.startswith("Old("))
    own = [problem.definitions[name] for name in sorted(symbols) if name in problem.definitions]
    nodes += [each.body or each.law or Name(each.symbol) for each in own]
    limits = special(nodes)
    for each in own:
        nodes += _ends(each.indices)
    for name in symbols:
        nodes += problem.shapes.get(name.removeprefix("Old(").removesuffix(")")) or ()
        bounds = problem.bounds.get(name, Bounds())
        nodes += [end for end in (bounds.first, bounds.last) if end is not None]
    sizes = frozenset(name for node in nodes for name in symbol_names(node)) & frozenset(problem.sizes)
    return Wanted(symbols, sizes, frozenset(zeros), limits)


def _ends(indices: Mapping[str, Range]) -> list[Node]:
    return [end for ends in indices.values() for end in (ends.start, ends.stop)]


def _compare(point: Point, claim: Claim, rng: random.Random, deadline: float) -> tuple[str, int]:
    """The first place where neighbouring sides differ, and how many places were compared."""
    places = list(environments(point, claim.indices))
    if len(places) > LIMIT_PLACES:
        places = rng.sample(places, LIMIT_PLACES)
    count = 0
    for env in places:
        if time.process_time() > deadline:
            raise EvaluationError("the time limit has passed")
        if not all(point.holds(premise, env) for premise in claim.premises):
            continue
        values = [_side(point, side, env) for side in claim.sides]
        for number, (one, other) in enumerate(itertools.pairwise(values), claim.first):
            if not _agree(one, other):
                return _shown(point, env, number, one, other), count + 1
        count += 1
    return "", count


def _side(point: Point, side: Term | Condition, env: dict[str, int]) -> Num:
    if isinstance(side, Term):
        return dual.plain(point.value(side, env))
    return int(point.holds(side, env))


def _agree(one: Num, other: Num) -> bool:
    """Whether two values are equal.

    Raises:
        Undecided: the balls are too wide to tell.
    """
    if not isinstance(one, arb) and not isinstance(other, arb):
        return bool(one == other)
    first, second = dual.ball(one), dual.ball(other)
    if not first.is_finite() or not second.is_finite():
        raise EvaluationError("a value that is not finite")
    difference = first - second
    if not difference.contains(0):
        return False
    if not difference.rad() < _SMALL * (1 + abs(first)).upper():
        raise Undecided("balls too wide to compare")
    return True


def _shown(point: Point, env: dict[str, int], number: int, one: Num, other: Num) -> str:
    sizes = ", ".join(f"{name} = {size}" for name, size in sorted(point.sizes.items()))
    places = ", ".join(f"{name} = {value}" for name, value in env.items())
    where = " and ".join(part for part in (sizes and f"sizes {sizes}", places and f"indices {places}") if part)
    inputs = ", ".join(
        f"{name}{list(at) if at else ''} = {value}"
        for name, entries in sorted(point.values.items())
        for at, value in list(entries.items())[:4]
    )
    return (
        f"at {where or 'a point'} side {number} is {_text(one)} and side {number + 1} is {_text(other)}; with {inputs}"
    )


def _text(value: Num) -> str:
    return f"{float(dual.ball(value).mid()):.12g}"
