"""Proofs of statements from forms: for all sizes by the normal form, else at small sizes, else at random points.

Every statement is evaluated at random points too, by a path that shares nothing with the normal form; where the sides
differ there, the statement is refuted, whatever was proved.
"""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from eqtrace.formula.facts import TimeUp
from eqtrace.formula.form import Form
from eqtrace.formula.given import Problem, problem
from eqtrace.formula.gradient import NoGradient, gradient_problem
from eqtrace.formula.points import draw_sizes
from eqtrace.formula.prover import Attempt, at_sizes, for_all_sizes
from eqtrace.formula.statement import Claim, to_prove
from eqtrace.formula.trial import Trial, tried, wanted_of
from eqtrace.model.equation import Equation
from eqtrace.model.verdict import Verdict

SECONDS = 10.0  # for each way of proving
POINTS = 2
CERTIFIED_POINTS = 12
SIZE_DRAWS = 2


@dataclass(frozen=True, slots=True)
class Proof:
    """What was shown of an equation's statements. `size` counts the products that were formed on the way."""

    verdict: Verdict
    detail: str = ""
    size: int = 0
    assumptions: tuple[str, ...] = ()
    points: int = 0
    seconds: float = 0.0
    counterexample: str = ""
    part: int = 0  # of the statement that is refuted
    limits: tuple[str, ...] = field(default=())


def prove(
    equation: Equation,
    equations: Mapping[str, Equation],
    forms: Mapping[str, Form],
    seconds: float = SECONDS,
    seed: int = 0,
) -> Proof:
    """Prove an equation's statements from its `given`: derivatives, identities.

    Args:
        equation: what is to be proved.
        equations: all equations, by id.
        forms: their forms.
        seconds: the time limit of each way of proving; when it is over, the next is taken.
        seed: of the random points.
    """
    started = time.process_time()
    target = problem(equation, forms[equation.id], equations, forms)
    claims = to_prove(target, equation, forms[equation.id])
    if target.faults:
        return Proof(Verdict.NOT_CHECKED, "; ".join(target.faults))
    if not claims.claims:
        what = "; ".join(claims.unfit) or "every statement only defines its left side"
        return Proof(Verdict.NOT_CHECKED, f"there is nothing to prove: {what}")
    proof = prove_claims(target, claims.claims, seconds, _source(equation, seed))
    if claims.unfit:
        proof = replace(proof, verdict=Verdict.NOT_CHECKED, detail="; ".join((*claims.unfit, proof.detail)))
    return replace(proof, seconds=time.process_time() - started)


def prove_gradient(
    equation: Equation,
    equations: Mapping[str, Equation],
    forms: Mapping[str, Form],
    seconds: float = SECONDS,
    seed: int = 0,
) -> Proof:
    """Prove that a backward equation's form is the derivative of its forward's form; see `gradient` for what is read.

    Args:
        equation: an equation of a topic with `gradient`.
        equations: all equations, by id.
        forms: their forms.
        seconds: the time limit of each way of proving; when it is over, the next is taken.
        seed: of the random points.
    """
    started = time.process_time()
    try:
        found = gradient_problem(equation, equations, forms)
    except NoGradient as error:
        return Proof(Verdict.NOT_CHECKED, str(error))
    proof = prove_claims(found.target, found.claims, seconds, _source(equation, seed))
    detail = f"{proof.detail} (forward: {', '.join(found.sources) or 'none'})"
    return replace(proof, detail=detail, seconds=time.process_time() - started)


def _source(equation: Equation, seed: int) -> random.Random:
    return random.Random(zlib.crc32(f"{equation.id} {seed}".encode()))


def prove_claims(target: Problem, claims: list[Claim], seconds: float, rng: random.Random) -> Proof:
    """Try claims at random points, then prove them as generally as the time allows."""
    started = time.process_time()
    trial = tried(target, claims, rng, POINTS, started + seconds)
    if trial.counterexample:
        return _refuted(trial)
    symbolic = _attempted(lambda deadline: for_all_sizes(target, claims, deadline), seconds)
    if not symbolic.failures:
        return _proof(Verdict.PROVED, "proved for all sizes >= 1", symbolic, trial)
    why = "; ".join(symbolic.failures)
    fixed, shown = _at_sizes(target, claims, seconds, rng)
    if not fixed.failures:
        detail = f"proved at sizes {' and '.join(shown)}; for all sizes not: {why}"
        return _proof(Verdict.PROVED_AT_SIZES, detail, fixed, trial)
    more = tried(target, claims, rng, CERTIFIED_POINTS, time.process_time() + seconds)
    if more.counterexample:
        return _refuted(more)
    total = replace(more, points=more.points + trial.points)
    if total.points:
        detail = f"certified at {total.points} random points; not proved: {why}; at sizes: {'; '.join(fixed.failures)}"
        return _proof(Verdict.CERTIFIED, detail, Attempt(), total)
    return _proof(Verdict.NOT_CHECKED, f"not proved: {why}; no point could be evaluated", symbolic, total)


def _attempted(attempt: Callable[[float], Attempt], seconds: float) -> Attempt:
    try:
        return attempt(time.process_time() + seconds)
    except TimeUp:
        return Attempt([f"{seconds:g} s were not enough"])


def _at_sizes(target: Problem, claims: list[Claim], seconds: float, rng: random.Random) -> tuple[Attempt, list[str]]:
    """Two draws of small sizes."""
    total = Attempt()
    shown: list[str] = []
    deadline = time.process_time() + seconds
    names = wanted_of(target, claims).sizes
    for _ in range(SIZE_DRAWS):
        sizes = next((drawn for _ in range(50) if (drawn := draw_sizes(target, rng, names)) is not None), None)
        if sizes is None:
            return Attempt(["no sizes were found"]), []
        try:
            found = at_sizes(target, claims, sizes, deadline)
        except TimeUp:
            return Attempt([f"{seconds:g} s were not enough"]), []
        total.failures += found.failures
        total.assumptions |= found.assumptions
        total.steps += found.steps
        shown.append(", ".join(f"{name} = {size}" for name, size in sorted(sizes.items())) or "none")
    return total, list(dict.fromkeys(shown))


def _refuted(trial: Trial) -> Proof:
    return Proof(
        Verdict.REFUTED,
        f"refuted: {trial.counterexample}",
        points=trial.points,
        counterexample=trial.counterexample,
        part=trial.part,
    )


def _proof(verdict: Verdict, detail: str, attempt: Attempt, trial: Trial) -> Proof:
    limits = (trial.failure,) if trial.failure else ()
    return Proof(verdict, detail, attempt.steps, tuple(attempt.assumptions), trial.points, limits=limits)
