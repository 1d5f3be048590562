"""SARIF 2.1.0, the format of code scanning services."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from eqtrace import __version__
from eqtrace.checks.registry import BY_NAME
from eqtrace.model.finding import Finding
from eqtrace.model.span import Span
from eqtrace.report.known import fingerprints
from eqtrace.report.rows import Rows

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"


def render(report: Rows, folder: str) -> str:
    """The report as SARIF, its places below `folder` ('' is the root of the repository, else it ends in a slash)."""
    names = sorted({finding.name for finding in report.findings}, key=lambda name: BY_NAME[name].code)
    numbers = {name: number for number, name in enumerate(names)}
    results = [_result(finding, mark, numbers, folder) for finding, mark in fingerprints(report.findings)]
    driver = {"name": "eqtrace", "version": __version__, "rules": [_rule(name) for name in names]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": report.summary.exit in (0, 1), "exitCode": report.summary.exit}],
        "results": results,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(name: str) -> dict[str, Any]:
    check = BY_NAME[name]
    first, _, rest = check.documentation.partition("\n")
    return {
        "id": check.code,
        "name": check.name,
        "shortDescription": {"text": first},
        "fullDescription": {"text": rest.strip() or first},
        "defaultConfiguration": {"level": check.severity.value},
    }


def _result(finding: Finding, fingerprint: str, numbers: dict[str, int], folder: str) -> dict[str, Any]:
    text = finding.message + (f"\nHint: {finding.hint}" if finding.hint else "")
    related = [
        {"id": number, "message": {"text": each.message or "see here"}, **_place(each.span, folder)}
        for number, each in enumerate(finding.related)
    ]
    return {
        "ruleId": finding.code,
        "ruleIndex": numbers[finding.name],
        "level": finding.severity.value,
        "message": {"text": text},
        "locations": [_place(finding.span, folder)],
        **({"relatedLocations": related} if related else {}),
        "partialFingerprints": {"eqtrace/v1": fingerprint},
        "properties": {"equation": finding.equation, "method": finding.method},
    }


def _place(span: Span, folder: str) -> dict[str, Any]:
    region = {"startLine": max(span.line, 1), "startColumn": max(span.column, 1)}
    if (span.end_line, span.end_column) > (span.line, span.column):
        region |= {"endLine": span.end_line, "endColumn": max(span.end_column, 1)}
    uri = quote(span.path if span.path.startswith("/") else folder + span.path)
    artifact = {"uri": f"file://{uri}"} if uri.startswith("/") else {"uri": uri, "uriBaseId": _ROOT}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}
