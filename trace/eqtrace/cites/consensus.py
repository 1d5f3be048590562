"""Siblings: citations of one document into one file that miss by the same shift bear each other out.

So do lines that moved as far as others, and citations that were wrong from the start as far as others: a document that
was written for another version of a file misses all of it by as much.
"""

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
    misses = _misses(judged, traces)
    judged = [_together(each, misses.get(_missed(each, traces))) for each in judged]
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


def _misses(judged: Sequence[Judged], traces: Mapping[Citation, Born]) -> dict[_Group, tuple[int, int]]:
    """The one shift by which all names of a group miss their definitions, and how many do."""
    found: defaultdict[_Group, Counter[int]] = defaultdict(Counter)
    sound = set()
    for each in judged:
        group, shift = _missed(each, traces), _shift(each)
        if each.status is CitationStatus.OK and each.confidence is Confidence.STRONG:
            sound.add(group)
        elif each.status is CitationStatus.MISMATCH and shift is not None:
            found[group][shift] += each.citation.line == each.citation.end_line
    return {
        group: next(iter(shifts.items()))
        for group, shifts in found.items()
        if group not in sound and len(shifts) == 1 and min(shifts.values()) >= _ENOUGH
    }


def _missed(judged: Judged, traces: Mapping[Citation, Born]) -> _Group:
    trace = traces.get(judged.citation)
    path = "" if judged.target is None else judged.target.path
    return judged.citation.span.path, path, "" if trace is None else trace.commit


def _together(judged: Judged, miss: tuple[int, int] | None) -> Judged:
    single = judged.citation.line == judged.citation.end_line
    fair = judged.status is CitationStatus.MISMATCH and judged.confidence is Confidence.FAIR
    if miss is None or not single or not fair or judged.citation.rivals or _shift(judged) != miss[0]:
        return judged
    text = f"all {miss[1]} citations of this file that name what they cite miss it by {miss[0]:+d}"
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
