"""Methods `derivative` and `identity`: the statement is proved from forms; the lines that it explains are counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.verdict import Evidence, MethodResult, Verdict

if TYPE_CHECKING:
    from eqtrace.formula.prove import Proof
    from eqtrace.run.session import Session


def proof(method: str) -> Callable[[Equation, Session], MethodResult]:
    """The method of that word."""

    def verify(equation: Equation, session: Session) -> MethodResult:
        from eqtrace.formula.prove import prove

        executions = session.captures.of(equation)
        work = session.work
        found = session.tracker.proof(lambda: prove(equation, work.equations, work.forms, seed=work.seed))
        faults = [*executions.faults, *_faults(equation, method, found, session)]
        evidence = evidence_of(found, session.work.seed)
        return MethodResult(equation.id, method, found.verdict, evidence, tuple(faults), executions.counts)

    return verify


def evidence_of(found: Proof, seed: int) -> Evidence:
    """What a proof says of itself: how it went, how long it is, and on which assumptions it stands."""
    parts = [found.detail]
    size = proof_size(found)
    if size is not None:
        parts.append(f"{size} products in the normal form")
        parts.append(f"evaluated at {found.points} random points beside")
    if found.assumptions:
        parts.append(f"assuming {', '.join(found.assumptions)}")
    certified = found.points if found.verdict is Verdict.CERTIFIED else 0
    return Evidence(found.points, certified, seed, detail="; ".join(parts), limits=found.limits, proof_size=size)


def proof_size(found: Proof | None) -> int | None:
    """How many products were formed on the way of a proof; None where it proved nothing."""
    proved = found is not None and found.verdict in (Verdict.PROVED, Verdict.PROVED_AT_SIZES)
    return found.size if found is not None and proved else None


def _faults(equation: Equation, method: str, found: Proof, session: Session) -> list[Fault]:
    if found.verdict is Verdict.REFUTED:
        text = equation.statements[found.part] if found.part < len(equation.statements) else None
        lines = tuple(
            Related(Span(site.path, site.line, site.column), "a line that it explains")
            for anchor in equation.anchors
            if (site := session.work.sites.get(anchor.id)) is not None
        )
        hint = f"seed {session.work.seed}" if found.counterexample else ""
        message = f"{equation.id}: the statement does not hold: {found.counterexample}"
        place = text.span if text is not None else equation.span
        return [Fault("statement-refuted", message, place, hint, lines, equation.id, method)]
    if found.verdict is Verdict.NOT_CHECKED:
        message = f"{equation.id}: method `{method}` did not get through: {found.detail}"
        return [Fault("method-not-run", message, equation.span, "", (), equation.id, method)]
    return []
