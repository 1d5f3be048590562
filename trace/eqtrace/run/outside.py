"""What user code takes from outside the interpreter, as audit hooks show it: files, folders, other processes."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from importlib.machinery import BYTECODE_SUFFIXES
from importlib.util import source_from_cache
from types import FrameType
from typing import Any

from eqtrace.run.needs import EVERY

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
_ASKING = ("stat", "access")
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
            "ctypes.dlopen": self._link,
        }
        self.clear()
        sys.addaudithook(self._hook())
        self._watch_variables()

    def clear(self) -> None:
        """Forgets what was read; what an earlier run wrote is no longer this run's."""
        self.files: set[str] = set()
        self.folders: set[str] = set()
        self.loaded: set[str] = set()  # sources that the import system opened
        self.asked: set[str] = set()  # files and folders of which it was asked whether they are there
        self.variables: set[str] = set()  # of the environment; EVERY where all were looked at
        self.places: set[str] = set()  # where modules were looked for in vain, without an ending
        self.absent: set[str] = set()  # top-level modules that were looked for in vain
        self.unknowable = ""
        self._written: set[str] = set()
        self._made: tuple[str, ...] = ()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """User code runs within."""
        before, self._on = self._on, True
        held = {name: getattr(os, name) for name in _ASKING} if not before else {}
        for name, function in held.items():
            setattr(os, name, self._asking(function))
        try:
            yield
        finally:
            self._on = before
            for name, function in held.items():
                setattr(os, name, function)

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
            elif event == "open":
                self._load(*arguments)
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

    def _load(self, path: Any, mode: str | None, flags: int) -> None:
        """What the import system opens: a module, which is followed apart, or something else that is loaded so."""
        if mode is None and flags & _WRITES:
            return  # bytecode that it keeps
        name = _absolute(path)
        if name.endswith(tuple(BYTECODE_SUFFIXES)):
            with suppress(ValueError):  # bytecode without its source
                name = source_from_cache(name)
        if not is_installed(name):
            self.loaded.add(name)

    def _link(self, path: Any) -> None:
        """A library of compiled code; a bare name leads to one of the system's."""
        if path is not None and os.sep in os.fsdecode(path) and not is_installed(_absolute(path)):
            self.files.add(_absolute(path))

    def missed(self, name: str, folders: Iterable[str]) -> None:
        """A module was looked for in folders and is in none of them."""
        if not self._on:
            return
        top, _, last = name.rpartition(".")
        if not top:
            self.absent.add(last)
        self.places |= {place for folder in folders if not is_installed(place := _absolute(os.path.join(folder, last)))}

    def _asking(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`os.stat` or its kin, of which no audit hook tells, with a note of what was asked for."""

        @wraps(function)
        def noting(path: Any, *arguments: Any, **named: Any) -> Any:
            if not isinstance(path, int) and named.get("dir_fd") is None and self._on:
                self._ask(path)
            return function(path, *arguments, **named)

        return noting

    def _ask(self, path: Any) -> None:
        try:
            name = _absolute(path)
        except (TypeError, ValueError):  # a path that is none: the call itself will fail
            return
        if name not in self._written and not os.path.join(name, "").startswith(self._made) and not is_installed(name):
            self.asked.add(name)

    def _watch_variables(self) -> None:
        """Has the environment tell which of its variables are read."""
        outside = self

        class Variables(dict[bytes, bytes]):
            def __getitem__(self, key: bytes) -> bytes:
                if outside._on:
                    outside.variables.add(os.fsdecode(key))
                return super().__getitem__(key)

            def __iter__(self) -> Iterator[bytes]:
                if outside._on and not is_installed(_caller()):
                    outside.variables.add(EVERY)
                return super().__iter__()

        held: Any = os.environ
        held._data = Variables(held._data)
        if os.supports_bytes_environ:
            same: Any = os.environb
            same._data = held._data

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


def _caller() -> str:
    """The file of the code that reads the environment."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith("<frozen "):
        frame = frame.f_back
    return frame.f_code.co_filename if frame is not None else ""


def _is_import() -> bool:
    """Whether the import system is what opens or lists: modules are followed apart."""
    frame = sys._getframe(3)
    return frame.f_code.co_filename.startswith("<frozen importlib")
