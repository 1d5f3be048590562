import pickle

import pytest

from eqtrace.formula.form import read

LINEAR = {
    "symbols": {"X": "T a", "W": "a c", "b": "c", "Y": "T c", "s": "", "Z": "... a"},
    "indices": {"t": "T", "k": "a", "j": "c"},
}


def test_linear(form):
    found = form("Eq(Y[t, j], Sum(X[t, k]*W[k, j], k) + b[j])", **LINEAR)
    assert found.left(0) == ("Y",)
    assert found.needed(0) == ("X", "W", "b")
    assert found.free_indices(0) == ("t", "j")
    assert found.used_indices(0) == ("t", "j", "k")
    assert found.undefined(0, {"T": 3, "a": 4, "c": 5}) == ""
    assert pickle.loads(pickle.dumps(found)).left(0) == ("Y",)


@pytest.mark.parametrize(
    ("statement", "kind", "column", "end", "word"),
    [
        ("Eq(Y[t, j], Wx[t, j])", "unknown-symbol", 22, 24, "did you mean W?"),
        ("Eq(Y[t, j], q)", "unknown-symbol", 22, 23, ""),
        ("Eq(Y[t, j], softmax(s))", "unknown-symbol", 22, 29, "exp(x[i])"),
        ("Eq(Y[t, j], Sum(s, m))", "unknown-symbol", 22, 31, "declare it under indices"),
        ("Eq(Y[t, j], Y[t])", "form-syntax", 22, 26, ""),
        ("Eq(Y[t, j], Z[t, k])", "form-syntax", 22, 29, "axes under ..."),
        ("Eq(Y[t, j], X + 1)", "form-syntax", 22, 23, "write X[i, j]"),
        ("Eq(Y[t, j], X[t, k])", "form-syntax", 27, 28, "Sum(e, k)"),
        ("Eq(Y[t, j], t[s])", "form-syntax", 22, 26, "only symbols"),
        ("Eq(Y[t, j], s(t))", "form-syntax", 22, 26, "write s*(...)"),
        ("Y[t, j] + 1", "form-syntax", 10, 21, "Eq(left, right)"),
    ],
)
def test_faults(equation, statement, kind, column, end, word):
    found, faults = read(equation(statement, **LINEAR))
    assert found is None
    assert len(faults) == 1
    fault = faults[0]
    assert (fault.kind, fault.span.column, fault.span.end_column) == (kind, column, end)
    assert word in fault.hint
    assert fault.equation == "topic.equation"


def test_all_faults_at_once(equation):
    _, faults = read(equation("Eq(Y[t, j], foo + bar)", "x +", where="baz > 0", let={"h": "qux"}, **LINEAR))
    assert [fault.kind for fault in faults] == ["form-syntax", *["unknown-symbol"] * 4]


def test_reserved_names(equation):
    keys = {"symbols": {"A": "T T", "lambda": "", "Max": "", "gamma": "T"}, "indices": {"i": "T", "in": "T"}}
    _, faults = read(equation("Eq(A[i, i], gamma[i])", **keys))
    assert [fault.kind for fault in faults] == ["reserved-name"] * 3


def test_a_symbol_called_gamma_is_no_function(equation):
    _, faults = read(equation("Eq(s, gamma(s))", symbols={"s": "", "gamma": ""}))
    assert "cannot be called" in faults[0].message


def test_helpers(form):
    found = form("Eq(Y[t, j], m*r)", let={"r": "m + j", "m": "Sum(X[t, k], k)/a"}, **LINEAR)
    assert found.needed(0) == ("X",)
    assert found.free_indices(0) == ("t", "j")


def test_helpers_that_depend_on_themselves(equation):
    _, faults = read(equation("Eq(s, m)", let={"m": "r + 1", "r": "m*2"}, **LINEAR))
    assert "depends on itself: m -> r -> m" in faults[0].message


def test_helpers_that_explode(equation):
    let = {"h0": "s + s"} | {f"h{n}": f"h{n - 1} + h{n - 1}" for n in range(1, 60)}
    _, faults = read(equation("Eq(s, h59)", let=let, **LINEAR))
    assert "too large" in faults[0].message


def test_short_form(form, equation):
    text = "amplitude/(sqrt(2*pi)*sigma)*exp(-(x - center)**2/(2*sigma**2))"
    parameters = ("x", "amplitude", "center", "sigma")
    found = form(text, whole=True, where="sigma > 0", parameters=parameters)
    assert found.left(0) == ("result",)
    assert set(found.needed(0)) == set(parameters)
    _, faults = read(equation(text.replace("center", "centre"), whole=True), parameters)
    assert faults[0].hint == "did you mean center?"
    assert form(text, whole=True).left(0) == ("result",)


def test_short_form_infers_indices_from_shapes(form):
    found = form("exp(x[i])/Sum(exp(x[k]), k)", whole=True, symbols={"x": "n"}, parameters=("x",))
    assert found.free_indices(0) == ("i",)
    assert set(found.indices) == {"i", "k"}


def test_statements_with_premises(form):
    square = {"symbols": {"A": "T T", "dS": "T T"}, "indices": {"i": "T", "j": "T"}}
    found = form("Implies(Eq(A[i, j], 0), Eq(dS[i, j], 0))", **square)
    assert (found.left(0), found.needed(0), found.free_indices(0)) == (("dS",), ("A",), ("i", "j"))
    found = form("ForAll(Eq(Sum(A[i, j], j), 1), i)", **square)
    assert found.left(0) == ("A",)
    assert found.free_indices(0) == ("i",)  # the grid has it


def test_old_values_are_needed_by_their_own_name(form):
    found = form("Eq(m, b1*Old(m) + g)", symbols={"m": "", "b1": "", "g": ""})
    assert found.needed(0) == ("b1", "Old(m)", "g")


def test_function_symbols(form, equation):
    keys = {"symbols": {"Y": "T", "X": "T"}, "indices": {"t": "T"}}
    assert form("Eq(Y[t], LN(X))", functions={"LN": ("X",)}, **keys).left(0) == ("Y",)
    _, faults = read(equation("Eq(Y[t], LN(X[t]))", **keys))
    assert faults[0].kind == "unknown-symbol"


@pytest.mark.parametrize(
    ("statement", "where", "expected"),
    [
        ("Eq(P[r, j], 1)", "", ""),
        ("Eq(P[t, j], 1)", "", "P[3, 0] is not defined (4 of 10 entries)"),
        ("Eq(P[r, j], 1)", "r < T", "P[3, 0] is not defined (4 of 10 entries)"),
        ("And(Implies(r < T, Eq(P[r, j], 1)), Implies(r >= T, Eq(P[r, j], 0)))", "", ""),
        (
            "And(Implies(r < T, Eq(P[r, j], 1)), Implies(r > T, Eq(P[r, j], 0)))",
            "",
            "P[3, 0] is not defined (2 of 10 entries)",
        ),
        ("Implies(r < T, Eq(P[r, j], 1))", "", ""),
        (
            "Implies(r < T, And(Eq(P[r, j], 1), Eq(P[0, j], 1)))",
            "",
            "P[0, 0] is defined more than once (2 of 10 entries)",
        ),
        ("Eq(S[t, t], 1)", "", "S[0, 1] is not defined (6 of 9 entries)"),
        ("Eq(P[r + 1, j], 1)", "", "P is defined at 5 on axis 0 of length 5"),
        ("Eq(P[0, j], r)", "", "P[1, 0] is not defined (8 of 10 entries)"),
        ("Eq(q[perm[r]], 1)", "", ""),
    ],
)
def test_every_entry_once(equation, statement, where, expected):
    keys = {
        "symbols": {"P": "Tmax d", "S": "T T", "q": "Tmax", "perm": "Tmax"},
        "indices": {"t": "T", "r": "Tmax", "j": "d"},
    }
    found, faults = read(equation(statement, where=where, **keys))
    if found is None:
        assert statement == "Eq(P[0, j], r)"
        assert "free here" in faults[0].message
        return
    assert found.undefined(0, {"T": 3, "Tmax": 5, "d": 2}) == expected


def test_every_entry_once_with_a_permutation(form):
    found = form("Eq(q[perm[r]], r)", symbols={"q": "n", "perm": "n"}, indices={"r": "n"})
    assert found.undefined(0, {"n": 3}, {"perm": [2, 0, 1]}) == ""
    assert found.undefined(0, {"n": 3}, {"perm": [2, 2, 1]}) == "q[0] is not defined (1 of 3 entries)"
