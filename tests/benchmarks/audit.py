"""Times `eqtrace audit` on generated projects, beside the floor and beside other traceability tools, in one run.

    python tests/benchmarks/audit.py [--full]

The floor is one process without garbage collection that composes the specification with libyaml and parses the code,
and does nothing else. Other tools are timed where the environment variable PEERS names a folder that holds `gen.py`
(writes a project of N documented functions for one of them) and PEERS_HOME, or PEERS itself, their virtual
environments; without it only the floor and eqtrace are. eqtrace is compiled first, as all that is installed is. Times
are the best of several whole processes, memory is the largest resident set of a process and its children together.
Compare ratios within one run only.

`--full` adds projects of 30,000 and 100,000 anchors to the table.
"""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

import eqtrace

HERE = Path(__file__).resolve().parent
PACKAGE = Path(eqtrace.__file__).parent
SIZE, SMALL = 10_000, 1_000
TIMEOUT = 120.0
FLOOR = """
import ast, gc, yaml
from pathlib import Path
gc.disable()
for path in Path("spec").rglob("*.yaml"):
    yaml.compose(path.read_text(), Loader=yaml.CSafeLoader)
for folder in ("src", "tests"):
    for path in Path(folder).rglob("*.py"):
        ast.parse(path.read_text())
"""


@dataclass(frozen=True)
class Peer:
    """Another tool: the virtual environment it is in, what makes its project ready, and its check."""

    name: str
    project: str  # what gen.py calls it
    venv: str
    check: tuple[str, ...]
    before: tuple[str, ...] = ()
    output: str = ""  # what a cold run must not find
    largest: int = SIZE


PEERS = (
    Peer("docrot", "docrot", "venv_drift", ("docrot", "check", "--no-temporal"), ("docrot", "anchors", "update")),
    Peer("backstitch", "backstitch", "venv_drift", ("backstitch", "check")),
    Peer(
        "sphinx-needs",
        "needs",
        "venv_needs",
        ("sphinx-build", "-q", "-b", "needs", "docs", "out_needs"),
        output="out_needs",
    ),
    Peer(
        "strictdoc",
        "strictdoc",
        "venv_strictdoc",
        ("strictdoc", "export", ".", "--formats=json", "--output-dir", "out_json"),
        output="out_json",
    ),
    Peer("docpin", "docpin", "venv_drift", ("docpin", "check"), ("docpin", "record"), largest=SMALL),
    Peer("doorstop", "doorstop_kw", "venv_doorstop", ("doorstop", "-F", "-q"), largest=SMALL),
)


@dataclass(frozen=True)
class Timed:
    """One command: wall and processor seconds, and megabytes."""

    seconds: float
    user: float
    memory: float
    exit: int


def timed(command: list[str], folder: Path, runs: int = 1) -> Timed:
    """The best of some runs; memory is that of one more, which being looked at slows down."""
    best = min((_timed(command, folder) for _ in range(runs)), key=lambda each: each.seconds)
    return replace(best, memory=_timed(command, folder, watched=True).memory)


def _timed(command: list[str], folder: Path, watched: bool = False) -> Timed:
    peak, ended = 0.0, threading.Event()
    started = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:

        def watch() -> None:
            nonlocal peak
            while watched and not ended.wait(0.02):
                peak = max(peak, _resident(process.pid))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        timer = threading.Timer(TIMEOUT, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        ended.set()
        watcher.join()
    user = usage.ru_utime + usage.ru_stime
    return Timed(seconds, user, max(peak, usage.ru_maxrss / 1024), process.returncode)


def _resident(root: int) -> float:
    """Megabytes of a process and its children; of what they share, each has its part."""
    found, pending = 0.0, [root]
    while pending:
        process = pending.pop()
        try:
            for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    found += int(line.split()[1]) / 1024
            pending += map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())
        except (OSError, ValueError):
            continue
    return found


def row(name: str, found: Timed, floor: Timed | None = None) -> None:
    """One line."""
    ratio = f"{found.seconds / floor.seconds:7.2f} x" if floor else " " * 9
    note = "" if found.exit in (0, 1) else f"  exit {found.exit}"
    print(f"{name:42} {found.seconds:8.2f} s {found.user:8.2f} s {found.memory:7.0f} MB {ratio}{note}", flush=True)


def project(folder: Path, anchors: int) -> Path:
    """A generated project."""
    root = folder / f"ours-{anchors}"
    subprocess.run([sys.executable, str(HERE / "project.py"), str(anchors), str(root)], check=True)
    return root


def ours(root: Path, runs: int) -> tuple[Timed, Timed, Timed]:
    """The floor, and eqtrace cold and warm; the first two by turns, so that a busy moment hits both."""
    audit = [sys.executable, "-m", "eqtrace", "audit"]
    floors, colds = [], []
    for number in range(runs + 1):
        watched = number == runs  # the last is for the memory alone
        floors.append(_timed([sys.executable, "-c", FLOOR], root, watched))
        shutil.rmtree(root / ".eqtrace", ignore_errors=True)
        colds.append(_timed(audit, root, watched))
    warm = timed(audit, root, runs)
    floor, cold = (
        replace(min(found[:-1], key=lambda each: each.seconds), memory=found[-1].memory) for found in (floors, colds)
    )
    return floor, cold, warm


def peers(folder: Path, size: int, floor: Timed, colds: dict[str, Timed], warms: dict[str, Timed]) -> None:
    """Every other tool that is installed."""
    source = os.environ.get("PEERS")
    home = Path(os.environ.get("PEERS_HOME") or source or "")
    if not source:
        print("other tools are left out: set PEERS (see the head of this file)")
        return
    for peer in PEERS:
        tool = home / peer.venv / "bin" / peer.check[0]
        if not tool.exists() or size > peer.largest:
            print(f"{peer.name:42} {'not installed' if not tool.exists() else f'not at {size:,}'}")
            continue
        root = folder / f"{peer.project}-{size}"
        subprocess.run([sys.executable, str(Path(source) / "gen.py"), peer.project, str(size), str(root)], check=True)
        if peer.before:
            _timed([str(tool.with_name(peer.before[0])), *peer.before[1:]], root)
        command = [str(tool), *peer.check[1:]]
        colds[peer.name] = timed(command, root)
        warms[peer.name] = timed(command, root)
        row(f"{peer.name}, cold", colds[peer.name], floor)
        row(f"{peer.name}, warm", warms[peer.name], floor)
        shutil.rmtree(root, ignore_errors=True)


def compared(folder: Path, size: int) -> None:
    """All at one size."""
    print(f"\n{size:,} anchors{'':31} wall      processor    memory   to floor")
    floor, cold, warm = ours(project(folder, size), 3)
    row("floor: compose of the spec, ast.parse", floor)
    row("eqtrace audit, cold", cold, floor)
    row("eqtrace audit, warm", warm, floor)
    colds: dict[str, Timed] = {}
    warms: dict[str, Timed] = {}
    peers(folder, size, floor, colds, warms)
    good = {name: each for name, each in colds.items() if each.exit in (0, 1)}
    if good:
        first = min(good, key=lambda name: good[name].seconds)
        quick = min(warms, key=lambda name: warms[name].seconds)
        print(
            f"cold: {good[first].seconds / cold.seconds:.1f} times as fast as {first}, the fastest other; "
            f"warm: {warms[quick].seconds / warm.seconds:.1f} times as fast as {quick}"
        )


def table(folder: Path, sizes: tuple[int, ...]) -> None:
    """Growth with the number of anchors, and of lines."""
    print("\nanchors      cold s  per 1,000      warm s  per 1,000   floor s   memory MB")
    for size in sizes:
        root = project(folder, size)
        floor, cold, warm = ours(root, 2 if size <= SIZE else 1)
        per = size / 1000
        print(
            f"{size:7,} {cold.seconds:11.2f} {cold.seconds / per:10.3f} {warm.seconds:11.2f} {warm.seconds / per:10.3f}"
            f" {floor.seconds:9.2f} {cold.memory:11.0f}",
            flush=True,
        )
        shutil.rmtree(root, ignore_errors=True)


def main() -> None:
    """Everything."""
    compileall.compile_dir(PACKAGE, quiet=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in (SMALL, SIZE):
            compared(folder, size)
        table(folder, (1_000, 3_000, 10_000, *((30_000, 100_000) if "--full" in sys.argv else ())))


if __name__ == "__main__":
    main()
