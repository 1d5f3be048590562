"""What the page of all equations can be filtered by."""

from __future__ import annotations

from collections.abc import Mapping

from eqtrace.report.view.equation import BESIDE
from eqtrace.report.view.topic import Site
from eqtrace.report.words import DIRECTIONS, STATUSES, badge

Choices = tuple[tuple[str, str], ...]
"""Values of a filter, and their words."""


def filters(site: Site) -> Mapping[str, Choices]:
    """The choices of each filter: only what occurs, in the order of its words."""
    topics = [topic for plan in site.places.pages for topic in plan.topics]
    equations = [equation for topic in topics for equation in topic.equations]
    verdicts = {row.id: row.verdict for row in site.report.equations}
    words = sorted({badge(verdicts.get(each.id)).word for each in equations})
    cited = [anchor for each in equations for anchor in each.anchors if anchor.role not in BESIDE]
    paths = sorted({site.places.line_of(anchor)[0] for anchor in cited})
    return {
        "direction": tuple(each for each in DIRECTIONS.items() if any(topic.direction == each[0] for topic in topics)),
        "status": tuple(each for each in STATUSES.items() if any(topic.status == each[0] for topic in topics)),
        "page": tuple((plan.file, plan.title) for plan in site.places.pages if plan.topics),
        "verdict": tuple((word, word) for word in words),
        "file": tuple((path, path) for path in paths),
    }
