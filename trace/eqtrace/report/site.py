"""The reference site: every page rendered from plain data, written whole, and stale pages of its own removed.

A page is rendered again only where something that it is made from changed: its data, a template, or what all share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
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
from eqtrace.model.topic import Topic
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
    SEARCH,
    PagePlan,
    Places,
)
from eqtrace.report.view.reference import filters
from eqtrace.report.view.rests import Rests, Said, in_order, said
from eqtrace.report.view.search import search_script
from eqtrace.report.view.section import section_views
from eqtrace.report.view.topic import Site, TopicHead, math_sheet, topic_head, topic_view

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
    given = _given(config, results, mutation)
    state = _state(given)
    before = earlier(folder)
    if before.state == state and is_whole(folder, before):
        return Built(folder, len(before.files), (), 0)
    drafts = dict(_drafts(given))
    try:
        return Built(folder, len(drafts), *write(folder, drafts, before, state))
    except OSError as error:
        raise EqtraceError(f"the site cannot be written to {folder}: {error.strerror}") from error


def render(config: Config, results: Results, mutation: Mutation | None = None) -> Iterator[tuple[str, bytes]]:
    """Every file of the site, by its path below the output folder."""
    for name, draft in _drafts(_given(config, results, mutation)):
        yield name, draft.whole({})[0]


@dataclass(frozen=True, slots=True)
class _Given:
    """All that a site is made from; `makers` is a hash of the programs that make it."""

    config: Config
    results: Results
    mutation: Mutation | None
    host: Host | None
    index: Index
    said: Mapping[str, Said]
    makers: str


def _given(config: Config, results: Results, mutation: Mutation | None) -> _Given:
    host = Host(config) if config.repository is not None else None
    return _Given(config, results, mutation, host, Index(config), said(results.specification.topics), _makers())


@cache
def _makers() -> str:
    return digest(*map(metadata.version, _LIBRARIES), *own((".py", ".html", ".css", ".js", ".json")))


def _drafts(given: _Given) -> Iterator[tuple[str, Draft]]:
    config, results = given.config, given.results
    places = Places(config, results, given.index)
    site = Site(
        config,
        results,
        rows(results),
        places,
        CallGraph(given.index),
        claims(results, places),
        given.mutation,
        host=given.host,
        marks=marks(results),
    )
    changed = changes(site)
    rests = Rests(site, given.said)
    renderer = Renderer(site, changed is not None, given.makers)
    page = renderer.page
    yield INDEX, page("index.html", INDEX, overview=overview(site))
    for plan in places.pages:
        yield plan.file, _page(plan, site, rests, renderer)
    yield REFERENCE, _reference(site, rests, renderer)
    yield SEARCH, fixed(search_script(site).encode("utf-8", "replace"))
    yield NOTATION, page("notation.html", NOTATION, view=notation(site))
    yield MATRIX, page("matrix.html", MATRIX, view=matrix(site))
    yield DEPENDENCIES, page("dependencies.html", DEPENDENCIES, view=dependencies(site))
    yield COVERAGE, page("coverage.html", COVERAGE, view=coverage(site))
    if changed is not None:
        yield CHANGES, page("changes.html", CHANGES, view=changed)
    for path, file in places.sources.items():
        yield file, _source(path, file, site, rests, renderer)
    yield from _assets(site)
    yield from export.documents(site)


def _page(plan: PagePlan, site: Site, rests: Rests, renderer: Renderer) -> Draft:
    heads = _heads("topic.html", plan, plan.file, site, rests, renderer)
    return renderer.page(
        "page.html",
        plan.file,
        [each.article for each in heads],
        title=plan.title,
        intro=renderer.prose(plan.intro, plan.file),
        notation=renderer.line(plan.notation, plan.file),
        sections=section_views(plan.sections, "page", plan.file, site),
        compared=comparison(plan, site),
        topics=heads,
    )


def _reference(site: Site, rests: Rests, renderer: Renderer) -> Draft:
    heads = [
        head for plan in site.places.pages for head in _heads("entry.html", plan, REFERENCE, site, rests, renderer)
    ]
    articles = [each.article for each in heads]
    return renderer.page("equations.html", REFERENCE, articles, topics=heads, filters=filters(site))


def _heads(
    template: str, plan: PagePlan, on: str, site: Site, rests: Rests, renderer: Renderer
) -> tuple[TopicHead, ...]:
    """The topics of a plan, each of which is a part of the page `on`."""

    def values(topic: Topic) -> Callable[[], dict[str, Any]]:
        return lambda: {"topic": topic_view(topic, on, site), "plan": plan}

    return tuple(
        topic_head(topic, renderer.draft(template, on, rests.topic(topic, on), values(topic)), site)
        for topic in plan.topics
    )


def _source(path: str, file: str, site: Site, rests: Rests, renderer: Renderer) -> Draft:
    return renderer.draft("source.html", file, rests.source(path, file), lambda: {"view": file_view(path, site, file)})


def _assets(site: Site) -> Iterator[tuple[str, Draft]]:
    for name in _ASSETS:
        yield f"static/{name}", fixed(files("eqtrace.report").joinpath("static", name).read_bytes())
    yield "static/theme.css", fixed(sheet(site.config).encode())
    yield "static/math.css", fixed(math_sheet(site.places.pages).encode())


def _state(given: _Given) -> str:
    """A hash of everything that a site is made from: where it is that of the last build, nothing changed at all."""
    config, results = given.config, given.results
    specification = replace(results.specification, topics=())  # as `said` they are among it
    plain = replace(results, specification=specification, methods={}, examples={}, seconds=0.0, from_cache=0, notes=())
    told = repr(
        (
            plain,
            [(name, each.key) for name, each in given.said.items()],
            {name: [replace(result, seconds=0.0) for result in found] for name, found in results.methods.items()},
            {name: replace(result, seconds=0.0) for name, result in results.examples.items()},
            replace(config, fail_on=frozenset()),
            sorted(config.fail_on),
            given.mutation,
            given.host and given.host.commit,
        )
    )
    return digest(in_order(told), *_read(config, results, given.index), given.makers)


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
