"""The summary of a run as the site's first page shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from eqtrace.model.anchor import Status
from eqtrace.model.finding import Finding
from eqtrace.model.results import Tally
from eqtrace.model.verdict import Verdict
from eqtrace.report.mutants import noticed
from eqtrace.report.prose import paragraphs
from eqtrace.report.summary import count
from eqtrace.report.view.places import INDEX, PagePlan
from eqtrace.report.view.topic import Site, findings_of
from eqtrace.report.words import NOT_RUN, Badge, badge

_ORDER = [verdict.value for verdict in Verdict]


@dataclass(frozen=True, slots=True)
class Share:
    """So many equations of a verdict; `x` and `width` are its part of a bar 100 wide."""

    badge: Badge
    count: int
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class PageView:
    """A page in the list of pages."""

    title: str
    address: str
    intro: Markup
    topics: int
    equations: int
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """The figures of a run, in words where something was not run."""

    headline: str
    alarm: bool
    shares: tuple[Share, ...]
    facts: tuple[tuple[str, str], ...]
    pages: tuple[PageView, ...]
    findings: tuple[Finding, ...]  # those that no topic shows


def overview(site: Site) -> Overview:
    """The view of the first page."""
    verdicts = {row.id: row.verdict for row in site.report.equations}
    owned = {id(each) for topic in site.results.specification.topics for each in _shown(site, topic.id)}
    return Overview(
        headline=_headline(site),
        alarm=bool(site.report.summary.severities["error"]) or not verdicts,
        shares=shares(verdicts.values()),
        facts=tuple(_facts(site)),
        pages=tuple(_page(plan, verdicts, site) for plan in site.places.pages),
        findings=tuple(each for each in site.report.findings if id(each) not in owned),
    )


def shares(verdicts: Iterable[str | None]) -> tuple[Share, ...]:
    """How many of each verdict, best first; those of which no method was run come last."""
    counted = Counter(verdicts)
    total = sum(counted.values())
    found: list[Share] = []
    position = 0.0
    for verdict in [*_ORDER, None]:
        if number := counted[verdict]:
            width = round(100 * number / total, 3)
            found.append(Share(NOT_RUN if verdict is None else badge(verdict), number, round(position, 3), width))
            position += width
    return tuple(found)


def _shown(site: Site, topic: str) -> tuple[Finding, ...]:
    placed = {each.id: each for plan in site.places.pages for each in plan.topics}
    return findings_of(placed[topic], site.report.findings) if topic in placed else ()


def _page(plan: PagePlan, verdicts: dict[str, str | None], site: Site) -> PageView:
    equations = [equation.id for topic in plan.topics for equation in topic.equations]
    return PageView(
        title=plan.title,
        address=site.places.page(plan.file, INDEX),
        intro=paragraphs(plan.intro, site.resolve(INDEX)),
        topics=len(plan.topics),
        equations=len(equations),
        shares=shares(verdicts.get(each) for each in equations),
    )


def _headline(site: Site) -> str:
    facts = site.report.summary
    if not facts.equations:
        return "Nothing was checked: the specification holds no equation that was looked at."
    if facts.verdicts is None:
        return "Citations were checked; values were not: no method was run for these pages."
    refuted = facts.verdicts[Verdict.REFUTED]
    missing = facts.equations - sum(facts.verdicts.values()) + facts.verdicts[Verdict.NOT_CHECKED]
    shown = facts.equations - refuted - missing
    parts = [f"{shown} of {facts.equations} equations were shown to be what the code computes"]
    parts += [f"{refuted} {'is' if refuted == 1 else 'are'} refuted"] if refuted else []
    parts += [f"of {missing} nothing was shown"] if missing else []
    return "; ".join(parts) + "."


def _facts(site: Site) -> Iterable[tuple[str, str]]:
    facts = site.report.summary
    others = [
        f"{facts.statuses[each]} {each.value}" for each in Status if each is not Status.OK and facts.statuses[each]
    ]
    yield "Cited lines", ", ".join([f"{facts.anchors_ok} of {facts.anchors} where they say", *others])
    if facts.anchors_executed is not None:
        yield "Executed", f"{facts.anchors_executed} of {facts.anchors_executable} cited lines that verification runs"
    if facts.coverage is not None:
        yield "Equations with code and a test", _tally(facts.coverage.equations)
        if facts.coverage.statements.total:
            yield "Arithmetic statements with an equation", _tally(facts.coverage.statements)
    yield "Waivers", f"{facts.equation_waivers} for equations, {facts.statement_waivers} for statements"
    yield "Findings", f"{count(facts.severities['error'], 'error')}, {count(facts.severities['warning'], 'warning')}"
    if site.mutation is not None:
        yield "Mutants of cited lines", noticed(site.mutation.score)
    if facts.verdicts is not None:
        yield "Seed", str(facts.seed)
    for sentence in facts.skipped:
        yield "Skipped", sentence


def _tally(tally: Tally) -> str:
    return f"{tally.covered} of {tally.total}" + (f", {tally.waived} waived" if tally.waived else "")
