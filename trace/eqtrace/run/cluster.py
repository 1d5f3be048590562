"""Units on the machines of a dask cluster.

A dask task is the units of one group. The dask worker that gets it hands them to a process of eqtrace's own beside it
(`pool.Pool`), as it is done on one machine: there user code runs, hangs and crashes, and no dask worker is lost by it.
A worker that is lost is dask's matter: its tasks are given to another, and a task has one result, which is taken once.

What goes over the wire are bytes and this module's functions, so that a scheduler needs no eqtrace. Workers need the
same eqtrace, Python and libraries that numbers depend on, and the project's files at the same path, which is asked of
every worker that is there before the first unit, and of every other before its first.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent import futures
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from eqtrace import __version__
from eqtrace.cache import digest
from eqtrace.errors import EqtraceError
from eqtrace.inputs import own
from eqtrace.run.jobs import processors
from eqtrace.run.outcome import Crashed, Done, Lost
from eqtrace.run.pool import Pool
from eqtrace.run.present import LIBRARIES

_EXTRA = "install the extra: pip install 'eqtrace[dask]'"
_CONNECT = 6.0  # seconds
_TICK = 1.0  # seconds between looks at the cluster
_WITHOUT_WORKERS = 30.0  # seconds that the cluster may be without workers
_IDLE = 300.0  # seconds after which a process is ended whose run has not said that it is over
_TOLD = 5  # files that a message names


@dataclass(frozen=True, slots=True)
class Run:
    """What a task is told of its run."""

    id: str
    target: str
    limit: float
    root: str
    pythonpath: tuple[str, ...]
    tools: Mapping[str, str]
    files: Mapping[str, str]  # by path: a hash of the content


class Mismatch(Exception):
    """A worker that must not run units: it would find out something else."""


class Cluster:
    """See the module and `jobs.Executor`.

    Args:
        address: the scheduler's; '' starts a cluster on this machine.
        target: what makes a session, as for `pool.Pool`, and so are the other arguments.
    """

    def __init__(
        self, address: str, target: str, limit: float, root: str | Path, pythonpath: Sequence[str | Path]
    ) -> None:
        self._address = address
        self._shown = address.replace("tcp://", "dask://", 1) or "the cluster on this machine"
        paths = tuple(os.path.abspath(os.path.join(root, each)) for each in pythonpath)
        self._run = Run(uuid.uuid4().hex, target, limit, os.path.abspath(root), paths, tools(), {})
        self._local: Any = None
        self._client: Any = None
        self._payload: Any = None

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Connects, and asks of the workers that are there what they run with."""
        if self._client is not None:
            return
        try:
            import distributed
        except ImportError as error:
            raise EqtraceError(f"-j dask can't run: {error}", _EXTRA) from None
        try:
            if not self._address:
                local: Callable[..., Any] = distributed.LocalCluster
                self._local = local(n_workers=processors(), threads_per_worker=1, dashboard_address=None)
            client: Callable[..., Any] = distributed.Client
            self._client = client(self._local or self._address, timeout=_CONNECT, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            self.close()
            hint = "start one with `dask scheduler`, and workers with `dask worker ADDRESS`"
            raise EqtraceError(f"no dask scheduler answers at {self._shown}: {_first_line(error)}", hint) from None
        self._ask(self._run)

    def open(self, payload: Any, files: Iterable[str]) -> None:
        """Compares the files of the workers with those here."""
        self.start()
        self._run = replace(self._run, files=_hashes(files))
        self._ask(self._run)
        # A task, not scattered data: those are gone with the last worker that holds them, this is worked out again.
        self._payload = self._client.submit(bytes, pickle.dumps(payload), key=f"eqtrace-payload-{self._run.id}")

    def prepare(self, given: Any) -> None:
        """Nothing: results that are kept rest on files of this machine."""

    def answer(
        self, units: Iterable[Any], group: Callable[[Any], str] = lambda unit: ""
    ) -> Iterator[Done | Crashed | Lost]:
        """Yields the results as groups are done."""
        executor = self._client.get_executor(pure=False)
        tasks = {
            executor.submit(answered, self._run, self._payload, pickle.dumps(each)): each
            for each in _grouped(units, group)
        }
        try:
            for done in self._finished(set(tasks)):
                yield from self._outcomes(done, tasks[done])
        finally:
            for each in tasks:
                each.cancel()
            executor.shutdown(wait=False)

    def close(self) -> None:
        """Ends what this run started, and leaves a cluster of others running."""
        client, local, self._client, self._local = self._client, self._local, None, None
        if client is not None:
            self._payload = None
            if client.status == "running":
                with contextlib.suppress(Exception):
                    client.run(forget, self._run.id, on_error="ignore")
            with contextlib.suppress(Exception):
                client.close(timeout=_CONNECT)
        if local is not None:
            local.close(timeout=_CONNECT)

    def _ask(self, run: Run) -> None:
        """Asks each worker that is there whether it may run units.

        Raises:
            EqtraceError: one may not, or there is none.
        """
        end = time.monotonic() + _WITHOUT_WORKERS
        while not self._client.nthreads():
            if time.monotonic() > end:
                raise self._failed("it has no workers", "start some with `dask worker ADDRESS`")
            time.sleep(0.1)
        for worker, said in self._client.run(mismatch, run, on_error="return").items():
            if isinstance(said, BaseException):
                what = f"can't import eqtrace: {_first_line(said)}"
                raise self._failed(f"worker {worker} {what}", f"install eqtrace {__version__} where workers run")
            if said:
                raise self._failed(f"worker {worker} {said}", "see `Clusters` in the documentation: docs/clusters.md")

    def _finished(self, waiting: set[futures.Future[bytes]]) -> Iterator[futures.Future[bytes]]:
        """Tasks as they end, for as long as there is somebody to run them."""
        seen = time.monotonic()
        while waiting:
            done, waiting = futures.wait(waiting, _TICK, futures.FIRST_COMPLETED)
            yield from done
            if done:
                seen = time.monotonic()
            elif self._client.status != "running":
                raise self._failed("its scheduler is gone, and with it what was not finished", "")
            elif self._client.nthreads():
                seen = time.monotonic()
            elif time.monotonic() - seen > _WITHOUT_WORKERS:
                raise self._failed("its workers are gone, and no other came", "start workers, and run it again")

    def _outcomes(self, done: futures.Future[bytes], units: list[Any]) -> Iterator[Done | Crashed | Lost]:
        from distributed.scheduler import KilledWorker

        try:
            yield from pickle.loads(done.result())
        except KilledWorker as error:
            times = f"{self._shown} lost every worker that ran it, the last at {error.last_worker.address}"
            yield from (Lost(unit, "", f"was given up: {times}") for unit in units)
        except Mismatch as error:
            raise self._failed(str(error), "see `Clusters` in the documentation: docs/clusters.md") from None
        except futures.CancelledError as error:
            raise self._failed(f"it cancelled the work: {_first_line(error)}", "run it again") from None

    def _failed(self, what: str, hint: str) -> EqtraceError:
        return EqtraceError(f"{self._shown}: {what}", hint)


def _grouped(units: Iterable[Any], group: Callable[[Any], str]) -> list[list[Any]]:
    found: dict[Any, list[Any]] = {}
    for number, unit in enumerate(units):
        found.setdefault(group(unit) or number, []).append(unit)
    return list(found.values())


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


# --- what is asked of a worker -----------------------------------------------------------------------------------


def tools() -> dict[str, str]:
    """What a result depends on besides the project, by name."""
    found = {
        "Python": ".".join(map(str, sys.version_info[:2])),
        "eqtrace": f"{__version__} ({digest(*own(('.py',)))[:12]})",
    }
    return found | {name: metadata.version(name) for name in LIBRARIES}


def _hashes(files: Iterable[str]) -> dict[str, str]:
    return {each: _hash(each) for each in sorted(set(files))}


def _hash(file: str) -> str:
    try:
        return digest(Path(file).read_bytes())
    except OSError:
        return ""


def mismatch(run: Run) -> str:
    """Why this machine must not run units of a run; '' where it may."""
    here = tools()
    for name, there in run.tools.items():
        if here[name] != there:
            return f"has {name} {here[name]}, and {there} is wanted"
    if not os.path.isdir(run.root):
        return f"has no {run.root}: the project must be there at the same path"
    other = [each for each, wanted in run.files.items() if _hash(each) != wanted]
    if other:
        shown = ", ".join(os.path.relpath(each, run.root) for each in other[:_TOLD])
        more = f" and {len(other) - _TOLD} more" if len(other) > _TOLD else ""
        return f"has other files than there are here, or none, at {run.root}: {shown}{more}"
    return ""


# --- what runs in a dask worker ----------------------------------------------------------------------------------


@dataclass
class _Held:
    """The processes beside this dask worker that wait for units, by run, and since when."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    idle: list[tuple[str, Pool, float]] = field(default_factory=list)
    trusted: set[tuple[str, int]] = field(default_factory=set)  # runs, with their numbers of files, that fit

    def take(self, run: Run, payload: bytes) -> Pool:
        """A process of the run, from those that wait where there is one."""
        with self.lock:
            for number, (name, pool, _) in enumerate(self.idle):
                if name == run.id:
                    del self.idle[number]
                    return pool
        pool = Pool(1, run.target, run.limit, run.root, run.pythonpath)
        pool.open_with(payload)
        return pool

    def give(self, run: Run, pool: Pool) -> None:
        """Takes it back, and ends those that have waited too long."""
        now = time.monotonic()
        with self.lock:
            self.idle.append((run.id, pool, now))
        self.drop(lambda _, since: now - since > _IDLE)

    def drop(self, over: Callable[[str, float], bool]) -> None:
        """Ends processes."""
        with self.lock:
            gone = [each for each in self.idle if over(each[0], each[2])]
            self.idle = [each for each in self.idle if each not in gone]
        for _, pool, _ in gone:
            pool.close()


_HELD = _Held()


def answered(run: Run, payload: bytes, units: bytes) -> bytes:
    """The results of one group's units.

    Raises:
        Mismatch: this worker came later, and must not run them.
    """
    known = (run.id, len(run.files))
    if known not in _HELD.trusted:
        if why := mismatch(run):
            raise Mismatch(f"a worker that came later {why}")
        _HELD.trusted.add(known)
    pool = _HELD.take(run, payload)
    try:
        outcomes = list(pool.answer(pickle.loads(units)))
    except BaseException:
        pool.close()
        raise
    _HELD.give(run, pool)
    return pickle.dumps(outcomes)


def forget(run: str) -> None:
    """Ends the processes of a run that is over."""
    _HELD.drop(lambda name, _: name == run)
