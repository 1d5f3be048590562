"""Method `value`: at every cited line the form equals what the line computed, in float64 and, by replay, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from eqtrace.formula.claims import claims
from eqtrace.formula.form import Form
from eqtrace.formula.term import Eq
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault
from eqtrace.model.verdict import Evidence, MethodResult, Verdict, weakest
from eqtrace.run.effort import FULL
from eqtrace.run.methods.cases import one_sided_cases
from eqtrace.run.methods.constraint import satisfies
from eqtrace.run.methods.line import Line, LineCheck
from eqtrace.run.sample import Draw
from eqtrace.run.work import COMPUTING

if TYPE_CHECKING:
    from eqtrace.run.session import Session


_BY_VALUE = frozenset({"value", "vjp", "composition", "order"})


def verify(equation: Equation, session: Session) -> MethodResult:
    """Checks every computing and inline line of the equation on all its executions, once a session."""
    return session.tracker.shared(session.values, equation.id, lambda: _verify(equation, session))


def _verify(equation: Equation, session: Session) -> MethodResult:
    form = session.work.forms[equation.id]
    executions = session.captures.of(equation, accepting(equation, form))
    checks = [LineCheck(equation, anchor, site, session) for anchor, site in session.work.sites_of(equation)]
    lines = [
        check.run(executions.by_anchor.get(name, []), 0 if executions.faults else executions.counts.get(name, 0))
        for check in checks
        for name in (check.line.anchor.id,)
    ]
    for check in checks:
        check.hold_returned(executions.returned.get(check.line.anchor.id, []))
    unseen = [
        anchor.id for anchor in equation.anchors if anchor.role in COMPUTING and anchor.id not in session.work.sites
    ]
    verdicts = [line.verdict for line in lines] + [Verdict.NOT_CHECKED] * bool(unseen or not lines)
    faults: list[Fault] = [replace(fault, equation=equation.id, method="value") for fault in executions.faults]
    # A changed argument of the call is the same for a whole function as for its statement.
    told = {fault.kind for fault in faults} & {"argument-changed"}
    faults += [fault for line in lines for kind, fault in line.faults.items() if not (line.site.whole and kind in told)]
    unshown = _unshown(equation, form, checks)
    faults += unshown
    if executions.faults or unshown:
        changed = any(fault.kind == "argument-changed" for fault in executions.faults)
        verdicts.append(Verdict.REFUTED if changed else Verdict.NOT_CHECKED)
    if not faults and session.effort == FULL:
        faults += one_sided_cases(equation, form, [check.ways for check in checks])
    if session.effort == FULL:
        faults += [fault for line in lines for fault in line.outside_domain.values()]
    verdict = weakest(verdicts)
    limits = (
        executions.limits
        + [f"{name} is not there" for name in unseen]
        + [text for line in lines for text in _limits(line)]
    )
    return MethodResult(
        equation.id, "value", verdict, _evidence(lines, session.work.seed, limits), tuple(faults), executions.counts
    )


def accepting(equation: Equation, form: Form) -> Callable[[Draw], bool] | None:
    """Which drawn inputs an equation claims a value of: of those that break its own constraint it claims none."""
    return partial(satisfies, form) if "constraint" in equation.methods else None


def _unshown(equation: Equation, form: Form, checks: list[LineCheck]) -> list[Fault]:
    """Faults for what a form claims and no line shows: a statement whose left side none captures, or no equation."""
    found: list[Fault] = []
    if not _BY_VALUE.issuperset(equation.methods):
        return found  # its other methods show the rest
    shown = {part for check in checks for part in check.parts}
    for number, part in enumerate(form.parts):
        if number not in shown and checks:
            message = f"no cited line captures the left side of `{part.text.value}`"
            hint = "bind it at the line that computes it"
            found.append(Fault("unbound-left-side", message, part.text.span, hint, (), equation.id, "value"))
        if any(not isinstance(claim, Eq) for claim, _ in claims(part.statement)):
            message = f"`{part.text.value}` claims more than equations, which `value` does not show"
            hint = "give it an equation of its own, with method: [constraint]"
            found.append(Fault("method-not-run", message, part.text.span, hint, (), equation.id, "value"))
    return found


def _evidence(lines: list[Line], seed: int, limits: list[str]) -> Evidence:
    worst = max(lines, key=lambda line: line.worst_ulp, default=None)
    certified = sum(line.certified + line.to_constants + line.in_exact_runs for line in lines)
    in_runs = sum(line.in_exact_runs for line in lines)
    unclaimed = sum(line.unclaimed for line in lines)
    points = sum(line.points for line in lines)
    places = f"{len(lines)} line{'s' if len(lines) != 1 else ''}"
    return Evidence(
        points=points,
        certified=certified,
        seed=seed,
        worst_ulp=worst.worst_ulp if worst and points else None,
        worst_at=worst.worst_at if worst else "",
        detail="; ".join(
            [
                f"{points} executions of {places} compared in float64, {certified - in_runs} of them replayed in balls",
                *[f"{unclaimed} more have no entry that a premise holds for"] * bool(unclaimed),
                *[f"{in_runs} executions compared in exact runs, where nothing is rounded before them"] * bool(in_runs),
                *(reason for line in lines for reason in _reasons(line)),
            ]
        ),
        limits=tuple(dict.fromkeys(limits)),
    )


def _reasons(line: Line) -> list[str]:
    """Why a line's verdict is not the best."""
    place = f"{line.site.path}:{line.site.line}"
    found = [f"{place}: {line.why_sampled}"] if line.why_sampled else []
    if line.to_constants:
        found.append(f"{place}: exact but for constants, which are floats of half an ulp")
    return found


def _limits(line: Line) -> list[str]:
    place = f"{line.site.path}:{line.site.line}"
    found = _reasons(line)
    if line.kinks:
        found.append(f"{place}: {line.kinks} executions within rounding of a kink, compared in float64 only")
    if line.outside:
        found.append(f"{place}: {line.outside} executions lie outside of `where` and were not compared")
    if line.undecided:
        found.append(f"{place}: {line.undecided} executions had entries that could not be decided, and don't count")
    return found
