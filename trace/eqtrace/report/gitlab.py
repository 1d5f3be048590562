"""GitLab's code quality report."""

from __future__ import annotations

import json

from eqtrace.model.finding import Severity
from eqtrace.report.known import fingerprints
from eqtrace.report.rows import Rows

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def render(report: Rows, folder: str) -> str:
    """The findings as GitLab reads them; a fingerprint stays the same while only lines move."""
    issues = [
        {
            "description": f"{finding.code} [{finding.name}] {finding.message}",
            "check_name": finding.name,
            "fingerprint": fingerprint,
            "severity": _SEVERITIES[finding.severity],
            "location": {"path": folder + finding.span.path, "lines": {"begin": max(finding.span.line, 1)}},
        }
        for finding, fingerprint in fingerprints(report.findings)
    ]
    return json.dumps(issues, indent=2, ensure_ascii=False) + "\n"
