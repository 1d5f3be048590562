import re

import pytest

from eqtrace.model.verdict import Verdict


def refuted(value, source, entry):
    result = value(source, entry)
    assert result.verdict is Verdict.REFUTED
    return result.faults[0]


def test_it_names_index_values_ulps_inputs_seed_and_line(value):
    fault = refuted(value, "import numpy as np\ndef f(x):\n    y = x + 1\n    y[-1] += 0.5\n    return y", "sympy: 'x[i] + 1', shapes: {x: [n]}")  # fmt: skip  # noqa: E501
    assert re.match(
        r"subject\.py:2: result\[\d+\] is [\d.]+, the form says [\d.]+ \([\d.e+]+ ulps off\)", fault.message
    )
    assert re.match(r"inputs: x = \[[-\d., ]+\]; shrunk from call of subject\.f with .+; seed 0", fault.hint)
    (related,) = fault.related
    assert (related.span.path, related.span.line) == ("subject.py", 2)


@pytest.mark.parametrize(
    ("source", "entry", "inputs"),
    [
        ("def f(x):\n    return x * x", "sympy: 2*x", "x = 1.0"),
        ("def f(x):\n    return abs(x)", "sympy: x**2", "x = 2.0"),  # at 0 and 1 they agree
        ("def f(x):\n    return x + 1 if x > 100 else x", "sympy: x", None),
        ("def f(x, y):\n    return x - y", "sympy: y - x", "x = 0.0, y = 1.0"),
        ("def f(X):\n    return X.sum(axis=0) * 1.01", "sympy: 'Sum(X[i, j], i)', shapes: {X: [n, m]}", "X = [[1.0]]"),
    ],
)
def test_inputs_are_made_simple(value, source, entry, inputs):
    fault = refuted(value, source, entry)
    assert "shrunk from" in fault.hint
    if inputs is not None:
        assert f"inputs: {inputs};" in fault.hint


def test_inputs_stay_within_where(value):
    fault = refuted(value, "def f(x):\n    return x * 1.1", "sympy: x, where: 'x > 7'")
    shown = float(fault.hint.split("x = ")[1].split(";")[0])
    assert shown > 7


@pytest.mark.parametrize(
    ("domain", "allowed"),
    [
        ("x: {min: 7}", lambda x: x >= 7),
        ("x: {min: 0, open: [min], max: 0.5}", lambda x: 0 < x <= 0.5),
        ("x: {max: -3}", lambda x: x <= -3),
        ("x: {one_of: [2.5, 3.5]}", lambda x: x in (2.5, 3.5)),
    ],
)
def test_inputs_stay_within_their_domain(value, domain, allowed):
    fault = refuted(value, "def f(x):\n    return x * 1.1", f"sympy: x, domain: {{{domain}}}")
    assert allowed(float(fault.hint.split("x = ")[1].split(";")[0]))


def test_a_difference_that_float64_does_not_show_is_told_as_such(value):
    fault = refuted(value, "def f(x):\n    return x * (1 + 1e-20)", "sympy: x")
    assert "in exact arithmetic" in fault.message
    assert "seen in" in fault.hint


def test_user_code_that_fails_on_simpler_inputs_keeps_the_captured_ones(value):
    source = (
        "def f(x):\n    if float(x).is_integer() and x in (0, 1, 2):\n        raise ValueError\n    return x * 1.01"
    )
    fault = refuted(value, source, "sympy: x, where: 'x > 2.1'")
    assert "x = " in fault.hint


def test_large_arrays_are_cut(value):
    source = "import numpy as np\ndef f(X):\n    return X + 1e-30 * np.ones_like(X)"
    fault = refuted(value, source, "sympy: 'X[i, j]', shapes: {X: [n, m]}")
    assert len(fault.hint) < 1000
