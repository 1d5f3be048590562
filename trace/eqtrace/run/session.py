"""A worker's session: the user's code imported once and instrumented, and every unit answered on it."""

from __future__ import annotations

import importlib
import sys
import time
import traceback
import types
import warnings
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.verdict import Evidence, MethodResult, Verdict
from eqtrace.run.capture import Captures
from eqtrace.run.exact.shadow import Constants, Shadows
from eqtrace.run.failed import Failed
from eqtrace.run.hook import install
from eqtrace.run.methods import METHODS
from eqtrace.run.outcome import Lost
from eqtrace.run.record import Recorder
from eqtrace.run.work import Unit, Work

if TYPE_CHECKING:
    from eqtrace.run.gradient.gradients import Gradients


class Session:
    """See the module.

    Args:
        work: what to check and where the code is.
        activity: announces which user code is about to run, so that a hang or a crash can be told apart.
        poisoned: activities that hung or crashed in an earlier worker, and what became of them; they are not tried
            again.
    """

    def __init__(self, work: Work, activity: Callable[[str], None], poisoned: Mapping[str, Lost]) -> None:
        self.work = work
        self._activity = activity
        self._poisoned = poisoned
        self.recorder = Recorder()
        install(work.sites.values(), self.recorder, work.pythonpath)
        self.twins = {constants: Shadows(self.is_user_file, constants) for constants in Constants}
        self.captures = Captures(self)

    def run(self, unit: Unit) -> MethodResult:
        """The result of one unit. User code that fails is a fault in it, never an exception."""
        started = time.perf_counter()
        equation = self.work.equations[unit.equation]
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                result = METHODS[unit.method](equation, self)
        except Failed as failed:
            fault = replace(failed.fault, equation=equation.id, method=unit.method)
            detail = fault.message.splitlines()[0]
            result = MethodResult(equation.id, unit.method, Verdict.NOT_CHECKED, Evidence(detail=detail), (fault,))
        return replace(result, seconds=time.perf_counter() - started)

    @cached_property
    def gradients(self) -> Gradients:
        """The gradients of the specification, and what their runs showed."""
        from eqtrace.run.gradient.gradients import Gradients  # it needs what the methods need

        return Gradients(self)

    def rng(self, *names: str) -> np.random.Generator:
        """A generator that depends on the seed and on what it is for, never on the order of the work."""
        return np.random.default_rng([self.work.seed, *(zlib.crc32(name.encode()) for name in names)])

    def perform(self, activity: str, span: Span, work: Callable[[], Any]) -> Any:
        """Runs user code under the time limit.

        Raises:
            Failed: it raised or exited, or it hung or crashed in an earlier worker.
        """
        if activity in self._poisoned:
            hint = "nothing after it in the same run was seen; a longer limit is --timeout SECONDS"
            raise Failed(Fault("user-code-failed", f"{activity} {self._poisoned[activity].reason}", span, hint))
        self._activity(activity)
        try:
            return work()
        except Failed:
            raise
        except BaseException as error:
            raise Failed(self._failure(activity, span, error)) from error
        finally:
            self._activity("")

    def module(self, name: str, span: Span) -> types.ModuleType:
        """Imports a user's module.

        Raises:
            Failed: it cannot be imported.
        """
        if name not in sys.modules:
            self.perform(f"import {name}", span, lambda: importlib.import_module(name))
        return sys.modules[name]

    def is_user_file(self, file: str) -> bool:
        """Whether a source file is the user's (its functions have exact twins, its frames are shown)."""
        return file in self.work.modules or file in self.work.user_files

    def relative(self, file: str) -> str:
        """A file's path as findings show it."""
        return file.removeprefix(self.work.root.rstrip("/") + "/")

    def _failure(self, activity: str, span: Span, error: BaseException) -> Fault:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if self.is_user_file(frame.filename)]
        last = "".join(traceback.format_exception_only(error)).rstrip()
        related: tuple[Related, ...] = ()
        if frames:
            related = (
                Related(Span(self.relative(frames[-1].filename), frames[-1].lineno or 1), f"raised here: {last}"),
            )
        shown = "".join(traceback.format_list(frames)) + last
        return Fault("user-code-failed", f"{activity} raised {type(error).__name__}\n{shown}", span, "", related)
