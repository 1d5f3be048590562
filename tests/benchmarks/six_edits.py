"""Six edits of cited code, and what is said of them: by `audit` of anchors, by `cites` of prose.

Each edit is made in a repository of its own: a module of two functions, a specification with an anchor in each, and a
document that cites both by line. Prints a table. `tests/functional/cites/test_six_edits.py` holds what it says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

CODE = '''"""Scales."""

LIMIT = 3


def scale(x, factor):
    low = x.min()
    span = x.max() - low
    return factor * (x - low) / span


def shift(x, by):
    moved = x + 2 * by
    return moved
'''
OTHER = '"""Other things."""\n\n\ndef nothing():\n    return None\n'
SPEC = """topic: scales
title: Scales
page: scales
status: implemented
direction: neither
functions: ['src/scales.py::scale']
what: Scales.
why: Tests.
symbols:
  S: {meaning: 'Span', code: span, shape: []}
  M: {meaning: 'Moved', code: moved, shape: []}
equations:
  - id: scales.span
    label: Span
    latex: 'S'
    sympy: 'Eq(S, S)'
    method: [value]
    anchors:
      - {role: computes, at: 'src/scales.py:8', in: scale, code: 'span = x.max() - low'}
  - id: scales.shift
    label: Shift
    latex: 'M'
    sympy: 'Eq(M, M)'
    method: [value]
    anchors:
      - {role: computes, at: 'src/scales.py:13', in: shift, code: 'moved = x + 2 * by'}
"""
PROSE = """# Scales

- `scale` (`src/scales.py:6`) stretches, and
- `shift` (`src/scales.py:12`) moves by `moved = x + 2 * by` (`src/scales.py:13`).
"""
PROJECT = """[project]
name = "scales"
[tool.eqtrace]
spec = ["spec/*.yaml"]
sources = ["src"]
tests = []
coverage = "off"
"""


@dataclass(frozen=True)
class Said:
    """What a command says of one citation: its status or check, where it points to, and all of its words."""

    verdict: str
    now: str
    words: str


class Repository:
    """A repository with its first commit."""

    def __init__(self, root: Path) -> None:
        self.root = root
        files = {"pyproject.toml": PROJECT, "src/scales.py": CODE, "src/other.py": OTHER, "docs/scales.md": PROSE}
        for path, text in {**files, "spec/scales.yaml": SPEC}.items():
            self.write(path, text)
        self.git("init", "-q", "-b", "main")
        self.commit()

    def write(self, path: str, text: str) -> None:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, encoding="utf-8")

    def git(self, *arguments: str) -> None:
        who = {f"GIT_{w}_{k}": "b@example.org" for w in ("AUTHOR", "COMMITTER") for k in ("NAME", "EMAIL")}
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", *arguments], cwd=self.root, env={**os.environ, **who, **quiet}, check=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "as it is")

    def report(self, *arguments: str) -> dict:
        environment = {**os.environ}
        if "PYTHONPATH" in environment:
            entries = environment["PYTHONPATH"].split(os.pathsep)
            environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, entries))
        command = [sys.executable, "-m", "eqtrace", *arguments, "--format", "json"]
        done = subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, check=False)
        return json.loads(done.stdout)

    def anchors(self) -> dict[str, Said]:
        """What `audit` says of each equation's anchor."""
        report = self.report("audit", "--no-cache")
        said = {each["id"]: Said(each["anchors"][0]["status"], _place(each), "") for each in report["equations"]}
        for each in report["findings"]:
            if each["severity"] != "note" and each["code"].startswith("EQ2"):
                words = [each["message"], each["hint"] or "", *(_related(other) for other in each["related"])]
                verdict = f"{said[each['equation']].verdict} ({each['code']})"
                said[each["equation"]] = Said(verdict, said[each["equation"]].now, "\n".join(words))
        return said

    def prose(self) -> dict[str, Said]:
        """What `cites` says of each citation."""
        said = {}
        for each in self.report("cites", "docs")["citations"]:
            place = each["proposed"]
            now = "" if place is None else f"{place['path']}:{place['line']}"
            said[each["text"]] = Said(each["status"], now, "\n".join(one["text"] for one in each["evidence"]))
        return said


def _place(equation: dict) -> str:
    anchor = equation["anchors"][0]
    return f"{anchor['path']}:{anchor['line']}"


def _related(place: dict) -> str:
    return f"{place['path']}:{place['line']} {place['message']}"


def above(made: Repository) -> None:
    made.write("src/scales.py", "# a remark\n" * 10 + CODE)


def comment(made: Repository) -> None:
    made.write("src/scales.py", CODE.replace("    low = ", "    # the least comes first\n    low = "))


def renamed(made: Repository) -> None:
    made.write("src/scales.py", CODE.replace("shift", "displace"))


def constant(made: Repository) -> None:
    made.write("src/scales.py", CODE.replace("2 * by", "3 * by"))


def elsewhere(made: Repository) -> None:
    rest, moved = CODE.split("\n\ndef shift")
    made.write("src/scales.py", rest)
    made.write("src/other.py", f"{OTHER}\n\ndef shift{moved}")


def deleted(made: Repository) -> None:
    made.git("rm", "-q", "src/scales.py")


EDITS: tuple[tuple[str, Callable[[Repository], None]], ...] = (
    ("10 lines added above", above),
    ("comment in the body", comment),
    ("function renamed", renamed),
    ("a constant changed", constant),
    ("moved to another file", elsewhere),
    ("file deleted", deleted),
)


def results(folder: Path) -> Iterator[tuple[str, dict[str, Said], dict[str, Said]]]:
    """Each edit, with what is said of the anchors and of the prose after it."""
    for number, (name, edit) in enumerate(EDITS):
        made = Repository(folder / str(number))
        edit(made)
        made.commit()
        yield name, made.anchors(), made.prose()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, anchors, prose in results(Path(folder)):
            print(name)
            for which, said in {**anchors, **prose}.items():
                print(f"    {which:20} {said.verdict:22} {said.now:20} {said.words!r}")


if __name__ == "__main__":
    main()
