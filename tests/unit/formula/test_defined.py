"""What a term needs to be defined."""

import pytest

from eqtrace.formula.defined import needs
from eqtrace.formula.documented.text import text_of
from eqtrace.formula.parse import parse_statement


@pytest.mark.parametrize(
    ("form", "wanted"),
    [
        ("a*b + exp(c)", []),
        ("a/2 + b**2", []),
        ("a/(b - c)", ["b - c != 0"]),
        ("Eq(result, a/b/c)", ["b != 0", "c != 0"]),
        ("b**(-2)", ["b != 0"]),
        ("b**0.5 + c**a", ["b > 0", "c > 0"]),
        ("sqrt(a - 1)*log(b)*log10(c)", ["a - 1 >= 0", "b > 0", "c > 0"]),
        ("acos(a/b)", ["b != 0", "Abs(a/b) <= 1"]),
        ("Sum(x[i]/y[i], i)/a", ["a != 0"]),  # of entries nothing is said
        ("Piecewise((1/a, a > 0), (0, True))/b", ["b != 0"]),  # a case knows where it holds
    ],
)
def test_what_is_needed(form, wanted):
    statement, errors = parse_statement(form)
    assert statement is not None, errors
    assert [text_of(each) for each in needs(statement, frozenset("i"))] == wanted
