"""Siblings: citations of one document into one file that miss by the same shift bear each other out.

So do lines that moved as far as others, and citations that were wrong from the start as far as others: a document that
was written for another version of a file misses all of it by as much.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from eqtrace.cites.judge import NO_NAMES, Case
from eqtrace.cites.names import elsewhere
from eqtrace.model.citation import Citation, CitationStatus, Confidence, Evidence, Judged, Target

_ENOUGH = 3  # siblings that agree
_Group = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a citation, without texts.

    The commit that wrote it ('' if none is known), how well its line is followed, by how much it missed the definition
    that it names when it was written, and where that is now.
    """

    commit: str = ""
    exact: bool = False
    steady: bool = False
    miss: int | None = None
    place: Target | None = None

    @classmethod
    def of(cls, case: Case) -> Known:
        """The essence of a case."""
        miss, place = _miss(case)
        trace = case.trace
        return (
            cls(miss=miss, place=place) if trace is None else cls(trace.commit, trace.exact, trace.steady, miss, place)
        )


def _miss(case: Case) -> tuple[int | None, Target | None]:
    ties = [tie for tie in case.names.ties if tie.defines and tie.alone]
    if len(case.names.ties) != 1 or not ties or case.first != case.last or case.citation.rivals or case.slack:
        return None, None
    now = elsewhere(ties[0], case.outline)
    then = elsewhere(ties[0], case.then) if case.then is not None else now
    if now is None or then is None:
        return None, None
    return then.line - case.first, Target(case.path, now.line, now.line, ties[0].name)


def agreed(judged: Sequence[Judged], known: Mapping[Citation, Known]) -> list[Judged]:
    """The verdicts, those that siblings bear out strengthened.

    A line that history leads to exactly, and beside which no name stands, is taken along where three siblings of the
    same day moved as far by names; but not where one of its siblings was wrong when it was written. A citation that was
    wrong when it was written is taken along where all names of its siblings miss by as much, at least three of them
    against their lines.
    """
    misses = _misses(judged, known)
    shifts: defaultdict[_Group, Counter[int]] = defaultdict(Counter)
    doubted = set()
    for each in judged:
        about, shift = known.get(each.citation), _shift(each)
        if about is None or not about.commit:
            continue
        if each.status is CitationStatus.MISMATCH:
            doubted.add(_group(each, about))
        elif shift is not None and each.fixable:
            shifts[_group(each, about)][shift] += 1
    for group in doubted:
        shifts.pop(group, None)
    return [
        _taken_along(each, about, shifts, misses) if (about := known.get(each.citation)) is not None else each
        for each in judged
    ]


def _taken_along(
    judged: Judged,
    known: Known,
    shifts: Mapping[_Group, Counter[int]],
    misses: Mapping[_Group, tuple[int, int]],
) -> Judged:
    group = _group(judged, known)
    if group in misses and known.miss is not None and not any(each.kind == "ledger" for each in judged.evidence):
        return _missed(judged, known, misses[group])
    return _moved(judged, known, shifts[group]) if group in shifts else judged


def _moved(judged: Judged, known: Known, shifts: Counter[int]) -> Judged:
    shift = _shift(judged)
    if shift is None or shifts[shift] < _ENOUGH or len(shifts) > 1:
        return judged
    fair = judged.status is CitationStatus.MOVED and judged.confidence is Confidence.FAIR
    unnamed = any(each.text == NO_NAMES for each in judged.evidence)
    if not (fair and unnamed and known.exact and known.steady):
        return judged
    text = f"{shifts[shift]} citations beside it, by their names, moved by {shift:+d} too"
    return replace(judged, confidence=Confidence.STRONG, evidence=(*judged.evidence, Evidence("offset", text)))


def _missed(judged: Judged, known: Known, miss: tuple[int, int]) -> Judged:
    """The verdict on a citation that is as far off as its siblings: where the definition is that it names."""
    said = f"{miss[1]} citations of this file contradict their lines"
    evidence = Evidence("offset", f"{said}, and all that name a definition miss it by {miss[0]:+d}")
    return replace(
        judged,
        status=CitationStatus.MISMATCH,
        confidence=Confidence.STRONG,
        evidence=(*judged.evidence, evidence),
        proposed=known.place,
    )


def _misses(judged: Sequence[Judged], known: Mapping[Citation, Known]) -> dict[_Group, tuple[int, int]]:
    """The one shift by which all names of a group miss their definitions, and how many contradict their lines."""
    found: defaultdict[_Group, Counter[int]] = defaultdict(Counter)
    for each in judged:
        about = known.get(each.citation)
        if about is not None and about.miss is not None:
            found[_group(each, about)][about.miss] += each.status is CitationStatus.MISMATCH
    return {
        group: next(iter(shifts.items()))
        for group, shifts in found.items()
        if len(shifts) == 1 and 0 not in shifts and min(shifts.values()) >= _ENOUGH
    }


def _group(judged: Judged, known: Known) -> _Group:
    """Citations of one document into one file that one commit wrote."""
    return judged.citation.span.path, "" if judged.target is None else judged.target.path, known.commit


def _shift(judged: Judged) -> int | None:
    proposed, target = judged.proposed, judged.target
    if proposed is None or target is None or proposed.line is None or target.line is None:
        return None
    return proposed.line - target.line if proposed.path == target.path else None
