"""Which pages there are, and the address of everything on them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

from eqtrace.code.index import Index
from eqtrace.config import Config
from eqtrace.model.anchor import Anchor, Match, Role
from eqtrace.model.equation import Equation
from eqtrace.model.results import Results
from eqtrace.model.section import Section
from eqtrace.model.topic import Page, Topic
from eqtrace.report.words import slug

INDEX = "index.html"
REFERENCE = "equations.html"
NOTATION = "notation.html"
MATRIX = "matrix.html"
DEPENDENCIES = "dependencies.html"
COVERAGE = "coverage.html"
CHANGES = "changes.html"
SEARCH = "search.js"


@dataclass(frozen=True, slots=True)
class PagePlan:
    """A page: its file, and the sections and topics on it."""

    file: str
    title: str
    intro: str
    topics: tuple[Topic, ...]
    notation: str = ""
    sections: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A function that a topic shows whole, decorators included."""

    path: str
    function: str
    start: int
    end: int
    prefix: str  # of the ids of its lines

    def line_id(self, line: int) -> str:
        """The id of one of its lines."""
        return f"{self.prefix}L{line}"


class Places:
    """The plan of a site. Addresses are relative to the page that holds the link, so that folders can be moved."""

    def __init__(self, config: Config, results: Results, index: Index) -> None:
        self.index = index
        self.pages = _pages(config, results)
        self.functions = {
            topic.id: tuple(_shown(topic, results, index)) for page in self.pages for topic in page.topics
        }
        self.sources = _sources(config, results, self.functions, index)
        self._shown: dict[tuple[str, str], list[Shown]] = {}  # by page and file
        for page in self.pages:
            for topic in page.topics:
                for shown in self.functions[topic.id]:
                    self._shown.setdefault((page.file, shown.path), []).append(shown)
        self._matches = results.matches
        self._anchors: dict[str, tuple[Equation, Anchor, str]] = {}
        self._equations: dict[str, str] = {}
        self._topics: dict[str, str] = {}
        for page in self.pages:
            for topic in page.topics:
                self._topics[topic.id] = f"{page.file}#{slug(topic.id)}"
                for equation in topic.equations:
                    self._equations[equation.id] = f"{page.file}#{slug(equation.id)}"
                    for anchor in equation.anchors:
                        self._anchors[anchor.id] = (equation, anchor, page.file)

    def topic(self, topic: str, on: str) -> str | None:
        """The address of a topic."""
        return _relative(self._topics.get(topic), on)

    def equation(self, equation: str, on: str) -> str | None:
        """The address of an equation."""
        return _relative(self._equations.get(equation), on)

    def page(self, file: str, on: str) -> str:
        """The address of a file of the site."""
        return _relative(file, on) or ""

    def anchor(self, name: str) -> tuple[Equation, Anchor] | None:
        """An anchor by its name, with its equation."""
        found = self._anchors.get(name)
        return None if found is None else found[:2]

    def match(self, anchor: Anchor) -> Match | None:
        """What became of an anchor."""
        return self._matches.get(anchor.id)

    def line_of(self, anchor: Anchor) -> tuple[str, int]:
        """The file and line of an anchor: where it was found, else what it claims."""
        match = self.match(anchor)
        return (match.span.path, match.span.line) if match and match.span else (anchor.path, anchor.line)

    def line(self, path: str, line: int, on: str, topic: str = "") -> str | None:
        """The address of a line: within the page where that shows it (`topic` first), else its source page."""
        own = [shown for shown in self._shown.get((on, path), ()) if shown.start <= line <= shown.end]
        for shown in sorted(own, key=lambda each: each not in self.functions.get(topic, ())):
            return "#" + quote(shown.line_id(line), safe="-._~:")
        return _relative(f"{self.sources[path]}#L{line}", on) if path in self.sources else None

    def cite(self, name: str, on: str, topic: str = "") -> tuple[str, str] | None:
        """The address and the text (`file:line`) of an anchor's line; of its row in the table where no page has it."""
        if name not in self._anchors:
            return None
        _, anchor, page = self._anchors[name]
        path, line = self.line_of(anchor)
        row = _relative(f"{page}#{slug(anchor.id)}", on) or ""
        return self.line(path, line, on, topic) or row, f"{path}:{line}"


def _pages(config: Config, results: Results) -> tuple[PagePlan, ...]:
    """The pages as listed, then one for each group of topics that no page lists, so that no topic is lost."""
    specification = results.specification
    topics = {topic.id: topic for topic in specification.topics}
    wanted = config.site.pages
    plans: list[tuple[Page, list[Topic]]] = []
    placed: set[str] = set()
    for page in specification.pages:
        own = [topics[name.value] for name in page.topics if name.value in topics]
        placed |= {topic.id for topic in own}
        if not wanted or page.id in wanted:
            plans.append((page, own))
    rest: dict[str, list[Topic]] = {}
    for topic in specification.topics:
        if topic.id not in placed:
            name = topic.page or posixpath.splitext(posixpath.basename(topic.span.path))[0]
            rest.setdefault(name, []).append(topic)
    plans += [(Page(name, name, "", ()), own) for name, own in rest.items() if not wanted or name in wanted]
    files = distinct([slug(page.id) for page, _ in plans])
    return tuple(
        PagePlan(f"pages/{file}.html", page.title, page.intro, tuple(own), page.notation, page.sections)
        for file, (page, own) in zip(files, plans, strict=True)
    )


def distinct(names: list[str]) -> list[str]:
    """Names of files, of which no two are the same, even where case does not count."""
    found: list[str] = []
    for name in names:
        number = 2
        unique = name
        while unique.lower() in (other.lower() for other in found):
            unique, number = f"{name}-{number}", number + 1
        found.append(unique)
    return found


def _shown(topic: Topic, results: Results, index: Index) -> Iterator[Shown]:
    seen: set[tuple[str, str]] = set()
    for path, function in _targets(topic, results, index):
        file = index.file(path)
        if not function or file is None or (path, function) in seen or function not in file.definitions:
            continue
        seen.add((path, function))
        node = file.definitions[function][-1]
        start = min([node.lineno, *(each.lineno for each in node.decorator_list)])  # type: ignore[union-attr]
        end = node.end_lineno or node.lineno  # type: ignore[union-attr]
        yield Shown(path, function, start, end, f"{slug(topic.id)}.{slug(path)}.")


def _targets(topic: Topic, results: Results, index: Index) -> Iterator[tuple[str, str]]:
    """The functions that a topic names; of one that names none, those that its equations cite as computing."""
    for text in topic.functions:
        path, _, function = text.value.partition("::")
        if not function:
            module, _, function = text.value.partition(":")
            path = index.module_path(module) or ""
        yield path, function
    if not topic.functions:
        anchors = [anchor for equation in topic.equations for anchor in equation.anchors]
        for match in (results.matches.get(anchor.id) for anchor in anchors if anchor.role is Role.COMPUTES):
            if match is not None and match.span is not None:
                yield match.span.path, match.function or match.anchor.function


def _sources(config: Config, results: Results, functions: dict[str, tuple[Shown, ...]], index: Index) -> dict[str, str]:
    """The source page of each file of the sources and each cited one, and of the scenarios whose runs are shown."""
    paths = {shown.path for each in functions.values() for shown in each} | set(index.sources())
    if config.scenarios is not None and any(each.table is not None for each in results.examples.values()):
        paths.add(config.scenarios)
    paths |= {match.span.path for match in results.matches.values() if match.span is not None}
    inside = [path for path in paths if path and not path.startswith("/") and ".." not in path.split("/")]
    return {path: f"source/{path}.html" for path in sorted(inside) if index.file(path) is not None}


@lru_cache(maxsize=65536)
def _relative(target: str | None, on: str) -> str | None:
    if target is None:
        return None
    file, _, fragment = target.partition("#")
    path = "" if file == on else posixpath.relpath(file, posixpath.dirname(on) or ".")
    return quote(path, safe="/-._~:") + ("#" + quote(fragment, safe="-._~:") if fragment else "")
