"""A worker process as its parent sees it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eqtrace.run import worker
from eqtrace.run.outcome import Lost

_TAIL = 8_000  # bytes of output and traceback that are kept
_COPYING = 5.0  # seconds that a copy may take: it is a fork
_SUBREAPER, _GET_SUBREAPER = 36, 37  # of prctl
_LARGEST_OUTPUT = 64 * 2**20  # bytes of output after which its file is emptied
# -P keeps the current folder off sys.path, so that no file of the user's is imported before its turn. The package is
# the one that runs here, wherever the worker's own sys.path would find another.
_BOOT = """import sys
sys.path.insert(0, sys.argv[1])
import eqtrace
del sys.path[0]
from eqtrace.run.worker import main
main(*map(int, sys.argv[2:]))"""


@dataclass(slots=True, eq=False)
class Task:
    """A unit of work (or to get ready), the group that shares work with it, '' for none, and losses of its worker."""

    unit: Any
    group: str = ""
    losses: int = 0
    blank: int = 0  # losses outside of any activity


class Process:
    """One worker process, in a session of its own, seen from its parent. It is made by `started` or by `copy`."""

    def __init__(self) -> None:
        self.task: Task | None = None
        self.groups: set[str] = set()  # of the units that it was given
        self.known: set[str] = set()  # poisoned activities that it was told of
        self.connected = True
        self.ready = False  # whether a session is open
        self.copyable = False  # whether it is ready, and was given no unit yet
        self.received = 0  # bytes
        self._buffer = bytearray()
        self._pid = 0
        self._popen: subprocess.Popen[bytes] | None = None
        self._payload: int | None = None  # until it is written
        self._copies: socket.socket | None = None
        self._output, self._traces, board = _file(), _file(), _file()
        os.truncate(board, worker.BOARD_SIZE)
        self.board = worker.Board(board)
        self.board.write("")
        theirs, self._requests = os.pipe()
        self.results, ours = os.pipe()
        self._theirs: tuple[int, ...] = (theirs, ours, board)

    @classmethod
    def started(cls, start: bytes, root: str, environment: dict[str, str]) -> Process:
        """A new process."""
        self = cls()
        message, self._payload = _file(start), _file()
        self._copies, copies = socket.socketpair()
        passed = (*self._theirs, self._traces, message, self._payload, copies.fileno())
        package = Path(worker.__file__).parents[2]
        command = [sys.executable, "-P", "-c", _BOOT, str(package), *map(str, passed), str(os.getpid())]
        try:
            self._popen = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.STDOUT,
                pass_fds=passed,
                cwd=root,
                env=environment,
                start_new_session=True,
            )
            self._pid = self._popen.pid
        finally:
            copies.close()
            self._let_go(message)
        return self

    def copy(self) -> Process | None:
        """A copy of this process, which waits for its first unit; None where it can't be copied."""
        other = Process()
        assert self._copies is not None
        with _adopting(), contextlib.suppress(OSError):
            socket.send_fds(self._copies, [b"."], [*other._theirs, other._output, other._traces])
            self._send(worker.Ask.COPY, {})
            other._let_go()
            end = time.monotonic() + _COPYING
            while other.connected and not other._pid and (left := end - time.monotonic()) > 0:
                if select.select([other.results], [], [], left)[0] and (said := other.receive()) is not None:
                    other._pid = said[1]
        if not other._pid:
            other._let_go()
            other.close()
            return None
        other.ready = True
        other.known = set(self.known)
        return other

    def _let_go(self, *others: int) -> None:
        """Closes what the process itself has by now."""
        for descriptor in (*self._theirs, *others):
            os.close(descriptor)
        self._theirs = ()

    def open(self, payload: bytes, poisoned: dict[str, Lost]) -> None:
        """Has the session made of a payload: once, before the first unit."""
        if self._payload is not None:
            with os.fdopen(self._payload, "wb") as file:
                file.write(payload)
            self._payload = None
            self._send(worker.Ask.OPEN, self._news(poisoned))

    def give(self, task: Task, poisoned: dict[str, Lost]) -> None:
        """Sends a unit, with the poisoned activities that this worker does not know of."""
        self.task = task
        self.copyable = False
        self.groups.add(task.group)
        os.truncate(self._output, 0)
        if self.ready:  # else it may be making its session
            self.board.write("")
        self._send(task.unit, self._news(poisoned))

    def _news(self, poisoned: dict[str, Lost]) -> dict[str, Lost]:
        """The poisoned activities that it does not know of, and does from now on."""
        news = {name: lost for name, lost in poisoned.items() if name not in self.known}
        self.known.update(news)
        return news

    def _send(self, asked: Any, news: dict[str, Lost]) -> None:
        body = pickle.dumps((asked, news))
        message = memoryview(worker.LENGTH.pack(len(body)) + body)
        with contextlib.suppress(BrokenPipeError):  # it died; the next look at it says how
            while message:
                message = message[os.write(self._requests, message) :]

    def receive(self) -> tuple[worker.Said, Any] | None:
        """What it says next, if that is whole."""
        part = os.read(self.results, 1 << 20)
        if not part:
            self.connected = self._ends_soon()
        self._buffer += part
        self.received += len(part)
        return self.said()

    def said(self) -> tuple[worker.Said, Any] | None:
        """What it said beside what was taken already, if that is whole."""
        if len(self._buffer) < worker.LENGTH.size:
            return None
        end = worker.LENGTH.size + worker.LENGTH.unpack_from(self._buffer)[0]
        if len(self._buffer) < end:
            return None
        body = bytes(self._buffer[worker.LENGTH.size : end])
        del self._buffer[:end]
        result: tuple[worker.Said, Any] = pickle.loads(body)
        return result

    def _ends_soon(self) -> bool:
        """The pipe's end mostly means that the process is about to end; user code may also have closed it."""
        for _ in range(20):
            if self.ended():
                return True
            time.sleep(0.01)
        return False

    def ended(self) -> str:
        """How the process ended; '' while it runs. It is not reaped here, so that its group's number stays taken."""
        if not self.connected:
            return "closed its connection to eqtrace"
        if not self._pid:
            return ""
        try:
            found = os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # this process was started so that ended children are forgotten
            return "ended"
        if found is None:
            return ""
        if found.si_code == os.CLD_EXITED:
            return f"exited with status {found.si_status}"
        return f"killed by signal {_signal_name(found.si_status)}"

    def lost(self, activity: str, reason: str) -> Lost:
        """What can be said about a worker that is given up."""
        if reason.startswith("timed out"):
            self._dump()
        assert self.task is not None
        return Lost(self.task.unit, activity, reason, _tail(self._output), _tail(self._traces))

    def _dump(self) -> None:
        """Asks a stuck worker where it is."""
        with contextlib.suppress(OSError):
            os.kill(self._pid, worker.DUMP_SIGNAL)
        size = -1
        for _ in range(20):
            time.sleep(0.025)
            before, size = size, os.fstat(self._traces).st_size
            if size and size == before:
                return

    def trim(self) -> None:
        """Empties the output's file when it is large."""
        if os.fstat(self._output).st_size > _LARGEST_OUTPUT:
            os.truncate(self._output, 0)

    def kill(self) -> None:
        """Kills the worker's whole process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)

    def close(self) -> None:
        """Reaps the process and lets its files go."""
        if self._popen is not None:
            self._popen.wait()
        elif self._pid:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._pid, 0)
        if self._copies is not None:
            self._copies.close()
        for descriptor in (self._requests, self.results, self._output, self._traces, self._payload):
            if descriptor is not None:
                os.close(descriptor)


@contextlib.contextmanager
def _adopting() -> Iterator[None]:
    """While this is on, a process below this one whose parent ends becomes a child of this one (on Linux)."""
    import ctypes

    system = ctypes.CDLL(None)
    before = ctypes.c_int()
    system.prctl(_GET_SUBREAPER, ctypes.byref(before))
    system.prctl(_SUBREAPER, 1)
    try:
        yield
    finally:
        system.prctl(_SUBREAPER, before.value)


def environment(folders: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The worker's environment, and what it sets itself once its interpreter has started.

    Results must not depend on hash seeds or on how sums are split over threads. The user's folders count only after
    the start.
    """
    variables = dict(os.environ)
    for name in ("OPENBLAS", "OMP", "MKL"):
        variables[f"{name}_NUM_THREADS"] = "1"
    variables["PYTHONHASHSEED"] = "0"
    kept = {}
    if path := variables.pop("PYTHONPATH", ""):
        entries = [os.path.abspath(entry) for entry in path.split(os.pathsep)]
        kept["PYTHONPATH"] = os.pathsep.join(entries)
        ours = {os.path.realpath(folder) for folder in folders}
        variables["PYTHONPATH"] = os.pathsep.join(entry for entry in entries if os.path.realpath(entry) not in ours)
    return variables, kept


def _file(content: bytes = b"") -> int:
    """A temporary file without a name, read and appended to (it may be emptied while a process writes)."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        descriptor = os.dup(file.fileno())
    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_APPEND)
    return descriptor


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name.removeprefix("SIG")
    except ValueError:
        return str(number)


def _tail(file: int) -> str:
    size = os.fstat(file).st_size
    return os.pread(file, _TAIL, max(0, size - _TAIL)).decode("utf-8", "replace")
