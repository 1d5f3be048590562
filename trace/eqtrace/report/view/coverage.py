"""Coverage both ways: which equations lack code or a test, and which arithmetic statements no equation claims."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from eqtrace.model.anchor import Role
from eqtrace.report.highlight import line as highlighted
from eqtrace.report.view.places import COVERAGE
from eqtrace.report.view.topic import Site


@dataclass(frozen=True, slots=True)
class StatementView:
    """An arithmetic statement that no equation claims; `reason` where that is waived."""

    place: str
    address: str | None
    function: str
    source: Markup
    reason: str


@dataclass(frozen=True, slots=True)
class LackView:
    """An equation that lacks something; `reason` where that is waived."""

    equation: str
    address: str
    lacks: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileView:
    """A source file: how many of its lines equations cite, and what of its arithmetic nobody claims."""

    path: str
    address: str | None
    cited: int
    unclaimed: int
    waived: int


@dataclass(frozen=True, slots=True)
class CoverageView:
    """The page of coverage. `setting` is that of the configuration; the tallies are (covered, total, waived)."""

    setting: str
    equations: tuple[int, int, int]
    statements: tuple[int, int, int]
    lacking: tuple[LackView, ...]
    unclaimed: tuple[StatementView, ...]
    waived: tuple[StatementView, ...]
    files: tuple[FileView, ...]


def coverage(site: Site) -> CoverageView:
    """The view of the page."""
    found = site.results.coverage
    equations, statements = (found.equations, found.statements) if found is not None else (None, None)
    unclaimed = tuple(_unclaimed(site))
    waived = tuple(_waived(site))
    return CoverageView(
        site.config.coverage,
        (equations.covered, equations.total, equations.waived) if equations else (0, 0, 0),
        (statements.covered, statements.total, statements.waived) if statements else (0, 0, 0),
        tuple(_lacking(site)),
        unclaimed,
        waived,
        tuple(_file(path, unclaimed, waived, site) for path in site.places.index.sources()),
    )


def _unclaimed(site: Site) -> Iterator[StatementView]:
    for each in site.results.coverage.unclaimed if site.results.coverage is not None else ():
        span = each.span
        address = site.places.line(span.path, span.line, COVERAGE)
        yield StatementView(f"{span.path}:{span.line}", address, each.function, highlighted(each.source), "")


def _waived(site: Site) -> Iterator[StatementView]:
    for match in site.results.waivers:
        if match.span is None:
            continue
        path, line = match.span.path, match.span.line
        reason = site.marks.get((path, line), "")
        address = site.places.line(path, line, COVERAGE)
        yield StatementView(f"{path}:{line}", address, match.function, highlighted(match.source), reason)


def _lacking(site: Site) -> Iterator[LackView]:
    """What findings say is missing, and what waivers excuse."""
    for finding in site.report.findings:
        if finding.name in ("missing-code", "missing-test") and finding.equation is not None:
            address = site.places.equation(finding.equation, COVERAGE) or ""
            yield LackView(finding.equation, address, finding.name.removeprefix("missing-"), "")
    for waiver in site.results.specification.waivers:
        if waiver.equation is not None:
            address = site.places.equation(waiver.equation.value, COVERAGE) or ""
            yield LackView(waiver.equation.value, address, waiver.lacks, waiver.reason)


def _file(path: str, unclaimed: tuple[StatementView, ...], waived: tuple[StatementView, ...], site: Site) -> FileView:
    cited = site.cited.get(path, {})
    claiming = (Role.COMPUTES, Role.INLINE, Role.EXPLAINS, Role.CALLS)
    return FileView(
        path,
        site.places.page(site.places.sources[path], COVERAGE) if path in site.places.sources else None,
        sum(any(role in claiming for _, role in roles) for roles in cited.values()),
        sum(each.place.rpartition(":")[0] == path for each in unclaimed),
        sum(each.place.rpartition(":")[0] == path for each in waived),
    )
