"""Hypothesis draws that depend on their seed alone.

By itself Hypothesis draws, now and then, constants that it finds in the source files of all loaded modules. A result
would then depend on which modules a worker happens to have loaded, and on code that it never runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def from_seed_alone() -> Iterator[None]:
    """Within, no source file is looked at. Other versions of Hypothesis, which look at none, stay as they are."""
    from hypothesis.internal.conjecture import providers

    changed: Any = providers
    original = getattr(changed, "_get_local_constants", None)
    constants, cache = getattr(changed, "Constants", None), getattr(changed, "CONSTANTS_CACHE", None)
    if original is None or constants is None or cache is None:
        yield
        return
    none = constants()
    changed._get_local_constants = lambda: none
    cache.cache.clear()
    try:
        yield
    finally:
        changed._get_local_constants = original
        cache.cache.clear()
