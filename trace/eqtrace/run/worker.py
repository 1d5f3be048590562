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
import random
import signal
import socket
import struct
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from eqtrace.run import outcome as outcome  # unpickled later, when the user's modules come first

DUMP_SIGNAL: int = getattr(signal, "SIGRTMIN", signal.SIGUSR2 - 1) + 1  # asks a stuck worker where it is
BOARD_SIZE = 4096
BOARD = struct.Struct("=QdH")  # number of changes (odd: a change is going on), start, length of the name
LENGTH = struct.Struct("=Q")
_HIGH = 200  # user code that closes "all" files mostly counts up from 3
COPIED = 5  # descriptors that a copy of a worker gets
_SOON = 2.0  # seconds in which a copy becomes the parent's own child
_OBJECTS = 50_000  # between two collections: captured values are many objects, which are looked through in vain

# User code may replace these in their modules.
_clock, _getpid, _exit, _read, _write = time.monotonic, os.getpid, os._exit, os.read, os.write
_fork, _getppid, _setsid, _duplicate, _close = os.fork, os.getppid, os.setsid, os.dup2, os.close
_list, _waitpid, _kill, _sleep = os.listdir, os.waitpid, os.kill, time.sleep
_random_state, _set_random_state = random.getstate, random.setstate
_dumps, _loads, _format = pickle.dumps, pickle.loads, traceback.format_exception


class Ask(Enum):
    """What a worker is asked for without a unit. There is no answer; a copy says its number."""

    OPEN = "make the session of the payload"
    COPY = "fork"


@dataclass(frozen=True, slots=True)
class Ready:
    """Asks a worker to load the user's code, and to do what all units share; `given` is for the session."""

    given: Any = None


class Said(Enum):
    """What a worker says: how a unit ended, or, while it gets ready, that it can't be copied."""

    DONE = "done"
    CRASHED = "crashed"
    ALONE = "alone"


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
    def __init__(
        self, requests: int, results: int, payload: int, traces: int, copies: int, board: Board, parent: int
    ) -> None:
        self._requests, self._results, self._payload, self._board = requests, results, payload, board
        self._traces = _tracing(_high(traces))
        self._copies: socket.socket | None = socket.socket(fileno=copies)
        self._parent = parent
        self._pid = _getpid()
        self._poisoned: dict[str, Any] = {}
        self._session: Any = None
        self._failure = ""
        self._held = frozenset[str]()
        os.register_at_fork(after_in_child=self._forked)

    def _forked(self) -> None:
        """A child that user code forked must not talk to our parent."""
        for pipe in (self._requests, self._results):
            with contextlib.suppress(OSError):
                _close(pipe)
        if self._copies is not None:
            self._copies.close()

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

    def send(self, said: Said, value: Any) -> None:
        """Sends a result; one that cannot be pickled becomes a crash."""
        try:
            body = _dumps((said, value))
        except Exception:
            body = _dumps((Said.CRASHED, "the result cannot be sent:\n" + traceback.format_exc()))
        message = memoryview(LENGTH.pack(len(body)) + body)
        while message:
            message = message[_write(self._results, message) :]

    def serve(self, start: Start) -> None:
        """Runs units until the parent closes the pipe."""
        usual = _Surroundings(start.root)
        with contextlib.suppress(OSError):
            self._held = _held()
        with contextlib.suppress(Exception):  # while the parent is still reading; if it fails, `_open` will say so
            importlib.import_module(start.target.partition(":")[0])
        while (request := self.receive()) is not None:
            unit, lost = request
            self._poisoned.update(lost)
            if unit is Ask.OPEN:
                self._open(start)
                continue
            if unit is Ask.COPY:
                if self._copied():
                    usual.reopen()
                    self.send(Said.DONE, self._pid)
                continue
            self._board.write("")
            said, value = self._guarded(start, unit)
            usual.restore()
            self.send(said, value)
            self._board.write("")

    def _guarded(self, start: Start, unit: Any) -> tuple[Said, Any]:
        try:
            if self._failure:
                return Said.CRASHED, self._failure
            value = self._ready(unit.given) if isinstance(unit, Ready) else self._session.run(unit)
            self._end_child(0)
            return Said.DONE, value
        except BaseException as error:  # SystemExit and KeyboardInterrupt of user code too
            self._end_child(_status(error))
            return Said.CRASHED, "".join(_format(error))

    def _ready(self, given: Any) -> bool:
        """Gets ready; whether this process can be copied then."""
        getattr(self._session, "load", lambda: None)()
        self._end_child(0)
        if not self._is_copyable():
            self.send(Said.ALONE, None)
        getattr(self._session, "prepare", lambda given: None)(given)
        self._end_child(0)
        return self._is_copyable()

    def _is_copyable(self) -> bool:
        """Whether a fork is like this process, and apart from it.

        Threads do not go with it; an open file, and memory that processes share (locks too), would be one for both.
        """
        try:
            return len(_list("/proc/self/task")) == 1 and _held() <= self._held
        except Exception:
            return False

    def _copied(self) -> bool:
        """Forks, with the descriptors that come beside the request; whether this is the copy.

        Between the two stands a process that ends at once, so that the copy becomes a child of the parent.
        """
        assert self._copies is not None
        copyable, child = self._is_copyable(), -1
        descriptors = socket.recv_fds(self._copies, 1, COPIED)[1]
        state = _random_state()  # a child gets another one
        if copyable:
            with contextlib.suppress(Exception):  # handlers of user code, or no more processes
                for stream in (sys.stdout, sys.stderr):
                    stream.flush()
                child = _fork()
        if child:
            for descriptor in descriptors:
                _close(descriptor)
            if child > 0:
                _reap(child)
            return False
        try:
            if _fork():
                _exit(0)
            _set_random_state(state)
            self._begin_copy(*descriptors)
        except BaseException:
            _exit(1)
        return True

    def _begin_copy(self, requests: int, results: int, board: int, output: int, traces: int) -> None:
        """Makes a fork a worker of its own."""
        _setsid()
        end = _clock() + _SOON
        while _getppid() != self._parent and _clock() < end:
            _sleep(0.0005)
        _die_with_parent(self._parent)
        for standard in (1, 2):
            _duplicate(output, standard)
        _close(self._traces)
        self._pid, self._copies = _getpid(), None
        self._requests, self._results = _high(requests), _high(results)
        self._board, self._traces = Board(board), _tracing(_high(traces))
        for descriptor in (board, output):
            _close(descriptor)

    def _end_child(self, status: int) -> None:
        """A child that user code forked has run on into our loop: ends it as a plain run would end."""
        if _getpid() != self._pid:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
            _exit(status)

    def _open(self, start: Start) -> None:
        """Makes the session; what is wrong with that is told of each unit."""
        module, _, name = start.target.partition(":")
        try:
            target: Callable[..., Any] = getattr(importlib.import_module(module), name)
            with os.fdopen(self._payload, "rb") as file:  # it was written before this was asked for
                file.seek(0)
                payload = pickle.load(file)
            self._session = target(payload, self._activity, self._poisoned)
        except BaseException as error:
            self._end_child(_status(error))
            self._failure = "".join(_format(error))


class _Surroundings:
    """What of the process user code may have changed for the units after it."""

    _SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGHUP

    def __init__(self, root: str) -> None:
        self._root = root
        self._environment = dict(os.environ)
        self._streams = sys.stdin, sys.stdout, sys.stderr
        self._descriptors = _standard()
        self._arguments = list(sys.argv)
        self._recursion = sys.getrecursionlimit()
        self._handlers = {number: signal.getsignal(number) for number in self._SIGNALS}
        self._functions = os.chdir, os.dup2, signal.signal, signal.setitimer, sys.settrace, sys.setprofile

    def reopen(self) -> None:
        """Notes that output goes elsewhere from here on."""
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = _standard()

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


def _standard() -> list[int]:
    """Other numbers of the standard streams."""
    return [fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _HIGH) for number in range(3)]


def _held() -> frozenset[str]:
    """What this process would share with a fork: its descriptors, and memory that all who share it may write to."""
    found = set()
    for name in _list("/proc/self/fd"):
        with contextlib.suppress(OSError):  # one is that of the listing
            os.fstat(int(name))
            found.add(name)
    with open("/proc/self/maps") as maps:
        for line in maps:
            place, rights, *_ = line.split()
            if rights.startswith("rw") and rights.endswith("s"):
                found.add(place)
    return frozenset(found)


def _reap(child: int) -> None:
    """Waits for a process that is to end at once, and ends it where it doesn't."""
    end = _clock() + _SOON
    with contextlib.suppress(OSError):  # it was reaped already, or ended children are ignored
        while not _waitpid(child, os.WNOHANG)[0]:
            if _clock() > end:
                _kill(child, signal.SIGKILL)
            _sleep(0.0005)


def _tracing(traces: int) -> int:
    """Has tracebacks of crashes, and of a stuck process that is asked for one, go to a file."""
    faulthandler.enable(traces)
    faulthandler.register(DUMP_SIGNAL, traces)
    return traces


def _high(descriptor: int) -> int:
    duplicate = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    os.close(descriptor)
    return duplicate


def _without(folders: tuple[str, ...]) -> None:
    """Takes the user's folders off sys.path, until the target puts them on."""
    ours = {os.path.realpath(folder) for folder in folders}
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or ".") not in ours]


def main(
    requests: int, results: int, board: int, traces: int, start: int, payload: int, copies: int, parent: int
) -> None:
    """Runs a worker.

    The numbers are those of its pipes, of the board, of the files of tracebacks, start and payload, and of the socket
    over which descriptors come for copies of it.
    """
    _die_with_parent(parent)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # whoever started eqtrace may ignore it, and so would this process
    with os.fdopen(start, "rb") as file:
        message: Start = pickle.load(file)
    os.environ.update(message.environment)
    _without(message.user_folders)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    sys.argv[:] = [""]
    gc.set_threshold(_OBJECTS, 10, 10)
    worker = _Worker(_high(requests), _high(results), _high(payload), traces, _high(copies), Board(board), parent)
    os.close(board)
    worker.serve(message)
    os._exit(0)  # threads of user code are not waited for
