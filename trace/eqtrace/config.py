"""The configuration: `[tool.eqtrace]` in pyproject.toml.

An unknown key, a value of the wrong type and a path that leaves the root are errors, all reported at once.
"""

from __future__ import annotations

import difflib
import errno
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eqtrace.errors import EqtraceError
from eqtrace.regular import content

COVERAGE = ("off", "report", "error")
SCHEMES = ("auto", "light", "dark")
COLOURS = ("ground", "panel", "ink", "soft", "rule", "link", "mark")
_LARGEST = 10_000_000  # bytes of a pyproject.toml
Size = tuple[int, ...] | str  # draws by position, or an expression over other sizes


@dataclass(frozen=True, slots=True)
class Repository:
    """Where the sources are hosted: `url`, and a commit's id or 'git', which asks git for it."""

    url: str
    commit: str


@dataclass(frozen=True, slots=True)
class Theme:
    """How pages look: light, dark or as the reader's system is, and colours as pairs for light and dark."""

    scheme: str = "auto"
    colours: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """`[tool.eqtrace.site]`. `pages` are page ids (none: all of them); `sizes` are those shown on pages.

    `url` is where the site will be found, for its map; `templates` a folder whose files stand in for the package's.
    """

    title: str = "Equations"
    pages: tuple[str, ...] = ()
    theme: Theme = Theme()
    output: str = "reports/site"
    sizes: Mapping[str, int | str] = field(default_factory=dict)
    url: str | None = None
    templates: str | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """One project's configuration. Paths are POSIX, relative to `root`, and inside it."""

    root: Path
    pyproject: str = "pyproject.toml"
    spec: tuple[str, ...] = ("spec/**/*.yaml",)
    sources: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    pythonpath: tuple[str, ...] = (".",)
    scenarios: str | None = None
    references: str | None = None
    pages: str | None = None
    literature: str | None = None
    waivers: str | None = None
    reviews: str | None = None
    sizes: Mapping[str, Size] = field(default_factory=dict)
    testers: str | None = None
    coverage: str = "report"
    fail_on: frozenset[str] = frozenset()
    repository: Repository | None = None
    site: SiteConfig = SiteConfig()

    def line(self, *keys: str) -> int:
        """The line of pyproject.toml that sets a key of `[tool.eqtrace]`; 1 where it can't be found."""
        try:
            text = content(self.root / self.pyproject, _LARGEST).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return 1
        return _Lines(text).find(keys)


def load(start: Path) -> Config:
    """The configuration that governs `start`: the nearest pyproject.toml upward that holds `[tool.eqtrace]`.

    Raises:
        EqtraceError: there is none, or it is not usable; every fault of it is in the message.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        path = folder / "pyproject.toml"
        if path.is_file() and _table(path, _text(path)) is not None:
            return load_file(path)
    raise EqtraceError(
        f"no pyproject.toml with a [tool.eqtrace] table in {start} or above",
        hint="add [tool.eqtrace] to your pyproject.toml, for example with spec = ['spec/*.yaml']",
    )


def load_file(path: Path) -> Config:
    """The configuration in one pyproject.toml; its folder is the root.

    Raises:
        EqtraceError: it can't be read or is not usable; every fault of it is in the message.
    """
    path = path.resolve()
    text = _text(path)
    table = _table(path, text)
    if table is None:
        raise EqtraceError(f"{path.name} holds no [tool.eqtrace] table", hint="add one, even an empty one")
    reader = _Reader(path.parent, path.name, text)
    config = reader.config(table)
    if reader.faults:
        raise EqtraceError(
            "\n".join(reader.faults), hint="the keys are described in the documentation of [tool.eqtrace]"
        )
    return config


def _text(path: Path) -> str:
    try:
        return content(path, _LARGEST).decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise EqtraceError(f"{path} is not valid TOML: {error}") from error
    except OSError as error:
        raise EqtraceError(f"{path} can't be read: {error.strerror}") from error


def _table(path: Path, text: str) -> dict[str, Any] | None:
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of any kind: a number of many thousand digits is none of TOML's own
        raise EqtraceError(f"{path} is not valid TOML: {error}") from error
    tool = data.get("tool")
    table = tool.get("eqtrace") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise EqtraceError(f"{path}: tool.eqtrace must be a table")
    return table


class _Lines:
    """Finds the lines that set keys: tomllib keeps no positions."""

    _HEADER = re.compile(r"\s*\[\s*(?P<table>[^\[\]]+?)\s*\]\s*(?:#.*)?$")
    _KEY = re.compile(r"""\s*(?P<key>(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
    _PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")

    def __init__(self, text: str) -> None:
        self._found: dict[tuple[str, ...], int] = {}
        table: tuple[str, ...] = ()
        for number, line in enumerate(text.split("\n"), 1):
            if header := self._HEADER.match(line):
                table = self._split(header["table"])
                self._found.setdefault(table, number)
            elif key := self._KEY.match(line):
                self._found.setdefault(table + self._split(key["key"]), number)

    def _split(self, dotted: str) -> tuple[str, ...]:
        return tuple(part.strip("\"'") for part in self._PART.findall(dotted))

    def find(self, keys: tuple[str, ...]) -> int:
        """The line of a key below tool.eqtrace; of the nearest enclosing table's where it is written inline."""
        path = ("tool", "eqtrace", *keys)
        while path:
            if line := self._found.get(path):
                return line
            path = path[:-1]
        return 1


class _Reader:
    """Reads the table, key by key, and gathers its faults."""

    def __init__(self, root: Path, name: str, text: str) -> None:
        self.root = root
        self.name = name
        self._faults: list[tuple[int, str]] = []
        self._lines = _Lines(text)

    def config(self, table: dict[str, Any]) -> Config:
        self._known(table, tuple(_KEYS))
        values = {key: _KEYS[key](self, (key,), value) for key, value in table.items() if key in _KEYS}
        values = {key: value for key, value in values.items() if value is not None}
        self._default_folders(values)
        return Config(root=self.root, pyproject=self.name, **values)

    def _default_folders(self, values: dict[str, Any]) -> None:
        source = ("src",) if (self.root / "src").is_dir() else ()
        values.setdefault("sources", source)
        values.setdefault("pythonpath", (".", *source))
        values.setdefault("tests", ("tests",) if (self.root / "tests").is_dir() else ())

    def _fault(self, keys: tuple[str, ...], message: str) -> None:
        self._faults.append((self._lines.find(keys), f"{'.'.join(keys)}: {message}"))

    @property
    def faults(self) -> list[str]:
        """The faults by line."""
        return [f"{self.name}:{line}: {message}" for line, message in sorted(self._faults)]

    def _known(self, table: dict[str, Any], known: tuple[str, ...], above: tuple[str, ...] = ()) -> None:
        for key in table:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
                self._fault((*above, key), f"unknown key; {hint}")

    def text(self, keys: tuple[str, ...], value: Any) -> str | None:
        if isinstance(value, str) and value and not any(character < " " for character in value):
            return value
        self._fault(keys, f"text is wanted, not {_kind(value)}")
        return None

    def path(self, keys: tuple[str, ...], value: Any) -> str | None:
        """A path that stays inside the root, links resolved; its parts after a wildcard can't leave it either."""
        text = self.text(keys, value)
        if text is None:
            return None
        posix = text.replace("\\", "/")
        parts = posix.split("/")
        if posix.startswith("/") or re.match(r"[A-Za-z]:", posix) or ".." in parts:
            self._fault(keys, f"{text!r} must be a path inside the folder of {self.name}")
            return None
        if len(posix) > 4_000 or any(len(os.fsencode(part)) > 255 for part in parts):
            self._fault(keys, f"{text[:40]!r} and so on is longer than a path can be")
            return None
        plain = parts[: next((i for i, part in enumerate(parts) if re.search(r"[*?\[]", part)), len(parts))]
        try:
            inside = (self.root / "/".join(plain)).resolve().is_relative_to(self.root)
            looped = inside and _leads_to_itself(self.root / "/".join(plain))
        except (OSError, ValueError, RuntimeError):
            looped = True
        if looped:
            self._fault(keys, f"{text!r} leads through links that can't be followed")
            return None
        if not inside:
            self._fault(keys, f"{text!r} is a link that leaves the folder of {self.name}")
            return None
        return "/".join(part for part in parts if part not in ("", ".")) or "."

    def paths(self, keys: tuple[str, ...], value: Any) -> tuple[str, ...] | None:
        return self._list(keys, value, self.path)

    def globs(self, keys: tuple[str, ...], value: Any) -> tuple[str, ...] | None:
        """Patterns of files; `**` stands for folders and only alone."""
        found = self.paths(keys, value)
        for pattern in found or ():
            if pattern == "." or any("**" in part and part != "**" for part in pattern.split("/")):
                self._fault(keys, f"{pattern!r} is no pattern of files, like 'spec/*.yaml' or 'spec/**/*.yaml'")
        return found

    def texts(self, keys: tuple[str, ...], value: Any) -> tuple[str, ...] | None:
        return self._list(keys, value, self.text)

    def _list(self, keys: tuple[str, ...], value: Any, read: Any) -> tuple[str, ...] | None:
        if not isinstance(value, list):
            self._fault(keys, f"a list of texts is wanted, not {_kind(value)}")
            return None
        items = [read(keys, item) for item in value]
        return tuple(item for item in items if item is not None)

    def names(self, keys: tuple[str, ...], value: Any) -> frozenset[str] | None:
        items = self.texts(keys, value)
        return None if items is None else frozenset(items)

    def coverage(self, keys: tuple[str, ...], value: Any) -> str | None:
        if value in COVERAGE:
            return str(value)
        self._fault(keys, f"one of {', '.join(map(repr, COVERAGE))} is wanted, not {value!r}")
        return None

    def table(self, keys: tuple[str, ...], value: Any) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        self._fault(keys, f"a table is wanted, not {_kind(value)}")
        return {}

    def sizes(self, keys: tuple[str, ...], value: Any) -> dict[str, Size]:
        found: dict[str, Size] = {}
        for name, size in self.table(keys, value).items():
            items = size if isinstance(size, list) else [size]
            if not name.isidentifier():
                self._fault((*keys, name), "the name of a size is a Python name")
            elif isinstance(size, str):
                found[name] = size
            elif items and all(type(item) is int and item > 0 for item in items):
                found[name] = tuple(items)
            else:
                self._fault((*keys, name), "whole numbers above 0 are wanted ([3, 9]), or an expression ('H*dh')")
        return found

    def repository(self, keys: tuple[str, ...], value: Any) -> Repository | None:
        table = self.table(keys, value)
        self._known(table, ("url", "commit"), keys)
        found = {key: self.text((*keys, key), table[key]) for key in ("commit",) if key in table}
        for key in ("url", "commit"):
            if key not in table and isinstance(value, dict):
                self._fault(keys, f"`{key}` is missing")
        url, commit = self.url((*keys, "url"), table["url"]) if "url" in table else None, found.get("commit")
        return Repository(url.rstrip("/"), commit) if url and commit else None

    def url(self, keys: tuple[str, ...], value: Any) -> str | None:
        """An address, without a slash at its end."""
        text = self.text(keys, value)
        if text is None or re.fullmatch(r"https?://[^\s\"'<>]+", text):
            return text and text.rstrip("/")
        self._fault(keys, "an address that starts with https:// is wanted")
        return None

    def theme(self, keys: tuple[str, ...], value: Any) -> Theme | None:
        """A scheme's name, or a table of it and colours: one for both schemes, or a pair for light and dark."""
        table = {"scheme": value} if isinstance(value, str) else self.table(keys, value)
        self._known(table, ("scheme", *COLOURS), keys)
        scheme = table.get("scheme", "auto")
        if scheme not in SCHEMES:
            self._fault(keys, f"one of {', '.join(map(repr, SCHEMES))} is wanted, not {scheme!r}")
            return None
        colours: dict[str, tuple[str, str]] = {}
        for name in COLOURS:
            if name in table:
                given = table[name]
                pair = [given, given] if isinstance(given, str) else given
                if isinstance(pair, list) and len(pair) == 2 and all(map(_is_colour, pair)):
                    colours[name] = (pair[0], pair[1])
                else:
                    self._fault((*keys, name), "a colour like '#175a8c' is wanted, or a pair of them: light, dark")
        return Theme(scheme, colours)

    def site(self, keys: tuple[str, ...], value: Any) -> SiteConfig:
        table = self.table(keys, value)
        self._known(table, tuple(_SITE_KEYS), keys)
        values = {key: _SITE_KEYS[key](self, (*keys, key), item) for key, item in table.items() if key in _SITE_KEYS}
        return SiteConfig(**{key: item for key, item in values.items() if item is not None})

    def shown_sizes(self, keys: tuple[str, ...], value: Any) -> dict[str, int | str]:
        sizes = self.sizes(keys, value)
        for name, size in sizes.items():
            if not isinstance(size, str) and len(size) > 1:
                self._fault((*keys, name), "one number is wanted: a page shows one size")
        return {name: size if isinstance(size, str) else size[0] for name, size in sizes.items()}


def _leads_to_itself(path: Path) -> bool:
    """Whether links at a path go round: resolving it raises in some versions of Python, and stops in others."""
    try:
        path.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _is_colour(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"#[0-9A-Fa-f]{6}", value) is not None


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "one text" if value.isprintable() and value else "an empty one or one with control characters"
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "a table"}
    return kinds.get(type(value), "a date")


_KEYS: dict[str, Any] = {
    "spec": _Reader.globs,
    "sources": _Reader.paths,
    "tests": _Reader.paths,
    "packages": _Reader.texts,
    "pythonpath": _Reader.paths,
    "scenarios": _Reader.path,
    "references": _Reader.path,
    "pages": _Reader.path,
    "literature": _Reader.path,
    "waivers": _Reader.path,
    "reviews": _Reader.path,
    "sizes": _Reader.sizes,
    "testers": _Reader.path,
    "coverage": _Reader.coverage,
    "fail_on": _Reader.names,
    "repository": _Reader.repository,
    "site": _Reader.site,
}
_SITE_KEYS: dict[str, Any] = {
    "title": _Reader.text,
    "pages": _Reader.texts,
    "theme": _Reader.theme,
    "output": _Reader.path,
    "sizes": _Reader.shown_sizes,
    "url": _Reader.url,
    "templates": _Reader.path,
}
