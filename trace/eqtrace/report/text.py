"""The text reports: `full` with excerpts and a summary, `concise` with one line a finding."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from eqtrace.model.finding import Finding, Severity
from eqtrace.model.span import Span
from eqtrace.report.excerpt import Files, excerpt
from eqtrace.report.rows import Rows
from eqtrace.report.styled import Line, clean
from eqtrace.report.summary import closing, count, entry, summary

_EXCERPTS = 3  # of the code's places of one finding
_PLACES = 12  # that are named before the rest is counted
_STYLE = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}


def full(report: Rows, root: Path, elsewhere: bool = False) -> list[Line]:
    """Every finding with its excerpts and hint, then what was checked and what was not.

    Paths are below `root`, which is named where it is `elsewhere`: not the folder that one is in.
    """
    head, *told = summary(report)
    if elsewhere:
        told.insert(0, entry("project", str(root)))
    return [*quoted(report.findings, root), head, *told]


def quoted(findings: Iterable[Finding], root: Path) -> list[Line]:
    """Findings with their excerpts and hints; before them notes, which ask for nothing, a line each."""
    files, every = Files(root), list(findings)
    lines: list[Line] = [headline(each) for each in every if each.severity is Severity.NOTE]
    others = [each for each in every if each.severity is not Severity.NOTE]
    if lines and others:
        lines.append([])
    for finding in others:
        lines += [*_finding(finding, files), []]
    return lines


def concise(report: Rows) -> list[Line]:
    """One line a finding, notes on the run, and one closing line."""
    notes: list[Line] = [[("note: ", "bold cyan"), (clean(each), "")] for each in report.summary.notes]
    return [*(_named(finding) for finding in report.findings), *notes, closing(report)]


def _named(finding: Finding) -> Line:
    """A finding's headline with its equation, if it has one that the message doesn't name."""
    line = headline(finding)
    if finding.equation and finding.equation not in finding.message.split("\n")[0]:
        line.append((f" ({clean(finding.equation)})", ""))
    return line


def headline(finding: Finding) -> Line:
    """`path:line:column: CODE [name] message`; warnings and notes say that they are none of the errors."""
    style = _STYLE[finding.severity]
    word = "" if finding.severity is Severity.ERROR else f"{finding.severity.value}: "
    return [
        (clean(str(finding.span)), "bold"),
        (": ", ""),
        (finding.code, style),
        (f" [{finding.name}] ", ""),
        (word, style),
        (clean(finding.message), ""),
    ]


def _finding(finding: Finding, files: Files) -> list[Line]:
    style = _STYLE[finding.severity]
    places = [finding.span, *(each.span for each in finding.related)]
    gutter = len(str(max(place.line for place in places)))
    edge = (" " * gutter, "")
    lines = [_first_line(finding), *_quoted(finding.span, files, gutter, style)]
    lines += [[edge, (" = ", "bright_blue"), (clean(line), "")] for line in finding.message.split("\n")[1:]]
    for number, each in enumerate(finding.related[:_PLACES]):
        lines.append([edge, ("--> ", "bright_blue"), (clean(f"{each.span}: {each.message}".rstrip(": ")), "")])
        lines += _quoted(each.span, files, gutter, "bright_blue") if number < _EXCERPTS else []
    if (left := len(finding.related) - _PLACES) > 0:
        lines.append([edge, ("--> ", "bright_blue"), (f"{count(left, 'more place')}, in --format json", "")])
    for number, line in enumerate(finding.hint.split("\n") if finding.hint else []):
        lines.append([edge, (" = hint: " if number == 0 else "         ", "bold green"), (clean(line), "")])
    return lines


def _first_line(finding: Finding) -> Line:
    line = headline(finding)
    return [*line[:-1], (clean(finding.message.split("\n")[0]), "")]


def _quoted(span: Span, files: Files, gutter: int, style: str) -> list[Line]:
    quoted = excerpt(span, files, gutter, style)
    bar: Line = [(" " * gutter + " |", "bright_blue")]
    return [bar, *quoted] if quoted else []
