"""Function symbols resolve to the chain of equations behind them, and a composition is no better than those."""

from dataclasses import replace

import pytest

from eqtrace import config, runner
from eqtrace.model.verdict import Verdict

SOURCE = """
import numpy as np


def centre(X, g):
    m = X.mean(axis=1)
    c = X - m[:, None]
    v = (c * c).mean(axis=1)
    return g * c / np.sqrt(v[:, None] + 0.5)


def block(X, g, h):
    H = centre(X, g)
    Y = X + centre(H, h)
    return Y


def both(X, g, h):
    return X + centre(centre(X, g), h)


def gap(a, b):
    return abs(a - b) / (1 + abs(a) + abs(b))


def worst(a, b):
    return max(map(gap, a, b))
"""

SPEC = """
topic: t
title: T
page: p
status: implemented
direction: neither
functions: ['subject.py::centre']
what: w
why: w
symbols:
  X: {shape: [T, d]}
  g: {shape: [d]}
  h: {shape: [d]}
  m: {shape: [T]}
  v: {shape: [T]}
  c: {shape: [T, d]}
  N: {shape: [T, d], code: null}
  H: {shape: [T, d]}
  Y: {shape: [T, d]}
  x: {shape: [], code: a}
  y: {shape: [], code: b}
  r: {shape: [], code: null}
  a: {shape: [n]}
  b: {shape: [n]}
  w: {shape: [], code: null}
indices: {t: T, i: d, j: d, s: n}
equations:
  - id: t.mean
    sympy: 'Eq(m[t], Sum(X[t, j], j)/d)'
    anchors: [{role: computes, at: 'subject.py:5', in: centre, code: 'm = X.mean(axis=1)'}]
  - id: t.centred
    sympy: 'Eq(c[t, i], X[t, i] - m[t])'
    anchors: [{role: computes, at: 'subject.py:6', in: centre, code: 'c = X - m[:, None]'}]
  - id: t.variance
    sympy: 'Eq(v[t], Sum(c[t, j]**2, j)/d)'
    anchors: [{role: computes, at: 'subject.py:7', in: centre, code: 'v = (c * c).mean(axis=1)'}]
  - id: t.centre
    sympy: 'Eq(N[t, i], g[i]*c[t, i]/sqrt(v[t] + 1/2))'
    anchors:
      - {role: computes, at: 'subject.py:8', in: centre, bind: {N: result},
         code: 'return g * c / np.sqrt(v[:, None] + 0.5)'}
  - id: t.first
    sympy: 'Eq(H[t, i], C(X, g)[t, i])'
    method: [composition]
    functions: {C: {equation: t.centre, args: [X, g]}}
    anchors: [{role: computes, at: 'subject.py:12', in: block, code: 'H = centre(X, g)'}]
  - id: t.second
    sympy: 'Eq(Y[t, i], X[t, i] + C(H, h)[t, i])'
    method: [composition]
    functions: {C: {equation: t.centre, args: [X, g]}}
    anchors: [{role: computes, at: 'subject.py:13', in: block, code: 'Y = X + centre(H, h)'}]
  - id: t.both
    sympy: 'Eq(Y[t, i], X[t, i] + C(C(X, g), h)[t, i])'
    method: [composition]
    functions: {C: {equation: t.centre, args: [X, g]}}
    anchors:
      - {role: computes, at: 'subject.py:18', in: both, bind: {Y: result}, code: 'return X + centre(centre(X, g), h)'}
  - id: t.gap
    sympy: 'Eq(r, Abs(x - y)/(1 + Abs(x) + Abs(y)))'
    anchors:
      - {role: computes, at: 'subject.py:22', in: gap, bind: {r: result},
         code: 'return abs(a - b) / (1 + abs(a) + abs(b))'}
  - id: t.worst
    sympy: 'Eq(w, MaxOver(R(a[s], b[s]), s))'
    method: [composition]
    functions: {R: {equation: t.gap, args: [x, y]}}
    anchors: [{role: computes, at: 'subject.py:26', in: worst, code: 'return max(map(gap, a, b))', bind: {w: result}}]
"""


@pytest.mark.parametrize("equation", ["t.first", "t.second", "t.both"])
def test_a_composition_equals_its_equations_chain(verified, equation):
    result = verified(SOURCE, SPEC).result(equation, "composition")
    assert [fault.message for fault in result.faults] == []
    assert result.verdict is Verdict.CERTIFIED
    assert "resolved by t.centre, t.centred, t.mean, t.variance" in result.evidence.detail


def test_a_function_of_scalars_is_taken_entry_by_entry(verified):
    result = verified(SOURCE, SPEC).result("t.worst", "composition")
    assert [fault.message for fault in result.faults] == []
    assert result.verdict in (Verdict.CERTIFIED, Verdict.SAMPLED)


def test_of_several_statements_the_first_is_the_function(verified):
    spec = SPEC.replace(
        "'Eq(r, Abs(x - y)/(1 + Abs(x) + Abs(y)))'", "['Eq(r, Abs(x - y)/(1 + Abs(x) + Abs(y)))', 'Eq(w, x)']"
    )
    assert spec != SPEC
    result = verified(SOURCE, spec).result("t.worst", "composition")
    assert [fault.message for fault in result.faults] == []
    assert "resolved by t.gap" in result.evidence.detail


@pytest.mark.parametrize(
    ("equation", "old", "new"),
    [
        ("t.first", "X.mean(axis=1)", "X.mean(axis=1) * 1.0001"),
        ("t.second", "+ 0.5", "+ 0.5000001"),
        ("t.both", "(c * c).mean(axis=1)", "(c * c).sum(axis=1)"),
        ("t.both", "g * c /", "c /"),
        ("t.second", "X - m", "X + m"),
        ("t.worst", "1 + abs(a)", "1 + a"),
        ("t.worst", "abs(a - b)", "(a - b)"),
    ],
)
def test_a_change_of_what_is_called_refutes_it(verified, equation, old, new):
    assert SOURCE.count(old) == 1
    spec = SPEC.replace(old, new)  # the anchor is edited alike
    result = verified(SOURCE.replace(old, new), spec).result(equation, "composition")
    assert result.verdict is Verdict.REFUTED
    assert "value-mismatch" in [fault.kind for fault in result.faults]


def test_what_rests_on_itself_is_not_checked(verified):
    spec = SPEC.replace("Sum(X[t, j], j)/d", "v[t]").replace("X.mean(axis=1)'}", "X.mean(axis=1)', bind: {v: X}}")
    result = verified(SOURCE, spec).result("t.first", "composition")
    assert result.verdict is Verdict.NOT_CHECKED
    assert any("rests on itself" in fault.message for fault in result.faults)


def test_a_form_without_a_function_symbol_is_no_composition(verified):
    spec = SPEC.replace("Eq(H[t, i], C(X, g)[t, i])", "Eq(H[t, i], H[t, i])")
    result = verified(SOURCE, spec).result("t.first", "composition")
    assert result.verdict is Verdict.NOT_CHECKED


def test_it_is_at_best_what_it_rests_on(verified):
    made = verified(SOURCE, SPEC)
    project = runner.read_project(config.load(made.root), None)
    result = made.result("t.first", "composition")

    def capped(**verdicts):
        others = [replace_verdict(result, f"t.{name}", verdict) for name, verdict in verdicts.items()]
        return runner.capped([result, *others], project.forms)[0]

    best = {
        "mean": Verdict.CERTIFIED,
        "centred": Verdict.CERTIFIED,
        "variance": Verdict.CERTIFIED,
        "centre": Verdict.CERTIFIED,
    }
    assert capped(**best).verdict is Verdict.CERTIFIED
    assert capped(**{**best, "mean": Verdict.SAMPLED}).verdict is Verdict.SAMPLED
    assert capped(**{**best, "variance": Verdict.REFUTED}).verdict is Verdict.NOT_CHECKED
    alone = capped()
    assert alone.verdict is Verdict.CERTIFIED
    assert "resting on t.mean, not verified in this run" in alone.evidence.limits


def replace_verdict(result, equation, verdict):
    return replace(result, equation=equation, method="value", verdict=verdict)
