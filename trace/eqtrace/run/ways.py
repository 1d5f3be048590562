"""Which ways the conditions of cited statements went, over all runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from eqtrace.model.ways import FALSE, TRUE

Ways = dict[tuple[str, int], int]  # by anchor, and number of the condition in its statement
_PLAIN = (bool, np.bool_, int, float, np.number, str, bytes, list, tuple, dict, type(None))


def way(value: Any) -> int:
    """The ways that a condition goes: an array may go both. Of what is no plain value nothing is asked."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf" or not value.size:
            return 0
        some = bool(value.any())
        return TRUE * some | FALSE * (not some or not bool(value.all()))
    if isinstance(value, _PLAIN):
        return TRUE if value else FALSE
    return 0


def larger(left: Any, right: Any) -> int:
    """The ways of two operands of an extreme: the first is larger somewhere, the second is."""
    if not isinstance(left, np.ndarray | int | float | np.number) or not isinstance(
        right, np.ndarray | int | float | np.number
    ):
        return 0
    return TRUE * bool(np.any(left > right)) | FALSE * bool(np.any(left < right))


def add(ways: Ways, others: Mapping[tuple[str, int], int]) -> None:
    """Takes over other ways."""
    for key, taken in others.items():
        ways[key] = ways.get(key, 0) | taken


def by_anchor(ways: Mapping[tuple[str, int], int]) -> dict[str, dict[int, int]]:
    """The ways of each anchor's conditions, by number."""
    found: dict[str, dict[int, int]] = {}
    for (anchor, number), taken in sorted(ways.items()):
        found.setdefault(anchor, {})[number] = taken
    return found


def is_open(taken: int) -> bool:
    """Whether a condition went one way only."""
    return taken in (TRUE, FALSE)
