"""Coverage both ways: equations that lack code or a test, arithmetic statements that lack an equation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from eqtrace.code.arithmetic import arithmetic
from eqtrace.code.calls import CallGraph
from eqtrace.code.entity import FunctionRef
from eqtrace.code.index import Index
from eqtrace.link.match import match
from eqtrace.link.place import first_line
from eqtrace.link.slices import backward_slice
from eqtrace.model.anchor import Anchor, Match, Role, Status
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault
from eqtrace.model.results import Coverage, Tally, Unclaimed
from eqtrace.model.topic import Waiver

_CODE = frozenset({Role.COMPUTES, Role.INLINE, Role.EXPLAINS, Role.STATES})
_CLAIMING = frozenset({Role.COMPUTES, Role.INLINE, Role.EXPLAINS, Role.CALLS})

Place = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Unsure:
    """The equations whose LaTeX, or whose documentation, is not read or not compared."""

    latex: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Inputs:
    """What coverage is worked out from.

    `whole` says that every equation was looked at, so that no statement is unclaimed only for want of looking.
    """

    equations: Sequence[Equation]
    matches: Mapping[str, Match]
    waivers: Sequence[Waiver]
    index: Index
    graph: CallGraph
    setting: str  # off | report | error
    whole: bool = True
    unsure: Unsure = Unsure()


def cover(inputs: Inputs) -> tuple[Coverage, tuple[Fault, ...], tuple[Match, ...]]:
    """The coverage, its faults, and the matches of the waivers that name a statement.

    Setting 'off' drops missing tests and unclaimed statements; severity is not decided here.
    """
    equations, faults = _cover_equations(inputs)
    waived = tuple(_waiver_match(number, waiver, inputs.index) for number, waiver in enumerate(inputs.waivers))
    found = tuple(item for item in waived if item is not None)
    if inputs.setting == "off" or not inputs.whole:
        return Coverage(equations), tuple(faults), found
    coverage, more = _cover_statements(inputs, waived)
    return replace(coverage, equations=equations), (*faults, *more), found


def _cover_equations(inputs: Inputs) -> tuple[Tally, list[Fault]]:
    faults: list[Fault] = []
    used: set[int] = set()
    covered = waived = 0
    for equation in inputs.equations:
        lacking = _lacking(equation, inputs)
        excused = {
            number: waiver.lacks
            for number, waiver in enumerate(inputs.waivers)
            if waiver.equation is not None
            and waiver.equation.value == equation.id
            and _applies(waiver, lacking, equation, inputs.unsure)
        }
        used.update(excused)
        open_ends = [lack for lack in lacking if lack not in excused.values()]
        unresolved = not lacking and not _resolves(equation, inputs.matches)
        covered += not lacking and not unresolved and _is_known_tested(equation, inputs)
        waived += bool(lacking) and not open_ends
        faults.extend(_missing(equation, lack) for lack in open_ends if lack == "code" or inputs.setting != "off")
    faults.extend(_unused_equation_waivers(inputs, used))
    return Tally(covered, len(inputs.equations), waived), faults


def _lacking(equation: Equation, inputs: Inputs) -> list[str]:
    roles = {anchor.role for anchor in equation.anchors}
    lacking = [] if roles & _CODE or equation.whole else ["code"]
    if Role.TESTS not in roles and not (equation.whole and _is_test_left_open(equation, inputs)):
        lacking.append("test")
    return lacking


def _is_known_tested(equation: Equation, inputs: Inputs) -> bool:
    """Whether a test of an equation is cited, or reaches the function of one in short form."""
    cited = any(anchor.role is Role.TESTS for anchor in equation.anchors)
    return cited or any(inputs.graph.is_tested(ref) for ref in _functions(equation, inputs))


def _is_test_left_open(equation: Equation, inputs: Inputs) -> bool:
    """Whether it is no finding that no test of a short-form equation is known.

    What is missing is reported as such; a project that has no tests set up lacks more than this one; functions of
    packages are tested where they belong.
    """
    refs = _functions(equation, inputs)
    if not refs or not inputs.index.tests():
        return True
    return any(ref.path.startswith("/") or inputs.graph.is_tested(ref) for ref in refs)


def _functions(equation: Equation, inputs: Inputs) -> list[FunctionRef]:
    places = [inputs.matches[anchor.id] for anchor in equation.anchors if anchor.id in inputs.matches]
    return [FunctionRef(place.span.path, place.function) for place in places if place.span is not None]


def _applies(waiver: Waiver, lacking: Sequence[str], equation: Equation, unsure: Unsure) -> bool:
    lacks_latex = equation.latex is None or equation.id in unsure.latex
    lacks = {*lacking, *(["latex"] if lacks_latex else []), *(["states"] if equation.id in unsure.states else [])}
    return waiver.lacks in lacks


def _resolves(equation: Equation, matches: Mapping[str, Match]) -> bool:
    """Whether a code anchor of an equation leads somewhere."""
    found = (matches.get(anchor.id) for anchor in equation.anchors if anchor.role in _CODE or anchor.target)
    return any(item is not None and item.span is not None for item in found)


def _missing(equation: Equation, lack: str) -> Fault:
    if lack == "code":
        message, hint = "no line computes, explains or states it", "add an anchor"
    elif equation.whole:
        message, hint = "no test reaches its function", "write a test"
    else:
        message, hint = "no test is cited for it", "add an anchor with role: tests"
    hint = f"{hint}, or a waiver with `lacks: {lack}` and a reason"
    return Fault(f"missing-{lack}", f"{equation.id}: {message}", equation.span, hint, equation=equation.id)


def _unused_equation_waivers(inputs: Inputs, used: set[int]) -> Iterator[Fault]:
    known = {equation.id for equation in inputs.equations}
    for number, waiver in enumerate(inputs.waivers):
        if waiver.equation is None or number in used or waiver.equation.value not in known:
            continue
        if waiver.lacks == "branch" or (waiver.lacks == "test" and inputs.setting == "off"):
            continue  # only a run shows which branches are taken
        message = f"{waiver.equation.value} does not lack {waiver.lacks}"
        yield Fault("unused-waiver", message, waiver.span, "remove the waiver", equation=waiver.equation.value)


def _waiver_match(number: int, waiver: Waiver, index: Index) -> Match | None:
    if waiver.equation is not None or not waiver.path:
        return None
    anchor = Anchor(
        id=f"waivers/{number}",
        role=Role.EXPLAINS,
        path=waiver.path,
        line=waiver.line,
        function=waiver.function,
        code=waiver.code,
        span=waiver.span,
        at=waiver.at,
    )
    return match(anchor, index)


def _cover_statements(inputs: Inputs, waived: Sequence[Match | None]) -> tuple[Coverage, list[Fault]]:
    claimed = set(_claimed(inputs))
    excused = {
        (item.span.path, item.span.line, item.span.column): number
        for number, item in enumerate(waived)
        if item is not None and item.span is not None and item.status in (Status.OK, Status.MOVED)
    }
    unclaimed: list[Unclaimed] = []
    used: set[int] = set()
    covered = total = 0
    for path in inputs.index.sources():
        file = inputs.index.file(path)
        for statement in arithmetic(file) if file else ():
            span = statement.span
            key = (span.path, span.line, span.column)
            total += 1
            if key in claimed:
                covered += 1
            elif key in excused:
                used.add(excused[key])
            else:
                unclaimed.append(Unclaimed(span, statement.function, statement.source))
    faults = [_unclaimed_fault(item) for item in unclaimed]
    faults.extend(_unused_statement_waivers(inputs.waivers, waived, used, claimed))
    return Coverage(statements=Tally(covered, total, len(used)), unclaimed=tuple(unclaimed)), faults


def _claimed(inputs: Inputs) -> Iterator[Place]:
    for equation in inputs.equations:
        for anchor in equation.anchors:
            found = inputs.matches.get(anchor.id)
            if found is None or found.span is None or anchor.role not in _CLAIMING:
                continue
            if anchor.target is None:
                yield found.span.path, found.span.line, found.span.column
                continue
            file = inputs.index.file(found.span.path)
            for statement in backward_slice(file, found.function) if file else ():
                yield statement.span.path, statement.span.line, statement.span.column


def _unclaimed_fault(item: Unclaimed) -> Fault:
    where = f" in `{item.function}`" if item.function else ""
    message = f"no equation claims this arithmetic{where}: {first_line(item.source)}"
    hint = "cite it as computes, inline or explains of an equation, or waive it with a reason"
    return Fault("unclaimed-statement", message, item.span, hint)


def _unused_statement_waivers(
    waivers: Sequence[Waiver], waived: Iterable[Match | None], used: set[int], claimed: set[Place]
) -> Iterator[Fault]:
    for number, (waiver, found) in enumerate(zip(waivers, waived, strict=True)):
        if found is None or number in used:
            continue
        if found.span is None or found.status is Status.CHANGED:
            message = f"`{first_line(waiver.code)}` is {found.status} in {waiver.path}"
        elif (found.span.path, found.span.line, found.span.column) in claimed:
            message = f"`{first_line(waiver.code)}` is claimed by an equation"
        else:
            message = f"`{first_line(waiver.code)}` is no arithmetic of the sources, or is waived twice"
        yield Fault("unused-waiver", message, waiver.span, "remove or correct the waiver")
