"""One fault for each change, however many links it makes suspect, with the difference."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import unified_diff

from eqtrace.code.index import Index
from eqtrace.link.place import place
from eqtrace.link.review.earlier import Earlier, Search
from eqtrace.link.review.facts import Fact, Facts
from eqtrace.link.review.suspicion import Change, Link
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.verdict import Verdict

_NAMED = 4  # equations that a hint names one by one

Lines = tuple[str, ...]
Names = tuple[str, Lines, Lines]  # what changed: a fact's name, its lines as reviewed and now


@dataclass(frozen=True, slots=True)
class _Group:
    """Links of one topic that are suspect for the same reason; no `names` where what was reviewed is not found."""

    kind: str
    changes: tuple[Change, ...]
    names: tuple[Names, ...]
    commits: tuple[str, ...]
    reason: str


def faults(changes: Iterable[Change], index: Index) -> Iterator[Fault]:
    """The faults of suspect links."""
    for group in _groups(list(changes), Search(index)):
        yield _fault(group)


def _groups(changes: list[Change], search: Search) -> Iterator[_Group]:
    """Changes put together where the same facts changed for the same links."""
    atoms: dict[tuple[str, str, Names], dict[str, tuple[Change, Earlier]]] = {}
    unknown: dict[tuple[str, ...], list[Change]] = {}
    for change in changes:
        earlier = search.find(change)
        names = list(_changed(earlier.facts, change.now)) if earlier is not None else []
        if earlier is None or not names:
            unknown.setdefault(_scope(change), []).append(change)
        for name in names:
            key = (change.kind, change.link.topic.id, name)
            assert earlier is not None
            atoms.setdefault(key, {})[change.link.anchor.id] = (change, earlier)
    together: dict[tuple[str, str, frozenset[str]], list[tuple[str, str, Names]]] = {}
    for key, links in atoms.items():
        together.setdefault((*key[:2], frozenset(links)), []).append(key)
    for (kind, _, _), keys in together.items():
        found = list(atoms[keys[0]].values())
        commits = tuple(dict.fromkeys(earlier.commit for _, earlier in found))
        yield _Group(kind, tuple(each for each, _ in found), tuple(key[2] for key in keys), commits, "")
    for alike in unknown.values():
        yield _Group(alike[0].kind, tuple(alike), (), (), search.reason(alike[0]))


def _scope(change: Change) -> tuple[str, ...]:
    """What a change that can't be shown is most likely shared by."""
    link = change.link
    if change.kind == "prose":
        return ("prose", link.topic.id)
    return (change.kind, link.equation.id, str(link.anchor.part)) if change.kind == "form" else ("code", link.anchor.id)


def _changed(before: Facts, now: Facts) -> Iterator[Names]:
    """The facts that changed, by their names."""
    old, new = _by_name(before), _by_name(now)
    for name in dict.fromkeys((*new, *old)):
        then, here = old.get(name, []), new.get(name, [])
        if [fact.meaning for fact in then] != [fact.meaning for fact in here]:
            yield name, tuple(fact.line for fact in then), tuple(fact.line for fact in here)


def _by_name(facts: Facts) -> dict[str, list[Fact]]:
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        found.setdefault(fact.name, []).append(fact)
    return found


def _fault(group: _Group) -> Fault:
    links = [change.link for change in group.changes]
    related = tuple(_related(link) for link in links)
    equations = list(dict.fromkeys(link.equation.id for link in links))
    return Fault(
        "suspect-link",
        _message(group),
        _place(group),
        _hint(group, equations),
        related,
        equations[0] if len(equations) == 1 else None,
    )


def _message(group: _Group) -> str:
    links = group.changes
    who = links[0].link.anchor.id if len(links) == 1 else f"{len(links)} links"
    message = f"the {group.kind} changed after {who} {'was' if len(links) == 1 else 'were'} reviewed"
    if links[0].verdict is not None:
        message += ", and the equation is " + (
            "refuted" if links[0].verdict is Verdict.REFUTED else "not checked: nothing shows that it still holds"
        )
    if not group.names:
        return message
    commit = f" ({group.commits[0]})" if len(group.commits) == 1 else ""
    header = (f"--- as reviewed{commit}", "+++ now")
    return "\n".join((message, *header, *(line for names in group.names for line in _difference(*names))))


def _difference(name: str, before: Lines, now: Lines) -> Iterator[str]:
    """The lines of a unified difference. Those of facts say by themselves where they belong; code has its context."""
    for line in list(unified_diff(before, now, n=0 if name else 3, lineterm=""))[2:]:
        if not name or not line.startswith("@@"):
            yield line


def _hint(group: _Group, equations: list[str]) -> str:
    missing = "" if group.names else f"the difference can't be shown: {group.reason}\n"
    chosen = equations if len(equations) <= _NAMED else [group.changes[0].link.topic.id]
    select = " ".join(shlex.quote(name) for name in chosen)
    if group.changes[0].verdict is Verdict.REFUTED:
        return f"{missing}mend the code or the form; or, where the line is right now: eqtrace review --accept {select}"
    return f"{missing}read both ends again; where they still agree: eqtrace review --accept {select}"


def _related(link: Link) -> Related:
    match = link.match
    return Related(match.span if match is not None and match.span is not None else link.anchor.span, link.anchor.id)


def _place(group: _Group) -> Span:
    """Where what changed stands now, else where such things stand."""
    change = group.changes[0]
    link = change.link
    if group.kind == "code":
        return place(link.anchor)
    for name, _, _ in group.names:
        for fact in change.now:
            if fact.name == name and fact.span is not None:
                return fact.span
    if group.kind == "prose":
        return link.topic.what.span if link.topic.what is not None else link.equation.span
    part = link.anchor.part or 0
    statements = link.equation.statements
    return statements[part].span if part < len(statements) else link.equation.span
