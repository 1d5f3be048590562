"""A foreign project, copied and verified through the installed command."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from eqtrace.cli import main as cli

collect_ignore = ["projects"]  # their own tests belong to them

HALFLIFE = Path(__file__).parent / "projects" / "halflife"


@dataclass
class Run:
    """What the command answered."""

    exit: int
    stdout: str
    stderr: str

    @cached_property
    def report(self) -> dict[str, Any]:
        return json.loads(self.stdout)

    @property
    def verdicts(self) -> dict[str, str]:
        return {equation["id"]: equation["verdict"] for equation in self.report["equations"]}

    @property
    def verdicts_but_for_constants(self) -> dict[str, str]:
        """The verdicts, with what is certified up to the rounding of constants as certified."""
        return {name: each.replace("certified-to-constants", "certified") for name, each in self.verdicts.items()}

    @property
    def findings(self) -> list[dict[str, Any]]:
        """All but notes."""
        return [finding for finding in self.report["findings"] if finding["severity"] != "note"]

    @property
    def codes(self) -> list[str]:
        return [finding["code"] for finding in self.findings]

    def of(self, equation: str) -> list[dict[str, Any]]:
        return [finding for finding in self.findings if finding["equation"] == equation]


class Project:
    """A copy of a project."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *arguments: str, timeout: float = 60) -> Run:
        environment = dict(os.environ)
        if "PYTHONPATH" in environment:
            entries = environment["PYTHONPATH"].split(os.pathsep)
            environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, entries))
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-m", "eqtrace", *arguments]
        done = subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, timeout=timeout, check=False
        )
        return Run(done.returncode, done.stdout.decode(), done.stderr.decode())

    def verify(self, *arguments: str, timeout: float = 60) -> Run:
        return self.run("verify", *arguments, "--format", "json", timeout=timeout)

    def verify_here(self, *arguments: str) -> Run:
        """The same without a process of its own, for tests of many edits; what it prints is not in the answer."""
        output = self.root.parent / "report.json"
        where = ("--config", str(self.root / "pyproject.toml"), "--output-file", str(output))
        status = cli.run(["verify", *arguments, *where, "--format", "json"])
        return Run(status, output.read_text("utf-8"), "")

    def edit(self, path: str, old: str, new: str) -> int:
        """Replaces the one place that holds `old`; its line."""
        file = self.root / path
        text = file.read_text("utf-8")
        assert text.count(old) == 1, f"{path} holds {text.count(old)} of: {old}"
        file.write_text(text.replace(old, new), "utf-8")
        return text[: text.index(old)].count("\n") + 1

    def hashes(self) -> dict[str, str]:
        """Every file but what the caches of Python and of eqtrace hold."""
        kept = {"__pycache__", ".eqtrace"}
        files = [file for file in self.root.rglob("*") if file.is_file() and not kept & {*file.parts}]
        return {str(file.relative_to(self.root)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}

    def processes(self) -> list[str]:
        """Processes that work in the project's folder, and still do a while later: killed ones take a moment to go."""
        end = time.monotonic() + 10
        while (found := self._processes()) and time.monotonic() < end:
            time.sleep(0.05)
        return found

    def _processes(self) -> list[str]:
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                inside = os.readlink(process / "cwd").startswith(str(self.root))
            except OSError:
                continue
            if inside:
                found.append(process.name)
        return found


@pytest.fixture(scope="session")
def copy_to() -> Callable[[Path], Project]:
    """Copies the project into a folder."""

    def copy(root: Path) -> Project:
        shutil.copytree(HALFLIFE, root, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
        return Project(root)

    return copy


@pytest.fixture
def project(tmp_path: Path, copy_to: Callable[[Path], Project]) -> Project:
    return copy_to(tmp_path / "halflife")


@pytest.fixture(scope="session")
def opened() -> type[Project]:
    """Makes a project of a folder that is there."""
    return Project
