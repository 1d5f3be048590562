from __future__ import annotations

import pytest

from eqtrace.code.arithmetic import arithmetic
from eqtrace.code.source import parse

HEAD = """\
import math
import time
import logging
from numpy import exp
import numpy as np
from scipy import special
from pathlib import Path
from mine import thing

def f(x, y, n, name: str, items: list[int], rng):
"""


def is_arithmetic(line: str) -> bool:
    body = "".join(f"    {part}\n" for part in line.splitlines())
    return bool(arithmetic(parse("a.py", (HEAD + body).encode())))


@pytest.mark.parametrize(
    "line",
    [
        "z = x + y",
        "z = x @ y",
        "z = -x",
        "return x ** 2",
        "yield x / 2",
        "x -= 2 * y",
        "x *= 2",
        "z: float = x * 2",
        "z = np.exp(x)",
        "z = exp(x)",
        "z = math.sqrt(x)",
        "z = special.erf(x)",
        "z = np.maximum(x, 0)",
        "z = x.mean(axis=-1)",
        "z = (x - y).sum()",
        "np.add.at(x, n, y)",
        "np.exp(x, out=y)",
        "if x * 2 > 3: pass",
        "z = [a * 2 for a in items]",
        "z = (lambda a: a + 1)",
        "z = x[0] * 2",
        "z = thing(x + 1)",
        "z = rng.uniform(-x, x, size=n)",
        "return x, y - 1",
        "z = np.where(x > 0, x, 0)",
        "a = 1\nz = x * a",
        "for a in np.cumsum(x): pass",
        "z = (x * 2).reshape(n, n)",
        "z = n * np.arange(n)",
        "z = np.triu(np.ones((n, n)), 1)",
    ],
)
def test_arithmetic(line: str) -> None:
    assert is_arithmetic(line)


@pytest.mark.parametrize(
    "line",
    [
        "z = x",
        "z = 'a' + name",
        "z = name + x",
        "z = x + 'a' + y",
        "z = f'{x + 1}'",
        "z = '%d' % x",
        "z = '%d' % (x + 1)",
        "z = [0] * n",
        "z = items + [x]",
        "z = x[n + 1]",
        "z = x[n - 1:n + 1]",
        "z = x[:, n * 2]",
        "for i in range(n - 1): pass",
        "i = 0\ni += 1",
        "raise ValueError(x + 1)",
        "print(x + 1)",
        "logging.info('%s', x + 1)",
        "assert x, n + 1",
        "import os",
        "pi = 3 * 2",
        "half = 1 / 2",
        "z = -1",
        "z = -np.inf",
        "z = np.zeros(n)",
        "z = np.zeros((n, n))",
        "z = np.asarray(x, dtype=float)",
        "z = np.random.default_rng(n)",
        "z = np.sqrt(2 / np.pi)",
        "if np.isnan(x).any(): pass",
        "if x > y: pass",
        "z = Path(name) / 'a'",
        "z = name.upper()",
        "z = ','.join(items)",
        "start = time.perf_counter()\nz = time.perf_counter() - start",
        "z = set(items) - {1}",
        "name += 'x'",
        "z = len(items) - 1",
        "z = thing(x)",
        "z = x.transpose(1, 0).reshape(n, n * 2)",
        "if x[0] == y and n + 1 < len(items): pass",
        "t = np.arange(n)",
        "for a in np.ndindex(x.shape): pass",
        "z = items\nz = z == x",
        "pass",
        "def g(a): return a",
        "key = name + '.w'\nz = key + name",
    ],
)
def test_not_arithmetic(line: str) -> None:
    assert not is_arithmetic(line)


def test_module_constants_are_definitions() -> None:
    text = "import numpy as np\nA = 2\nB = A * 3\nC = np.sqrt(B)\ndata = load()\nd = data() + A\n\n"
    text += "def f():\n    return A * B\n"
    found = arithmetic(parse("a.py", text.encode()))
    assert [item.source for item in found] == ["d = data() + A", "return A * B"]


def test_methods_and_nested_functions_in_order() -> None:
    text = "class A:\n    def f(self):\n        def g(x): return x + 1\n        return self.x * 2\n"
    assert [item.function for item in arithmetic(parse("a.py", text.encode()))] == ["A.f.g", "A.f"]
