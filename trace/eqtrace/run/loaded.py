"""The user's modules, imported once; a child gives the functions that are there a mutant's code, or imports anew.

Only functions change with a mutant, if nothing of the changed statement ran while the modules were imported. Then they
need the new code alone, which is quicker by far than an import.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import sysconfig
import threading
import types
from collections.abc import Iterable, Iterator

from eqtrace.model.span import Span
from eqtrace.run.failed import Failed
from eqtrace.run.methods.discrete import load_references
from eqtrace.run.region import Region
from eqtrace.run.session import Session

_Place = tuple[str, int]  # qualified name and first line


class Loaded:
    """Imports everything that a session may ask for, once.

    Args:
        session: the session.
        codes: the instrumented code of the user's modules, by file: what an import runs.
    """

    def __init__(self, session: Session, codes: dict[str, types.CodeType]) -> None:
        self._session = session
        self._codes = codes
        before, threads = set(sys.modules), threading.active_count()
        with session.recorder.recording() as recording:
            self._import()
        self._ran = frozenset(recording.executions)  # anchors whose statements ran then
        self._own = tuple(name for name in sys.modules.keys() - before if _is_source(session, name))
        self._has_threads = threading.active_count() > threads  # that run the user's code
        self._functions: dict[int, list[types.FunctionType]] = {}
        for each in gc.get_objects():
            if type(each) is types.FunctionType:
                self._functions.setdefault(id(each.__code__), []).append(each)

    def _import(self) -> None:
        work, session = self._session.work, self._session
        for file, name in work.modules.items():
            with contextlib.suppress(Failed):
                session.module(name, Span(session.relative(file), 1))
        with contextlib.suppress(Failed):
            session.captures.scenarios.load()
        if work.references is not None:
            with contextlib.suppress(Failed):
                load_references(session, work.references)

    def has_functions_only(self, anchors: Iterable[str]) -> bool:
        """Whether the statement of these anchors has not run: nothing that an import left behind rests on it."""
        return not self._has_threads and self._ran.isdisjoint(anchors)

    def swap(self, where: Region, code: types.CodeType) -> bool:
        """Gives each function of a region its new code; False where one could not be told from another."""
        new = _by_place(_within(code))
        old = _by_place(each for each in _within(self._codes[where.file]) if _starts_in(each, where))
        found: list[tuple[types.FunctionType, types.CodeType]] = []
        for place, codes in old.items():
            functions = [function for each in codes for function in self._functions.get(id(each), ())]
            others = new.get(place, ())
            if not functions:
                continue
            if len(codes) != 1 or len(others) != 1 or others[0].co_freevars != codes[0].co_freevars:
                return False
            found += [(function, others[0]) for function in functions]
        for function, other in found:
            function.__code__ = other
        return True

    def import_anew(self, file: str, code: types.CodeType | None) -> None:
        """From now on the user's modules are as if they had never been imported, and one of them has this code."""
        if code is not None:
            self._codes[file] = code
        for name in self._own:
            sys.modules.pop(name, None)
        self._session.scenarios = None


def _is_source(session: Session, name: str) -> bool:
    """Whether a module was read from a source file of the user's, and not from an installed package beside it."""
    file = getattr(sys.modules[name], "__file__", None)
    if not isinstance(file, str) or not file.endswith(".py"):
        return False
    if session.is_user_file(file) or file in (session.work.scenarios, session.work.references):
        return True
    folders = (session.work.root, *session.work.pythonpath)
    return any(_lies_in(file, each) for each in folders) and not any(_lies_in(file, each) for each in _installed())


def _installed() -> set[str]:
    return {sysconfig.get_path(each) for each in ("purelib", "platlib", "stdlib")}


def _lies_in(file: str, folder: str) -> bool:
    return os.path.realpath(file).startswith(os.path.realpath(folder).rstrip(os.sep) + os.sep)


def _within(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _within(constant)


def _by_place(codes: Iterable[types.CodeType]) -> dict[_Place, list[types.CodeType]]:
    found: dict[_Place, list[types.CodeType]] = {}
    for code in codes:
        found.setdefault((code.co_qualname, code.co_firstlineno), []).append(code)
    return found


def _starts_in(code: types.CodeType, where: Region) -> bool:
    return where.first <= code.co_firstlineno <= where.last
