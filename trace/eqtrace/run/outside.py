"""What user code takes from outside the interpreter, as audit hooks show it: files, folders, other processes."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_UNKNOWABLE = {
    "socket.connect": "it used the network",
    "subprocess.Popen": "it ran another program",
    "os.system": "it ran another program",
    "os.exec": "it ran another program",
    "os.posix_spawn": "it ran another program",
    "os.spawn": "it ran another program",
    "os.fork": "it forked",
    "os.forkpty": "it forked",
    "sqlite3.connect": "it used a database",
}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_KNOWN = tuple(
    os.path.join(os.path.realpath(folder), "")
    for folder in {*sysconfig.get_paths().values(), os.path.dirname(os.path.dirname(__file__))}
    if folder != sysconfig.get_path("data")
)


class Outside:
    """Collects, while it is on, what was read; what the same run wrote before is not from outside."""

    def __init__(self) -> None:
        self._on = False
        self._all_written: set[str] = set()
        self._handlers: dict[str, Callable[..., None]] = {
            "open": self._open,
            "os.listdir": self._list,
            "os.scandir": self._list,
            "os.rename": self._rename,
            "os.mkdir": self._make,
        }
        self.clear()
        sys.addaudithook(self._hook())

    def clear(self) -> None:
        """Forgets what was read; what an earlier run wrote is no longer this run's."""
        self.files: set[str] = set()
        self.folders: set[str] = set()
        self.unknowable = ""
        self._written: set[str] = set()
        self._made: tuple[str, ...] = ()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """User code runs within."""
        before, self._on = self._on, True
        try:
            yield
        finally:
            self._on = before

    def _hook(self) -> Callable[[str, tuple[Any, ...]], None]:
        """The hook: a plain function, since every event of the interpreter passes through it."""
        events = frozenset({*self._handlers, *_UNKNOWABLE})

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            if event in events and self._on:
                self._take(event, arguments)

        return hook

    def _take(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _UNKNOWABLE:
            self.unknowable = _UNKNOWABLE[event]
            return
        self._on = False
        try:
            if not _is_import():
                self._handlers[event](*arguments)
        except (TypeError, ValueError, OSError):  # a path that is none: the call itself will fail
            pass
        finally:
            self._on = True

    def _open(self, path: Any, mode: str | None, flags: int) -> None:
        if isinstance(path, int):
            return
        name = _absolute(path)
        writes = bool(flags & _WRITES) if mode is None else not set(mode).isdisjoint("wxa+")
        if name in self._written or os.path.join(name, "").startswith(self._made):
            return
        if not writes and os.path.isdir(name):
            self._list(path)
            return
        if writes:
            if flags & (os.O_RDWR | os.O_APPEND) and not flags & os.O_TRUNC and os.path.exists(name):
                self.unknowable = f"it changed {name} in place"
            self._written.add(name)
            self._all_written.add(name)
        elif name in self._all_written:
            self.unknowable = f"it read {name}, which an earlier run wrote"
        elif not is_installed(name):
            self.files.add(name)

    def _list(self, path: Any) -> None:
        if isinstance(path, int):
            return
        name = _absolute("." if path is None else path)
        name = os.path.join(name, "")
        if not name.startswith(self._made) and not is_installed(name):
            self.folders.add(name)

    def _rename(self, source: Any, target: Any, *_: Any) -> None:
        if _absolute(source) in self._written:
            self._written.add(_absolute(target))
            self._all_written.add(_absolute(target))

    def _make(self, path: Any, *_: Any) -> None:
        self._made = (*self._made, os.path.join(_absolute(path), ""))


def is_installed(file: str) -> bool:
    """Whether a file belongs to the interpreter, an installed package or eqtrace: their versions stand for it."""
    return file.startswith(_KNOWN) or "/site-packages/" in file or "/dist-packages/" in file


def _absolute(path: Any) -> str:
    return os.path.abspath(os.fsdecode(path))


def _is_import() -> bool:
    """Whether the import system is what opens or lists: modules are followed apart."""
    frame = sys._getframe(3)
    return frame.f_code.co_filename.startswith("<frozen importlib")
