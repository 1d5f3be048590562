"""A worker process: runs units of work beside user code that may print, fork, exit, hang or crash.

Its parent is `pool.Pool`. Units come in and results go out as pickles with their length before them, over pipes at high
numbers that user code hardly closes; what user code prints goes to a file. What is going on (the activity) stands in
shared memory, where the parent reads it also when this process is stuck.
"""

from __future__ import annotations

import contextlib
import faulthandler
import fcntl
import gc
import importlib
import mmap
import os
import pickle
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eqtrace.run import outcome as outcome  # unpickled later, when the user's modules come first

DUMP_SIGNAL: int = getattr(signal, "SIGRTMIN", signal.SIGUSR2 - 1) + 1  # asks a stuck worker where it is
BOARD_SIZE = 4096
BOARD = struct.Struct("=QdH")  # number of changes (odd: a change is going on), start, length of the name
LENGTH = struct.Struct("=Q")
_HIGH = 200  # user code that closes "all" files mostly counts up from 3
_CRASHED, _DONE = False, True
_OBJECTS = 50_000  # between two collections: captured values are many objects, which are looked through in vain

# User code may replace these in their modules.
_clock, _getpid, _exit, _read, _write = time.monotonic, os.getpid, os._exit, os.read, os.write
_dumps, _loads, _format = pickle.dumps, pickle.loads, traceback.format_exception


@dataclass(frozen=True, slots=True)
class Start:
    """What a worker is told first."""

    target: str  # module:callable
    root: str
    user_folders: tuple[str, ...]  # nothing is imported from them before the target puts them on sys.path
    environment: dict[str, str]  # what of it was kept from the interpreter's start


class Board:
    """The current activity and since when, in memory that parent and worker share."""

    def __init__(self, file: int) -> None:
        self._memory = mmap.mmap(file, BOARD_SIZE)
        self._changes = 0

    def write(self, name: str) -> None:
        """Announces an activity; '' is none."""
        text = name.encode("utf-8", "replace")[: BOARD_SIZE - BOARD.size]
        self._changes += 2
        self._memory[: BOARD.size] = BOARD.pack(self._changes - 1, _clock(), len(text))
        self._memory[BOARD.size : BOARD.size + len(text)] = text
        self._memory[:8] = self._changes.to_bytes(8, sys.byteorder)

    def read(self) -> tuple[str, float]:
        """The activity and its start on the monotonic clock."""
        for _ in range(1000):
            changes, start, length = BOARD.unpack(self._memory[: BOARD.size])
            text = self._memory[BOARD.size : BOARD.size + length]
            if changes % 2 == 0 and self._memory[:8] == changes.to_bytes(8, sys.byteorder):
                return text.decode("utf-8", "replace"), start
        return text.decode("utf-8", "replace"), start


class _Worker:
    def __init__(self, requests: int, results: int, payload: int, board: Board) -> None:
        self._requests, self._results, self._payload, self._board = requests, results, payload, board
        self._pid = _getpid()
        self._poisoned: dict[str, Any] = {}
        self._session: Any = None
        self._failure = ""
        os.register_at_fork(after_in_child=self._forked)

    def _forked(self) -> None:
        """A child that user code forked must not talk to our parent."""
        for pipe in (self._requests, self._results):
            with contextlib.suppress(OSError):
                os.close(pipe)

    def _activity(self, name: str) -> None:
        if _getpid() == self._pid:
            self._board.write(name)

    def receive(self) -> Any:
        """The next message; None where the parent is gone."""
        head = self._exactly(LENGTH.size)
        body = self._exactly(LENGTH.unpack(head)[0]) if head else b""
        return _loads(body) if body else None

    def _exactly(self, size: int) -> bytes:
        parts = []
        while size:
            part = _read(self._requests, min(size, 1 << 20))
            if not part:
                return b""
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def send(self, done: bool, value: Any) -> None:
        """Sends a result; one that cannot be pickled becomes a crash."""
        try:
            body = _dumps((done, value))
        except Exception:
            body = _dumps((_CRASHED, "the result cannot be sent:\n" + traceback.format_exc()))
        message = memoryview(LENGTH.pack(len(body)) + body)
        while message:
            message = message[_write(self._results, message) :]

    def serve(self, start: Start) -> None:
        """Runs units until the parent closes the pipe."""
        usual = _Surroundings(start.root)
        with contextlib.suppress(Exception):  # while the parent is still reading; if it fails, `_open` will say so
            importlib.import_module(start.target.partition(":")[0])
        while (request := self.receive()) is not None:
            unit, lost = request
            self._poisoned.update(lost)
            self._board.write("")
            done, value = self._guarded(start, unit)
            usual.restore()
            self.send(done, value)
            self._board.write("")

    def _guarded(self, start: Start, unit: Any) -> tuple[bool, Any]:
        try:
            if self._failure:
                return _CRASHED, self._failure
            if self._session is None:
                self._session = self._open(start)
            value = self._prepared() if unit is None else self._session.run(unit)
            self._end_child(0)
            return _DONE, value
        except BaseException as error:  # SystemExit and KeyboardInterrupt of user code too
            self._end_child(_status(error))
            text = "".join(_format(error))
            if self._session is None:
                self._failure = text
            return _CRASHED, text

    def _prepared(self) -> Any:
        return getattr(self._session, "prepare", lambda: None)()

    def _end_child(self, status: int) -> None:
        """A child that user code forked has run on into our loop: ends it as a plain run would end."""
        if _getpid() != self._pid:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
            _exit(status)

    def _open(self, start: Start) -> Any:
        module, _, name = start.target.partition(":")
        target: Callable[..., Any] = getattr(importlib.import_module(module), name)
        with os.fdopen(self._payload, "rb") as file:  # it was written before the first unit was given
            file.seek(0)
            payload = pickle.load(file)
        return target(payload, self._activity, self._poisoned)


class _Surroundings:
    """What of the process user code may have changed for the units after it."""

    _SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGHUP

    def __init__(self, root: str) -> None:
        self._root = root
        self._environment = dict(os.environ)
        self._streams = sys.stdin, sys.stdout, sys.stderr
        self._descriptors = [fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _HIGH) for number in range(3)]
        self._arguments = list(sys.argv)
        self._recursion = sys.getrecursionlimit()
        self._handlers = {number: signal.getsignal(number) for number in self._SIGNALS}
        self._functions = os.chdir, os.dup2, signal.signal, signal.setitimer, sys.settrace, sys.setprofile

    def restore(self) -> None:
        """Puts it back; imported modules, sys.path and what user code keeps in memory stay."""
        chdir, duplicate, set_handler, set_timer, set_trace, set_profile = self._functions
        set_timer(signal.ITIMER_REAL, 0)
        for number, handler in self._handlers.items():
            set_handler(number, handler)
        set_trace(None)
        set_profile(None)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        for standard, descriptor in enumerate(self._descriptors):
            duplicate(descriptor, standard)
        sys.stdin, sys.stdout, sys.stderr = self._streams
        sys.argv[:] = self._arguments
        sys.setrecursionlimit(self._recursion)
        if dict(os.environ) != self._environment:
            os.environ.clear()
            os.environ.update(self._environment)
        chdir(self._root)


def _status(error: BaseException) -> int:
    """The status that a process ends with when nothing catches an exception."""
    if not isinstance(error, SystemExit):
        return 1
    return error.code if isinstance(error.code, int) else int(error.code is not None)


def _die_with_parent(parent: int) -> None:
    """On Linux: have the kernel end this process when its parent is gone, also while user code hangs."""
    if sys.platform != "linux":
        return
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (ImportError, OSError, AttributeError):
        return
    if os.getppid() != parent:
        os._exit(1)


def _high(descriptor: int) -> int:
    duplicate = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    os.close(descriptor)
    return duplicate


def _without(folders: tuple[str, ...]) -> None:
    """Takes the user's folders off sys.path, until the target puts them on."""
    ours = {os.path.realpath(folder) for folder in folders}
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or ".") not in ours]


def main(requests: int, results: int, board: int, traces: int, start: int, payload: int, parent: int) -> None:
    """Runs a worker; the numbers are those of its pipes, the board, and the files of tracebacks, start and payload."""
    _die_with_parent(parent)
    with os.fdopen(start, "rb") as file:
        message: Start = pickle.load(file)
    os.environ.update(message.environment)
    _without(message.user_folders)
    traces = _high(traces)
    faulthandler.enable(traces)
    faulthandler.register(DUMP_SIGNAL, traces)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    sys.argv[:] = [""]
    gc.set_threshold(_OBJECTS, 10, 10)
    worker = _Worker(_high(requests), _high(results), _high(payload), Board(board))
    os.close(board)
    worker.serve(message)
    os._exit(0)  # threads of user code are not waited for
