"""What the names in a result's needs stand for now: hashes of code, specification, files and versions."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property, lru_cache
from importlib import metadata
from importlib.machinery import PathFinder, all_suffixes
from pathlib import Path
from typing import Any

from eqtrace import __version__
from eqtrace.cache import digest
from eqtrace.code.fingerprint import Fingerprint, fingerprint
from eqtrace.code.index import Index
from eqtrace.config import Config
from eqtrace.inputs import own
from eqtrace.model.anchor import Anchor
from eqtrace.model.equation import Equation
from eqtrace.model.example import Example
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Symbol
from eqtrace.run.needs import EVERY
from eqtrace.run.site import Site

LIBRARIES = ("numpy", "python-flint", "hypothesis")  # whose versions may change a number or a draw
_LARGE = 64 * 2**20  # bytes; of a larger file only size and time of change count
STATED = ("equation", "equations", "example")  # their fingerprints end in one of places alone
_MODULES = tuple(all_suffixes())  # of files
_REPORTING = ("report", "cli")
# Where an anchor's line is said to be (where it is counts with its site), and prose that no method reads.
_SHOWN = frozenset({"line", "at", "label", "latex", "meaning"})


class Present:
    """Looks up the fingerprints of names, each worked out once.

    Args:
        index: the code.
        config: the configuration.
        equations: all equations by id.
        sites: the sites by anchor, those that are watched and others beside; asked for when first needed.
        user_files: absolute paths of the sources.
        examples: the examples by topic.
    """

    def __init__(
        self,
        index: Index,
        config: Config,
        equations: Mapping[str, Equation],
        sites: Callable[[], tuple[Mapping[str, Site], Mapping[str, Site]]],
        user_files: frozenset[str],
        examples: Mapping[str, Example] | None = None,
    ) -> None:
        self._examples = examples or {}
        self._index = index
        self._config = config
        self._equations = equations
        self._make_sites = sites
        self._user_files = user_files
        self._known: dict[str, Any] = {}
        self._flat: dict[int, _Flat] = {}  # by identity: of symbols, which the equations of a topic share
        self._codes: dict[str, Fingerprint | None] = {}
        self._files: dict[str, str] = {}

    @cached_property
    def sites(self) -> Mapping[str, Site]:
        """The sites that are watched, by anchor."""
        return self._both_sites[0]

    @cached_property
    def _both_sites(self) -> tuple[Mapping[str, Site], Mapping[str, Site]]:
        return self._make_sites()

    def of(self, name: str) -> Any:
        """The fingerprint of `kind what`."""
        if name not in self._known:
            kind, _, what = name.partition(" ")
            self._known[name] = _KINDS[kind](self, what) if kind in _KINDS else None
        return self._known[name]

    def holds(self, name: str, value: Any) -> bool:
        """Whether a name still has a fingerprint."""
        kind, _, what = name.partition(" ")
        if kind == "equation" and self._file_holds(what, value):
            return True
        if kind == "equations" and isinstance(value, list) and value[:1] == [self._all_files] != [""]:
            return True
        now = self.of(name)
        if kind in STATED:
            return isinstance(value, list) and value[1:2] == now[1:2] and value[2:] in ([""], now[2:])
        return bool(now == value)

    def code(self, path: str) -> Fingerprint | None:
        """The hashes of a Python file."""
        if path not in self._codes:
            source = self._index.file(path)
            self._codes[path] = fingerprint(source.text, source.tree) if source is not None else None
        return self._codes[path]

    def absolute(self, path: str) -> str:
        """A file of a name."""
        return os.path.join(self._index.root, path)

    def relative(self, file: str) -> str:
        """The name of a file: relative where it lies in the root."""
        return file.removeprefix(os.path.join(self._index.root, ""))

    def file(self, path: str) -> str:
        """A hash of a file's content; '' where there is none, 'special' for what is no regular file."""
        if path not in self._files:
            self._files[path] = _file_digest(Path(self.absolute(path)))
        return self._files[path]

    def _function(self, what: str) -> str:
        path, _, qualname = what.partition("::")
        code = self.code(path)
        return digest(code.functions.get(qualname, ""), self._probes(path, qualname)) if code else ""

    def _bare_function(self, what: str) -> str:
        path, _, qualname = what.partition("::")
        code = self.code(path)
        return code.functions.get(qualname, "") if code else ""

    def _probes(self, path: str, qualname: str) -> str:
        return repr([text for function, text in self._sites_by_path.get(path, ()) if _within(function, qualname)])

    @cached_property
    def _sites_by_path(self) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for site in self.sites.values():
            found.setdefault(site.path, []).append((site.function, _shown(site)))
        return {path: sorted(each) for path, each in found.items()}

    def _module(self, what: str) -> str:
        """Module code; also which file the name leads to, and whether the file is one of the sources."""
        name, _, path = what.partition(" ")
        code = self.code(path)
        found = code.module if code else ""
        return digest(found, str(self._index.module_path(name)), str(self.absolute(path) in self._user_files))

    def _whole_module(self, what: str) -> str:
        name, _, path = what.partition(" ")
        found = self._index.module_path(name)
        return digest(self.file(path), str(found), str(self.absolute(path) in self._user_files))

    def _site(self, anchor: str) -> str:
        site = self.sites.get(anchor)
        return digest(_shown(site)) if site is not None else ""

    def _all_sites(self, _: str) -> str:
        return digest(*(f"{name} {_shown(site)}" for sites in self._both_sites for name, site in sorted(sites.items())))

    def _cited(self, what: str) -> str:
        """The sites of one function, those that are watched and others beside."""
        path, _, function = what.partition("::")
        found = [
            f"{name} {_shown(site)}"
            for sites in self._both_sites
            for name, site in sorted(sites.items())
            if (site.path, site.function) == (path, function)
        ]
        return digest(*found)

    def _equation(self, name: str) -> list[str]:
        """Hashes of the file that states an equation, of its content, and of the places in it."""
        equation = self._equations.get(name)
        if equation is None:
            return ["", "", ""]
        content: list[str] = []
        places: list[str] = []
        _flatten(equation, content, places, self._flat)
        return [self.file(equation.span.path), digest("\0".join(content)), digest("\0".join(places))]

    def _example(self, topic: str) -> list[str]:
        """The same of a topic's example; a stored run rests on the sizes of the site too."""
        example = self._examples.get(topic)
        if example is None:
            return ["", "", ""]
        content = [repr(sorted(self._config.site.sizes.items()))] if example.kind == "stored" else []
        places: list[str] = []
        _flatten(example, content, places, self._flat)
        return ["", digest("\0".join(content)), digest("\0".join(places))]

    def _file_holds(self, name: str, value: Any) -> bool:
        """Whether the file that states an equation is as it was: short forms are completed from the code."""
        equation = self._equations.get(name)
        if equation is None or equation.whole or not isinstance(value, list):
            return False
        return value[:1] == [self.file(equation.span.path)] != [""]

    @cached_property
    def _all_files(self) -> str:
        """A hash of all files that state equations; '' where there are short forms, which are completed from code."""
        if any(each.whole for each in self._equations.values()):
            return ""
        return digest(*(self.file(path) for path in sorted({each.span.path for each in self._equations.values()})))

    def _all_equations(self, _: str) -> list[str]:
        """The same of all equations together."""
        found = [(name, *self.of(f"equation {name}")) for name in sorted(self._equations)]
        content, places = (digest(*(f"{each[0]} {each[part]}" for each in found)) for part in (2, 3))
        return [self._all_files, content, places]

    def _folder(self, path: str) -> str:
        try:
            return digest(*sorted(os.listdir(self.absolute(path))))
        except OSError:
            return ""

    def _asked(self, path: str) -> str:
        """Whether a file is there, how large it is and who may use it, or a folder is there; where a link leads."""
        file = self.absolute(path)
        link = f" to {os.readlink(file)}" if os.path.islink(file) else ""
        if os.path.isdir(file):
            return f"folder{link}"
        try:
            status = os.stat(file)
        except OSError:
            return link
        return f"{status.st_size} {status.st_mode:o}{link}"

    def _variable(self, name: str) -> str:
        """A hash of a variable of the environment, or of all."""
        if name == EVERY:
            return digest(repr(sorted(os.environ.items())))
        return digest(repr(os.environ.get(name)))

    def _place(self, path: str) -> str:
        """What of a module is at a place: a package, a folder, or files by their endings."""
        stem = self.absolute(path)
        ends = (*_MODULES, f"{os.sep}__init__.py")
        return " ".join([*(end for end in ends if os.path.isfile(stem + end)), "folder" * os.path.isdir(stem)])

    def _package(self, name: str) -> str:
        """The versions of the distributions that an installed module comes with; of the standard library, none."""
        if name in sys.stdlib_module_names:
            return ""
        owners = [each for each, modules in self._installed if _comes_with(name, *modules)]
        return digest(*sorted({f"{each.metadata['Name']} {each.version}" for each in owners}))

    @cached_property
    def _installed(self) -> list[tuple[metadata.Distribution, tuple[str | None, str | None]]]:
        """The installed distributions, with what they say of their modules."""
        return [
            (each, (each.read_text("top_level.txt"), each.read_text("RECORD"))) for each in metadata.distributions()
        ]

    def _file_of(self, path: str) -> str:
        return self.file(path)


_KINDS: dict[str, Callable[[Present, str], Any]] = {
    "function": Present._function,
    "code": Present._bare_function,
    "module": Present._module,
    "whole-module": Present._whole_module,
    "site": Present._site,
    "sites": Present._all_sites,
    "cited": Present._cited,
    "equation": Present._equation,
    "equations": Present._all_equations,
    "example": Present._example,
    "file": Present._file_of,
    "folder": Present._folder,
    "package": Present._package,
    "asked": Present._asked,
    "variable": Present._variable,
    "place": Present._place,
}


def _comes_with(module: str, top_level: str | None, record: str | None) -> bool:
    """Whether a distribution that lists these modules or these files installs a top-level module."""
    if top_level and top_level.strip():
        return module in top_level.split()
    return any(f"\n{module}{end}" in f"\n{record}" for end in ("/", ".")) if record else False


_LIBC = ("TZ", "LANGUAGE", "LANG", "LC_ALL", "LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE")
"""Variables of the environment that the C library reads, of which Python tells nothing."""


def base(config: Config, draws: object, seed: int) -> str:
    """What every result of a run rests on: the tool, the libraries, the seed, and settings that matter."""
    settings = (config.sources, config.packages, config.pythonpath, config.scenarios, config.references)
    versions = [metadata.version(name) for name in LIBRARIES]
    system = (sys.version, sys.implementation.name, sys.flags.optimize, os.uname().machine, sys.platform)
    place = [os.environ.get(name) for name in _LIBC]
    hiding = _hiding([os.path.join(config.root, folder) for folder in config.pythonpath])
    return digest(
        __version__,
        *own((".py",), _REPORTING),
        repr(versions),
        repr(system),
        repr(place),
        repr(settings),
        repr(hiding),
        repr(draws),
        str(seed),
    )


def _hiding(folders: Sequence[str]) -> list[str]:
    """The modules in the user's folders that hide one of the standard library or an installed one."""
    ours = {os.path.realpath(folder) for folder in folders}
    others = [entry for entry in sys.path if os.path.realpath(entry or ".") not in ours]
    found = []
    for folder in folders:
        with contextlib.suppress(OSError):
            for entry in os.listdir(folder):
                name = entry.partition(".")[0]
                file = os.path.join(folder, entry)
                if not (entry.endswith(_MODULES) or os.path.isfile(os.path.join(file, "__init__.py"))):
                    continue
                if name in sys.stdlib_module_names or PathFinder.find_spec(name, others) is not None:
                    found.append(f"{folder} {entry}")
    return sorted(found)


def _within(function: str, outer: str) -> bool:
    return function == outer or function.startswith(f"{outer}.")


def _shown(site: Site) -> str:
    return repr([getattr(site, each.name) for each in fields(site) if each.name != "file"])


_Flat = tuple[list[str], list[str]]


def _flatten(value: Any, content: list[str], places: list[str], known: dict[int, _Flat]) -> None:
    """Everything that a frozen value holds, in a fixed order, as text; apart, what only findings could show."""
    kind = type(value)
    if kind is Text:
        content.append(value.value)
        places.append(f"{value.style} {value.indent} {value.span!r}")
    elif kind is Span:
        places.append(repr(value))
    elif kind is tuple or kind is list:
        content.append(f"({len(value)}")
        for item in value:
            _flatten(item, content, places, known)
    elif isinstance(value, Mapping):
        content.append(f"{{{len(value)}")
        for key, item in value.items():
            content.append(str(key))
            _flatten(item, content, places, known)
    elif kind is frozenset:
        content.append(repr(sorted(map(str, value))))
    elif kind is Symbol and id(value) in known:
        content += known[id(value)][0]
        places += known[id(value)][1]
    elif is_dataclass(kind):
        start = len(content), len(places)
        for name in _names(kind):
            if name in _SHOWN or (kind is Anchor and name == "code"):  # what stands there counts with its function
                places.append(repr(getattr(value, name)))
            else:
                content.append(name)
                _flatten(getattr(value, name), content, places, known)
        if kind is Symbol:
            known[id(value)] = content[start[0] :], places[start[1] :]
    else:
        content.append(repr(value))


@lru_cache(maxsize=64)
def _names(kind: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def _file_digest(path: Path) -> str:
    try:
        if not path.is_file():
            return "special" if path.exists() else ""
        status = path.stat()
        if status.st_size > _LARGE:
            return f"{status.st_size} {status.st_mtime_ns}"
        return digest(path.read_bytes())
    except OSError:
        return ""
