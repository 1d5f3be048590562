"""Expressions as programs and people write them, as tokens with their places."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from eqtrace.formula.latex.errors import Unread

LIMIT_CHARACTERS = 4_000


class Kind(StrEnum):
    """What a token is."""

    NUMBER = "number"
    NAME = "name"
    SYMBOL = "symbol"


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `gap` says that space stands before it."""

    kind: Kind
    text: str
    offset: int
    length: int
    gap: bool

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.offset + self.length


Run = tuple[Token, ...]
_SCAN = re.compile(
    r"(?P<space>\s+)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]*\d*[jJ]))"
    r"|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)"
    r"|(?P<symbol>\*\*|==|<=|>=|!=|~=|:=|[-+*/^=<>()\[\]{}|,;:!@%≤≥≈−·×√∞])"
)
_SAME = {"^": "**", "≤": "<=", "≥": ">=", "≈": "~=", "−": "-", "·": "*", "×": "*", ":=": "="}
_PACKAGES = ("np", "numpy", "math", "scipy", "special", "sp", "cmath")
_RULE = re.compile(r"-{4,}")


def tokens(text: str) -> Run:
    """The tokens of a formula, a fraction that stands over several lines put in line.

    Raises:
        Unread: a character that is none of a formula's.
    """
    if len(text) > LIMIT_CHARACTERS:
        raise Unread(f"{len(text)} characters; {LIMIT_CHARACTERS} are allowed")
    line, offsets = _in_line(text)
    found: list[Token] = []
    place = 0
    gap = False
    while place < len(line):
        match = _SCAN.match(line, place)
        if match is None:
            raise Unread(f"the character {line[place]!r} is not read", offsets[place])
        if match.lastgroup == "space":
            gap = True
        else:
            start, read = offsets[place], match.group()
            length = offsets[match.end() - 1] + 1 - start
            kind = Kind(match.lastgroup or "")
            found.append(Token(kind, _said(kind, read), start, max(1, length), gap))
            gap = False
        place = match.end()
    while found and found[-1].text in (",", ";"):
        found.pop()
    return tuple(found)


def _said(kind: Kind, read: str) -> str:
    """What a token says: the package before a function's name left out, Greek letters spelled out."""
    if kind is Kind.SYMBOL:
        return _SAME.get(read, read)
    if kind is Kind.NUMBER:
        return read
    *packages, name = read.split(".")
    if packages and all(each in _PACKAGES for each in packages):
        read = name
    return "".join(map(_letter, read)) if not read.isascii() else read


def _letter(character: str) -> str:
    words = unicodedata.name(character, "").split()
    if words[:1] != ["GREEK"] or words[2:3] != ["LETTER"]:
        return character
    return words[3].lower() if words[1] == "SMALL" else words[3].capitalize()


def _in_line(text: str) -> tuple[str, list[int]]:
    """The text in one line, and from where each of its characters comes.

    A line of dashes with one line right above it and one right below is a fraction.
    """
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found: list[tuple[str, int]] = []
    number = 0
    while number < len(lines):
        rule = _RULE.search(lines[number + 1]) if number + 2 < len(lines) else None
        if rule is None or not lines[number].strip() or not lines[number + 2].strip():
            found += [(character, starts[number] + column) for column, character in enumerate(lines[number])]
            found.append((" ", starts[number] + len(lines[number])))
            number += 1
            continue
        found += _fraction(lines, starts, number, rule)
        number += 3
    return "".join(character for character, _ in found), [offset for _, offset in found]


def _fraction(lines: list[str], starts: list[int], number: int, rule: re.Match[str]) -> list[tuple[str, int]]:
    """`number` is the line above the rule."""
    middle = starts[number + 1]
    pieces: list[tuple[str, int]] = [(each, middle + at) for at, each in enumerate(lines[number + 1][: rule.start()])]
    for line, closing in ((number, ")/"), (number + 2, ")")):
        text = lines[line]
        first, last = len(text) - len(text.lstrip()), len(text.rstrip())
        if first < rule.start() - 2 or last > rule.end() + 2:
            raise Unread("what stands over and under the bar is open", starts[line] + first, last - first)
        pieces.append(("(", starts[line] + first))
        pieces += [(each, starts[line] + first + at) for at, each in enumerate(text[first:last])]
        pieces += [(each, starts[line] + last - 1) for each in closing]
    pieces += [(each, middle + rule.end() + at) for at, each in enumerate(lines[number + 1][rule.end() :])]
    pieces.append((" ", middle + len(lines[number + 1])))
    return pieces
