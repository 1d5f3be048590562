"""Holds whatever runs inside `watched` to what SECURITY.md promises of commands that run no user code.

A breach raises `Breach`: more than five seconds of processor time, half a minute of waiting, a gigabyte beyond what was
there before, a file read or written outside the project, a process other than git, a connection, code of the project
that is executed.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

SECONDS = 5.0  # of processor time
WAITING = 30.0  # seconds of any time
BYTES = 2**30
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGING = {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod"}
_FORBIDDEN = {"os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn"}


class Breach(Exception):
    """A promise that was not kept."""


class _Guard:
    """What is allowed at the moment. Audit hooks can't be taken away again, so there is one, and it looks here."""

    root: Path | None = None
    seen: list[str]

    def __init__(self) -> None:
        self.seen = []
        known = {sys.prefix, sys.base_prefix, str(Path(__file__).resolve().parents[2] / "trace")}
        known |= {entry for entry in sys.path if entry}
        self.readable = tuple(os.path.realpath(each) for each in known)

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.root is None:
            return
        told = self._told(event, arguments)
        if told:
            self.seen.append(told)

    def _told(self, event: str, arguments: tuple[Any, ...]) -> str:
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, str | bytes) and not self._may(os.fsdecode(path), bool(flags & _WRITING)):
                return f"{'writes' if flags & _WRITING else 'reads'} {path!r}"
        elif event in _CHANGING:
            named = [each for each in arguments[:2] if isinstance(each, str | bytes)]
            if not all(self._may(os.fsdecode(each), True) for each in named):
                return f"{event} {arguments!r}"
        elif event == "exec":
            if arguments[0].co_filename.startswith(str(self.root)):
                return f"executes {arguments[0].co_filename}"
        elif event == "subprocess.Popen":
            if os.path.basename(str(arguments[0])) != "git":
                return f"starts {arguments[0]!r}"
        elif event in _FORBIDDEN or event.startswith("socket.connect"):
            return f"{event} {arguments!r}"
        return ""

    def _may(self, path: str, writing: bool) -> bool:
        try:
            real = os.path.realpath(path)
        except (OSError, ValueError):
            return True  # no path at all: it can't be opened either
        within = (str(self.root), *(() if writing else self.readable), os.devnull)
        return any(real == each or real.startswith(each + os.sep) for each in within)


_guard = _Guard()
sys.addaudithook(_guard)


class _Late(Breach):
    """Raised in the midst of what takes too long."""


def _late(number: int, frame: FrameType | None) -> None:
    raise _Late("takes more than 5 s" if number == signal.SIGPROF else "waits for more than 30 s")


@contextlib.contextmanager
def watched(root: Path) -> Iterator[None]:
    """Raises Breach where what runs inside breaks a promise; `root` is the project's folder, links resolved."""
    limit = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_size() + BYTES, limit[1]))
    signal.signal(signal.SIGPROF, _late)
    signal.signal(signal.SIGALRM, _late)
    started = time.process_time()
    _guard.seen, _guard.root = [], root
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WAITING)
    try:
        yield
    except MemoryError as error:
        raise Breach("takes more than 1 GB") from error
    finally:
        _guard.root = None
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, limit)
    if _guard.seen:
        raise Breach(_guard.seen[0])
    if time.process_time() - started > SECONDS:  # where something kept the signal's exception to itself
        raise Breach("takes more than 5 s")


def _size() -> int:
    """The address space that is taken already, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
