"""Strings as whole numbers, so that forms can speak of them, and lists and mappings of strings as arrays.

All strings of one execution are numbered together, from 0 in the order of their code points: equal strings have equal
numbers, and smaller strings smaller ones. A symbol's declared axes say what is an entry:

- a string without an axis is its number; where an axis is left, it is the row of its characters
- a list is an axis; rows that end sooner than others are filled up with -1, which is no string's number
- a mapping from strings (or tuples of them) is a table with an axis over all strings for each; absent keys have 0, or
  -1 where its entries are strings or rows
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from eqtrace.formula.evaluate import EvaluationError
from eqtrace.formula.form import Shape

END = -1  # where a row has ended, or a table has no entry
LIMIT_ENTRIES = 10_000_000


def numbered(
    values: Mapping[str, Any], shapes: Mapping[str, Shape | None], literals: Iterable[str] = ()
) -> dict[str, Any]:
    """The values with their strings as numbers; those that hold no string, list or mapping are as they were.

    The strings that a form writes out (`literals`) stand among the values under their `repr`.

    Raises:
        EvaluationError: a mapping has other keys than strings, or rows are of different kinds.
    """
    ranks = {name: None if shape is None else len(shape.dims) for name, shape in shapes.items()}
    strings = set(chain.from_iterable(_strings(value, ranks.get(name)) for name, value in values.items()))
    written = set(literals)
    numbers = {text: number for number, text in enumerate(sorted(strings | written))}
    found = {name: _array(value, ranks.get(name), numbers) for name, value in values.items()}
    return {**found, **{repr(text): numbers[text] for text in written}}


def _strings(value: Any, rank: int | None) -> Iterable[str]:
    """The strings of a value that count as one; `rank` is the number of its axes (None: not declared)."""
    if isinstance(value, str):
        return value if rank else (str(value),)
    if isinstance(value, Mapping):
        keys = [_key(key) for key in value]
        inner = _inner(value, rank)
        return chain(chain.from_iterable(keys), *(_strings(item, inner) for item in value.values()))
    if _is_sequence(value):
        return chain.from_iterable(_strings(item, _below(rank, 1)) for item in value)
    return ()


def _array(value: Any, rank: int | None, numbers: Mapping[str, int]) -> Any:
    if isinstance(value, str):
        return np.array([numbers[each] for each in value], dtype=np.int64) if rank else numbers[value]
    if isinstance(value, Mapping):
        return _table(value, rank, numbers)
    if _is_sequence(value):
        rows = [_array(item, _below(rank, 1), numbers) for item in value]
        return _stacked(rows, max(rank or 1, 1))
    return value


def _table(value: Mapping[Any, Any], rank: int | None, numbers: Mapping[str, int]) -> Any:
    count = len(numbers)
    if not value:
        return np.zeros((count,) * (rank or 1), dtype=np.int64)
    keys = [_key(key) for key in value]
    inner = _inner(value, rank)
    entries = [_array(item, inner, numbers) for item in value.values()]
    rows = _stacked(entries, 1 + max(map(np.ndim, entries)))
    axes = (count,) * len(keys[0])
    _limit((*axes, *rows.shape[1:]))
    # Counts of what is not there are 0; what is not there is no string.
    absent = END if rows.ndim > 1 or isinstance(next(iter(value.values())), str) else 0
    table = np.full((*axes, *rows.shape[1:]), absent, dtype=rows.dtype)
    for key, row in zip(keys, rows, strict=True):
        table[tuple(numbers[each] for each in key)] = row
    return table


def _stacked(rows: list[Any], rank: int) -> Any:
    """Entries along a new first axis, the shorter ones filled up."""
    if not rows:
        return np.zeros((0,) * rank, dtype=np.int64)
    arrays = [np.asarray(row) for row in rows]
    if len({array.ndim for array in arrays}) > 1:
        raise EvaluationError("rows and single values stand side by side in a list")
    shape = tuple(map(max, zip(*(array.shape for array in arrays), strict=True))) if arrays[0].ndim else ()
    if all(array.shape == shape for array in arrays):
        return np.stack(arrays)
    _limit((len(arrays), *shape))
    filled = np.full((len(arrays), *shape), END, dtype=np.result_type(*arrays))
    for place, array in enumerate(arrays):
        corner: Any = (place, *map(slice, array.shape))
        filled[corner] = array
    return filled


def _is_sequence(value: Any) -> bool:
    return isinstance(value, list | tuple) or (
        isinstance(value, np.ndarray) and value.ndim > 0 and value.dtype.kind in "UO"
    )


def _key(key: Any) -> tuple[str, ...]:
    parts = key if isinstance(key, tuple) else (key,)
    if not parts or not all(isinstance(part, str) for part in parts):
        raise EvaluationError(f"a mapping has the key {key!r}, and only strings can be numbered")
    return parts


def _inner(value: Mapping[Any, Any], rank: int | None) -> int | None:
    widths = {len(_key(key)) for key in value}
    if len(widths) > 1:
        raise EvaluationError("a mapping has keys of different lengths")
    return _below(rank, next(iter(widths), 1))


def _below(rank: int | None, count: int) -> int | None:
    return None if rank is None else max(rank - count, 0)


def _limit(shape: tuple[int, ...]) -> None:
    if np.prod(shape, dtype=float) > LIMIT_ENTRIES:
        raise EvaluationError(f"an array of {' x '.join(map(str, shape))} is too large")
