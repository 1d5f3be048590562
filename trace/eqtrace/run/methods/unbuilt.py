"""Methods that are not built yet: the cited lines are run and counted, and the equation reads not-checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault
from eqtrace.model.verdict import Evidence, MethodResult, Verdict

if TYPE_CHECKING:
    from eqtrace.run.session import Session


def unbuilt(method: str) -> Callable[[Equation, Session], MethodResult]:
    """A stand-in for `method` that never passes."""

    def verify(equation: Equation, session: Session) -> MethodResult:
        executions = session.captures.of(equation)
        message = f"{equation.id}: method `{method}` is not built yet"
        fault = Fault("method-not-run", message, equation.span, "", (), equation.id, method)
        evidence = Evidence(detail=f"method {method} is not built yet")
        return MethodResult(
            equation.id, method, Verdict.NOT_CHECKED, evidence, (*executions.faults, fault), executions.counts
        )

    return verify
