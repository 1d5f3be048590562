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

    def dump(self, items: Iterable[_Item]) -> str:
        """The items as a baseline."""
        keys = sorted(key for key in map(self.key, items) if key is not None)
        rows = [dict(zip(self.fields, key, strict=True)) for key in keys]
        return json.dumps({self.title: rows}, indent=1, ensure_ascii=False) + "\n"

    def hold_back(self, items: Sequence[_Item], text: str, name: str) -> Held[_Item]:
        """Holds items against the baseline that `text` is.

        Raises:
            EqtraceError: it is none.
        """
        try:
            rows = json.loads(text)[self.title]
            known = Counter(tuple(str(row[field]) for field in self.fields) for row in rows)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise EqtraceError(f"{name} is no baseline: {error}", "write it with --write-baseline") from error
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
