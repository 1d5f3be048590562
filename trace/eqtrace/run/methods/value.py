"""Method `value`: at every cited line the form equals what the line computed, in float64 and, by replay, exactly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault
from eqtrace.model.verdict import Evidence, MethodResult, Verdict, weakest
from eqtrace.run.methods.line import Line, LineCheck
from eqtrace.run.work import COMPUTING

if TYPE_CHECKING:
    from eqtrace.run.session import Session


def verify(equation: Equation, session: Session) -> MethodResult:
    """Checks every computing and inline line of the equation on all its executions."""
    executions = session.captures.of(equation)
    lines = [
        LineCheck(equation, anchor, site, session).run(executions.by_anchor.get(anchor.id, []))
        for anchor, site in session.work.sites_of(equation)
    ]
    unseen = [
        anchor.id for anchor in equation.anchors if anchor.role in COMPUTING and anchor.id not in session.work.sites
    ]
    verdicts = [line.verdict for line in lines] + [Verdict.NOT_CHECKED] * bool(unseen or not lines)
    faults: list[Fault] = [replace(fault, equation=equation.id, method="value") for fault in executions.faults]
    faults += [fault for line in lines for fault in line.faults.values()]
    verdict = weakest(verdicts)
    if executions.faults and verdict is not Verdict.REFUTED:
        verdict = Verdict.NOT_CHECKED
    limits = (
        executions.limits
        + [f"{name} is not there" for name in unseen]
        + [text for line in lines for text in _limits(line)]
    )
    return MethodResult(
        equation.id, "value", verdict, _evidence(lines, session.work.seed, limits), tuple(faults), executions.counts
    )


def _evidence(lines: list[Line], seed: int, limits: list[str]) -> Evidence:
    worst = max(lines, key=lambda line: line.worst_ulp, default=None)
    certified = sum(line.certified + line.to_constants for line in lines)
    points = sum(line.points for line in lines)
    where = f"{worst.site.path}:{worst.site.line}, {worst.worst_at}" if worst and worst.worst_at else ""
    places = f"{len(lines)} line{'s' if len(lines) != 1 else ''}"
    return Evidence(
        points=points,
        certified=certified,
        seed=seed,
        worst_ulp=worst.worst_ulp if worst and points else None,
        worst_at=where,
        detail=f"{points} executions of {places} compared in float64, {certified} of them replayed in balls",
        limits=tuple(dict.fromkeys(limits)),
    )


def _limits(line: Line) -> list[str]:
    place = f"{line.site.path}:{line.site.line}"
    found = []
    if line.why_sampled:
        found.append(f"{place}: {line.why_sampled}")
    if line.to_constants:
        found.append(f"{place}: exact but for module constants, which are floats of half an ulp")
    if line.kinks:
        found.append(f"{place}: {line.kinks} executions within rounding of a kink, compared in float64 only")
    if line.undecided:
        found.append(f"{place}: {line.undecided} executions had entries that could not be decided, and don't count")
    return found
