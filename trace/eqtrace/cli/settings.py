"""From a command line to a configuration and the equations that were asked for."""

from __future__ import annotations

import os
from dataclasses import replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from eqtrace.errors import EqtraceError

if TYPE_CHECKING:
    from eqtrace.config import Config
    from eqtrace.model.equation import Equation


def configuration(config_file: Path | None, fail_on: tuple[str, ...] = ()) -> Config:
    """The configuration, with what the command line adds to `fail_on`."""
    from eqtrace.config import load, load_file

    config = load(Path.cwd()) if config_file is None else load_file(config_file)
    if not fail_on:
        return config
    return replace(config, fail_on=config.fail_on | _known_checks(fail_on))


def selected(patterns: tuple[str, ...], config: Config) -> frozenset[str] | None:
    """The ids that `patterns` name (None: all): ids of equations or topics, globs of them, files of spec or code.

    Raises:
        EqtraceError: a pattern names nothing.
    """
    if not patterns:
        return None
    from eqtrace.spec.load import load

    specification = load(config)
    equations = specification.equations
    found: set[str] = set()
    for pattern in patterns:
        ids = {each.id for each in equations if _named(pattern, each, config.root)}
        if not ids and specification.faults:
            fault = specification.faults[0]
            what = f"'{pattern}' selects no equation that can be read\n{fault.span}: {fault.message}"
            raise EqtraceError(what, "without a selection, all that is wrong with the specification is told")
        if not ids:
            raise EqtraceError(f"'{pattern}' selects no equation", _nearest(pattern, equations))
        found |= ids
    return frozenset(found)


def _named(pattern: str, equation: Equation, root: Path) -> bool:
    if pattern in (equation.id, equation.topic) or fnmatchcase(equation.id, pattern):
        return True
    paths = {equation.span.path, *(anchor.path for anchor in equation.anchors)}
    return any(
        spelling in paths or any(fnmatchcase(path, spelling) for path in paths) for spelling in _paths(pattern, root)
    )


def _paths(pattern: str, root: Path) -> set[str]:
    """`pattern` as a path from the root, read from the root and from the current folder."""
    spellings = {pattern.removeprefix("./")}
    absolute = Path(os.path.abspath(pattern))
    if absolute.is_relative_to(root):
        spellings.add(absolute.relative_to(root).as_posix())
    return spellings


def _nearest(pattern: str, equations: tuple[Equation, ...]) -> str:
    if not equations:
        return "the specification holds no equation: see `spec` in [tool.eqtrace]"
    names = sorted({each.id for each in equations} | {each.topic for each in equations})
    near = get_close_matches(pattern, names, n=3, cutoff=0.4)
    if not near:
        near = [name for name in names if pattern.strip("*?").lower() in name.lower()][:3] or names[:3]
    return f"nearest: {', '.join(near)} ({len(equations)} equations in all; ids, topics, globs and files select)"


def _known_checks(wanted: tuple[str, ...]) -> frozenset[str]:
    from eqtrace.checks.registry import CHECKS

    known = {word for check in CHECKS for word in (check.code, check.name)}
    for word in wanted:
        if word not in known:
            near = get_close_matches(word, sorted(known), n=3, cutoff=0.4)
            raise EqtraceError(f"--fail-on: no check is called '{word}'", f"nearest: {', '.join(near)}" if near else "")
    return frozenset(wanted)
