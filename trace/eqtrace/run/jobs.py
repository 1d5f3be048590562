"""Where units are run: in so many processes here, or on a dask cluster."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, Self

from eqtrace.run.outcome import Crashed, Done, Lost

Jobs = int | str  # a number of processes, `dask` or `dask://host:port`
_DASK = re.compile(r"dask(://(?P<host>[^/\s]+):(?P<port>\d{1,5}))?")


class Executor(Protocol):
    """Runs units in worker processes, wherever these are. See `pool.Pool` for what a session is."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def start(self) -> None:
        """Gets workers ready, while what they need of the project is still unknown.

        Raises:
            EqtraceError: there are none to be had.
        """

    def open(self, payload: Any, files: Iterable[str]) -> None:
        """Says what the sessions are made of, and which files they read; before the first unit.

        Raises:
            EqtraceError: a worker's files are others than these.
        """

    def prepare(self, given: Any) -> None:
        """Says what sessions get before the first unit for what all units share, and has workers begin with it."""

    def answer(
        self, units: Iterable[Any], group: Callable[[Any], str] = lambda unit: ""
    ) -> Iterator[Done | Crashed | Lost]:
        """Yields one result for each unit, as they come. Units of one `group` (but '') share what a session does."""

    def close(self) -> None:
        """Ends all workers and what they started."""


def executor(jobs: Jobs, target: str, limit: float, root: str | Path, pythonpath: Sequence[str | Path]) -> Executor:
    """Where units are run. The arguments are those of `pool.Pool`."""
    if isinstance(jobs, int):
        from eqtrace.run.pool import Pool

        return Pool(jobs, target, limit, root, pythonpath)
    from eqtrace.run.cluster import Cluster  # dask is imported only where it is asked for

    return Cluster(address(jobs), target, limit, root, pythonpath)


def is_dask(text: str) -> bool:
    """Whether a text names a dask cluster."""
    found = _DASK.fullmatch(text)
    return found is not None and (found["port"] is None or 0 < int(found["port"]) < 2**16)


def address(jobs: str) -> str:
    """The scheduler's address; '' for a cluster that is started here."""
    return jobs.replace("dask://", "tcp://", 1) if "://" in jobs else ""


def processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not every system has it
        return os.cpu_count() or 1
