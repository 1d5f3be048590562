import pytest

from eqtrace.model.verdict import Verdict

SPEC = """
topic: t
title: T
page: p
status: implemented
direction: neither
functions: ['subject.py::f']
what: w
why: w
symbols:
  L: {shape: [], domain: {integer: true, min: 1, max: 3}}
  d: {shape: [], domain: {integer: true, min: 2, max: 5}}
  theta: {code: table}
  G: {shape: [d], code: null}
indices: {l: L, j: d}
call: 'f(L, d)'
equations:
  - id: t.e
    sympy: 'Eq(G[j], 1)'
    method: [structure]
    structure:
      head: {shape: [d, 'd + 1'], start: zeros}
      'b{l}.gain': {shape: [d], start: ones}
      'b{l}.shift': {shape: [d], start: zeros}
      tail: {shape: [L], start: ones}
    anchors: [{role: computes, at: 'subject.py:9', in: f, code: 'return table', bind: {theta: result}}]
"""
SOURCE = """
import numpy as np
def f(L, d):
    table = {}
    table["head"] = np.zeros((d, d + 1))
    for l in range(L):
        table[f"b{l}.gain"] = np.ones(d)
        table[f"b{l}.shift"] = np.zeros(d)
    table["tail"] = np.ones(L)
    return table
"""


def test_the_table(verified):
    result = verified(SOURCE, SPEC).result("t.e", "structure")
    assert (result.verdict, result.faults) == (Verdict.TESTED, ())
    assert result.evidence.points == 8


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("(d, d + 1)", "(d + 1, d)", "head has shape"),
        ("(d, d + 1)", "(d, d)", "head has shape"),
        ("np.ones(d)", "np.zeros(d)", "b0.gain does not start as ones"),
        ("np.ones(d)", "np.full(d, 1.0 + 1e-12)", "b0.gain does not start as ones"),
        ("range(L)", "range(1, L)", "missing: b0.gain"),
        ("range(L)", "range(L + 1)", "not in the table"),
        ("b{l}.shift", "b{l}.bias", "missing: b0.shift"),
        ('table["tail"] = np.ones(L)', 'table = {"tail": np.ones(L), **table}', "another order"),
        ("return table", "return list(table)", "no cited line gave a dictionary"),
    ],
)
def test_another_table(verified, old, new, said):
    assert SOURCE.count(old) == 1
    spec = SPEC.replace(old, new) if old == "return table" else SPEC
    result = verified(SOURCE.replace(old, new), spec).result("t.e", "structure")
    assert result.verdict is Verdict.REFUTED
    (fault,) = result.faults
    assert fault.kind == "structure-mismatch"
    assert said in fault.message


def test_code_that_raises_is_no_pass(verified):
    made = verified(SOURCE.replace("return table", "return table[0]"), SPEC.replace("return table", "return table[0]"))
    result = made.result("t.e", "structure")
    assert (result.verdict, [fault.kind for fault in result.faults]) == (Verdict.NOT_CHECKED, ["user-code-failed"])


def test_the_line_that_gave_a_wrong_entry_is_shown(verified):
    anchors = (
        "    anchors:\n"
        "      - {role: computes, at: 'subject.py:4', in: f, code: 'table[\"head\"] = np.zeros((d, d + 1))',"
        " bind: {G: result}}\n"
        "      - {role: computes, at: 'subject.py:8', in: f, code: 'table[\"tail\"] = np.full(L, 2.0)',"
        " bind: {G: result}}\n"
        "      - {role: computes, at: 'subject.py:9', in: f, code: 'return table', bind: {theta: result}}\n"
    )
    spec = SPEC[: SPEC.index("    anchors:")] + anchors
    result = verified(SOURCE.replace("np.ones(L)", "np.full(L, 2.0)"), spec).result("t.e", "structure")
    (fault,) = result.faults
    assert "tail does not start as ones" in fault.message
    assert [(each.span.path, each.span.line) for each in fault.related] == [("subject.py", 8)]
