"""Where parameters may be drawn from: what code and documentation tell of it, and what they don't."""

import ast
import textwrap

import pytest

from eqtrace.code.lift.needs import needed
from eqtrace.code.lift.ranges import Bounds, bounds, sections
from eqtrace.code.source import parse

POSITIVE, SMALL = Bounds(positive=True), Bounds(most=9)


def of(source, name="f", clamps=True):
    file = parse("a.py", textwrap.dedent(source).encode())
    node = file.functions[name]
    assert isinstance(node, ast.FunctionDef)
    return bounds(file, node, clamps)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def f(s):\n    return 1/max(1e-15, s)", {"s": POSITIVE}),
        ("def f(s):\n    return 1/max(s, 1e-15)", {"s": POSITIVE}),
        ("tiny = 1e-15\ndef f(s):\n    return 1/max(tiny, s)", {"s": POSITIVE}),
        ("tiny = 1e-15\nimport numpy as np\ndef f(s):\n    return 1/np.maximum(tiny, s*2)", {"s": POSITIVE}),
        ("C = 2.5\ndef f(s):\n    return 1/max(1e-15, C*s)", {"s": POSITIVE}),
        ("def g(a, b):\n    return a/max(1e-15, b)\ndef f(s, t):\n    return g(s, b=t)", {"t": POSITIVE}),
        ("def g(a, b):\n    return a/max(1e-15, b)\ndef f(s, t):\n    return g(s, t + 1)", {}),
        ("def f(s):\n    return max(0.5, s)", {}),
        ("def f(s):\n    return max(0, s)", {}),
        ("def f(s):\n    return max(-1e-15, s)", {}),
        ("def f(s, t):\n    return 1/max(1e-15, s*t)", {}),
        ("def f(s):\n    return 1/max(1e-15, s**2)", {}),
        ("tiny = 1e-15\ntiny = 5\ndef f(s):\n    return 1/max(tiny, s)", {}),
        ("def f(x, p):\n    return x**p", {"p": SMALL}),
        ("def f(x, p):\n    q = 1 - p\n    return x**q", {"p": SMALL}),
        ("def f(x, p):\n    return gamma(p)*x", {"p": SMALL}),
        ("def f(x, p):\n    return exp(-x*p)", {}),
        ("def f(x, p):\n    return exp(x*p)*erfc(x)", {"x": Bounds(most=3), "p": Bounds(most=3)}),
        ("def f(x):\n    return 2**x", {}),
        ("def f(x):\n    return x**2", {}),
        ("def f(s, x):\n    return (x/max(1e-9, s))**s", {"s": Bounds(True, 9)}),
    ],
)
def test_what_code_tells(source, found):
    assert of(source) == found


def test_what_a_form_of_the_code_needs_no_clamp_for():
    assert of("def f(s, p):\n    return max(1e-15, s)**p", clamps=False) == {"p": SMALL}


DOCUMENTED = '''
def f(a, b, c, d, e, g):
    """Something.

    Parameters
    ----------
    a : float
        The width, must be positive.
    b, c : float, > 0
        Both.
    d : float
        Any number, positive or negative.
    e : float
        Must be non-positive.
    g : float
        A shift. It is not of the positive kind.

    Returns
    -------
    y : float
        Positive.
    """
    return a + b + c + d + e + g
'''


def test_what_documentation_tells():
    assert of(DOCUMENTED) == {"a": POSITIVE, "b": POSITIVE, "c": POSITIVE}
    assert of(DOCUMENTED, clamps=False) == {}


def test_sections_of_parameters():
    text = textwrap.dedent(ast.get_docstring(ast.parse(DOCUMENTED).body[0]))
    assert [name for name, _, _ in sections(text)] == ["a", "b", "c", "d", "e", "g"]
    assert next(kind for name, kind, _ in sections(text) if name == "b") == "float, > 0"
    assert list(sections("Nothing.\n\nParameters\n\nx : float")) == []


@pytest.mark.parametrize(
    ("where", "positive", "remains"),
    [
        ("Ne(1 + (x/Max(1e-15, s))**2, 0)", (), ()),
        ("Ne(1 + x, 0)", (), ("Ne(1 + x, 0)",)),
        ("Max(1e-15, s) - 0.5 > 0", ("s",), ("s - 0.5 > 0",)),
        ("Ne(s, 0)", ("s",), ()),
        ("Ne(s, 0)", (), ("Ne(s, 0)",)),
        ("s*t > 0", ("s", "t"), ()),
        ("s*t > 0", ("s",), ("s * t > 0",)),
        ("s*pi >= 0", ("s",), ()),
        ("x*x >= 0", (), ()),
        ("x*x > 0", (), ("x * x > 0",)),
        ("Ne(exp(x) + 1, 0)", (), ()),
        ("x**3 > 0", (), ("x ** 3 > 0",)),
        ("x**-2 > 0", (), ("x ** (-2) > 0",)),
        ("Abs(x) + s > 0", ("s",), ()),
        ("Max(0.5, s) > 0", (), ("Max(0.5, s) > 0",)),
        ("x < 1", (), ("x < 1",)),
    ],
)
def test_conditions_that_remain(where, positive, remains):
    found = needed([where], positive)
    assert tuple(each.replace("(-2)", "-2") for each in found) == tuple(each.replace("(-2)", "-2") for each in remains)
