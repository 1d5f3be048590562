"""The user's sources as they are run: the files, or a mutant's text in the place of one of them.

A mutant is never written to the disk. The process that judges it says here which file reads otherwise; whatever
compiles or looks at user code reads it here.
"""

from __future__ import annotations

import ast
import os
from functools import lru_cache
from pathlib import Path

from eqtrace.code.source import SourceFile, decode

_mutated: dict[str, bytes] = {}


def mutate(file: str, data: bytes) -> None:
    """From now on, and for as long as this process lives, the file holds `data`."""
    _mutated[os.path.realpath(file)] = data
    _source.cache_clear()


def changed(file: str) -> bytes | None:
    """What a file holds in this process instead of what is on the disk; None where that is the same."""
    return _mutated.get(os.path.realpath(file)) if _mutated else None


def read(file: str) -> bytes:
    """A source file's bytes."""
    data = changed(file)
    return Path(file).read_bytes() if data is None else data


def source_tree(file: str) -> tuple[ast.Module, list[str]]:
    """A source file's syntax tree, which may be changed, and its lines."""
    data = read(file)
    return ast.parse(data, file), data.decode("utf-8", errors="replace").splitlines()


def source(file: str) -> SourceFile:
    """A source file, parsed; its tree is not to be changed."""
    status = os.stat(file)
    return _source(file, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _source(file: str, changed: int, size: int) -> SourceFile:
    data = read(file)
    return SourceFile(file, decode(data), ast.parse(data, file))
