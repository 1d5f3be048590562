"""Topics, and the whole specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from eqtrace.model.equation import Equation, LiteratureReference
from eqtrace.model.example import Example
from eqtrace.model.finding import Fault
from eqtrace.model.section import Section
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Symbol


@dataclass(frozen=True, slots=True)
class ShapeTable:
    """The shapes at one real call site: rows of (array, dimensions)."""

    caption: str
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    anchor: Text | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic: what a page shows under one heading. Prose may hold `{cite: ANCHOR}`."""

    id: str
    title: str
    page: str
    span: Span
    status: str = "implemented"  # or derived
    direction: str = "neither"  # forward | backward | neither
    category: str = ""
    functions: tuple[Text, ...] = ()  # 'path.py::qualname'
    literature: tuple[LiteratureReference, ...] = ()
    what: Text | None = None
    why: Text | None = None
    symbols: Mapping[str, Symbol] = field(default_factory=dict)
    equations: tuple[Equation, ...] = ()
    shapes: tuple[ShapeTable, ...] = ()
    example: Example | None = None
    sections: tuple[Section, ...] = ()
    short: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the site, in the site's order. `notation` is the rule by which its names are to be read."""

    id: str
    title: str
    intro: str
    topics: tuple[Text, ...]
    notation: str = ""
    sections: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """A work of the literature."""

    key: str
    title: str
    authors: tuple[str, ...]
    year: int
    venue: str = ""
    doi: str = ""
    arxiv: str = ""


@dataclass(frozen=True, slots=True)
class Waiver:
    """A reasoned exception: what an equation lacks, or an arithmetic statement that nobody claims."""

    reason: str
    span: Span
    equation: Text | None = None
    lacks: str = ""  # code | test | latex | states | branch
    path: str = ""
    line: int = 0
    function: str = ""
    code: str = ""
    at: Text | None = None  # 'path:line' as written, for `fix`


@dataclass(frozen=True, slots=True)
class Review:
    """One line of the ledger: hashes of what a link's two ends were when it was last reviewed.

    A merge may leave several lines of one link: each was reviewed.
    """

    key: str
    form: str
    prose: str
    code: str


@dataclass(frozen=True)
class Specification:
    """Everything that was read, and every fault that was seen while reading."""

    topics: tuple[Topic, ...] = ()
    pages: tuple[Page, ...] = ()
    literature: Mapping[str, Work] = field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()
    reviews: tuple[Review, ...] | None = None  # None: there is no ledger
    files: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()

    @cached_property
    def equations(self) -> tuple[Equation, ...]:
        """All equations, in the order of their files."""
        return tuple(equation for topic in self.topics for equation in topic.equations)
