"""Which files are code of the project, and where named packages lie. Nothing is opened."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path


def expand(root: Path, entries: Iterable[str]) -> tuple[str, ...]:
    """The Python files that files and folders of the configuration stand for, sorted, relative to the root."""
    return tuple(sorted(set(_expand(str(root), entries))))


def _expand(root: str, entries: Iterable[str]) -> Iterator[str]:
    for entry in entries:
        full = os.path.join(root, entry)
        if os.path.isdir(full):
            for folder, folders, files in os.walk(full):
                folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
                names = [name for name in files if name.endswith(".py")]
                within = Path(folder).relative_to(root).as_posix() if names else ""
                yield from (name if within == "." else f"{within}/{name}" for name in names)
        elif entry.endswith(".py"):
            yield Path(os.path.normpath(entry)).as_posix()


def packages(names: Iterable[str], path: Iterable[str]) -> dict[str, Path]:
    """Where named packages lie: a top-level look-up reads folders only and imports nothing."""
    from importlib.machinery import PathFinder

    found: dict[str, Path] = {}
    search = [entry for entry in path if entry]
    for name in names:
        top = name.split(".")[0]
        spec = PathFinder.find_spec(top, search)
        places = list(spec.submodule_search_locations or ()) if spec else []
        if not places and spec and spec.origin:
            places = [spec.origin]
        if places:
            found[top] = Path(places[0])
    return found
