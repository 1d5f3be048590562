"""Why an example can't be worked out."""

from __future__ import annotations

from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span, Text

KIND = "example-not-run"
MISMATCH = "example-mismatch"


class NotRun(Exception):
    """Carries the fault."""

    def __init__(self, message: str, span: Span, hint: str = "", related: tuple[Related, ...] = ()) -> None:
        super().__init__(message)
        self.fault = Fault(KIND, message, span, hint, related)


def at(text: Text | None, fallback: Span) -> Span:
    """A text's place, or another where there is none."""
    return text.span if text is not None else fallback
