"""Work done in a forked child, which may do to its process what it likes."""

from __future__ import annotations

import gc
import math
import os
import pickle
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

OVER = "it ran out of its time limit"
_WAITING = 6  # times as long on the clock as of processor time


def in_child(work: Callable[[], Any], limit: float) -> Any:
    """What a forked child makes of `work`, or in words why it made nothing of it.

    Args:
        work: gives what can be pickled.
        limit: seconds of processor time.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _settle(limit)
        try:
            answer = pickle.dumps(work())
        except BaseException as error:
            answer = pickle.dumps(f"{type(error).__name__}: {error}")
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(answer)
        os._exit(0)
    os.close(writing)
    end, parts = time.monotonic() + _WAITING * limit, []
    try:
        while (left := end - time.monotonic()) > 0:
            if not select.select([reading], [], [], left)[0]:
                continue
            part = os.read(reading, 1 << 16)
            if not part:
                break
            parts.append(part)
        else:
            return OVER
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if parts:
        return pickle.loads(b"".join(parts))
    signals = (signal.SIGXCPU, signal.SIGKILL)
    return OVER if os.WIFSIGNALED(status) and os.WTERMSIG(status) in signals else f"it ended with status {status}"


def _settle(limit: float) -> None:
    """What a child does first: it prints nothing, writes no bytecode, and ends in time."""
    gc.disable()  # it would write to every page that is shared with the parent
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    sys.dont_write_bytecode = True
    # Processor time, so that a busy machine times nothing out; code that only waits meets the other limit.
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 1))
