"""Processes that user code forks."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_getpid, _exit = os.getpid, os._exit  # user code may replace these


@contextmanager
def ending_children() -> Iterator[None]:
    """Around user code: a process that it forked, and that comes out of the block as well, ends there.

    It would go on with the work of its parent, and each later call would fork again.
    """
    here = _getpid()
    try:
        yield
    finally:
        if _getpid() != here:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
            _exit(0)
