"""`--watch`: a command run again whenever what it read has changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from eqtrace.errors import EqtraceError

_STEP = 20  # milliseconds without a further change that end a burst of them
_IGNORED = (".eqtrace",)


def changes(root: Path, ready: Callable[[], None]) -> Iterator[None]:
    """Comes back after each burst of changes below a folder; `ready` is called once changes are noticed.

    Raises:
        EqtraceError: what notices them is not installed.
    """
    try:
        from watchfiles import DefaultFilter, watch
    except ImportError:
        hint = "pip install 'eqtrace[watch]'"
        raise EqtraceError("--watch needs the package watchfiles, which is not installed", hint) from None

    ignored = DefaultFilter(ignore_dirs=(*DefaultFilter.ignore_dirs, *_IGNORED))

    def wanted(change: Any, path: str) -> bool:
        return bool(ignored(change, os.path.relpath(path, root)))

    found = watch(root, watch_filter=wanted, step=_STEP, debounce=400, rust_timeout=200, yield_on_timeout=True)
    next(found)  # after the first time-out it is certain that nothing is missed
    ready()
    for burst in found:
        if burst:
            yield
