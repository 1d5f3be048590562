"""The largest error of a line: where it is told to be, and the bound that it is held against."""

import re

import pytest

from eqtrace.model.verdict import Verdict

CANCELS = "def f(x, y):\n    return x * x - 2 * x * y + y * y"
FORM = "sympy: 'x**2 - 2*x*y + y**2'"


def test_it_is_told_with_the_input_that_shows_it(value):
    evidence = value(CANCELS, FORM).evidence
    assert evidence.worst_ulp > 100
    assert re.fullmatch(
        r"subject\.py:1, result(\[\d\])? is [-\d.e]+, the form says [-\d.e]+, "
        r"with x = .+, y = .+, in call of subject\.f .+",
        evidence.worst_at,
    )


def test_large_inputs_are_told_by_their_shapes(value):
    evidence = value("def f(X):\n    return X.sum()", "sympy: 'Sum(X[i, j], i, j)', shapes: {X: [n, m]}").evidence
    assert re.search(r", with X of shape \(\d, \d\), in call of subject\.f", evidence.worst_at)


def test_nothing_is_told_where_all_is_exact(value):
    evidence = value("def f(x):\n    return -x", "sympy: '-x'").evidence
    assert (evidence.worst_ulp, evidence.worst_at) == (0.0, "")


def test_a_bound_that_holds_says_nothing(value):
    result = value("def f(x, y):\n    return x + y", "sympy: x + y, ulps: {max: 0.5, reason: one rounding}")
    assert (result.verdict, result.faults) == (Verdict.CERTIFIED, ())
    assert 0 < result.evidence.worst_ulp <= 0.5


def test_a_bound_that_is_broken_refutes_with_a_simple_input(value):
    result = value(CANCELS, f"{FORM}, ulps: {{max: 3, reason: Four roundings.}}")
    assert result.verdict is Verdict.REFUTED
    (fault,) = result.faults
    found = re.fullmatch(
        r"subject\.py:1: result(?:\[\d\])? is \S+, the form says \S+ \((\S+) ulps off\); "
        r"(\S+) ulps at worst, and at most 3 ulps are stated: Four roundings",
        fault.message,
    )
    assert found
    assert 3 < float(found[1]) <= float(found[2])
    assert re.match(r"inputs: x = .+, y = .+; shrunk from .+; seed 0", fault.hint)
    assert fault.kind == "ulps-exceeded"


@pytest.mark.parametrize(("bound", "verdict"), [(0.3, "refuted"), (0.5, "certified")])
def test_each_execution_is_held_against_it(value, bound, verdict):
    source = "def f(x):\n    return x / 3.0"
    assert value(source, f"sympy: x/3, ulps: {{max: {bound}, reason: r}}").verdict == verdict


def test_entries_beside_a_kink_count(value):
    """One entry at the kink leaves the others of its array as they are."""
    source = "import numpy as np\ndef f(X):\n    return np.maximum(X, 0) * 0.1 * 0.7 / 0.7"
    entry = "sympy: 'Max(X[i], 0)/10', shapes: {X: [n]}, ulps: {max: 0.5, reason: r}"
    assert value(source, entry).faults[0].kind == "ulps-exceeded"


def test_a_wrong_value_is_told_as_such_alone(value):
    result = value("def f(x):\n    return x * 1.5", "sympy: x, ulps: {max: 1, reason: r}")
    assert [fault.kind for fault in result.faults] == ["value-mismatch"]
