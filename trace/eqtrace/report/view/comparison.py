"""Helper or in place: for each function of a page's topics, where it is called and where its formulas are repeated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from eqtrace.code.entity import FunctionRef
from eqtrace.model.anchor import Anchor, Role
from eqtrace.model.topic import Topic
from eqtrace.report.view.places import PagePlan, Shown
from eqtrace.report.view.topic import Site
from eqtrace.report.words import DIRECTIONS


@dataclass(frozen=True, slots=True)
class UseSite:
    """A line that calls a function or repeats its formula, and for what."""

    purpose: str
    place: str
    address: str | None


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """A function; `answer` says in words how the rest of the code uses it."""

    direction: str
    function: str
    place: str
    address: str | None
    answer: str
    calls: tuple[UseSite, ...]
    inline: tuple[UseSite, ...]


def comparison(plan: PagePlan, site: Site) -> tuple[ComparisonView, ...]:
    """A row for each function that a topic of the page shows, forward before backward.

    Entries in short form cite no repeated lines: there is nothing to compare.
    """
    shown: dict[tuple[str, str], tuple[Shown, list[Topic]]] = {}
    for topic in (each for each in plan.topics if not each.short):
        for each in site.places.functions[topic.id]:
            shown.setdefault((each.path, each.function), (each, []))[1].append(topic)
    order = list(DIRECTIONS)
    rows = [_row(each, topics, plan.file, site) for each, topics in shown.values()]
    return tuple(sorted(rows, key=lambda row: order.index(row.direction) if row.direction in order else len(order)))


def _row(shown: Shown, topics: list[Topic], on: str, site: Site) -> ComparisonView:
    anchors = [anchor for topic in topics for equation in topic.equations for anchor in equation.anchors]
    purposes = {site.places.line_of(each): each.purpose for each in anchors if each.role is Role.CALLS and each.purpose}
    callers = site.graph.callers(FunctionRef(shown.path, shown.function))
    calls = _distinct(
        (purposes.get((each.path, each.line)) or each.function or "the module", each.path, each.line)
        for each in callers
    )
    inline = _distinct(_inline(anchors, shown, site))
    return ComparisonView(
        topics[0].direction,
        shown.function,
        f"{shown.path}:{shown.start}",
        site.places.line(shown.path, shown.start, on, topics[0].id),
        _answer(bool(calls), bool(inline)),
        tuple(UseSite(purpose, f"{path}:{line}", site.places.line(path, line, on)) for purpose, path, line in calls),
        tuple(UseSite(purpose, f"{path}:{line}", site.places.line(path, line, on)) for purpose, path, line in inline),
    )


def _inline(anchors: Iterable[Anchor], shown: Shown, site: Site) -> Iterator[tuple[str, str, int]]:
    for anchor in anchors:
        if anchor.role is Role.INLINE:
            path, line = site.places.line_of(anchor)
            if path != shown.path or not shown.start <= line <= shown.end:
                yield anchor.purpose or anchor.function or "the module", path, line


def _distinct(found: Iterable[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
    """One entry a line, in the order of files and lines."""
    lines: dict[tuple[str, int], tuple[str, str, int]] = {}
    for each in found:
        lines.setdefault(each[1:], each)
    return [lines[key] for key in sorted(lines)]


def _answer(called: bool, repeated: bool) -> str:
    if called:
        return "both: called, and repeated in place" if repeated else "the helper is called"
    return "repeated in place; the helper is never called" if repeated else "neither: no other code calls or repeats it"
