"""The JSON report: a stable document, described by `results.schema.json` beside this file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from eqtrace import __version__
from eqtrace.model.finding import Finding, Related
from eqtrace.model.results import Coverage, Results, Reviews, Tally
from eqtrace.report import examples, mutants
from eqtrace.report.rows import AnchorRow, EquationRow, LatexRow, LatexSummary, MethodRow, StatedRow, Summary, rows


def render(results: Results, edits: Sequence[Mapping[str, Any]] | None = None) -> str:
    """The JSON text, ending in a newline; `edits` are what `fix` did."""
    return json.dumps(document(results, edits), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def document(results: Results, edits: Sequence[Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """The report as JSON data; null stands where something was not run."""
    report = rows(results)
    built: dict[str, Any] = {
        "eqtrace": __version__,
        "command": results.command,
        "exit": results.exit,
        "seed": results.seed,
        "summary": _summary(report.summary),
        "equations": [_equation(each) for each in report.equations],
        "examples": [examples.document(each) for each in report.examples],
        "findings": [_finding(each) for each in report.findings],
    }
    if results.reviews is not None and results.command == "review":
        built["reviews"] = _reviews(results.reviews)
    if results.mutants is not None:
        built["mutants"], built["summary"]["mutation"] = mutants.document(results.mutants)
    if edits is not None:
        built["edits"] = [dict(edit) for edit in edits]
    return built


def schema() -> str:
    """The JSON Schema of the report, as committed."""
    return files("eqtrace.report").joinpath("results.schema.json").read_text(encoding="utf-8")


def _summary(summary: Summary) -> dict[str, Any]:
    return {
        "topics": summary.topics,
        "equations": summary.equations,
        "anchors": summary.anchors,
        "anchors_ok": summary.anchors_ok,
        "anchors_executed": summary.anchors_executed,
        "verdicts": None if summary.verdicts is None else dict(summary.verdicts),
        "coverage": _coverage(summary.coverage),
        "latex": _latex_summary(summary.latex),
        "states": _states_summary(summary.states),
        "examples": None if summary.verdicts is None else examples.tally(summary.examples),
        "findings": dict(summary.severities),
        "seconds": round(summary.seconds, 3),
        "from_cache": summary.from_cache,
        "skipped": len(summary.skipped),
        "notes": list(summary.notes),
    }


def _reviews(reviews: Reviews) -> dict[str, Any]:
    return {
        "ledger": reviews.ledger,
        "links": reviews.links,
        "reviewed": reviews.reviewed,
        "suspect": reviews.suspect,
        "recorded": reviews.recorded,
        "removed": reviews.removed,
        "refused": None if reviews.refused is None else list(reviews.refused),
    }


def _latex_summary(found: LatexSummary | None) -> dict[str, int] | None:
    if found is None:
        return None
    return {
        "total": found.total,
        "read": found.read,
        "agree_by_proof": found.proof,
        "agree_by_values": found.values,
        "differ": found.differ,
        "not_compared": found.not_compared,
        "not_read": found.not_read,
        "waived": found.waived,
    }


def _states_summary(found: LatexSummary | None) -> dict[str, int] | None:
    counts = _latex_summary(found)
    return None if found is None or counts is None else {**counts, "is_form": found.forms}


def _stated(row: StatedRow) -> dict[str, Any]:
    return {
        "path": row.path,
        "line": row.line,
        "text": row.text,
        "status": row.status,
        "how": row.how or None,
        "points": row.points,
        "detail": row.detail,
        "waived": row.waived,
    }


def _latex(row: LatexRow | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {
        "status": row.status,
        "how": row.how or None,
        "points": row.points,
        "detail": row.detail,
        "waived": row.waived,
        "more": list(row.more),
    }


def _coverage(coverage: Coverage | None) -> dict[str, Any] | None:
    if coverage is None:
        return None
    return {"equations": _tally(coverage.equations), "statements": _tally(coverage.statements)}


def _tally(tally: Tally) -> dict[str, int]:
    return {"covered": tally.covered, "total": tally.total, "waived": tally.waived}


def _equation(row: EquationRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "topic": row.topic,
        "verdict": row.verdict,
        "methods": {name: None if method is None else _method(method) for name, method in row.methods.items()},
        "latex": _latex(row.latex),
        "states": [_stated(each) for each in row.states],
        "anchors": [_anchor(anchor) for anchor in row.anchors],
    }


def _method(row: MethodRow) -> dict[str, Any]:
    detail = "; ".join((row.detail, *(each for each in row.limits if each not in row.detail)))
    return {
        "verdict": row.verdict,
        "points": row.points,
        "worst_ulp": row.worst_ulp,
        "worst_at": row.worst_at or None,
        "detail": detail,
    }


def _anchor(row: AnchorRow) -> dict[str, Any]:
    return {
        "role": row.role,
        "path": row.path,
        "line": row.line,
        "end_line": row.end_line,
        "function": row.function,
        "status": row.status,
        "executions": row.executions,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.value,
        "message": finding.message,
        "path": finding.span.path,
        "line": finding.span.line,
        "column": finding.span.column,
        "equation": finding.equation,
        "method": finding.method,
        "related": [_related(each) for each in finding.related],
        "hint": finding.hint,
    }


def _related(related: Related) -> dict[str, Any]:
    span = related.span
    return {"path": span.path, "line": span.line, "column": span.column, "message": related.message}
