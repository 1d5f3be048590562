import pytest

from eqtrace.model.verdict import Verdict

SOURCE = """def f(x, y):
    total = 2 * x + y
    return total
"""
SPEC = """
topic: t
title: T
page: p
status: implemented
direction: neither
functions: ['subject.py::f']
what: w
why: w
symbols: {x: {shape: [n]}, y: {shape: [n]}, z: {shape: [n], code: total}, s: {shape: [], code: null}}
indices: {i: n, j: n}
equations:
  - id: t.e
    sympy: 'Eq(z[i], 2*x[i] + y[i])'
    anchors: [{role: computes, at: 'subject.py:2', in: f, code: 'total = 2 * x + y'}]
  - id: t.derived
    sympy:
      - 'Eq(Derivative(z[i], y[j]), KroneckerDelta(i, j))'
      - 'STATEMENT'
    derived: true
    method: [derivative]
    given: [{equation: t.e}]
    anchors: [{role: explains, at: 'subject.py:2', in: f, code: 'total = 2 * x + y'}]
"""


def found(verified, statement, method="derivative"):
    spec = SPEC.replace("STATEMENT", statement).replace("method: [derivative]", f"method: [{method}]")
    return verified(SOURCE, spec).result("t.derived", method)


@pytest.mark.parametrize("method", ["derivative", "identity"])
def test_a_proof_says_how_and_counts_what_it_explains(verified, method):
    result = found(verified, "Eq(Derivative(Sum(z[i]**2, i), x[j]), 4*z[j])", method)
    assert (result.verdict, result.faults) == (Verdict.PROVED, ())
    assert result.evidence.detail.startswith("proved for all sizes >= 1; ")
    assert "evaluated at 2 random points beside" in result.evidence.detail
    assert (result.evidence.points, result.evidence.certified) == (2, 0)
    assert "t.derived/explains/0" in result.executions


def test_assumptions_are_shown(verified):
    result = found(verified, "Eq(Derivative(log(z[i]), y[i]), 1/z[i])")
    assert result.verdict is Verdict.PROVED
    assert "assuming z[i] > 0" in result.evidence.detail


def test_a_refutation_is_at_the_statement(verified):
    result = found(verified, "Eq(Derivative(Sum(z[i]**2, i), x[j]), 2*z[j])")
    assert result.verdict is Verdict.REFUTED
    (fault,) = result.faults
    assert fault.kind == "statement-refuted"
    assert "side 1 is" in fault.message
    assert fault.span.line == 18
    assert fault.hint == "seed 0"
    assert [(related.span.path, related.span.line) for related in fault.related] == [("subject.py", 2)]


def test_what_is_not_proved_is_certified_and_says_why(verified):
    result = found(verified, "Eq(sin(2*s), 2*sin(s)*cos(s))")
    assert result.verdict is Verdict.CERTIFIED
    assert result.evidence.certified == result.evidence.points > 10
    assert "the normal forms of sides 1 and 2 differ" in result.evidence.detail


def test_nothing_to_prove_is_not_checked(verified):
    spec = SPEC.replace("      - 'STATEMENT'\n", "").replace("Derivative(z[i], y[j]), KroneckerDelta(i, j)", "s, 1")
    result = verified(SOURCE, spec).result("t.derived", "derivative")
    assert result.verdict is Verdict.NOT_CHECKED
    assert [fault.kind for fault in result.faults] == ["method-not-run"]
    assert "only defines its left side" in result.faults[0].message
