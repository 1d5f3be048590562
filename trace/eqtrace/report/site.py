"""The reference site: every page rendered from plain data, written whole, and stale pages of its own removed.

A page is rendered again only where something that it is made from changed: its data, a template, or what all share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any

from eqtrace.cache import digest
from eqtrace.code.calls import CallGraph
from eqtrace.code.index import Index
from eqtrace.config import Config
from eqtrace.errors import EqtraceError
from eqtrace.inputs import own
from eqtrace.model.results import Results
from eqtrace.regular import content
from eqtrace.report import export
from eqtrace.report.drafts import MANIFEST, Draft, earlier, fixed, is_whole, write
from eqtrace.report.hosting import Host
from eqtrace.report.mutants import Mutation
from eqtrace.report.pages import Renderer
from eqtrace.report.rows import rows
from eqtrace.report.theme import sheet
from eqtrace.report.view.changes import changes
from eqtrace.report.view.code import claims, file_view, marks
from eqtrace.report.view.comparison import comparison
from eqtrace.report.view.coverage import coverage
from eqtrace.report.view.dependencies import dependencies
from eqtrace.report.view.matrix import matrix
from eqtrace.report.view.notation import notation
from eqtrace.report.view.overview import overview
from eqtrace.report.view.places import (
    CHANGES,
    COVERAGE,
    DEPENDENCIES,
    INDEX,
    MATRIX,
    NOTATION,
    REFERENCE,
    PagePlan,
    Places,
)
from eqtrace.report.view.section import section_views
from eqtrace.report.view.topic import Site, topic_view
from eqtrace.report.words import DIRECTIONS, STATUSES

__all__ = ["MANIFEST", "Built", "build", "render"]

_ASSETS = (
    "site.css",
    "early.js",
    "site.js",
    "reference.js",
    "engine.js",
    "examples.js",
    "icon.svg",
    "stix-two-math.woff2",
    "stix-two-math-license.txt",
)
_LIBRARIES = ("jinja2", "math-core", "Pygments")
_UNORDERED = re.compile(r"frozenset\(\{'max', 'min'\}\)")  # the one set that a specification holds


@dataclass(frozen=True, slots=True)
class Built:
    """What `build` did: how many files the site has, which were made anew, and how many are not what they were."""

    folder: Path
    files: int
    made: tuple[str, ...]
    written: int


def build(config: Config, results: Results, folder: Path | None = None, mutation: Mutation | None = None) -> Built:
    """Writes the site to `folder` (that of the configuration), with the scores of a stored run of `mutate`.

    The same results give the same bytes. Only files of the site are written, and only those that an earlier build
    wrote are replaced or removed.

    Raises:
        EqtraceError: the folder holds other files in their place, or cannot be written; git does not know the
            configured commit; a template of the project is wrong.
    """
    folder = config.root / config.site.output if folder is None else folder
    host = Host(config) if config.repository is not None else None
    index = Index(config)
    state = _state(config, results, mutation, host, index)
    before = earlier(folder)
    if before.state == state and is_whole(folder, before):
        return Built(folder, len(before.files), (), 0)
    drafts = dict(_drafts(config, results, mutation, host, index))
    try:
        return Built(folder, len(drafts), *write(folder, drafts, before, state))
    except OSError as error:
        raise EqtraceError(f"the site cannot be written to {folder}: {error.strerror}") from error


def render(config: Config, results: Results, mutation: Mutation | None = None) -> Iterator[tuple[str, bytes]]:
    """Every file of the site, by its path below the output folder."""
    host = Host(config) if config.repository is not None else None
    for name, draft in _drafts(config, results, mutation, host, Index(config)):
        yield name, draft.make()


def _drafts(
    config: Config, results: Results, mutation: Mutation | None, host: Host | None, index: Index
) -> Iterator[tuple[str, Draft]]:
    places = Places(config, results, index)
    site = Site(
        config,
        results,
        rows(results),
        places,
        CallGraph(index),
        claims(results, places),
        mutation,
        host=host,
        marks=marks(results),
    )
    changed = changes(site)
    topics = [(plan, topic_view(topic, REFERENCE, site)) for plan in places.pages for topic in plan.topics]
    renderer = Renderer(site, with_changes=changed is not None)
    page = renderer.draft
    pages = [(plan.file, _page(plan, site, renderer)) for plan in places.pages]
    sources = [
        (file, page("source.html", file, view=file_view(path, site, file))) for path, file in places.sources.items()
    ]
    yield INDEX, page("index.html", INDEX, overview=overview(site))
    yield from pages
    yield REFERENCE, page("equations.html", REFERENCE, topics=topics, filters=_filters(topics))
    yield NOTATION, page("notation.html", NOTATION, view=notation(site))
    yield MATRIX, page("matrix.html", MATRIX, view=matrix(site))
    yield DEPENDENCIES, page("dependencies.html", DEPENDENCIES, view=dependencies(site))
    yield COVERAGE, page("coverage.html", COVERAGE, view=coverage(site))
    if changed is not None:
        yield CHANGES, page("changes.html", CHANGES, view=changed)
    yield from sources
    yield from _assets(site)
    yield from export.documents(site)


def _page(plan: PagePlan, site: Site, renderer: Renderer) -> Draft:
    return renderer.draft(
        "page.html",
        plan.file,
        title=plan.title,
        intro=renderer.prose(plan.intro, plan.file),
        notation=renderer.line(plan.notation, plan.file),
        sections=section_views(plan.sections, "page", plan.file, site),
        compared=comparison(plan, site),
        topics=tuple(topic_view(topic, plan.file, site) for topic in plan.topics),
    )


def _assets(site: Site) -> Iterator[tuple[str, Draft]]:
    for name in _ASSETS:
        yield f"static/{name}", fixed(files("eqtrace.report").joinpath("static", name).read_bytes())
    yield "static/theme.css", fixed(sheet(site.config).encode())
    yield "static/math.css", fixed(site.styles.sheet().encode())


def _filters(topics: list[tuple[Any, Any]]) -> dict[str, list[tuple[str, str]]]:
    """The choices of each filter: only what occurs, in the order of its words."""
    views = [view for _, view in topics]
    equations = [equation for view in views for equation in view.equations]
    words = sorted({each.badge.word for each in equations})
    paths = sorted({path for each in equations for path in each.files})
    return {
        "direction": [(key, word) for key, word in DIRECTIONS.items() if any(view.direction == key for view in views)],
        "status": [(key, word) for key, word in STATUSES.items() if any(view.status == key for view in views)],
        "page": list(dict.fromkeys((plan.file, plan.title) for plan, _ in topics)),
        "verdict": [(word, word) for word in words],
        "file": [(path, path) for path in paths],
    }


def _state(config: Config, results: Results, mutation: Mutation | None, host: Host | None, index: Index) -> str:
    """A hash of everything that a site is made from: where it is that of the last build, nothing changed at all."""
    methods = {
        name: [repr(replace(result, seconds=0.0)) for result in found] for name, found in results.methods.items()
    }
    examples = {name: replace(result, seconds=0.0) for name, result in results.examples.items()}
    plain = replace(results, methods={}, examples={}, seconds=0.0, from_cache=0, notes=())
    settings = replace(config, fail_on=frozenset())
    told = repr((plain, methods, examples, settings, sorted(config.fail_on), mutation, host and host.commit))
    return digest(_UNORDERED.sub("frozenset({'min', 'max'})", told), *_read(config, results, index), *_makers())


def _read(config: Config, results: Results, index: Index) -> Iterator[bytes]:
    """The files that pages show or are made with."""
    paths = {*index.sources(), *index.tests(), *(each for each in (config.scenarios, config.testers) if each)}
    paths |= {match.span.path for match in results.matches.values() if match.span is not None}
    found = [index.root / path for path in sorted(paths)]
    if config.site.templates is not None:
        found += sorted(path for path in (index.root / config.site.templates).rglob("*") if path.is_file())
    for path in found:
        yield str(path).encode("utf-8", "surrogateescape")
        try:
            yield content(path)
        except OSError:
            yield b""


def _makers() -> Iterator[str | bytes]:
    """What makes the pages: this package, and the libraries that write."""
    yield from map(metadata.version, _LIBRARIES)
    yield from own((".py", ".html", ".css", ".js", ".json"))
