"""A ratchet: findings that a baseline knows are held back, new ones are not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from eqtrace.errors import EqtraceError
from eqtrace.model.citation import SEVERITIES, CitationStatus, Judged

_Key = tuple[str, str, str]


def dump(judged: Sequence[Judged]) -> str:
    """The findings as a baseline; without line numbers, so that edits of a document don't make them new."""
    rows = [{"path": path, "text": text, "status": status} for path, text, status in sorted(_keys(judged).elements())]
    return json.dumps({"citations": rows}, indent=1, ensure_ascii=False) + "\n"


def hold_back(judged: Sequence[Judged], text: str, name: str) -> tuple[list[Judged], int, int]:
    """The citations that the baseline doesn't know, how many it holds back, and how many of it are gone.

    Raises:
        EqtraceError: the baseline can't be read.
    """
    try:
        rows = json.loads(text)["citations"]
        known = Counter((str(row["path"]), str(row["text"]), str(row["status"])) for row in rows)
    except (ValueError, KeyError, TypeError) as error:
        raise EqtraceError(f"{name} is no baseline: {error}", "write it with --write-baseline") from error
    kept, held = [], 0
    for each in judged:
        key = _key(each)
        if each.status in SEVERITIES and known[key] > 0:
            known[key] -= 1
            held += each.status is not CitationStatus.UNKNOWN
        else:
            kept.append(each)
    return kept, held, sum(known.values())


def _keys(judged: Sequence[Judged]) -> Counter[_Key]:
    return Counter(_key(each) for each in judged if each.status in SEVERITIES)


def _key(judged: Judged) -> _Key:
    return judged.citation.span.path, judged.citation.text, judged.status.value
