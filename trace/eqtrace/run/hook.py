"""Imports modules with probes, by an import hook; source files and bytecode files are left alone."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any, Protocol

import numpy.random  # noqa: F401  (numpy loads it when it is first used: it must not find the user's `random` then)

from eqtrace.errors import EqtraceError
from eqtrace.run import sources
from eqtrace.run.instrument import instrument
from eqtrace.run.marks import Marks
from eqtrace.run.record import Recorder
from eqtrace.run.site import Site

# What a plain interpreter has imported before a script's folder counts; a user's module of such a name never loads.
_STARTUP = frozenset({*sys.builtin_module_names, "__main__", "encodings", "eqtrace", "site", "sitecustomize"})


class Loader(importlib.machinery.SourceFileLoader):
    """Loads one module from its source with probes; never reads nor writes a bytecode file."""

    def __init__(
        self,
        name: str,
        path: str,
        sites: Sequence[Site],
        recorder: Recorder,
        marks: Marks | None = None,
        ready: Mapping[str, types.CodeType] = {},
    ) -> None:
        super().__init__(name, path)
        self._sites = sites
        self._recorder = recorder
        self._marks = marks
        self._ready = ready

    @property
    def marked(self) -> bool:
        """Whether the module's functions tell when they are entered."""
        return self._marks is not None

    def get_code(self, fullname: str) -> types.CodeType:
        """The instrumented code, compiled from the source unless that was done in this process already."""
        path = self.get_filename(fullname)
        if path in self._ready:
            return self._ready[path]
        data = sources.changed(path)
        # Read by the import system's own means, so that it is known for what it is.
        return instrument(
            self.get_data(path) if data is None else data,
            path,
            fullname,
            self._sites,
            self._recorder,
            marks=self._marks,
        )


class Marked(Protocol):
    """Whose functions are to tell when they are entered, and whom."""

    marks: Marks

    def is_own(self, file: str) -> bool:
        """Whether a file is the user's own."""

    def missed(self, name: str, folders: Iterable[str]) -> None:
        """A module was looked for in folders and is in none of them."""


class Finder(MetaPathFinder):
    """Finds modules as the interpreter does, and takes over the loading of those with sites or marks."""

    def __init__(
        self,
        sites: Iterable[Site],
        recorder: Recorder,
        marked: Marked | None = None,
        ready: Mapping[str, types.CodeType] = {},
    ) -> None:
        self._recorder = recorder
        self._marked = marked
        self._ready = ready
        self._sites: dict[str, list[Site]] = {}
        for site in sites:
            self._sites.setdefault(_real(site.file), []).append(site)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec that the other finders give, with the instrumenting loader where the file has sites."""
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find(fullname, path, target) if find is not None else None
            if spec is not None:
                return self.taken(spec)
        if self._marked is not None:
            self._marked.missed(fullname, sys.path if path is None else path)
        return None

    def taken(self, spec: importlib.machinery.ModuleSpec) -> importlib.machinery.ModuleSpec:
        """A spec, with the instrumenting loader where its file has sites or is to be marked."""
        if not (spec.has_location and spec.origin):
            return spec
        sites = self._sites.get(os.path.realpath(spec.origin), ())
        marks = self._marked.marks if self._marked and self._marked.is_own(spec.origin) else None
        if not sites and marks is None and spec.origin not in self._ready:
            return spec
        if isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = Loader(spec.loader.name, spec.loader.path, sites, self._recorder, marks, self._ready)
        else:
            why = f"{spec.name} is loaded by {type(spec.loader).__name__}, not from its source"
            self._recorder.problems.update((site.anchor, why) for site in sites)
        return spec

    def already_imported(self) -> dict[str, str]:
        """Modules with sites that were imported without probes: names and files."""
        found = {}
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            loader = getattr(getattr(module, "__spec__", None), "loader", None)
            if isinstance(file, str) and _real(file) in self._sites and not isinstance(loader, Loader):
                found[name] = file
        return found


def install(
    sites: Iterable[Site],
    recorder: Recorder,
    pythonpath: Sequence[str | Path] = (),
    marked: Marked | None = None,
    ready: Mapping[str, types.CodeType] = {},
) -> Finder:
    """Puts `pythonpath` (absolute folders) first on sys.path, and the hook first on sys.meta_path.

    Everything that eqtrace itself needs must be imported before: from here on the user's modules win over all others.
    `ready` holds instrumented code by file, that was compiled with the same recorder.

    Raises:
        EqtraceError: a module with sites is imported already.
    """
    put_on_path(pythonpath)
    _real_folder.cache_clear()
    finder = Finder(sites, recorder, marked, ready)
    imported = finder.already_imported()
    if imported:
        shown = ", ".join(f"{name} ({file})" for name, file in sorted(imported.items()))
        raise EqtraceError(
            f"cannot be instrumented, as it is imported already: {shown}",
            hint="eqtrace uses this module itself, or something in the environment imports it at start",
        )
    sys.meta_path.insert(0, finder)
    importlib.invalidate_caches()
    return finder


def _real(file: str) -> str:
    """A file's real path; most files lie in few folders, which are looked at once."""
    folder, name = os.path.split(file)
    return os.path.realpath(file) if os.path.islink(file) else os.path.join(_real_folder(folder), name)


@lru_cache(maxsize=4096)
def _real_folder(folder: str) -> str:
    return os.path.realpath(folder)


def uninstall(finder: Finder) -> None:
    """Takes the hook away; modules that it loaded stay as they are."""
    if finder in sys.meta_path:
        sys.meta_path.remove(finder)


def put_on_path(folders: Sequence[str | Path]) -> None:
    """Puts folders first on sys.path; modules of theirs that eqtrace's own imports have hidden become importable.

    eqtrace keeps the modules it has imported (a user's `random.py` does not reach it); user code that imports the same
    name gets the user's file, as it does in a plain run.
    """
    places = [os.path.abspath(folder) for folder in folders]
    sys.path[:] = places + [entry for entry in sys.path if os.path.abspath(entry or ".") not in places]
    for place in places:
        for name in _hidden(place, sys.modules):
            for module in [key for key in sys.modules if key == name or key.startswith(f"{name}.")]:
                del sys.modules[module]


def _hidden(place: str, modules: Mapping[str, Any]) -> list[str]:
    """Top-level modules in a folder whose name another, already imported module has."""
    found = []
    try:
        entries = sorted(os.listdir(place))
    except OSError:
        return []
    for entry in entries:
        name = entry.removesuffix(".py")
        file = os.path.join(place, entry) if name != entry else os.path.join(place, entry, "__init__.py")
        if name not in modules or name in _STARTUP or _frozen(name) or not os.path.isfile(file):
            continue
        origin = getattr(modules[name], "__file__", None)
        if not isinstance(origin, str) or os.path.realpath(origin) != os.path.realpath(file):
            found.append(name)
    return found


def _frozen(name: str) -> bool:
    """Whether a module is part of the interpreter's start (os, io, abc and the like)."""
    return importlib.machinery.FrozenImporter.find_spec(name) is not None
