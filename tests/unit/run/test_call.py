"""`call` expressions: walked, never compiled, and only the package's own functions are called."""

import sys
import types

import numpy as np
import pytest

from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Domain, Symbol
from eqtrace.run.call import CallError, Interpreter, drawn_parameters, names, parse_call

SPAN = Span("spec.yaml", 1)
SOURCE = """
import os, subprocess, math, numpy as np
from os import system
from math import sqrt

def scaled(x, factor=2.0, *, offset=0):
    return x * factor + offset

def count():
    yield 1

class Model:
    LIMIT = 7
    def __init__(self, rate):
        self.rate = rate
        self.parts = [scaled]
        self.system = os.system
    def grow(self, x):
        return self.rate * x
    @property
    def doubled(self):
        return 2 * self.rate
    @classmethod
    def of(cls, text):
        return cls(float(text))
"""


@pytest.fixture
def module():
    package, made = types.ModuleType("package_of_user"), types.ModuleType("package_of_user.model")
    package.model, package.os = made, sys.modules["os"]
    sys.modules |= {"package_of_user": package, made.__name__: made}
    exec(SOURCE, made.__dict__)
    yield made
    del sys.modules["package_of_user"], sys.modules[made.__name__]


@pytest.fixture
def evaluate(module):
    def run(text, **values):
        given = {"x": 3.0, "X": np.array([[1.0, 2.0]]), "n": 4, "rng": np.random.default_rng(0), **values}
        return Interpreter(given, module).evaluate(parse_call(Text(text, SPAN)))

    return run


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("scaled(x)", 6.0),
        ("scaled(x, offset=1, factor=-1)", -2.0),
        ("scaled(x + 1, n - 2)", 8.0),
        ("Model(0.5).grow(x)", 1.5),
        ("Model(rate=0.5).doubled", 1.0),
        ("Model.of('0.25').grow(n)", 1.0),
        ("Model.LIMIT * 2", 14),
        ("scaled(X[0])[1]", 4.0),
        ("scaled(X.T)[1, 0]", 4.0),
        ("scaled(X.sum())", 6.0),
        ("scaled((x, 1)[0])", 6.0),
        ("scaled([1, x][1])", 6.0),
        ("scaled({'a': x}['a'])", 6.0),
        ("scaled(-x)", -6.0),
        ("scaled(n // 3 + n % 3 + n / 4)", 6.0),
        ("Model(1).parts[0](x)", 6.0),
        ("scaled(rng.integers(5, 6))", 10),
        ("scaled(X.tolist()[0][0])", 2.0),
        ("  scaled(x)\n", 6.0),
        ("package_of_user.model.scaled(x)", 6.0),
        ("package_of_user.model.Model.of('2').grow(x)", 6.0),
    ],
)
def test_what_is_allowed(evaluate, text, value):
    assert evaluate(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "eval('1')",
        "open('x', 'w')",
        "os.system('true')",
        "system('true')",
        "sqrt(4)",
        "math.sqrt(4)",
        "np.zeros(3)",
        "subprocess.run('true')",
        "scaled.__globals__",
        "scaled.__globals__['os'].system('true')",
        "Model.__init__",
        "Model(1).__class__",
        "Model(1)._secret",
        "Model(1).system('true')",
        "count().gi_frame.f_globals['os'].system('true')",
        "count().gi_frame.f_builtins['eval']('1')",
        "count().gi_frame.f_globals['__builtins__']['open']('x', 'w')",
        "X.tofile('stolen')",
        "X.dump('stolen')",
        "X.__reduce__()",
        "'{0.__class__}'.format(x)",
        "f'{x}'",
        "(lambda: 1)()",
        "[y for y in X]",
        "scaled(y := 3)",
        "scaled(*X)",
        "x if x else n",
        "not x",
        "x and n",
        "x == n",
        "x ** 99999999",
        "~n",
        "await x",
        "X[:1]",
        "unknown",
        "unknown(x)",
        "Model(1).grow.__func__",
        "rng.__class__",
        "X @ X",
        "n << 99999999",
        "{**x}",
        "package_of_user.os.system('true')",
        "package_of_user.model.os.system('true')",
        "package_of_user.model.system('true')",
        "package_of_user.model.np.zeros(3)",
        "package_of_user.model.__dict__",
        "package_of_user.nothing",
        "other_package.scaled(x)",
    ],
)
def test_what_is_refused(evaluate, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CallError):
        evaluate(text)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["", "x y", "x = 1", "import os", "(" * 3000, "-" * 1900 + "1", "f(" * 900 + ")" * 900]
)
def test_what_is_no_expression(evaluate, text):
    with pytest.raises((CallError, RecursionError)):
        evaluate(text)


def test_keyword_unpacking_is_refused(evaluate):
    with pytest.raises(CallError):
        evaluate("scaled(x, **{'offset': 1})")


def test_names():
    assert names(parse_call(Text("Model(rate).grow(x[i] + n)", SPAN))) == {"Model", "rate", "x", "i", "n"}


def symbol(name, code=None, shape=(), **domain):
    return Symbol(name, SPAN, code={"": code or name}, shape=shape, domain=Domain(**domain))


def test_parameters_by_the_symbols_names_in_the_code(module):
    found = drawn_parameters(module.scaled, "scaled", {"X": symbol("X", "x"), "a": symbol("a", "factor")})
    assert found == {"x": "X", "factor": "a"}


def test_parameters_without_symbol_keep_their_default(module):
    assert drawn_parameters(module.scaled, "scaled", {"x": symbol("x")}) == {"x": "x"}
    assert drawn_parameters(module.scaled, "scaled", {"factor": symbol("factor")}) is None
    assert drawn_parameters(module.count, "count", {"x": symbol("x")}) is None


def test_a_symbol_of_unknown_shape_cannot_be_drawn(module):
    assert drawn_parameters(module.scaled, "scaled", {"x": symbol("x", shape=None)}) is None
    assert drawn_parameters(module.scaled, "scaled", {"x": symbol("x", shape=None, integer=True)}) == {"x": "x"}


def test_the_equations_own_symbols_come_first(module):
    symbols = {"w": symbol("w", "x"), "v": symbol("v", "x")}
    assert drawn_parameters(module.scaled, "scaled", symbols, {"w"}) == {"x": "w"}
    assert drawn_parameters(module.scaled, "scaled", symbols, {"v"}) == {"x": "v"}


def test_names_that_differ_by_function(module):
    named = Symbol("s", SPAN, code={"": "x", "other": "y"}, shape=())
    assert drawn_parameters(module.scaled, "scaled", {"s": named}) == {"x": "s"}
    assert drawn_parameters(module.scaled, "other", {"s": named}) is None


def test_a_function_may_have_the_name_of_its_package(evaluate, module):
    module.package_of_user = module.scaled
    assert evaluate("package_of_user(x)") == 6.0
    assert evaluate("package_of_user.model.scaled(x)") == 6.0
    with pytest.raises(CallError):
        evaluate("package_of_user.os.system('true')")
