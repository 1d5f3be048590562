from __future__ import annotations

import pytest

OPS = """\
import numpy as np


def linear(X, W, b):
    # X @ W + b
    return X @ W + b


def unrelated(x):
    return x


class Adam:
    def step(self, g):
        return g * 2
"""
USE = """\
from impl import ops as o
from impl.ops import Adam, linear as lin


def f(X, W, b, ids, dW, Tmax):
    Y = lin(X, W, b)
    Z = o.unrelated(X)
    opt = Adam()
    g = opt.step(Y)
    np.add.at(dW, ids, Y)
    X.sort()
    np.exp(X, out=Y)
    print(Y)
    print(W, b)
    print(lin)
    if len(X) > Tmax:
        raise ValueError
    assert len(X) <= Tmax
    while (n := len(X)) > 1:
        pass
    with o.linear(X, W, b) as q:
        pass
    for y in lin(X, W, b):
        yield y * 2
    Y: int
    m: float = Y * 2
    m *= 0.9
    import os
    def inner(a): return a
    try:
        pass
    except ValueError:
        pass
    return
"""
TESTS = """\
import pytest
from impl.ops import linear, unrelated


@pytest.fixture
def made():
    return linear(1, 2, 3)


def helper(x):
    assert linear(x, x, x)


def lonely(x):
    assert linear(x, x, x)


def test_linear():
    assert linear(1, 2, 3) == 5


def test_through(made):
    helper(1)
    assert made == 5


def test_other():
    assert unrelated(1) == 1


class TestAll:
    def test_nested(self):
        def inner():
            assert linear(1, 2, 3)
        inner()
"""


@pytest.fixture
def check(bench):
    """The kinds of fault that one anchor on the code above gives."""
    bench.write("impl/__init__.py", "")
    bench.write("impl/ops.py", OPS)
    bench.write("impl/use.py", USE)
    bench.write("tests/test_ops.py", TESTS)
    bench.settings["coverage"] = "off"

    def kinds(code: str, role: str, path: str, function: str, functions=("impl/ops.py::linear",), **more) -> list[str]:
        form = more.pop("form", "")
        symbols = more.pop("symbols", {})
        methods = more.pop("methods", ("value",))
        line = more.pop("line", None)
        if line is None:
            lines = (bench.root / path).read_text().splitlines()
            line = next(number for number, text in enumerate(lines, 1) if code in text)
        anchor = bench.anchor(code, line, function, role, path=path, **more)
        equation = bench.equation(anchor, form=form, symbols=symbols, methods=methods)
        return [
            fault.kind for fault in bench.audit(equation, functions=functions).faults if fault.kind != "missing-code"
        ]

    return kinds


@pytest.mark.parametrize(
    "code",
    [
        "Y = lin(X, W, b)",
        "np.add.at(dW, ids, Y)",
        "X.sort()",
        "np.exp(X, out=Y)",
        "if len(X) > Tmax:",
        "m *= 0.9",
        "while (n := len(X)) > 1:",
        "with o.linear(X, W, b) as q:",
        "for y in lin(X, W, b):",
        "yield y * 2",
        "m: float = Y * 2",
    ],
)
@pytest.mark.parametrize("role", ["computes", "inline"])
def test_computing_statements(check, code: str, role: str) -> None:
    assert check(code, role, "impl/use.py", "f") == []


@pytest.mark.parametrize(
    ("bind", "expected"), [({"q": 'W["w"]'}, []), ({"q": 'dW["w"]'}, ["wrong-role"]), ({"q": "Y"}, ["wrong-role"])]
)
def test_a_call_for_what_it_does_to_a_left_side(check, bind, expected) -> None:
    assert check("print(W, b)", "computes", "impl/use.py", "f", form="Eq(q, 1)", bind=bind) == expected


@pytest.mark.parametrize(
    "code",
    [
        "print(Y)",
        "raise ValueError",
        "assert len(X) <= Tmax",
        "Y: int",
        "import os",
        "def inner(a):",
        "except ValueError:",
    ],
)
@pytest.mark.parametrize("role", ["computes", "inline"])
def test_statements_that_compute_nothing(check, code: str, role: str) -> None:
    assert check(code, role, "impl/use.py", "f") == ["wrong-role"]
    assert check(code, "explains", "impl/use.py", "f") == []


def test_computes_on_a_comment(check) -> None:
    assert check("# X @ W + b", "computes", "impl/ops.py", "linear") == ["wrong-role"]
    assert check("# X @ W", "computes", "impl/ops.py", "linear", line=1) == ["weak-anchor"]


@pytest.mark.parametrize(
    ("code", "functions", "kinds"),
    [
        ("Y = lin(X, W, b)", ("impl/ops.py::linear",), []),
        ("with o.linear(X, W, b) as q:", ("impl/ops.py::linear",), []),
        ("opt = Adam()", ("impl/ops.py::Adam",), []),
        ("g = opt.step(Y)", ("impl/ops.py::Adam",), []),
        ("g = opt.step(Y)", ("impl/ops.py::Adam.step",), []),
        ("Y = lin(X, W, b)", ("impl/ops.py::unrelated", "impl/ops.py::linear"), []),
        ("Z = o.unrelated(X)", ("impl/ops.py::linear",), ["wrong-role"]),
        ("print(lin)", ("impl/ops.py::linear",), ["wrong-role"]),
        ("m *= 0.9", ("impl/ops.py::linear",), ["wrong-role"]),
        ("opt = Adam()", ("impl/ops.py::Adam.step",), ["wrong-role"]),
        ("Y = lin(X, W, b)", ("impl/ops.py::none",), ["unknown-reference"]),
    ],
)
def test_calls(check, code: str, functions: tuple[str, ...], kinds: list[str]) -> None:
    assert check(code, "calls", "impl/use.py", "f", functions=functions) == kinds


@pytest.mark.parametrize(
    ("code", "function", "kinds"),
    [
        ("assert linear(1, 2, 3) == 5", "test_linear", []),
        ("helper(1)", "test_through", []),
        ("assert made == 5", "test_through", []),
        ("return linear(1, 2, 3)", "made", []),
        ("assert linear(x, x, x)", "helper", []),
        ("assert linear(1, 2, 3)", "TestAll.test_nested.inner", []),
        ("inner()", "TestAll.test_nested", []),
        ("assert linear(x, x, x)", "lonely", ["wrong-role"]),
        ("assert unrelated(1) == 1", "test_other", ["wrong-role"]),
    ],
)
def test_tests(check, code: str, function: str, kinds: list[str]) -> None:
    line = {"lonely": 15, "helper": 11, "TestAll.test_nested.inner": 34, "TestAll.test_nested": 35}.get(function)
    assert check(code, "tests", "tests/test_ops.py", function, line=line) == kinds


def test_tests_in_the_sources_are_none(check) -> None:
    assert check("return X @ W + b", "tests", "impl/ops.py", "linear") == ["wrong-role"]  # though a test reaches it
    assert check("Y = lin(X, W, b)", "tests", "impl/use.py", "f") == ["wrong-role"]


@pytest.mark.parametrize(
    ("bind", "kinds"),
    [
        ({"Y": "result"}, []),
        ({"Y": "X @ W + b"}, []),
        ({"Y": "result", "X": "X", "W": "W", "b": "b"}, []),
        ({"Y": "result", "n": "X.shape[0]", "m": "len(W)"}, []),
        ({"Y": "result", "P": "X @ W"}, ["bind-not-in-statement"]),
        ({"Y": "X @ W - b"}, ["bind-not-in-statement"]),
        ({"Y": "Z"}, ["bind-not-in-statement"]),
        ({"Y": "result", "X": "Xn"}, ["bind-not-in-statement"]),
        ({"Y": "result", "X": "Xn", "W": "V"}, ["bind-not-in-statement", "bind-not-in-statement"]),
        ({"Y": "result", "X": "f(X)"}, ["bind-not-in-statement"]),
        ({"Y": "result", "X": "X.__class__"}, ["bind-not-in-statement"]),
        ({"Y": "result", "X": "X +"}, ["bind-not-in-statement"]),
        ({"X": "X"}, ["unbound-left-side"]),
        ({}, ["unbound-left-side"]),
    ],
)
def test_bind(check, bind: dict[str, str], kinds: list[str]) -> None:
    form = "Eq(Y[t, j], Sum(X[t, k]*W[k, j], k) + b[j])"
    assert check("return X @ W + b", "computes", "impl/ops.py", "linear", bind=bind, form=form) == kinds


def test_left_side_by_its_name_in_code(check) -> None:
    def kinds(code: str, **symbols: object) -> list[str]:
        return check(code, "computes", "impl/use.py", "f", form="Eq(M, B*Old(M))", symbols=symbols)

    assert kinds("m *= 0.9", M="m") == []
    assert kinds("m *= 0.9", M={"f": "m", "": "other"}) == []
    assert kinds("m *= 0.9", M={"g": "m"}) == ["unbound-left-side"]
    assert kinds("m *= 0.9", M="other") == ["unbound-left-side"]
    assert kinds("m *= 0.9", M=None) == ["unbound-left-side"]


def test_forms_that_compare_nothing_need_no_left_side(check) -> None:
    for form in ("Le(T, Tmax)", "Uniform(W, -a, a)", "Eq(Y", ""):
        assert check("return X @ W + b", "computes", "impl/ops.py", "linear", form=form) == []
    assert check("if len(X) > Tmax:", "computes", "impl/use.py", "f", form="Eq(Y, X)", methods=("constraint",)) == []


_NEITHER = ["bind-not-in-statement", "unbound-left-side"]


def test_part_chooses_the_left_side(check) -> None:
    forms = ("Eq(A, X)", "Eq(B, W)")
    for part, bound, kinds in [(0, "A", []), (1, "B", []), (0, "B", _NEITHER), (None, "B", [])]:
        found = check(
            "return X @ W + b", "computes", "impl/ops.py", "linear", form=forms, part=part, bind={bound: "result"}
        )
        assert found == kinds, (part, bound)


def test_a_changed_statement_is_still_held_to_its_role(check) -> None:
    kinds = check("print(Y, Y)", "computes", "impl/use.py", "f", line=13)
    assert kinds == ["statement-changed", "wrong-role"]
