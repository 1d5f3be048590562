"""Numbers of examples: plain data to arrays, and arrays to what results carry."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqtrace.model.example import Scalar, Value

Array = np.ndarray[Any, Any]
LARGEST = 10_000  # entries of an array
LONGEST_TEXT = 200  # characters


class NotAnArray(Exception):
    """What cannot stand in a step, and why."""


def as_array(value: Any) -> Array:
    """Numbers as float64, truth values and texts as they are.

    Raises:
        NotAnArray: it is ragged, too large, or holds something else.
    """
    if not isinstance(value, np.ndarray | float | int) and longest_text(value) > LONGEST_TEXT:
        raise NotAnArray(f"a text in a step has at most {LONGEST_TEXT} characters")
    try:
        found = np.asarray(value)
    except Exception as error:  # ragged lists, and what user code's objects raise
        raise NotAnArray("it is no array: its rows differ in length") from error
    if found.dtype.kind in "iuf":
        found = found.astype(np.float64)
    elif found.dtype.kind not in "bU":
        raise NotAnArray(f"it is no array of numbers, truth values or texts ({_kind(value)})")
    if found.size > LARGEST:
        raise NotAnArray(f"it has {found.size:,} entries; {LARGEST:,} are allowed")
    return found


def longest_text(value: Any) -> int:
    """The length of the longest text in nested lists: an array of texts makes room for it in each entry."""
    if isinstance(value, str):
        return len(value)
    return max(map(longest_text, value), default=0) if isinstance(value, tuple | list) else 0


def as_value(array: Array) -> Value:
    """An array as results carry it."""
    entries: tuple[Scalar, ...] = tuple(array.ravel().tolist())
    return Value(tuple(int(length) for length in array.shape), entries)


def _kind(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    return f"dtype {dtype}" if dtype is not None else type(value).__name__
