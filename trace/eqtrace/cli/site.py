"""`eqtrace site`."""

from __future__ import annotations

from pathlib import Path

import click

from eqtrace.cli.options import EXIT_CODES, SETTINGS, Reporting, reporting, running

_HELP = f"""Writes the reference site: every topic with its equations, code, citations and verdicts.

Runs `eqtrace verify` first, so that each page shows what was found out this time; findings are shown on the pages,
and the exit code is that of verify. Scores of mutants stand there where a run of `eqtrace mutate` over
these sources is stored. The files work from a folder as well as from a server, and need no network.
Only files below the configured output folder are written or removed, and of these only the site's own.

\b
Examples:
  eqtrace site
  eqtrace site --no-verify            quick and static; every verdict reads not-checked
  eqtrace site --output public

{EXIT_CODES}"""


@click.command(help=_HELP, short_help="Writes the reference site, as HTML files.", context_settings=SETTINGS)
@click.option(
    "--config",
    "config_file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Settings file with [tool.eqtrace]; otherwise pyproject.toml here or in a folder above.",
)
@click.option("--no-verify", is_flag=True, help="Check citations only, and run no code.")
@click.option(
    "--output",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    help="Instead of the configured one.",
)
@running
@reporting
def site(
    config_file: Path | None,
    no_verify: bool,
    output: Path | None,
    jobs: int | str | None,
    seed: int,
    timeout: float,
    no_cache: bool,
    form: str,
    output_file: Path | None,
    fail_on: tuple[str, ...],
    exit_zero: bool,
) -> int:
    """Verifies and writes the site."""
    from dataclasses import replace

    from eqtrace import auditing, runner
    from eqtrace.cli import output as reports
    from eqtrace.cli import settings
    from eqtrace.judged import stored_scores
    from eqtrace.report.site import build
    from eqtrace.run.jobs import processors

    config = settings.configuration(config_file, fail_on)
    if no_verify:
        results = auditing.audit(config, None)
    else:
        results = runner.verify(config, None, jobs or processors(), seed, timeout, reports.progress(), not no_cache)
    results = replace(results, command="site")
    folder = config.root / config.site.output if output is None else output.absolute()
    built = build(config, results, folder, stored_scores(config, results))
    code = reports.report(results, config.root, Reporting(form, output_file, fail_on, exit_zero))
    others = "" if built.written == built.files else ", the others are as they were"
    written = f"{built.written} of {built.files} files of the site written to {built.folder}{others}"
    click.echo(f"{written}: open index.html", err=True)
    return code
