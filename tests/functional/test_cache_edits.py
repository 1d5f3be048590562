"""After any single edit, a run with the cache finds exactly what a full run finds.

Each verification happens in a fork of this process, which has everything but the project imported: that saves the
start of workers, whose own tests are elsewhere.
"""

import gc
import json
import os
import pickle
import random
import shutil
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import hypothesis.internal.conjecture.engine  # noqa: F401  (so that no fork needs to import it)
import pytest

import eqtrace.formula.prove
import eqtrace.run.answers
import eqtrace.run.pool
from eqtrace import runner
from eqtrace.config import load
from eqtrace.project import read_project
from eqtrace.report.json import render
from eqtrace.run import sample, scenarios
from eqtrace.run.gradient import gradients
from eqtrace.run.methods import counterexample, discrete, line, vjp
from eqtrace.run.outcome import Done

SHOP = Path(__file__).parent / "projects" / "shop"
EDITS = 25  # in each of four tests
Rng = random.Random


class InProcess:
    """Stands in for the pool: one session in this process, which is a fork."""

    def __init__(self, jobs, target, limit=0.0, root="", pythonpath=()):
        self.kind = eqtrace.run.answers.Answers if target == runner.ANSWERS else eqtrace.run.session.Session

    def start(self):
        pass

    def open(self, payload, files):
        self.session = self.kind(payload, lambda name: None, {})

    def prepare(self, given):
        self.session.load()
        self.session.prepare(given)

    def answer(self, units, group=None):
        for unit in units:
            yield Done(unit, self.session.run(unit))

    def close(self):
        pass


def forked(work: Callable[[], Any]) -> Any:
    """What a call returns in a fork of this process."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            gc.freeze()  # what is there already need not be looked through in the fork
            with os.fdopen(writing, "wb") as file:
                pickle.dump(work(), file)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        found = pickle.load(file)
    os.waitpid(child, 0)
    return found


def verified(root: Path, cache: bool, order: int = 1) -> tuple[int, dict[str, Any]]:
    """How many results came from the cache, and the report without that and the time."""

    def work() -> Any:
        eqtrace.run.pool.Pool = InProcess
        sample.DRAWS, sample.EDGES = 1, sample.EDGES[:2]
        scenarios.EXECUTIONS, scenarios.LEAST_ROUNDS, line.CERTIFIED_POINTS = 4, 1, 4
        vjp.LEAST, gradients.POINTS, gradients.EFFECTS, gradients.DIFFERENCED = 2, 2, 1, 1
        discrete.EXAMPLES = 5
        counterexample._EXAMPLES, counterexample._TRIALS = 10, 40
        sys.dont_write_bytecode = True
        os.chdir(root)
        results = runner.verify(load(root), None, jobs=1, cache=cache)
        return json.loads(render(results))

    report = forked(work)
    report["summary"].pop("seconds")
    return report["summary"].pop("from_cache"), report


# --- edits -----------------------------------------------------------------------------------------------------------

FILES = (
    "lab/slopes.py",
    "lab/ops.py",
    "lab/rates.py",
    "lab/chain.py",
    "references.py",
    "scenarios.py",
    "tests/test_ops.py",
)
PAIRS = (
    ("lab/ops.py", "np.maximum(x, FLOOR)", "np.maximum(x, FLOOR) + 0.0"),
    ("lab/ops.py", "out = A @ v", "out = A @ v + 1e-9"),
    ("lab/ops.py", "by=0.5", "by=0.25"),
    ("lab/ops.py", "FLOOR = 0.0", "FLOOR = 0.125"),
    ("lab/ops.py", "FLOOR = 0.0", "FLOOR = 0.0\nCEILING = 9.0"),
    ("lab/ops.py", "from lab import rates", "from lab import rates\n\nrates.BASE = 4.0"),
    ("lab/ops.py", '"""Nothing below the floor."""', '"""Nothing below."""'),
    ("lab/ops.py", "def relu(x):", "def relu(x, floor=None):"),
    ("lab/ops.py", "def shifted(x, by=0.5):", "@np.errstate(all='ignore')\ndef shifted(x, by=0.5):"),
    ("lab/ops.py", "    # each row\n", "    # every row\n    assert len(v)\n"),
    ("lab/ops.py", "    y = rates.rate() * x\n", "    y = rates.rate() * x\n    x += 0\n"),
    ("lab/rates.py", "BASE = 2.0", "BASE = 2.0 + 1e-8"),
    ("lab/rates.py", "OFFSET = 0.5", "OFFSET = 0.75"),
    ("lab/rates.py", "return factor * x", "return x * factor"),
    ("lab/rates.py", "factor = BASE", "factor = BASE * 1.01"),
    ("lab/rates.py", "return float(text)", "return float(text) + 0.5"),
    ("lab/rates.py", "@lru_cache(maxsize=None)\n", ""),
    ("lab/rates.py", "return factor * x", "raise ValueError('closed today')"),
    ("lab/chain.py", "scale = 3.0", "scale = 2.0"),
    ("lab/chain.py", "    scale = 3.0", "    if k > 0:\n        return 5.0 * k\n    scale = 3.0"),
    ("lab/chain.py", "total = r.sum()", "total = r.sum() - r[0]"),
    ("lab/chain.py", "STEPS = []", "STEPS = []\n\n\ndef unused():\n    return ops.FLOOR\n"),
    ("lab/chain.py", "    w = ops.product(A, v)\n", "    STEPS.append(len(v))\n    w = ops.product(A, v)\n"),
    ("lab/chain.py", "    r = ops.relu(w)\n", "    r = ops.relu(w) * 2.0\n"),
    ("lab/chain.py", "from lab import ops", "import numpy as np\nfrom lab import ops"),
    ("scenarios.py", "rng.normal(size=sizes", "rng.uniform(size=sizes"),
    ("scenarios.py", "    k = rng.normal()\n", "    k = rng.normal() * 3\n"),
    ("scenarios.py", "    chain.gain(None, None, k)\n", "    chain.gain(None, None, k)\n    chained(rng, sizes)\n"),
    ("scenarios.py", "    chain.gain(None, None, k)\n", "    chain.gain(None, None, k)\n    raise RuntimeError('no')\n"),
    ("scenarios.py", '"""Runs of the shop."""', '"""Runs."""\n\n\ndef more(rng, sizes):\n    chain.gain(0, 0, 1.0)\n'),
    ("scenarios.py", "from lab import chain", "from lab import chain, ops\n\nops.FLOOR = -1.0"),
    ("scenarios.py", "def gained", "def _gained"),
    ("data/rate.txt", "1.5", "1.25"),
    ("data/rate.txt", "1.5", "1.50"),
    ("spec/prices.yaml", "'Eq(y, 2*x)'", "'Eq(y, x + x)'"),
    ("spec/prices.yaml", "'Eq(y, 2*x)'", "'Eq(y, 2*x + 1)'"),
    ("spec/prices.yaml", "'Eq(y, Max(x, 0))'", "'Eq(y, Max(x, 0) + 0*x)'"),
    ("spec/prices.yaml", "'Eq(y, 3*x/2)'", "'Eq(y, 5*x/4)'"),
    ("spec/prices.yaml", "label: Half more", "label: A half more"),
    ("spec/prices.yaml", "why: 'Everybody asks.'", "why: 'Everybody\n  always asks.'"),
    ("spec/prices.yaml", "meaning: 'A number'", "meaning: 'Some number'"),
    ("spec/prices.yaml", "'A count', shape: []", "'A count', shape: [], domain: {min: 0}"),
    ("spec/prices.yaml", "sympy: 'Eq(g, 5*k)'", "sympy: 'Eq(g, 5*k)'\n    where: 'k > 0'"),
    ("spec/prices.yaml", "bind: {k: k, g: g}", "bind: {g: g}"),
    ("spec/prices.yaml", "bind: {k: k, g: g}", "bind: {k: scale, g: g}"),
    ("spec/prices.yaml", "at: 'lab/ops.py:33'", "at: 'lab/ops.py:34'"),
    ("spec/sums.yaml", "shape: [n, m]", "shape: [m, n]"),
    ("spec/sums.yaml", "Sum(r[i], i)", "Sum(2*r[i], i)"),
    ("spec/sums.yaml", "purpose: chain", "purpose: bill"),
    ("spec/sums.yaml", "topic: sums\n", "# sums\ntopic: sums\n"),
    ("spec/sums.yaml", "why: 'For the bill.'", "why: 'For the bills.'"),
    ("spec/sums.yaml", "    label: In all\n", "    label: In all\n    tolerance: {atol: 1.0e-3, rtol: 0, reason: 'cents'}\n"),
    ("lab/slopes.py", "    dv = dq * u\n", "    dv = dq * u * 1.0\n"),
    ("lab/slopes.py", "    dv = dq * u\n", "    dv = dq * v\n"),
    ("lab/slopes.py", "    du = dq * v\n", "    du = dq * v * 2.0\n"),
    ("lab/slopes.py", "return v * u", "return u * v"),
    ("lab/slopes.py", "q = v * v * v", "q = v ** 3"),
    ("lab/slopes.py", "dv = 3.0 * v", "dv = 3.1 * v"),
    ("lab/slopes.py", "WEIGHT = 2.0", "WEIGHT = 2.5"),
    ("spec/powers.yaml", "'Eq(q[j], v[j]*u[j])'", "'Eq(q[j], u[j]*v[j])'"),
    ("spec/slopes.yaml", "wrt: {v: 'result[0]', u: 'result[1]'}", "wrt: {v: 'result[1]', u: 'result[0]'}"),
    ("spec/slopes.yaml", "'Eq(Derivative(q[j], v[j]), u[j])'", "'Eq(Derivative(q[j], v[j]), 2*u[j])'"),
    ("spec/slopes.yaml", "'Eq(dv[j], dq[j]*u[j])'", "'Eq(dv[j], u[j]*dq[j])'"),
    ("references.py", "ticket > k[best]", "ticket >= k[best]"),
    ("references.py", "best = 0", "best = int(0)"),
    ("lab/tickets.py", "np.argmax(k)", "np.argmin(k)"),
    ("spec/sums.yaml", "args: [x]", "args: [y]"),
    ("pyproject.toml", "n = [2, 3]", "n = [3, 4]"),
    ("pyproject.toml", "n = [2, 3]\nm = [4, 5]", "n = [2]\nm = [4]"),
    ("pyproject.toml", 'coverage = "off"', 'coverage = "report"'),
    ("pyproject.toml", 'sources = ["lab"]', 'sources = ["lab/ops.py", "lab/chain.py"]'),
    ("tests/test_ops.py", "assert ops.rated(2.0) == 3.0", "assert ops.rated(4.0) == 6.0"),
    ("pages.yaml", "Prices and sums.", "Sums and prices."),
)  # fmt: skip


def pair(root: Path, rng: Rng, waiting: list[tuple[str, str, str]]) -> str:
    """One of the changes above: each comes once before any comes again."""
    if not any(each[1] in (root / each[0]).read_text() for each in waiting):
        waiting.extend(rng.sample(PAIRS, len(PAIRS)))
    path, old, new = next(each for each in waiting if each[1] in (root / each[0]).read_text())
    waiting.remove((path, old, new))
    text = (root / path).read_text()
    (root / path).write_text(text.replace(old, new, 1))
    return f"{path}: {old!r} -> {new!r}"


def inserted(root: Path, rng: Rng) -> str:
    """A blank line or a comment, at the beginning of some line."""
    path = rng.choice((*FILES, "spec/prices.yaml", "spec/sums.yaml"))
    lines = (root / path).read_text().split("\n")
    places = [n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith(('"""', "'''"))]
    place = rng.choice(places)
    indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
    lines.insert(place, rng.choice(("", f"{indent}# aside")))
    (root / path).write_text("\n".join(lines))
    return f"{path}:{place + 1}: a line"


def moved(root: Path, rng: Rng) -> str:
    """A function of a file, at its end."""
    path = rng.choice(FILES)
    parts = (root / path).read_text().split("\n\n\n")
    if len(parts) < 3:
        return inserted(root, rng)
    part = parts.pop(rng.randrange(1, len(parts) - 1))
    (root / path).write_text("\n\n\n".join([*parts[:-1], parts[-1].rstrip("\n"), part + "\n"]))
    return f"{path}: {part[:30]!r} moved"


def renamed(root: Path, rng: Rng) -> str:
    """A local variable that nothing cites."""
    path, old, new = rng.choice((("lab/chain.py", "scale", "share"), ("lab/rates.py", "factor", "times")))
    text = (root / path).read_text()
    (root / path).write_text(text.replace(f"{old} =", f"{new} =").replace(f" {old} *", f" {new} *"))
    return f"{path}: {old} renamed"


def edits(root: Path, rng: Rng, changes: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """Random edits, each upon those before it or, every other time, upon the project as it was at first."""
    first = {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and ".eqtrace" not in path.parts}
    waiting = list(changes)
    for number in range(EDITS):
        if rng.random() < 0.5:
            for path, content in first.items():
                if path.read_bytes() != content:
                    path.write_bytes(content)
        if number % 5 < 3:
            yield pair(root, rng, waiting)
        else:
            yield rng.choice((inserted, inserted, moved, renamed))(root, rng)


def compared(root: Path, part: int) -> None:
    """Edits a project again and again; what the cache gives must be what a run without it gives."""
    read_project(load(SHOP), None)  # so that everything is imported
    shutil.copytree(SHOP, root, ignore=shutil.ignore_patterns("__pycache__", ".eqtrace"))
    (_, cold), (_, full), (reused, warm) = verified(root, True), verified(root, False), verified(root, True)
    assert cold == full == warm
    assert reused == len(full["equations"])
    assert full["exit"] == 0
    rng, total, exits = random.Random(part), 0, set()
    for number, edit in enumerate(edits(root, rng, PAIRS[part::4])):
        reused, with_cache = verified(root, True)
        _, without = verified(root, False)
        assert with_cache == without, f"edit {number}: {edit}"
        total += reused
        exits.add(without["exit"])
    assert exits == {0, 1}
    assert total > EDITS  # else nothing is shown: it never reused anything


@pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks")
@pytest.mark.parametrize("part", range(4))
def test_after_any_edit_the_cache_changes_nothing(tmp_path: Path, part: int) -> None:
    # In a process of its own: it forks a hundred times, and one that has run many tests is large.
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        process.submit(compared, tmp_path / "shop", part).result()
