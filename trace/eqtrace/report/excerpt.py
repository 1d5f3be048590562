"""Excerpts of source lines, with a caret under the place that is meant."""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from eqtrace.model.span import Span
from eqtrace.regular import content
from eqtrace.report.styled import Line, clean

_WIDTH = 112  # longer lines are shown around the caret only
_LEAD = 36  # characters that then stay visible before it
_LARGEST = 10_000_000  # bytes of a file that is quoted


@dataclass(slots=True)
class Files:
    """Lines of the files that a report quotes, each read once."""

    root: Path
    _lines: dict[str, list[str]] = field(default_factory=dict)

    def line(self, path: str, number: int) -> str | None:
        """Line `number` (from 1) of a file, or None where there is none."""
        if path not in self._lines:
            self._lines[path] = self._text(path).replace("\r\n", "\n").split("\n")
        lines = self._lines[path]
        return lines[number - 1] if 0 < number <= len(lines) else None

    def _text(self, path: str) -> str:
        """A file's text; '' of a device, of a link out of the root, and of whatever else a finding may complain of."""
        try:
            real = os.path.realpath(self.root / path)
            if not os.path.isabs(path) and not real.startswith(os.path.join(os.path.realpath(self.root), "")):
                return ""
            return content(real, _LARGEST).decode("utf-8-sig", "replace")
        except (OSError, ValueError):
            return ""


def excerpt(span: Span, files: Files, gutter: int, style: str) -> list[Line]:
    """The line of `span` and a line of carets below it; nothing where the file cannot be read."""
    text = files.line(span.path, span.line)
    if text is None or not text.strip():
        return []
    start = min(max(span.column - 1, 0), len(text))
    end = span.end_column - 1 if span.end_line == span.line else len(text.rstrip())
    before, marked, after = _window(text, start, min(max(end, start + 1), len(text)))
    carets = "^" * max(_width(clean(marked)), 1)
    bar = (" " * gutter + " | ", "bright_blue")
    return [
        [(f"{span.line:>{gutter}} | ", "bright_blue"), (clean(before) + clean(marked) + clean(after), "")],
        [bar, (" " * _width(clean(before)) + carets, style)],
    ]


def _window(text: str, start: int, end: int) -> tuple[str, str, str]:
    """What stands before, in and after the marked part, cut down to one screen line with `...` where it was cut."""
    before, marked, after = text[:start], text[start:end], text[end:].rstrip()
    if len(text.rstrip()) <= _WIDTH:
        return before, marked, after
    if len(before) > _LEAD:
        before = "..." + before[-_LEAD:]
    room = _WIDTH - len(before)
    if len(marked) > room:
        return before, marked[: room - 3] + "...", ""
    room -= len(marked)
    return before, marked, after if len(after) <= room else after[: max(room - 3, 0)] + "..."


def _width(text: str) -> int:
    """The columns that `text` takes on a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
