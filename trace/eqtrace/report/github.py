"""GitHub's workflow commands, which become annotations of a pull request, and a summary of the size of a comment."""

from __future__ import annotations

from collections.abc import Iterator

from eqtrace.model.finding import Finding, Severity
from eqtrace.model.span import Span
from eqtrace.report.rows import Rows
from eqtrace.report.styled import clean, plain
from eqtrace.report.summary import closing

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_PLACES = 3  # of the code's of one finding
_ROWS = 30  # of the summary's table


def render(report: Rows, folder: str) -> str:
    """An annotation at every finding's line of the specification, and at the lines of code that belong to it."""
    lines = [line for finding in report.findings for line in _annotations(finding, folder)]
    return "\n".join([*lines, plain([closing(report)])])


def _annotations(finding: Finding, folder: str) -> Iterator[str]:
    command, title = _COMMANDS[finding.severity], f"{finding.code} {finding.name}"
    text = finding.message + (f"\nHint: {finding.hint}" if finding.hint else "")
    yield _command(command, finding.span, folder, title, text)
    for each in finding.related[:_PLACES]:
        yield _command(command, each.span, folder, title, f"{each.message or 'see here'}\n{finding.message}")


def _command(command: str, span: Span, folder: str, title: str, text: str) -> str:
    properties = {"file": clean(folder + span.path), "line": max(span.line, 1), "col": max(span.column, 1)}
    if span.end_line > span.line:
        properties["endLine"] = span.end_line
    shown = ",".join(f"{name}={_property(str(value))}" for name, value in {**properties, "title": title}.items())
    return f"::{command} {shown}::" + _data("\n".join(map(clean, text.split("\n"))))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def summary(report: Rows) -> str:
    """The report as Markdown: the closing line, the verdicts, and a row for each finding, the errors first."""
    lines = [f"### eqtrace {report.summary.command}", "", _cell(plain([closing(report)]).strip()), ""]
    if report.summary.verdicts is not None:
        counts = (f"{count} {verdict}" for verdict, count in report.summary.verdicts.items() if count)
        lines += [", ".join(counts) + ".", ""]
    findings = sorted(report.findings, key=lambda each: list(Severity).index(each.severity))
    if findings:
        lines += ["| | Finding | Specification | Code |", "|---|---|---|---|"]
        lines += [_row(each) for each in findings[:_ROWS]]
    if len(findings) > _ROWS:
        lines += ["", f"{len(findings) - _ROWS} more findings."]
    return "\n".join(lines).rstrip() + "\n"


def _row(finding: Finding) -> str:
    code = finding.related[0].span if finding.related else None
    message = _cell(finding.message.split("\n")[0])
    place = "" if code is None else _place(code)
    return f"| {finding.severity.value} {finding.code} | {message} | {_place(finding.span)} | {place} |"


def _place(span: Span) -> str:
    return f"<code>{_cell(span.path)}:{span.line}</code>"


def _cell(text: str) -> str:
    """Text in a cell: no markup of it counts."""
    text = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace("\n", " ")
    return "".join("\\" + each if each in "|`*_[]!~\\" else each for each in text)
