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

from eqtrace.formula.facts import TimeUp
from eqtrace.formula.form import Form, Range
from eqtrace.formula.given import Bounds, Problem, problem
from eqtrace.formula.latex.compare import Comparison, Pair
from eqtrace.formula.latex.opaque import Opaque
from eqtrace.formula.latex.parser import UNDEFINED
from eqtrace.formula.prover import for_all_sizes
from eqtrace.formula.statement import Claim, free_ranges
from eqtrace.formula.term import Condition, Node, Rank, Term, children
from eqtrace.formula.trial import tried
from eqtrace.formula.written import written
from eqtrace.model.equation import Equation
from eqtrace.model.readback import ReadBack, Readback

POINTS = 8
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
    trial = tried(target, [claim], rng, POINTS, deadline)
    if trial.counterexample:
        latex, other = _differing(pair.latex, node, pair.ranges)
        what = f"{pair.what}: " if pair.what else ""
        values = trial.counterexample.replace("side 1", "the LaTeX").replace("side 2", "the form")
        detail = f"{what}the form has {written(other)} here; {values}"
        return Readback(equation.id, ReadBack.DIFFERS, "values", detail, latex.offset, latex.length, trial.points)
    if _proved(target, claim, deadline):
        return Readback(equation.id, ReadBack.AGREES, "proof", points=trial.points)
    if trial.points:
        return Readback(equation.id, ReadBack.AGREES, "values", points=trial.points)
    detail = f"it cannot be compared: {trial.failure}"
    return Readback(equation.id, ReadBack.NOT_READ, "", detail, offset, length)


def _proved(target: Problem, claim: Claim, deadline: float) -> bool:
    try:
        return not for_all_sizes(target, [claim], min(deadline, time.process_time() + 1.0)).failures
    except (TimeUp, RecursionError):
        return False


def _declare(target: Problem, opaque: Opaque) -> None:
    """The symbols that were made, each free."""
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
