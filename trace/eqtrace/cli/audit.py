"""`eqtrace audit`."""

from __future__ import annotations

from pathlib import Path

import click

from eqtrace.cli.options import EXIT_CODES, SETTINGS, Reporting, reporting, selection

_HELP = f"""Checks every citation: is the line there, and does it play its role?

Reads the specification and parses the cited code. It never imports or runs your code, and never writes a file of
yours. Whether a line computes its formula is the business of `eqtrace verify`.

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
@reporting
def audit(
    select: tuple[str, ...],
    config_file: Path | None,
    form: str,
    output_file: Path | None,
    fail_on: tuple[str, ...],
    exit_zero: bool,
) -> int:
    """Runs the static checks."""
    from eqtrace import runner
    from eqtrace.cli import output, settings

    config = settings.configuration(config_file, fail_on)
    results = runner.audit(config, settings.selected(select, config))
    return output.report(results, config.root, Reporting(form, output_file, fail_on, exit_zero))
