"""Writing a report where it was asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eqtrace.errors import EqtraceError

if TYPE_CHECKING:
    from eqtrace.cli.options import Reporting
    from eqtrace.cli.ratchet import Baseline
    from eqtrace.model.results import Results
    from eqtrace.report.rows import Rows

Progress = Callable[[int, int, str], None]


TEXTS = ("full", "concise")  # formats that name no equation where no method was run


def report(results: Results, root: Path, how: Reporting, edits: Sequence[Mapping[str, Any]] | None = None) -> int:
    """Writes the report of `results` and returns the exit code."""
    from dataclasses import replace

    from eqtrace.report.rows import rows

    if how.baseline is not None:
        results = _ratcheted(results, how.baseline)
    if how.narrowed is not None:
        results = how.narrowed(results)
    if how.format != "json":
        return report_rows(rows(results), root, how)
    from eqtrace.report import json

    if how.exit_zero and results.exit == 1:
        results = replace(results, exit=0)
    return _write(json.render(results, edits), rows(results), how)


def report_rows(report: Rows, root: Path, how: Reporting) -> int:
    """Writes a report that is made of rows (any but JSON) and returns the exit code."""
    from dataclasses import replace

    from eqtrace.report import styled, text

    if how.exit_zero and report.summary.exit == 1:
        report = replace(report, summary=replace(report.summary, exit=0))
    if how.format not in TEXTS:
        return _write(_for_a_service(report, root, how.format), report, how)
    lines = text.concise(report) if how.format == "concise" else text.full(report, root, root.resolve() != Path.cwd())
    if how.output_file is not None:
        return _write(styled.plain(lines), report, how)
    styled.write(lines)
    return report.summary.exit


def _write(content: str, report: Rows, how: Reporting) -> int:
    """Writes a report to its file, with its closing line on standard error, or else to standard output."""
    from eqtrace.report import styled, text

    if how.output_file is None:
        click.echo(content, nl=False)
    else:
        save(how.output_file, content)
        styled.write(text.concise(report)[-1:], sys.stderr)
    return report.summary.exit


def _for_a_service(report: Rows, root: Path, form: str) -> str:
    from eqtrace.report import github, gitlab, junit, sarif

    folder = _folder(root.resolve())
    if form == "github":
        _summarise(github.summary(report))
        return github.render(report, folder)
    if form == "junit":
        return junit.render(report)
    return sarif.render(report, folder) if form == "sarif" else gitlab.render(report, folder)


def _folder(root: Path) -> str:
    """Where a project lies in its repository, which is what services show; '' where it is the repository."""
    for parent in (root, *root.parents):
        if (parent / ".git").exists():
            return "" if parent == root else f"{root.relative_to(parent).as_posix()}/"
    return ""


def _summarise(markdown: str) -> None:
    """Adds to the summary that GitHub shows of a step, where there is one."""
    if file := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with open(file, "a", encoding="utf-8") as summary:
                summary.write(markdown)
        except OSError as error:
            click.echo(f"eqtrace: the summary cannot be written to {file}: {error.strerror}", err=True)


def _ratcheted(results: Results, baseline: Baseline) -> Results:
    """The results without the findings that a baseline knows."""
    from dataclasses import replace

    from eqtrace.cli import ratchet
    from eqtrace.model.finding import Severity
    from eqtrace.report.known import FINDINGS

    held = ratchet.hold_back(FINDINGS, results.findings, baseline, results.command)
    failed = any(finding.severity is Severity.ERROR for finding in held.new)
    note = f"{len(held.known)} findings are held back by {baseline.file}"
    return replace(
        results,
        findings=held.new,
        exit=0 if results.exit == 1 and not failed else results.exit,
        notes=(*results.notes, note) if held.known else results.notes,
    )


def say(text: str, err: bool = False) -> None:
    """Writes lines that hold somebody's words, which steer neither a terminal nor a service."""
    from eqtrace.report import styled

    click.echo(styled.lines(text), err=err)


def show(diff: str) -> None:
    """Writes a difference: as it is for a program that reads it, and else as `say` does."""
    if sys.stdout.isatty() or os.environ.get("GITHUB_ACTIONS"):
        from eqtrace.report import styled

        diff = styled.lines(diff)
    click.echo(diff, nl=False)


def save(path: Path, content: str) -> None:
    """Writes a whole file, or nothing of it."""
    from eqtrace.report import atomic

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(path, content.encode("utf-8"))
    except OSError as error:
        raise EqtraceError(f"{path} cannot be written: {error.strerror}") from error


def progress() -> Progress | None:
    """A callback that keeps one line of progress on standard error; None where that is no terminal."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int, name: str) -> None:
        ends = done >= total
        sys.stderr.write("\r\x1b[K" if ends else f"\r\x1b[K{done}/{total} {name[:60]}")
        sys.stderr.flush()

    return show
