"""Writing a report where it was asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eqtrace.errors import EqtraceError

if TYPE_CHECKING:
    from eqtrace.cli.options import Reporting
    from eqtrace.model.results import Results
    from eqtrace.report.rows import Rows

Progress = Callable[[int, int, str], None]


def report(results: Results, root: Path, how: Reporting, edits: Sequence[Mapping[str, Any]] | None = None) -> int:
    """Writes the report of `results` and returns the exit code."""
    from dataclasses import replace

    from eqtrace.report import json, styled, text

    if how.exit_zero and results.exit == 1:
        results = replace(results, exit=0)
    lines = text.concise(results) if how.format == "concise" else text.full(results, root)
    if how.output_file is not None:
        save(how.output_file, json.render(results, edits) if how.format == "json" else styled.plain(lines))
        styled.write(text.concise(results)[-1:], sys.stderr)
    elif how.format == "json":
        click.echo(json.render(results, edits), nl=False)
    else:
        styled.write(lines)
    return results.exit


TEXTS = ("full", "concise")  # formats that rows are enough for


def report_rows(report: Rows, root: Path, how: Reporting) -> int:
    """Writes a text report of rows and returns the exit code."""
    from dataclasses import replace

    from eqtrace.report import styled, text

    if how.exit_zero and report.summary.exit == 1:
        report = replace(report, summary=replace(report.summary, exit=0))
    lines = text.concise_of(report) if how.format == "concise" else text.full_of(report, root)
    if how.output_file is not None:
        save(how.output_file, styled.plain(lines))
        styled.write(text.concise_of(report)[-1:], sys.stderr)
    else:
        styled.write(lines)
    return report.summary.exit


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
