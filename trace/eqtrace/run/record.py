"""What instrumented code reports to: events of cited statements, with the values before and after."""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from eqtrace.run.snapshot import DEFAULT_BYTES
from eqtrace.run.ways import Ways

DEFAULT_EVENTS = 10_000
# Each about 2.3 times the one before, and together at each turn of every loop of up to twelve turns: of up to eight by
# the 1,500th execution.
_SAMPLE = frozenset(
    {1, 3, 8, 22, 54, 125, 266, 655, 1500, 2999, 6297, 12340, 24124, 47162, 92201, 180252, 352392, 688926, 1346850}
)


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """One execution of a cited statement. All values are copies.

    `namespace` holds the statement's names as they were before it (locals and closures; at module level the module's
    own names; of a whole function, or where values of a loop's turns are read, the function's parameters); what is
    global is left to the module. `changed` names the input symbols whose value the statement changed in place although
    they are no target. `turns` are the names that are read in each turn of a loop, turn by turn.
    """

    anchor: str
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    namespace: dict[str, Any]
    module: str
    changed: tuple[str, ...] = ()
    problem: str = ""  # a bind that could not be read, and why
    notes: tuple[str, ...] = ()  # values that were not copied
    thread: int = 0
    order: int = 0  # of the statement's end, among all events
    turns: tuple[Mapping[str, Any], ...] = ()

    @property
    def content(self) -> tuple[object, ...]:
        """What was captured, without where in the run that was."""
        return (
            self.inputs,
            self.outputs,
            self.namespace,
            self.module,
            self.changed,
            self.problem,
            self.notes,
            self.turns,
        )


@dataclass(frozen=True, slots=True)
class Step:
    """A call of a followed function began, or ended: by a return, or by an exception."""

    function: str
    kind: Literal["begin", "end", "raised"]
    thread: int


@dataclass(slots=True)
class Loops:
    """One execution of a function of whose loops the turns are read."""

    parameters: dict[str, Any]
    turns: list[Mapping[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Recording:
    """What was recorded within one `with recorder.recording()`."""

    limit: int = DEFAULT_EVENTS
    only: frozenset[str] | None = None  # the anchors that are recorded at; None is all
    had: Mapping[str, int] | None = None  # by anchor: events of earlier runs, which count for the limit; see `executed`
    events: dict[str, list[Event]] = field(default_factory=dict)  # by anchor
    executions: dict[str, int] = field(default_factory=dict)  # by anchor, all of them
    raised: dict[str, int] = field(default_factory=dict)  # by anchor: executions that an exception ended
    steps: list[Step] = field(default_factory=list)  # of followed functions, in their order
    pending: dict[tuple[int, int, int], Any] = field(default_factory=dict)  # by frame, probe and site
    loops: dict[tuple[int, int, int], Loops] = field(default_factory=dict)  # by frame, probe and site
    ways: Ways = field(default_factory=dict)  # that conditions of the statements went
    operands: dict[tuple[int, int, int, int], Any] = field(default_factory=dict)  # first ones, waiting for the second
    returned: Any = None  # what the call gave that this is of

    def close(self) -> None:
        """Statements that never came to their end were raised out of (or are generators that stand still)."""
        for begun in list(self.pending.values()):
            count(self.raised, begun.anchor)
        self.pending.clear()
        self.loops.clear()
        self.operands.clear()


class Recorder:
    """Collects events while a recording is on; outside of one, instrumented code runs on with a check of one attribute.

    Threads of user code may record at once. A forked child records nothing.
    """

    def __init__(self, limit: int = DEFAULT_EVENTS, limit_bytes: int = DEFAULT_BYTES) -> None:
        self.limit = limit
        self.limit_bytes = limit_bytes
        self.problems: dict[str, str] = {}  # by anchor: why its statement could not be instrumented
        self.compared: dict[str, frozenset[float]] = {}  # by anchor: see `Plan.compared`
        self.active: Recording | None = None
        self._live: list[tuple[tuple[str, ...], list[bool]]] = []
        self._flags: dict[frozenset[str], list[list[bool]]] = {}  # of the modules' sites, by what is recorded alone
        self.lock = threading.RLock()  # a finaliser or a signal handler may run instrumented code while it is held
        self._order = itertools.count(1)
        if hasattr(os, "register_at_fork"):
            itself = weakref.ref(self)
            os.register_at_fork(after_in_child=lambda: _stop(itself()))

    def numbers(self, anchors: Iterable[str]) -> set[float]:
        """The numbers that the statements at some anchors compare with, and at which they cut arrays."""
        return {number for anchor in anchors for number in self.compared.get(anchor, ())}

    def live(self, anchors: tuple[str, ...]) -> list[bool]:
        """Whether a module's sites are recorded at now: flags in the sites' order, which change with the recordings."""
        flags = [False] * len(anchors)
        with self.lock:
            self._live.append((anchors, flags))
            self._flags.clear()
            self._light(self.active)
        return flags

    def _light(self, recording: Recording | None) -> None:
        """Sets the flags of all modules; with the lock held, as threads of user code import and record."""
        if recording is None or recording.only is None:
            for _, flags in self._live:
                flags[:] = [recording is not None] * len(flags)
            return
        only = recording.only
        if only not in self._flags:
            self._flags[only] = [[anchor in only for anchor in anchors] for anchors, _ in self._live]
        for (_, flags), now in zip(self._live, self._flags[only], strict=True):
            flags[:] = now

    @contextmanager
    def recording(
        self,
        limit: int | None = None,
        only: frozenset[str] | None = None,
        had: Mapping[str, int] | None = None,
    ) -> Iterator[Recording]:
        """Records while the block runs, at all anchors or only at some; inside another recording the inner one does."""
        recording = Recording(self.limit if limit is None else limit, only, had)
        with self.lock:
            before, self.active = self.active, recording
            self._light(recording)
        try:
            yield recording
        finally:
            with self.lock:
                self.active = before
                self._light(before)
                recording.close()

    def executed(self, recording: Recording, anchor: str) -> bool:
        """Counts an execution, and says whether its values are to be kept: those of the first ones, up to the limit.

        In a run that others came before, some of every run are kept beyond it: the first, and less and less often after
        it, so that each run and late turns of its loops are seen too.
        """
        with self.lock:
            number = recording.executions[anchor] = recording.executions.get(anchor, 0) + 1
            had = 0 if recording.had is None else recording.had.get(anchor, 0)
            if had + len(recording.events.get(anchor, ())) < recording.limit:
                return True
            return recording.had is not None and number in _SAMPLE

    def add(self, recording: Recording, event: Event) -> None:
        """Keeps an event."""
        with self.lock:
            recording.events.setdefault(event.anchor, []).append(event)

    def step(self, recording: Recording, function: str, kind: Literal["begin", "end", "raised"]) -> None:
        """Keeps a step of a followed function."""
        with self.lock:
            recording.steps.append(Step(function, kind, threading.get_ident()))

    def next_order(self) -> int:
        """The next event's number."""
        return next(self._order)


def count(numbers: dict[str, int], key: str) -> None:
    """Adds one."""
    numbers[key] = numbers.get(key, 0) + 1


def _stop(recorder: Recorder | None) -> None:
    if recorder is not None:
        recorder.lock = threading.RLock()
        recorder.active = None
