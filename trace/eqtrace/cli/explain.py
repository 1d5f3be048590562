"""`eqtrace explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eqtrace.cli.options import SETTINGS
from eqtrace.errors import EqtraceError

if TYPE_CHECKING:
    from eqtrace.checks.check import Check

_HELP = """Explains a finding's code: what it means, an example, how to mend it.

CODE is a code, its number or a name, in any case. Without one, all codes are listed; with --all, all are explained, in
Markdown. Reads no project, runs nothing.

\b
Examples:
  eqtrace explain EQ501
  eqtrace explain value-mismatch
  eqtrace explain --all
"""


@click.command(help=_HELP, short_help="What a finding's code means and how to mend it.", context_settings=SETTINGS)
@click.argument("code", required=False)
@click.option("--all", "everything", is_flag=True, help="Explain all codes, as a Markdown page.")
def explain(code: str | None, everything: bool) -> int:
    """Prints the documentation of one check, or of all, or the list of all."""
    from eqtrace.checks.registry import CHECKS

    if everything:
        from eqtrace.report.checks import page

        click.echo(page(CHECKS), nl=False)
        return 0
    if code is None:
        width = max((len(check.name) for check in CHECKS), default=0)
        for check in CHECKS:
            click.echo(f"{check.code}  {check.name:<{width}}  {check.severity.value:<7}  {_first_line(check)}".rstrip())
        return 0
    check = _find(code, CHECKS)
    click.echo(f"{check.code} {check.name} ({check.severity.value})\n")
    click.echo(check.documentation)
    return 0


def _find(code: str, checks: tuple[Check, ...]) -> Check:
    wanted = code.strip().lower().strip("[]")
    for check in checks:
        if wanted in (check.code.lower(), check.code.lower().removeprefix("eq"), check.name):
            return check
    from difflib import get_close_matches

    words = {word.lower(): word for check in checks for word in (check.code, check.name)}
    near = [words[word] for word in get_close_matches(wanted, sorted(words), n=3, cutoff=0.5)]
    raise EqtraceError(
        f"no check is called '{code}'", f"nearest: {', '.join(near)}" if near else "`eqtrace explain` lists them all"
    )


def _first_line(check: Check) -> str:
    return check.documentation.split("\n", 1)[0]
