"""The ledger written anew: links as they are now, the lines of others as they were."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from eqtrace.code.index import Index
from eqtrace.link.review.suspicion import Link, Texts
from eqtrace.model.anchor import Status
from eqtrace.model.topic import Review

HEADER = (
    "# What each link was when it was last reviewed: hashes of its form, of the prose about it, and of its code.\n"
    "# Written by `eqtrace review --accept`; of two lines of one link, as a merge may leave them, either may hold.\n"
)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The lines of the new ledger, and how it differs from the old one."""

    reviews: tuple[Review, ...]
    recorded: int  # lines that are new, or another
    removed: int  # links that are gone
    refused: tuple[Link, ...]  # their anchors are not where they say


def accept(
    reviews: Iterable[Review], every: Collection[Link], selected: Collection[str], whole: bool, index: Index
) -> Acceptance:
    """Records the links of the selected equations.

    `every` are all links of the specification. The lines of links that are gone are left out where the whole
    specification was read (`whole`), and either all of it or their equation was selected.
    """
    lines: dict[str, set[Review]] = {}
    for review in reviews:
        lines.setdefault(review.key, set()).add(review)
    texts = Texts(index)
    kept: set[Review] = set()
    recorded = 0
    refused = []
    everything = {link.equation.id for link in every} <= set(selected)
    for link in every:
        old = lines.pop(link.anchor.id, set())
        if link.equation.id not in selected:
            kept |= _united(old, link, texts)
        elif link.match is None or link.match.status is not Status.OK:
            refused.append(link)
            kept |= old
        else:
            now = texts.review(link)
            kept.add(now)
            recorded += now not in old
    removed = 0
    for key, old in lines.items():
        if whole and (everything or _equation(key) in selected):
            removed += 1
        else:
            kept |= old
    order = sorted(kept, key=lambda line: (line.key, line.form, line.prose, line.code))
    return Acceptance(tuple(order), recorded, removed, tuple(refused))


def _united(old: set[Review], link: Link, texts: Texts) -> set[Review]:
    """Of several lines of a link, the one that holds, if one does."""
    if len(old) < 2 or not link.is_found:
        return old
    now = texts.review(link)
    return {now} if now in old else old


def _equation(key: str) -> str:
    """The equation that a link's name starts with; short form's may hold slashes."""
    for role in ("computes", "inline", "calls", "tests", "explains", "states"):
        name, found, _ = key.partition(f"/{role}/")
        if found:
            return name
    return key


def written(reviews: Iterable[Review]) -> str:
    """The ledger's text."""
    return HEADER + "".join(
        f"{_quoted(line.key)}: {{form: {line.form}, prose: {line.prose}, code: {line.code}}}\n" for line in reviews
    )


def _quoted(key: str) -> str:
    """A key in single quotes; in double ones where it holds what these can't."""
    if key.isprintable():
        return "'" + key.replace("'", "''") + "'"
    escaped = "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in key)
    return f'"{escaped}"'
