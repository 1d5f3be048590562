"""What the cheap normal form leaves open: random points, then the prover. It is imported late, for it needs NumPy.

Both sides are compared as they are written, with every symbol free: no definition is used, and derivatives and applied
functions are symbols of their own.
"""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from eqtrace.formula.facts import TimeUp
from eqtrace.formula.form import Form, Range
from eqtrace.formula.given import Bounds, Problem, problem
from eqtrace.formula.latex.compare import Comparison, Pair
from eqtrace.formula.latex.conditions import UNDEFINED
from eqtrace.formula.latex.opaque import Opaque
from eqtrace.formula.prover import for_all_sizes
from eqtrace.formula.statement import Claim, free_ranges
from eqtrace.formula.term import (
    Compare,
    Condition,
    Eq,
    Indexed,
    Node,
    Number,
    Rank,
    Reduction,
    Term,
    children,
    rebuilt,
    symbol_names,
    walk,
)
from eqtrace.formula.trial import Trial, tried
from eqtrace.formula.written import written
from eqtrace.model.equation import Equation
from eqtrace.model.readback import ReadBack, Readback

POINTS = 8
LONGEST = 8  # above every integer that is drawn from 0 on
SECONDS = 3.0  # for one equation
_TEXT = "the text that was read"


def settle(
    equation: Equation, form: Form, found: Readback, comparison: Comparison, seed: int = 0, noun: str = "the LaTeX"
) -> Readback:
    """Decide what is open: `agrees` by proof or by values, `differs` with the values, or not read for want of both.

    `noun` is what messages call the text that was read.
    """
    deadline = time.process_time() + SECONDS
    rng = random.Random(zlib.crc32(f"{equation.id} latex {seed}".encode()))
    how, points = "proof", 0
    for pair in comparison.pairs:
        result = _settled(equation, form, pair, rng, deadline)
        if result.status is not ReadBack.AGREES:
            detail = result.detail.replace(_TEXT, noun)
            return replace(result, equation=found.equation, detail=detail, more=found.more)
        how = "values" if result.how == "values" else how
        points = max(points, result.points)
    return replace(found, status=ReadBack.AGREES, how=how, points=points)


def _settled(equation: Equation, form: Form, pair: Pair, rng: random.Random, deadline: float) -> Readback:
    """One pair: it must agree with one of the form's nodes."""
    first: Readback | None = None
    for node in pair.forms:
        result = _against(equation, form, pair, node, rng, deadline)
        if result.status is ReadBack.AGREES:
            return result
        first = first or result
    assert first is not None
    return first


def _against(equation: Equation, form: Form, pair: Pair, node: Node, rng: random.Random, deadline: float) -> Readback:
    target = problem(replace(equation, given=()), form, {}, {})
    opaque = Opaque(target.shapes, pair.ranges)
    offset, length = pair.latex.offset, pair.latex.length
    try:
        sides = tuple(_side(opaque.closed(each)) for each in (pair.latex, node))
        premises = tuple(_condition(opaque.closed(each)) for each in pair.premises)
        ranges = free_ranges((*sides, *premises), dict(pair.ranges))
    except (ValueError, KeyError) as error:
        return Readback(equation.id, ReadBack.NOT_READ, "", f"it cannot be compared: {error}", offset, length)
    _declare(target, opaque)
    claim = Claim(sides, premises, ranges)
    state = rng.getstate()
    trial = tried(target, [claim], rng, POINTS, deadline)
    if trial.failure and not trial.counterexample:
        rng.setstate(state)
        form_alone = tried(target, [replace(claim, sides=(sides[1], sides[1]))], rng, POINTS, deadline)
        if not form_alone.failure:
            detail = f"it has no value where the form {written(node)} has one: {trial.failure}"
            status = ReadBack.DIFFERS if "has no value" in trial.failure else ReadBack.NOT_READ
            return Readback(equation.id, status, "", detail, offset, length, trial.points)
    if not trial.counterexample:
        tied = _tied(target, claim, rng, deadline)
        trial = tied if tied.counterexample else trial
    if trial.counterexample:
        latex, other = _differing(pair.latex, node, pair.ranges)
        what = f"{pair.what}: " if pair.what else ""
        values = trial.counterexample.replace("side 1", _TEXT).replace("side 2", "the form")
        detail = f"{what}the form has {written(other)} here\n{values}"
        return Readback(equation.id, ReadBack.DIFFERS, "values", detail, latex.offset, latex.length, trial.points)
    if _proved(target, claim, deadline):
        return Readback(equation.id, ReadBack.AGREES, "proof", points=trial.points)
    if trial.points == POINTS:
        return Readback(equation.id, ReadBack.AGREES, "values", points=trial.points)
    detail = f"it cannot be compared: {trial.failure}"
    return Readback(equation.id, ReadBack.NOT_READ, "", detail, offset, length)


def _tied(target: Problem, claim: Claim, rng: random.Random, deadline: float) -> Trial:
    """The claim where things that are compared are often equal, which random reals never are."""
    compared = [each for side in claim.sides for each in walk(side) if isinstance(each, Compare | Eq)]
    names = {name for each in compared for name in symbol_names(each)}
    coarse = {name: bounds for name in names & target.shapes.keys() if (bounds := _coarse(target, name)) is not None}
    if not compared:
        return Trial()
    few = replace(target, bounds={**target.bounds, **coarse})
    trial = tried(few, [claim], rng, POINTS, deadline)
    if trial.counterexample:
        return trial
    for each in _substituted(claim):
        trial = tried(target, [each], rng, 2, deadline)
        if trial.counterexample:
            return trial
    return Trial()


def _coarse(target: Problem, name: str) -> Bounds | None:
    """Two values that a symbol may take, so that many of its entries are alike; None where it has too few anyway."""
    bounds = target.bounds.get(name, Bounds())
    if bounds.one_of or bounds.probabilities or bounds.permutation or bounds.integer:
        return None
    ends = [each.value if isinstance(each, Number) else None for each in (bounds.first, bounds.last)]
    if [end is None for end in ends] != [bounds.first is None, bounds.last is None]:
        return None
    low, high = ends
    fits = [
        value
        for value in (0.0, 1.0, 0.5, 2.0, -1.0)
        if (low is None or low < value or (low == value and "min" not in bounds.open))
        and (high is None or value < high or (high == value and "max" not in bounds.open))
    ]
    return replace(bounds, one_of=tuple(fits[:2])) if len(fits) > 1 else None


def _substituted(claim: Claim) -> list[Claim]:
    """The claim with one side of a comparison in place of the other, where that is the only entry of its symbol."""
    entries = [each for side in claim.sides for each in walk(side) if isinstance(each, Indexed)]
    found: list[Claim] = []
    for side in claim.sides:
        bound = {each.index for each in walk(side) if isinstance(each, Reduction)}
        for node in (each for each in walk(side) if isinstance(each, Compare)):
            left, right = node.left, node.right
            if not isinstance(left, Indexed):
                left, right = right, left
            alone = all(each == left for each in entries if isinstance(left, Indexed) and each.base == left.base)
            if isinstance(left, Indexed) and alone and not bound & set(symbol_names(node)):
                found.append(replace(claim, sides=tuple(_side(_put(each, left, right)) for each in claim.sides)))
    return found[:4]


def _put(node: Node, old: Node, new: Node) -> Node:
    return new if node == old else rebuilt(node, lambda each: _put(each, old, new))


def _proved(target: Problem, claim: Claim, deadline: float) -> bool:
    try:
        return not for_all_sizes(target, [claim], min(deadline, time.process_time() + 1.0)).failures
    except (TimeUp, RecursionError):
        return False


def _declare(target: Problem, opaque: Opaque) -> None:
    """The symbols that were made, each free; the rows of a ragged family as long as the longest may be."""
    for name, dims in target.shapes.items():
        if dims is not None and any(isinstance(each, Indexed) for dim in dims for each in walk(dim)):
            target.shapes[name] = tuple(
                Number(Fraction(LONGEST)) if any(isinstance(each, Indexed) for each in walk(dim)) else dim
                for dim in dims
            )
    target.shapes[UNDEFINED] = ()
    ranks = {name for name, kind in opaque.kinds.items() if kind is Rank}
    for name, dims in opaque.made.items():
        target.shapes[name] = dims
        if name in ranks:
            target.bounds[name] = Bounds(integer=True)


def _differing(latex: Node, form: Node, ranges: Mapping[str, Range]) -> tuple[Node, Node]:
    """The smallest part of LaTeX that differs, and the form's: as long as one part alone does."""
    from eqtrace.formula.latex.canon import Canon, TooLarge

    canon = Canon(ranges)
    while type(latex) is type(form):
        parts = list(zip(children(latex), children(form), strict=False))
        try:
            unlike = [(one, other) for one, other in parts if canon.key(one) != canon.key(other)]
        except TooLarge:
            break
        if len(unlike) != 1 or len(list(children(latex))) != len(list(children(form))):
            break
        one, other = unlike[0]
        if not isinstance(one, Term | Condition) or (one.offset, one.length) == (0, 1):
            break
        latex, form = one, other
    return latex, form


def _side(node: Node) -> Term | Condition:
    assert isinstance(node, Term | Condition)
    return node


def _condition(node: Node) -> Condition:
    assert isinstance(node, Condition)
    return node
