"""Citations, callers and literature as a page shows them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from eqtrace.code.calls import CallGraph, CallSite
from eqtrace.code.entity import FunctionRef
from eqtrace.model.anchor import Anchor, Role, Status
from eqtrace.model.equation import Equation, LiteratureReference
from eqtrace.model.results import Results
from eqtrace.model.topic import Topic
from eqtrace.report.highlight import line as highlighted
from eqtrace.report.rows import executions
from eqtrace.report.view.code import code_names
from eqtrace.report.view.places import Places, Shown
from eqtrace.report.words import ROLES, slug


@dataclass(frozen=True, slots=True)
class CitationView:
    """A row of the code and equation table."""

    element: str
    equation: str
    equation_address: str
    role: str
    role_word: str
    purpose: str
    path: str
    place: str
    address: str | None
    function: str
    text: str  # the statement as it stands
    source: Markup  # the same, highlighted, with the names of symbols marked
    status: str  # '' where the line is where it says
    executions: int | None


@dataclass(frozen=True, slots=True)
class SiteView:
    """A place that calls or tests a function."""

    place: str
    address: str | None
    function: str


@dataclass(frozen=True, slots=True)
class UseView:
    """A function of the topic: its source range, and who calls and tests it.

    `recorded` are the tests that entered it when they last ran; None where no run is recorded.
    """

    place: str
    address: str | None
    function: str
    callers: tuple[SiteView, ...]
    testers: tuple[SiteView, ...]
    recorded: tuple[SiteView, ...] | None = None


@dataclass(frozen=True, slots=True)
class WorkView:
    """A place in the literature."""

    text: str
    where: str
    title: str
    link: str
    link_text: str


def citation_views(topic: Topic, results: Results, places: Places, on: str) -> tuple[CitationView, ...]:
    """The code and equation table: a row for each pair of an equation and a line."""
    return tuple(
        citation_view(equation, anchor, results, places, on)
        for equation in topic.equations
        for anchor in equation.anchors
    )


def use_views(topic: Topic, places: Places, graph: CallGraph, on: str) -> tuple[UseView, ...]:
    """Where each of the topic's functions lies and who calls and tests it."""
    return tuple(_use(shown, topic.id, places, graph, on) for shown in places.functions[topic.id])


def _use(shown: Shown, topic: str, places: Places, graph: CallGraph, on: str) -> UseView:
    ref = FunctionRef(shown.path, shown.function)
    recorded = graph.recorded_testers(ref)
    return UseView(
        place=f"{shown.path}:{shown.start}–{shown.end}",
        address=places.line(shown.path, shown.start, on, topic),
        function=shown.function,
        callers=tuple(_sites(graph.callers(ref), places, on)),
        testers=tuple(_sites(graph.testers(ref), places, on)),
        recorded=None if recorded is None else tuple(_sites(recorded, places, on)),
    )


def work_views(topic: Topic, results: Results) -> Iterator[WorkView]:
    """The topic's literature, each with a DOI or arXiv link."""
    for reference in topic.literature:
        work = results.specification.literature.get(reference.work.value)
        if work is None:
            yield WorkView(reference.work.value, "", "unknown work", "", "")
            continue
        names = ", ".join(work.authors)
        doi, arxiv = work.doi, work.arxiv
        yield WorkView(
            text=f"{names} ({work.year})" if names else str(work.year),
            where=place_in(reference),
            title=work.title + (f". {work.venue}" if work.venue else ""),
            link=f"https://doi.org/{doi}" if doi else f"https://arxiv.org/abs/{arxiv}" if arxiv else "",
            link_text=f"doi:{doi}" if doi else f"arXiv:{arxiv}" if arxiv else "",
        )


def citation_view(equation: Equation, anchor: Anchor, results: Results, places: Places, on: str) -> CitationView:
    """One cited line of an equation."""
    match = places.match(anchor)
    path, line = places.line_of(anchor)
    status = match.status if match else Status.MISSING
    function = (match.function if match else "") or anchor.function
    text = (match.source if match else "") or anchor.code
    return CitationView(
        element=slug(anchor.id),
        equation=equation.id,
        equation_address=places.equation(equation.id, on) or "",
        role=anchor.role.value,
        role_word=ROLES[anchor.role],
        purpose=anchor.purpose,
        path=path,
        place=f"{path}:{line}",
        address=places.line(path, line, on, equation.topic),
        function=function,
        text=text,
        source=highlighted(text, {**code_names(equation.symbols, function), **_bound(anchor)}),
        status="" if status is Status.OK else status.value,
        executions=executions(anchor, results),
    )


def _bound(anchor: Anchor) -> dict[str, str]:
    """By what a symbol is bound to in the statement, the symbol; `result` is no name of the code."""
    return {bound.value: name for name, bound in anchor.bind.items() if bound.value.partition("[")[0] != "result"}


def _sites(sites: tuple[CallSite, ...], places: Places, on: str) -> Iterator[SiteView]:
    for site in sites:
        yield SiteView(f"{site.path}:{site.line}", places.line(site.path, site.line, on), site.function)


def place_in(reference: LiteratureReference) -> str:
    """The place in a work, in words."""
    numbers = ", ".join(reference.equation)
    parts = [
        f"section {reference.section}" if reference.section else "",
        f"equation{'s' if len(reference.equation) > 1 else ''} {numbers}" if numbers else "",
        f"page {reference.page}" if reference.page else "",
    ]
    return ", ".join(part for part in parts if part)


def inline_sites(citations: tuple[CitationView, ...]) -> tuple[CitationView, ...]:
    """The places that repeat a formula instead of calling its function."""
    return tuple(each for each in citations if each.role == Role.INLINE)


def implementations(citations: tuple[CitationView, ...]) -> tuple[CitationView, ...]:
    """The lines that compute the topic's equations, wherever they stand."""
    return tuple(each for each in citations if each.role in (Role.COMPUTES, Role.INLINE))
