"""Files and functions that are no longer where a citation says: where they went."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath

from eqtrace.cites.history import History
from eqtrace.cites.outline import Outline
from eqtrace.cites.tree import Tree, split_lines
from eqtrace.model.citation import Citation, Evidence, Judged, Target

_SEARCHED = 20_000  # files that are looked through for a name
_SHOWN = 3
_TELLING = 12  # characters of a line that is looked for elsewhere
_WORD = re.compile(r"[\w$]+")


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
    _asked: dict[Citation, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    _lines: dict[Citation, tuple[str, str]] = field(default_factory=dict)
    _stand: dict[tuple[str, str], list[Target]] = field(default_factory=dict)

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

    def ask(self, citation: Citation, names: Sequence[str], suffix: str) -> None:
        """Notes names of a citation that are to be looked for in all files of a kind."""
        if names:
            self._asked[citation] = tuple((name, suffix) for name in names)

    def ask_line(self, citation: Citation, line: str, suffix: str) -> None:
        """Notes a line that is gone from its file, to be looked for in all files of a kind."""
        plain = " ".join(line.split())
        if len(plain) >= _TELLING:
            self._lines[citation] = (plain, suffix)

    def answered(self, verdicts: Sequence[Judged]) -> list[Judged]:
        """The verdicts, with where the names are defined that were asked for; each file is read once for all."""
        if not self._asked and not self._lines:
            return list(verdicts)
        self._stand = {key: [] for key in self._lines.values()}
        self._look_for({pair for pairs in self._asked.values() for pair in pairs})
        return [self._answered(each) for each in verdicts]

    def _answered(self, verdict: Judged) -> Judged:
        hints = [hint for pair in self._asked.get(verdict.citation, ()) for hint in self._hint(*pair)]
        stand = self._stand.get(self._lines.get(verdict.citation, ("", "")), [])
        if len(stand) == 1 and (verdict.target is None or stand[0].path != verdict.target.path):
            hints.append(Evidence("history", f"what was cited stands at {stand[0]} now"))
        return replace(verdict, evidence=(*verdict.evidence, *hints)) if hints else verdict

    def _hint(self, name: str, suffix: str) -> tuple[Evidence, ...]:
        found = self._named.get((name, suffix), ())
        if not found:
            return ()
        shown = ", ".join(str(each) for each in found[:_SHOWN])
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        return (Evidence("names", f"`{name}` is defined at {shown}{more}"),)

    def _look_for(self, pairs: Iterable[tuple[str, str]]) -> None:
        wanted: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for _, suffix in self._stand:
            wanted[suffix] = defaultdict(list)
        for name, suffix in sorted(pairs):
            wanted[suffix][re.split(r"\.|::|#", name)[-1]].append(name)
        for suffix, names in wanted.items():
            found: defaultdict[str, list[Target]] = defaultdict(list)
            lines = {line for line, kind in self._stand if kind == suffix}
            paths = sorted(path for path in self.tree.files if path.endswith(suffix))
            for path in paths[:_SEARCHED]:
                text = self.tree.text(path)
                if text is not None:
                    self._search(path, text, names, found)
                    self._find(path, text, lines, suffix)
            self._named |= {(name, suffix): tuple(targets) for name, targets in found.items()}

    def _search(
        self, path: str, text: str, names: Mapping[str, Sequence[str]], found: defaultdict[str, list[Target]]
    ) -> None:
        here = names.keys() & set(_WORD.findall(text)) if names else set()
        if not here:
            return
        outline = Outline(path, split_lines(text))
        for last in here:
            for name in names[last]:
                found[name] += [Target(path, each.line, each.line, name) for each in outline.named(name)]

    def _find(self, path: str, text: str, lines: Set[str], suffix: str) -> None:
        if not lines:
            return
        for number, line in enumerate(text.split("\n"), 1):
            plain = " ".join(line.split())
            if plain in lines:
                self._stand[plain, suffix].append(Target(path, number, number))
