"""Audits that are kept, and given back as long as nothing that they rest on has changed.

What an audit rests on: the configuration and what was asked for; which files the specification, the sources and the
tests are; the content of each file that was read, whoever named it; each place where something was looked for, found or
not; where packages lie; what other runs kept of LaTeX; eqtrace itself, the interpreter and the installed distributions.
An audit that asked git, or during which a file changed, is not kept.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from eqtrace.cache import Cache, Unreadable, digest
from eqtrace.code.files import expand, packages
from eqtrace.config import Config
from eqtrace.inputs import KEPT, PACKAGES, SOURCES, SPEC, TESTS, Inputs, Present, holds, listing, tool
from eqtrace.report.kept import decode, encode
from eqtrace.report.rows import Rows
from eqtrace.spec.files import files

_MARGIN = 50_000_000  # nanoseconds by which the times of files may be behind


class Kept:
    """The kept audits of one configuration and selection."""

    def __init__(self, config: Config, asked: tuple[str, ...]) -> None:
        self._config = config
        self._root = config.root.resolve()
        self._cache = Cache(self._root)
        self._key = digest("audit", tool(), str(self._root), _settings(config), *_where(asked))

    def find(self, started: float) -> Rows | None:
        """The rows of an audit that still holds, None where there is none; `started` is when the clock was started."""
        present = Present(self._root)
        for number, entry in self._cache.entries(self._key):
            try:
                if holds(entry.get("rests"), present, self.fact):
                    found = decode(entry.get("report"))
                    self._cache.used(self._key, number)
                    taken = replace(found.summary, seconds=time.perf_counter() - started)
                    return replace(found, summary=taken)
            except (Unreadable, OSError, TypeError):
                continue
        return None

    def keep(self, report: Rows, inputs: Inputs, started: int) -> None:
        """Keeps an audit that began at a time (in nanoseconds), unless what it rests on can't be told."""
        if inputs.unknowable or any(self._changed(path, started) for path in inputs.contents):
            return
        self._cache.put(self._key, {"rests": inputs.record(), "report": encode(report)})
        self._cache.tidy()

    def _changed(self, path: str, started: int) -> bool:
        """Whether a file may have changed since an audit began: what was quoted may be newer than what was read."""
        try:
            status = os.stat(os.path.join(self._root, path))
        except (OSError, ValueError):
            return False
        return max(status.st_mtime_ns, status.st_ctime_ns) >= started - _MARGIN

    def fact(self, name: str) -> str | None:
        """What one of the facts that an audit may rest on is now."""
        config, (kind, _, key) = self._config, name.partition(" ")
        looks: dict[str, Callable[[], str]] = {
            SPEC: lambda: listing(files(config)),
            SOURCES: lambda: listing(expand(self._root, config.sources)),
            TESTS: lambda: listing(expand(self._root, config.tests)),
            PACKAGES: lambda: repr(packages(config.packages, sys.path)),
            KEPT: lambda: " ".join(self._cache.names(key)),
        }
        return looks[kind]() if kind in looks else None


def _settings(config: Config) -> str:
    """Everything in a configuration, and its text, whose lines findings name."""
    values: list[Any] = [getattr(config, each.name) for each in fields(config) if each.name != "fail_on"]
    text = Present(config.root).content(config.pyproject)
    return digest(repr(values), repr(sorted(config.fail_on)), text)


def _where(asked: tuple[str, ...]) -> tuple[str, ...]:
    """What was asked for; patterns may be paths, which count from the folder that one is in."""
    return (os.getcwd(), *asked) if asked else ()
