"""Function symbols resolve to the chain of equations behind them, and a composition is no better than those."""

from dataclasses import replace

import pytest

from eqtrace import config, runner
from eqtrace.model.verdict import Verdict
from eqtrace.project import read_project

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


def with_beside(statement):
    """The specification, with another statement in the equation that `t.worst` resolves to."""
    gap = "Eq(r, Abs(x - y)/(1 + Abs(x) + Abs(y)))"
    assert SPEC.count(f"'{gap}'") == 1
    return SPEC.replace(f"'{gap}'", f"['{gap}', '{statement}']")


def test_of_several_statements_the_arguments_choose(verified):
    result = verified(SOURCE, with_beside("Eq(v[t], x*Sum(a[s], s))")).result("t.worst", "composition")
    assert [fault.message for fault in result.faults] == []
    assert "resolved by t.gap" in result.evidence.detail


def test_several_statements_that_the_arguments_give_are_none(verified):
    result = verified(SOURCE, with_beside("Eq(w, x)")).result("t.worst", "composition")
    assert result.verdict is Verdict.NOT_CHECKED
    assert any("t.gap gives 2 left sides" in fault.message for fault in result.faults)


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
    project = read_project(config.load(made.root), None)
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


# Through several topics, with halves put side by side, kept axes and an update

HEADS = """
import numpy as np


def inner(X, w):
    (T, d), H = X.shape, len(w)
    Xh = X.reshape(T, H, d // H).transpose(1, 0, 2)
    m = Xh.mean(axis=-1, keepdims=True)
    S = Xh - m * w[:, :, None]
    S = np.maximum(S, 0.0)
    R = S.transpose(1, 0, 2).reshape(T, d)
    return R


def outer(X, w):
    Y = X + inner(X, w)
    return Y
"""
HEAD = """topic: {name}
title: T
page: p
status: implemented
direction: neither
functions: ['subject.py::{function}']
what: w
why: w
"""
SYMBOLS = """symbols:
  X: {shape: [T, d]}
  Xh: {shape: [H, T, dh]}
  m: {shape: [H, T, 1]}
  S: {shape: [H, T, dh]}
  R: {shape: [T, 'H*dh']}
  w: {shape: [H, 1]}
indices: {h: H, t: T, c: dh, j: dh}
equations:
"""
INNER = (
    ("split", "Eq(Xh[h, t, c], X[t, h*dh + c])", "Xh = X.reshape(T, H, d // H).transpose(1, 0, 2)", 6),
    ("mean", "Eq(m[h, t, 0], Sum(Xh[h, t, j], j)/dh)", "m = Xh.mean(axis=-1, keepdims=True)", 7),
    ("centre", "Eq(S[h, t, c], Xh[h, t, c] - m[h, t, 0]*w[h, 0])", "S = Xh - m * w[:, :, None]", 8),
    ("cut", "Eq(S[h, t, c], Max(Old(S[h, t, c]), 0))", "S = np.maximum(S, 0.0)", 9),
    ("merge", "Eq(R[t, h*dh + c], S[h, t, c])", "R = S.transpose(1, 0, 2).reshape(T, d)", 10),
)
OUTER = """symbols:
  X: {shape: [T, 'H*dh']}
  w: {shape: [H, 1]}
  Y: {shape: [T, 'H*dh']}
indices: {t: T, i: 'H*dh'}
equations:
  - id: outer.sum
    sympy: 'Eq(Y[t, i], X[t, i] + F(X, w)[t, i])'
    method: [composition]
    functions: {F: {equation: merge.merge, args: [X, w]}}
    given: [{equation: cut.cut}, {equation: centre.centre}, {equation: mean.mean}, {equation: split.split}]
    anchors: [{role: computes, at: 'subject.py:15', in: outer, code: 'Y = X + inner(X, w)'}]
"""


def through_topics(verified, source=HEADS, outer=OUTER, **forms):
    made = verified(source, HEAD.format(name="outer", function="outer") + outer, "", "[tool.eqtrace.sizes]\nH = [2]\n")
    for name, form, code, line in INNER:
        head = HEAD.format(name=name, function="inner") + SYMBOLS
        made.write(
            f"{name}.yaml",
            f"{head}  - id: {name}.{name}\n    sympy: '{forms.get(name, form)}'\n"
            f"    anchors: [{{role: computes, at: 'subject.py:{line}', in: inner, code: '{code}'}}]\n",
        )
    text = (made.root / "pyproject.toml").read_text("utf-8")
    made.write("pyproject.toml", text.replace("['spec.yaml']", "['*.yaml']"))
    return made.result("outer.sum", "composition")


def test_a_composition_leads_through_topics(verified):
    result = through_topics(verified)
    assert [fault.message for fault in result.faults] == []
    assert result.verdict is Verdict.CERTIFIED
    assert "resolved by centre.centre, cut.cut, mean.mean, merge.merge, split.split" in result.evidence.detail


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("split", "Eq(Xh[h, t, c], X[t, c*H + h])"),
        ("mean", "Eq(m[h, t, 0], Sum(Xh[h, t, j], j)/H)"),
        ("cut", "Eq(S[h, t, c], Max(-Old(S[h, t, c]), 0))"),
        ("merge", "Eq(R[t, h*dh + c], S[h, t, dh - 1 - c])"),
    ],
)
def test_another_form_on_the_way_refutes_it(verified, name, form):
    result = through_topics(verified, **{name: form})
    assert result.verdict is Verdict.REFUTED, result.faults


def test_what_no_given_leads_to_is_not_resolved(verified):
    result = through_topics(verified, outer=OUTER.replace("{equation: mean.mean}, ", ""))
    assert result.verdict is Verdict.NOT_CHECKED
    assert any("m of merge.merge is no argument" in each.message for each in result.faults), result.faults


def test_an_array_given_in_part_is_not_worked_out(verified):
    result = through_topics(verified, merge="Eq(R[t, h*dh + c], S[0, t, c])", split="Eq(Xh[0, t, c], X[t, c])")
    assert result.verdict is Verdict.NOT_CHECKED
    assert any("is not defined" in each.message for each in result.faults), result.faults
