"""Siblings: citations of one document into one file that miss by the same shift bear each other out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from eqtrace.cites.history import Trace
from eqtrace.cites.judge import NO_NAMES
from eqtrace.model.citation import Citation, CitationStatus, Confidence, Evidence, Judged

_ENOUGH = 3  # siblings that agree
_Group = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Born:
    """What history says of a citation, without texts: the commit that wrote it, how well its line is followed."""

    commit: str
    exact: bool
    steady: bool

    @classmethod
    def of(cls, trace: Trace) -> Born:
        """The essence of a trace."""
        return cls(trace.commit, trace.exact, trace.steady)


def agreed(judged: Sequence[Judged], traces: Mapping[Citation, Born]) -> list[Judged]:
    """The verdicts, those on moved lines strengthened where three siblings of the same day moved as far by names.

    Only a line that history leads to exactly, and beside which no name stands, is taken along; and none where one of
    its siblings was wrong when it was written.
    """
    shifts: defaultdict[_Group, Counter[int]] = defaultdict(Counter)
    doubted = set()
    for each in judged:
        group, shift = _group(each, traces), _shift(each)
        if group is not None and each.status is CitationStatus.MISMATCH:
            doubted.add(group)
        elif group is not None and shift is not None and each.fixable:
            shifts[group][shift] += 1
    for group in doubted:
        shifts.pop(group, None)
    return [
        _strengthened(each, shifts.get(group) if (group := _group(each, traces)) else None, traces) for each in judged
    ]


def _strengthened(judged: Judged, shifts: Counter[int] | None, traces: Mapping[Citation, Born]) -> Judged:
    shift = _shift(judged)
    trace = traces.get(judged.citation)
    if shifts is None or shift is None or trace is None or shifts[shift] < _ENOUGH or len(shifts) > 1:
        return judged
    fair = judged.status is CitationStatus.MOVED and judged.confidence is Confidence.FAIR
    unnamed = any(each.text == NO_NAMES for each in judged.evidence)
    if not (fair and unnamed and trace.exact and trace.steady):
        return judged
    text = f"{shifts[shift]} citations beside it, by their names, moved by {shift:+d} too"
    return replace(judged, confidence=Confidence.STRONG, evidence=(*judged.evidence, Evidence("offset", text)))


def _group(judged: Judged, traces: Mapping[Citation, Born]) -> _Group | None:
    trace = traces.get(judged.citation)
    if trace is None or judged.target is None:
        return None
    return judged.citation.span.path, judged.target.path, trace.commit


def _shift(judged: Judged) -> int | None:
    proposed, target = judged.proposed, judged.target
    if proposed is None or target is None or proposed.line is None or target.line is None:
        return None
    return proposed.line - target.line if proposed.path == target.path else None
