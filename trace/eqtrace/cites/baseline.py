"""A ratchet for citations: without line numbers, so that edits of a document don't make them new."""

from __future__ import annotations

from eqtrace.model.citation import SEVERITIES, Judged
from eqtrace.ratchet import Key, Ratchet


def _key(judged: Judged) -> Key | None:
    if judged.status not in SEVERITIES:
        return None
    return judged.citation.span.path, judged.citation.text, judged.status.value


CITATIONS = Ratchet("citations", ("path", "text", "status"), _key)
