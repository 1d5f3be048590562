"""Results as plain rows: every report is rendered from these, and from nothing else of a run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eqtrace.link.examples import stated as examples_of
from eqtrace.model.anchor import Anchor, Role, Status
from eqtrace.model.equation import Equation
from eqtrace.model.example import Example, ExampleResult, Outcome
from eqtrace.model.finding import Finding, Severity
from eqtrace.model.readback import FORM, ReadBack, Stated
from eqtrace.model.results import Coverage, Results, Reviews
from eqtrace.model.verdict import MethodResult, Verdict
from eqtrace.report.mutants import Mutation, mutation

_FEW = 5  # equations of which each method's largest error is told
_RUN = (Role.COMPUTES, Role.INLINE, Role.CALLS)
"""The roles of lines that verification has to run: nothing else of a citation is executed."""


@dataclass(frozen=True, slots=True)
class AnchorRow:
    """A cited line: where it is now (where it was claimed to be, if nothing was found), and how often it ran."""

    id: str
    role: str
    path: str
    line: int
    end_line: int
    function: str
    status: str
    executions: int | None


@dataclass(frozen=True, slots=True)
class MethodRow:
    """What one method showed of an equation, and how."""

    name: str
    verdict: str
    points: int
    certified: int
    seed: int
    worst_ulp: float | None
    worst_at: str
    detail: str
    limits: tuple[str, ...]
    seconds: float
    proof_size: int | None = None


@dataclass(frozen=True, slots=True)
class LatexRow:
    """What came of reading an equation's LaTeX back; `more` is what the form says beside it."""

    status: str
    how: str
    points: int
    detail: str
    waived: bool
    more: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StatedRow:
    """A formula that documentation prints, where it stands, and what came of reading it."""

    path: str
    line: int
    text: str
    status: str
    how: str
    points: int
    detail: str
    waived: bool


@dataclass(frozen=True, slots=True)
class LatexSummary:
    """How many formulas there are, in the specification's LaTeX or in documentation, and what came of reading them."""

    total: int
    proof: int
    values: int
    differ: int
    not_compared: int
    not_read: int
    waived: int  # of those not read
    forms: int = 0  # of documentation: that are the form themselves

    @property
    def read(self) -> int:
        """How many were read."""
        return self.total - self.not_read

    @property
    def agree(self) -> int:
        """How many agree with their form."""
        return self.proof + self.values


@dataclass(frozen=True, slots=True)
class EquationRow:
    """An equation with its verdict; a method that was not run is None."""

    id: str
    topic: str
    verdict: str | None
    methods: Mapping[str, MethodRow | None]
    anchors: tuple[AnchorRow, ...]
    latex: LatexRow | None = None
    states: tuple[StatedRow, ...] = ()


@dataclass(frozen=True, slots=True)
class ExampleRow:
    """A topic's example, or a section's run, as stated, and what came of it (None where it was not run).

    `topic` is the section's name where it is a run of a section.
    """

    topic: str
    stated: Example
    result: ExampleResult | None


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a run. What was not run at all is None, not 0."""

    command: str
    exit: int
    seed: int
    topics: int
    equations: int
    equations_in_all: int
    files: int
    anchors: int
    statuses: Mapping[str, int]
    anchors_executed: int | None
    anchors_executable: int
    verdicts: Mapping[str, int] | None
    coverage: Coverage | None
    examples: Mapping[str, int]  # by outcome; those that were not run have the outcome ''
    equation_waivers: int
    statement_waivers: int
    severities: Mapping[str, int]
    seconds: float
    from_cache: int
    skipped: tuple[str, ...]
    notes: tuple[str, ...] = ()
    reviews: Reviews | None = None
    mutation: Mutation | None = None
    latex: LatexSummary | None = None  # None where no LaTeX was looked at
    states: LatexSummary | None = None  # None where no documentation was looked at

    @property
    def anchors_ok(self) -> int:
        """How many anchors are exactly where they say."""
        return self.statuses.get(Status.OK, 0)


@dataclass(frozen=True, slots=True)
class Rows:
    """A whole report."""

    summary: Summary
    equations: tuple[EquationRow, ...]
    findings: tuple[Finding, ...]
    examples: tuple[ExampleRow, ...] = ()


def rows(results: Results) -> Rows:
    """The rows of `results`: the selected equations in the order of their files, findings in the order of places."""
    wanted = set(results.selected)
    equations = tuple(_equation(each, results) for each in results.specification.equations if each.id in wanted)
    findings = tuple(sorted(results.findings, key=_place))
    topics = {each.topic for each in equations}
    pages = results.specification.pages if len(equations) == len(results.specification.equations) else ()
    stated = examples_of((each for each in results.specification.topics if each.id in topics), pages)
    examples = tuple(ExampleRow(name, each, results.examples.get(name)) for name, each in stated.items())
    return Rows(_summary(results, equations, findings, examples), equations, findings, examples)


def slowest(equations: tuple[EquationRow, ...], count: int = 3) -> tuple[tuple[float, str, str], ...]:
    """The slowest units of work, as (seconds, equation, method), slowest first."""
    units = [(row.seconds, each.id, row.name) for each in equations for row in each.methods.values() if row]
    return tuple(sorted((unit for unit in units if unit[0] > 0), key=lambda unit: (-unit[0], unit[1:]))[:count])


def furthest(equations: tuple[EquationRow, ...]) -> tuple[tuple[float, str, str, str], ...]:
    """The largest errors, as (ulps, equation, method, where): those of each method of few equations, else one."""
    units = [
        (row.worst_ulp, each.id, row.name, row.worst_at)
        for each in equations
        for row in each.methods.values()
        if row and row.worst_ulp and row.worst_at
    ]
    count = _FEW if len(equations) <= _FEW else 1
    return tuple(sorted(units, key=lambda unit: (-unit[0], unit[1:]))[:count])


def executions(anchor: Anchor, results: Results) -> int | None:
    """How often a cited line ran; None where nothing was run, and for lines that verification does not run."""
    if results.executions is None:
        return None
    return results.executions.get(anchor.id, 0 if anchor.role in _RUN else None)


def finite(number: float | None) -> float | None:
    """The number, or None where JSON has no word for it."""
    return number if number is not None and math.isfinite(number) else None


def _place(finding: Finding) -> tuple[str, int, int, str, str]:
    span = finding.span
    return (span.path, span.line, span.column, finding.code, finding.message)


def _summary(
    results: Results,
    equations: tuple[EquationRow, ...],
    findings: tuple[Finding, ...],
    examples: tuple[ExampleRow, ...],
) -> Summary:
    anchors = [anchor for each in equations for anchor in each.anchors]
    executed = [anchor for anchor in anchors if anchor.executions and anchor.role in _RUN]
    severities = Counter(finding.severity.value for finding in findings)
    counted = Counter(each.verdict for each in equations)
    found = Counter(anchor.status for anchor in anchors)
    waivers = results.specification.waivers
    return Summary(
        command=results.command,
        exit=results.exit,
        seed=results.seed,
        topics=len({each.topic for each in equations}),
        equations=len(equations),
        equations_in_all=len(results.specification.equations),
        files=len(results.specification.files),
        anchors=len(anchors),
        statuses={status.value: found[status.value] for status in Status},
        anchors_executed=None if results.executions is None else len(executed),
        anchors_executable=sum(anchor.role in _RUN for anchor in anchors),
        verdicts={verdict.value: counted[verdict.value] for verdict in Verdict} if results.methods else None,
        coverage=results.coverage,
        examples=_outcomes(examples),
        equation_waivers=sum(waiver.equation is not None for waiver in waivers),
        statement_waivers=sum(waiver.equation is None for waiver in waivers),
        severities={severity.value: severities[severity.value] for severity in Severity},
        seconds=results.seconds,
        from_cache=results.from_cache,
        skipped=results.skipped,
        notes=results.notes,
        reviews=results.reviews,
        mutation=None if results.mutants is None else mutation(results.mutants),
        latex=_read_summary([each.latex for each in equations if each.latex is not None]),
        states=_read_summary([row for each in equations for row in each.states]),
    )


def _read_summary(found: Sequence[LatexRow | StatedRow]) -> LatexSummary | None:
    if not found:
        return None
    counted = Counter(each.status for each in found)
    return LatexSummary(
        total=len(found),
        proof=sum(each.how == "proof" for each in found if each.status == ReadBack.AGREES),
        values=sum(each.how == "values" for each in found if each.status == ReadBack.AGREES),
        differ=counted[ReadBack.DIFFERS],
        not_compared=counted[ReadBack.NOT_COMPARED],
        not_read=counted[ReadBack.NOT_READ],
        waived=sum(each.waived for each in found),
        forms=counted[ReadBack.IS_FORM],
    )


def _latex(equation: Equation, results: Results) -> LatexRow | None:
    found = results.readbacks.get(equation.id)
    if found is None:
        return None
    waived = found.status is ReadBack.NOT_READ and _is_excused(equation, "latex", results)
    return LatexRow(found.status.value, found.how, found.points, found.detail, waived, found.more)


def _states(equation: Equation, results: Results) -> tuple[StatedRow, ...]:
    return tuple(_stated(each, equation, results) for each in results.states.values() if each.equation == equation.id)


def _stated(stated: Stated, equation: Equation, results: Results) -> StatedRow:
    found, span = stated.found, stated.span
    is_form = found.how == FORM  # which nothing excuses
    waived = found.status is ReadBack.NOT_READ and not is_form and _is_excused(equation, "states", results)
    how = "" if is_form else found.how
    return StatedRow(span.path, span.line, stated.text, found.status.value, how, found.points, found.detail, waived)


def _is_excused(equation: Equation, lacks: str, results: Results) -> bool:
    return any(
        waiver.lacks == lacks and waiver.equation is not None and waiver.equation.value == equation.id
        for waiver in results.specification.waivers
    )


def _outcomes(examples: tuple[ExampleRow, ...]) -> dict[str, int]:
    counted = Counter(each.result.outcome.value if each.result else "" for each in examples)
    return {outcome: counted[outcome] for outcome in (*(each.value for each in Outcome), "")}


def _equation(equation: Equation, results: Results) -> EquationRow:
    ran = {result.method: _method(result) for result in results.methods.get(equation.id, ())}
    verdict = results.verdict(equation.id)
    return EquationRow(
        id=equation.id,
        topic=equation.topic,
        verdict=verdict.value if verdict else None,
        methods={name: ran.get(name) for name in dict.fromkeys((*equation.methods, *ran))},
        anchors=tuple(_anchor(anchor, results) for anchor in equation.anchors),
        latex=_latex(equation, results),
        states=_states(equation, results),
    )


def _method(result: MethodResult) -> MethodRow:
    evidence = result.evidence
    return MethodRow(
        name=result.method,
        verdict=result.verdict.value,
        points=evidence.points,
        certified=evidence.certified,
        seed=evidence.seed,
        worst_ulp=finite(evidence.worst_ulp),
        worst_at=evidence.worst_at,
        detail=evidence.detail,
        limits=evidence.limits,
        seconds=result.seconds,
        proof_size=evidence.proof_size,
    )


def _anchor(anchor: Anchor, results: Results) -> AnchorRow:
    match = results.matches.get(anchor.id)
    span = match.span if match else None
    return AnchorRow(
        id=anchor.id,
        role=anchor.role.value,
        path=span.path if span else anchor.path,
        line=span.line if span else anchor.line,
        end_line=span.end_line if span else anchor.line,
        function=(match.function if match else "") or anchor.function,
        status=(match.status if match else Status.MISSING).value,
        executions=executions(anchor, results),
    )
