"""Which files hold prose that may cite code, and where in them it stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import PurePosixPath

from eqtrace.cites import comments, notebook
from eqtrace.cites.kinds import CODE, KNOWN, PROSE


class Zone(Enum):
    """What kind of text a place lies in."""

    PROSE = "prose"
    STRING = "string"  # a string literal: often sample data rather than a citation
    BLOCK = "block"  # a code block of a document: often a program's output


@dataclass(frozen=True)
class Document:
    """One file: its text, and its prose.

    `prose` is as long as `text`: what is no prose stands as spaces, so that an offset means the same place in both.
    """

    path: str
    text: str
    prose: str
    zones: tuple[tuple[int, int, Zone], ...] = field(default=())
    code: bool = False

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self._starts, offset)
        mark = line == 1 and self.text.startswith("\ufeff")  # a byte order mark is no character of the first line
        return line, offset - self._starts[line - 1] + 1 - mark

    def zone(self, offset: int) -> Zone:
        """The kind of text at an offset."""
        place = bisect_right(self.zones, offset, key=lambda zone: zone[0]) - 1
        if place >= 0 and self.zones[place][0] <= offset < self.zones[place][1]:
            return self.zones[place][2]
        return Zone.PROSE


_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12]\d|3[01])(?!\d)")
_LOGS = re.compile(r"^(change_?-?log|changes|history|news|releases?([-_ ]?notes)?|whats[-_]?new)\b", re.IGNORECASE)
_RECORDS = frozenset(
    {"adr", "adrs", "decisions", "decision-records", "rfcs", "rfc", "changelog", "changelogs", "changelog.d", "changes"}
    | {"newsfragments", "release-notes", "releases", "postmortems", "archive", "archives", "archived", "worklog"}
    | {"worklogs", "retros", "retrospectives"}
)
_DATED = re.compile(r"^\W{0,4}(?:report )?date\W{1,5}\D{0,12}(?:19|20)\d\d\b", re.IGNORECASE | re.MULTILINE)
_HEAD = 1200  # characters in which a report gives its date


def is_document(path: str) -> bool:
    """Whether a file is read by default."""
    return _suffix(path) in PROSE | CODE or PurePosixPath(path).name.upper().startswith("README")


def is_record(path: str, text: str = "") -> bool:
    """Whether a file is a record of its day: a changelog, a decision record or a dated report."""
    parts = PurePosixPath(path).parts
    if _suffix(path) not in PROSE:
        return False
    if any(part.lower() in _RECORDS for part in parts[:-1]) or any(_DATE.search(part) for part in parts):
        return True
    return bool(_LOGS.match(parts[-1])) or bool(re.match(r"(?i)adr[-_]?\d", parts[-1])) or bool(_dated(text))


def _dated(text: str) -> bool:
    return bool(_DATED.search(text[:_HEAD].replace("*", "").replace("`", "")))


# Quick to try on each file, before anything is parsed: can there be a citation at all? Each pattern begins with a fixed
# character, for which the regular expression engine skips ahead.
_EXTENSIONS = "|".join(sorted(map(re.escape, KNOWN), key=lambda word: (-len(word), word)))
_MAYBE = tuple(
    re.compile(pattern)
    for pattern in (
        r"\.[A-Za-z][A-Za-z0-9]{0,9}(?:[:#]~?L?~?\d|::?[A-Za-z_])",
        r"file[:#]~?L?~?\d",
        r"L\d\d",
        r"ines? ~?\d",
        r":~?\d+[`)\]]",
        r"`:~?\d",
        r"#lines-\d",
    )
)
_MAYBE_IN_CODE = (
    re.compile(rf"\.(?:{_EXTENSIONS})\b\W{{0,6}}(?:[:#]~?L?~?\d|::?[A-Za-z_]|L\d\d|[Ll]ines? ~?\d)"),
    re.compile(r"ines? ~?\d{1,7}(?:-\d{1,7})? (?:of|in)\b"),
)


def read(path: str, text: str) -> Document | None:
    """The document, or None where it certainly cites nothing."""
    suffix = _suffix(path)
    code = suffix in CODE
    if not any(pattern.search(text) for pattern in (_MAYBE_IN_CODE if code else _MAYBE)):
        return None
    if suffix == "ipynb":
        return Document(path, text, notebook.prose(text), code=False)
    if code:
        prose, strings = comments.prose(path, text)
        return Document(path, text, prose, tuple((start, end, Zone.STRING) for start, end in strings), code=True)
    if suffix in ("html", "htm"):
        return Document(path, text, _html(text))
    return Document(path, text, text, tuple(_blocks(text, suffix)))


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower().removeprefix(".")


_UNSEEN = re.compile(r"<(script|style)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_FENCE = re.compile(r"^[ \t>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})(.*)$", re.MULTILINE)
_DIRECTIVE = re.compile(r"^([ \t]*)\.\. (?:code-block|code|sourcecode|parsed-literal)::.*$|::[ \t]*$", re.MULTILINE)
_LISTING = re.compile(r"^(-{4,}|\.{4,})[ \t]*$", re.MULTILINE)


def blank(text: str) -> str:
    """Spaces of the same length, line ends kept."""
    return re.sub(r"[^\n]", " ", text)


def _html(text: str) -> str:
    return _UNSEEN.sub(lambda found: blank(found[0]), text)


def _blocks(text: str, suffix: str) -> list[tuple[int, int, Zone]]:
    """The code blocks of a document."""
    if suffix == "rst":
        return _indented(text)
    pattern = _LISTING if suffix in ("adoc", "asciidoc") else _FENCE
    found: list[tuple[int, int, Zone]] = []
    opened: re.Match[str] | None = None
    for match in pattern.finditer(text):
        if opened is None:
            if match.lastindex != 2 or "`" not in match[2] or match[1][0] == "~":
                opened = match
        elif match[1].startswith(opened[1]) and (match.lastindex != 2 or not match[2].strip()):
            found.append((opened.end(), match.start(), Zone.BLOCK))
            opened = None
    return found


def _indented(text: str) -> list[tuple[int, int, Zone]]:
    found: list[tuple[int, int, Zone]] = []
    for match in _DIRECTIVE.finditer(text):
        begin = text.rfind("\n", 0, match.start()) + 1
        indent = len(text[begin:]) - len(text[begin:].lstrip(" \t"))
        end = start = match.end()
        for line in text[start + 1 :].split("\n"):
            if line.strip() and len(line) - len(line.lstrip(" \t")) <= indent:
                break
            end += len(line) + 1
        if end > start and (not found or start >= found[-1][1]):
            found.append((start, min(end, len(text)), Zone.BLOCK))
    return found
