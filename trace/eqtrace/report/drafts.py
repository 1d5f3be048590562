"""Files of the site before they are made: what each is made from is hashed, and only what changed is made again.

A page may hold parts that are hashed by themselves. Of a changed page, the parts that did not change are taken from it
as an earlier build wrote it; the manifest says where in its bytes they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from eqtrace import regular
from eqtrace.cache import digest
from eqtrace.errors import EqtraceError
from eqtrace.report import atomic

MANIFEST = ".eqtrace-site.json"


_PART = re.compile(rb"<!--part ([0-9a-f]{32})-->")  # no text that a page shows can look so: all are escaped

Bounds = Mapping[str, tuple[int, int]]
"""By its key, where in a file's bytes a part begins and ends."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A file of the site, or a part of one: a hash of all that it is made from, and how it is made.

    In a template a part stands for itself; the draft of the file names it among its `parts`.
    """

    key: str
    make: Callable[[], bytes] = field(repr=False)
    parts: tuple[Draft, ...] = field(default=(), repr=False)

    def __html__(self) -> str:
        return f"<!--part {self.key}-->"

    def whole(self, kept: Mapping[str, bytes]) -> tuple[bytes, Bounds]:
        """The file, and where its parts are in it. Those that are in `kept`, by their keys, are not made again."""
        known = {part.key: part for part in self.parts}
        found: list[bytes] = []
        bounds: dict[str, tuple[int, int]] = {}
        size = 0
        for number, piece in enumerate(_PART.split(self.make())):
            key = piece.decode() if number % 2 else ""
            if key in known:
                piece = kept[key] if key in kept else known[key].make()
                bounds[key] = (size, size + len(piece))
            found.append(piece)
            size += len(piece)
        return b"".join(found), bounds


def fixed(content: bytes) -> Draft:
    """A file that is made already."""
    return Draft(digest(content), lambda: content)


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of an earlier build: what it was made from, its content's hash, and where its parts are in it.

    The hashes are '' where they are unknown.
    """

    key: str = ""
    content: str = ""
    parts: Bounds = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier build: what all of it was made from ('' where that is unknown), and its files by their paths."""

    state: str
    files: Mapping[str, Kept]


def earlier(folder: Path) -> Earlier:
    """What the manifest in `folder` says; a damaged one names no files."""
    try:
        data = json.loads(regular.content(folder / MANIFEST))
        files, state = data["files"], data.get("state", "")
        if isinstance(files, list):  # files that were about to be written when a build was broken off
            return Earlier("", {name: Kept() for name in files if isinstance(name, str)})
        found = {name: _kept(entry) for name, entry in files.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Earlier("", {})
    return Earlier(state if isinstance(state, str) else "", found)


def _kept(entry: Any) -> Kept:
    """What the manifest says of a file: nothing, where it is of another version."""
    try:
        key, content, parts = entry
        return Kept(str(key), str(content), {name: (int(start), int(end)) for name, (start, end) in parts.items()})
    except (ValueError, TypeError, AttributeError):
        return Kept()


def is_whole(folder: Path, before: Earlier) -> bool:
    """Whether every file of an earlier build is there as it was written."""
    return bool(before.files) and all(_is_kept(folder, name, kept) for name, kept in before.files.items())


def write(folder: Path, drafts: Mapping[str, Draft], before: Earlier, state: str) -> tuple[tuple[str, ...], int]:
    """Makes and writes what changed: the names of the files that were made, and how many of them are new or other.

    Raises:
        EqtraceError: a file of somebody else stands in the place of one, or a link leads out of the folder.
        OSError: the folder can't be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made: dict[str, bytes] = {}
    keep: dict[str, Kept] = {}
    for name, draft in drafts.items():
        kept = before.files.get(name)
        _inside(folder, name)
        if kept is not None and kept.key == draft.key and _is_kept(folder, name, kept):
            keep[name] = kept
        else:
            made[name], bounds = draft.whole(_parts(folder, name, kept))
            keep[name] = Kept(draft.key, digest(made[name]), bounds)
    for name, data in made.items():
        target = _inside(folder, name)
        if name not in before.files and target.exists() and (not target.is_file() or regular.content(target) != data):
            raise EqtraceError(
                f"{target} is there already and is no page of an earlier site",
                "choose an empty folder as `output` in [tool.eqtrace.site]",
            )
    if made or before.files.keys() != drafts.keys():
        # The manifest names the new files before they exist: a build that is broken off must find its own files again.
        _save(folder, {"files": sorted(before.files.keys() | drafts.keys())})
    written = 0
    for name, data in made.items():
        target = _inside(folder, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        written += atomic.write(target, data)
    for name in sorted(before.files.keys() - drafts.keys()):
        _remove(folder, name)
    files = {name: [each.key, each.content, each.parts] for name, each in sorted(keep.items())}
    _save(folder, {"state": state, "files": files})
    return tuple(made), written


def _is_kept(folder: Path, name: str, kept: Kept) -> bool:
    return _content(folder, name, kept) is not None


def _content(folder: Path, name: str, kept: Kept) -> bytes | None:
    """A file as an earlier build wrote it; None where it is not so any more."""
    try:
        content = regular.content(_inside(folder, name))
    except (OSError, EqtraceError):
        return None
    return content if digest(content) == kept.content else None


def _parts(folder: Path, name: str, kept: Kept | None) -> dict[str, bytes]:
    """The parts of a file as an earlier build wrote it."""
    content = _content(folder, name, kept) if kept is not None and kept.parts else None
    if kept is None or content is None:
        return {}
    return {key: content[start:end] for key, (start, end) in kept.parts.items()}


def _inside(folder: Path, name: str) -> Path:
    """The file's place, which must lie below the folder even where that holds links."""
    target = folder / name
    if not target.resolve().is_relative_to(folder.resolve()) or ".." in PurePosixPath(name).parts:
        raise EqtraceError(f"{target} leads out of {folder}", "remove the link in that folder")
    return target


def _save(folder: Path, data: object) -> None:
    atomic.write(folder / MANIFEST, (json.dumps(data, indent=1) + "\n").encode())


def _remove(folder: Path, name: str) -> None:
    """Removes a page of an earlier build, and the folders that it leaves empty."""
    if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
        return
    target = _inside(folder, name)
    target.unlink(missing_ok=True)
    for parent in target.parents:
        if parent == folder or any(parent.iterdir()):
            return
        parent.rmdir()
