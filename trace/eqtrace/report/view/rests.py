"""What a topic or a file is shown from, as a hash: whether it must be shown anew is told without making its view.

What takes long to make (highlighted code, formulas) is told by what it is made from; the rest by itself. Addresses are
among it, as a link may lead elsewhere though nothing of the topic changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from eqtrace.cache import digest
from eqtrace.model.anchor import Anchor
from eqtrace.model.equation import Equation
from eqtrace.model.topic import Topic
from eqtrace.report.rows import EquationRow, executions
from eqtrace.report.view.citations import use_views
from eqtrace.report.view.example import function_place, scenario_place
from eqtrace.report.view.places import Shown
from eqtrace.report.view.topic import Site, commit_of, findings_of, rests_on, reused, shape_view

_UNORDERED = re.compile(r"frozenset\(\{'max', 'min'\}\)")  # the one set that a specification holds
_CITE = re.compile(r"\{cite: *([^{}\n]+?) *\}")


@dataclass(frozen=True, slots=True)
class Said:
    """What a specification says of a topic, as a hash, and the names of the anchors that its prose cites."""

    key: str
    cites: tuple[str, ...]


def said(topics: Iterable[Topic]) -> dict[str, Said]:
    """What is said of each topic, by its id."""
    found = {}
    for topic in topics:
        told = in_order(repr(topic))
        found[topic.id] = Said(digest(told), tuple(dict.fromkeys(_CITE.findall(told.replace("\\'", "'")))))
    return found


def in_order(told: str) -> str:
    """What `repr` says of a part of a specification, the same in every run."""
    return _UNORDERED.sub("frozenset({'min', 'max'})", told)


class Rests:
    """What the topics and files of a site are shown from, beside which pages there are and which topics are on each."""

    def __init__(self, site: Site, known: Mapping[str, Said]) -> None:
        self._site = site
        self._said = known
        self._rows = {row.id: _untimed(row) for row in site.report.equations}
        self._examples = {row.topic: row for row in site.report.examples}
        self._found: dict[str, str] = {}

    def topic(self, topic: Topic, on: str) -> str:
        """A hash of what a topic is shown from on the page `on`."""
        own = self._said[topic.id]
        if topic.id not in self._found:
            self._found[topic.id] = in_order(repr(list(self._facts(topic))))
        return digest(own.key, self._found[topic.id], repr(list(self._addresses(topic, own.cites, on))))

    def source(self, path: str, on: str) -> str:
        """A hash of what a file is shown from on its page."""
        return digest(repr(list(self._lines(path, None, on))))

    def _facts(self, topic: Topic) -> Iterator[object]:
        site = self._site
        ids = [equation.id for equation in topic.equations]
        yield [self._rows.get(each) for each in ids]
        yield [site.results.verdict(each) for each in ids]
        yield findings_of(topic, site.report.findings)
        for name in (topic.id, *(section.id for section in topic.sections)):
            row = self._examples.get(name)
            yield row and replace(row, result=row.result and replace(row.result, seconds=0.0))
        if site.mutation is not None:
            yield site.mutation.topics.get(topic.id), [site.mutation.equations.get(each) for each in ids]
        yield [site.results.specification.literature.get(each.work.value) for each in topic.literature]
        for equation in topic.equations:
            yield commit_of(equation, site)
            yield from (self._anchor(anchor) for anchor in equation.anchors)

    def _anchor(self, anchor: Anchor) -> object:
        match = self._site.places.match(anchor)
        found = match and (match.status, match.function, match.source)
        return found, self._site.places.line_of(anchor), executions(anchor, self._site.results)

    def _addresses(self, topic: Topic, cites: Iterable[str], on: str) -> Iterator[object]:
        """What a topic is shown from that is not the same on every page."""
        site, places = self._site, self._site.places
        for equation in topic.equations:
            yield [places.line(*places.line_of(anchor), on, topic.id) for anchor in equation.anchors]
            yield rests_on(equation, on, site)
        yield [(places.cite(name, on, topic.id), places.cite(name, on)) for name in cites]
        yield list(reused(topic, on, site))
        yield [shape_view(each, topic.id, on, site) for each in topic.shapes]
        yield use_views(topic, places, site.graph, on)
        for shown in places.functions[topic.id]:
            yield shown
            yield from self._lines(shown.path, shown, on)
        if topic.example is not None:
            yield function_place(topic.example, topic.id, on, site), scenario_place(topic.example, on, site)
        for section in topic.sections:
            yield scenario_place(section.run, on, site) if section.run is not None else None
            yield [self._cited(name.value, on) for step in section.steps for name in step.cites]
        related = [each.span for finding in findings_of(topic, site.report.findings) for each in finding.related]
        yield [places.line(span.path, span.line, on) for span in related]

    def _cited(self, name: str, on: str) -> object:
        """A line that a section cites, of whatever topic."""
        found = self._site.places.anchor(name)
        if found is None:
            return None
        equation, anchor = found
        line = self._site.places.line(*self._site.places.line_of(anchor), on, equation.topic)
        address = self._site.places.equation(equation.id, on)
        return in_order(repr((_named(equation), anchor))), self._anchor(anchor), line, address

    def _lines(self, path: str, shown: Shown | None, on: str) -> Iterator[object]:
        """Lines of a file, all where `shown` does not say which, and what is said of them."""
        site, places = self._site, self._site.places
        file = places.index.file(path)
        text = file.text if file is not None else ""
        start, end = (shown.start, shown.end) if shown is not None else (1, text.count("\n") + 1)
        yield digest(text)
        yield site.host.line(path, start, end) if site.host is not None else None
        for line, claims in sorted(site.cited.get(path, {}).items()):
            if start <= line <= end:
                yield line, claims, [places.equation(equation, on) for equation, _ in claims]
        yield [(line, site.marks[path, line]) for line in range(start, end + 1) if (path, line) in site.marks]


def _untimed(row: EquationRow) -> EquationRow:
    """A row without how long its methods took, which no page shows."""
    methods = {name: method and replace(method, seconds=0.0) for name, method in row.methods.items()}
    return replace(row, methods=methods)


def _named(equation: Equation) -> object:
    return equation.id, equation.topic, equation.symbols
