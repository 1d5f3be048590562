"""Sections of pages and topics as a page shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from eqtrace.model.example import Outcome
from eqtrace.model.section import PathStep, Section
from eqtrace.report.numbers import is_rounded
from eqtrace.report.prose import inline, paragraphs
from eqtrace.report.view.citations import CitationView, citation_view
from eqtrace.report.view.example import OUTCOMES, STORED, UNTRIED, TableView, scenario_place, table_view
from eqtrace.report.words import Badge

if TYPE_CHECKING:
    from eqtrace.report.view.topic import Site


@dataclass(frozen=True, slots=True)
class StepView:
    """A step of a way through the code."""

    text: Markup
    lines: tuple[CitationView, ...]


@dataclass(frozen=True, slots=True)
class SectionView:
    """A section. `badge` says what came of its run; None where it has none."""

    element: str
    heading: str
    text: Markup
    steps: tuple[StepView, ...]
    caption: Markup
    badge: Badge | None
    table: TableView | None
    rounded: bool
    run: str
    run_place: str
    run_address: str | None


def section_views(sections: tuple[Section, ...], owner: str, on: str, site: Site) -> tuple[SectionView, ...]:
    """The views of the sections of `owner`, the id of the element that holds them, on the page `on`."""
    return tuple(_section(each, f"{owner}--part-{number}", on, site) for number, each in enumerate(sections, 1))


def _section(section: Section, element: str, on: str, site: Site) -> SectionView:
    resolve = site.resolve(on)
    result = site.results.examples.get(section.id) if section.run is not None else None
    table = result.table if result is not None else None
    badge = None
    if section.run is not None:
        shown = result is not None and table is not None and result.outcome in (Outcome.AGREES, Outcome.SHOWN)
        badge = STORED if shown else UNTRIED if result is None else OUTCOMES[result.outcome]
    place, address = scenario_place(section.run, on, site) if section.run is not None else ("", None)
    return SectionView(
        element,
        section.heading,
        paragraphs(section.text.value if section.text else "", resolve),
        tuple(_step(step, on, site) for step in section.steps),
        inline(section.caption, resolve),
        badge,
        None if table is None else table_view(table),
        table is not None and any(is_rounded(cell) for row in table.rows for cell in row),
        section.run.run.value if section.run is not None and section.run.run else "",
        place,
        address,
    )


def _step(step: PathStep, on: str, site: Site) -> StepView:
    found = [site.places.anchor(cite.value) for cite in step.cites]
    lines = tuple(citation_view(*each, site.results, site.places, on) for each in found if each is not None)
    return StepView(inline(step.text.value, site.resolve(on)), lines)
