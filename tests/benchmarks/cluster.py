"""Units per second with 1, 2 and 4 workers: processes of one run, and a dask cluster on this machine.

Each row is one run of this repository's specification without a cache, and of some of its mutants. Workers start
before the clock does, as on a cluster that waits; what a session does first (it imports the code, and runs the
scenarios) is in the time, once for each worker. Processor time is that of all processes over the verification, the
cluster's start and end too. Then the processor time that whole runs of three projects take, from which
docs/clusters.md works out what ten thousand repositories would.

    python tests/benchmarks/cluster.py [--mutants N]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from distributed import LocalCluster

from eqtrace import mutating
from eqtrace.config import Config, load
from eqtrace.run.jobs import Jobs, processors
from eqtrace.runner import Running, Verification

ROOT = Path(__file__).resolve().parents[2]
PROJECTS = {
    "this repository": ROOT,
    "a small package (halflife)": ROOT / "tests/functional/projects/halflife",
    "SciPy, scikit-learn, lmfit (foreign)": ROOT / "tests/functional/projects/foreign",
}


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """The address of a cluster with so many workers."""
    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as made:
        made.wait_for_workers(workers)
        yield made.scheduler_address.replace("tcp://", "dask://")


def verified(config: Config, jobs: Jobs) -> tuple[int, float]:
    """How many units a verification answered, and how long that took."""
    with Verification(config, None, Running(jobs), cache=False) as verification:
        started = time.perf_counter()
        verification.answer()
        return len(verification.units()) + len(verification.examples()), time.perf_counter() - started


def mutated(config: Config, jobs: Jobs, most: int) -> tuple[int, float]:
    """The same of mutants."""
    with Verification(config, None, Running(1)) as verification:
        project = verification.project
    mutants = mutating.all_mutants(project)
    chosen = mutants[:: max(1, len(mutants) // most)][:most]
    started = time.perf_counter()
    judged, _ = mutating.judge(project, chosen, Running(jobs), 10.0, cache=False)
    return len(judged), time.perf_counter() - started


def spent() -> float:
    """The processor time of this process and of all that it has waited for."""
    found = [resource.getrusage(each) for each in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in found)


@contextmanager
def processes(workers: int) -> Iterator[int]:
    """So many processes of a run."""
    yield workers


def row(name: str, workers: int, config: Config, most: int) -> None:
    """Prints one line of the table."""
    start = cluster if name == "dask" else processes
    before = spent()
    with start(workers) as jobs:
        units, seconds = verified(config, jobs)
    used = spent() - before
    with start(workers) as jobs:
        mutants, longer = mutated(config, jobs, most)
    rates = f"{units / seconds:.1f} | {used:.1f} s | {mutants / longer:.1f}"
    print(f"| {name}, {workers} | {seconds:.1f} s | {rates} |", flush=True)


def processor_time() -> None:
    """Prints what whole runs take, all their processes together."""
    print("\n| project | units | processor time | wall, one process |\n|---|---|---|---|")
    for name, root in PROJECTS.items():
        command = [
            sys.executable,
            "-m",
            "eqtrace",
            "verify",
            "-j",
            "1",
            "--no-cache",
            "--format",
            "json",
            "--exit-zero",
        ]
        before, started = spent(), time.perf_counter()
        path = os.pathsep.join(map(os.path.abspath, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
        done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path})
        wall, used = time.perf_counter() - started, spent() - before
        units = done.stdout.count(b'"detail":')
        print(f"| {name} | {units} | {used:.1f} s | {wall:.1f} s |", flush=True)


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=200)
    most = parser.parse_args().mutants
    config = load(ROOT)
    busy = os.getloadavg()[0]
    print(f"{processors()} processors, load {busy:.1f}\n\n| workers | verify | units/s | processor time | mutants/s |")
    print("|---|---|---|---|---|")
    for name in ("processes", "dask"):
        for workers in (1, 2, 4):
            row(name, workers, config, most)
    print(f"\nload {os.getloadavg()[0]:.1f}")
    processor_time()


if __name__ == "__main__":
    main()
