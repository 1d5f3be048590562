"""A baseline: findings that it knows are held back, new ones are not, and what is gone can only make it smaller."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from eqtrace.errors import EqtraceError

_Item = TypeVar("_Item")
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Held(Generic[_Item]):
    """What a baseline leaves: the items that it doesn't know, those that it holds back, and how many of it are gone."""

    new: tuple[_Item, ...]
    known: tuple[_Item, ...]
    gone: int


@dataclass(frozen=True, slots=True)
class Ratchet(Generic[_Item]):
    """How items of one kind are known again: by what doesn't change when lines of a file move.

    Attributes:
        title: the key of the list in the file.
        fields: the names of a key's parts there.
        key: the key of an item; None for what no baseline holds back.
    """

    title: str
    fields: tuple[str, ...]
    key: Callable[[_Item], Key | None]

    def dump(self, items: Iterable[_Item], command: str = "") -> str:
        """The items as a baseline, with the command that found them."""
        return self._dumped(sorted(key for key in map(self.key, items) if key is not None), command)

    def _dumped(self, keys: Sequence[Key], command: str) -> str:
        rows = [dict(zip(self.fields, key, strict=True)) for key in keys]
        said = {"command": command} if command else {}
        return json.dumps({**said, self.title: rows}, indent=1, ensure_ascii=False) + "\n"

    def shrunk(self, items: Iterable[_Item], text: str, name: str, command: str = "") -> tuple[str, int]:
        """The baseline without what is not among the items any more, and how many entries that took away.

        Nothing is added to it.

        Raises:
            EqtraceError: it is none, or another command than this one found its entries.
        """
        by, known = self._read(text, name)
        if by != command:
            said = f"`eqtrace {by}` wrote it" if by else "it doesn't say which command wrote it"
            raise EqtraceError(f"{name} can't be shrunk here: {said}", "use that command, or --write-baseline")
        there = Counter(key for key in map(self.key, items) if key is not None)
        kept = known & there
        return self._dumped(sorted(kept.elements()), command), known.total() - kept.total()

    def hold_back(self, items: Sequence[_Item], text: str, name: str) -> Held[_Item]:
        """Holds items against the baseline that `text` is.

        Raises:
            EqtraceError: it is none.
        """
        known = self._read(text, name)[1]
        new: list[_Item] = []
        held: list[_Item] = []
        for item in items:
            key = self.key(item)
            if key is not None and known[key] > 0:
                known[key] -= 1
                held.append(item)
            else:
                new.append(item)
        return Held(tuple(new), tuple(held), sum(known.values()))

    def _read(self, text: str, name: str) -> tuple[str, Counter[Key]]:
        """The command that wrote a baseline ('' if it doesn't say so), and its entries."""
        try:
            data = json.loads(text)
            known = Counter(tuple(str(row[field]) for field in self.fields) for row in data[self.title])
            return str(data.get("command", "")), known
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise EqtraceError(f"{name} is no baseline: {error}", "write it with --write-baseline") from error
