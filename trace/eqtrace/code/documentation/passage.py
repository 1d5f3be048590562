"""A run of documentation whose every character knows its place in the file."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from eqtrace.code.source import SourceFile
from eqtrace.code.tree import ScopeNode
from eqtrace.model.span import Span


@dataclass(frozen=True, slots=True)
class Passage:
    """Text as a reader sees it. `places` holds (line, column) of each character, and one more: where it ends."""

    path: str
    text: str
    places: tuple[tuple[int, int], ...]

    def span(self, offset: int, length: int) -> Span:
        """The place of some of its characters."""
        first = self.places[min(max(offset, 0), len(self.places) - 1)]
        last = self.places[min(max(offset + length - 1, 0), len(self.places) - 1)]
        return Span(self.path, *first, last[0], last[1] + 1)

    def line(self, offset: int) -> int:
        """The line of the file that a character stands on."""
        return self.places[min(offset, len(self.places) - 1)][0]

    def part(self, first_line: int, last_line: int) -> Passage:
        """The part that stands on some lines of the file."""
        lines = [line for line, _ in self.places]
        start, end = bisect_right(lines, first_line - 1), bisect_right(lines, last_line)
        end = min(end, len(self.text))
        return Passage(self.path, self.text[start:end], self.places[start : end + 1])


def page(path: str, text: str) -> Passage:
    """A whole file of documentation."""
    return Passage(path, text, tuple(_places(text, 1, 1)))


def docstring(file: SourceFile, scope: ScopeNode) -> Passage | None:
    """The docstring of a function, a class or a module; None where it has none, or one of several pieces."""
    first = scope.body[0] if scope.body else None
    if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
        return None
    node = first.value
    if not isinstance(node.value, str):
        return None
    span = file.span(first)
    source = file.slice(span)
    match = _LITERAL.fullmatch(source)
    if match is None or "b" in match["prefix"].lower() or "f" in match["prefix"].lower():
        return None
    body = source[match.start("body") : match.end("body")]
    skipped = source[: match.start("body")]
    line = span.line + skipped.count("\n")
    places = list(_places(body, line, span.column + len(skipped)))
    if "r" in match["prefix"].lower():
        cooked, kept = body, list(range(len(body)))
    else:
        cooked, kept = _cooked(body)
    if cooked != node.value:
        return None  # an escape that is written in another way than this reads, or several literals side by side
    return Passage(file.path, cooked, (*(places[place] for place in kept), places[-1]))


_LITERAL = re.compile(
    r"(?P<prefix>[A-Za-z]{0,2})(?P<quote>\"\"\"|'''|\"|')(?P<body>.*)(?P=quote)",
    re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:(?P<newline>\n)|(?P<octal>[0-7]{1,3})|x(?P<x>[0-9A-Fa-f]{2})|u(?P<u>[0-9A-Fa-f]{4})"
    r"|U(?P<U>[0-9A-Fa-f]{8})|(?P<plain>[\\'\"abfnrtv]))"
)
_PLAIN = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def _cooked(body: str) -> tuple[str, list[int]]:
    """What a literal's text means, and from where in it each character comes."""
    found: list[str] = []
    kept: list[int] = []
    place = 0
    while place < len(body):
        match = _ESCAPE.match(body, place)
        if match is None:
            character, end = body[place], place + 1
        else:
            character, end = _meant(match), match.end()
        if character:
            found.append(character)
            kept.append(place)
        place = end
    return "".join(found), kept


def _meant(escape: re.Match[str]) -> str:
    if escape["newline"]:
        return ""
    if escape["plain"]:
        return _PLAIN.get(escape["plain"], escape["plain"])
    if escape["octal"]:
        return chr(int(escape["octal"], 8))
    code = int(escape["x"] or escape["u"] or escape["U"], 16)
    return chr(code) if code < 0x110000 else "\ufffd"


def _places(text: str, line: int, column: int) -> Iterator[tuple[int, int]]:
    for character in text:
        yield line, column
        line, column = (line + 1, 1) if character == "\n" else (line, column + 1)
    yield line, column
