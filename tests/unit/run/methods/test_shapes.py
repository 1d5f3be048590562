"""Results of another shape than the form gives: refuted, with both shapes; what a form leaves open is no finding."""

import re

import pytest

from eqtrace.model.verdict import Verdict

TWICE = "sympy: 'Eq(result[i, j], 2*A[i, j])', shapes: {A: [n, m]}"
ROWS = "sympy: 'Eq(result[i], Sum(A[i, j], j))', shapes: {A: [n, m]}"
HEAD = "import numpy as np\n\n\ndef f"


@pytest.mark.parametrize(
    ("entry", "code", "got", "wanted"),
    [
        (TWICE, "(A): return (2 * A)[:, :2]", r"has shape \(\d, 2\)", r"\(\d, \d\)"),
        (TWICE, "(A): return (2 * A)[:, :1]", r"has shape \(\d, 1\)", r"\(\d, \d\)"),
        (TWICE, "(A): return np.vstack([2 * A, A[:1]])", r"has shape \(\d, \d\)", r"\(\d, \d\)"),
        (TWICE, "(A): return (2 * A).T", r"has shape \(\d, \d\)", r"\(\d, \d\)"),
        (TWICE, "(A): return (2 * A)[:, :, None]", r"has shape \(\d, \d, 1\)", r"\(\d, \d\)"),
        (TWICE, "(A): return 2 * A[0, 0]", "is a number", r"\(\d, \d\)"),
        (TWICE, "(A): return None", "is of type NoneType", r"\(\d, \d\)"),
        (TWICE, "(A): return 2 * A, A", r"has shape \(2, \d, \d\)", r"\(\d, \d\)"),
        (ROWS, "(A): return A.sum(axis=0)", r"has shape \(\d,\)", r"\(\d,\)"),
        (ROWS, "(A): return A.sum(axis=1, keepdims=True)", r"has shape \(\d, 1\)", r"\(\d,\)"),
        ("sympy: 'x*k', indices: {k: n}, domain: {n: {integer: true, min: 2, max: 9}}",
         "(x, n): return x * np.arange(n + 1)", r"has shape \(\d+,\)", r"\(\d,\)"),
        ("sympy: 'Sum(v[k], k)', shapes: {v: [n]}", "(v): return [v.sum(), v.sum()]", r"has shape \(2,\)", "a number"),
        ("sympy: '2*x'", "(x): return np.array([2 * x, 2 * x])", r"has shape \(2,\)", "a number"),
    ],
)  # fmt: skip
def test_a_result_of_another_shape_is_refuted(value, entry, code, got, wanted):
    result = value(f"{HEAD}{code}\n", entry)
    assert result.verdict is Verdict.REFUTED
    (fault,) = (each for each in result.faults if each.kind == "shape-mismatch")
    assert re.search(f": result {got}, the form gives {wanted} ", fault.message), fault.message
    assert "value-undecided" not in {each.kind for each in result.faults}


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (TWICE, "(A): return 2 * A"),
        (TWICE, "(A): return (2 * A).tolist()"),
        (f"{TWICE}, where: 'j < 2, m >= 2'", "(A): return (2 * A)[:, :2]"),
        (f"{TWICE}, indices: {{i: n, j: [0, 2]}}, where: 'm >= 2'", "(A): return (2 * A)[:, :2]"),
        ("sympy: 'Eq(result[n - 1 - i], v[i])', shapes: {v: [n]}", "(v): return v[::-1]"),
        ("sympy: 'Eq(result[i, 0], Sum(A[i, j], j))', shapes: {A: [n, m], result: [n, 1]}",
         "(A): return A.sum(axis=1, keepdims=True)"),
        ("sympy: 'Sum(v[k], k)', shapes: {v: [n]}", "(v): return v.sum(keepdims=True)"),
        ("sympy: 'Sum(v[k], k)', shapes: {v: ['...', n]}, indices: {k: n}", "(v): return v.sum(axis=-1)"),
        ("sympy: '2*v[k]', shapes: {v: ['...', n]}, indices: {k: n}", "(v): return 2 * v"),
        ("sympy: '2*x'", "(x): return 2 * np.asarray(x)"),
        ("sympy: '2*x'", "(x): return np.atleast_1d(2 * x)"),
    ],
)  # fmt: skip
def test_what_the_form_gives_or_leaves_open_is_certified(value, entry, code):
    result = value(f"{HEAD}{code}\n", entry)
    assert [fault.message for fault in result.faults] == []
    assert result.verdict is Verdict.CERTIFIED
