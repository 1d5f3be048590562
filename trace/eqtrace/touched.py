"""Results narrowed to what a difference touches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from eqtrace.model.finding import Finding, Severity
from eqtrace.model.results import Results
from eqtrace.model.span import Span

Touches = Callable[[str, range | None], bool]


def narrowed(results: Results, touches: Touches, within: str, revision: str) -> Results:
    """The results with only those findings that stand on a touched line, or whose citation is of a touched file.

    `within` is where the project lies in its repository: '' or a path that ends in a slash.
    """
    cited = {match.anchor.span: match.anchor.path for match in (*results.matches.values(), *results.waivers)}

    def kept(finding: Finding) -> bool:
        places = [finding.span, *(each.span for each in finding.related)]
        if any(touches(within + each.path, range(each.line, each.end_line + 1)) for each in places):
            return True
        files = {path for span, path in cited.items() if _holds(span, finding.span)}
        files |= {each.span.path for each in finding.related if each.span.path != finding.span.path}
        return any(touches(within + path, None) for path in files)

    findings = tuple(each for each in results.findings if kept(each))
    left_out = len(results.findings) - len(findings)
    failed = any(each.severity is Severity.ERROR for each in findings)
    note = f"{left_out} findings were left out, of what does not differ from {revision}"
    return replace(
        results,
        findings=findings,
        exit=0 if results.exit == 1 and not failed else results.exit,
        notes=(*results.notes, note) if left_out else results.notes,
    )


def _holds(outer: Span, inner: Span) -> bool:
    return outer.path == inner.path and outer.line <= inner.line <= max(outer.end_line, outer.line)
