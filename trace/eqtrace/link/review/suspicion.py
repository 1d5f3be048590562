"""Which links are suspect: they were reviewed, and one of their ends is not what it was then.

The code of a line that verification runs is no reason by itself: a run decides whether it still computes its formula.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from eqtrace.code.index import Index
from eqtrace.link.review import facts
from eqtrace.link.review.facts import Facts
from eqtrace.model.anchor import Anchor, Match, Role, Status
from eqtrace.model.equation import Equation
from eqtrace.model.results import Reviews
from eqtrace.model.topic import Review, Specification, Topic
from eqtrace.model.verdict import Verdict

EXECUTED = frozenset({Role.COMPUTES, Role.INLINE, Role.CALLS})
_FOUND = (Status.OK, Status.MOVED)
_UNSHOWN = (None, Verdict.NOT_CHECKED, Verdict.REFUTED)


@dataclass(frozen=True, slots=True)
class Link:
    """An anchor, with what it belongs to and what it resolves to."""

    topic: Topic
    equation: Equation
    anchor: Anchor
    match: Match | None

    @property
    def is_found(self) -> bool:
        """Whether its statement stands there as cited; anything else is a finding of its own."""
        return self.match is not None and self.match.status in _FOUND


@dataclass(frozen=True, slots=True)
class Change:
    """One of a link's texts that is not what was reviewed."""

    link: Link
    kind: str  # form | prose | code
    reviewed: str  # the hash that the ledger holds
    now: Facts
    verdict: Verdict | None = None  # of a line that runs: what verification made of it


@dataclass(frozen=True, slots=True)
class Comparison:
    """The links that were looked at, against the ledger."""

    links: tuple[Link, ...]
    reviewed: int
    changes: tuple[Change, ...]
    running: tuple[tuple[Link, frozenset[str]], ...]  # unsuspected links whose code runs, and what it was when reviewed

    def reviews(self, ledger: str, changes: Collection[Change]) -> Reviews:
        """The figures."""
        suspect = {change.link.anchor.id for change in changes}
        return Reviews(ledger, len(self.links), self.reviewed, len(suspect))


class Texts:
    """The texts of links; what several of them share is made once."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._forms: dict[tuple[str, int | None], tuple[Facts, str]] = {}
        self._prose: dict[str, Facts] = {}
        self._equations: dict[tuple[str, int | None], Facts] = {}
        self._shared: dict[tuple[str, int | None], str] = {}

    def form(self, link: Link) -> tuple[Facts, str]:
        """The form's facts and their hash."""
        key = link.equation.id, link.anchor.part
        found = self._forms.get(key)
        if found is None:
            made = facts.form(link.equation, link.anchor.part)
            found = self._forms[key] = made, facts.digest(made)
        return found

    def prose(self, link: Link) -> Facts:
        """The facts of what is said of a link: by its topic, of its equation, of itself."""
        topic, key = link.topic.id, (link.equation.id, link.anchor.part)
        if topic not in self._prose:
            self._prose[topic] = facts.prose(link.topic)
        if key not in self._equations:
            self._equations[key] = facts.equation_prose(link.equation, link.anchor.part)
        return (*self._prose[topic], *self._equations[key], *facts.anchor_prose(link.anchor))

    def prose_hash(self, link: Link) -> str:
        """The hash of what is said of a link."""
        if link.anchor.purpose:
            return facts.digest(self.prose(link))
        key = link.equation.id, link.anchor.part
        found = self._shared.get(key)
        if found is None:
            found = self._shared[key] = facts.digest(self.prose(link))
        return found

    def code(self, link: Link) -> Facts:
        """The facts of the code's end; none where nothing is found."""
        return facts.code(link.match, self._index) if link.match is not None else ()

    def review(self, link: Link) -> Review:
        """A ledger's line of a link as it is now."""
        return Review(link.anchor.id, self.form(link)[1], self.prose_hash(link), facts.digest(self.code(link)))


def links(specification: Specification, selected: Collection[str], matches: Mapping[str, Match]) -> Iterator[Link]:
    """The links of the selected equations."""
    for topic in specification.topics:
        for equation in topic.equations:
            if equation.id in selected:
                for anchor in equation.anchors:
                    yield Link(topic, equation, anchor, matches.get(anchor.id))


def compare(reviews: Collection[Review], found: Collection[Link], index: Index) -> Comparison:
    """Holds links against the ledger's lines: a link is clean where any of its lines matches."""
    lines: dict[str, list[Review]] = {}
    for review in reviews:
        lines.setdefault(review.key, []).append(review)
    texts = Texts(index)
    changes: list[Change] = []
    running: list[tuple[Link, frozenset[str]]] = []
    reviewed = 0
    for link in found:
        own = lines.get(link.anchor.id)
        if own is None:
            continue
        reviewed += 1
        different = min((tuple(_different(link, line, texts)) for line in reversed(own)), key=len)
        changes += different
        if not different and link.anchor.role in EXECUTED and link.is_found:
            now = (texts.form(link)[1], texts.prose_hash(link))
            running.append((link, frozenset(line.code for line in own if (line.form, line.prose) == now)))
    return Comparison(tuple(found), reviewed, tuple(changes), tuple(running))


def _different(link: Link, line: Review, texts: Texts) -> Iterator[Change]:
    """What of a link is not as a line of the ledger has it."""
    form, form_hash = texts.form(link)
    if line.form != form_hash:
        yield Change(link, "form", line.form, form)
    if line.prose != texts.prose_hash(link):
        yield Change(link, "prose", line.prose, texts.prose(link))
    if link.anchor.role not in EXECUTED and link.is_found:
        code = texts.code(link)
        if line.code != facts.digest(code):
            yield Change(link, "code", line.code, code)


def unshown(comparison: Comparison, index: Index, verdict: Callable[[str], Verdict | None]) -> Iterator[Change]:
    """Links whose running code changed, and of whose equation verification shows nothing, or the contrary."""
    texts = Texts(index)
    for link, reviewed in comparison.running:
        found = verdict(link.equation.id)
        if found in _UNSHOWN:
            code = texts.code(link)
            if facts.digest(code) not in reviewed:
                yield Change(link, "code", min(reviewed), code, found or Verdict.NOT_CHECKED)
