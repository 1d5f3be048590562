"""Forms that apply a function of the code."""

import pytest

from eqtrace.model.verdict import Verdict

SOURCE = """
import numpy as np
from functools import partial


def slopes(f, x, h):
    g = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[i] = 1.0
        g[i] = (f(x + h * e) - f(x - h * e)) / (2.0 * h)
    return g


def cubes(v):
    return float(np.sum(v**3) + v.flat[0] / 3)


def weighed(w, v):
    return (w * v).sum() / 7
"""
SPEC = """
topic: t
title: T
page: p
status: implemented
direction: neither
functions: ['subject.py::slopes']
what: w
why: w
symbols:
  f: {code: f, domain: {function: true}}
  x: {shape: ['...']}
  e: {shape: ['...']}
  h: {shape: []}
  g: {shape: [], code: 'g[i]'}
equations:
  - id: t.slope
    sympy: 'Eq(g, (f(x + h*e) - f(x - h*e))/(2*h))'
    anchors:
      - {role: computes, at: 'subject.py:10', in: slopes, code: 'g[i] = (f(x + h * e) - f(x - h * e)) / (2.0 * h)'}
"""
SCENARIOS = """
import numpy as np
from functools import partial
import subject


def run(rng, sizes):
    subject.slopes(subject.cubes, rng.normal(size=(2, 3)), 1e-3)
    subject.slopes(partial(subject.weighed, rng.normal(size=4)), rng.normal(size=4), 0.1)
    subject.slopes(lambda v: np.tanh(v).sum(), rng.normal(size=2), 1e-7)
"""


def test_a_function_of_the_code_is_certified(verified):
    found = verified(SOURCE, SPEC, SCENARIOS).result("t.slope")
    assert [fault.message for fault in found.faults] == []
    assert found.verdict is Verdict.CERTIFIED
    assert found.evidence.points >= 32


@pytest.mark.parametrize(
    "edit",
    [
        ("(f(x + h * e)", "(f(x)"),
        ("f(x + h * e) - f(x - h * e)", "f(x - h * e) - f(x + h * e)"),
        ("f(x + h * e) -", "2 * f(x + h * e) -"),
        ("f(x + h * e)", "f(x + 2 * h * e)"),
        ("f(x + h * e)", "f(x + h * e + 1e-15)"),
        ("/ (2.0 * h)", "/ h"),
    ],
)
def test_another_use_of_it_is_refuted(verified, edit):
    assert SOURCE.count(edit[0]) == 1
    found = verified(SOURCE.replace(*edit), SPEC.replace(*edit) if edit[0] in SPEC else SPEC, SCENARIOS).result(
        "t.slope"
    )
    assert found.verdict is Verdict.REFUTED
    (fault,) = found.faults
    assert fault.kind == "value-mismatch"
    assert "f = cubes" in fault.hint
    assert " at 0x" not in fault.hint


def test_what_depends_on_an_index_is_no_whole_array(verified):
    spec = SPEC.replace("'Eq(g, (f(x + h*e)", "'Eq(g, Sum(f(x + h*e*k), k) + (f(x + h*e)")
    found = verified(SOURCE, spec.replace("equations:", "indices: {k: 3}\nequations:"), SCENARIOS).result("t.slope")
    assert found.verdict is Verdict.NOT_CHECKED
    assert any("takes whole arrays" in fault.message for fault in found.faults)
