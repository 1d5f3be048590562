"""How a finding is known again in another run: by what stays the same when lines move."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from eqtrace.cache import digest
from eqtrace.model.finding import Finding, Severity
from eqtrace.ratchet import Key, Ratchet

_NUMBERS = re.compile(r"\d[\d.e+-]*")  # lines, values and counts in a message


def _key(finding: Finding) -> Key | None:
    if finding.severity is Severity.NOTE:
        return None
    message = _NUMBERS.sub("#", finding.message.split("\n")[0])
    return finding.code, finding.span.path, finding.equation or "", finding.method or "", message


FINDINGS = Ratchet("findings", ("code", "path", "equation", "method", "message"), _key)


def fingerprints(findings: Iterable[Finding]) -> Iterator[tuple[Finding, str]]:
    """Findings with a name each that stays the same from run to run; of those that are alike, each has its own."""
    seen: Counter[Key] = Counter()
    for finding in findings:
        key = _key(finding) or (finding.code, finding.span.path, finding.message)
        seen[key] += 1
        yield finding, digest(*key, str(seen[key]))
