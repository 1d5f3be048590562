"""Where faults of an anchor are shown."""

from __future__ import annotations

from eqtrace.model.anchor import Anchor
from eqtrace.model.span import Span


def place(anchor: Anchor) -> Span:
    """An anchor's `at`, else the whole anchor."""
    return anchor.at.span if anchor.at is not None else anchor.span


def first_line(text: str) -> str:
    """A statement as a message shows it: on one line."""
    first, _, rest = text.strip().partition("\n")
    return first + (" ..." if rest else "")
