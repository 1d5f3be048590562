"""Where a parser is in its tokens, and what it knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from eqtrace.formula.form import Form
from eqtrace.formula.latex.arrays import Arrays, Value
from eqtrace.formula.latex.entries import Entries
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.latex.names import Keys, Names
from eqtrace.formula.latex.tokens import LIMIT_DEPTH, Kind, Token
from eqtrace.formula.term import (
    Term,
)

Run = tuple[Token, ...]
RELATIONS = {"=": "=", "<": "<", ">": ">", "\\le": "<=", "\\ge": ">=", "\\ne": "!="}
_OPEN = frozenset({"(", "[", "{", "\\{", "\\lfloor", "\\lceil", "\\begin", "\\lvert", "\\lVert"})
_CLOSE = frozenset({")", "]", "}", "\\}", "\\rfloor", "\\rceil", "\\end", "\\rvert", "\\rVert"})
_UNITS = frozenset({"pt", "em", "ex", "mm", "cm", "in", "mu"})
_BARS = frozenset({"|", "\\|"})  # open and close alike


@dataclass
class Reading:
    """What a parser needs to know, and what it notes on the way."""

    names: Names
    form: Form
    arrays: Arrays
    lengths: dict[str, Term]  # of indices that run from 0
    indices: set[str]
    step: str = ""  # the scalar symbol that counts steps
    old: set[str] = field(default_factory=set)  # symbols whose values before are meant
    used: set[str] = field(default_factory=set)
    depth: int = 0
    lefts: set[str] = field(default_factory=set)  # what the form has on its left sides
    met: dict[str, list[Term]] = field(default_factory=dict)  # by index without a range, the axes it stands on
    held: dict[str, Term] = field(default_factory=dict)  # the declared lengths of those
    turn: int | None = None  # which of the equations that a tuple stands for is read
    member: dict[str, str] = field(default_factory=dict)  # `n in {q, k, v}`: the letter that n stands for

    def is_updated(self, name: str) -> bool:
        """Whether the form changes a symbol: of all others, the value at t - 1 is the value that they have."""
        return name in self.lefts

    def entries(self) -> Entries:
        """The reader of subscripts."""
        return Entries(self.form, self.arrays, self.lengths.get, self.met, self.held)


class Cursor:
    """One run of tokens; all of them must be consumed. The grammar is `Parser`'s."""

    def __init__(self, found: Run, reading: Reading) -> None:
        self.run = found
        self.place = 0
        self.reading = reading
        self.arrays = reading.arrays

    # Tokens

    @property
    def key(self) -> str:
        """The key of the next token; '' at the end."""
        return self.run[self.place].key if self.place < len(self.run) else ""

    def here(self) -> int:
        """Where the next token stands."""
        if self.place < len(self.run):
            return self.run[self.place].offset
        return self.run[-1].end if self.run else 0

    def take(self) -> Token:
        """The next token."""
        if self.place >= len(self.run):
            raise Unread("something is missing at the end", self.here())
        self.place += 1
        return self.run[self.place - 1]

    def expect(self, key: str) -> Token:
        """The next token, which must be this one."""
        if self.key != key:
            raise Unread(f"{key} is missing", self.here())
        return self.take()

    def unread(self, message: str) -> Unread:
        """Why it is not read, here."""
        return Unread(message, self.here(), self.run[self.place].length if self.place < len(self.run) else 1)

    def group(self) -> Run:
        """What stands in braces, or the next token alone."""
        if self.key != "{":
            if self.key in ("^", "_", "&", "\\\\", "}", ""):
                raise self.unread("a group is missing")
            return (self.take(),)
        return self.between("{", "}")

    def between(self, opening: str, closing: str) -> Run:
        """What stands between two brackets, others within balanced."""
        start = self.expect(opening)
        first, depth = self.place, 1
        while self.place < len(self.run):
            key = self.key
            if key == closing:
                depth -= 1
            elif key == opening:
                depth += 1
            if not depth:
                self.place += 1
                return self.run[first : self.place - 1]
            self.place += 1
        raise Unread(f"{opening} is not closed", start.offset)

    def part(self, found: Run) -> Self:
        """A parser of a part."""
        return type(self)(found, self.reading)

    def whole(self) -> Value:
        """All that there is, as one expression."""
        if not self.run:
            raise Unread("an empty group")
        value = self.expression()
        if self.place < len(self.run):
            raise self.unread(f"{self.run[self.place].text} is left over")
        return value

    def inner(self, found: Run) -> Value:
        """A part, as one expression."""
        if self.reading.depth > LIMIT_DEPTH:
            raise self.unread("nested too deep")
        self.reading.depth += 1
        try:
            return self.part(found).whole()
        finally:
            self.reading.depth -= 1

    def end(self) -> int:
        """Where the last token ended."""
        return self.run[self.place - 1].end if self.place else 0

    def after(self, count: int) -> str:
        """The key of a token ahead; '' where there is none."""
        place = self.place + count
        return self.run[place].key if place < len(self.run) else ""

    def expression(self) -> Value:
        """Terms with signs."""
        raise NotImplementedError

    def product(self) -> Value:
        """Factors side by side."""
        raise NotImplementedError

    def factor(self) -> Value:
        """One thing with its scripts."""
        raise NotImplementedError

    def argument(self) -> Value:
        """What a function without brackets takes."""
        raise NotImplementedError


def unspaced(row: Run) -> Run:
    r"""A row without what may stand behind the `\\` before it: a star, or a length in square brackets."""
    row = row[1:] if row and row[0].key == "*" else row
    end = next((place for place, token in enumerate(row) if token.key == "]"), 0)
    inside = row[1:end] if row and row[0].key == "[" else ()
    unit = "".join(token.key for token in inside[1:])
    return row[end + 1 :] if inside and inside[0].kind is Kind.NUMBER and unit in _UNITS else row


def keys_of(found: Run) -> Keys:
    """The keys of tokens."""
    return tuple(token.key for token in found)


def outer(found: Run) -> list[Token]:
    """The tokens outside all brackets."""
    out: list[Token] = []
    depth = 0
    bars: set[str] = set()
    for token in found:
        if token.key in _CLOSE:
            depth -= 1
        if token.key in _BARS and not depth:
            bars ^= {token.key}
        elif not depth and not bars:
            out.append(token)
        if token.key in _OPEN:
            depth += 1
    return out


def split(found: Run, keys: tuple[str, ...]) -> list[Run]:
    """The parts between tokens that stand outside all brackets."""
    ends = {id(token) for token in outer(found) if token.key in keys}
    out: list[Run] = []
    first = 0
    for place, token in enumerate(found):
        if id(token) in ends:
            out.append(found[first:place])
            first = place + 1
    out.append(found[first:])
    return out
