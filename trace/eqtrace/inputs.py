"""What a run without user code rests on: the contents of files, and what is there. Recorded, and held against now.

Everything that reads a file or asks whether one is there says so to `Inputs`. A result that was kept with the record
holds as long as each of its entries is what it was.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from eqtrace import __version__
from eqtrace.cache import digest
from eqtrace.regular import regular

# Facts: which files there are, where packages lie, and (followed by a key) what another run kept.
SPEC, SOURCES, TESTS, PACKAGES, KEPT = "spec", "sources", "tests", "packages", "kept"
_LARGEST = 17 * 2**20  # bytes; nothing of that size is read


class Present:
    """What files hold and what is there now, each looked up once. Paths are absolute, or from the root."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._folders: dict[str, str] = {}
        self._contents: dict[str, str] = {}

    def content(self, path: str) -> str:
        """A file's hash, with its real place where links lead elsewhere; else in a word why it can't be read."""
        found = self._contents.get(path)
        if found is None:
            found = self._contents[path] = self.described(path, None)
        return found

    def described(self, path: str, data: bytes | None) -> str:
        """The same; `data` are its bytes where they were read already."""
        try:
            full, real = self._real(path)
            if data is None:
                data = regular(real, _LARGEST + 1)
        except OSError as error:
            return f"!{error.errno}"
        except ValueError:  # no path at all
            return "!"
        elsewhere = "" if real == full else real
        if data is None or len(data) > _LARGEST:
            return f"!special {elsewhere}"
        return f"{digest(data)} {elsewhere}".rstrip()

    def place(self, path: str) -> str:
        """`file`, `folder`, `other`, or nothing."""
        try:
            mode = os.stat(os.path.join(self._root, path)).st_mode
        except (OSError, ValueError):
            return ""
        return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"

    def _real(self, path: str) -> tuple[str, str]:
        """Where a path leads to, as written and with all links followed; folders are looked up once."""
        full = os.path.normpath(os.path.join(self._root, path))
        folder, name = os.path.split(full)
        there = self._folders.get(folder)
        if there is None:
            there = self._folders[folder] = os.path.realpath(folder)
        real = os.path.join(there, name)
        if stat.S_ISLNK(os.lstat(real).st_mode):
            real = os.path.realpath(real, strict=True)
        return full, real


class Inputs:
    """What one run has read and asked."""

    def __init__(self, root: Path) -> None:
        self._present = Present(root)
        self.contents: dict[str, str] = {}
        self.places: dict[str, str] = {}
        self.facts: dict[str, str] = {}  # whatever else there is, by a name of its own
        self.unknowable = False  # whether it rests on what can't be recorded, or what changed while it was read

    def content(self, path: str | Path, data: bytes | None) -> None:
        """Notes a file that was read; without `data` one that could not be, or was read by others."""
        self._note(self.contents, str(path), self._present.described(str(path), data))

    def place(self, path: str | Path) -> None:
        """Notes that it was asked what is at a path."""
        self._note(self.places, str(path), self._present.place(str(path)))

    def fact(self, name: str, value: str) -> None:
        """Notes something else."""
        self._note(self.facts, name, value)

    def history(self) -> None:
        """Notes that git was asked, whose answers are not recorded."""
        self.unknowable = True

    def add(self, record: dict[str, Any], unknowable: bool = False) -> None:
        """Notes what another record holds."""
        for known, more in ((self.contents, "contents"), (self.places, "places"), (self.facts, "facts")):
            for name, value in record[more].items():
                self._note(known, name, value)
        self.unknowable |= unknowable

    def _note(self, known: dict[str, str], name: str, value: str) -> None:
        if known.setdefault(name, value) != value:
            self.unknowable = True

    def record(self) -> dict[str, Any]:
        """All of it as JSON data."""
        return {"contents": self.contents, "places": self.places, "facts": self.facts}


def holds(record: Any, present: Present, fact: Callable[[str], str | None]) -> bool:
    """Whether everything in a record is as it was; `fact` says what each of the facts is now."""
    looks = {"facts": fact, "places": present.place, "contents": present.content}
    if not isinstance(record, dict) or record.keys() != looks.keys():
        return False
    if not all(isinstance(found, dict) for found in record.values()) or not record["contents"]:
        return False
    return all(look(name) == was for kind, look in looks.items() for name, was in record[kind].items())


def listing(names: Iterable[str]) -> str:
    """A fact: which files there are."""
    return digest(*names)


@lru_cache(1)
def tool() -> str:
    """A hash of what reads: eqtrace's own files, the interpreter, and which distributions are installed."""
    parts: list[str | bytes] = [__version__, sys.version, sys.platform, repr(sys.flags), *_distributions(sys.path)]
    return digest(*parts, *own((".py", ".json"), ("static", "templates")))


def own(endings: tuple[str, ...], without: Collection[str] = ()) -> Iterator[str | bytes]:
    """The package's own files of these endings, but for some folders: the path and the content of each, in order."""
    package = os.path.dirname(os.path.abspath(__file__))
    for place, folders, files in os.walk(package):
        folders[:] = sorted(each for each in folders if each != "__pycache__" and each not in without)
        for name in sorted(files):
            if name.endswith(endings):
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    content = file.read()
                yield os.path.relpath(path, package)
                yield content


def _distributions(path: Iterable[str]) -> list[str]:
    found: set[str] = set()
    for entry in path:
        try:
            found.update(name for name in os.listdir(entry or ".") if name.endswith((".dist-info", ".egg-info")))
        except OSError:
            continue
    return sorted(found)
