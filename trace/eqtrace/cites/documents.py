"""Which files hold prose that may cite code, and where in them it stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from pathlib import PurePosixPath

from eqtrace.cites import comments, notebook
from eqtrace.cites.kinds import CODE, KNOWN, NAMES, PROSE


class Zone(Enum):
    """What kind of text a place lies in."""

    PROSE = "prose"
    STRING = "string"  # a string literal: often sample data rather than a citation
    MESSAGE = "message"  # what an assertion says where it fails: a string literal that is meant for readers
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
    cut: bool = False  # whether lines of it are too long to be read

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


_DAY = r"(?<!\d)(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12]\d|3[01])(?!\d)"
_DATE = re.compile(rf"{_DAY}|(?<!\d)(?:19|20)\d\d[-_](?:0[1-9]|1[0-2]|[Qq][1-4])(?![\d\w])")
_LOGS = re.compile(r"^(change_?-?log|changes|history|news|releases?([-_ ]?notes)?|whats[-_]?new)\b", re.IGNORECASE)
_RECORDS = frozenset(
    {"adr", "adrs", "decisions", "decision-records", "rfcs", "rfc", "changelog", "changelogs", "changelog.d", "changes"}
    | {"newsfragments", "release-notes", "releases", "postmortems", "archive", "archives", "archived", "worklog"}
    | {"worklogs", "retros", "retrospectives"}
)
_DATED = re.compile(r"^\W{0,4}(?:report )?date\W{1,5}\D{0,12}(?:19|20)\d\d\b", re.IGNORECASE | re.MULTILINE)
_TITLE = re.compile(rf"\A\s*(?:#\s|=\s|<h1\b[^>]*>)?[^\n]*{_DAY}")  # a date in the first line
_HEAD = 1200  # characters in which a report gives its date


def is_document(path: str) -> bool:
    """Whether a file is read by default."""
    name = PurePosixPath(path).name
    return _suffix(path) in PROSE | CODE or _is_code(path) or name.upper().startswith("README")


def _is_code(path: str) -> bool:
    return _suffix(path) in CODE or PurePosixPath(path).name in NAMES | {"CMakeLists.txt"}


def is_record(path: str, text: str = "") -> bool:
    """Whether a file is a record of its day: a changelog, a decision record or a dated report."""
    parts = PurePosixPath(path).parts
    if _suffix(path) not in PROSE:
        return False
    if any(part.lower() in _RECORDS for part in parts[:-1]) or any(_DATE.search(part) for part in parts):
        return True
    return bool(_LOGS.match(parts[-1])) or bool(re.match(r"(?i)adr[-_]?\d", parts[-1])) or bool(_dated(text))


def _dated(text: str) -> bool:
    head = text[:_HEAD].removeprefix("\ufeff")
    return bool(_DATED.search(head.replace("*", "").replace("`", "")) or _TITLE.search(head))


# Quick to try on each file, before anything is parsed: can there be a citation at all? Each pattern begins with a fixed
# character, for which the regular expression engine skips ahead.
_EXTENSIONS = "|".join(sorted(map(re.escape, KNOWN | {"R", "S"}), key=lambda word: (-len(word), word)))
_MAYBE = tuple(
    re.compile(pattern)
    for pattern in (
        r"\.[A-Za-z][A-Za-z0-9]{0,9}(?:`|\*\*|</code>){0,2}(?:[:#][~≈]?L?~?\d|::?[A-Za-z_])",
        r"file[:#]~?L?~?\d",
        r"L~?\d\d",
        r"[Ll]n\.? \d",
        r"ines?(?: |&nbsp;)[~≈]?\d",
        r":[~≈]?\d+[`)\]]",
        r"`:[~≈]?\d",
        r"` \(?[~≈]\d",
        r"#lines-\d",
    )
)
_MAYBE_IN_CODE = (
    re.compile(rf"\.(?:{_EXTENSIONS})\b\W{{0,6}}(?:[:#][~≈]?L?~?\d|::?[A-Za-z_]|L~?\d\d|[Ll]ines? ~?\d)"),
    re.compile(r"file:[~≈]?L?\d"),
    re.compile(r"ines? ~?\d{1,7}(?:[-,\d and]{1,80})? (?:of|in)\b"),
)


_LONGEST = 20_000  # characters of a line: longer ones are written by programs, and take the patterns long
_LONG = re.compile(rf"[^\n]{{{_LONGEST},}}")


def read(path: str, text: str) -> Document | None:
    """The document, or None where it certainly cites nothing. Its longest lines are no prose."""
    found = _read(path, text)
    if found is None or not _LONG.search(found.prose):
        return found
    return replace(found, prose=_LONG.sub(lambda line: " " * len(line[0]), found.prose), cut=True)


def _read(path: str, text: str) -> Document | None:
    suffix = _suffix(path)
    code = _is_code(path)
    if not any(pattern.search(text) for pattern in (_MAYBE_IN_CODE if code else _MAYBE)):
        return None
    if suffix == "ipynb":
        return Document(path, text, notebook.prose(text), code=False)
    if code:
        prose, strings = comments.prose(path, text)
        zones = ((start, end, _said(text, start)) for start, end in strings)
        return Document(path, text, prose, tuple(zones), code=True)
    if suffix in ("html", "htm"):
        return Document(path, text, _html(text))
    return Document(path, text, _unmarked(text, suffix), tuple(_blocks(text, suffix)))


_ASSERTS = re.compile(r"(?<![\w.])(?:debug_|static_)?assert\w*!?(?P<open>\s*\()?")
_BEFORE = 600  # characters in which an assertion begins before its message


def _said(text: str, start: int) -> Zone:
    """Whether a string literal is the message of an assertion: after a comma of it, outside all inner brackets."""
    begin = max(0, start - _BEFORE)
    asserts = list(_ASSERTS.finditer(text, begin, start))
    if not asserts:
        return Zone.STRING
    depth, commas = 0, 0
    for mark in re.findall(
        r"[(\[{,)\]};]|\n\n", re.sub(r"\"[^\"\n]*\"|'[^'\n]*'", "", text[asserts[-1].start() : start])
    ):
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        elif mark == ",":
            commas += depth <= 1
        else:
            return Zone.STRING
    return Zone.MESSAGE if commas and depth <= 2 else Zone.STRING


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower().removeprefix(".")


_UNSEEN = re.compile(r"<(script|style)\b.*?(?:</\1\s{0,20}>|\Z)", re.IGNORECASE | re.DOTALL)
_FENCE = re.compile(r"^[ \t>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})(.*)$", re.MULTILINE)
_DIRECTIVE = re.compile(r"^([ \t]*)\.\. (?:code-block|code|sourcecode|parsed-literal)::.*$|::[ \t]*$", re.MULTILINE)
_LISTING = re.compile(r"^(-{4,}|\.{4,})[ \t]*$", re.MULTILINE)


def blank(text: str) -> str:
    """Spaces of the same length, line ends kept."""
    return re.sub(r"[^\n]", " ", text)


_QUOTED = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_MONOSPACE = re.compile(r"(?<![\w+])\+(?=[\w./])")
_ENTITY = re.compile(r"&(?:nbsp|ensp|thinsp|ndash|mdash|#160|#8211|#8212);")


def _html(text: str) -> str:
    """What readers see of HTML; an entity is as long as before, a dash at its end."""
    seen = _UNSEEN.sub(lambda found: blank(found[0]), text)
    return _ENTITY.sub(
        lambda found: ("–" if "dash" in found[0] or "#82" in found[0] else "").rjust(len(found[0])), seen
    )


def _unmarked(text: str, suffix: str) -> str:
    """The text without the marks of quotations (`>` in Markdown) and monospaced words (`+` in AsciiDoc)."""
    if suffix in ("adoc", "asciidoc"):
        return _MONOSPACE.sub(" ", text)
    return text if ">" not in text or suffix == "rst" else _QUOTED.sub(lambda found: " " * len(found[0]), text)


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
        end = start = match.end()
        if found and start < found[-1][1]:
            continue
        begin = text.rfind("\n", 0, match.start()) + 1
        indent = _indent(text[begin:start])
        while end < len(text):  # `end` is where a line ends, or the text does
            stop = text.find("\n", end + 1)
            line = text[end + 1 : len(text) if stop < 0 else stop]
            if line.strip() and _indent(line) <= indent:
                break
            end += len(line) + 1
        if end > start:
            found.append((start, min(end, len(text)), Zone.BLOCK))
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
