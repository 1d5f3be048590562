"""`eqtrace fix`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eqtrace.cli.options import SETTINGS, Reporting, selection

if TYPE_CHECKING:
    from eqtrace.link.fix import Edit
    from eqtrace.model.finding import Finding
    from eqtrace.model.results import Results

_HELP = """Rewrites the places of cited statements that moved.

Only an exact and unique match is followed: in its function, or where that was renamed or went to another class or
file. Only the characters of `file:line` and of the function change in the YAML; each file is written whole or not at
all. A statement that changed, is gone or could be meant twice stays as it is: `eqtrace audit`
shows it. Where the function of a changed one went elsewhere, its file and name are written, and the finding stays.
It never writes to your code and never runs it.

\b
Examples:
  eqtrace fix --diff        show what would be written, and write nothing
  eqtrace fix
  eqtrace fix linear

\b
Exit codes: 0 done (also where nothing had to be), 2 unusable input or a file that could not be written,
3 a fault of eqtrace.
"""


@click.command(help=_HELP, short_help="Rewrites places that moved, in the YAML only.", context_settings=SETTINGS)
@selection
@click.option("--diff", is_flag=True, help="Write nothing; show the difference.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["full", "json"]),
    default="full",
    show_default=True,
    help="json: for programs.",
)
def fix(select: tuple[str, ...], config_file: Path | None, diff: bool, form: str) -> int:
    """Follows moved statements."""
    from dataclasses import replace

    from eqtrace import auditing
    from eqtrace.cli import output, settings
    from eqtrace.link import fix as fixing

    config = settings.configuration(config_file)
    results = auditing.audit(config, settings.selected(select, config))
    if not results.selected:
        return output.report(results, config.root, Reporting("full", None, (), False))
    edits = (
        *fixing.edits([*results.matches.values(), *results.waivers]),
        *fixing.renamed(results.specification.topics, results.renamed),
    )
    refusals = fixing.rewritten(config.root, edits)[1] if diff else fixing.apply(config.root, edits)[1]
    refused = {refusal.span.path for refusal in refusals}
    done = tuple(edit for edit in edits if edit.span.path not in refused)
    if form == "json":
        left = results.findings if diff else tuple(each for each in results.findings if not _mended(each, done))
        results = replace(results, command="fix", exit=2 if refusals else 0, findings=left)
        output.report(results, config.root, Reporting("json", None, (), False), [_row(edit) for edit in done])
    elif diff:
        output.show(fixing.diff(config.root, edits))
    else:
        for edit in done:
            output.say(f"{edit.span.path}:{edit.span.line}: {edit.old} -> {edit.new}")
    for refusal in refusals:
        output.say(f"{refusal.span.path}: left alone: {refusal.reason}", err=True)
    click.echo(_outcome(done, bool(refusals), results, diff), err=True)
    return 2 if refusals else 0


def _mended(finding: Finding, edits: tuple[Edit, ...]) -> bool:
    return finding.name == "line-moved" and finding.span.path in {edit.span.path for edit in edits}


def _row(edit: Edit) -> dict[str, Any]:
    span = edit.span
    return {"path": span.path, "line": span.line, "column": span.column, "old": edit.old, "new": edit.new}


def _outcome(edits: tuple[Edit, ...], refused: bool, results: Results, diff: bool) -> str:
    from eqtrace.model.anchor import Status
    from eqtrace.report.summary import count

    files = len({edit.span.path for edit in edits})
    done = "would be rewritten" if diff else "rewritten"
    said = "Nothing was rewritten" if refused else "Nothing to fix"
    if edits:
        said = f"{count(len(edits), 'citation')} in {count(files, 'file')} {done}"
    left = sum(match.status in (Status.CHANGED, Status.MISSING, Status.AMBIGUOUS) for match in results.matches.values())
    return (
        f"{said}; {count(left, 'citation')} left that only you can mend: see `eqtrace audit`." if left else f"{said}."
    )
