"""Sections: what a page or a topic says beside its equations, in prose, steps along the code, and tables from a run."""

from __future__ import annotations

from dataclasses import dataclass

from eqtrace.model.example import Example
from eqtrace.model.span import Span, Text


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of a way through the code: what happens, and the cited lines where it does (names of anchors)."""

    text: Text
    cites: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with prose, then steps, then the rows that a scenario gives. Prose may hold `{cite: ANCHOR}`."""

    id: str  # 'pages/PAGE/0' or 'topics/TOPIC/0': also the name of its run's result
    heading: str
    span: Span
    text: Text | None = None
    steps: tuple[PathStep, ...] = ()
    run: Example | None = None  # of kind `stored`
    caption: str = ""
