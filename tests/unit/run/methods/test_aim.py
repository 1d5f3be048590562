"""Draws that aim at conditions: both ways are taken wherever a domain has them, and what can't be is told."""

import pytest

from eqtrace.model.verdict import Verdict


def topic(code, form, symbols):
    """A module with one function, and its topic."""
    header = "topic: t\ntitle: t\npage: p\nstatus: implemented\ndirection: neither\nwhat: w\nwhy: w\n"
    given = "".join(f"  {name}: {{meaning: m, shape: [], {rest}}}\n" for name, rest in symbols.items())
    anchor = f"{{role: computes, at: 'subject.py:2', in: f, code: '{code}', bind: {{y: result}}}}"
    return (
        f"def f({', '.join(name for name in symbols if name != 'y')}):\n    {code}\n",
        f"{header}functions: ['subject.py::f']\nsymbols:\n{given}"
        f"equations:\n  - id: t.f\n    sympy: '{form}'\n    anchors:\n      - {anchor}\n",
    )


def checked(verified, *arguments):
    source, spec = topic(*arguments)
    made = verified(source, spec)
    result = made.result("t.f")
    return result, {key: way for numbers in result.ways.values() for key, way in numbers.items()}


@pytest.mark.parametrize(
    ("code", "form", "symbols"),
    [
        ("return x if x < 37.5 else x + 1", "Eq(y, Piecewise((x, x < 37.5), (x + 1, True)))", {"x": ""}),
        ("return x if x > -4e4 else x + 1", "Eq(y, Piecewise((x, x > -40000), (x + 1, True)))", {"x": ""}),
        ("return n if n <= 500 else 0", "Eq(y, Piecewise((n, n <= 500), (0, True)))", {"n": "domain: {integer: true}"}),
        ("return max(x, 100 * a)", "Eq(y, Max(x, 100*a))", {"x": "domain: {min: 0}", "a": "domain: {min: 1}"}),
        ("return x if x == 2.25 else 0", "Eq(y, Piecewise((x, Eq(x, 2.25)), (0, True)))", {"x": "domain: {min: 1}"}),
    ],
)
def test_both_ways_are_taken(verified, code, form, symbols):
    result, ways = checked(verified, code, form, {**symbols, "y": "code: null"})
    assert set(ways.values()) == {3}
    assert [fault.kind for fault in result.faults] == []
    assert result.verdict in (Verdict.CERTIFIED, Verdict.CERTIFIED_TO_CONSTANTS)


def test_what_is_wrong_on_the_other_side_only_is_found(verified):
    result, _ = checked(verified, "return x if x < 4000 else 2 * x", "Eq(y, x)", {"x": "", "y": "code: null"})
    assert result.verdict is Verdict.REFUTED
    assert "values aimed at a condition" in result.faults[0].hint


PRODUCT = "sympy: 'Eq(result[i], Sum(A[i, j]*v[j], j))', shapes: {A: [m, n], v: [n]}"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("return A[:, :8] @ v[:8]", "value-mismatch"),
        ("return A[:, -20:] @ v[-20:]", "value-mismatch"),
        ("w = v[0:12]\n    return A[:, : len(w)] @ w", "value-mismatch"),
        ("return A[:7] @ v", "value-undecided"),
    ],
)
def test_arrays_are_longer_than_what_the_code_cuts_them_to(value, body, kind):
    assert {fault.kind for fault in value(f"def f(A, v):\n    {body}\n", PRODUCT).faults} == {kind}


@pytest.mark.parametrize(
    "body", ["return A[:, 1:] @ v[1:] + A[:, 0] * v[0]", "return A[:, :3] @ v[:3] + A[:, 3:] @ v[3:]"]
)
def test_cuts_that_leave_nothing_out_are_right(value, body):
    assert value(f"def f(A, v):\n    {body}\n", PRODUCT).verdict is Verdict.CERTIFIED


def test_what_the_domain_leaves_out_stays_open(verified):
    symbols = {"x": "domain: {max: 9}", "y": "code: null"}
    form = "Eq(y, Piecewise((x, x < 50), (0, True)))"
    result, ways = checked(verified, "return x if x < 50 else 0", form, symbols)
    assert ways == {0: 1}
    (fault,) = result.faults
    assert fault.kind == "branch-not-reached"
    assert "`x < 50` was true in every run" in fault.message


def test_far_values_that_make_the_code_raise_are_no_finding(verified):
    code = "return [x][int(x > 1e5)]"
    result, ways = checked(verified, code, "Eq(y, x)", {"x": "", "y": "code: null"})
    assert (result.faults, result.verdict) == ((), Verdict.CERTIFIED)
    assert ways == {0: 2}  # what raised shows nothing of the other way
