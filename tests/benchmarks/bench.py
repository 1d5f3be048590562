"""Times whole commands and a few inner loops, each against a floor measured in the same run.

Prints medians and ratios; nothing here passes or fails. Machines differ and are shared: compare ratios of one run.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNS = 5
FLOOR = """
import ast, gc, pathlib, yaml
gc.disable()
for path in pathlib.Path("spec").rglob("*.yaml"):
    yaml.compose(path.read_text(), Loader=yaml.CSafeLoader)
for folder in ("impl", "tests/impl"):
    for path in pathlib.Path(folder).glob("*.py"):
        ast.parse(path.read_text())
"""


def command_seconds(arguments: list[str]) -> list[float]:
    """Wall time of whole processes, after one run that is not counted."""
    times = []
    for _ in range(RUNS + 1):
        started = time.perf_counter()
        subprocess.run([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - started)
    return times[1:]


def call_seconds(work: Callable[[], object]) -> list[float]:
    """Time of one call, over repetitions that together take a good moment."""
    work()
    times = []
    for _ in range(RUNS):
        started, count = time.perf_counter(), 0
        while time.perf_counter() - started < 0.1:
            work()
            count += 1
        times.append((time.perf_counter() - started) / count)
    return times


def row(name: str, times: list[float], floor: float | None, unit: float = 1.0, label: str = "s") -> None:
    """One line: name, median, range, and the ratio to the floor."""
    middle = statistics.median(times)
    ratio = f"{middle / floor:8.1f} x" if floor else " " * 10
    print(f"{name:48} {middle / unit:9.3f} {label:3} {min(times) / unit:9.3f} .. {max(times) / unit:<9.3f} {ratio}")


def commands() -> None:
    """Whole commands against an interpreter that does nothing, and against reading the same files."""
    print(f"whole commands ({RUNS} runs each; median, range, ratio to the bare interpreter)")
    bare = command_seconds(["-c", "pass"])
    floor = statistics.median(bare)
    row("python -c pass", bare, None)
    row("floor: compose of the spec, ast.parse of the code", command_seconds(["-c", FLOOR]), floor)
    row("eqtrace --help", command_seconds(["-m", "eqtrace", "--help"]), floor)
    row("eqtrace audit", command_seconds(["-m", "eqtrace", "audit"]), floor)
    verify = ["-m", "eqtrace", "verify", "-j", "2"]
    row("eqtrace verify -j 2, cold", command_seconds([*verify, "--no-cache"]), floor)
    row("eqtrace verify -j 2, warm", command_seconds(verify), floor)
    row("eqtrace site --no-verify", command_seconds(["-m", "eqtrace", "site", "--no-verify"]), floor)


def evaluation() -> None:
    """Forms at everyday sizes, against the same formula in NumPy."""
    import numpy as np

    from eqtrace.config import load
    from eqtrace.formula.evaluate import Balls, Float64, evaluate
    from eqtrace.formula.form import read
    from eqtrace.spec.load import load as load_specification

    equations = {each.id: each for each in load_specification(load(ROOT)).equations}
    form, _ = read(equations["linear.linear"])
    assert form is not None
    rng = np.random.default_rng(0)
    print("\nlinear.linear, one evaluation (ratio to NumPy)")
    for T, a, c in ((3, 4, 5), (16, 32, 128)):
        X, W, b = rng.standard_normal((T, a)), rng.standard_normal((a, c)), rng.standard_normal(c)
        values = {"X": X, "W": W, "b": b, "Y": X @ W + b}
        sizes = {"T": T, "a": a, "c": c}
        plain = call_seconds(lambda X=X, W=W, b=b: X @ W + b)
        floor = statistics.median(plain)
        row(f"NumPy at {T, a, c}", plain, None, 1e-6, "us")
        ours = call_seconds(lambda values=values, sizes=sizes: evaluate(form, 0, values, sizes, Float64()))
        row(f"form in float64 at {T, a, c}", ours, floor, 1e-6, "us")
        if T == 3:
            balls = call_seconds(lambda values=values, sizes=sizes: evaluate(form, 0, values, sizes, Balls(128)))
            row(f"form in 128-bit balls at {T, a, c}", balls, floor, 1e-6, "us")


if __name__ == "__main__":
    commands()
    evaluation()
