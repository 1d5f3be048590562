"""What git knows: when a citation was first written, and where the line it meant then stands today.

Only the chain of first parents is followed, on which the differences of successive commits add up exactly. One `git
log` reads all documents, and one all cited files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from eqtrace.cites.birth import Birth, birth, line_of, needle_of
from eqtrace.cites.git import Git
from eqtrace.cites.patches import Change, Patches, follow
from eqtrace.cites.tree import Tree, split_lines
from eqtrace.model.citation import Citation


@dataclass(frozen=True, slots=True)
class Trace:
    """A cited line, followed from the commit that first wrote the citation.

    `then` are the cited file's lines at that commit, `first` and `last` where the cited lines stand now (None: gone),
    `exact` whether they stand there unchanged, `lost` the commit that removed them.
    """

    commit: str
    then: tuple[str, ...]
    first: int | None
    last: int | None
    exact: bool
    lost: str = ""
    steady: bool = True


@dataclass(frozen=True, slots=True)
class Wanted:
    """A citation to be followed, and the file it means."""

    citation: Citation
    path: str


@dataclass(frozen=True, slots=True)
class _Start:
    """The commit and file at which following a line begins, and the later changes of that file, newest first."""

    commit: str
    path: str
    later: tuple[Change, ...]


@dataclass
class History:
    """The history of a work tree."""

    git: Git
    tree: Tree
    _order: dict[str, int] = field(default_factory=dict)
    _merges: dict[str, tuple[str, str]] = field(default_factory=dict)
    _shallow: frozenset[str] = frozenset()
    _needles: dict[Citation, re.Pattern[str]] = field(default_factory=dict)
    _inside: dict[tuple[str, str, str], Sequence[Change]] = field(default_factory=dict)
    _merged: dict[tuple[str, str], tuple[str | None, Sequence[Change]]] = field(default_factory=dict)

    @classmethod
    def of(cls, tree: Tree) -> History | None:
        """The history of `tree`; None without git or a commit."""
        if tree.git is None or tree.git.head() is None:
            return None
        listed = (tree.git.output("rev-list", "--first-parent", "--parents", "HEAD") or "").splitlines()
        rows = [line.split() for line in listed]
        order = {row[0]: place for place, row in enumerate(rows)}
        merges = {row[0]: (row[1], row[2]) for row in rows if len(row) == 3}
        return cls(tree.git, tree, order, merges, tree.git.shallow())

    @property
    def cut(self) -> bool:
        """Whether the clone is shallow, so that the history doesn't reach back to the beginning."""
        return bool(self._shallow)

    def traces(self, wanted: Sequence[Wanted]) -> dict[Citation, Trace]:
        """The traces that can be had."""
        patches = Patches(self.git)
        documents = patches.read({each.citation.span.path for each in wanted})
        births: dict[Citation, Birth] = {}
        document = written = ""
        for each in wanted:
            citation = each.citation
            if citation.span.path != document:
                document, written = citation.span.path, self.tree.text(citation.span.path) or ""
            self._needles[citation] = needle_of(citation, written)
            changes = documents.get(citation.span.path, ())
            line = line_of(citation, written)
            born = birth(self._needles[citation], line, written.split("\n")[line - 1], changes)
            if born is not None and born.commit in self._order and born.commit not in self._shallow:
                births[citation] = born
        if not births:
            return {}
        since = self._since([born.commit for born in births.values()])
        targets = patches.read({each.path for each in wanted if each.citation in births}, since)
        starts = {}
        for each in wanted:
            if each.citation in births:
                starts[each] = self._start(each, births[each.citation], targets.get(each.path, ()))
        blobs = self.git.blobs({(start.commit, start.path) for start in starts.values()})
        lines = {key: split_lines(text) for key, text in blobs.items()}
        found = {}
        for each, start in starts.items():
            then = lines.get((start.commit, start.path))
            if then is not None and (trace := self._followed(each, start, then)) is not None:
                found[each.citation] = trace
        return found

    def renamed(self) -> dict[str, tuple[str | None, str]]:
        """Every path that is gone: what it was renamed to, if so, and the commit."""
        listed = self.git.stream(
            "log", "--first-parent", "-m", "-M", "--diff-filter=DR", "--name-status", "--format=%x01%h", "HEAD"
        )
        found: dict[str, tuple[str | None, str]] = {}
        commit = ""
        for line in listed:
            if line.startswith("\x01"):
                commit = line[1:]
            elif line:
                status, _, paths = line.partition("\t")
                old, _, new = paths.partition("\t")
                found.setdefault(old, (new if status.startswith("R") else None, commit))
        return found

    def _since(self, commits: Iterable[str]) -> str:
        """The oldest of some commits, as a range from there on."""
        return f"{max(commits, key=self._order.__getitem__)}..HEAD"

    def _start(self, wanted: Wanted, born: Birth, changes: Sequence[Change]) -> _Start:
        """Where following a citation's line begins: in the commit that wrote it, or in that of a branch it merged."""
        commit = born.commit
        later = [change for change in changes if self._order.get(change.commit, -1) < self._order[commit]]
        path = later[-1].old if later else wanted.path
        inner = self._within_merge(wanted, born)
        if inner is None:
            return _Start(commit, path, tuple(later))
        return _Start(inner, path, (*later, *self._between(inner, commit, path)))

    def _followed(self, wanted: Wanted, start: _Start, then: tuple[str, ...]) -> Trace | None:
        first, last = wanted.citation.line or 0, wanted.citation.end_line or 0
        if last > len(then):
            return None
        changes, now = start.later[::-1], self.tree.lines(wanted.path) or ()
        begins = follow(then, first, changes, now)
        ends = begins if last == first else follow(then, last, changes, now)
        if begins.line is None or ends.line is None or ends.line < begins.line:
            return Trace(start.commit, then, None, None, False, begins.lost or ends.lost, False)
        exact, steady = begins.exact and ends.exact, begins.steady and ends.steady
        return Trace(start.commit, then, begins.line, ends.line, exact, "", steady)

    def _within_merge(self, wanted: Wanted, born: Birth) -> str | None:
        """The commit of a merged branch that wrote the citation, where the one that seems to have merged it."""
        commit, document = born.commit, wanted.citation.span.path
        if (commit, document) not in self._merged:
            self._merged[commit, document] = self._branch(commit, document)
        text, changes = self._merged[commit, document]
        places = [number for number, line in enumerate((text or "").split("\n"), 1) if line == born.line]
        if len(places) != 1:
            return None
        inner = birth(self._needles[wanted.citation], places[0], born.line, changes)
        return None if inner is None else inner.commit

    def _branch(self, commit: str, document: str) -> tuple[str | None, Sequence[Change]]:
        """The document's text at the tip of the branch that a commit merged, and its changes on the way there."""
        if commit not in self._merges:
            return None, ()
        first, second = self._merges[commit]
        changes = Patches(self.git).read({document}, f"{first}..{second}").get(document, ())
        return self.git.blob(second, document), changes

    def _between(self, inner: str, commit: str, path: str) -> Sequence[Change]:
        """What changed in a file from a commit of a branch to the one that merged it."""
        key = inner, commit, path
        if key not in self._inside:
            self._inside[key] = Patches(self.git).difference(*key)
        return self._inside[key]
