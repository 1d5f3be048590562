"""`eqtrace mutate`."""

from __future__ import annotations

from pathlib import Path

import click

from eqtrace.cli.options import EXIT_CODES, SETTINGS, Reporting, reporting, running, selection

_HELP = f"""How strong is a green run? Changes each cited statement, and asks whether verification notices.

Every statement that an equation cites is changed in the ways that people get it wrong: another operator, a lost minus
or transpose, an axis, a bound, two names or arguments swapped, a wrong key. Each change is made in memory only, and the
equations that cite the statement are verified with it. A mutant is killed by a method's finding, by a scenario's own
check, or as the audit would refuse it; crashes and time-outs are counted apart; what survives is listed, with what was
tried. An interrupted run goes on where it stopped. `eqtrace site` shows the scores of a whole run.

SELECT narrows it to the statements of equations: ids of equations or topics, globs, files of the specification or code.

\b
Examples:
  eqtrace mutate
  eqtrace mutate layer_norm -j 2
  eqtrace mutate --format json --output-file reports/mutants.json

{EXIT_CODES}"""


@click.command(
    help=_HELP, short_help="How strong is a green run? Changes the code and asks.", context_settings=SETTINGS
)
@selection
@running
@click.option(
    "--limit",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    help="Limit of one mutant's processor time.",
)
@reporting
def mutate(
    select: tuple[str, ...],
    config_file: Path | None,
    jobs: int | str | None,
    seed: int,
    timeout: float,
    no_cache: bool,
    limit: float,
    form: str,
    output_file: Path | None,
    fail_on: tuple[str, ...],
    exit_zero: bool,
) -> int:
    """Mutates the cited statements."""
    from eqtrace import mutating
    from eqtrace.cli import output, settings
    from eqtrace.run.jobs import processors
    from eqtrace.runner import Running

    config = settings.configuration(config_file, fail_on)
    chosen = settings.selected(select, config)
    how = Running(jobs or processors(), seed, timeout, output.progress())
    results = mutating.mutate(config, chosen, how, limit, not no_cache)
    return output.report(results, config.root, Reporting(form, output_file, fail_on, exit_zero))
