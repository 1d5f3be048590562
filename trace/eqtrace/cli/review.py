"""`eqtrace review`."""

from __future__ import annotations

from pathlib import Path

import click

from eqtrace.cli.options import SETTINGS, Reporting, reporting, selection

_HELP = """Shows which citations nobody has read since one of their ends changed.

A link joins an equation to a cited line. The ledger (`reviews` in [tool.eqtrace]) holds for each link hashes of three
texts, as they were when somebody last read them side by side: the form, the prose about it, and the code. A link is
suspect when its form or its prose changed since, or the code of a test, an explanation or a passage. Where the code of
a line that runs changed, `eqtrace verify` decides: it stays clear while the line is shown to compute its formula.

Read what is shown, correct what no longer agrees, and record the rest with --accept. Nobody has to: links without an
entry are only counted. It never runs your code, and without --accept it writes nothing.

SELECT narrows it to ids of equations or topics, globs of ids, or files of the specification or the code.

\b
Examples:
  eqtrace review                      what is suspect, and what changed
  eqtrace review linear 'softmax.*'
  eqtrace review --accept linear      the links of this topic are read: record them as they are
  eqtrace review --accept             all links; also the first time, which begins the ledger

Accepting refuses links whose cited line is not where it says, and removes the lines of links that are gone. Two
branches may both do it: with `spec/reviews.yaml merge=union` in .gitattributes their ledgers merge by themselves.

\b
Exit codes: 0 nothing suspect (or all recorded), 1 suspect links (or some refused), 2 unusable input,
3 a fault of eqtrace.
"""


@click.command(
    help=_HELP, short_help="Citations of which an end changed since they were reviewed.", context_settings=SETTINGS
)
@selection
@click.option("--accept", is_flag=True, help="Record the selected links as reviewed, as they are now.")
@reporting
def review(
    select: tuple[str, ...],
    config_file: Path | None,
    accept: bool,
    form: str,
    output_file: Path | None,
    fail_on: tuple[str, ...],
    exit_zero: bool,
) -> int:
    """Shows suspect links, or records them."""
    from eqtrace import reviewing
    from eqtrace.cli import output, settings

    config = settings.configuration(config_file, fail_on)
    chosen = settings.selected(select, config)
    results = reviewing.record(config, chosen) if accept else reviewing.review(config, chosen)
    code = output.report(results, config.root, Reporting(form, output_file, fail_on, exit_zero))
    if accept and code != 2 and not reviewing.merges(config):
        click.echo(f"hint: write `{config.reviews} merge=union` into .gitattributes, so that ledgers merge", err=True)
    return code
