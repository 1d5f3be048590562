"""Commands that are killed at any moment: each file is what it was or what it would become, and the next run works.

A kill comes at random times, and at each moment at which the command is about to change something on the disk.
`EQTRACE_KILLS=50` tries more moments than CI does.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

BASE = Path(__file__).parents[1] / "checks" / "base"
TRIES = int(os.environ.get("EQTRACE_KILLS", "1"))
COMMANDS = {
    "audit": ("audit",),
    "fix": ("fix",),
    "review": ("review", "--accept"),
    "verify": ("verify", "-j", "1"),
    "site": ("site", "-j", "1"),
    "mutate": ("mutate", "-j", "1"),
    "baseline": ("audit", "--baseline", "known.json", "--write-baseline"),
    "adopt": ("cites", "--adopt"),
    "init": ("init", "--to", "more.yaml"),
}
DIES = """
import os, signal, sys
left, changing = int(sys.argv.pop(1)), {"os.rename", "os.remove", "os.mkdir", "os.chmod", "os.utime", "os.rmdir"}
writing, own = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND, os.getpid()
root = os.getcwd()
def hook(event, arguments):
    global left
    changes = event == "open" and arguments[2] & writing and str(arguments[0]).startswith(root)
    if (changes or event in changing) and os.getpid() == own:
        left -= 1
        if left == 0:
            os.kill(own, signal.SIGKILL)
sys.addaudithook(hook)
from eqtrace.cli.main import main
main()
"""


@dataclass
class Bench:
    """A project in which `command` has something to do, and what it makes of it when it is left alone."""

    command: tuple[str, ...]
    root: Path
    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    exit: int
    seconds: float

    def start(self, *how: str) -> subprocess.Popen[bytes]:
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
        if "PYTHONPATH" in environment:
            entries = environment["PYTHONPATH"].split(os.pathsep)
            environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, entries))
        return subprocess.Popen(
            [sys.executable, *how, *self.command],
            cwd=self.root,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def reset(self) -> None:
        shutil.rmtree(self.root)
        for name, content in self.before.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def files(self) -> dict[str, bytes]:
        """All files but caches, which may hold anything that is read as nothing, and those that were being written."""
        found = {}
        for path in self.root.rglob("*"):
            name = path.relative_to(self.root)
            kept = ".eqtrace" in name.parts and path.name != "cites.yaml"
            if path.is_file() and not kept and not path.name.startswith("."):
                found[name.as_posix()] = path.read_bytes()
        return found

    def nothing_is_damaged(self) -> None:
        for name, content in self.files().items():
            assert content in (self.before.get(name), self.after.get(name)), f"{name} is neither old nor new"
        assert self.files().keys() >= self.before.keys() & self.after.keys()

    def the_next_run_works(self) -> None:
        with self.start("-m", "eqtrace") as process:
            said = process.stderr.read().decode() if process.stderr is not None else ""
        assert process.returncode == self.exit or self.command[0] == "init", said  # which does nothing twice
        assert "Traceback" not in said
        if self.command[0] != "init":
            assert self.files() == self.after


def kill(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stderr is not None:
        process.stderr.close()


@pytest.fixture(scope="module", params=COMMANDS)
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    root = tmp_path_factory.mktemp("killed") / "project"
    shutil.copytree(BASE, root, ignore=shutil.ignore_patterns("__pycache__"))
    name = request.param
    if name == "init":
        (root / "pyproject.toml").write_text('[project]\nname = "lab"\n', "utf-8")
    else:
        with (root / "pyproject.toml").open("a", encoding="utf-8") as file:
            file.write('reviews = "spec/reviews.yaml"\n[tool.eqtrace.sizes]\nT = [3]\na = [4]\nc = [5]\n')
        (root / "notes.md").write_text("See `lab/ops.py:5` and `lab/ops.py:9`.\n", "utf-8")
    if name in ("fix", "baseline"):  # lines that moved
        ops = root / "lab/ops.py"
        ops.write_text("# first\n" + ops.read_text("utf-8"), "utf-8")
    made = Bench(COMMANDS[name], root, {}, {}, 0, 0.0)
    made.before = made.files()
    began = time.monotonic()
    with made.start("-m", "eqtrace") as process:
        said = process.stderr.read().decode() if process.stderr is not None else ""
    made.seconds = time.monotonic() - began
    made.exit, made.after = process.returncode, made.files()
    assert made.exit in (0, 1), said
    if name not in ("audit", "verify", "mutate"):
        assert made.after != made.before
    return made


@pytest.mark.parametrize("number", range(TRIES))
def test_killed_at_a_random_time(bench: Bench, number: int) -> None:
    bench.reset()
    process = bench.start("-m", "eqtrace")
    time.sleep(random.Random(f"{bench.command} {number}").uniform(0, bench.seconds))
    kill(process)
    bench.nothing_is_damaged()
    bench.the_next_run_works()


@pytest.mark.parametrize("number", range(TRIES))
def test_killed_as_it_is_about_to_write(bench: Bench, number: int) -> None:
    """Several moments after each other on one copy: what a killed run left is met by the next that is killed."""
    bench.reset()
    drawn = random.Random(f"{bench.command} writes {number}")
    for moment in (drawn.randint(1, 4), drawn.randint(1, 12), drawn.randint(1, 60)):
        process = bench.start("-c", DIES, str(moment))
        process.wait(timeout=60)
        kill(process) if process.returncode is None else process.stderr and process.stderr.close()
        bench.nothing_is_damaged()
    bench.the_next_run_works()
