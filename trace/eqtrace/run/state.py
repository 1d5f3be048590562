"""Whether user code left something behind in its modules: memos, tables that are filled when first used."""

from __future__ import annotations

import array
import collections
import itertools
import threading
import types
import zlib
from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from eqtrace.run.snapshot import attributes

_DEEPEST = 8
_MOST = 2000  # entries of a container that are looked at
_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None)})
_FIXED = frozenset({types.BuiltinFunctionType, types.ModuleType, property, staticmethod, classmethod, np.ufunc})
_SMALL = 1 << 22  # bytes of an array that are compared
_MEMO = type(lru_cache(lambda: None))


class State:
    """What the user's modules hold; two are equal where nothing that is looked at has changed in between."""

    def __init__(self, modules: Iterable[types.ModuleType], own: frozenset[str]) -> None:
        self._own = own
        self._seen: set[int] = set()
        self._found: list[Hashable] = []
        for module in modules:
            for name, value in tuple(vars(module).items()):
                if not name.startswith("__"):
                    self._add(value, 0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._found == other._found

    __hash__ = None  # type: ignore[assignment]

    def _add(self, value: Any, depth: int) -> None:
        kind = type(value)
        if kind in _PLAIN:
            self._found.append(repr(value))
            return
        identity = id(value)
        self._found.append(identity)
        if kind in _FIXED or depth > _DEEPEST or identity in self._seen:
            return
        self._seen.add(identity)
        for each in self._parts(value, kind):
            self._add(each, depth + 1)

    def _parts(self, value: Any, kind: type) -> Iterable[Any]:
        """What a value holds that user code can change."""
        if kind is types.FunctionType:
            cells = [_content(cell) for cell in value.__closure__ or ()]
            return [*cells, value.__defaults__, value.__kwdefaults__, *value.__dict__.values()]
        if isinstance(value, dict):
            return [len(value), *(each for pair in tuple(value.items())[:_MOST] for each in pair)]
        if isinstance(value, list | tuple | set | frozenset):
            return [len(value), *tuple(value)[:_MOST]]
        if isinstance(value, np.ndarray):
            return [_sum(value)] if value.nbytes <= _SMALL and value.dtype.kind != "O" else []
        if isinstance(value, np.random.Generator):
            return [repr(value.bit_generator.state)]
        if isinstance(value, np.random.RandomState):
            return [repr(value.get_state())]
        if isinstance(value, _MEMO):
            return [repr(value.cache_info())]
        if isinstance(value, type):
            return [each for name, each in vars(value).items() if name[:2] != "__"] if self._is_own(value) else []
        return [*_attributes(value), *_plain(value)]

    def _is_own(self, kind: type) -> bool:
        return kind.__module__ in self._own


def _attributes(value: Any) -> Iterable[Any]:
    """What an object of any class holds in its `__dict__` (of a `threading.local`, this thread's) and its slots."""
    try:
        return vars(value).values() if isinstance(value, threading.local) else attributes(value).values()
    except Exception:  # a class that answers for its objects itself
        return ()


def _plain(value: Any) -> Iterable[Any]:
    """What an object of a class of the interpreter's holds; of a user's class it is in attributes or a plain base."""
    if isinstance(value, bytearray | array.array):
        return [bytes(value)]
    if isinstance(value, collections.deque):
        return [len(value), *itertools.islice(value, _MOST)]
    return ()


def _sum(value: np.ndarray[Any, Any]) -> int:
    return zlib.crc32(value.tobytes())


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None
