"""`eqtrace audit`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eqtrace.cli.options import EXIT_CODES, SETTINGS, Reporting, caching, ratcheting, reporting, selection, touching
from eqtrace.errors import EqtraceError

if TYPE_CHECKING:
    from eqtrace.config import Config
    from eqtrace.model.results import Results

_HELP = f"""Checks every citation: is the line there, and does it play its role?

Reads the specification and parses the cited code. It never imports or runs your code, and never writes a file of
yours. Where nothing has changed since the last time, what it said then is said again. Whether a line computes its
formula is the business of `eqtrace verify`.

SELECT narrows it to ids of equations or topics, globs of ids, or files of the specification or the code.

\b
Examples:
  eqtrace audit
  eqtrace audit linear 'softmax.*' impl/ops.py
  eqtrace audit --fail-on line-moved --format concise
  eqtrace audit --watch                 again after each edit
  eqtrace audit --changed origin/main   only what a branch touches, on either side
  eqtrace audit --baseline known.json   old findings pass, new ones fail

{EXIT_CODES}"""


@click.command(
    help=_HELP,
    short_help="Are the cited lines there, in their roles? Imports no code of yours.",
    context_settings=SETTINGS,
)
@selection
@touching
@click.option("--watch", is_flag=True, help="Audit again whenever something that was read changes, until interrupted.")
@caching
@reporting
@ratcheting
def audit(
    select: tuple[str, ...],
    config_file: Path | None,
    changed: str | None,
    watch: bool,
    no_cache: bool,
    form: str,
    output_file: Path | None,
    fail_on: tuple[str, ...],
    exit_zero: bool,
    baseline: Path | None,
    write_baseline: bool,
    shrink_baseline: bool,
) -> int:
    """Runs the static checks."""
    from eqtrace.cli import output, ratchet, settings
    from eqtrace.kept import Kept

    held = ratchet.asked(baseline, write_baseline, shrink_baseline, bool(select) or changed is not None)
    started, clock = time.perf_counter(), time.time_ns()
    config = settings.configuration(config_file, fail_on)
    narrowed = None if changed is None else _touched(config, changed)
    how = Reporting(form, output_file, fail_on, exit_zero, held, narrowed)
    if watch:
        return _watched(config, lambda: settings.configuration(config_file, fail_on), select, not no_cache, how)
    kept = None if no_cache else Kept(config, select)
    known = kept.find(started) if kept is not None and form in output.TEXTS and _plain(how) else None
    if known is not None:
        return output.report_rows(known, config.root, how)
    from eqtrace import auditing
    from eqtrace.inputs import Inputs
    from eqtrace.report.rows import rows

    inputs = Inputs(config.root.resolve())
    results = auditing.audit(config, settings.selected(select, config), not no_cache, inputs)
    found = rows(results)
    if kept is not None:
        kept.keep(found, inputs, clock)
    if form != "json" and _plain(how):
        return output.report_rows(found, config.root, how)
    return output.report(results, config.root, how)


def _plain(how: Reporting) -> bool:
    """Whether a report is of all that was found."""
    return how.baseline is None and how.narrowed is None


def _touched(config: Config, revision: str) -> Callable[[Results], Results]:
    """Narrows results to what differs from a revision now."""
    from eqtrace.cites.changed import Touched
    from eqtrace.cites.git import Git
    from eqtrace.touched import narrowed

    root = config.root.resolve()
    git = Git.around(root)
    touched = Touched.since(git, revision)
    within = "" if git is None or git.root == root else f"{root.relative_to(git.root).as_posix()}/"
    return lambda results: narrowed(results, touched.touches, within, revision)


def _watched(
    config: Config, configuration: Callable[[], Config], select: tuple[str, ...], cache: bool, how: Reporting
) -> int:
    """Audits at once and after each change, until interrupted."""
    from eqtrace import auditing
    from eqtrace.cli import output, settings, watching
    from eqtrace.inputs import Inputs, Present, holds
    from eqtrace.kept import Kept
    from eqtrace.memory import Memory

    root, memory = config.root.resolve(), Memory()
    inputs = Inputs(root)

    def once() -> None:
        nonlocal config, inputs
        inputs = Inputs(root)
        inputs.content(config.pyproject, None)
        try:
            config = configuration()
            chosen = settings.selected(select, config)
            output.report(auditing.audit(config, chosen, cache, inputs, memory), config.root, how)
        except EqtraceError as error:  # what is half written may be whole the next time
            output.say(f"eqtrace: {error}", err=True)
        click.echo(f"watching {root}", err=True)

    for _ in watching.changes(root, once):
        if inputs.unknowable or not holds(inputs.record(), Present(root), Kept(config, select).fact):
            once()
    return 0
