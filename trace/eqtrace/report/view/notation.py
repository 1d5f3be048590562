"""Every symbol, size and shape table of a specification in one place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from markupsafe import Markup

from eqtrace.model.topic import Topic
from eqtrace.report.prose import inline
from eqtrace.report.sizes import legend, names, size
from eqtrace.report.view.equation import symbol_view
from eqtrace.report.view.places import NOTATION
from eqtrace.report.view.topic import ShapesView, Site, shape_view, symbols_of

Link = tuple[str, str]
"""A text and its address."""


@dataclass(frozen=True, slots=True)
class MeaningView:
    """One meaning of a symbol with its shape, and the topics in which it has them."""

    meaning: Markup
    shape: str
    parameter: bool
    topics: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class LetterView:
    """A symbol with everything that it stands for."""

    name: str
    markup: Markup
    meanings: tuple[MeaningView, ...]


@dataclass(frozen=True, slots=True)
class RuleView:
    """The rule of notation of a page."""

    page: Link
    text: Markup


@dataclass(frozen=True, slots=True)
class NotationView:
    """The page of notation."""

    rules: tuple[RuleView, ...]
    letters: tuple[LetterView, ...]
    sizes: tuple[tuple[str, int, str], ...]  # letter, size, and the expression that it was written as ('' is none)
    unsized: tuple[str, ...]  # letters that stay letters
    shapes: tuple[tuple[Link, tuple[ShapesView, ...]], ...]  # by topic


def notation(site: Site) -> NotationView:
    """The view of the page."""
    on = NOTATION
    topics = [topic for plan in site.places.pages for topic in plan.topics]
    rules = tuple(
        RuleView((plan.title, site.places.page(plan.file, on)), inline(plan.notation, site.resolve(on)))
        for plan in site.places.pages
        if plan.notation
    )
    shapes = tuple(
        (_link(topic, on, site), tuple(shape_view(each, topic.id, on, site) for each in topic.shapes))
        for topic in topics
        if topic.shapes
    )
    dims = list(_dims(topics))
    sizes = site.config.site.sizes
    sized = tuple(
        (name, value, written if isinstance(written := sizes[name], str) else "") for name, value in legend(dims, sizes)
    )
    unsized = tuple(sorted(name for name in names(dims) if size(name, sizes) is None))
    return NotationView(rules, tuple(_letters(topics, on, site)), sized, unsized, shapes)


def _link(topic: Topic, on: str, site: Site) -> Link:
    return topic.title, site.places.topic(topic.id, on) or ""


def _letters(topics: Iterable[Topic], on: str, site: Site) -> list[LetterView]:
    """The symbols, sorted as a reader looks for them; equal meanings of several topics are one."""
    shown: dict[str, Markup] = {}
    found: dict[str, dict[tuple[Markup, str, bool], dict[Link, None]]] = {}
    for topic in topics:
        for symbol in symbols_of(topic).values():
            view = symbol_view(symbol, site.config.site.sizes, site.resolve(on))
            shown.setdefault(symbol.name, view.markup)
            meanings = found.setdefault(symbol.name, {})
            meanings.setdefault((view.meaning, view.shape, view.parameter), {})[_link(topic, on, site)] = None
    return [
        LetterView(name, shown[name], tuple(MeaningView(*key, tuple(links)) for key, links in found[name].items()))
        for name in sorted(found, key=lambda name: (name.lower(), name))
    ]


def _dims(topics: Iterable[Topic]) -> Iterator[str]:
    """The dimensions that shapes name."""
    for topic in topics:
        yield from (dim for table in topic.shapes for _, row in table.rows for dim in row)
        yield from (each.value for symbol in symbols_of(topic).values() for each in symbol.shape or ())
