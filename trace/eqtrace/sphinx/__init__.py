"""A Sphinx extension: documented equations in documentation that is there already.

A directive shows an equation with its verdict and its code, a role leads to it, and a build warns of equations that
its pages name and that are refuted, stale or unknown. docs/sphinx.md says how it is used.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from eqtrace import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.util.typing import ExtensionMetadata

_STATIC = Path(__file__).parent / "static"
RENDERER = "eqtrace"
_VERSION = 1  # of what the domain keeps between builds


def setup(app: Sphinx) -> ExtensionMetadata:
    """What Sphinx calls where `extensions` names this module."""
    from eqtrace.sphinx import building
    from eqtrace.sphinx.domain import EquationDomain

    app.add_config_value("eqtrace_project", ".", "env", str)
    app.add_config_value("eqtrace_verify", True, "env", bool)
    app.add_config_value("eqtrace_all", False, "", bool)
    app.add_config_value("eqtrace_fail", False, "", bool)
    app.add_domain(EquationDomain)
    app.connect("config-inited", _configured)
    app.connect("env-get-outdated", building.outdated)
    app.connect("env-updated", building.told)
    app.connect("build-finished", building.finished)
    app.add_css_file("eqtrace.css")
    return {
        "version": __version__,
        "env_version": _VERSION,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


def _configured(app: Sphinx, config: Config) -> None:
    config.html_static_path.append(str(_STATIC))
    if config.html_math_renderer == RENDERER:  # to Sphinx one that is known and not chosen would be the choice
        from eqtrace.sphinx import mathematics

        app.add_html_math_renderer(RENDERER, mathematics.INLINE, mathematics.BLOCK)
