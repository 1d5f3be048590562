"""What changed since links were last reviewed, with the difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from eqtrace.code.index import Index
from eqtrace.link.review import facts, suspicion
from eqtrace.link.review import faults as suspicions
from eqtrace.link.review.suspicion import Change, Comparison
from eqtrace.model.finding import Fault
from eqtrace.report.view.places import CHANGES
from eqtrace.report.view.topic import Site
from eqtrace.report.words import Badge, badge


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link of which something changed."""

    anchor: str
    address: str | None
    equation: str
    badge: Badge


@dataclass(frozen=True, slots=True)
class ChangeView:
    """One change, and the links that it touches; the lines of the difference with '+', '-' or ' ' before each."""

    text: str
    difference: tuple[tuple[str, str], ...]  # (kind: 'added', 'removed', 'kept' or 'head', line)
    hint: str
    links: tuple[LinkView, ...]


@dataclass(frozen=True, slots=True)
class ChangesView:
    """The page of changes: those that make links suspect, and those that verification has cleared."""

    ledger: str
    links: int
    reviewed: int
    suspect: tuple[ChangeView, ...]
    cleared: tuple[ChangeView, ...]


def changes(site: Site) -> ChangesView | None:
    """The view of the page; None where no ledger says what was reviewed."""
    specification, index = site.results.specification, site.places.index
    if specification.reviews is None or site.config.reviews is None:
        return None
    held = tuple(suspicion.links(specification, frozenset(site.results.selected), site.results.matches))
    compared = suspicion.compare(specification.reviews, held, index)
    late = list(suspicion.unshown(compared, index, site.results.verdict)) if site.results.methods else []
    suspect = [*compared.changes, *late]
    cleared = list(_cleared(compared, late, index)) if site.results.methods else []
    return ChangesView(
        site.config.reviews,
        len(held),
        compared.reviewed,
        tuple(_view(fault, site) for fault in suspicions.faults(suspect, index)),
        tuple(_view(replace(fault, hint=""), site) for fault in suspicions.faults(cleared, index)),
    )


def _cleared(compared: Comparison, late: list[Change], index: Index) -> Iterator[Change]:
    """Links whose code changed, and of which verification shows again that they hold."""
    texts = suspicion.Texts(index)
    told = {change.link.anchor.id for change in late}
    for link, reviewed in compared.running:
        if link.anchor.id not in told:
            code = texts.code(link)
            if reviewed and facts.digest(code) not in reviewed:
                yield Change(link, "code", min(reviewed), code)


def _view(fault: Fault, site: Site) -> ChangeView:
    text, *difference = fault.message.split("\n")
    links = []
    for related in fault.related:
        found = site.places.anchor(related.message)
        cited = site.places.cite(related.message, CHANGES)
        equation = found[0].id if found is not None else ""
        verdict = site.results.verdict(equation) if equation else None
        links.append(LinkView(related.message, cited[0] if cited else None, equation, badge(verdict)))
    return ChangeView(text, tuple((_kind(line), line) for line in difference), fault.hint, tuple(links))


def _kind(line: str) -> str:
    if line.startswith(("---", "+++", "@@")):
        return "head"
    return {"+": "added", "-": "removed"}.get(line[:1], "kept")
