"""Differences of successive commits, read from `git log`, and lines followed through them."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from eqtrace.cites.git import Git, literal

_PLAIN = (
    *("--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "-U0", "-p"),
    "--diff-algorithm=histogram",  # which keeps functions together better than the default
)
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_RENAMES = 8  # of one file that are followed
_ALIKE = 0.75
WORKTREE = "the work tree"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that one change replaced by others; counts may be 0, starts are then of the line before."""

    old: int
    new: int
    removed: tuple[str, ...]
    added: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)  # compared by identity, which is quick to hash
class Change:
    """What one commit changed in one file, which it found as `old` and left as `path`."""

    commit: str
    path: str
    old: str
    hunks: tuple[Hunk, ...]
    created: bool = False


@dataclass(frozen=True, slots=True)
class Followed:
    """Where a line stands after some changes, or the commit that removed it.

    `exact`: its text is the same but for spacing; `steady`: its neighbours went along, or its text stands only once.
    """

    line: int | None
    exact: bool = False
    steady: bool = False
    lost: str = ""


class Patches:
    """Reads the changes of many files at once."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self._renames: dict[str, dict[str, str]] = {}

    def read(self, paths: Iterable[str], revisions: str = "HEAD") -> dict[str, tuple[Change, ...]]:
        """The changes of each path, newest first: those of the work tree, then of each commit; renames followed."""
        found: dict[str, list[Change]] = {path: [] for path in sorted(set(paths))}
        if not found:
            return {}
        if revisions.endswith("HEAD"):
            for some in batched(list(found)):
                self._take(found, self.git.stream("diff", *_PLAIN, "HEAD", "--", *some), WORKTREE)
        asked = {path: path for path in found}
        for _ in range(_RENAMES):
            log = ("log", "--first-parent", "-m", "--no-renames", "--format=%x01%H", *_PLAIN, "--stdin")
            read: dict[str, list[Change]] = {path: [] for path in asked}
            self._take(read, self.git.stream(*log, stdin=f"{_range(revisions)}{literal(list(asked))}"), "")
            again: dict[str, str] = {}
            for path, owner in asked.items():
                changes = _until_created(read[path])
                if changes and changes[-1].created and (before := self._renamed(changes[-1].commit, path)):
                    oldest = self.difference(f"{changes[-1].commit}^", changes[-1].commit, before, path)
                    changes[-1:] = [replace(each, commit=changes[-1].commit) for each in oldest]
                    again[before] = owner
                found[owner] += changes
            asked = again
            if not asked:
                break
        return {path: tuple(changes) for path, changes in found.items()}

    def difference(self, old: str, new: str, path: str, renamed: str | None = None) -> tuple[Change, ...]:
        """The change of a file from one commit to another."""
        paths = [path] if renamed is None else [path, renamed]
        found: dict[str, list[Change]] = {name: [] for name in paths}
        self._take(found, self.git.stream("diff", "-M20%", *_PLAIN, old, new, "--", *paths), new)
        changes = found[paths[-1]]
        return tuple(changes) or (Change(new, paths[-1], path, ()),)

    def between(self, revision: str) -> tuple[Change, ...]:
        """What differs between a revision and the work tree, in any file."""
        return tuple(_parsed(self.git.stream("diff", "-M", *_PLAIN, revision, "--"), WORKTREE))

    def _renamed(self, commit: str, path: str) -> str | None:
        """What a file was called before a commit that seems to create it."""
        if commit not in self._renames:
            listed = self.git.output("diff", "-M", "--diff-filter=R", "--name-status", "-z", f"{commit}^", commit) or ""
            fields = listed.split("\0")
            self._renames[commit] = dict(zip(fields[2::3], fields[1::3], strict=False))
        return self._renames[commit].get(path)

    def _take(self, found: dict[str, list[Change]], lines: Iterator[str], commit: str) -> None:
        for change in _parsed(lines, commit):
            if change.path in found:
                found[change.path].append(change)


def batched(paths: Sequence[str], size: int = 1000) -> Iterator[Sequence[str]]:
    """Paths in numbers that a command line holds."""
    for start in range(0, len(paths), size):
        yield paths[start : start + size]


def _range(revisions: str) -> str:
    first, dots, last = revisions.partition("..")
    return f"^{first}\n{last}\n" if dots else f"{revisions}\n"


def _until_created(changes: list[Change]) -> list[Change]:
    """The changes of the file that stands there now, not of one that was deleted before."""
    for place, change in enumerate(changes):
        if change.created:
            return changes[: place + 1]
    return changes


def _parsed(lines: Iterator[str], commit: str) -> Iterator[Change]:
    old = new = ""
    hunks: list[Hunk] = []
    left_old = left_new = 0
    place = (0, 0)
    removed: list[str] = []
    added: list[str] = []
    for line in lines:
        if left_old > 0 or left_new > 0:
            if line.startswith("-"):
                removed.append(line[1:])
                left_old -= 1
            elif line.startswith("+"):
                added.append(line[1:])
                left_new -= 1
            if left_old <= 0 and left_new <= 0:
                hunks.append(Hunk(*place, tuple(removed), tuple(added)))
            continue
        if line.startswith(("\x01", "diff --git ")):
            if old or new:
                yield _change(commit, old, new, hunks)
            old, new, hunks = "", "", []
            commit = line[1:] if line.startswith("\x01") else commit
        elif line.startswith("--- "):
            old = _name(line[4:])
        elif line.startswith("+++ "):
            new = _name(line[4:])
        elif (head := _HUNK.match(line)) is not None:
            left_old, left_new = int(head[2] or 1), int(head[4] or 1)
            place, removed, added = (int(head[1]), int(head[3])), [], []
    if old or new:
        yield _change(commit, old, new, hunks)


def _change(commit: str, old: str, new: str, hunks: list[Hunk]) -> Change:
    path = new or old
    return Change(commit, path, old or path, tuple(hunks), created=not old)


def _name(written: str) -> str:
    name = written.split("\t")[0]
    if name.startswith('"') and name.endswith('"'):
        name = name[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return "" if name == "/dev/null" else name[2:]


def follow(then: tuple[str, ...], line: int, changes: Sequence[Change], now: tuple[str, ...]) -> Followed:
    """Follows a line from the text `then` through changes, oldest first, to the text `now`."""
    text = then[line - 1]
    at, edited = line, text
    for change in changes:
        moved = _through(change, at, edited)
        if moved is None:
            return Followed(None, lost=change.commit)
        at, edited = moved
    if at > len(now):
        return Followed(None)
    exact = _plain(now[at - 1]) == _plain(text)
    return Followed(at, exact, exact and _steady(then, line, now, at))


def _through(change: Change, line: int, text: str) -> tuple[int, str] | None:
    """Where a line stands after one change, and its text there."""
    shift = 0
    for hunk in change.hunks:
        count = len(hunk.removed)
        start = hunk.old if count else hunk.old + 1
        if line < start:
            break
        if line < start + count:
            return _within(change, hunk, line - start, text)
        shift += len(hunk.added) - count
    return line + shift, text


def _within(change: Change, hunk: Hunk, place: int, text: str) -> tuple[int, str] | None:
    """Where a line went that a hunk removed: the same text in the hunk, or once in the file's change, or its edit."""
    plain = _plain(text)
    for hunks in ((hunk,), change.hunks):
        same = [(each.new + n, line) for each in hunks for n, line in enumerate(each.added) if _plain(line) == plain]
        if len(same) == 1 and len(plain) > 2:
            return same[0]
    if len(hunk.removed) > 400 or len(hunk.added) > 400 or len(plain) < 4:
        return None
    scored = sorted(
        ((difflib.SequenceMatcher(None, plain, _plain(line)).ratio(), n) for n, line in enumerate(hunk.added)),
        reverse=True,
    )
    if not scored or scored[0][0] < _ALIKE or (len(scored) > 1 and scored[1][0] > scored[0][0] - 0.05):
        return None
    return hunk.new + scored[0][1], hunk.added[scored[0][1]]


def _steady(then: tuple[str, ...], line: int, now: tuple[str, ...], at: int) -> bool:
    if _beside(then, line, now, at, -1) and _beside(then, line, now, at, 1):
        return True
    plain = _plain(then[line - 1])
    return len(plain) > 2 and _counted(then)[plain] == 1 == _counted(now)[plain]


@lru_cache(32)
def _counted(lines: tuple[str, ...]) -> Counter[str]:
    return Counter(map(_plain, lines))


def _beside(then: Sequence[str], line: int, now: Sequence[str], at: int, step: int) -> bool:
    """Whether the next line that says something stands beside both."""
    for distance in range(1, 6):
        old, new = line + step * distance, at + step * distance
        if not 1 <= old <= len(then) or not 1 <= new <= len(now):
            return not 1 <= old <= len(then) and not 1 <= new <= len(now)
        if _plain(then[old - 1]) != _plain(now[new - 1]):
            return False
        if len(_plain(then[old - 1])) > 2:
            return True
    return False


def _plain(line: str) -> str:
    return " ".join(line.split())
