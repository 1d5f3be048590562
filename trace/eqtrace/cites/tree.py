"""The files of a repository, with or without git, and their lines."""

from __future__ import annotations

import os
from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path, PurePosixPath

from eqtrace.cites.git import Git
from eqtrace.regular import content

_SKIPPED = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".nox", ".mypy_cache"}
    | {".ruff_cache", ".pytest_cache", "site-packages", ".eqtrace", ".hypothesis", ".cache"}
)
_RESULTS = frozenset({"target", "dist", "build", "out"})  # of a build, where its description lies beside them
_BUILDS = frozenset(
    {"Cargo.toml", "pom.xml", "package.json", "pyproject.toml", "setup.py", "CMakeLists.txt", "build.gradle"}
)
# What stands in the folder of a virtual environment, and in that of a site of ours, whatever they are called.
_MADE = frozenset({"pyvenv.cfg", "equations.schema.json"})
_OURS = ".eqtrace"
_KEPT_FILES = 512  # of which the lines stay in memory
_LARGEST = 4_000_000  # bytes: nobody cites lines of larger files by hand


class Tree:
    """The files under `root`; paths are POSIX and relative to it."""

    def __init__(self, root: Path, git: Git | None) -> None:
        self.root = root
        self.git = git
        self._ignored: dict[str, bool] = {}
        self._lines: OrderedDict[str, tuple[str, ...] | None] = OrderedDict()

    @cached_property
    def files(self) -> frozenset[str]:
        """Every file: those git knows or would add, else all but caches and build results.

        Of environments none, and none of what eqtrace itself wrote.
        """
        listed = self.git.files() if self.git is not None else None
        if listed is not None:
            homes = {PurePosixPath(path).parent for path in listed if "/" in path and path.rpartition("/")[2] in _MADE}
            found = (path for path in listed if not path.startswith(f"{_OURS}/"))
            if homes:
                found = (path for path in found if homes.isdisjoint(PurePosixPath(path).parents))
            return frozenset(path for path in found if (self.root / path).is_file())
        return frozenset(self._walked())

    @cached_property
    def by_name(self) -> dict[str, tuple[str, ...]]:
        """The paths that end in each file name."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(self.files):
            found[PurePosixPath(path).name].append(path)
        return {name: tuple(paths) for name, paths in found.items()}

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that holds a file."""
        return frozenset(
            parent.as_posix() for path in self.files for parent in PurePosixPath(path).parents if parent.name
        )

    def exists(self, path: str) -> bool:
        """Whether `path` is a file here, known to git or not."""
        if path in self.files:
            return True
        if path not in self._ignored:
            self._ignored[path] = (self.root / path).is_file()
        return self._ignored[path]

    def text(self, path: str) -> str | None:
        """A file's text, its newlines as they are; None where it is none, is too large or is not UTF-8."""
        full = self.root / path
        try:
            return content(full, _LARGEST).decode("utf-8") if self._inside(path, full) else None
        except (OSError, UnicodeDecodeError, ValueError):
            return None

    def lines(self, path: str) -> tuple[str, ...] | None:
        """A file's lines without their ends; None where it can't be read."""
        if path in self._lines:
            self._lines.move_to_end(path)
            return self._lines[path]
        text = self.text(path)
        split = None if text is None else split_lines(text)
        self._lines[path] = split
        if len(self._lines) > _KEPT_FILES:
            self._lines.popitem(last=False)
        return split

    def _inside(self, path: str, full: Path) -> bool:
        """Whether a file lies under the root, links followed; listed files are reached through none but their own."""
        if path in self.files and not full.is_symlink():
            return True
        return full.resolve().is_relative_to(self.root.resolve())

    def _walked(self) -> Iterable[str]:
        for folder, folders, names in os.walk(self.root):
            skipped = _SKIPPED | _RESULTS if _BUILDS & set(names) else _SKIPPED
            folders[:] = sorted(name for name in folders if name not in skipped)
            base = Path(folder).relative_to(self.root)
            if _MADE & set(names) and base.name:
                folders.clear()
                continue
            yield from ((base / name).as_posix() for name in names)


def split_lines(text: str) -> tuple[str, ...]:
    """Lines as editors and git count them: only newlines end one (with a carriage return before or not)."""
    lines = text.removeprefix("\ufeff").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return tuple(line.removesuffix("\r") for line in lines)
