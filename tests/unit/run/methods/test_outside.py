"""What a caller gets where the function itself returned something else, and inputs that are easily missed."""

import pytest

from eqtrace.model.verdict import Verdict

WRAP = """
from functools import wraps


def wrapped(function):
    @wraps(function)
    def inner(x):
        return {body}

    return inner


@wrapped
def f(x):
    return x**3
"""
GRADIENT = """
import numpy as np
from functools import wraps


def doubled(function):
    @wraps(function)
    def inner(x):
        return {factor} * function(x)

    return inner


def f(x):
    return np.sum(x**2) / 2


@doubled
def f_grad(x):
    return {gradient}
"""
GRADIENT_SPEC = """
subject:
  f: {sympy: 'Sum(x[k]**2, k)/2', shapes: {x: [n]}, indices: {k: n}}
  f_grad: {gradient_of: f, by: x, shapes: {x: [n]}}
"""


@pytest.mark.parametrize(
    ("body", "right"),
    [
        ("function(x)", True),
        ("1.0 * function(x)", True),
        ("2 * function(x)", False),
        ("function(-x)", False),  # what the function itself gets and gives goes together
        ("round(function(x), 3)", False),
    ],
)
def test_a_decorator_is_part_of_what_a_function_gives(value, body, right):
    result = value(WRAP.format(body=body), "sympy: 'x**3'")
    assert (result.verdict is Verdict.REFUTED) is not right
    if not right:
        assert [fault.kind for fault in result.faults] == ["value-mismatch"]
        assert "subject.py:13: a call gives something else" in result.faults[0].message
    else:
        assert (result.verdict, result.faults) == (Verdict.CERTIFIED, ())


def test_a_decorator_that_keeps_too_much(value):
    source = """
    def kept(function):
        seen = {}

        def inner(x, y):
            if x not in seen:
                seen[x] = function(x, y)
            return seen[x]

        inner.__wrapped__ = function
        return inner


    @kept
    def f(x, y):
        return x * y
    """
    assert value(source, "sympy: 'x*y'").verdict is Verdict.REFUTED


@pytest.mark.parametrize("body", ["function(x)[:1]", "function(x)[::-1]"])
def test_a_decorator_that_changes_an_array(value, body):
    form = "sympy: 'Eq(result[i], x[i]**3)', shapes: {x: [n], result: [n]}, indices: {i: n}"
    assert value(WRAP.format(body=body), form).verdict is Verdict.REFUTED


def test_another_function_of_the_name(value):
    source = "def f(x):\n    return x**3\n\n\ndef g(x, old=f):\n    return -old(x)\n\n\nglobals()['f'] = g"
    assert value(source, "sympy: 'x**3'").verdict is Verdict.REFUTED


def test_what_is_no_number_is_left_to_the_function_itself(value):
    assert value(WRAP.format(body="{'value': function(x)}"), "sympy: 'x**3'").verdict is Verdict.CERTIFIED


@pytest.mark.parametrize(
    ("source", "form"),
    [
        ("def f(x, s):\n    return x * (s or 1.0)", "sympy: 'x*s'"),
        ("def f(x, s):\n    return x * (s and s + 1 or 2.0)", "sympy: 'x*s + x'"),
        ("def f(x, y):\n    if y == 0:\n        return 0.0\n    return x + y", "sympy: 'x + y'"),
        (
            "def f(x):\n    return x[:16].sum() if len(x) > 16 else x.sum()",
            "sympy: 'Sum(x[k], k)', shapes: {x: [n]}, indices: {k: n}",
        ),
        (
            "def f(x):\n    return 1.0 if x.shape[0] == 1 else ((x - x.mean()) ** 2).sum()",
            "sympy: 'Sum((x[k] - Sum(x[j], j)/n)**2, k)', shapes: {x: [n]}, indices: {k: n, j: n}",
        ),
    ],
)
def test_what_only_some_inputs_show(value, source, form):
    assert value(source, form).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("factor", "gradient", "verdict"),
    [
        ("1", "1.0 * x", Verdict.CERTIFIED),
        ("2", "1.0 * x", Verdict.REFUTED),
        ("1", "np.where(np.arange(len(x)) < 12, x, 0.0) if len(x) > 12 else 1.0 * x", Verdict.REFUTED),
    ],
)
def test_gradients(verified, factor, gradient, verdict):
    made = verified(GRADIENT.format(factor=factor, gradient=gradient), GRADIENT_SPEC)
    assert made.result("subject:f_grad", "vjp").verdict is verdict


def test_a_gradient_that_is_wrong_where_something_else_is_zero(verified):
    source = "def f(x, y):\n    return x**2 * y\n\n\ndef f_grad(x, y):\n    return 2 * x * y if y else 1.0\n"
    spec = "subject:\n  f: {sympy: 'x**2*y'}\n  f_grad: {gradient_of: f, by: x}\n"
    assert verified(source, spec).result("subject:f_grad", "vjp").verdict is Verdict.REFUTED


METHOD = """
from functools import wraps


def negated(function):
    @wraps(function)
    def inner(self, x):
        return -function(self, x)

    return inner


class A:
    def __init__(self, w=1.0):
        self.w = abs(w)

    {decorator}
    def f(self, x):
        return self.w * x


class B(A):
    def f(self, x):
        return super().f(x) + 1
"""


@pytest.mark.parametrize(
    ("decorator", "call", "verdict"),
    [
        ("", "A(w).f(x)", Verdict.CERTIFIED),  # the object holds abs(w), which is what the form speaks of
        ("@negated", "A(w).f(x)", Verdict.REFUTED),
        ("", "B(w).f(x)", Verdict.CERTIFIED),  # what another class makes of it is not its value
    ],
)
def test_methods(verified, decorator, call, verdict):
    spec = f"""
    subject:
      A.f:
        sympy: w*x
        call: {call}
        symbols: {{w: {{shape: [], code: self.w}}}}
    """
    assert verified(METHOD.format(decorator=decorator), spec).result("subject:A.f").verdict is verdict


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("async def f(x):\n    return 3 * x", Verdict.CERTIFIED),
        ("async def f(x):\n    return 2 * x", Verdict.REFUTED),
        ("import asyncio\n\n\nasync def f(x):\n    await asyncio.sleep(0)\n    return 3 * x", Verdict.SAMPLED),
    ],
)
def test_asynchronous_functions(value, source, verdict):
    assert value(source, "sympy: 3*x").verdict is verdict
