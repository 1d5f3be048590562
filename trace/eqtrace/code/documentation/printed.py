"""Where documentation prints formulas: directives, roles, dollars, fences, literals, and lines that are equations.

Nothing is read here. What is found may still turn out to be no formula.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from eqtrace.code.documentation.passage import Passage


class Notation(StrEnum):
    """How a formula is written."""

    LATEX = "latex"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Printed:
    """A formula as it is printed: the characters of its passage from `start` on."""

    notation: Notation
    text: str
    start: int
    display: bool  # it stands by itself, not in a line of prose
    prose: bool = False  # it is not even set apart from the words around it

    @property
    def indent(self) -> int:
        """How many of its first characters are space: a fraction of several lines needs the columns of its first."""
        return len(self.text) - len(self.text.lstrip())


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip(" "))

    @property
    def blank(self) -> bool:
        return not self.text.strip()


_DIRECTIVE = re.compile(r"\s*\.\. math::[ ]?(?P<rest>.*)")
_OPTION = re.compile(r"\s*:[a-z-]+:(?:\s|$)")
_FENCE = re.compile(r"\s*(?P<mark>`{3,}|~{3,})\s*(?P<kind>[A-Za-z-]*)\s*$")
_ROLE = re.compile(r":math:`(?P<body>[^`]+)`")
_DOUBLE = re.compile(r"\$\$(?P<body>.+?)\$\$", re.DOTALL)
_SINGLE = re.compile(r"(?<![\\$\w])\$(?!\s)(?P<body>[^$\n]+?(?:\n[^$\n]+?)?)(?<![\s\\])\$(?![\w$])")
_BRACKETS = re.compile(r"\\\[(?P<body>(?:(?!\\[\[\]]).)+)\\\]", re.DOTALL)
_PARENTHESES = re.compile(r"\\\((?P<body>(?:(?!\\[()]).)+)\\\)")
_LITERAL = re.compile(r"(?P<ticks>`{1,2})(?!`)(?P<body>[^`\n]+?)(?<!`)(?P=ticks)(?!`)")
_NAME = r"[^\W\d]\w*(?:\.\w+)*"
_HEAD = re.compile(rf"\s*(?:[-*] +)?(?P<left>{_NAME}(?:\([^()]*\)|\[[^\[\]]*\])?)\s*=(?!=)\s*(?P<rest>.*)")
_BEFORE = re.compile(rf"\s*(?P<left>{_NAME}\([^()]*\))\s*$")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s")
_OPEN = re.compile(r"[-+*/^=(\[{,]\s*$")
_SIGN = re.compile(r"\s*[-+*/=] ")
_ATOM = rf"[-+]?(?:(?:{_NAME})?\((?:[^()\n]|\([^()\n]*\))*\)|{_NAME}|\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
_PROSE = re.compile(  # it ends where a sentence or its part does: else it goes on in a way that is not read
    rf"(?<![\w`$.=])(?P<body>{_NAME}(?:\([^()\n]*\))?[ ]=[ ]{_ATOM}(?:[ ]*(?:\*\*|[-+*/^])[ ]*{_ATOM})+)"
    r"(?=[ ]*(?:[.,;)](?!\w)|$))",
    re.MULTILINE,
)
_RULE = re.compile(r"\s*(?:-{4,})(?:\s|$)")


def printed(passage: Passage) -> tuple[Printed, ...]:
    """The formulas of a passage, in their order."""
    finder = _Finder(passage.text)
    return tuple(sorted(finder.found(), key=lambda each: each.start))


class _Finder:
    """Takes blocks out of the lines first; what stands in prose is looked for in the rest."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: list[_Line] = []
        start = 0
        for line in text.split("\n"):
            self.lines.append(_Line(start, line))
            start += len(line) + 1
        self.taken = [False] * len(self.lines)

    def found(self) -> Iterator[Printed]:
        """All formulas, in no order."""
        yield from self._blocks()
        yield from self._doubles()
        yield from self._equations()
        yield from self._inline()

    def _blocks(self) -> Iterator[Printed]:
        number = 0
        while number < len(self.lines):
            line = self.lines[number]
            directive, fence = _DIRECTIVE.fullmatch(line.text), _FENCE.match(line.text)
            if directive is not None:
                end = self._body(number)
                yield from self._directive(number, end, directive.start("rest"))
            elif fence is not None:
                end = self._fenced(number, fence["mark"])
                if fence["kind"] == "math":
                    yield from self._latex(number + 1, end - 1)
                elif fence["kind"] in ("", "text"):
                    yield from self._literal(number + 1, end - 1)
            elif line.text.rstrip().endswith("::") and not line.text.lstrip().startswith((".. ", ">>>")):
                end = self._body(number)
                yield from self._literal(number + 1, end)
                self.taken[number + 1 : end] = [True] * (end - number - 1)
                number = max(end, number + 1)
                continue
            elif line.text.lstrip().startswith((">>>", "...  ", "... ")):
                end = number + 1  # an example: what it computes, not what the function does
            else:
                number += 1
                continue
            self.taken[number:end] = [True] * (end - number)
            number = end

    def _body(self, number: int) -> int:
        """The line behind what is indented more than a line."""
        indent, end = self.lines[number].indent, number + 1
        last = end
        while end < len(self.lines) and (self.lines[end].blank or self.lines[end].indent > indent):
            end += 1
            if not self.lines[end - 1].blank:
                last = end
        return last

    def _fenced(self, number: int, mark: str) -> int:
        for end in range(number + 1, len(self.lines)):
            if self.lines[end].text.strip() == mark:
                return end + 1
        return len(self.lines)

    def _directive(self, number: int, end: int, column: int) -> Iterator[Printed]:
        first = number + 1
        while first < end and _OPTION.match(self.lines[first].text):
            first += 1
        if not self.lines[number].text[column:].strip():
            yield from self._latex(first, end)
            return
        blank = next((each for each in range(first, end) if self.lines[each].blank), end)
        start = self.lines[number].start + column
        yield from self._slice(start, self._end(blank - 1), Notation.LATEX)
        yield from self._latex(blank, end)

    def _latex(self, first: int, end: int) -> Iterator[Printed]:
        """Lines of LaTeX; a blank one ends a formula."""
        for start, stop in self._groups(first, end):
            yield from self._slice(self.lines[start].start, self._end(stop - 1), Notation.LATEX)

    def _literal(self, first: int, end: int) -> Iterator[Printed]:
        """A literal block: formulas as programs write them, unless it holds an example."""
        for start, stop in self._groups(first, end):
            lines = self.lines[start:stop]
            if any(line.text.lstrip().startswith((">>>", "$ ", "#")) for line in lines):
                continue
            heads = [number for number in range(start, stop) if _HEAD.fullmatch(self.lines[number].text)]
            if len(heads) > 1 and heads[0] == start:  # an equation a line, or over some
                for one, other in zip(heads, [*heads[1:], stop], strict=True):
                    yield from self._slice(self.lines[one].start, self._end(other - 1), Notation.PLAIN)
            else:
                yield from self._slice(self.lines[start].start, self._end(stop - 1), Notation.PLAIN)

    def _groups(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """Runs of lines that are not blank."""
        start = first
        for number in range(first, end + 1):
            if number == end or self.lines[number].blank:
                if number > start:
                    yield start, number
                start = number + 1

    def _end(self, number: int) -> int:
        line = self.lines[number]
        return line.start + len(line.text)

    def _slice(
        self, start: int, end: int, notation: Notation, *, display: bool = True, prose: bool = False
    ) -> Iterator[Printed]:
        """What stands between two offsets, the space around it left out."""
        text = self.text[start:end]
        body = text.strip()
        if body:
            lead = 0 if "\n" in body and notation is Notation.PLAIN else len(text) - len(text.lstrip())
            yield Printed(notation, text[lead:].rstrip(), start + lead, display, prose)

    def _doubles(self) -> Iterator[Printed]:
        for pattern in (_DOUBLE, _BRACKETS):
            for match in pattern.finditer(self._free()):
                yield from self._slice(match.start("body"), match.end("body"), Notation.LATEX)
                self._take(match.start(), match.end())

    def _free(self) -> str:
        """The text with the characters of lines that are taken blanked out."""
        lines = (
            " " * len(line.text) if taken else line.text for line, taken in zip(self.lines, self.taken, strict=True)
        )
        return "\n".join(lines)

    def _take(self, start: int, end: int) -> None:
        first = bisect_right(self.lines, start, key=lambda line: line.start) - 1
        last = bisect_right(self.lines, end, key=lambda line: line.start)
        self.taken[first:last] = [True] * (last - first)

    def _equations(self) -> Iterator[Printed]:
        """Lines that begin as an equation does: `name = ` or `name(...) =`, and those that go on."""
        number = 0
        while number < len(self.lines):
            end = self._equation(number) if not self.taken[number] else number
            if end > number:
                start = self.lines[number].start
                item = _ITEM.match(self.lines[number].text)
                yield from self._slice(start + (item.end() if item else 0), self._end(end - 1), Notation.PLAIN)
                self.taken[number:end] = [True] * (end - number)
            number = max(end, number + 1)

    def _equation(self, number: int) -> int:
        """The line behind an equation that begins on a line; the line itself where none does."""
        line = self.lines[number]
        if "`" in line.text or "$" in line.text:
            return number
        head = _HEAD.fullmatch(line.text)
        if head is None:
            after = self.lines[number + 1].text if number + 1 < len(self.lines) else ""
            if not _BEFORE.fullmatch(line.text) or not re.match(r"\s*=[^=]", after):
                return number
        end = number + 1
        opened = head is not None and not head["rest"].strip()  # nothing stands right of the sign yet
        while end < len(self.lines) and not self.taken[end]:
            following = self.lines[end]
            if following.blank:
                if not opened or end + 1 >= len(self.lines) or self.lines[end + 1].indent <= line.indent:
                    break
            elif not self._goes_on(line, end):
                break
            else:
                opened = False
            end += 1
        while self.lines[end - 1].blank:
            end -= 1
        return end

    def _goes_on(self, first: _Line, number: int) -> bool:
        """Whether a line belongs to the equation that began before."""
        line = self.lines[number]
        if line.indent > first.indent and (_SIGN.match(line.text) or _RULE.match(line.text)):
            return True
        open_ = _OPEN.search(self.lines[number - 1].text) is not None
        return (line.indent > first.indent or open_) and not _ITEM.match(line.text)

    def _inline(self) -> Iterator[Printed]:
        """Roles, dollars and literals in prose, and what stands there as it is."""
        text = self._free()
        latex = (_ROLE, _SINGLE, _PARENTHESES)
        for pattern, notation in (*((each, Notation.LATEX) for each in latex), (_LITERAL, Notation.PLAIN)):
            for match in pattern.finditer(text):
                if notation is Notation.PLAIN and text.startswith(":math:", match.start() - len(":math:")):
                    continue
                if notation is Notation.LATEX or re.search(r"[-+*/^=<>]", match["body"]):
                    yield from self._slice(match.start("body"), match.end("body"), notation, display=False)
        marked = [match.span() for pattern in (*latex, _LITERAL) for match in pattern.finditer(text)]
        for match in _PROSE.finditer(text):
            if not any(start < match.end() and match.start() < end for start, end in marked):
                yield from self._slice(match.start(), match.end(), Notation.PLAIN, display=False, prose=True)
