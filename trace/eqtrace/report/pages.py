"""Pages from templates: those of the package, each of which a project may replace by one of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PackageLoader, StrictUndefined, TemplateError
from jinja2.loaders import BaseLoader
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from eqtrace.cache import digest
from eqtrace.config import Config
from eqtrace.errors import EqtraceError
from eqtrace.report.drafts import Draft
from eqtrace.report.prose import inline, paragraphs
from eqtrace.report.view.places import CHANGES, COVERAGE, DEPENDENCIES, MATRIX, NOTATION, REFERENCE
from eqtrace.report.view.topic import Site
from eqtrace.report.words import DIRECTIONS, slug

_LISTS = {
    REFERENCE: "All equations",
    NOTATION: "Notation and shapes",
    MATRIX: "Traceability matrix",
    DEPENDENCIES: "Dependencies",
    COVERAGE: "Coverage",
    CHANGES: "Changes",
}


class Renderer:
    """Makes the pages of one site."""

    def __init__(self, site: Site, with_changes: bool, makers: str) -> None:
        self._site = site
        self._makers = makers  # a hash of the programs that make pages
        self._lists = {file: title for file, title in _LISTS.items() if file != CHANGES or with_changes}
        self._environment = _environment(site.config)

    def page(self, template: str, file: str, parts: Iterable[Draft] = (), **values: Any) -> Draft:
        """A page that is made from values which are known already, and from parts."""
        return Draft(self._key(template, file, repr(values)), lambda: self._made(template, file, values), tuple(parts))

    def draft(self, template: str, file: str, rests: str, values: Callable[[], dict[str, Any]]) -> Draft:
        """A page, or a part of the page `file`, whose values are found when it is made; `rests` is a hash of theirs."""
        return Draft(self._key(template, file, rests), lambda: self._made(template, file, values()))

    def prose(self, text: str, file: str) -> Markup:
        """Paragraphs of prose on the page `file`."""
        return paragraphs(text, self._site.resolve(file))

    def line(self, text: str, file: str) -> Markup:
        """One paragraph's text on the page `file`."""
        return inline(text, self._site.resolve(file))

    def _key(self, template: str, file: str, rests: str) -> str:
        return digest(self._shared, template, file, rests)

    def _made(self, template: str, file: str, values: dict[str, Any]) -> bytes:
        site = self._site
        try:
            found = self._environment.get_template(template).render(
                site=site.config.site,
                here=file,
                to=lambda target: site.places.page(target, file),
                line=lambda path, line: site.places.line(path, line, file),
                pages=site.places.pages,
                lists=self._lists,
                sources=site.places.sources,
                verified=site.report.summary.verdicts is not None,
                host=site.host,
                directions=DIRECTIONS,
                **values,
            )
        except (TemplateError, TypeError, ValueError, AttributeError, ArithmeticError, LookupError) as error:
            if site.config.site.templates is None:
                raise
            message = f"{template} cannot be rendered with the templates in {site.config.site.templates}: {error}"
            raise EqtraceError(message, "`templates` in [tool.eqtrace.site] names them") from error
        return found.encode("utf-8", "replace")

    @cached_property
    def _shared(self) -> str:
        """A hash of what all pages share: what makes them, the settings of the site, and what its contents list."""
        site = self._site
        contents = [(plan.file, plan.title, [(t.id, t.title) for t in plan.topics]) for plan in site.places.pages]
        verified = site.report.summary.verdicts is not None
        host = (site.host.url, site.host.commit) if site.host is not None else None
        texts = [source for name in self._environment.list_templates() if (source := self._source(name))]
        told = repr((site.config.site, contents, self._lists, site.places.sources, verified, host))
        return digest(self._makers, told, *texts)

    def _source(self, name: str) -> str:
        loader = self._environment.loader
        assert loader is not None
        return loader.get_source(self._environment, name)[0]


def _environment(config: Config) -> Environment:
    if config.site.templates is None:
        return _packaged()
    folder = (config.root / config.site.templates).resolve()
    if not folder.is_dir():
        place = f"{config.pyproject}:{config.line('site', 'templates')}"
        raise EqtraceError(f"{place}: site.templates: there is no folder `{config.site.templates}`")
    return _over(ChoiceLoader([_Inside(folder), _package()]))


@cache
def _packaged() -> Environment:
    """The package's templates alone, which are compiled once."""
    return _over(_package())


def _package() -> BaseLoader:
    return PackageLoader("eqtrace.report", "templates")


def _over(loader: BaseLoader) -> Environment:
    """Templates escape whatever is put into them, and reach nothing but what they are given."""
    environment = ImmutableSandboxedEnvironment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["slug"] = slug
    return environment


class _Inside(FileSystemLoader):
    """Templates of the project: only files that lie in their folder, links resolved."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._folder = folder

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Any]:
        """A template's text."""
        found = super().get_source(environment, template)
        if not Path(found[1]).resolve().is_relative_to(self._folder):
            raise EqtraceError(f"the template {template} is a link that leaves {self._folder}")
        return found
