"""A project of two equations, read as the commands read it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from eqtrace.config import load_file
from eqtrace.link.review.suspicion import Link, Texts, links
from eqtrace.model.topic import Review
from eqtrace.project import Project, read_project

TOPIC = """\
topic: lin
title: Linear
page: p
status: implemented
direction: forward
functions: ['ops.py::linear']
what: It mixes columns. It adds a bias.
why: Everything is built of it.
symbols:
  X: {meaning: Input, shape: [T, a]}
  W: {meaning: Weights, shape: [a, c]}
  b: {meaning: Bias, shape: [c]}
  Y: {meaning: Output, code: null, shape: [T, c]}
  Z: {meaning: Other, code: null, shape: [c]}
indices: {t: T, k: a, j: c}
equations:
  - id: lin.lin
    label: Product plus bias
    latex: 'Y = XW + b'
    sympy: 'Eq(Y[t, j], Sum(X[t, k]*W[k, j], k) + b[j])'
    anchors:
      - {role: computes, at: 'ops.py:2', in: linear, code: 'return X @ W + b', bind: {Y: result}}
      - {role: tests, at: 'tests/test_ops.py:4', in: test_it, code: 'assert linear(1, 2, 3) == 5'}
  - id: lin.bias
    label: Bias alone
    latex: 'Z = b'
    sympy: ['Eq(Z[j], b[j])', 'Ge(Z[j], 0)']
    where: 'a > 0'
    anchors:
      - {role: tests, at: 'tests/test_ops.py:5', in: test_it, code: 'assert linear(0, 0, 3) == 3', part: 0}
      - {role: states, at: 'notes.md:2', code: 'The bias is added.', purpose: Notes}
"""
FILES = {
    "pyproject.toml": '[tool.eqtrace]\nspec = ["lin.yaml"]\nsources = ["ops.py"]\ntests = ["tests"]\n'
    'coverage = "off"\nreviews = "reviews.yaml"\n',
    "lin.yaml": TOPIC,
    "ops.py": "def linear(X, W, b):\n    return X @ W + b\n",
    "tests/test_ops.py": "from ops import linear\n\ndef test_it():\n    assert linear(1, 2, 3) == 5\n"
    "    assert linear(0, 0, 3) == 3\n",
    "notes.md": "# Notes\nThe bias is added.\n",
}


class Bench:
    """The project's files, and what is read of them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text("utf-8")
        assert text.count(old) == 1, old
        self.write(name, text.replace(old, new))

    def read(self) -> Project:
        return read_project(load_file(self.root / "pyproject.toml"), None)

    def links(self) -> tuple[Project, list[Link]]:
        project = self.read()
        assert [fault.message for fault in project.linked.faults] == []
        return project, list(links(project.specification, set(project.selected), project.linked.matches))

    def reviews(self) -> list[Review]:
        """Every link as it is now."""
        project, found = self.links()
        texts = Texts(project.index)
        return [texts.review(link) for link in found]

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
        command = ["git", *who, *arguments]
        return subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True).stdout

    def commit(self) -> None:
        if not (self.root / ".git").exists():
            self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "as it is")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "project")


Changed = Callable[[str, str, str], set[tuple[str, str]]]


@pytest.fixture
def changed(bench: Bench) -> Changed:
    """Which texts of which links differ after an edit, as (kind, name)."""

    def after(name: str, old: str, new: str) -> set[tuple[str, str]]:
        before = bench.reviews()
        bench.edit(name, old, new)
        now = bench.reviews()
        return {
            (kind, one.key)
            for one, other in zip(before, now, strict=True)
            for kind in ("form", "prose", "code")
            if getattr(one, kind) != getattr(other, kind)
        }

    return after
