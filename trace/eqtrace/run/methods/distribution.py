"""Method `distribution`: values drawn by the code follow the stated law, by tests whose error rates are bounds.

Every drawn value is mapped through the stated distribution function, which makes them uniform on [0, 1] if the law is
right. Their empirical distribution is held against that by the Dvoretzky-Kiefer-Wolfowitz inequality (Massart's
constant, The Annals of Probability 18(3), 1990), and neighbours against independence by Hoeffding's (JASA 58, 1963):
neither is an approximation. With `DRAWS` values the first refutes an error of scale of 2% with probability 0.999.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from eqtrace.formula.evaluate import Float64, value_of
from eqtrace.formula.form import Form
from eqtrace.formula.shape import solve
from eqtrace.formula.term import Distributed, Indexed, Name
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.verdict import Evidence, MethodResult, Verdict
from eqtrace.run.capture import Executions, Target
from eqtrace.run.record import Event
from eqtrace.run.sample import large_draw
from eqtrace.run.snapshot import equal

if TYPE_CHECKING:
    from eqtrace.run.session import Session

DRAWS = 400_000
CALLS = 20_000  # at most, where a call gives few values
FALSE_ALARM = 1e-9  # of all tests of one equation together
_EACH = FALSE_ALARM / 4


class _Mismatch(Exception):
    """What refutes the law."""


def verify(equation: Equation, session: Session) -> MethodResult:
    """Draws with the user's code and tests the law, its support and that the seed decides."""
    form = session.work.forms[equation.id]
    executions = Executions()
    targets = list(session.captures.targets(equation, executions))
    laws = [(part, claim) for part in range(len(form.parts)) if isinstance(claim := form.statement(part), Distributed)]
    if not targets or not laws:
        what = "no function that draws can be called (give a `call`)" if laws else "the form states no distribution"
        fault = Fault("method-not-run", what, equation.span, "", (), equation.id, "distribution")
        faults = tuple(executions.faults) or (fault,)
        return MethodResult(equation.id, "distribution", Verdict.NOT_CHECKED, Evidence(detail=what), faults)
    counts: dict[str, int] = {}
    total, details = 0, []
    try:
        for part, law in laws:
            levels = _levels(equation, form, part, law, targets[0], session, counts)
            total += levels.size
            details.append(_test(levels, law.law != "Categorical"))
            _deterministic(equation, form, targets[0], session)
    except _Mismatch as mismatch:
        places = tuple(
            Related(Span(site.path, site.line, site.column), "drawn here")
            for _, site in session.work.sites_of(equation)
        )
        hint = f"seed {session.work.seed}; the tests' false-alarm probability is {FALSE_ALARM:g}"
        fault = Fault("distribution-mismatch", str(mismatch), equation.span, hint, places, equation.id, "distribution")
        return MethodResult(
            equation.id,
            "distribution",
            Verdict.REFUTED,
            Evidence(total, seed=session.work.seed),
            (fault,),
            session.captures.counts(equation, counts),
        )
    evidence = Evidence(total, seed=session.work.seed, detail="; ".join(details))
    return MethodResult(
        equation.id, "distribution", Verdict.TESTED, evidence, (), session.captures.counts(equation, counts)
    )


def _levels(
    equation: Equation,
    form: Form,
    part: int,
    law: Distributed,
    target: Target,
    session: Session,
    counts: dict[str, int],
) -> np.ndarray:
    """The drawn values mapped through the stated distribution function, until `DRAWS` of them are there."""
    rng = session.rng(equation.id, "distribution")
    found: list[np.ndarray] = []
    size, calls = 0, 0
    own = {anchor.id for anchor in equation.anchors}
    subject = _subject(law)
    while size < DRAWS and calls < CALLS:
        draw = large_draw(form, equation.symbols, target.symbols, rng)
        recording = session.captures.record(equation, target, draw, rng)
        calls += 1
        for anchor, number in recording.executions.items():
            if anchor in own:
                counts[anchor] = counts.get(anchor, 0) + number
        events = [
            event for anchor in sorted(own) for event in recording.events.get(anchor, ()) if subject in event.outputs
        ]
        if not events:
            raise _Mismatch(f"{target.name} never reached a line that draws")
        for event in events:
            level = _level(equation, form, law, event, rng)
            found.append(level.reshape(-1, level.shape[-1]) if level.ndim > 1 else level.reshape(1, -1))
            size += level.size
    return np.concatenate([each.ravel() for each in found])


def _level(equation: Equation, form: Form, law: Distributed, event: Event, rng: np.random.Generator) -> np.ndarray:
    values = {**event.inputs, **event.outputs}
    solved = solve(form.shapes, values)
    if solved.mismatches:
        raise _Mismatch("; ".join(map(str, solved.mismatches)))
    drawn = np.asarray(values[_subject(law)])
    if law.law == "Uniform":
        low, high = value_of(form, law.args, values, solved.sizes, Float64()).sides
        level = (drawn - low) / (high - low)
        if level.min() < 0 or level.max() > 1:
            worst = drawn.flat[int(np.argmax(np.abs(level - 0.5)))]
            support = f"[{float(low.min())!r}, {float(high.max())!r}]"
            raise _Mismatch(f"{float(worst)!r} was drawn, outside the support {support}")
        return np.asarray(level)
    return _categorical_level(law, values, drawn, rng)


def _subject(law: Distributed) -> str:
    """The symbol that is drawn."""
    subject = law.subject
    assert isinstance(subject, Indexed | Name)
    return subject.base if isinstance(subject, Indexed) else subject.name


def _categorical_level(
    law: Distributed, values: Mapping[str, Any], drawn: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """A category's place in the cumulative probabilities, spread evenly over its own probability."""
    argument = law.args[0]
    assert isinstance(argument, Name | Indexed)
    p = np.asarray(values[argument.base if isinstance(argument, Indexed) else argument.name], dtype=float)
    category = np.atleast_1d(drawn).astype(int)
    if category.min() < 0 or category.max() >= p.size or np.any(p[category] <= 0):
        raise _Mismatch(f"category {category.max()} was drawn, which has no probability")
    upper = np.cumsum(p)
    return np.asarray(upper[category] - p[category] * rng.random(category.shape))


def _test(levels: np.ndarray, continuous: bool) -> str:
    """Holds mapped values against the uniform law.

    Raises:
        _Mismatch: they are not uniform, or not independent of their neighbours.
    """
    n = levels.size
    bound = math.sqrt(math.log(2 / _EACH) / (2 * n))
    ordered = np.sort(levels)
    steps = np.arange(1, n + 1) / n
    distance = float(max(np.max(steps - ordered), np.max(ordered - steps + 1 / n)))
    if distance > bound:
        at = float(ordered[int(np.argmax(np.abs(steps - ordered)))])
        raise _Mismatch(
            f"{n} drawn values do not follow the law: the distribution functions differ by {distance:.4g} "
            f"(at most {bound:.4g} by chance), most at level {at:.3g}"
        )
    pairs = (levels[: n - n % 2].reshape(-1, 2) - 0.5).prod(axis=1)
    correlated = abs(float(pairs.mean()))
    limit = math.sqrt(math.log(2 / _EACH) / (8 * max(1, pairs.size)))
    if correlated > limit:
        raise _Mismatch(
            f"neighbouring values are not independent: mean product {correlated:.4g}, at most {limit:.4g} by chance"
        )
    repeated = n - np.unique(ordered).size
    if continuous and repeated > 2:  # three repeats among 4e5 floats: probability below 1e-14
        raise _Mismatch(f"{repeated} of {n} drawn values are repeats of others")
    return f"{n} values: distance {distance:.2g} of the distribution functions (bound {bound:.2g})"


def _deterministic(equation: Equation, form: Form, target: Target, session: Session) -> None:
    """The same seed gives the same values, another seed others."""
    draw = large_draw(form, equation.symbols, target.symbols, session.rng(equation.id, "seeds"))
    runs = []
    for seed in (1, 1, 2):
        recording = session.captures.record(equation, target, draw, np.random.default_rng(seed))
        runs.append([event.outputs for anchor in sorted(recording.events) for event in recording.events[anchor]])
    if not equal(runs[0], runs[1]):
        raise _Mismatch("two runs from the same seed draw different values")
    if equal(runs[0], runs[2]):
        raise _Mismatch("two runs from different seeds draw the same values: the generator is not used")
