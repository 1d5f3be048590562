"""`eqtrace audit`."""

from __future__ import annotations

import time
from pathlib import Path

import click

from eqtrace.cli.options import EXIT_CODES, SETTINGS, Reporting, caching, reporting, selection

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

{EXIT_CODES}"""


@click.command(
    help=_HELP,
    short_help="Are the cited lines there, in their roles? Imports no code of yours.",
    context_settings=SETTINGS,
)
@selection
@caching
@reporting
def audit(
    select: tuple[str, ...],
    config_file: Path | None,
    no_cache: bool,
    form: str,
    output_file: Path | None,
    fail_on: tuple[str, ...],
    exit_zero: bool,
) -> int:
    """Runs the static checks."""
    from eqtrace.cli import output, settings
    from eqtrace.kept import Kept

    started, clock = time.perf_counter(), time.time_ns()
    config = settings.configuration(config_file, fail_on)
    how = Reporting(form, output_file, fail_on, exit_zero)
    kept = None if no_cache else Kept(config, select)
    known = kept.find(started) if kept is not None and form in output.TEXTS else None
    if known is not None:
        return output.report_rows(known, config.root, how)
    from eqtrace import auditing
    from eqtrace.inputs import Inputs
    from eqtrace.report.rows import rows

    inputs = Inputs(config.root.resolve())
    results = auditing.audit(config, settings.selected(select, config), not no_cache, inputs)
    if kept is not None:
        kept.keep(rows(results), inputs, clock)
    return output.report(results, config.root, how)
