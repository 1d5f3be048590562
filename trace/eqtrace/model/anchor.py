"""Anchors: the claims that a specification makes about lines of code, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from eqtrace.model.span import Span, Text


class Role(StrEnum):
    """What a cited line does for its equation."""

    COMPUTES = "computes"
    INLINE = "inline"
    CALLS = "calls"
    TESTS = "tests"
    EXPLAINS = "explains"
    STATES = "states"


@dataclass(frozen=True, slots=True)
class Anchor:
    """One cited statement: (file, enclosing function, normalised statement, occurrence), and the line as a claim.

    A whole-function anchor (short form) has a `target` (`module:qualname` or `path.py::qualname`) and no line of its
    own; its statement is the function, from arguments at entry to the value at return.
    """

    id: str  # equation/role/(purpose or index)
    role: Role
    path: str
    line: int
    function: str  # enclosing qualified name; '' is the module itself
    code: str
    span: Span  # the anchor in the YAML
    at: Text | None = None  # 'path:line' as written, for `fix`
    occurrence: int | None = None
    purpose: str = ""
    bind: Mapping[str, Text] = field(default_factory=dict)
    part: int | None = None
    target: str | None = None
    within: Text | None = None  # the function as written, for `fix`
    counted: Text | None = None  # the occurrence as written, for `fix`

    @property
    def computing(self) -> bool:
        """Whether the line is held against the form: also a call whose arguments and result are bound."""
        return self.role in (Role.COMPUTES, Role.INLINE) or (self.role is Role.CALLS and bool(self.bind))


class Status(StrEnum):
    """Whether a cited statement is where its anchor says."""

    OK = "ok"
    MOVED = "moved"
    CHANGED = "changed"
    MISSING = "missing"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that could be meant, and why it is not taken."""

    span: Span
    reason: str


@dataclass(frozen=True, slots=True)
class Match:
    """An anchor held against the code.

    `span` is the statement (of a compound statement its header) that the anchor resolves to: also where it moved to,
    or what stands there now when it changed; None when nothing could be resolved. `occurrence` is which one of several
    it is now, where that is another number than the anchor says.
    """

    anchor: Anchor
    status: Status
    span: Span | None
    function: str = ""
    source: str = ""  # the statement as it stands
    difference: str = ""
    candidates: tuple[Candidate, ...] = ()
    occurrence: int | None = None
