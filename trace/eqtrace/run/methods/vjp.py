"""Method `vjp`: the value at the gradient's lines, and the adjoint identity of forward and backward in dual balls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.verdict import Evidence, MethodResult, Verdict, weakest
from eqtrace.run.gradient.floats import Differenced
from eqtrace.run.gradient.gradients import Run
from eqtrace.run.gradient.identity import Point, Shown
from eqtrace.run.gradient.own import own_entries
from eqtrace.run.gradient.plan import Entry, Plan, PlanError
from eqtrace.run.methods import value
from eqtrace.run.methods.counterexample import shown_value
from eqtrace.run.methods.proof import proof_size
from eqtrace.run.sample import Draw

if TYPE_CHECKING:
    from eqtrace.formula.prove import Proof
    from eqtrace.run.session import Session

LEAST = 8  # points at which the identity must be shown
_COUNTED = (Shown.CERTIFIED, Shown.TO_CONSTANTS)
_CODE_SHOWN = (Verdict.CERTIFIED, Verdict.CERTIFIED_TO_CONSTANTS)
_SHOWN_FORMS = (Verdict.PROVED, Verdict.PROVED_AT_SIZES, Verdict.CERTIFIED)


def verify(equation: Equation, session: Session) -> MethodResult:
    """The weakest of the lines' values and of the adjoint identity by each input that the equation is about."""
    half = _value(equation, session)
    try:
        judged = _Judgement(equation, session).judge()
    except PlanError as error:
        what = str(error)
        fault = Fault("method-not-run", f"{equation.id}: {what}", _place(equation), error.hint, (), equation.id, "vjp")
        judged = Judged(Verdict.NOT_CHECKED, [fault], f"the adjoint identity was not run: {what}")
    proof = judged.proof
    if proof is not None and proof.verdict is Verdict.REFUTED:
        _weigh(proof, half, judged, equation, session)
    verdict = weakest((half.verdict, judged.verdict))
    detail = "; ".join(filter(None, (judged.detail, half.evidence.detail)))
    evidence = replace(
        half.evidence,
        points=half.evidence.points + judged.points,
        certified=half.evidence.certified + judged.certified,
        detail=detail,
        limits=tuple(dict.fromkeys((*judged.limits, *half.evidence.limits))),
        proof_size=proof_size(proof),
    )
    told = {fault.kind for fault in half.faults} & {"argument-changed"}
    more = [fault for fault in judged.faults if fault.kind not in told]
    faults = tuple(replace(fault, equation=equation.id, method="vjp") for fault in (*half.faults, *more))
    return replace(half, method="vjp", verdict=verdict, evidence=evidence, faults=tuple(dict.fromkeys(faults)))


def _value(equation: Equation, session: Session) -> MethodResult:
    """The value half; a gradient without a form of its own has none."""
    if session.work.forms[equation.id].parts:
        return value.verify(equation, session)
    executions = session.captures.of(equation)
    evidence = Evidence(seed=session.work.seed)
    # The best there is: the identity alone decides.
    verdict = Verdict.NOT_CHECKED if executions.faults else Verdict.PROVED
    return MethodResult(equation.id, "vjp", verdict, evidence, tuple(executions.faults), executions.counts)


@dataclass
class Judged:
    """What was shown beside the values."""

    verdict: Verdict
    faults: list[Fault]
    detail: str
    points: int = 0
    certified: int = 0
    limits: tuple[str, ...] = ()
    proof: Proof | None = None


def _weigh(proof: Proof, half: MethodResult, judged: Judged, equation: Equation, session: Session) -> None:
    """Takes a form for refuted, unless the code that gives its values is shown to be the gradient.

    Then it can't be wrong where it was tried, and it is the forms that the specification has of the forward that are
    another function than the code's forward.
    """
    what = proof.counterexample or proof.detail
    if half.verdict in _CODE_SHOWN and judged.verdict in _CODE_SHOWN:
        message = f"{equation.id}: the forward's forms have another derivative than the code's forward: {what}"
        judged.limits = (*judged.limits, message)
        return
    statements = equation.statements
    place = statements[proof.part].span if proof.part < len(statements) else equation.span
    hint = f"seed {session.work.seed}" if proof.counterexample else ""
    message = f"the form is not the derivative of the forward's form: {what}"
    judged.faults.append(Fault("gradient-form-mismatch", message, place, hint, (), equation.id, "vjp"))
    judged.verdict = Verdict.REFUTED


class _Judgement:
    """The runs of a gradient, read for one equation."""

    def __init__(self, equation: Equation, session: Session) -> None:
        if equation.gradient is None and equation.gradient_of is not None:
            what = f"`{equation.gradient_of.value}` is not found, or nothing says what it is differentiated by"
            raise PlanError(what, "name a function of the same module, or 'module:function', and the parameter: by: x")
        if equation.gradient is None:
            hint = "name forward, backward, cotangent and wrt under `gradient`"
            raise PlanError("method vjp needs a `gradient`", hint)
        self._equation = equation
        self._session = session
        self._plan: Plan = session.gradients.plan(equation)
        self._entries = own_entries(equation, session.work.forms[equation.id], self._plan)
        self._names = {entry.name for entry in self._entries}

    def judge(self) -> Judged:
        """The verdict on the equation's own entries, and everything that was seen."""
        run = self._session.gradients.run(self._plan)
        if run.failed is not None:
            raise run.failed
        faults = [self._fault(kind, message, "") for kind, message in run.effects]
        counted = self._counted(run)
        verdict = self._identity(run, counted, faults)
        if self._differences(run, faults) or run.effects:
            verdict = Verdict.REFUTED
        proof = _proof(self._equation, self._session)
        shown = sum(counted[each] for each in _COUNTED)
        by = ", ".join(entry.name for entry in self._entries)
        compared = sum(each.compared for _, each in self._differenced(run))
        detail = f"adjoint identity by {by} shown in dual balls at {shown} of {len(run.points)} points"
        if compared:
            detail += f"; central differences agree at {compared} numbers" if not faults else ""
        if proof is not None and proof.verdict in _SHOWN_FORMS:
            detail += f"; the form is the derivative of the forward's form: {proof.detail}"
        limits = (*self._limits(run, counted), *self._form_limits(proof))
        return Judged(verdict, faults, detail, len(run.points), shown, limits, proof)

    def _counted(self, run: Run) -> Counter[Shown]:
        """Points by what they show, all of the equation's entries together."""
        order = list(Shown)
        return Counter(max((point.shown[name] for name in self._names), key=order.index) for point in run.points)

    # --- the adjoint identity

    def _identity(self, run: Run, counted: Counter[Shown], faults: list[Fault]) -> Verdict:
        for entry in self._entries:
            point = next((each for each in run.points if each.shown[entry.name] is Shown.REFUTED), None)
            if point is not None:
                faults.append(self._mismatch(entry, self._simplest(entry, run, point)))
        if counted[Shown.REFUTED]:
            return Verdict.REFUTED
        if not self._session.effort.exact:
            return Verdict.SAMPLED  # a quick look sees what is wrong and shows nothing
        if run.problem:
            faults.append(self._fault("value-undecided", run.problem, "widen the domains or `where`"))
            return Verdict.NOT_CHECKED
        if run.why_not or counted[Shown.WIDE] or counted[Shown.OFF_CONSTANT]:
            if any(each.compared for _, each in self._differenced(run)):
                return Verdict.SAMPLED
            message = f"neither the adjoint identity nor a central difference could be taken: {self._why_not(run)}"
            faults.append(self._fault("value-undecided", message, "write what keeps it from running in other words"))
            return Verdict.NOT_CHECKED
        if sum(counted[each] for each in _COUNTED) < LEAST:
            shown = ", ".join(f"{count} {_WORDS.get(each, each.value)}" for each, count in counted.items())
            message = f"the adjoint identity was shown at fewer than {LEAST} points: {shown or 'no point was run'}"
            faults.append(self._fault("value-undecided", message, "draw inputs away from kinks (`where`, `domain`)"))
            return Verdict.NOT_CHECKED
        return Verdict.CERTIFIED_TO_CONSTANTS if counted[Shown.TO_CONSTANTS] else Verdict.CERTIFIED

    def _why_not(self, run: Run) -> str:
        differences = run.undifferenced or "no number of the gradient by this was differenced"
        return f"{run.why_not or 'the difference of balls stays too wide'}; {differences}"

    def _simplest(self, entry: Entry, run: Run, first: Point) -> Point:
        """Of the points that refute the entry, that with the fewest and then the smallest numbers."""
        refuting = [each for each in run.points if each.shown[entry.name] is Shown.REFUTED]
        return min(refuting or [first], key=lambda point: _weight(point.draw))

    def _mismatch(self, entry: Entry, point: Point) -> Fault:
        plan, products = self._plan, point.products[entry.name]
        forward, backward = plan.forward.qualname, plan.backward.qualname
        what = f"{entry.text} of {backward} is not the gradient of {forward} by {entry.name}"
        if products.problem:
            what += f": {products.problem}"
        else:
            off = (products.left - products.right).str(3, radius=False)
            what += f": <dY, J dx> = {_text(products.left)}, <J^T dY, dx> = {_text(products.right)}, {off} apart"
        if products.overwritten:
            what += f"; {plan.accumulates} did not start at 0, and is overwritten where it should be added to"
        sizes = ", ".join(f"{name} = {size}" for name, size in sorted(point.draw.sizes.items()))
        return self._fault("adjoint-mismatch", what + (f" (at {sizes})" if sizes else ""), self._inputs(point.draw))

    def _inputs(self, draw: Draw) -> str:
        shown = ", ".join(f"{name} = {shown_value(each)}" for name, each in sorted(draw.values.items()))
        return f"inputs: {shown or 'none'} ({draw.origin}); random dY and dx; seed {self._session.work.seed}"

    # --- central differences

    def _differenced(self, run: Run) -> Iterator[tuple[Draw, Differenced]]:
        """What central differences show of the equation's own entries."""
        for draw, found in run.differenced:
            yield from ((draw, each) for name, each in found.items() if name in self._names)

    def _differences(self, run: Run, faults: list[Fault]) -> bool:
        for draw, found in self._differenced(run):
            worst = found.worst
            if worst is None:
                continue
            index = f"[{', '.join(map(str, worst.index))}]" if worst.index else ""
            message = (
                f"{worst.entry.text}{index} of {self._plan.backward.qualname} is {worst.code!r}, central differences "
                f"of {self._plan.forward.qualname} by {worst.entry.name} say {worst.difference!r} "
                f"(tolerance {worst.tolerance:.2g})"
            )
            faults.append(self._fault("central-difference-mismatch", message, self._inputs(draw)))
            return True
        return False

    # --- what is said of it

    def _limits(self, run: Run, counted: Counter[Shown]) -> Iterator[str]:
        function = self._plan.backward.qualname
        if run.why_not:
            yield f"{function}: the adjoint identity does not run in balls: {run.why_not}"
        if run.undifferenced:
            yield f"{function}: no central differences: {run.undifferenced}"
        if counted[Shown.KINK]:
            yield (
                f"{function}: {counted[Shown.KINK]} points lie on a kink, where the identity depends on the side that "
                "one comes from: there the form says what the gradient is, and the value at the line shows it"
            )
        for shown in (Shown.SINGULAR, Shown.WIDE, Shown.OFF_CONSTANT, Shown.TO_CONSTANTS):
            if counted[shown]:
                yield f"{function}: {counted[shown]} {_WORDS[shown]}"
        kinks = sum(each.kinks for _, each in self._differenced(run))
        if kinks:
            yield f"{function}: {kinks} numbers had a kink within a step and were not differenced"

    # --- the form

    def _form_limits(self, proof: Proof | None) -> Iterator[str]:
        if proof is None:
            return
        if proof.verdict not in (*_SHOWN_FORMS, Verdict.REFUTED):
            yield f"{self._equation.id}: the form was not proved to be the forward's derivative: {proof.detail}"
        yield from proof.limits

    def _fault(self, kind: str, message: str, hint: str) -> Fault:
        equation = self._equation
        sites = [
            (anchor, site)
            for anchor, site in self._session.work.sites_of(equation)
            if (site.file, site.function) == (self._plan.backward.file, self._plan.backward.qualname)
        ]
        if not sites:
            return Fault(kind, message, _place(equation), hint, (), equation.id, "vjp")
        related = tuple(
            Related(Span(site.path, site.line, site.column, site.end_line, site.end_column), "the cited statement")
            for _, site in sites
        )
        where = f"{sites[0][1].path}:{sites[0][1].line}: "
        return Fault(kind, where + message, sites[0][0].span, hint, related, equation.id, "vjp")


def _proof(equation: Equation, session: Session) -> Proof | None:
    """The proof that a gradient's form is the derivative of its forward's; None where it has no form of its own."""
    from eqtrace.formula.prove import prove_gradient

    work = session.work
    if not work.forms[equation.id].parts or not session.effort.exact:
        return None
    return session.tracker.proof(lambda: prove_gradient(equation, work.equations, work.forms, seed=work.seed))


_WORDS = {
    Shown.KINK: "points on a kink",
    Shown.SINGULAR: "points where a derivative is not finite",
    Shown.WIDE: "points where the difference of balls stays too wide",
    Shown.OFF_CONSTANT: "points where a constant in the code is more than half an ulp off",
    Shown.TO_CONSTANTS: "points are exact but for module constants, which are floats of half an ulp",
}


def _place(equation: Equation) -> Span:
    return equation.gradient.backward.span if equation.gradient is not None else equation.span


def _weight(draw: Draw) -> tuple[int, float]:
    arrays: list[Any] = [np.asarray(each, dtype=float) for each in draw.values.values()]
    zeros = sum(int(np.sum(each == 0)) for each in arrays)
    return sum(each.size for each in arrays) + 4 * zeros, float(sum(np.abs(each).sum() for each in arrays))


def _text(number: Any) -> str:
    return number.str(12, radius=False) if number.is_finite() else str(number)
