"""The reference site: every page rendered from plain data, written whole, and stale pages of its own removed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from eqtrace.code.calls import CallGraph
from eqtrace.code.index import Index
from eqtrace.config import Config
from eqtrace.errors import EqtraceError
from eqtrace.model.results import Results
from eqtrace.report import atomic
from eqtrace.report.mutants import Mutation
from eqtrace.report.rows import rows
from eqtrace.report.view.code import claims, file_view
from eqtrace.report.view.overview import overview
from eqtrace.report.view.places import INDEX, REFERENCE, Places
from eqtrace.report.view.topic import Site, topic_view
from eqtrace.report.words import DIRECTIONS, STATUSES, slug

MANIFEST = ".eqtrace-site.json"
_ASSETS = (
    "site.css",
    "site.js",
    "engine.js",
    "examples.js",
    "icon.svg",
    "stix-two-math.woff2",
    "stix-two-math-license.txt",
)


@dataclass(frozen=True, slots=True)
class Built:
    """What `build` did: the files of the site, and how many of them were new or changed."""

    folder: Path
    files: int
    written: int


def build(config: Config, results: Results, folder: Path | None = None, mutation: Mutation | None = None) -> Built:
    """Writes the site to `folder` (that of the configuration), with the scores of a stored run of `mutate`.

    The same results give the same bytes. Only files of the site are written, and only those that an earlier build
    wrote are replaced or removed.

    Raises:
        EqtraceError: the folder holds other files in their place, or cannot be written.
    """
    folder = config.root / config.site.output if folder is None else folder
    content = dict(render(config, results, mutation))
    try:
        return Built(folder, len(content), _write(folder, content))
    except OSError as error:
        raise EqtraceError(f"the site cannot be written to {folder}: {error.strerror}") from error


def render(config: Config, results: Results, mutation: Mutation | None = None) -> Iterator[tuple[str, bytes]]:
    """Every file of the site, by its path below the output folder."""
    index = Index(config)
    places = Places(config, results, index)
    site = Site(config, results, rows(results), places, CallGraph(index), claims(results, places), mutation)
    renderer = _Renderer(site)
    yield INDEX, renderer.page("index.html", INDEX, overview=overview(site))
    topics = []
    for plan in places.pages:
        views = tuple(topic_view(topic, plan.file, site) for topic in plan.topics)
        topics += [(plan, topic_view(topic, REFERENCE, site)) for topic in plan.topics]
        intro = renderer.prose(plan.intro, plan.file)
        yield plan.file, renderer.page("page.html", plan.file, plan=plan, intro=intro, topics=views)
    yield REFERENCE, renderer.page("equations.html", REFERENCE, topics=topics, filters=_filters(topics))
    for path, file in places.sources.items():
        yield file, renderer.page("source.html", file, view=file_view(path, places, site.cited, file))
    for name in _ASSETS:
        yield f"static/{name}", files("eqtrace.report").joinpath("static", name).read_bytes()
    yield "static/math.css", site.styles.sheet().encode()


class _Renderer:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._environment = Environment(
            loader=PackageLoader("eqtrace.report", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._environment.filters["slug"] = slug

    def page(self, template: str, file: str, **values: Any) -> bytes:
        """One page."""
        site = self._site
        found = self._environment.get_template(template).render(
            site=site.config.site,
            here=file,
            to=lambda target: site.places.page(target, file),
            line=lambda path, line: site.places.line(path, line, file),
            pages=site.places.pages,
            sources=site.places.sources,
            verified=site.report.summary.verdicts is not None,
            **values,
        )
        return found.encode()

    def prose(self, text: str, file: str) -> str:
        """Paragraphs of prose on the page `file`."""
        from eqtrace.report.prose import paragraphs

        return paragraphs(text, self._site.resolve(file))


def _filters(topics: list[tuple[Any, Any]]) -> dict[str, list[tuple[str, str]]]:
    """The choices of each filter: only what occurs, in the order of its words."""
    views = [view for _, view in topics]
    badges = {view.badge.word: view.badge.word for view in views}
    return {
        "direction": [(key, word) for key, word in DIRECTIONS.items() if any(view.direction == key for view in views)],
        "status": [(key, word) for key, word in STATUSES.items() if any(view.status == key for view in views)],
        "page": list(dict.fromkeys((plan.file, plan.title) for plan, _ in topics)),
        "verdict": sorted(badges.items()),
    }


def _write(folder: Path, content: dict[str, bytes]) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    before = _manifest(folder)
    for name, data in content.items():
        target = _inside(folder, name)
        if name not in before and target.exists() and (not target.is_file() or target.read_bytes() != data):
            raise EqtraceError(
                f"{target} is there already and is no page of an earlier site",
                "choose an empty folder as `output` in [tool.eqtrace.site]",
            )
    # The manifest names the new files before they exist: a build that is broken off must find its own files again.
    _save_manifest(folder, before | content.keys())
    written = 0
    for name, data in content.items():
        target = _inside(folder, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        written += atomic.write(_inside(folder, name), data)
    for name in sorted(before - content.keys()):
        _remove(folder, name)
    _save_manifest(folder, set(content))
    return written


def _inside(folder: Path, name: str) -> Path:
    """The file's place, which must lie below the folder even where that holds links."""
    target = folder / name
    if not target.resolve().is_relative_to(folder.resolve()) or ".." in PurePosixPath(name).parts:
        raise EqtraceError(f"{target} leads out of {folder}", "remove the link in that folder")
    return target


def _manifest(folder: Path) -> set[str]:
    try:
        names = json.loads((folder / MANIFEST).read_bytes())["files"]
    except (OSError, ValueError, TypeError, KeyError):
        return set()
    return {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()


def _save_manifest(folder: Path, names: set[str]) -> None:
    atomic.write(folder / MANIFEST, (json.dumps({"files": sorted(names)}, indent=1) + "\n").encode())


def _remove(folder: Path, name: str) -> None:
    """Removes a page of an earlier build, and the folders that it leaves empty."""
    if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
        return
    target = _inside(folder, name)
    target.unlink(missing_ok=True)
    for parent in target.parents:
        if parent == folder or any(parent.iterdir()):
            return
        parent.rmdir()
