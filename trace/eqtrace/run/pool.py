"""A pool of worker processes that outlives whatever user code does in them."""

from __future__ import annotations

import os
import pickle
import selectors
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from eqtrace.run import worker
from eqtrace.run.outcome import Crashed, Done, Lost
from eqtrace.run.process import Process, Task, environment
from eqtrace.run.worker import Ready, Said

_TICK = 0.25  # seconds between looks at the workers
_EXTRA = 30.0  # seconds more for the session's own work, which announces no activity
_MOST_LOSSES = 3  # of workers, after which a unit is given up


class Pool:
    """Runs units in `jobs` worker processes. The first starts with the first units, or ahead of them with `start`.

    A worker calls `target` (`module:callable`) as `target(payload, activity, poisoned)`, with the payload of `open`,
    and the returned session's `run(unit)` for each unit. Before the first unit it gets ready: the session's `load()`,
    if it has that, imports the user's code, and its `prepare(given)` does what all units share, with what `prepare` was
    given here. The other workers are forks of the first one when it is ready. Where that can't be (user code has
    started a thread or has a file open, or this is not Linux) they start as the first one did.

    The session calls `activity(name)` before it runs user code,
    `activity('')` after it; an activity may take `limit` seconds. One in which a worker was lost is in the mapping
    `poisoned` (name to `Lost`) from then on, in every worker, and its unit is tried again: the session must not run it
    again.

    Workers run in `root`. It and `pythonpath` are the user's folders: they are kept off sys.path until the target puts
    them on (`hook.install`), so what the target's module imports is eqtrace's own.
    """

    def __init__(
        self,
        jobs: int,
        target: str,
        limit: float = 10.0,
        root: str | Path = ".",
        pythonpath: Sequence[str | Path] = (),
    ) -> None:
        self.poisoned: dict[str, Lost] = {}
        self._jobs = max(jobs, 1)
        self._limit = limit
        self._root = os.path.abspath(root)
        folders = tuple(os.path.abspath(os.path.join(self._root, folder)) for folder in (".", *pythonpath))
        self._environment, kept = environment(folders)
        self._start = pickle.dumps(worker.Start(target, self._root, folders, kept))
        self._payload = pickle.dumps(None)
        self._given: Any = None
        self._prepares = True  # until that costs a worker: units then meet the same, and are told of it
        self._copies = sys.platform == "linux"
        self._workers: list[Process] = []
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Starts a worker, which imports what it needs while its units and their project are still unknown."""
        self._add(self._new())

    def open(self, payload: Any, files: Iterable[str] = ()) -> None:
        """Says what the sessions are made of; before the first unit. The files that they read are here."""
        self.open_with(pickle.dumps(payload))

    def open_with(self, payload: bytes) -> None:
        """The same, pickled."""
        self._payload = payload
        for process in self._workers:
            process.open(payload, self.poisoned)

    def prepare(self, given: Any) -> None:
        """Says what sessions get for their `prepare`, and has a worker that has started get ready."""
        self._given = given
        for process in self._workers:
            self._give(process, Task(Ready(given)))

    def _new(self) -> Process:
        return Process.started(self._start, self._root, self._environment)

    def _add(self, process: Process) -> None:
        self._workers.append(process)
        self._selector.register(process.results, selectors.EVENT_READ, process)

    def close(self) -> None:
        """Ends all workers and what they started."""
        for process in self._workers:
            process.kill()
        for process in self._workers:
            self._selector.unregister(process.results)
            process.close()
        self._workers.clear()

    def run(
        self, units: Iterable[Any], group: Callable[[Any], str] = lambda unit: ""
    ) -> Iterator[Done | Crashed | Lost]:
        """Yields one result for each unit, as they come; at the end (or when left early) all workers are ended.

        Units of one `group` share work that a session does once: one worker gets all of them. '' is no group.
        """
        try:
            yield from self.answer(units, group)
        finally:
            self.close()

    def answer(
        self, units: Iterable[Any], group: Callable[[Any], str] = lambda unit: ""
    ) -> Iterator[Done | Crashed | Lost]:
        """The same, and the workers wait for more units; this is not to be left early."""
        waiting: deque[Task] = deque(Task(unit, group(unit)) for unit in units)
        while waiting or any(process.task and not isinstance(process.task.unit, Ready) for process in self._workers):
            self._feed(waiting)
            yield from self._step(waiting)

    def _feed(self, waiting: deque[Task]) -> None:
        """Gives every idle worker a unit, and sees that there are workers while there are units for them."""
        taken = {group for process in self._workers for group in process.groups} - {""}
        open_ = len({task.group or id(task) for task in waiting if task.group not in taken})
        idle = sum(process.task is None or not process.ready for process in self._workers)
        if (missing := min(self._jobs - len(self._workers), open_ - idle)) > 0:
            self._grow(missing)
        for process in self._workers:
            if process.task is None and process.ready:
                self._give(process, self._next(process.groups, waiting))
            elif process.task is None:
                self._give(process, Task(Ready(self._given)) if self._prepares else self._next(process.groups, waiting))

    def _grow(self, missing: int) -> None:
        """Adds workers: copies of one that is ready, for which they wait, else new ones."""
        original = next((process for process in self._workers if process.copyable), None)
        if self._copies and original is None and self._prepares:
            if not self._workers:
                self._add(self._new())
            if any(not process.ready for process in self._workers):
                return
        for _ in range(missing):
            copy = original.copy() if original is not None else None
            if copy is None:
                original = None
            self._add(copy or self._new())

    def _give(self, process: Process, task: Task | None) -> None:
        if task is None:
            return
        process.open(self._payload, self.poisoned)
        process.give(task, self.poisoned)

    def _next(self, groups: set[str], waiting: deque[Task]) -> Task | None:
        """Takes the first unit whose group is one of these, or no other worker's."""
        taken = {group for process in self._workers for group in process.groups} - groups - {""}
        task = next((task for task in waiting if task.group not in taken), None)
        if task is not None:
            waiting.remove(task)
        return task

    def _step(self, waiting: deque[Task]) -> Iterator[Done | Crashed | Lost]:
        """Waits for results, deaths and time limits."""
        ready = {key.data for key, _ in self._selector.select(self._patience())}
        for process in list(self._workers):
            before = process.received
            result = process.receive() if process in ready else None
            task = process.task
            if result is not None and result[0] is Said.ALONE:
                self._copies = False  # of others like it neither
                result = process.said()
            if result is not None and task is not None:
                process.task = None
                process.ready = True
                said, value = result
                if isinstance(task.unit, Ready):
                    process.copyable = said is Said.DONE and bool(value) and self._copies
                else:
                    yield Done(task.unit, value) if said is Said.DONE else Crashed(task.unit, value)
                continue
            activity, start = process.board.read()
            reason = process.ended()
            if not reason and task is not None and process.received == before:
                reason = self._overdue(activity, start)
            if not reason:
                process.trim()
                continue
            lost = process.lost(activity, reason) if task is not None else None
            self._remove(process)
            if task is not None and lost is not None:
                yield from self._after(task, lost, activity in process.known, waiting)

    def _patience(self) -> float:
        """Seconds until the next time limit, at most a tick."""
        ends = [self._deadline(*process.board.read()) for process in self._workers if process.task is not None]
        return max(0.0, min([_TICK, *(end - time.monotonic() for end in ends)]))

    def _deadline(self, activity: str, start: float) -> float:
        """When an activity must be over, on the monotonic clock."""
        return start + self._limit + (0.0 if activity else _EXTRA)

    def _overdue(self, activity: str, start: float) -> str:
        end = self._deadline(activity, start)
        return f"timed out after {end - start:g} s" if time.monotonic() >= end else ""

    def _after(self, task: Task, lost: Lost, known: bool, waiting: deque[Task]) -> Iterator[Lost]:
        """Tries a unit again unless that is hopeless; the activity that cost the worker is not run again."""
        task.losses += 1
        again = not known if lost.activity else task.blank == 0
        task.blank += not lost.activity
        if lost.activity:
            self.poisoned.setdefault(lost.activity, lost)
        if isinstance(task.unit, Ready):
            self._prepares = bool(lost.activity) and again
        elif again and task.losses < _MOST_LOSSES:
            waiting.appendleft(task)
        else:
            yield lost

    def _remove(self, process: Process) -> None:
        self._selector.unregister(process.results)
        process.kill()
        process.close()
        self._workers.remove(process)
