"""Times the site from the results of one verification: cold, with nothing changed, and with one equation changed.

Prints medians and what was made again; nothing here passes or fails.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from eqtrace.config import load
from eqtrace.model.results import Results
from eqtrace.report.site import Built, build
from eqtrace.runner import verify

ROOT = Path(__file__).resolve().parents[2]
RUNS = 5


def main() -> None:
    """Builds into a folder of its own, some times each way."""
    config = load(ROOT)
    results = verify(config, None, jobs=2)
    folder = Path(tempfile.mkdtemp(prefix="eqtrace-site-"))
    print(f"the site of {len(results.selected)} equations, from verify's results ({RUNS} runs each; median, range)")
    try:
        built = _row("cold", lambda: _cold(folder), lambda: build(config, results, folder))
        kilobytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1024
        _row("warm, nothing changed", lambda: None, lambda: build(config, results, folder))
        other = _changed(results)
        once = _row(
            "warm, one equation changed",
            lambda: build(config, results, folder) and None,
            lambda: build(config, other, folder),
        )
        print(f"{built.files} files, {kilobytes:,.0f} KB; made again for one equation: {', '.join(once.made)}")
    finally:
        shutil.rmtree(folder)


def _cold(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def _row(name: str, before: Callable[[], None], work: Callable[[], Built]) -> Built:
    times = []
    for _ in range(RUNS):
        before()
        started = time.perf_counter()
        built = work()
        times.append(time.perf_counter() - started)
    print(f"{name:32} {statistics.median(times):7.3f} s  {min(times):7.3f} .. {max(times):.3f}")
    return built


def _changed(results: Results) -> Results:
    """The results with another label at the first equation."""
    first, *others = results.specification.topics
    equation, *more = first.equations
    topic = replace(first, equations=(replace(equation, label=f"{equation.label}, said again"), *more))
    return replace(results, specification=replace(results.specification, topics=(topic, *others)))


if __name__ == "__main__":
    main()
