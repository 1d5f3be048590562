"""Citations that were written for an earlier version of a file than the commit has that wrote them.

Whoever writes a document while the code changes, or lets a branch lie for a while, commits numbers that were right
before. So a name that isn't at its line in that commit may be defined at just that line a few versions earlier.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from eqtrace.cites.history import History
from eqtrace.cites.judge import Case
from eqtrace.cites.names import elsewhere
from eqtrace.cites.outline import Definition, Outline
from eqtrace.model.citation import CitationStatus, Confidence, Evidence, Judged, Target


@dataclass
class Before:
    """Looks at the versions of cited files before the citations were written, those of one commit and file once."""

    history: History
    _known: dict[tuple[str, str], list[tuple[str, Outline]]] = field(default_factory=dict)

    def judged(self, verdict: Judged, case: Case) -> Judged:
        """The verdict, strong where the name was defined at the cited line when it was looked up, and is once now."""
        if not _open(verdict, case) or case.trace is None:
            return verdict
        tie = case.names.ties[0]
        now = elsewhere(tie, case.outline)
        for commit, outline in self._versions(case.trace.commit, case.path):
            then = elsewhere(tie, outline)
            if now is not None and then is not None and _cites(case, then):
                text = f"`{tie.name}` was defined there in {commit[:10]}, before this was written"
                last = now.end if case.last > case.first else now.line
                return replace(
                    verdict,
                    confidence=Confidence.STRONG,
                    proposed=Target(case.path, now.line, last, tie.name),
                    evidence=(*verdict.evidence, Evidence("history", text)),
                )
        return verdict

    def _versions(self, commit: str, path: str) -> Iterable[tuple[str, Outline]]:
        key = commit, path
        if key not in self._known:
            self._known = {key: [(at, Outline(path, lines)) for at, lines in self.history.earlier(*key)]}
        return self._known[key]


def _open(verdict: Judged, case: Case) -> bool:
    """Whether a name contradicts the line, and nothing yet says for certain which one was meant."""
    certain = verdict.confidence is Confidence.STRONG or bool(case.citation.rivals)
    named = len(case.names.ties) == 1 and case.names.ties[0].defines and case.names.ties[0].alone
    return verdict.status is CitationStatus.MISMATCH and named and not certain


def _cites(case: Case, definition: Definition) -> bool:
    """Whether a citation is that of a definition: of its line, or of all its lines."""
    if case.first == case.last:
        return case.first == definition.line
    return (case.first, case.last) == (definition.line, definition.end)
