"""`states` anchors: a passage of documentation that prints a formula. Here only its place is checked."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from eqtrace.code.index import Index
from eqtrace.code.source import SourceFile
from eqtrace.model.anchor import Anchor, Candidate, Match, Status
from eqtrace.model.span import Span

GONE = "no formula there holds"  # what the specification says that the meant one holds
MISPLACED = "the cited passage is not where the anchor says"  # why a formula is not read: told of the anchor itself


def match_passage(anchor: Anchor, index: Index) -> Match:
    """Finds the lines of a docstring, reStructuredText or Markdown passage.

    `code` is the passage's text, line by line, indentation left out; without it the claimed line alone is checked.
    """
    text = index.text(anchor.path)
    if not isinstance(text, str):
        return Match(anchor, Status.MISSING, None)
    lines = text.split("\n")
    allowed = range(1, len(lines) + 1)
    if anchor.path.endswith(".py"):
        file = index.file(anchor.path)
        allowed = _docstring(file, anchor.function) if file else range(0)
    wanted = [line.strip() for line in anchor.code.strip().splitlines()]
    if not wanted:
        status = Status.OK if anchor.line in allowed else Status.MISSING
        span = _span(anchor.path, lines, anchor.line, 1) if status is Status.OK else None
        return Match(anchor, status, span, anchor.function, lines[anchor.line - 1].strip() if span else "")
    return _choose(anchor, lines, wanted, _places(lines, wanted, allowed))


def _choose(anchor: Anchor, lines: Sequence[str], wanted: Sequence[str], places: Sequence[int]) -> Match:
    chosen = anchor.line if anchor.line in places else places[0] if len(places) == 1 else 0
    if chosen:
        status = Status.OK if chosen == anchor.line else Status.MOVED
        return Match(anchor, status, _span(anchor.path, lines, chosen, len(wanted)), anchor.function, "\n".join(wanted))
    spans = (_span(anchor.path, lines, place, len(wanted)) for place in places)
    candidates = tuple(Candidate(span, "the same text stands here too") for span in spans)
    return Match(anchor, Status.AMBIGUOUS if places else Status.MISSING, None, candidates=candidates)


def _places(lines: Sequence[str], wanted: Sequence[str], allowed: range) -> list[int]:
    last = len(wanted) - 1
    return [
        line
        for line in allowed
        if line + last in allowed
        and all(lines[line - 1 + offset].strip() == text for offset, text in enumerate(wanted))
    ]


def _span(path: str, lines: Sequence[str], line: int, count: int) -> Span:
    first, last = lines[line - 1], lines[line + count - 2]
    return Span(path, line, len(first) - len(first.lstrip()) + 1, line + count - 1, len(last.rstrip()) + 1)


def _docstring(file: SourceFile, function: str) -> range:
    """The lines of a function's, class's or module's docstring."""
    for scope in file.definitions.get(function, ()):
        first = scope.body[0] if scope.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            return range(first.lineno, (first.end_lineno or first.lineno) + 1)
    return range(0)
