"""The commit that first wrote a citation: its line is followed back for as long as it holds the citation's text.

The text alone wouldn't do: where numbers are corrected by one, `a.py:12` stands there before and after, but means
another line. So a line that a commit rewrote is paired with the one that it replaced, numbers aside.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from eqtrace.cites.patches import Change, Hunk
from eqtrace.model.citation import Citation

_ALIKE = 0.6  # of difflib's ratio, numbers aside: less is another sentence
_LARGE = 400  # lines of a hunk that are compared


@dataclass(frozen=True, slots=True)
class Birth:
    """The commit that wrote a citation, and the line of the document that held it there."""

    commit: str
    line: str


def line_of(citation: Citation, text: str) -> int:
    """The line of a document, from 1, on which a citation begins."""
    return text.count("\n", 0, citation.start) + 1


def needle_of(citation: Citation, text: str) -> re.Pattern[str]:
    """What a line must hold to be the citation's."""
    written = text[citation.start : citation.end].split("\n")[0].strip()
    return re.compile(rf"(?<![\w./]){re.escape(written)}(?!\w)")


def birth(needle: re.Pattern[str], line: int, text: str, changes: Sequence[Change]) -> Birth | None:
    """Where a citation was first written that stands on a line now, with this text: through changes, newest first."""
    at, held = line, text
    for change in changes:
        place = _before(change, at)
        if isinstance(place, int):
            # Where lines differ by their numbers alone, a difference can't tell which of them was corrected.
            if _masked(held) in _written(change):
                return Birth(change.commit, held)
            at = place
            continue
        hunk, number = place
        partner = _partner(needle, change, hunk, number)
        if partner is None:
            return Birth(change.commit, hunk.added[number])
        at, held = partner
    return None


def _before(change: Change, line: int) -> int | tuple[Hunk, int]:
    """A line's number before a change, or the hunk that wrote it and its place there."""
    shift = 0
    for hunk in change.hunks:
        count = len(hunk.added)
        start = hunk.new if count else hunk.new + 1
        if line < start:
            break
        if line < start + count:
            return hunk, line - start
        shift += len(hunk.removed) - count
    return line + shift


def _partner(needle: re.Pattern[str], change: Change, hunk: Hunk, number: int) -> tuple[int, str] | None:
    """The line, as it was numbered and written before, that a written line replaced, if that held the citation too."""
    masked = _masked(hunk.added[number])
    if len(hunk.removed) == len(hunk.added) and _alike(masked, _masked(hunk.removed[number])) >= _ALIKE:
        old = hunk.removed[number]
        return (hunk.old + number, old) if needle.search(old) else None
    removed = [(each.old + n, line) for each in change.hunks for n, line in enumerate(each.removed)]
    held = [(n, line) for n, line in removed if needle.search(line)]
    same = [(n, line) for n, line in held if _plain(line) == _plain(hunk.added[number])]
    if len(held) != 1 or any(_masked(line) == masked and not needle.search(line) for _, line in removed):
        return same[0] if len(same) == 1 else None
    written = sum(bool(needle.search(line)) for each in change.hunks for line in each.added)
    return held[0] if written == 1 or _alike(masked, _masked(held[0][1])) >= _ALIKE else None


@lru_cache(256)
def _written(change: Change) -> frozenset[str]:
    """The lines that a change added or removed, numbers aside; those alone that hold a number."""
    lines = (line for hunk in change.hunks for line in (*hunk.added, *hunk.removed))
    return frozenset(_masked(line) for line in lines if re.search(r"\d", line))


def _alike(one: str, other: str) -> float:
    if one == other:
        return 1.0
    return difflib.SequenceMatcher(None, one[:_LARGE], other[:_LARGE], autojunk=False).ratio()


def _masked(line: str) -> str:
    return re.sub(r"\d+", "0", " ".join(line.split()))


def _plain(line: str) -> str:
    return " ".join(line.split())
