"""The file that a written path means: relative, bare, or a unique subsequence of path components."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from eqtrace.cites.tree import Tree


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a written path may mean: the files that are long enough, and those that are too short.

    `here` says that a file which isn't there would have to be in this repository.
    """

    paths: tuple[str, ...] = ()
    short: tuple[str, ...] = ()
    here: bool = False

    @property
    def path(self) -> str | None:
        """The one file that is meant."""
        return self.paths[0] if len(self.paths) == 1 else None


def resolve(written: str, document: str, line: int | None, tree: Tree, named: Sequence[str] = ()) -> Resolution:
    """Resolves a path that `document` writes; candidates shorter than the cited line are discarded.

    `named` are the other paths that the document writes: one that spells this file out decides between candidates.
    """
    short: list[str] = []
    for candidates in _levels(written, document, tree):
        long = tuple(path for path in candidates if _reaches(path, line, tree))
        short += [path for path in candidates if path not in long and path not in short]
        if len(long) > 1:
            long = _spelt(long, named) or long
        if long:
            return Resolution(long, tuple(short), True)
        if candidates and "/" in written.strip("./"):
            break  # a path that leads to a file means that file
    return Resolution((), tuple(short), bool(short) or _belongs(written, document, tree))


def _levels(written: str, document: str, tree: Tree) -> Iterator[tuple[str, ...]]:
    """Candidates, from the most literal reading on."""
    plain = written.removeprefix("./")
    folder = PurePosixPath(document).parent
    if not written.startswith("/"):
        yield _existing((_joined(folder.as_posix(), written),), tree)
    yield _existing((_joined("", plain.lstrip("/")),), tree)
    parts = tuple(part for part in PurePosixPath(plain.replace("\\", "/")).parts if part not in ("/", "..", "."))
    if not parts:
        return
    same = tree.by_name.get(parts[-1], ())
    if len(parts) > 1:
        yield _existing((_joined(parent.as_posix(), plain) for parent in folder.parents), tree)
    yield tuple(path for path in same if PurePosixPath(path).parts[-len(parts) :] == parts)
    yield tuple(path for path in same if _subsequence(parts, PurePosixPath(path).parts))
    for skipped in range(1, len(parts) - 1):
        # an absolute path of another machine, or one that begins with the repository's own name
        if written.startswith(("/", "~")) or parts[skipped - 1] == tree.root.name or ":" in parts[0]:
            yield _existing(("/".join(parts[skipped:]),), tree)


def _spelt(paths: tuple[str, ...], named: Sequence[str]) -> tuple[str, ...]:
    """Those of `paths` that the document spells out elsewhere, if just one."""
    longer = {name.removeprefix("./") for name in named if "/" in name}
    found = tuple(
        path for path in paths if any(path == name or path.endswith("/" + name.lstrip("./")) for name in longer)
    )
    return found if len(found) == 1 else ()


def _belongs(written: str, document: str, tree: Tree) -> bool:
    """Whether a file that isn't there would have to lie here: a folder of its path does."""
    plain = written.lstrip("./")
    folder = posixpath.dirname(plain)
    if not folder:
        return False
    return folder in tree.folders or _joined(posixpath.dirname(document), folder) in tree.folders


def _existing(paths: Iterable[str | None], tree: Tree) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for path in paths if path is not None and path != "." and tree.exists(path)))


def _joined(folder: str, written: str) -> str | None:
    joined = posixpath.normpath(posixpath.join(folder, written))
    return None if joined.startswith(("../", "/")) or joined == ".." else joined


def _reaches(path: str, line: int | None, tree: Tree) -> bool:
    if line is None:
        return True
    lines = tree.lines(path)
    return lines is None or len(lines) >= line


def _subsequence(parts: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Whether `parts` occur in `whole` in order, the file's name last."""
    rest = iter(whole[:-1])
    return all(part in rest for part in parts[:-1])
