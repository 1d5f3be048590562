"""What happens in a build, beside its pages: results before anything is read, warnings after, an error at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

from sphinx.errors import ExtensionError
from sphinx.util import logging

from eqtrace.errors import EqtraceError
from eqtrace.sphinx.shown import look

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

    from eqtrace.sphinx.domain import EquationDomain, Use

logger = logging.getLogger(__name__)


def outdated(app: Sphinx, env: BuildEnvironment, added: Set[str], changed: Set[str], removed: Set[str]) -> list[str]:
    """Works the results out, and names the documents whose equations are not what they showed.

    Raises:
        ExtensionError: the project of eqtrace can't be read.
    """
    domain = _domain(env)
    try:
        domain.known = look(app.confdir / app.config.eqtrace_project, app.config.eqtrace_verify, app.parallel)
    except EqtraceError as error:
        raise ExtensionError(f"eqtrace: {error}" + (f"\nhint: {error.hint}" if error.hint else "")) from error
    return sorted({use[0] for name, uses in domain.uses.items() for use in uses if use[2] != domain.digest(name)})


def told(app: Sphinx, env: BuildEnvironment) -> None:
    """Warns of every equation that pages name and that is wrong or unknown; by each build, whatever it read anew."""
    domain = _domain(env)
    known = domain.known
    for name, uses in sorted(domain.uses.items()):
        found = known.equations.get(name)
        if found is not None:
            first = {use[0]: use for use in sorted(uses, reverse=True)}
            _warn(found.wrong, first.values())
        if name in domain.foreign:
            continue
        if found is None:
            near = get_close_matches(name, known.equations, n=3, cutoff=0.5)
            _warn([f"no equation is called {name}" + (f"; nearest: {', '.join(near)}" if near else "")], uses)
        elif name not in domain.shown and found.site is None:
            message = f"no page shows {name}, and the site has no address: set `url` in [tool.eqtrace.site]"
            _warn([message], [use for use in uses if use[3]])
    for message in _beside(app, domain):
        logger.warning("%s", message, type="eqtrace", subtype="equation")


def finished(app: Sphinx, exception: Exception | None) -> None:
    """Fails the build (exit code 1) where equations are wrong, if it is to fail by itself."""
    if exception is not None or not app.config.eqtrace_fail:
        return
    domain = _domain(app.env)
    equations = domain.known.equations
    wrong = [
        name
        for name in sorted(domain.uses)
        if (equations[name].wrong if name in equations else name not in domain.foreign)
    ]
    beside = len(list(_beside(app, domain)))
    if wrong or beside:
        said = [", ".join(wrong)] if wrong else []
        said += [f"{beside} more errors"] if beside else []
        logger.error("eqtrace: refuted, stale or unknown: %s", "; ".join(said), type="eqtrace", subtype="fail")
        app.statuscode = 1


def _domain(env: BuildEnvironment) -> EquationDomain:
    return cast("EquationDomain", env.get_domain("eqtrace"))


def _warn(messages: Iterable[str], uses: Iterable[Use]) -> None:
    places = sorted({use[:2] for use in uses})
    for message in messages:
        for docname, line in places:
            logger.warning("%s", message, location=(docname, line), type="eqtrace", subtype="equation")


def _beside(app: Sphinx, domain: EquationDomain) -> Iterator[str]:
    """What is wrong beside the equations that pages name."""
    yield from domain.known.general
    if app.config.eqtrace_all:
        yield from domain.known.others
        for name, found in domain.known.equations.items():
            if name not in domain.uses:
                yield from found.wrong
