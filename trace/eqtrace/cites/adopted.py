"""The verdict on an adopted citation: the line that was vouched for, found again."""

from __future__ import annotations

from eqtrace.cites.judge import Case, judge
from eqtrace.cites.ledger import Entry, found
from eqtrace.model.citation import CitationStatus, Confidence, Evidence, Judged, Target


def judge_adopted(case: Case, entry: Entry) -> Judged:
    """What the ledger says; where the line it holds is gone, what everything else says."""
    if entry.path != case.path:
        return judge(case)
    place = found(entry, case.outline.lines)
    if place is None:
        return _without(case, entry)
    holds = f"adopted as `{entry.holds[:60]}`"
    if place == case.first:
        evidence = Evidence("ledger", f"{holds}, which stands there")
        return Judged(case.citation, case.target, CitationStatus.OK, Confidence.STRONG, (evidence,))
    evidence = Evidence("ledger", f"{holds}, which is at {place} now and nowhere else")
    proposed = Target(case.path, place, place + entry.span)
    return Judged(case.citation, case.target, CitationStatus.MOVED, Confidence.STRONG, (evidence,), proposed)


def _without(case: Case, entry: Entry) -> Judged:
    other = judge(case)
    evidence = (Evidence("ledger", f"adopted as `{entry.holds[:60]}`, which isn't there as it was"), *other.evidence)
    strong = other.status is CitationStatus.OK and other.confidence is Confidence.STRONG
    status = other.status if strong or other.status is not CitationStatus.OK else CitationStatus.CHANGED
    if status is CitationStatus.UNKNOWN:
        status = CitationStatus.CHANGED
    confidence = other.confidence if strong else min(other.confidence, Confidence.FAIR, key=_weight)
    return Judged(case.citation, other.target, status, confidence, evidence, other.proposed)


def _weight(confidence: Confidence) -> int:
    return [Confidence.WEAK, Confidence.FAIR, Confidence.STRONG].index(confidence)
