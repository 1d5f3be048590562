"""Files and functions that are no longer where a citation says: where they went."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from eqtrace.cites.history import History
from eqtrace.cites.outline import Outline
from eqtrace.cites.tree import Tree
from eqtrace.model.citation import Evidence, Target

_SEARCHED = 20_000  # files that are looked through for a name
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Departed:
    """A file that was here once: what it is called now, if it still is, and the commit that renamed or deleted it."""

    path: str
    now: str | None
    commit: str

    @property
    def evidence(self) -> Evidence:
        """What to say of it."""
        done = "was deleted" if self.now is None else f"was renamed to {self.now}"
        return Evidence("history", f"{self.path} {done} in {self.commit}")


@dataclass
class Gone:
    """Looks for what is gone."""

    tree: Tree
    history: History | None
    _named: dict[tuple[str, str], tuple[Target, ...]] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether the history says which files were ever here."""
        return self.history is not None and not self.history.cut

    @cached_property
    def _departed(self) -> dict[str, tuple[str | None, str]]:
        return {} if self.history is None else self.history.renamed()

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self._departed:
            found.setdefault(PurePosixPath(path).name, []).append(path)
        return found

    def file(self, written: str, document: str) -> Departed | None:
        """The one file of the past that a path means."""
        plain = written.removeprefix("./").lstrip("/")
        names = self._by_name.get(PurePosixPath(plain).name, [])
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(document), plain))
        exact = [path for path in names if path in (plain, joined)]
        found = exact or [path for path in names if path.endswith("/" + plain)]
        if len(found) != 1:
            return None
        now, commit = self._departed[found[0]]
        for _ in range(8):
            if now is None or self.tree.exists(now):
                break
            now = self._departed.get(now, (None, ""))[0]
        return Departed(found[0], now, commit)

    def definitions(self, name: str, suffix: str) -> tuple[Target, ...]:
        """Where a name is defined in any file of a kind."""
        if (name, suffix) not in self._named:
            self._named[name, suffix] = tuple(self._searched(name, suffix))
        return self._named[name, suffix]

    def hint(self, name: str, suffix: str) -> tuple[Evidence, ...]:
        """Where a name is defined, to be shown."""
        found = self.definitions(name, suffix)
        if not found:
            return ()
        shown = ", ".join(str(each) for each in found[:_SHOWN])
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        return (Evidence("names", f"`{name}` is defined at {shown}{more}"),)

    def _searched(self, name: str, suffix: str) -> Iterator[Target]:
        last = re.split(r"\.|::|#", name)[-1]
        paths = sorted(path for path in self.tree.files if path.endswith(suffix))
        for path in paths[:_SEARCHED]:
            text = self.tree.text(path)
            if text is None or last not in text:
                continue
            lines = self.tree.lines(path) or ()
            yield from (Target(path, each.line, each.line, name) for each in Outline(path, lines).named(name))
