"""Repositories that are made by replaying edits, and checked by the installed command."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Run:
    """What the command answered."""

    exit: int
    stdout: str
    stderr: str

    @property
    def report(self) -> dict[str, Any]:
        return json.loads(self.stdout)

    @property
    def citations(self) -> list[dict[str, Any]]:
        return self.report["citations"]

    def of(self, text: str) -> dict[str, Any]:
        (found,) = [each for each in self.citations if each["text"] == text]
        return found

    def status(self, text: str) -> str:
        return self.of(text)["status"]


CODE = '''"""A shop."""

LIMIT = 3


def price(item):
    """What an item costs."""
    return item.cost * item.count


def discount(total):
    if total > LIMIT:
        return total * 0.9
    return total


class Basket:
    def __init__(self):
        self.items = []

    def total(self):
        return discount(sum(price(item) for item in self.items))
'''

PROSE = """# Shop

- `price` (`shop.py:6`) works out an item
- `discount` (`shop.py:11-14`) takes a tenth off
- the basket's `total` is at `shop.py:21`
"""


class Repository:
    """A folder, under git or not."""

    CODE = CODE
    PROSE = PROSE

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()

    def write(self, path: str, text: str) -> None:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text.encode())

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def edit(self, path: str, change: Callable[[str], str]) -> None:
        self.write(path, change(self.read(path)))

    def git(self, *arguments: str) -> str:
        environment = {
            **os.environ,
            **{f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
        }
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    def commit(self, message: str = "edit") -> None:
        if not (self.root / ".git").exists():
            self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def cites(self, *arguments: str, folder: str = ".") -> Run:
        environment = {**os.environ, "COLUMNS": "120"}
        if "PYTHONPATH" in environment:
            environment["PYTHONPATH"] = os.pathsep.join(
                str(Path(entry).absolute()) for entry in environment["PYTHONPATH"].split(os.pathsep)
            )
        command = [sys.executable, "-m", "eqtrace", "cites", *arguments]
        done = subprocess.run(
            command, cwd=self.root / folder, env=environment, capture_output=True, text=True, timeout=120
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Run(done.returncode, done.stdout, done.stderr)

    def judged(self, *arguments: str) -> Run:
        return self.cites("--format", "json", *arguments)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


@pytest.fixture
def shop(repository: Repository) -> Repository:
    """A module, and a document that cites three of its lines rightly."""
    repository.write("src/shop.py", CODE)
    repository.write("docs/shop.md", PROSE)
    repository.commit()
    return repository
