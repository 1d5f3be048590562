"""Citations of code lines in prose: as written, and what is known of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from eqtrace.model.finding import Severity
from eqtrace.model.span import Span


class CitationStatus(StrEnum):
    """What a citation is found to be."""

    OK = "ok"
    MOVED = "moved"
    CHANGED = "changed"
    MISSING = "missing"
    PAST_END = "past-end"
    MISMATCH = "mismatch"
    AMBIGUOUS = "ambiguous"
    UNKNOWN = "unknown"


SEVERITIES = {
    CitationStatus.MOVED: Severity.WARNING,
    CitationStatus.CHANGED: Severity.WARNING,
    CitationStatus.MISSING: Severity.ERROR,
    CitationStatus.PAST_END: Severity.ERROR,
    CitationStatus.MISMATCH: Severity.ERROR,
    CitationStatus.AMBIGUOUS: Severity.WARNING,
    CitationStatus.UNKNOWN: Severity.NOTE,
}
"""How much a status weighs; ok weighs nothing."""


class Confidence(StrEnum):
    """How much the evidence carries. Only strong evidence is ever fixed on."""

    STRONG = "strong"
    FAIR = "fair"
    WEAK = "weak"


class Form(StrEnum):
    """How a citation is written."""

    DIRECT = "direct"  # file.ext:12, file.ext#L12
    WORDS = "words"  # `file` (L12), line 12 of `file`
    LINK = "link"  # a permalink of a host
    CONTINUED = "continued"  # a further number of a list
    BARE = "bare"  # `:41` or L41 after a file that was named before
    SYMBOL = "symbol"  # file.ext::name


@dataclass(frozen=True, slots=True)
class Number:
    """The digits of a line number: where they stand in the document (offsets of characters), and their value."""

    start: int
    end: int
    value: int


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation as written.

    `start` and `end` are offsets of characters in the document. `file` is the path as written there. `revision` is
    the branch or commit that a permalink names. `sure` is false where the text may be no citation at all: in code
    blocks and string literals, and for bare numbers.
    """

    span: Span
    text: str
    start: int
    end: int
    file: str
    first: Number | None
    last: Number | None
    form: Form
    symbol: str | None = None
    approximate: bool = False
    revision: str | None = None
    sure: bool = True
    rivals: tuple[str, ...] = ()

    @property
    def pinned(self) -> bool:
        """Whether it is a permalink of a commit, of which the lines never change."""
        return bool(re.fullmatch(r"[0-9a-f]{7,40}", (self.revision or "").rpartition("@")[2]))

    @property
    def line(self) -> int | None:
        """The cited line, or the first of a range."""
        return None if self.first is None else self.first.value

    @property
    def end_line(self) -> int | None:
        """The last line of the range; the cited line where there is none."""
        return self.line if self.last is None else self.last.value


@dataclass(frozen=True, slots=True)
class Target:
    """What a citation points to: a file of the repository, and lines or a symbol in it."""

    path: str
    line: int | None = None
    end_line: int | None = None
    symbol: str | None = None

    def __str__(self) -> str:
        if self.line is None:
            return self.path if self.symbol is None else f"{self.path}::{self.symbol}"
        return f"{self.path}:{lines(self.line, self.end_line)}"


def lines(first: int, last: int | None) -> str:
    """`12` or `12-20`."""
    return str(first) if last is None or last == first else f"{first}-{last}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that speaks for or against a citation; `kind` is ledger, names, history, offset, order or file."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A citation with its verdict. `record` says that its document is a record of its day, which is never rewritten."""

    citation: Citation
    target: Target | None
    status: CitationStatus
    confidence: Confidence
    evidence: tuple[Evidence, ...] = ()
    proposed: Target | None = None
    record: bool = False

    @property
    def fixable(self) -> bool:
        """Whether `--fix` may write the proposed numbers."""
        proposed, target = self.proposed, self.target
        return (
            self.confidence is Confidence.STRONG
            and proposed is not None
            and proposed.line is not None
            and target is not None
            and proposed.path == target.path
            and self.citation.first is not None
            and not self.record
        )


@dataclass(frozen=True, slots=True)
class CitationEdit:
    """Numbers of one citation, as they stand and as they should."""

    span: Span
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Cited:
    """Everything that one run of `cites` found."""

    documents: int
    citations: tuple[Judged, ...]
    set_aside: tuple[str, ...] = ()  # records of their day, not read
    unreadable: tuple[str, ...] = ()
    known: int = 0  # held back by a baseline
    left_out: int = 0  # of documents or citations that were not asked about
    history: str = ""  # why history was not used, or ''
    seconds: float = 0.0
    edits: tuple[CitationEdit, ...] = ()
    refused: tuple[str, ...] = ()
