"""Method `composition`: the line's value equals what the equations give that its function symbols stand for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eqtrace.formula.compose import Unresolved, applied, rests_on
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault
from eqtrace.model.verdict import MethodResult, Verdict
from eqtrace.run.methods import value

if TYPE_CHECKING:
    from eqtrace.run.session import Session


def verify(equation: Equation, session: Session) -> MethodResult:
    """Method `value` on a form whose function symbols are worked out by the forms of other equations."""
    found = value.verify(equation, session)
    faults = [replace(fault, method="composition") for fault in found.faults]
    form = session.work.forms[equation.id]
    functions = [function for part in form.parts for function in applied(form, part.statement)]
    problem = "" if functions else "the form holds no function symbol: there is nothing to resolve"
    for function in functions:
        try:
            function.steps()
        except Unresolved as error:
            problem = f"{function.name} can't be resolved: {error}"
    verdict = found.verdict
    if problem:
        faults = [fault for fault in faults if fault.kind != "value-undecided"]
        faults.append(Fault("method-not-run", problem, equation.span, "", (), equation.id, "composition"))
        verdict = Verdict.NOT_CHECKED
    names = ", ".join(sorted(rests_on(form)))
    evidence = replace(found.evidence, detail=f"{found.evidence.detail}; resolved by {names or 'nothing'}")
    return replace(found, method="composition", verdict=verdict, faults=tuple(faults), evidence=evidence)
