"""What pages of documentation show of equations, as plain data: worked out once a build, before any page is read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import eqtrace
from eqtrace.cache import digest
from eqtrace.code.index import Index
from eqtrace.model.anchor import Anchor, Status
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Finding, Severity
from eqtrace.model.results import Results
from eqtrace.model.topic import Topic
from eqtrace.model.verdict import Verdict
from eqtrace.report.hosting import Host
from eqtrace.report.rows import EquationRow, rows
from eqtrace.report.view.places import Places
from eqtrace.report.words import badge

_UNTOLD = frozenset({"missing-test", "missing-code"})  # they say nothing of what a page shows
_TOLD = "latex-differs"  # a warning elsewhere: here the LaTeX is what readers see


@dataclass(frozen=True, slots=True)
class Line:
    """A cited statement, where it is now, and its address at the configured host."""

    role: str
    purpose: str
    path: str
    line: int
    function: str
    code: str
    address: str | None


@dataclass(frozen=True, slots=True)
class Shown:
    """One equation. `wrong` are the reasons why it must not stand in documentation as it is."""

    id: str
    title: str
    latex: str
    forms: tuple[str, ...]
    where: str
    verdict: str  # the class of its badge
    sign: str
    word: str
    meaning: str
    evidence: tuple[str, ...]
    lines: tuple[Line, ...]
    site: str | None
    wrong: tuple[str, ...]

    @property
    def digest(self) -> str:
        """Another one as soon as anything that a page shows of it is."""
        return digest(repr(self))


@dataclass(frozen=True, slots=True)
class Known:
    """Every equation of a project by its id, and faults that may have lost some."""

    equations: Mapping[str, Shown]
    general: tuple[str, ...]  # of specification files
    others: tuple[str, ...]  # of no equation and no such file


def look(folder: Path, verify: bool, jobs: int) -> Known:
    """Verifies (or audits) the project that governs a folder; what earlier runs kept is not worked out again.

    Raises:
        EqtraceError: there is no such project, or its settings are not usable.
    """
    config = eqtrace.load_config(folder)
    results = eqtrace.verify(config, None, jobs) if verify else eqtrace.audit(config, None)
    host = Host(config) if config.repository is not None else None
    index = Index(config)
    places = Places(config, results, index)
    report = {row.id: row for row in rows(results).equations}
    found: dict[str, Shown] = {}
    for topic in results.specification.topics:
        for each in topic.equations:
            lines = tuple(_lines(each, results, index, host))
            address = places.equation(each.id, "") if config.site.url is not None else None
            site = f"{config.site.url}/{address}" if address else None
            found[each.id] = _shown(each, topic, report[each.id], lines, site, results)
    loose = [each for each in results.findings if each.equation is None and each.severity is Severity.ERROR]
    general = tuple(_told(each) for each in loose if each.span.path in results.specification.files)
    others = tuple(_told(each) for each in loose if each.span.path not in results.specification.files)
    return Known(found, general, others)


def _shown(
    equation: Equation, topic: Topic, row: EquationRow, lines: tuple[Line, ...], site: str | None, results: Results
) -> Shown:
    words = badge(row.verdict)
    return Shown(
        id=equation.id,
        title="" if topic.short else equation.label or topic.title,
        latex=equation.latex.value if equation.latex else "",
        forms=tuple(each.value for each in equation.statements),
        where=equation.where.value if equation.where else "",
        verdict=words.name,
        sign=words.sign,
        word=words.word,
        meaning=words.meaning,
        evidence=tuple(
            f"{name}: {method.detail}" if len(row.methods) > 1 else method.detail
            for name, method in row.methods.items()
            if method is not None and method.detail
        ),
        lines=lines,
        site=site,
        wrong=tuple(_wrong(equation, row, results)),
    )


def _wrong(equation: Equation, row: EquationRow, results: Results) -> Iterator[str]:
    said = [
        each
        for each in results.findings
        if each.equation == equation.id
        and (each.name == _TOLD or (each.severity is Severity.ERROR and each.name not in _UNTOLD))
    ]
    yield from map(_told, said)
    if not said and row.verdict == Verdict.REFUTED:
        yield f"{equation.id} is refuted"
    if not said and any(each.status not in (Status.OK, Status.MOVED) for each in row.anchors):
        yield f"{equation.id}: a cited line is not what it was"


def _told(finding: Finding) -> str:
    return f"{finding.span}: {finding.code} [{finding.name}] {finding.message}"


def _lines(equation: Equation, results: Results, index: Index, host: Host | None) -> Iterator[Line]:
    for anchor in equation.anchors:
        match = results.matches.get(anchor.id)
        span = match.span if match is not None else None
        path, line, end = (span.path, span.line, span.end_line) if span else (anchor.path, anchor.line, anchor.line)
        function = (match.function if match else "") or anchor.function
        code = (match.source if match else "") or anchor.code
        if anchor.target is not None and span is not None:
            code, end = _whole(anchor, path, function, index) or (code, end)
        address = host.line(path, line, end) if host is not None and path else None
        yield Line(anchor.role.value, anchor.purpose, path, line, function, code, address)


def _whole(anchor: Anchor, path: str, function: str, index: Index) -> tuple[str, int] | None:
    """A function's source without its docstring, whose formula stands above it, and its last line."""
    file = index.file(path)
    node = file.functions.get(function) if file is not None else None
    if file is None or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    lines = file.text.split("\n")[node.lineno - 1 : node.end_lineno]
    if ast.get_docstring(node) is not None and len(node.body) > 1:
        first = node.body[0]
        if first.lineno > node.lineno and node.body[1].lineno > (first.end_lineno or first.lineno):
            del lines[first.lineno - node.lineno : (first.end_lineno or first.lineno) - node.lineno + 1]
    margin = " " * node.col_offset
    return "\n".join(each.removeprefix(margin) for each in lines), node.end_lineno or node.lineno
