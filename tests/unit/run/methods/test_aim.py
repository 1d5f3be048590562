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
    assert "a value beside what is compared with" in result.faults[0].hint


@pytest.mark.parametrize(
    ("code", "form"),
    [
        ("1.0 if x > 25 else x", "Piecewise((1, x > 20), (x, True))"),
        ("1.0 if x > 20 else x", "Piecewise((1, x > 25), (x, True))"),
        ("x if x < 2300 else 0.0", "Piecewise((x, x < 2299), (0, True))"),
        ("x if x < 1.5 else -x", "Piecewise((x, x < 1.5000001), (-x, True))"),
    ],
)
def test_code_and_form_that_decide_at_different_numbers_differ(value, code, form):
    assert value(f"def f(x):\n    return {code}\n", f"sympy: '{form}'").verdict is Verdict.REFUTED


INTEGERS = "domain: {v: {integer: true}}, shapes: {v: [n]}"


@pytest.mark.parametrize(
    ("code", "entry"),
    [
        ("(n): return int(np.asarray(n).astype(np.int16))", "sympy: 'n', domain: {n: {integer: true}}"),
        ("(x): return np.asarray(x).astype('uint8') + 0.0", "sympy: 'floor(x)', where: 'x >= 0'"),
        ("(v): return 2 * v.astype(np.int8)", f"sympy: '2*v[k]', {INTEGERS}"),
        ("(v): return v.astype('int32') * 3 + 0.0", f"sympy: '3*v[k]', {INTEGERS}"),
        ("(v): return v.astype(DT) + 0.0", f"sympy: 'v[k]', {INTEGERS}"),
        ("(v): return v.astype(KIND) + 0.0", f"sympy: 'v[k]', {INTEGERS}"),
        ("(v): return v.astype('<i2') + 0.0", f"sympy: 'v[k]', {INTEGERS}"),
        ("(v): return v.astype(np.ushort) + 0.0", f"sympy: 'v[k]', where: 'v[k] >= 0', {INTEGERS}"),
        ("(n): return int(np.int8(n) + np.int8(100))", "sympy: 'n+100', domain: {n: {integer: true, min: 0}}"),
        ("(n): return int(np.int16(n) * np.int16(3))", "sympy: '3*n', domain: {n: {integer: true}}"),
        ("(n): return int(np.uint8(n) + np.uint8(100))", "sympy: 'n+100', domain: {n: {integer: true, min: 0}}"),
    ],
)
def test_integers_too_large_for_a_narrow_kind_are_drawn(value, code, entry):
    names = "DT = np.int8\nKIND = 'int16'\n"
    assert value(f"import numpy as np\n\n{names}\n\ndef f{code}\n", entry).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("code", "entry"),
    [
        ("(v): return 2 * v.astype(np.int64)", f"sympy: '2*v[k]', {INTEGERS}"),
        ("(x): return 2 * x if not isinstance(x, np.int16) else x", "sympy: '2*x'"),
        ("(v): return 2 * v.astype(np.int16)",
         "sympy: '2*v[k]', domain: {v: {integer: true, min: -99, max: 99}}, shapes: {v: [n]}"),
    ],
)  # fmt: skip
def test_integers_that_have_room_or_are_kept_small_are_certified(value, code, entry):
    assert value(f"import numpy as np\n\n\ndef f{code}\n", entry).verdict is Verdict.CERTIFIED


def test_what_the_code_refuses_beside_a_number_is_no_finding(value):
    body = "    if x > 5000:\n        raise ValueError('too large')\n    return 2 * x\n"
    assert value(f"def f(x):\n{body}", "sympy: '2*x'").verdict is Verdict.CERTIFIED


@pytest.mark.parametrize(
    ("code", "form", "domain"),
    [
        ("n if n < 300 else 0", "n", "{integer: true, min: 0, max: 100}"),
        ("n if n > 50 else -n", "n", "{integer: true, min: 51}"),
        ("n if n < 300 else 0.0", "n", "{min: 0, max: 100}"),
    ],
)
def test_numbers_beyond_a_domain_are_not_drawn(value, code, form, domain):
    entry = f"sympy: '{form}', domain: {{n: {domain}}}"
    assert value(f"def f(n):\n    return {code}\n", entry).verdict is Verdict.CERTIFIED


PRODUCT = "sympy: 'Eq(result[i], Sum(A[i, j]*v[j], j))', shapes: {A: [m, n], v: [n]}"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("return A[:, :8] @ v[:8]", "value-mismatch"),
        ("return A[:, -20:] @ v[-20:]", "value-mismatch"),
        ("w = v[0:12]\n    return A[:, : len(w)] @ w", "value-mismatch"),
        ("return A[:7] @ v", "shape-mismatch"),
    ],
)
def test_arrays_are_longer_than_what_the_code_cuts_them_to(value, body, kind):
    assert {fault.kind for fault in value(f"def f(A, v):\n    {body}\n", PRODUCT).faults} == {kind}


SQUARES = "sympy: 'Eq(result, Sum(v[k]**2, k))', shapes: {v: [n]}"
HEAD = "import itertools\n\nimport numpy as np\n\nN = 8\nM = 3 * N\n\n\ndef first(v):\n    return v[:60]\n\n\n"


@pytest.mark.parametrize(
    "body",
    [
        "return np.sum(v[:N] ** 2)",
        "n = 8; return np.sum(v[:n] ** 2)",
        "return sum(x**2 for x in itertools.islice(v, 8))",
        "return np.sum(v[slice(0, 8)] ** 2)",
        "return np.sum(np.split(v, [8])[0] ** 2)",
        "return sum(x**2 for x, _ in zip(v, range(8)))",
        "return sum(v[i] ** 2 for i in range(min(N, len(v))))",
        "return sum(v[i] ** 2 for i in range(len(v)) if i < N)",
        "return np.sum(v[:6] ** 2) + np.sum(v[6:9] ** 2) + np.sum(v[9:11] ** 2) + np.sum(v[11:30] ** 2)",
        "return sum(x**2 for i, x in enumerate(v) if not i > 30)",
        "return sum(x**2 for i, x in enumerate(v) if not i > 60)",
        "return np.sum(v[: 2 * 8] ** 2)",
        "return np.sum(v[:M] ** 2)",
        "n = 5; return np.sum(v[: 3 * n + 1] ** 2)",
        "return np.sum(v[: int(3e1)] ** 2)",
        "return np.sum(v[:40] ** 2)",
        "return np.sum(v[:200] ** 2)",
        "return np.sum(first(v) ** 2)",
        "return np.sum(np.asarray([first(v)]) ** 2)",
        "return np.sum((lambda w: w[:19])(v) ** 2)",
    ],
)
def test_however_they_are_cut(value, body):
    assert value(f"{HEAD}def f(v):\n    {body}\n", SQUARES).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "body",
    [
        "return np.sum(v[:100] ** 2) + np.sum(v[100:] ** 2)",
        "return np.sum(v ** 2) * 180 / 60 / 3",
        "return np.sum(np.concatenate([first(v), v[60:]]) ** 2)",
    ],
)
def test_long_arrays_of_right_code_are_certified(value, body):
    assert value(f"{HEAD}def f(v):\n    {body}\n", SQUARES).verdict is Verdict.CERTIFIED


def test_a_function_of_another_file_that_is_called(verified):
    made = verified(
        "import other\n\n\ndef f(v):\n    return (other.first(v) ** 2).sum()\n", f"subject:\n  f: {{{SQUARES}}}\n"
    )
    made.write("other.py", "def first(v):\n    return v[:60]\n")
    made.write("pyproject.toml", "[tool.eqtrace]\nspec = ['spec.yaml']\nsources = ['subject.py', 'other.py']\n")
    result = made.result()
    assert result.verdict is Verdict.REFUTED
    assert "n = 62" in result.faults[0].hint or "(62,)" in result.faults[0].hint


@pytest.mark.parametrize(
    ("body", "verdict"),
    [("return sign(x)", Verdict.REFUTED), ("return sign(x) * sign(1.0) if x < 4000 else x", Verdict.CERTIFIED)],
)
def test_what_a_function_that_is_called_decides(value, body, verdict):
    source = f"def sign(x):\n    return x if x < 4000 else -x\n\n\ndef f(x):\n    {body}\n"
    assert value(source, "sympy: 'x'").verdict is verdict


@pytest.mark.parametrize(("cut", "points"), [(100, 40), (60, 41)])
def test_no_array_is_drawn_so_long_that_a_form_takes_its_time(value, cut, points):
    entry = "sympy: 'Eq(result[i, j], A[i, j])', shapes: {A: [n, n]}"
    assert value(f"def f(A):\n    return A + 0 * {cut}\n", entry).evidence.points == points


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
