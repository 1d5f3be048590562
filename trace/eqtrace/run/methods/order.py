"""Method `order`: every run calls the listed functions in the listed order, and none is left out.

Looked at are the functions with the lines that compute, and those with calls only where no line computes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.verdict import Evidence, MethodResult, Verdict
from eqtrace.run.record import Step
from eqtrace.run.work import EXECUTED

if TYPE_CHECKING:
    from eqtrace.run.session import Session


def verify(equation: Equation, session: Session) -> MethodResult:
    """Holds the calls within every execution of the functions that hold the cited lines against the list."""
    session.tracker.calls()
    executions = session.captures.of(equation)
    faults = [replace(fault, equation=equation.id, method="order") for fault in executions.faults]
    followed = session.work.followed
    listed = [followed[text.value].anchor for text in equation.order if text.value in followed]
    sites = session.work.sites_of(equation) or session.work.sites_of(equation, EXECUTED)
    callers = {f"{site.path}::{site.function}": site for _, site in sites if site.function}
    callers = {name: site for name, site in callers.items() if name in followed and followed[name].anchor not in listed}
    why = _why_not(equation, listed, bool(callers))
    problems = session.recorder.problems
    why = why or next((f"{name}: {problems[name]}" for name in (*listed, *callers) if name in problems), "")
    seen = dict.fromkeys(callers, 0)
    for caller, site in callers.items() if not why else ():
        for origin, steps in executions.runs:
            sequences = list(within(steps, caller, frozenset(listed)))
            seen[caller] += len(sequences)
            wrong = next((each for each in sequences if not matches(each, listed)), None)
            if wrong is not None:
                message = f"{caller} called {shown(wrong)}, not {shown(listed)} ({origin})"
                place = Related(Span(site.path, site.line, site.column), "the cited line")
                hint = "all calls of an earlier function come before those of a later one"
                span = equation.order[0].span
                faults.append(Fault("order-mismatch", message, span, hint, (place,), equation.id, "order"))
                break
    unseen = [name for name, count in seen.items() if not count]
    if not why and unseen and not faults:
        why = f"no run came to the end of {', '.join(unseen)}"
    if why:
        faults.append(Fault("method-not-run", why, equation.span, "", (), equation.id, "order"))
    wrong_order = any(fault.kind == "order-mismatch" for fault in faults)
    verdict = Verdict.REFUTED if wrong_order else Verdict.NOT_CHECKED if faults else Verdict.TESTED
    count = sum(seen.values())
    detail = f"{count} executions of {', '.join(callers) or 'no function'} call {shown(listed)} in this order"
    evidence = Evidence(count, seed=session.work.seed, detail=detail)
    return MethodResult(equation.id, "order", verdict, evidence, tuple(faults), executions.counts)


def _why_not(equation: Equation, listed: Sequence[str], called: bool) -> str:
    if not equation.order:
        return "`order` must list the functions, in the order of their calls"
    if len(listed) < len(equation.order):
        return "a function under `order` is not there"
    return "" if called else "no cited line stands in a function that could call those under `order`"


@dataclass
class _Open:
    """A call of the caller that has not ended."""

    found: list[str] = field(default_factory=list)
    inside: int = 0  # how many listed functions are open within it


def within(steps: Sequence[Step], caller: str, listed: frozenset[str]) -> Iterator[list[str]]:
    """For each execution of the caller that returned, the listed functions that were called in it, outermost alone."""
    opened: dict[int, list[_Open]] = {}
    for step in steps:
        stack = opened.setdefault(step.thread, [])
        if step.function == caller:
            if step.kind == "begin":
                stack.append(_Open())
            elif stack:
                done = stack.pop()
                if step.kind == "end":
                    yield done.found
        elif step.function in listed and stack:
            for each in stack:
                if step.kind == "begin":
                    if not each.inside:
                        each.found.append(step.function)
                    each.inside += 1
                else:
                    each.inside -= 1


def matches(found: Sequence[str], listed: Sequence[str]) -> bool:
    """Whether calls are those listed, each at least once and as often as it likes before the next one's."""
    calls = [(name, len(list(group))) for name, group in groupby(found)]
    wanted = [(name, len(list(group))) for name, group in groupby(listed)]
    return [name for name, _ in calls] == [name for name, _ in wanted] and all(
        count >= least for (_, count), (_, least) in zip(calls, wanted, strict=True)
    )


def shown(names: Sequence[str]) -> str:
    """Calls in words, repeated ones with their number."""
    groups = [(name.partition("::")[2], len(list(group))) for name, group in groupby(names)]
    return ", ".join(f"{name} x{count}" if count > 1 else name for name, count in groups) or "none of them"
