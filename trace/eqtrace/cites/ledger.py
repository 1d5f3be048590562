"""The ledger of adopted citations: what each cited line held when somebody vouched for it (`.eqtrace/cites.yaml`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eqtrace.cites.tree import Tree
from eqtrace.errors import EqtraceError
from eqtrace.model.citation import Citation, CitationStatus, Judged

PLACE = ".eqtrace/cites.yaml"

Key = tuple[str, str, int]
"""Document, text of the citation, and how often that text stands before it in the document."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What an adopted citation meant: its file, the text of its first and last line, and of the lines around them."""

    path: str
    line: int
    holds: str
    ends: str
    span: int
    before: str
    after: str


def keys(citations: Iterable[Citation]) -> dict[Citation, Key]:
    """The key of each citation; `citations` in order."""
    seen: dict[tuple[str, str], int] = {}
    found = {}
    for citation in citations:
        pair = citation.span.path, citation.text
        found[citation] = (*pair, seen.get(pair, 0))
        seen[pair] = seen.get(pair, 0) + 1
    return found


def load(tree: Tree) -> dict[Key, Entry]:
    """The ledger; empty where there is none.

    Raises:
        EqtraceError: it can't be read.
    """
    text = tree.text(PLACE)
    if text is None:
        return {}
    import yaml

    try:
        rows = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return {_key(row): _entry(row) for row in rows or ()}
    except (yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
        hint = "mend it, or delete it and adopt again"
        raise EqtraceError(f"{PLACE} can't be read: {type(error).__name__} ({error})", hint) from error


def dump(entries: Mapping[Key, Entry]) -> str:
    """The ledger as text, in the order of documents and citations."""
    import yaml

    rows = []
    for (document, cites, occurrence), entry in sorted(entries.items()):
        row: dict[str, object] = {"document": document, "cites": cites}
        if occurrence:
            row["occurrence"] = occurrence
        row |= {"path": entry.path, "line": entry.line, "holds": entry.holds}
        if entry.span:
            row |= {"span": entry.span, "ends": entry.ends}
        row |= {"before": entry.before, "after": entry.after}
        rows.append(row)
    return yaml.safe_dump(rows, allow_unicode=True, sort_keys=False, width=10**6)


def adopted(judged: Sequence[Judged], tree: Tree) -> tuple[dict[Key, Entry], tuple[Judged, ...]]:
    """Entries for the citations that may be taken as they are, and those that may not."""
    named = keys(each.citation for each in judged)
    entries: dict[Key, Entry] = {}
    refused = []
    for each in judged:
        entry = recorded(each, tree)
        if entry is not None:
            entries[named[each.citation]] = entry
        elif each.citation.line is not None and each.status is not CitationStatus.UNKNOWN:
            refused.append(each)
    return entries, tuple(refused)


def carried(
    entries: Mapping[Key, Entry], before: Sequence[Judged], after: Sequence[Judged], tree: Tree
) -> dict[Key, Entry] | None:
    """The ledger after documents were rewritten, which changed the text of citations but not their order.

    None where there is nothing to carry over.
    """
    if not entries:
        return None
    old, new = keys(each.citation for each in before), keys(each.citation for each in after)
    rewritten = {each.citation.span.path for each in before}
    kept = {key: entry for key, entry in entries.items() if key[0] not in rewritten}
    for one, other in zip(before, after, strict=False):
        entry = entries.get(old[one.citation])
        if entry is not None and one.citation.span.path == other.citation.span.path:
            again = recorded(other, tree) if old[one.citation] != new[other.citation] else None
            kept[new[other.citation]] = again or entry
    return kept


def recorded(judged: Judged, tree: Tree) -> Entry | None:
    """The entry for a citation, if nothing speaks against it."""
    target = judged.target
    if judged.status not in (CitationStatus.OK, CitationStatus.UNKNOWN) or target is None or target.line is None:
        return None
    lines = tree.lines(target.path)
    last = target.end_line or target.line
    if lines is None or last > len(lines) or judged.citation.approximate:
        return None
    return Entry(
        target.path,
        target.line,
        _plain(lines[target.line - 1]),
        _plain(lines[last - 1]),
        last - target.line,
        _beside(lines, target.line, -1),
        _beside(lines, last, 1),
    )


def found(entry: Entry, lines: Sequence[str]) -> int | None:
    """The one line at which an entry's text stands now; None where there is none, or more than one."""
    places = [
        number
        for number, line in enumerate(lines, 1)
        if _plain(line) == entry.holds and _ends(entry, lines, number) and number + entry.span <= len(lines)
    ]
    if len(places) == 1 and len(entry.holds) > 2:
        return places[0]
    both = [
        number
        for number in places
        if _beside(lines, number, -1) == entry.before and _beside(lines, number + entry.span, 1) == entry.after
    ]
    return both[0] if len(both) == 1 else None


def _ends(entry: Entry, lines: Sequence[str], number: int) -> bool:
    last = number + entry.span
    return last <= len(lines) and _plain(lines[last - 1]) == entry.ends


def _beside(lines: Sequence[str], line: int, step: int) -> str:
    """The next line in a direction that isn't blank."""
    at = line + step
    while 1 <= at <= len(lines):
        if lines[at - 1].strip():
            return _plain(lines[at - 1])
        at += step
    return ""


def _plain(line: str) -> str:
    return " ".join(line.split())


def _key(row: Mapping[str, object]) -> Key:
    return str(row["document"]), str(row["cites"]), _whole(row.get("occurrence", 0))


def _entry(row: Mapping[str, object]) -> Entry:
    holds = str(row["holds"])
    return Entry(
        str(row["path"]),
        _whole(row["line"]),
        holds,
        str(row.get("ends", holds)),
        _whole(row.get("span", 0)),
        str(row["before"]),
        str(row["after"]),
    )


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is no whole number")
    return value
