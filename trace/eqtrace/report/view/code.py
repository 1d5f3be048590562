"""Code as a page shows it: whole functions and files, each line with its number and the equations that cite it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from eqtrace.model.anchor import Role
from eqtrace.model.results import Results
from eqtrace.model.symbol import Symbol
from eqtrace.report.highlight import lines, marked, tokens
from eqtrace.report.view.places import Places, Shown
from eqtrace.report.words import ROLES

if TYPE_CHECKING:
    from eqtrace.report.view.topic import Site

Marks = Mapping[tuple[str, int], str]
"""By file and line: why an arithmetic statement without an equation is there; '' where nothing says why."""
Claims = Mapping[str, Mapping[int, tuple[tuple[str, Role], ...]]]
"""By file and line: the equations that cite the line, and as what."""


@dataclass(frozen=True, slots=True)
class Claim:
    """An equation that cites a line."""

    equation: str
    role: str
    address: str


@dataclass(frozen=True, slots=True)
class LineView:
    """A line of code."""

    number: int
    element: str
    markup: Markup
    claims: tuple[Claim, ...]
    mark: str = ""  # of an arithmetic statement that no equation claims


@dataclass(frozen=True, slots=True)
class CodeView:
    """Lines of one file."""

    path: str
    function: str
    start: int
    end: int
    address: str | None  # of the source page
    lines: tuple[LineView, ...]
    host: str | None = None  # the address at the repository's host


def claims(results: Results, places: Places) -> Claims:
    """Every cited line, statements that span several at their first."""
    found: dict[str, dict[int, dict[tuple[str, Role], None]]] = {}
    for equation in results.specification.equations:
        for anchor in equation.anchors:
            path, line = places.line_of(anchor)
            found.setdefault(path, {}).setdefault(line, {})[(equation.id, anchor.role)] = None
    return {path: {line: tuple(each) for line, each in by_line.items()} for path, by_line in found.items()}


def code_names(symbols: Mapping[str, Symbol], function: str) -> dict[str, str]:
    """By its name in a function's code, each symbol that has one there."""
    names = {symbol.code_name(function): symbol.name for symbol in reversed(tuple(symbols.values()))}
    return {name: symbol for name, symbol in names.items() if name is not None}


def marks(results: Results) -> Marks:
    """The arithmetic statements that no equation claims: those that waivers excuse, and the others."""
    found = {(each.span.path, each.span.line): "" for each in (results.coverage.unclaimed if results.coverage else ())}
    for match in results.waivers:
        number = match.anchor.id.rpartition("/")[2]
        waivers = results.specification.waivers
        if match.span is not None and number.isdecimal() and int(number) < len(waivers):
            found.setdefault((match.span.path, match.span.line), waivers[int(number)].reason)
    return found


def function_view(shown: Shown, symbols: Mapping[str, Symbol], site: Site, on: str) -> CodeView:
    """A whole function with its original line numbers, the names of its topic's symbols marked."""
    places = site.places
    numbers = range(shown.start, shown.end + 1)
    names = code_names(symbols, shown.function)
    file = places.index.file(shown.path)
    parts = tokens(file.text.removesuffix("\n")) if file else ()
    markup = {number: marked(parts[number - 1], names) for number in numbers if number <= len(parts)}
    rows = tuple(_lines(shown.path, numbers, shown.prefix, markup, site, on))
    address = places.page(places.sources[shown.path], on) if shown.path in places.sources else None
    host = site.host.line(shown.path, shown.start, shown.end) if site.host is not None else None
    return CodeView(shown.path, shown.function, shown.start, shown.end, address, rows, host)


def file_view(path: str, site: Site, on: str) -> CodeView:
    """A whole file."""
    file = site.places.index.file(path)
    markup = dict(enumerate(lines(file.text.removesuffix("\n")), 1)) if file else {}
    rows = tuple(_lines(path, range(1, len(markup) + 1), "", markup, site, on))
    host = site.host.line(path, 1, len(markup)) if site.host is not None else None
    return CodeView(path, "", 1, len(markup), None, rows, host)


def _lines(
    path: str, numbers: range, prefix: str, markup: Mapping[int, Markup], site: Site, on: str
) -> Iterator[LineView]:
    claimed = site.cited.get(path, {})
    for number in numbers:
        own = claimed.get(number, ())
        reason = site.marks.get((path, number))
        yield LineView(
            number=number,
            element=f"{prefix}L{number}",
            markup=markup.get(number, Markup("")),
            claims=tuple(Claim(name, ROLES[role], site.places.equation(name, on) or "") for name, role in own),
            mark="" if reason is None else f"no equation, waived: {reason}" if reason else "no equation claims this",
        )
