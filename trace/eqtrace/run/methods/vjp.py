"""Method `vjp`: of it the value of the gradient's line; the adjoint identity is not built yet, and says so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault
from eqtrace.model.verdict import MethodResult, Verdict
from eqtrace.run.methods import value

if TYPE_CHECKING:
    from eqtrace.run.session import Session


def verify(equation: Equation, session: Session) -> MethodResult:
    """The lines' values; at best not-checked, since a value alone is no gradient."""
    half = value.verify(equation, session)
    half = replace(half, method="vjp", faults=tuple(replace(fault, method="vjp") for fault in half.faults))
    if half.verdict is Verdict.REFUTED:
        return half
    message = f"{equation.id}: the adjoint identity of `vjp` is not built yet; the value at its lines is {half.verdict}"
    fault = Fault("method-not-run", message, equation.span, "", (), equation.id, "vjp")
    evidence = replace(
        half.evidence, detail=f"value {half.verdict}: {half.evidence.detail}; the adjoint identity was not run"
    )
    return replace(half, verdict=Verdict.NOT_CHECKED, evidence=evidence, faults=(*half.faults, fault))
