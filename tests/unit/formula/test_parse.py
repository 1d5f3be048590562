import pickle
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eqtrace.formula.parse import parse_conditions, parse_statement, parse_term
from eqtrace.formula.term import (
    Add,
    And,
    ArrayShape,
    Call,
    Compare,
    Constant,
    Dim,
    Distributed,
    Div,
    Eq,
    ForAll,
    Implies,
    Indexed,
    MaxOver,
    Mul,
    Name,
    Neg,
    Not,
    Number,
    Old,
    Or,
    Piecewise,
    Pow,
    Sum,
    walk,
)
from eqtrace.formula.vocabulary import VOCABULARY, nearest, reserved

x, y, t, k = (Name(name) for name in "xytk")
one = Number(Fraction(1))


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("1e-5", Number(Fraction(1, 100000))),
        ("0.1", Number(Fraction(1, 10))),
        ("1_000.5", Number(Fraction(2001, 2))),
        ("x - y", Add(x, Neg(y))),
        ("x*y/2", Div(Mul(x, y), Number(Fraction(2)))),
        ("-x**2", Neg(Pow(x, Number(Fraction(2))))),
        ("x // y", Call("floor", (Div(x, y),))),
        ("x % y", Call("Mod", (x, y))),
        ("X[t, k]", Indexed("X", (t, k))),
        ("Old(X[t])", Old(Indexed("X", (t,)))),
        ("Old(x)", Old(x)),
        ("Dim(X, 0)", Dim("X", 0)),
        ("Sum(x, k)", Sum(x, "k")),
        ("Sum(x, (k, 0, t))", Sum(x, "k", Number(Fraction(0)), Add(t, one))),
        ("Sum(x, k, t)", Sum(Sum(x, "k"), "t")),
        ("MaxOver(x, k)", MaxOver(x, "k")),
        ("-oo", Neg(Constant("oo"))),
        ("gamma[k]*gamma(x)", Mul(Indexed("gamma", (k,)), Call("gamma", (x,)))),
        ("log(x, 2)", Call("log", (x, Number(Fraction(2))))),
    ],
)
def test_terms(text, term):
    assert parse_term(text) == (term, ())


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("Eq(x, y, 1)", Eq((x, y, one))),
        ("x == y", Eq((x, y))),
        ("0 < x <= 1", And((Compare("<", Number(Fraction(0)), x), Compare("<=", x, one)))),
        ("Le(x, y)", Compare("<=", x, y)),
        ("(x < y) | (y < 1)", Or((Compare("<", x, y), Compare("<", y, one)))),
        ("x < y and not y != 1", And((Compare("<", x, y), Not(Compare("!=", y, one))))),
        ("Implies(x > y, Eq(t, 1))", Implies(Compare(">", x, y), Eq((t, one)))),
        ("And(Eq(x, 1), ForAll(y > 1, k))", And((Eq((x, one)), ForAll(Compare(">", y, one), "k")))),
        ("Uniform(x, -1, 1)", Distributed(x, "Uniform", (Neg(one), one))),
        ("Array(X, t, k)", ArrayShape("X", (t, k))),
        ("x + y", Add(x, y)),
        ("\n Eq(x,\n\t y)\n", Eq((x, y))),
    ],
)
def test_statements(text, statement):
    found, errors = parse_statement(text)
    assert (found, errors) == (statement, ())
    assert pickle.loads(pickle.dumps(found)) == found


def test_piecewise():
    found, errors = parse_term("Piecewise((x, x > 0), (0, True))")
    assert not errors
    assert isinstance(found, Piecewise)
    assert [type(branch.condition).__name__ for branch in found.branches] == ["Compare", "Truth"]


def test_places_are_characters():
    found, _ = parse_term("αβγ + Δ[ü]*x")
    places = {node.name: (node.offset, node.length) for node in walk(found) if isinstance(node, Name)}
    assert places == {"αβγ": (0, 3), "ü": (8, 1), "x": (11, 1)}
    assert parse_term("x + y")[0] == parse_term("x  +  y")[0]


def test_where():
    assert parse_conditions("") == ((), ())
    found, errors = parse_conditions("T <= Tmax, 0 < sigma, i == j")
    assert not errors
    assert len(found) == 3


def test_all_errors_at_once():
    found, errors = parse_statement("Eq(x.y, z^2 + exp(1, 2) + f'{x}')")
    assert found is None
    assert [(error.offset, error.length) for error in errors] == [(3, 3), (8, 24), (14, 9), (26, 6)]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("a = b", "cannot be read", "Eq(left, right)"),
        ("lambda*x", "cannot be read", "lam"),
        ("x > 0 & y > 0", "tighter", "brackets"),
        ("X[t][k]", "two subscripts", "X[t, k]"),
        ("X[:T]", "slice", "index"),
        ("x^2", "no power", "x**y"),
        ("dA*(Z > 0)", "condition", "Piecewise"),
        ("Max", "wants its arguments", "Max(x, y, ...)"),
        ("x if y else z", "if and else", "Piecewise"),
        ("(x, y)", "tuple", "several"),
        ("Sum(x, 1)", "index", "(index, first, last)"),
        ("Eq(x, y", "never closed", ""),
        ("a) + (b", "closes nothing", ""),
        ("Eq(x) ", "other arguments", "Eq(left, right"),
        ("x # y", "cannot stand", ""),
    ],
)
def test_errors_and_hints(text, message, hint):
    found, errors = parse_statement(text)
    assert found is None
    assert message in errors[0].message
    assert hint in errors[0].hint


HOSTILE = [
    '__import__("os").system("touch /tmp/x")',
    "().__class__.__bases__[0].__subclasses__()",
    "x.__class__.__mro__",
    "9**9**9",
    "9**9**9**9",
    "2**(10**(10**10))",
    "10**100000",
    "1e999999999",
    "1" * 5000,
    "(" * 5000 + ")" * 5000,
    "(" * 80 + "x" + ")" * 80 + ")" * 20,
    "-" * 7000 + "1",
    "not " * 1900 + "x",
    "x+" * 3900 + "x",
    "X[" * 2500 + "]" * 2500,
    "lambda: 1",
    "f'{x!r:{y}}'",
    "(x := 3)",
    "[x for x in y]",
    "{x: 1}",
    "{*x}",
    "x if 1 else y",
    "await x",
    "yield x",
    "print(*x, **y)",
    "x; y",
    "import os",
    "1j",
    "b'x'",
    "...",
    "x\x00y",
    "x\\\ny",
    "\ud800",
    "‮x",
    "x" * 10_000_000,
    "exec('x')",
    "eval(x)",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_refused_fast(text):
    started = time.perf_counter()
    for parse in (parse_statement, parse_term):
        found, errors = parse(text)
        named = found is not None and type(found).__name__ == "Apply"  # a function symbol that nothing declares
        assert errors or named
    parse_conditions(text)
    assert time.perf_counter() - started < 1.0


@given(st.text(max_size=60) | st.text(alphabet="xyXEqSum()[]{},.*+-/<>=!&|~0123456789 \n'\"", max_size=60))
def test_never_raises(text):
    for parse in (parse_statement, parse_term, parse_conditions):
        _, errors = parse(text)
        for error in errors:
            assert 0 <= error.offset <= max(len(text), 1)


def test_vocabulary_is_documented():
    for name, word in VOCABULARY.items():
        assert word.meaning
        assert word.signature.startswith(name)
    assert reserved("Sum")
    assert reserved("lambda")
    assert not reserved("gamma")
    assert nearest("max", []) == "write Max(x, y) or MaxOver(e, k)"
    assert nearest("epsilom", ["epsilon", "eta"]) == "did you mean epsilon?"
