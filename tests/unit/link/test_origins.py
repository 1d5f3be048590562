"""Where a report says to start: at what the other refuted equations run."""

from __future__ import annotations

import pytest

from eqtrace.config import load
from eqtrace.runner import verify

CHAIN = """
def first(x):
    return 2 * x

def second(x):
    return first(x) + 1

def third(x):
    return second(x) * second(x)

def beside(x):
    return x - 1
"""
FORMS = {"first": "2*x", "second": "2*x + 1", "third": "(2*x + 1)**2", "beside": "x - 1"}
GRADIENT = """
import numpy as np

def inner(x):
    z = x * x
    return z

def forward(x):
    y = inner(x) + 1.0
    return y

def backward(x, dy):
    dx = 2.0 * x * dy
    return dx
"""
GRADIENT_SPEC = """
topic: layer
title: Layer
page: none
status: implemented
direction: backward
functions: ['m.py::backward', 'm.py::forward', 'm.py::inner']
what: A layer.
why: To differentiate it.
symbols:
  x: {shape: [n], code: x}
  y: {shape: [n], code: y}
  z: {shape: [n], code: z}
  dy: {shape: [n], code: dy}
  dx: {shape: [n], code: dx}
indices: {i: n}
equations:
  - id: layer.inner
    sympy: 'Eq(z[i], x[i]**2)'
    anchors: [{role: computes, at: 'm.py:5', in: inner, code: 'z = x * x'}]
  - id: layer.forward
    sympy: 'Eq(y[i], x[i]**2 + 1)'
    anchors: [{role: computes, at: 'm.py:9', in: forward, code: 'y = inner(x) + 1.0'}]
  - id: layer.gradient
    method: [vjp]
    sympy: 'Eq(dx[i], 2*x[i]*dy[i])'
    gradient: {forward: 'm.py::forward', backward: 'm.py::backward', cotangent: dy, wrt: {x: result}}
    anchors: [{role: computes, at: 'm.py:13', in: backward, code: 'dx = 2.0 * x * dy'}]
"""


@pytest.fixture
def notes(tmp_path):
    def run(code: str, spec: str) -> list[str]:
        (tmp_path / "m.py").write_text(code.lstrip("\n"))
        (tmp_path / "e.yaml").write_text(spec)
        settings = 'spec = ["e.yaml"]\nsources = ["m.py"]\ncoverage = "off"\n'
        (tmp_path / "pyproject.toml").write_text(f"[tool.eqtrace]\n{settings}")
        return [each for each in verify(load(tmp_path), None).notes if each.startswith("start with")]

    return run


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, []),
        ({"2 * x": "3 * x"}, ["start with m.py:1 (2 of the other 2 refuted reach first)"]),
        ({"first(x) + 1": "first(x) + 2"}, ["start with m.py:4 (the other refuted equation reaches second)"]),
        ({"x - 1": "x + 1"}, []),  # nothing else runs it
        ({"2 * x": "3 * x", "x - 1": "x + 1"}, ["start with m.py:1 (2 of the other 3 refuted reach first)"]),
        ({"second(x) * second(x)": "second(x)"}, []),
    ],
)
def test_the_function_that_others_run_comes_first(notes, changes, told):
    code = CHAIN
    for old, new in changes.items():
        code = code.replace(f"return {old}\n", f"return {new}\n")
    assert notes(code, "m:\n" + "".join(f"  {name}: {{sympy: '{form}'}}\n" for name, form in FORMS.items())) == told


def test_a_helper_without_an_equation_that_all_reach(notes):
    code = """
def _square(x):
    return x * x

def first(x):
    return _square(x) + 1

def second(x):
    return 2 * _square(x)

def third(x):
    return first(x) - 1
"""
    forms = {"first": "x**2 + 1", "second": "2*x**2", "third": "x**2"}
    spec = "m:\n" + "".join(f"  {name}: {{sympy: '{form}'}}\n" for name, form in forms.items())
    assert notes(code, spec) == []
    told = ["start with m.py::_square (all 3 refuted reach it, and no equation is of it)"]
    assert notes(code.replace("x * x", "x * x * x"), spec) == told
    assert notes(code.replace("_square(x) + 1", "_square(x) + 2"), spec) == [
        "start with m.py:4 (the other refuted equation reaches first)"
    ]


def test_a_composition_rests_on_what_it_is_made_of(notes):
    """Also where its line only reads what another line called."""
    code = """
def first(x):
    return 2 * x

def both(x):
    a = first(x)
    b = a + 1
    return b
"""
    spec = """
topic: sums
title: Sums
page: none
status: implemented
direction: forward
functions: ['m.py::first', 'm.py::both']
what: Sums.
why: They are.
symbols:
  x: {shape: [], code: x}
  b: {shape: [], code: b}
  y: {shape: [], code: null}
equations:
  - id: sums.first
    sympy: 'Eq(y, 2*x)'
    anchors: [{role: computes, at: 'm.py:2', in: first, code: 'return 2 * x', bind: {y: result}}]
  - id: sums.both
    method: [composition]
    sympy: 'Eq(b, F(x) + 1)'
    functions: {F: {equation: sums.first, args: [x]}}
    anchors: [{role: computes, at: 'm.py:6', in: both, code: 'b = a + 1'}]
"""
    assert notes(code, spec) == []
    code, spec = code.replace("2 * x", "3 * x"), spec.replace("return 2 * x", "return 3 * x")
    assert notes(code, spec) == ["start with m.py:2 (the other refuted equation reaches first)"]


def test_a_gradient_rests_on_its_forward(notes):
    assert notes(GRADIENT, GRADIENT_SPEC) == []
    wrong = GRADIENT.replace("x * x", "x * x * x"), GRADIENT_SPEC.replace("'z = x * x'", "'z = x * x * x'")
    assert notes(*wrong) == ["start with m.py:4 (2 of the other 2 refuted reach inner)"]
    wrong = GRADIENT.replace("2.0 * x", "3.0 * x"), GRADIENT_SPEC.replace("'dx = 2.0", "'dx = 3.0")
    assert notes(*wrong) == []
