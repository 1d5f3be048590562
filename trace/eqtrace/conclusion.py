"""From what the stages saw to results: faults become findings, and the findings an exit code."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from eqtrace.checks.registry import BY_NAME
from eqtrace.model.finding import Fault, Finding, Severity
from eqtrace.model.results import Results, Reviews

if TYPE_CHECKING:
    from eqtrace.config import Config
    from eqtrace.link.review.suspicion import Change
    from eqtrace.model.span import Span
    from eqtrace.model.verdict import MethodResult
    from eqtrace.project import Project

_NAMED = 6  # equations in one sentence


def conclude(
    command: str,
    project: Project,
    faults: Iterable[Fault],
    methods: Mapping[str, tuple[MethodResult, ...]],
    executions: Mapping[str, int] | None,
    seed: int,
    started: float,
    late: Sequence[Change] = (),
) -> Results:
    """The results; `late` are the suspicions that verification adds."""
    findings = findings_of(project.config, faults)
    errors = any(finding.severity is Severity.ERROR for finding in findings)
    nothing = not project.selected
    return Results(
        command=command,
        specification=project.specification,
        selected=project.selected,
        matches=project.linked.matches,
        waivers=project.linked.waivers,
        renamed=project.homes.found(),
        findings=findings,
        methods=methods,
        executions=executions,
        coverage=project.linked.coverage,
        reviews=_reviews(command, project, late),
        readbacks=project.latex.found,
        states=project.states.found,
        seed=seed,
        seconds=time.perf_counter() - started,
        skipped=_skipped(command, project),
        notes=_notes(command, project),
        exit=1 if errors else 2 if nothing else 0,
    )


def _reviews(command: str, project: Project, late: Sequence[Change]) -> Reviews | None:
    ledger, compared = project.config.reviews, project.compared
    if ledger is not None and compared is not None:
        return compared.reviews(ledger, (*compared.changes, *late))
    if ledger is not None and command == "review":
        return Reviews(ledger, sum(len(project.equations[name].anchors) for name in project.selected), 0, 0)
    return None


def _notes(command: str, project: Project) -> tuple[str, ...]:
    ledger = project.config.reviews
    if ledger is None or command == "review" or (project.config.root / ledger).exists():
        return ()
    return (f"nothing is reviewed: there is no {ledger} yet; `eqtrace review --accept` writes it",)


def findings_of(config: Config, faults: Iterable[Fault]) -> tuple[Finding, ...]:
    """Findings in the order of their places; what several units saw alike is told once."""
    seen: dict[tuple[str, str, Span], Finding] = {}
    for fault in faults:
        check = BY_NAME[fault.kind]
        severity = check.severity
        if {check.code, check.name} & config.fail_on or (
            check.name == "unclaimed-statement" and config.coverage == "error"
        ):
            severity = Severity.ERROR
        seen.setdefault((fault.kind, fault.message, fault.span), check.finding(fault, severity))
    return tuple(sorted(seen.values(), key=lambda each: (each.span, each.code, each.message)))


def _skipped(command: str, project: Project) -> tuple[str, ...]:
    left_out = len(project.specification.equations) - len(project.selected)
    told = [f"{left_out} equation{' was' if left_out == 1 else 's were'} not selected"] if left_out else []
    kept = {name: ", ".join(project.equations[name].defaults) for name in project.selected}
    named = [f"{name} ({parameters})" for name, parameters in kept.items() if parameters]
    if named and command == "verify":
        rest = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
        told.append(
            f"other values than the defaults of parameters that no formula names: {', '.join(named[:_NAMED])}{rest}"
        )
    return tuple(told)
