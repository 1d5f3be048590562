"""Times `eqtrace verify` after one line was edited, for one cited line of every topic that has a fitting one.

    python tests/benchmarks/edits.py [--every N]

The edit swaps the operands of a sum or product, which changes the statement and no value; the anchors that cite it are
edited alike, as an author would. The project is a copy whose cache is warm. `--every N` takes each N-th line only.
"""

from __future__ import annotations

import argparse
import ast
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERIFY = [sys.executable, "-m", "eqtrace", "verify", "-j", "2"]
LIMIT = 3.0  # seconds that an edited line is to take at most


@dataclass(frozen=True)
class Edit:
    """A statement of a file, and what it becomes."""

    path: str
    old: str
    new: str


def swapped(source: str) -> str | None:
    """The statement with the operands of its first sum or product of numbers swapped; None where it has none."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
            sides = (node.left, node.right)
            if any(_is_no_number(part) for side in sides for part in ast.walk(side)):
                continue
            left, right = (ast.get_source_segment(source, side) for side in sides)
            whole = ast.get_source_segment(source, node)
            if left and right and whole:
                operator = "+" if isinstance(node.op, ast.Add) else "*"
                return source.replace(whole, f"({right}) {operator} ({left})", 1)
    return None


def _is_no_number(node: ast.AST) -> bool:
    """Whether what holds this may be a text or a list, whose sums are not the same either way."""
    text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return text or isinstance(node, ast.List | ast.ListComp | ast.JoinedStr)


def edits(root: Path) -> Iterator[Edit]:
    """One edit for each topic that has a fitting line, in the order of the specification."""
    from eqtrace.config import load
    from eqtrace.spec.load import load as load_specification

    for topic in load_specification(load(root)).topics:
        for anchor in (anchor for equation in topic.equations for anchor in equation.anchors):
            old = anchor.code.strip()
            new = swapped(old) if anchor.role == "computes" else None
            if new and (root / anchor.path).read_text().count(old) == 1:
                yield Edit(anchor.path, old, new)
                break


def seconds(root: Path, edit: Edit) -> tuple[float, int, str]:
    """Wall time of the whole process, its exit code, and how much came from the cache."""
    before = {}
    for file in (root / edit.path, *sorted(root.glob("spec/*/*.yaml"))):
        text = file.read_text()
        if edit.old in text:
            before[file] = text
            file.write_text(text.replace(edit.old, edit.new))
    started = time.perf_counter()
    done = subprocess.run(VERIFY, cwd=root, capture_output=True, text=True, check=False)
    taken = time.perf_counter() - started
    for file, text in before.items():
        file.write_text(text)
    kept = re.search(r"from cache +(\d+)", done.stdout)
    return taken, done.returncode, kept[1] if kept else "0"


def main() -> None:
    """Prints a line for each edit, and the figures over all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1)
    every = parser.parse_args().every
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project")
        root.mkdir()
        for name in ("impl", "spec", "tests/impl"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", root)
        for _ in range(2):
            subprocess.run(VERIFY, cwd=root, capture_output=True, check=False)
        kept = shutil.copytree(root / ".eqtrace", Path(folder, "kept"))
        found = []
        for edit in list(edits(root))[::every]:
            shutil.rmtree(root / ".eqtrace")
            shutil.copytree(kept, root / ".eqtrace")
            taken, code, cached = seconds(root, edit)
            # A sum of texts is another one when it is swapped: that is no edit that changes no value.
            found += [taken] if not code else []
            note = f"exit {code}, not counted" if code else f"{cached} results from the cache"
            print(f"{taken:6.2f} s  {edit.path}: {edit.old.strip()[:60]:60}  {note}", flush=True)
    under, middle = sum(each < LIMIT for each in found), statistics.median(found)
    print(f"{len(found)} lines: median {middle:.2f} s, {under} under {LIMIT:g} s, {max(found):.2f} s at most")


if __name__ == "__main__":
    main()
