"""The project's sources, each parsed once and only when it is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from eqtrace.code.files import expand, packages
from eqtrace.code.source import SourceFile, Unreadable, decode, parse, parsed
from eqtrace.inputs import PACKAGES, SOURCES, TESTS, Inputs, listing
from eqtrace.regular import regular

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eqtrace.config import Config

_LARGEST = 16 * 1024 * 1024  # bytes; no source written by hand comes near


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file cannot be read, and where in it (0 where the problem has no place)."""

    path: str
    message: str
    line: int = 0
    column: int = 0


Parsing = Callable[[str, bytes, Callable[[], SourceFile]], SourceFile]


def _parse(path: str, data: bytes, parse: Callable[[], SourceFile]) -> SourceFile:
    return parse()


class Index:
    """Files by path (POSIX, relative to the root; absolute for named packages), and modules by name."""

    def __init__(
        self, config: Config, held: int | None = None, inputs: Inputs | None = None, parsing: Parsing = _parse
    ) -> None:
        """`held` characters of source are kept as syntax trees, of all else the text alone; None: no limit.

        A tree takes fifty times the room of its text. With a limit, a file that is asked for again may have new nodes:
        only what compares places, and no nodes, may set one. `inputs` gets what was read.
        `parsing` gives the file of a path and its bytes, by the function that parses them or as it was parsed before.
        """
        self.config = config
        self.inputs = inputs or Inputs(config.root.resolve())
        self._limit = held
        self._parsing = parsing
        self._held: dict[str, int] = {}  # the sizes of the files that are held, the oldest first
        self._size = 0
        self._aside: dict[str, str] = {}  # the texts of those that were let go
        self._releasing: list[Callable[[str], None]] = []
        self.root: Path = config.root.resolve()
        self._files: dict[str, SourceFile | Problem] = {}
        self._texts: dict[str, str | Problem] = {}
        self._modules: dict[str, str | None] = {}

    def file(self, path: str) -> SourceFile | None:
        """The parsed file, or None where `problem` says why not."""
        found = self._files.get(path)
        if found is None:
            aside = self._aside.pop(path, None)
            found = self._files[path] = self._read(path) if aside is None else parsed(path, aside)
            if self._limit is not None and isinstance(found, SourceFile):
                self._make_room(found, self._limit)
        return found if isinstance(found, SourceFile) else None

    def problem(self, path: str) -> Problem | None:
        """Why a Python file cannot be read; None where it can."""
        if path in self._aside:
            return None
        self.file(path)
        found = self._files[path]
        return found if isinstance(found, Problem) else None

    def on_release(self, release: Callable[[str], None]) -> None:
        """Has a function called with the path of each file that is let go, so that nothing else holds its tree."""
        self._releasing.append(release)

    def _make_room(self, file: SourceFile, limit: int) -> None:
        self._held[file.path] = len(file.text)
        self._size += len(file.text)
        while self._size > limit and len(self._held) > 1:
            oldest = next(iter(self._held))
            self._size -= self._held.pop(oldest)
            gone = self._files.pop(oldest)
            assert isinstance(gone, SourceFile)
            self._aside[oldest] = gone.text
            gone.release()
            for release in self._releasing:
                release(oldest)

    def text(self, path: str) -> str | Problem:
        """The text of any file of the project, such as a page of documentation."""
        found = self._texts.get(path)
        if found is None:
            try:
                found = decode(self._bytes(path))
            except Unreadable as error:
                found = Problem(path, error.message, error.line, error.column)
            self._texts[path] = found
        return found

    def sources(self) -> tuple[str, ...]:
        """The paths of the files under `sources`, sorted."""
        return self._sources

    def tests(self) -> tuple[str, ...]:
        """The paths of the files under `tests`, sorted."""
        return self._tests

    def is_test_file(self, path: str) -> bool:
        """Whether a file lies under `tests`."""
        return path in self._test_set

    def module_path(self, module: str) -> str | None:
        """The file of a module, found through pythonpath and the named packages without importing anything."""
        if module not in self._modules:
            self._modules[module] = self._find(module)
        return self._modules[module]

    def installed_path(self, path: str) -> str | None:
        """Where a file of a named package is, of a path from the package down; None where the project has such a file.

        A package that is one module has no files below it.
        """
        location = self._packages.get(path.partition("/")[0])
        if location is None or os.path.isabs(path):
            return None
        self._asked(self.root / path)
        return None if (self.root / path).exists() else (location.parent / path).as_posix()

    def is_package(self, module: str) -> bool:
        """Whether a folder of this dotted name exists, with or without `__init__.py`."""
        parts = module.split(".")
        return any(self._is_folder(base.joinpath(*parts)) for base in self._bases(parts[0]))

    def _is_folder(self, path: Path) -> bool:
        self._asked(path)
        return path.is_dir()

    def _asked(self, path: Path) -> None:
        self.inputs.place(path.relative_to(self.root) if path.is_relative_to(self.root) else path)

    def module_name(self, path: str) -> str | None:
        """The dotted name under which a file is imported, None where none leads to it."""
        full = Path(path) if os.path.isabs(path) else self.root / path
        bases = [*self._roots, *(location.parent for location in self._packages.values())]
        for base in sorted(bases, key=lambda base: len(base.parts), reverse=True):
            if full.is_relative_to(base) and full.suffix == ".py":
                parts = list(full.relative_to(base).with_suffix("").parts)
                if parts and parts[-1] == "__init__":
                    parts.pop()
                if parts and all(part.isidentifier() for part in parts):
                    return ".".join(parts)
        return None

    @cached_property
    def _sources(self) -> tuple[str, ...]:
        return self._listed(SOURCES, self.config.sources)

    @cached_property
    def _tests(self) -> tuple[str, ...]:
        return self._listed(TESTS, self.config.tests)

    def _listed(self, name: str, entries: Iterable[str]) -> tuple[str, ...]:
        found = expand(self.root, entries)
        self.inputs.fact(name, listing(found))
        return found

    @cached_property
    def _test_set(self) -> frozenset[str]:
        return frozenset(self._tests)

    @cached_property
    def _roots(self) -> tuple[Path, ...]:
        return tuple(Path(os.path.normpath(self.root / entry)) for entry in self.config.pythonpath)

    @cached_property
    def _packages(self) -> dict[str, Path]:
        found = packages(self.config.packages, sys.path)
        self.inputs.fact(PACKAGES, repr(found))
        return found

    @cached_property
    def _resolved(self) -> tuple[Path, ...]:
        """Where the named packages lie, links resolved: an environment may be reached through one."""
        return tuple(location.resolve() for location in self._packages.values())

    def _bases(self, top: str) -> tuple[Path, ...]:
        location = self._packages.get(top)
        return (*self._roots, location.parent) if location else self._roots

    def _find(self, module: str) -> str | None:
        parts = module.split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        for base in self._bases(parts[0]):
            stem = base.joinpath(*parts)
            for candidate in (stem / "__init__.py", stem.with_name(stem.name + ".py")):
                self._asked(candidate)
                if candidate.is_file():
                    inside = candidate.is_relative_to(self.root)
                    return candidate.relative_to(self.root).as_posix() if inside else candidate.as_posix()
        return None

    def _read(self, path: str) -> SourceFile | Problem:
        try:
            data = self._bytes(path)
            return self._parsing(path, data, lambda: parse(path, data))
        except Unreadable as error:
            return Problem(path, error.message, error.line, error.column)

    def _bytes(self, path: str) -> bytes:
        """A file's bytes; only of a regular file inside the root or a named package, links resolved."""
        data: bytes | None = None
        try:
            data = self._content(path)
        finally:
            self.inputs.content(path, data)
        return data

    def _content(self, path: str) -> bytes:
        try:
            full = (self.root / path).resolve(strict=True)
            allowed = full.is_relative_to(self.root) or any(map(full.is_relative_to, self._resolved))
            if not allowed:
                raise Unreadable("lies outside the project's root and the named packages")
            found = regular(full, _LARGEST + 1)
            if found is None:
                raise Unreadable("no regular file")
            if len(found) > _LARGEST:
                raise Unreadable(f"larger than {_LARGEST // 2**20} MB")
            return found
        except FileNotFoundError:
            raise Unreadable("no such file") from None
        except (OSError, ValueError, RuntimeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise Unreadable(f"cannot be read: {reason}") from None
