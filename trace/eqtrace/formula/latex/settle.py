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
    Name,
    Node,
    Number,
    Rank,
    Term,
    children,
    rebuilt,
    walk,
)
from eqtrace.formula.trial import tried
from eqtrace.formula.written import written
from eqtrace.model.equation import Equation
from eqtrace.model.readback import ReadBack, Readback

POINTS = 8
LONGEST = 8  # above every integer that is drawn from 0 on
SECONDS = 3.0  # for one equation


def settle(equation: Equation, form: Form, found: Readback, comparison: Comparison, seed: int = 0) -> Readback:
    """Decide what is open: `agrees` by proof or by values, `differs` with the values, or not read for want of both."""
    deadline = time.process_time() + SECONDS
    rng = random.Random(zlib.crc32(f"{equation.id} latex {seed}".encode()))
    how, points = "proof", 0
    for pair in comparison.pairs:
        result = _settled(equation, form, pair, rng, deadline)
        if result.status is not ReadBack.AGREES:
            return replace(result, more=found.more)
        how = "values" if result.how == "values" else how
        points = max(points, result.points)
    return Readback(equation.id, ReadBack.AGREES, how, found.detail, points=points, more=found.more)


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
    claims = [claim, *ties(claim)]
    state = rng.getstate()
    trial = tried(target, claims, rng, POINTS, deadline)
    if trial.failure and not trial.counterexample:
        rng.setstate(state)
        alone = [replace(each, sides=(each.sides[1], each.sides[1])) for each in claims]
        form_alone = tried(target, alone, rng, POINTS, deadline)
        if not form_alone.failure:
            detail = f"it has no value where the form {written(node)} has one: {trial.failure}"
            status = ReadBack.DIFFERS if "has no value" in trial.failure else ReadBack.NOT_READ
            return Readback(equation.id, status, "", detail, offset, length, trial.points)
    if trial.counterexample:
        latex, other = _differing(pair.latex, node, pair.ranges)
        what = f"{pair.what}: " if pair.what else ""
        values = trial.counterexample.replace("side 1", "the LaTeX").replace("side 2", "the form")
        detail = f"{what}the form has {written(other)} here; {values}"
        return Readback(equation.id, ReadBack.DIFFERS, "values", detail, latex.offset, latex.length, trial.points)
    if _proved(target, claim, deadline):
        return Readback(equation.id, ReadBack.AGREES, "proof", points=trial.points)
    if trial.points == POINTS:
        return Readback(equation.id, ReadBack.AGREES, "values", points=trial.points)
    detail = f"it cannot be compared: {trial.failure}"
    return Readback(equation.id, ReadBack.NOT_READ, "", detail, offset, length)


def ties(claim: Claim) -> list[Claim]:
    """The claim where two things that it compares are equal: random reals never are."""
    found: list[Claim] = []
    for node in (each for side in claim.sides for each in walk(side)):
        if isinstance(node, Compare):
            left, right = node.left, node.right
        elif isinstance(node, Eq) and len(node.sides) == 2 and all(isinstance(each, Term) for each in node.sides):
            left, right = node.sides  # type: ignore[assignment]
        else:
            continue
        if not isinstance(left, Indexed | Name):
            left, right = right, left
        if isinstance(left, Indexed | Name) and not (isinstance(left, Name) and left.name in claim.indices):
            found.append(replace(claim, sides=tuple(_side(_put(side, left, right)) for side in claim.sides)))
    return list({repr(each.sides): each for each in found}.values())[:4]


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
