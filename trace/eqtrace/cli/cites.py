"""`eqtrace cites`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eqtrace.cli.options import EXIT_CODES, SETTINGS, Reporting, ratcheting, reporting_own, touching
from eqtrace.errors import EqtraceError

if TYPE_CHECKING:
    from eqtrace.cites.tree import Tree
    from eqtrace.cli.ratchet import Baseline
    from eqtrace.model.citation import Cited

_HELP = f"""Checks citations of code lines in the prose of any repository, without configuration.

Documents (Markdown, reStructuredText, AsciiDoc, HTML, notebooks) and the comments, docstrings and string literals of
code are read for citations such as `file.c:12`, `file.c:12-20`, file.c#L12, "line 12 of `file.c`", `file.c` (L12), a
host's permalinks, lists (`file.c:12, 40`) and symbols (file.c::name). Each is held against the names in its sentence,
and against the history since it was written, where there is git. It never runs your code.

PATHS are documents or folders; otherwise all of the repository. Changelogs, decision records and dated reports are set
aside, and never rewritten.

\b
Examples:
  eqtrace cites
  eqtrace cites docs README.md --format concise
  eqtrace cites --fix --diff          what strong evidence corrects; --fix alone writes it
  eqtrace cites --changed origin/main only what a branch touches, on either side
  eqtrace cites --adopt               vouch for all citations as they are, in .eqtrace/cites.yaml
  eqtrace cites --baseline cites.json old findings pass, new ones fail

{EXIT_CODES}"""


@dataclass(frozen=True, slots=True)
class _Writing:
    """What is to be written, and whether only the difference is shown."""

    fix: bool
    symbols: bool
    diff: bool


@click.command(help=_HELP, short_help="Citations of code lines in any repository's prose.", context_settings=SETTINGS)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--fix", is_flag=True, help="Correct the numbers that strong evidence corrects, and only those.")
@click.option("--to-symbols", is_flag=True, help="Rewrite citations of definitions, file.py:12, as file.py::name.")
@click.option("--diff", is_flag=True, help="With --fix or --to-symbols: write nothing; show the difference.")
@click.option("--adopt", is_flag=True, help="Record what each sound citation cites in .eqtrace/cites.yaml.")
@touching
@ratcheting
@click.option("--records", is_flag=True, help="Read changelogs, decision records and dated reports too.")
@click.option("--no-history", is_flag=True, help="Don't ask git when a citation was written and what moved since.")
@click.option("--all", "every", is_flag=True, help="List the sound citations and the unknown ones too.")
@reporting_own
def cites(
    paths: tuple[Path, ...],
    fix: bool,
    to_symbols: bool,
    diff: bool,
    adopt: bool,
    changed: str | None,
    baseline: Path | None,
    write_baseline: bool,
    shrink_baseline: bool,
    records: bool,
    no_history: bool,
    every: bool,
    form: str,
    output_file: Path | None,
    fail_on: tuple[str, ...],
    exit_zero: bool,
) -> int:
    """Checks citations in prose."""
    from eqtrace.cites.scan import Options, scan, tree_of
    from eqtrace.cli import output, ratchet

    _check(fix or to_symbols, diff, adopt)
    known = ratchet.asked(baseline, write_baseline, shrink_baseline, bool(paths) or changed is not None)
    _known(fail_on)
    tree = tree_of(Path.cwd())
    options = Options(not no_history, records, changed, output.progress())
    cited = scan(tree, paths, options)
    if adopt:
        return _adopt(tree, cited)
    if known is not None and known.write:
        return _write_baseline(known.file, cited)
    if known is not None:
        cited = _held_back(cited, known)
    if fix or to_symbols:
        cited = _write(tree, cited, options, _Writing(fix, to_symbols, diff), form)
    return _report(
        tree, cited, Reporting(form, output_file, fail_on, exit_zero), every, diff and form != "json", changed
    )


def _check(writing: bool, diff: bool, adopt: bool) -> None:
    if diff and not writing:
        raise EqtraceError("--diff shows what --fix or --to-symbols would write", "add one of them")
    if adopt and writing:
        raise EqtraceError("--adopt vouches for what is there", "run --fix first, read its difference, then --adopt")


def _known(fail_on: tuple[str, ...]) -> None:
    from eqtrace.model.citation import SEVERITIES

    known = [status.value for status in SEVERITIES]
    for word in fail_on:
        if word not in known:
            raise EqtraceError(f"--fail-on: no status is called '{word}'", f"known: {', '.join(known)}")


def _held_back(cited: Cited, baseline: Baseline) -> Cited:
    from dataclasses import replace

    from eqtrace.cites.baseline import CITATIONS
    from eqtrace.cli import ratchet
    from eqtrace.model.citation import CitationStatus

    held = ratchet.hold_back(CITATIONS, cited.citations, baseline, "cites")
    known = sum(each.status is not CitationStatus.UNKNOWN for each in held.known)
    return replace(cited, citations=held.new, known=known)


def _write_baseline(baseline: Path, cited: Cited) -> int:
    from eqtrace.cites.baseline import CITATIONS
    from eqtrace.cli import ratchet

    ratchet.write(CITATIONS, cited.citations, baseline, "cites")
    return 0


def _adopt(tree: Tree, cited: Cited) -> int:
    from eqtrace.cites import ledger
    from eqtrace.cli import output

    entries, refused = ledger.adopted(cited.citations, tree)
    read = {each.citation.span.path for each in cited.citations}
    kept = {key: entry for key, entry in ledger.load(tree).items() if key[0] not in read and tree.exists(key[0])}
    output.save(tree.root / ledger.PLACE, ledger.dump({**kept, **entries}))
    for each in refused:
        output.say(f"{each.citation.span}: not adopted: `{each.citation.text}` is {each.status}", err=True)
    click.echo(f"{ledger.PLACE}: {len(entries)} adopted, {len(refused)} refused", err=True)
    return 1 if refused else 0


def _write(tree: Tree, cited: Cited, options: object, how: _Writing, form: str) -> Cited:
    from dataclasses import replace

    from eqtrace.cites import fix, ledger
    from eqtrace.cites.scan import Options, scan, tree_of
    from eqtrace.cli import output

    assert isinstance(options, Options)
    wanted = fix.renumbered(cited.citations) if how.fix else []
    if how.symbols:
        wanted += fix.as_symbols(cited.citations)
    done = fix.rewritten(tree, wanted)
    if how.diff:
        if form != "json":
            output.show(fix.diff(done.texts))
        return replace(cited, edits=done.edits, refused=done.refused)
    refused = list(done.refused)
    for path, (before, after) in done.texts.items():
        refused += _replaced(tree, path, before, after)
    if not done.texts:
        return replace(cited, refused=tuple(refused))
    fresh = tree_of(tree.root)
    again = scan(
        fresh, [tree.root / path for path in sorted({each.citation.span.path for each in cited.citations})], options
    )
    if (carried := ledger.carried(ledger.load(fresh), cited.citations, again.citations, fresh)) is not None:
        output.save(tree.root / ledger.PLACE, ledger.dump(carried))
        again = scan(
            fresh, [tree.root / each for each in sorted({each.citation.span.path for each in cited.citations})], options
        )
    return replace(
        again, documents=cited.documents, set_aside=cited.set_aside, edits=done.edits, refused=tuple(refused)
    )


def _replaced(tree: Tree, path: str, before: str, after: str) -> list[str]:
    """Writes one document whole, unless it changed meanwhile; what is to be said where it can't be."""
    from eqtrace.report import atomic

    full = (tree.root / path).resolve()
    try:
        if full.read_bytes() != before.encode("utf-8"):
            return [f"{path} changed since it was read"]
        atomic.write(full, after.encode("utf-8"))
    except OSError as error:
        return [f"{path} can't be written: {error.strerror or error}"]
    return []


def _report(tree: Tree, cited: Cited, how: Reporting, every: bool, quiet: bool, changed: str | None) -> int:
    import sys

    from eqtrace.cli import output
    from eqtrace.report import cites as report
    from eqtrace.report import styled

    nothing = not cited.citations and not cited.known and changed is None
    code = 2 if nothing or cited.refused else report.exit_code(cited, how.fail_on)
    code = 0 if code == 1 and how.exit_zero else code
    lines = report.concise(cited, every) if how.format == "concise" else report.full(cited, tree.root, every)
    if how.output_file is not None:
        output.save(how.output_file, report.render(cited, code) if how.format == "json" else styled.plain(lines))
        styled.write([report.closing(cited)], sys.stderr)
    elif how.format == "json":
        click.echo(report.render(cited, code), nl=False)
    elif not quiet:
        for edit in cited.edits:
            output.say(f"{edit.span}: {edit.old} -> {edit.new}")
        styled.write(lines)
    for text in cited.refused:
        output.say(f"left alone: {text}", err=True)
    if nothing:
        click.echo("No citation was found: nothing was checked.", err=True)
    return code
