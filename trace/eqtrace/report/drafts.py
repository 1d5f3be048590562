"""Files of the site before they are made: what each is made from is hashed, and only what changed is made again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from eqtrace.cache import digest
from eqtrace.errors import EqtraceError
from eqtrace.regular import content
from eqtrace.report import atomic

MANIFEST = ".eqtrace-site.json"


@dataclass(frozen=True, slots=True)
class Draft:
    """A file of the site: a hash of all that it is made from, and how it is made."""

    key: str
    make: Callable[[], bytes]


def fixed(content: bytes) -> Draft:
    """A file that is made already."""
    return Draft(digest(content), lambda: content)


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of an earlier build: what it was made from, and its content's hash. Both are '' where that is unknown."""

    key: str = ""
    content: str = ""


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier build: what all of it was made from ('' where that is unknown), and its files by their paths."""

    state: str
    files: Mapping[str, Kept]


def earlier(folder: Path) -> Earlier:
    """What the manifest in `folder` says; a damaged one names no files."""
    try:
        data = json.loads(content(folder / MANIFEST))
        files, state = data["files"], data.get("state", "")
        if isinstance(files, list):  # files that were about to be written when a build was broken off
            return Earlier("", {name: Kept() for name in files if isinstance(name, str)})
        found = {name: Kept(*map(str, entry)) for name, entry in files.items() if len(entry) == 2}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Earlier("", {})
    return Earlier(state if isinstance(state, str) else "", found)


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
            made[name] = draft.make()
            keep[name] = Kept(draft.key, digest(made[name]))
    for name, data in made.items():
        target = _inside(folder, name)
        if name not in before.files and target.exists() and (not target.is_file() or content(target) != data):
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
    _save(folder, {"state": state, "files": {name: [each.key, each.content] for name, each in sorted(keep.items())}})
    return tuple(made), written


def _is_kept(folder: Path, name: str, kept: Kept) -> bool:
    try:
        return bool(kept.content) and digest(content(_inside(folder, name))) == kept.content
    except (OSError, EqtraceError):
        return False


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
