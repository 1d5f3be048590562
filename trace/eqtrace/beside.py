"""Work done by a forked child while this process does something else, where there are two processors and a fork.

What is given back is the same either way: a child that can't be made, or that is lost, only costs time.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Beside(Generic[Value]):
    """A value that is being worked out. As a context it leaves no child behind.

    Args:
        work: gives the value, which can be pickled; it changes nothing outside.
        worth: whether it takes long enough for a process of its own.
    """

    def __init__(self, work: Callable[[], Value], worth: bool = True) -> None:
        self._work = work
        self._found: list[Value] = []
        self._child = 0
        self._pipe = -1
        if worth and _two_at_once():
            self._start()

    def __enter__(self) -> Beside[Value]:
        return self

    def __exit__(self, *_: object) -> None:
        self._end(kill=True)

    def value(self) -> Value:
        """The value, as soon as it is there."""
        if not self._found:
            said = b""
            if self._child:
                with os.fdopen(self._pipe, "rb") as pipe:
                    self._pipe = -1
                    said = pipe.read()
                self._end(kill=False)
            self._found = [pickle.loads(said[: -len(_WHOLE)]) if said.endswith(_WHOLE) else self._work()]
        return self._found[0]

    def _start(self) -> None:
        try:
            reading, writing = os.pipe()
        except OSError:
            return
        try:
            self._child = os.fork()
        except OSError:
            os.close(reading)
            os.close(writing)
            return
        if self._child:
            os.close(writing)
            self._pipe = reading
            return
        try:  # the child: whatever becomes of it, it never goes back to what the parent was doing
            os.close(reading)
            said = pickle.dumps(self._work(), pickle.HIGHEST_PROTOCOL)
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(said)
                pipe.write(_WHOLE)
        finally:
            os._exit(0)

    def _end(self, kill: bool) -> None:
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
        if self._child:
            child, self._child = self._child, 0
            if kill:
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


_WHOLE = b"\nwhole"  # stands last: an answer that ends otherwise was cut off


def _two_at_once() -> bool:
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return False
    free = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return free > 1
