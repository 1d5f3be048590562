"""The structure of prose as far as citations need it: paragraphs, list items, table rows and headings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property


class Kind(Enum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    ROW = "row"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive lines that belong together, from `start` to `end` (offsets).

    `above` is the index of the block that leads to this one: a list's head, the item it is nested in, a heading.
    """

    kind: Kind
    start: int
    end: int
    indent: int
    level: int = 0
    above: int | None = None


_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)]|\*{2,5}|\.{1,5})[ \t]+(?:\[[ xX]\][ \t]+)?")
_HEADING = re.compile(r"[ \t]*(#{1,6}|={1,6})[ \t]+\S|[ \t]*<h([1-6])\b", re.IGNORECASE)
_UNDERLINE = re.compile(r"[ \t]*([=\-~^\"'*+#.`])\1{2,}[ \t]*$")
_UNDERLINES = "=-~^\"'*+#.`"
_ROW = re.compile(r"[ \t]*\||.*\S[ \t]+\|[ \t].*\|")
_BORDER = re.compile(r"[ \t]*[|+:=\- \t]{3,}$")
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")


class Blocks:
    """The blocks of one document, in order."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks; worked out when they are first asked for, since most documents cite nothing."""
        return tuple(_linked(list(_split(self.text))))

    @cached_property
    def _starts(self) -> list[int]:
        return [block.start for block in self.blocks]

    def index(self, offset: int) -> int | None:
        """The block that an offset lies in."""
        place = bisect_right(self._starts, offset) - 1
        return place if place >= 0 and offset <= self.blocks[place].end else None

    def above(self, place: int) -> Iterator[int]:
        """What leads to a block, nearest first: list heads, items it is nested in, headings."""
        above = self.blocks[place].above
        while above is not None:
            yield above
            above = self.blocks[above].above

    def content(self, place: int) -> str:
        """A block's text."""
        block = self.blocks[place]
        return self.text[block.start : block.end]


def _split(text: str) -> Iterator[Block]:
    opened: Block | None = None
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        quoted = line.lstrip().startswith(">")
        bare = _QUOTE.sub(lambda found: " " * len(found[0]), line, count=1) if quoted else line
        opened, done = _next(opened, bare, start, end)
        yield from done
        start = end + 1
    if opened is not None:
        yield opened


def _next(opened: Block | None, line: str, start: int, end: int) -> tuple[Block | None, list[Block]]:
    """The block that is open after a line, and those that it closes."""
    done = [] if opened is None else [opened]
    stripped = line.lstrip()
    if not stripped:
        return None, done
    indent, mark = len(line) - len(stripped), stripped[0]
    if mark in "#=<" and (heading := _HEADING.match(line)) is not None:
        level = len(heading[1]) if heading[1] else int(heading[2])
        return None, [*done, Block(Kind.HEADING, start, end, indent, level)]
    if mark in _UNDERLINES and _UNDERLINE.match(line) is not None:
        if opened is not None and opened.kind is Kind.PARAGRAPH:
            return None, [Block(Kind.HEADING, opened.start, end, opened.indent, "=-~^".find(mark) + 1 or 5)]
        return None, done
    if "|" in line or mark == "+":
        if _BORDER.match(line) and "-" in line:
            return None, done
        if _ROW.match(line):
            return None, [*done, Block(Kind.ROW, start, end, indent)]
    if (mark in "-*+•." or mark.isdigit()) and (item := _ITEM.match(line)) is not None:
        return Block(Kind.ITEM, start, end, indent, item.end()), done
    if opened is not None:
        return Block(opened.kind, opened.start, end, opened.indent, opened.level), []
    return Block(Kind.PARAGRAPH, start, end, indent), done


def _linked(blocks: list[Block]) -> Iterator[Block]:
    headings: list[int] = []
    items: list[int] = []
    lead: int | None = None  # the last paragraph, which may be the head of a list or table
    for place, block in enumerate(blocks):
        if block.kind is Kind.HEADING:
            while headings and blocks[headings[-1]].level >= block.level:
                headings.pop()
            above = headings[-1] if headings else None
            headings.append(place)
            items, lead = [], None
        else:
            while items and not _within(blocks[items[-1]], block):
                items.pop()
            above = items[-1] if items else (headings[-1] if headings else None)
            if block.kind is Kind.PARAGRAPH:
                lead = place if not items else lead
            elif lead is not None and not items:
                above = lead
            if block.kind is Kind.ITEM:
                items.append(place)
        yield Block(block.kind, block.start, block.end, block.indent, block.level, above)


def _within(item: Block, block: Block) -> bool:
    return block.indent > item.indent if block.kind is Kind.ITEM else block.indent >= min(item.level, item.indent + 2)
