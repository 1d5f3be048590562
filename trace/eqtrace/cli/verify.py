"""`eqtrace verify`."""

from __future__ import annotations

from pathlib import Path

import click

from eqtrace.cli.options import EXIT_CODES, SETTINGS, Reporting, ratcheting, reporting, running, selection

_HELP = f"""Runs your code and shows that the cited lines compute their equations.

All of `audit`, and then each equation's methods: the cited statements are watched while scenarios and drawn inputs
run them, and what they computed is compared with the formula. Your code is imported and run in worker processes with
a time limit; a hang, a crash or an exception is a finding. It never edits your code, and never counts as shown what
did not run.

SELECT narrows it to ids of equations or topics, globs of ids, or files of the specification or the code.

\b
Examples:
  eqtrace verify
  eqtrace verify layer_norm -j 2 --seed 7
  eqtrace verify --format json --output-file reports/verify.json
  eqtrace verify --format github        annotations and a summary in a workflow

{EXIT_CODES}"""


@click.command(
    help=_HELP, short_help="Does the code compute its equations? Runs it in workers.", context_settings=SETTINGS
)
@selection
@running
@reporting
@ratcheting
def verify(
    select: tuple[str, ...],
    config_file: Path | None,
    jobs: int | str | None,
    seed: int,
    timeout: float,
    no_cache: bool,
    form: str,
    output_file: Path | None,
    fail_on: tuple[str, ...],
    exit_zero: bool,
    baseline: Path | None,
    write_baseline: bool,
    shrink_baseline: bool,
) -> int:
    """Runs the static checks and the methods."""
    from eqtrace import runner
    from eqtrace.cli import output, ratchet, settings
    from eqtrace.run.jobs import processors

    known = ratchet.asked(baseline, write_baseline, shrink_baseline, bool(select))
    config = settings.configuration(config_file, fail_on)
    chosen = settings.selected(select, config)
    results = runner.verify(config, chosen, jobs or processors(), seed, timeout, output.progress(), not no_cache)
    return output.report(results, config.root, Reporting(form, output_file, fail_on, exit_zero, known))
