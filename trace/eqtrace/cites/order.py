"""List order: where a citation may mean any of several places, the places of its neighbours may leave one.

People cite the lines of a file from top to bottom. That is no proof, so what follows from it is shown and never fixed
on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from eqtrace.cites.judge import Case
from eqtrace.model.citation import Citation, CitationStatus, Confidence, Evidence, Judged, Target

_MANY = 40  # places: more tell nothing
_NEIGHBOURS = 4  # citations on either side that are looked at
OPEN = (CitationStatus.CHANGED, CitationStatus.UNKNOWN, CitationStatus.PAST_END, CitationStatus.MISMATCH)


def places(case: Case) -> tuple[int, ...]:
    """The lines that a citation of one line may mean, if there are several: definitions of its name, or equal lines."""
    if case.first != case.last or case.citation.approximate:
        return ()
    ties = [tie for tie in case.names.ties if tie.defines and tie.alone]
    found: tuple[int, ...] = ()
    if len(ties) == 1:
        found = tuple(each.line for each in case.outline.named(ties[0].name))
    if len(found) < 2 and case.trace is not None:
        text = " ".join(case.trace.then[case.first - 1].split())
        same = (number for number, line in enumerate(case.outline.lines, 1) if " ".join(line.split()) == text)
        found = tuple(same) if len(text) > 2 else ()
    return found if 2 <= len(found) <= _MANY and case.first not in found else ()


def placed(verdicts: Sequence[Judged], several: Mapping[Citation, Sequence[int]]) -> list[Judged]:
    """The verdicts, in the order of the documents, with the one place that the neighbours of a citation leave it."""
    lists: defaultdict[tuple[str, str], list[Judged]] = defaultdict(list)
    for each in verdicts:
        if each.target is not None and each.target.line is not None:
            lists[each.citation.span.path, each.target.path].append(each)
    found = {}
    for own in lists.values():
        for at, each in enumerate(own):
            if each.citation in several and each.proposed is None and each.status in OPEN:
                found[each.citation] = _placed(each, several[each.citation], own, at)
    return [found.get(each.citation, each) for each in verdicts]


def _placed(verdict: Judged, lines: Sequence[int], own: Sequence[Judged], at: int) -> Judged:
    target = verdict.target
    assert target is not None
    above = _neighbour(verdict, own[max(0, at - _NEIGHBOURS) : at][::-1], -1)
    below = _neighbour(verdict, own[at + 1 : at + 1 + _NEIGHBOURS], 1)
    left = [line for line in lines if (above is None or line > above) and (below is None or line < below)]
    if len(left) != 1:
        return verdict
    between = " and ".join(f"{word} {line}" for word, line in (("after", above), ("before", below)) if line is not None)
    text = f"of {len(lines)} places that it may mean, {left[0]} alone is {between}, as its neighbours are"
    evidence = (*verdict.evidence, Evidence("order", text))
    proposed = Target(target.path, left[0], left[0])
    return replace(verdict, proposed=proposed, confidence=Confidence.WEAK, evidence=evidence)


def _neighbour(verdict: Judged, others: Sequence[Judged], side: int) -> int | None:
    """Where the nearest neighbour stands now that was written in order and of which the place is known."""
    number = verdict.citation.line or 0
    for each in others:
        written = each.citation.line or 0
        if (written - number) * side <= 0:
            return None  # no list in the order of its lines
        place = each.proposed if each.fixable else each.target if each.status is CitationStatus.OK else None
        if place is not None and place.line is not None and each.confidence is not Confidence.WEAK:
            return place.line if side > 0 else place.end_line or place.line
    return None
