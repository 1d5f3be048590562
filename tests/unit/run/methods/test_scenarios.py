"""How often a scenario runs."""

import pytest

SOURCE = """
def double(x):
    y = 2 * x
    return y
"""
SPEC = """
topic: t
title: T
page: p
status: implemented
direction: neither
functions: ['subject.py::double']
what: w
why: w
symbols:
  x: {shape: [], code: x}
  y: {shape: [], code: y}
equations:
  - id: t.double
    sympy: 'Eq(y, 2*x)'
    anchors: [{role: computes, at: 'subject.py:2', in: double, code: 'y = 2 * x'}]
"""


def runs(verified, body: str) -> int:
    made = verified(SOURCE, SPEC, f"import subject\n\n\ndef scenario(rng, sizes):\n    subject.double({body})\n")
    session = made.open()
    return session.captures.scenarios.runs().counts["t.double/computes/0"]


@pytest.mark.parametrize(
    "body", ["rng.normal()", "len(list(sizes))", "float(bool({**sizes}))", "float('n' in sizes.keys())"]
)
def test_one_that_asks_for_anything_runs_often(verified, body):
    assert runs(verified, body) == 32


def test_one_that_asks_for_nothing_runs_once(verified):
    assert runs(verified, "2.0") == 1
