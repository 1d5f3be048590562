"""The static half of every command: anchors, roles and coverage. Nothing of the user's code is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from eqtrace import collector
from eqtrace.code.calls import CallGraph
from eqtrace.code.entity import FunctionRef
from eqtrace.code.index import Index, Problem
from eqtrace.link import roles
from eqtrace.link.coverage import Inputs, Unsure, cover
from eqtrace.link.faults import fault_of, file_of, unreadable
from eqtrace.link.fix import renamed
from eqtrace.link.match import match
from eqtrace.link.nearest import functions_like
from eqtrace.link.place import place
from eqtrace.link.relocate import Homes
from eqtrace.model.anchor import Anchor, Match, Role, Status
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault, Related
from eqtrace.model.results import Coverage
from eqtrace.model.span import Span
from eqtrace.model.topic import Specification, Topic

if TYPE_CHECKING:
    from eqtrace.config import Config


@dataclass(frozen=True, slots=True)
class Audit:
    """What the static half found out. `waivers` are the matches of waivers that name a statement, for `fix`."""

    matches: Mapping[str, Match]  # by anchor id
    faults: tuple[Fault, ...]
    coverage: Coverage
    graph: CallGraph
    waivers: tuple[Match, ...] = ()
    functions: Mapping[str, tuple[FunctionRef, ...]] = field(default_factory=dict)  # by topic


def audit(
    specification: Specification,
    index: Index,
    config: Config,
    homes: Homes,
    selected: frozenset[str] | None = None,
    unsure: Callable[[], Unsure] = Unsure,
) -> Audit:
    """Holds a specification against the code.

    `homes` are the new places of functions that its anchors cite.

    `selected` are the ids of the equations to look at, None all of them; with some only, nothing is said of statements
    that no equation claims. `unsure` gives those whose LaTeX or documentation is not read, or not compared; it is asked
    when all anchors have been held against the code.
    """
    with collector.paused():
        graph = CallGraph(index)
        equations = [item for item in specification.equations if selected is None or item.id in selected]
        topics = {equation.topic for equation in equations}
        functions: dict[str, tuple[FunctionRef, ...]] = {}
        unread: dict[str, Span] = {}  # files that only `functions` name, at the first that does
        faults: list[Fault] = []
        matches: dict[str, Match] = {}
        # Topic by topic, so that few files are needed at a time.
        for topic in specification.topics:
            if topic.id not in topics:
                continue
            functions[topic.id], unknown = _functions(topic, graph, homes, unread)
            faults.extend(unknown)
            for equation in topic.equations:
                if selected is None or equation.id in selected:
                    matches.update((anchor.id, match(anchor, index, homes)) for anchor in equation.anchors)
                    faults.extend(_anchor_faults(equation, matches, index, graph, functions[topic.id]))
        inputs = Inputs(
            equations,
            matches,
            specification.waivers,
            index,
            graph,
            config.coverage,
            whole=selected is None,
            unsure=unsure(),
        )
        coverage, lacks, waivers = cover(inputs)
        faults.extend(lacks)
        faults.extend(fault for item in waivers if (fault := _waiver_fault(item, index)) is not None)
        whole = config.coverage != "off" and selected is None
        faults.extend(_renamed((each for each in specification.topics if each.id in topics), homes))
        cited = [(matches[anchor.id], equation.id) for equation in equations for anchor in equation.anchors]
        faults.extend(_unreadable_files([*cited, *((each, None) for each in waivers)], index, unread, whole))
    return Audit(matches, tuple(faults), coverage, graph, waivers, functions)


def _renamed(topics: Iterable[Topic], homes: Homes) -> Iterator[Fault]:
    """One fault for each place beside anchors that names a function which is elsewhere now."""
    for edit in renamed(topics, homes.found()):
        yield Fault("line-moved", f"`{edit.old}` is {edit.new} now", edit.span, f"`eqtrace fix` writes {edit.new}")


def _functions(
    topic: Topic, graph: CallGraph, homes: Homes, unread: dict[str, Span]
) -> tuple[tuple[FunctionRef, ...], list[Fault]]:
    found: list[FunctionRef] = []
    faults: list[Fault] = []
    for text in topic.functions:
        ref = graph.function(text.value)
        if ref is not None:
            found.append(ref)
            continue
        path, _, qualname = text.value.partition("::")
        home = homes.of(path, qualname)
        moved = graph.function(f"{home.path}::{home.function}") if home is not None else None
        if moved is not None:
            found.append(moved)
            continue  # told with all other places that name it
        file = graph.index.file(path)
        if file is None:
            unread.setdefault(path, text.span)
            continue
        near = ", ".join(item.reason for item in functions_like(file, qualname))
        message = f"{path} defines no function `{qualname}`"
        faults.append(Fault("unknown-reference", message, text.span, f"nearest: {near}" if near else ""))
    return tuple(found), faults


def _anchor_faults(
    equation: Equation,
    matches: Mapping[str, Match],
    index: Index,
    graph: CallGraph,
    functions: tuple[FunctionRef, ...],
) -> Iterator[Fault]:
    for anchor in equation.anchors:
        found = matches[anchor.id]
        fault = fault_of(found, equation.id, index)
        if fault is not None:
            yield fault
        yield from roles.check(found, equation, index, graph, functions)


def _waiver_fault(found: Match, index: Index) -> Fault | None:
    """A waiver's line is a claim like an anchor's; whatever else is wrong with one is told as an unused waiver."""
    fault = fault_of(found, None, index)
    told = ("line-moved", "weak-anchor", "anchor-ambiguous")
    return fault if fault is not None and fault.kind in told else None


def _unreadable_files(
    matches: Iterable[tuple[Match, str | None]], index: Index, named: Mapping[str, Span], sources: bool
) -> Iterator[Fault]:
    """One fault a file, at the first anchor that cites it (else where it is named, else at the file itself)."""
    cited: dict[str, list[tuple[Anchor, str | None]]] = {}
    for found, equation_id in matches:
        anchor = found.anchor
        if found.status is not Status.MOVED and unreadable(anchor, index):
            path = file_of(anchor, index) or ""
            cited.setdefault(path, []).append((anchor, equation_id))
    for path, anchors in cited.items():
        yield _unreadable(path, anchors, index)
    for path, span in named.items():
        if path not in cited:
            yield replace(_unreadable(path, [], index), span=span)
    for path in index.sources() if sources else ():
        if path not in cited and path not in named and index.problem(path) is not None:
            yield _unreadable(path, [], index)


def _unreadable(path: str, anchors: list[tuple[Anchor, str | None]], index: Index) -> Fault:
    problem = index.problem(path)
    if anchors and anchors[0][0].role is Role.STATES and not path.endswith(".py"):
        text = index.text(path)
        problem = text if isinstance(text, Problem) else None
    assert problem is not None
    there = Span(path, max(problem.line, 1), max(problem.column, 1))
    message = f"{path}: {problem.message}"
    if problem.line:
        message += f" (line {problem.line}, column {max(problem.column, 1)})"
    if not anchors:
        return Fault("source-unreadable", message, there)
    if len(anchors) > 1:
        message += f"; {len(anchors)} anchors cite it"
    anchor, equation = anchors[0]
    related = (Related(there, problem.message),) if problem.line else ()
    return Fault("source-unreadable", message, place(anchor), "", related, equation)
