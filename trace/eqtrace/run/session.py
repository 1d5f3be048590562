"""A worker's session: the user's code imported once and instrumented, and every unit answered on it."""

from __future__ import annotations

import gc
import importlib
import os
import re
import sys
import time
import traceback
import types
import warnings
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import hypothesis.extra.numpy  # noqa: F401  (for `discrete`; later the user's modules could hide what it needs)
import numpy as np

from eqtrace.model.example import ExampleResult
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.verdict import Evidence, MethodResult, Verdict
from eqtrace.run.capture import Captures
from eqtrace.run.children import ending_children
from eqtrace.run.effort import FULL, Effort
from eqtrace.run.exact.shadow import Constants, Shadows
from eqtrace.run.failed import Failed
from eqtrace.run.hook import install
from eqtrace.run.methods import METHODS
from eqtrace.run.outcome import Lost
from eqtrace.run.record import Recorder
from eqtrace.run.sample import Draw, NoDraw
from eqtrace.run.tracker import Untracked
from eqtrace.run.work import EXAMPLE, Unit, Work

if TYPE_CHECKING:
    from eqtrace.run.gradient.gradients import Gradients

Ahead = tuple[str, str, bool]  # equation, name of a target, and whether its constraint chose them
_DUMPED = re.compile(r'^  File "(.+)", line (\d+) in (.+)$', re.MULTILINE)  # as faulthandler writes it
_ARRAY_LIBRARY = f"{os.sep}array_api_"  # that packages carry: what stands for NumPy's functions stands for its own
_PROOFS = frozenset({"derivative", "identity"})  # methods that run no code
_LINES = 20  # of a lost worker's output that a finding shows


@dataclass(frozen=True, slots=True)
class Prepared:
    """Instrumented code of the user's modules by file, and the recorder that it reports to."""

    recorder: Recorder
    codes: Mapping[str, types.CodeType]


class Session:
    """See the module.

    Args:
        work: what to check and where the code is.
        activity: announces which user code is about to run, so that a hang or a crash can be told apart.
        poisoned: activities that hung or crashed in an earlier worker, and what became of them; they are not tried
            again.
        tracker: records what each result rests on.
        effort: how much is tried.
        prepared: the user's modules, instrumented already.
    """

    def __init__(
        self,
        work: Work,
        activity: Callable[[str], None],
        poisoned: Mapping[str, Lost],
        tracker: Untracked | None = None,
        effort: Effort = FULL,
        prepared: Prepared | None = None,
    ) -> None:
        self.tracker = tracker or Untracked()
        self.work = self.tracker.work(work)
        self.effort = effort
        self._activity = activity
        self._poisoned = poisoned
        self.recorder = Recorder() if prepared is None else prepared.recorder
        watched = [*work.sites.values(), *work.followed.values()]
        self.finder = install(
            watched, self.recorder, work.pythonpath, self.tracker.marked, prepared.codes if prepared else {}
        )
        self._packages = _packages(self.work)
        self.twins = {constants: Shadows(self.has_twins, constants, tracker=self.tracker) for constants in Constants}
        self.scenarios: types.ModuleType | None = None
        self.ahead: dict[Ahead, tuple[list[Draw], Any]] = {}  # inputs drawn ahead, and the generator's state after them
        self.captures = Captures(self)
        self._unimported: dict[str, Fault] = {}  # modules whose import failed
        self.values: dict[str, MethodResult] = {}  # what method `value` gave, which others look at too

    def load(self) -> None:
        """Imports the scenarios, and the user's code with them; what is wrong with it is told with each unit."""
        with suppress(Failed):
            self.captures.scenarios.load()

    def prepare(self, _: object = None) -> None:
        """Runs the scenarios, at which all methods look."""
        self.captures.scenarios.runs()
        self.captures.scenarios.asked = False  # no unit has yet
        gc.freeze()  # what was captured stays for as long as this process does: no use in looking through it

    def start_again(self, effort: Effort, work: Work | None = None) -> None:
        """Forgets what was captured, so that units are answered anew: with another effort, or of changed code."""
        self.effort = effort
        self.work = self.work if work is None else work
        self.captures = Captures(self)
        self.values = {}
        self.__dict__.pop("gradients", None)

    def run(self, unit: Unit) -> MethodResult | ExampleResult:
        """The result of one unit. User code that fails is a fault in it, never an exception."""
        if unit.method == EXAMPLE:
            from eqtrace.run.example.work import work_out  # it needs what the session gives

            return work_out(unit.equation, self.work.examples[unit.equation], self)
        return self.method(unit)

    def method(self, unit: Unit) -> MethodResult:
        """The result of one method."""
        started = time.perf_counter()
        equation = self.work.equations[unit.equation]
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                result = METHODS[unit.method](equation, self)
        except (Failed, NoDraw) as failed:
            place = equation.where.span if equation.where else equation.span
            fault = failed.fault if isinstance(failed, Failed) else Fault("value-undecided", str(failed), place)
            fault = replace(fault, equation=equation.id, method=unit.method)
            detail = fault.message.splitlines()[0]
            result = MethodResult(equation.id, unit.method, Verdict.NOT_CHECKED, Evidence(detail=detail), (fault,))
        if equation.defaults and unit.method not in _PROOFS:
            defaults = ", ".join(f"{name} = {value}" for name, value in equation.defaults.items())
            kept = f"nothing is claimed but of the default {defaults}, which the formula does not name"
            limits = (*result.evidence.limits, kept)
            result = replace(result, evidence=replace(result.evidence, limits=limits))
        faults = (*self.captures.scenarios.failed, *result.faults)
        ways = self.captures.ways(equation)
        return replace(result, faults=faults, ways=ways, seconds=time.perf_counter() - started)

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
            raise Failed(self._lost(activity, span, self._poisoned[activity]))
        self._activity(activity)
        try:
            with ending_children():
                return self.tracker.watch(work)
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
        if name in self._unimported:
            raise Failed(replace(self._unimported[name], span=span))
        if name not in sys.modules:
            try:
                self.imported(f"import of {name}", span, lambda: importlib.import_module(name))
            except Failed as failed:
                self._unimported[name] = failed.fault
                raise
            self._unimported.clear()  # what failed may have needed what is there now
        return sys.modules[name]

    def imported(self, activity: str, span: Span, load: Callable[[], types.ModuleType]) -> types.ModuleType:
        """Runs an import, on which all later units rely; one that fails leaves no part of a package that failed.

        A package whose `__init__` raises has no parts, though those that it imported until then would still be there.

        Raises:
            Failed: it failed.
        """
        before = set(sys.modules)
        try:
            loaded: types.ModuleType = self.tracker.lasting(lambda: self.perform(activity, span, load))
            return loaded
        except Failed:
            for name in sys.modules.keys() - before:
                if _is_orphan(name) and self.has_twins(_file_of(sys.modules[name])):
                    del sys.modules[name]
            raise

    def is_user_file(self, file: str) -> bool:
        """Whether a source file is the user's (its functions have exact twins)."""
        return file in self.work.modules or file in self.work.user_files

    def has_twins(self, file: str) -> bool:
        """Whether a file's functions have exact twins: the user's, and all of the packages that are cited."""
        return self.is_user_file(file) or (file.startswith(self._packages) and _ARRAY_LIBRARY not in file)

    def _is_shown(self, file: str) -> bool:
        """Whether tracebacks show a file's frames."""
        return self.is_user_file(file) or file == self.work.scenarios

    def relative(self, file: str) -> str:
        """A file's path as findings show it."""
        return file.removeprefix(self.work.root.rstrip("/") + "/")

    def _lost(self, activity: str, span: Span, lost: Lost) -> Fault:
        """The fault of an activity that cost a worker, with the place in the user's code where that was."""
        frames = [
            (file, int(line), function)
            for file, line, function in _DUMPED.findall(lost.traceback)
            if self._is_shown(file)
        ]  # the innermost is first
        shown = [
            f'  File "{self.relative(file)}", line {line}, in {function}' for file, line, function in reversed(frames)
        ]
        message = "\n".join([f"{activity} {lost.reason}", *shown, *lost.output.splitlines()[-_LINES:]])
        related = tuple(
            Related(Span(self.relative(file), line), f"it was here: {lost.reason}") for file, line, _ in frames[:1]
        )
        hint = "a longer limit is --timeout SECONDS" if lost.reason.startswith("timed out") else ""
        return Fault("user-code-failed", message, span, hint, related)

    def _failure(self, activity: str, span: Span, error: BaseException) -> Fault:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if self._is_shown(frame.filename)]
        last = "".join(traceback.format_exception_only(error)).rstrip()
        related: tuple[Related, ...] = ()
        if frames:
            related = (
                Related(
                    Span(self.relative(frames[-1].filename), frames[-1].lineno or 1, (frames[-1].colno or 0) + 1),
                    f"raised here: {last}",
                ),
            )
        shown = "".join(traceback.format_list(frames)).replace(f"{self.work.root.rstrip('/')}/", "") + last
        return Fault("user-code-failed", f"{activity} raised {type(error).__name__}\n{shown}", span, "", related)


def _is_orphan(name: str) -> bool:
    """Whether one of the packages that a module is in is not there."""
    parts = name.split(".")
    return any(".".join(parts[:count]) not in sys.modules for count in range(1, len(parts)))


def _file_of(module: object) -> str:
    file = vars(module).get("__file__") if type(module) is types.ModuleType else None
    return file if isinstance(file, str) else ""


def _packages(work: Work) -> tuple[str, ...]:
    """The folders of the packages, outside the project, that hold cited code."""
    found = set()
    for file, module in work.modules.items():
        package = module.partition(".")[0]
        before, inside, _ = file.rpartition(f"{os.sep}{package}{os.sep}")
        if inside and not file.startswith(work.root.rstrip(os.sep) + os.sep):
            found.add(before + inside)
    return tuple(sorted(found))
