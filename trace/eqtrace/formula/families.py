"""Families of arrays of different sizes, such as the gradients of all parameters, as one padded array.

A symbol of shape `[K, 'n[k]']` is such a family: K arrays, the k-th with n[k] entries, all its axes laid out in one.
The code may hold it in a dictionary, a list or a tuple. `n` is a symbol that the code need not name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from eqtrace.formula.form import Shape
from eqtrace.formula.term import Indexed

_CONTAINERS = (Mapping, list, tuple)


def lengths_symbol(shape: Shape | None) -> str:
    """The symbol that holds the lengths of a family's members; empty if the shape is no family's."""
    if shape is None or len(shape.dims) != 2 or not isinstance(shape.dims[1], Indexed):
        return ""
    return shape.dims[1].base


def laid_out(shapes: Mapping[str, Shape | None], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values, families as padded arrays, with the lengths of their members; no padding is ever an entry."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        lengths = lengths_symbol(shapes.get(name.removeprefix("Old(").removesuffix(")")))
        if lengths and isinstance(value, _CONTAINERS):
            members = [np.ravel(each) for each in (value.values() if isinstance(value, Mapping) else value)]
            found[name] = _padded(members)
            found.setdefault(lengths, np.array([each.size for each in members], dtype=np.int64))
    return {**values, **found} if found else values


def _padded(members: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    longest = max((each.size for each in members), default=0)
    kinds = [each.dtype for each in members]
    padded = np.zeros((len(members), longest), dtype=np.result_type(*kinds) if kinds else np.float64)
    for row, each in zip(padded, members, strict=True):
        row[: each.size] = each
    return padded
