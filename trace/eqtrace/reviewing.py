"""What `eqtrace review` does: it finds the links that are suspect, or records links as they are now."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from eqtrace.conclusion import conclude
from eqtrace.config import Config
from eqtrace.errors import EqtraceError
from eqtrace.link.place import place
from eqtrace.link.review.accept import accept, written
from eqtrace.link.review.history import History, NoHistory
from eqtrace.link.review.suspicion import compare, links, unshown
from eqtrace.model.finding import Fault
from eqtrace.model.results import Results
from eqtrace.model.topic import Review
from eqtrace.project import LOSING, Project, read_project
from eqtrace.report import atomic


def review(config: Config, selected: frozenset[str] | None) -> Results:
    """The links that are suspect, and what is wrong with the ledger itself.

    Raises:
        EqtraceError: no ledger is configured.
    """
    _ledger(config)
    started = time.perf_counter()
    project = read_project(config, selected)
    results = _results(project, _of_reviews(project), started)
    if project.compared is not None and (late := len(list(unshown(project.compared, project.index, _unverified)))):
        lines = "one reviewed line that runs" if late == 1 else f"{late} reviewed lines that run"
        note = f"the code of {lines} changed: `eqtrace verify` shows whether it still holds"
        results = replace(results, notes=(*results.notes, note))
    suspect = results.reviews is not None and results.reviews.suspect
    return replace(results, exit=1 if suspect else results.exit)


def record(config: Config, selected: frozenset[str] | None) -> Results:
    """Records the selected links (None: all) as they are, in one step; a ledger with faults is left as it is.

    Raises:
        EqtraceError: no ledger is configured, or it can't be written.
    """
    path = _ledger(config)
    before = _held(path)
    started = time.perf_counter()
    project = read_project(config, None)
    specification, index = project.specification, project.index
    if any(fault.span.path == config.reviews for fault in specification.faults):
        return replace(_results(project, _of_reviews(project), started), exit=2)
    chosen = frozenset(project.selected if selected is None else selected)
    whole = not any(fault.kind in LOSING for fault in specification.faults)
    every = tuple(links(specification, frozenset(project.selected), project.linked.matches))
    found = accept(specification.reviews or (), every, chosen, whole, index)
    _write(path, before, found.reviews)
    own = tuple(link for link in every if link.equation.id in chosen)
    after = replace(
        project,
        selected=tuple(each for each in project.selected if each in chosen),
        compared=compare(found.reviews, own, index),
    )
    places = {place(link.anchor) for link in found.refused}
    results = _results(after, (fault for fault in project.linked.faults if fault.span in places), started)
    assert results.reviews is not None
    done = replace(
        results.reviews,
        recorded=found.recorded,
        removed=found.removed,
        refused=tuple(link.anchor.id for link in found.refused),
    )
    return replace(results, reviews=done, exit=1 if found.refused else results.exit)


def merges(config: Config) -> bool:
    """Whether git keeps both sides' lines of the ledger in a merge; also where there is no git to ask."""
    try:
        return config.reviews is None or History(config.root).merges_by_union(config.reviews)
    except NoHistory:
        return True


def _ledger(config: Config) -> Path:
    if config.reviews is None:
        raise EqtraceError(
            f"no ledger of reviews is named in {config.pyproject}",
            "write reviews = 'spec/reviews.yaml' (or another file) below [tool.eqtrace]",
        )
    return (config.root / config.reviews).resolve()


def _held(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None  # the loader says why


def _write(path: Path, before: bytes | None, reviews: tuple[Review, ...]) -> None:
    if before is None and not reviews:
        return
    content = written(reviews).encode("utf-8")
    if before is not None and b"\r\n" in before:
        content = content.replace(b"\n", b"\r\n")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if _held(path) != before:
            raise EqtraceError(f"{path.name} changed while the links were read", "run the command again")
        atomic.write(path, content)
    except OSError as error:
        raise EqtraceError(f"{path} cannot be written: {error.strerror or error}") from error


def _results(project: Project, faults: Iterable[Fault], started: float) -> Results:
    return conclude("review", project, faults, {}, None, 0, started)


def _of_reviews(project: Project) -> list[Fault]:
    ledger = project.config.reviews
    return [fault for fault in project.faults if fault.kind == "suspect-link" or fault.span.path == ledger]


def _unverified(equation: str) -> None:
    """The verdict of an equation that was not verified."""
