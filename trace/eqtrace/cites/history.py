"""What git knows: when a citation was first written, and where the line it meant then stands today.

Only the chain of first parents is followed, on which the differences of successive commits add up exactly. One `git
log` reads many documents, or many cited files, but never all: what it says is kept until they are done.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from eqtrace.cites.birth import Birth, birth, line_of, needle_of
from eqtrace.cites.git import Git
from eqtrace.cites.patches import Change, Patches, batched, follow
from eqtrace.cites.tree import Tree, split_lines
from eqtrace.model.citation import Citation

_DOCUMENTS = 200  # of which the changes are held at once
_EARLIER = 12  # versions of a file that a citation may have been written for, before the commit that wrote it
_NEIGHBOURS = 3  # lines on either side of a lost one
_VERSIONS = 150  # of cited files that are


@dataclass(frozen=True, slots=True)
class Trace:
    """A cited line, followed from the commit that first wrote the citation.

    `then` are the cited file's lines at that commit, `first` and `last` where the cited lines stand now (None: gone),
    `exact` whether they stand there unchanged, `lost` the commit that removed them, and `beside` where the first would
    stand if it had gone with its neighbours.
    """

    commit: str
    then: tuple[str, ...]
    first: int | None
    last: int | None
    exact: bool
    lost: str = ""
    steady: bool = True
    beside: int | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A citation to be followed, and the file it means."""

    citation: Citation
    path: str


@dataclass(frozen=True, slots=True)
class _Born:
    """The commit that first wrote a citation; `inner` is that of a branch, where `commit` merged it."""

    commit: str
    inner: str | None


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
    _births: dict[Citation, _Born] = field(default_factory=dict)
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

    def traces(self, wanted: Sequence[Wanted]) -> Iterator[tuple[Sequence[Wanted], dict[Citation, Trace]]]:
        """The traces that can be had, some files at a time, so that not all that is known of them is held at once."""
        self._find_births(wanted)
        for some in self._shared(wanted):
            yield some, self._traced([each for each in some if each.citation in self._births])
            self._inside.clear()

    def _find_births(self, wanted: Sequence[Wanted]) -> None:
        patches = Patches(self.git)
        by_document: dict[str, list[Citation]] = {}
        for each in wanted:
            by_document.setdefault(each.citation.span.path, []).append(each.citation)
        for paths in batched(list(by_document), _DOCUMENTS):
            changes = patches.read(paths)
            for path in paths:
                self._find(by_document[path], self.tree.text(path) or "", changes.get(path, ()))
            self._merged.clear()

    def _find(self, citations: Iterable[Citation], written: str, changes: Sequence[Change]) -> None:
        lines = written.split("\n")
        for citation in citations:
            needle = needle_of(citation, written)
            line = line_of(citation, written)
            born = birth(needle, line, lines[line - 1], changes)
            if born is not None and born.commit in self._order and born.commit not in self._shallow:
                self._births[citation] = _Born(born.commit, self._within_merge(citation, needle, born))

    def _shared(self, wanted: Sequence[Wanted]) -> Iterator[Sequence[Wanted]]:
        """Citations of the same files together, up to a number of versions of them."""
        by_path: dict[str, list[Wanted]] = {}
        for each in wanted:
            by_path.setdefault(each.path, []).append(each)
        some: list[Wanted] = []
        versions: set[tuple[str, str]] = set()
        for path, own in by_path.items():
            more = {(path, born.commit) for each in own if (born := self._births.get(each.citation)) is not None}
            if some and len(versions) + len(more) > _VERSIONS:
                yield some
                some, versions = [], set()
            some += own
            versions |= more
        if some:
            yield some

    def _traced(self, wanted: Sequence[Wanted]) -> dict[Citation, Trace]:
        if not wanted:
            return {}
        since = self._since([self._births[each.citation].commit for each in wanted])
        targets = Patches(self.git).read({each.path for each in wanted}, since)
        starts = {
            each: self._start(each.path, self._births[each.citation], targets.get(each.path, ())) for each in wanted
        }
        shared: dict[str, str] = {}  # most lines of a file are those of its other versions
        lines = {
            key: tuple(shared.setdefault(line, line) for line in split_lines(text))
            for key, text in self.git.blobs({(start.commit, start.path) for start in starts.values()})
        }
        found = {}
        for each, start in starts.items():
            then = lines.get((start.commit, start.path))
            if then is not None and (trace := self._followed(each, start, then)) is not None:
                found[each.citation] = trace
        return found

    def earlier(self, commit: str, path: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The last versions of a file before a commit, newest first, without renames."""
        listed = self.git.output("log", "--first-parent", f"-{_EARLIER}", "--format=%H", f"{commit}^", "--", path) or ""
        commits = listed.split()
        blobs = dict(self.git.blobs({(each, path) for each in commits}))
        for each in commits:
            if (each, path) in blobs:
                yield each, split_lines(blobs[each, path])

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

    def _start(self, path: str, born: _Born, changes: Sequence[Change]) -> _Start:
        """Where following a citation's line begins: in the commit that wrote it, or in that of a branch it merged."""
        commit = born.commit
        later = [change for change in changes if self._order.get(change.commit, -1) < self._order[commit]]
        path = later[-1].old if later else path
        if born.inner is None:
            return _Start(commit, path, tuple(later))
        return _Start(born.inner, path, (*later, *self._between(born.inner, commit, path)))

    def _followed(self, wanted: Wanted, start: _Start, then: tuple[str, ...]) -> Trace | None:
        first, last = wanted.citation.line or 0, wanted.citation.end_line or 0
        if last > len(then):
            return None
        changes, now = start.later[::-1], self.tree.lines(wanted.path) or ()
        begins = follow(then, first, changes, now)
        ends = begins if last == first else follow(then, last, changes, now)
        if begins.line is None or ends.line is None or ends.line < begins.line:
            beside = _beside(then, first, changes, now)
            return Trace(start.commit, then, None, None, False, begins.lost or ends.lost, False, beside)
        exact, steady = begins.exact and ends.exact, begins.steady and ends.steady
        return Trace(start.commit, then, begins.line, ends.line, exact, "", steady)

    def _within_merge(self, citation: Citation, needle: re.Pattern[str], born: Birth) -> str | None:
        """The commit of a merged branch that wrote the citation, where the one that seems to have merged it."""
        commit, document = born.commit, citation.span.path
        if commit not in self._merges:
            return None
        if (commit, document) not in self._merged:
            self._merged[commit, document] = self._branch(commit, document)
        text, changes = self._merged[commit, document]
        places = [number for number, line in enumerate((text or "").split("\n"), 1) if line == born.line]
        if len(places) != 1:
            return None
        inner = birth(needle, places[0], born.line, changes)
        return None if inner is None else inner.commit

    def _branch(self, commit: str, document: str) -> tuple[str | None, Sequence[Change]]:
        """The document's text at the tip of the branch that a commit merged, and its changes on the way there."""
        first, second = self._merges[commit]
        changes = Patches(self.git).read({document}, f"{first}..{second}").get(document, ())
        return self.git.blob(second, document), changes

    def _between(self, inner: str, commit: str, path: str) -> Sequence[Change]:
        """What changed in a file from a commit of a branch to the one that merged it."""
        key = inner, commit, path
        if key not in self._inside:
            self._inside[key] = Patches(self.git).difference(*key)
        return self._inside[key]


def _beside(then: tuple[str, ...], line: int, changes: Sequence[Change], now: tuple[str, ...]) -> int | None:
    """Where a lost line would stand now, by the nearest lines after and before it that are still there, unchanged."""
    for distance in range(1, _NEIGHBOURS + 1):
        for step in (distance, -distance):
            number = line + step
            if 1 <= number <= len(then) and len(then[number - 1].strip()) > 2:
                near = follow(then, number, changes, now)
                if near.line is not None and near.exact and near.steady and 1 <= near.line - step <= len(now):
                    return near.line - step
    return None
