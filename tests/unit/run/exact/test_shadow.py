"""Exact twins of a user's module, and of everything in it."""

import importlib
import sys
import textwrap

import numpy as np
import pytest

from eqtrace.formula.ball import Ball, InexactConversion, exact, half_ulp, no_floats, precision
from eqtrace.run.exact.shadow import Constants, Shadows, computed_constants, imported_names, lift_value


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Imports a module of a source, and gives what makes twins of it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    names = []

    def make(source, name="shadowed"):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(source))
        importlib.invalidate_caches()
        names.append(name)
        return importlib.import_module(name)

    yield make
    for name in names:
        sys.modules.pop(name, None)


@pytest.fixture
def shadows(tmp_path):
    return lambda constants=Constants.HALF_ULP: Shadows(lambda file: file.startswith(str(tmp_path)), constants)


def third(ball, times=1):
    with precision(200):
        return isinstance(ball, Ball) and (ball * 3 - times).arb.contains(0) and ball.radius < 1e-50


def call(shadows, function, *arguments):
    with precision(200):
        return shadows.function(function)(*arguments)


@pytest.mark.parametrize(
    "source",
    [
        "def f(n):\n    return n / 3",
        "def f(n, d=3):\n    return n / d",
        "def f(n, *, d=3):\n    return n / d",
        "def f(n):\n    def g(x):\n        return x / 3\n    return g(n)",
        "def f(n):\n    return (lambda x: x / 3)(n)",
        "def f(n: int | float, *a: float | int, **k: int) -> float | None:\n    return n / 3",
        "def f(n):\n    def g(x: str | float | int) -> float | str:\n        return x / 3\n    return g(n)",
        "def f(n):\n    return n / 3 if isinstance(n / 3, str | int | float) else None",
        "def f(n):\n    return n / 3 if isinstance(n, str | int) and not isinstance(n, str | bytes) else None",
        "import inspect\ndef g(x):\n    return x / 3\ndef f(n):\n    return g(**{list(inspect.signature(g).parameters)[0]: n})",  # noqa: E501
        "def f(n):\n    return sum(1 / 3 for _ in range(n))",
        "def g(x):\n    return x / 3\ndef f(n):\n    return g(n)",
        "def f(n):\n    return n / 3 if n < 5 else f(n - 5)",
        "def make(d):\n    def f(n):\n        return n / d\n    return f\nf = make(3)",
        "class A:\n    def __init__(self, d):\n        self.d = 1 / d\n    def g(self, n):\n        return n * self.d\ndef f(n):\n    return A(3).g(n)",  # noqa: E501
        "class A:\n    @staticmethod\n    def g(n):\n        return n / 3\ndef f(n):\n    return A.g(n)",
        "class A:\n    @classmethod\n    def g(cls, n):\n        return n / 3\ndef f(n):\n    return A.g(n)",
        "class A:\n    @property\n    def g(self):\n        return 1 / 3\ndef f(n):\n    return A().g * n",
        "class B:\n    def g(self, n):\n        return n / 3\nclass A(B):\n    pass\ndef f(n):\n    return A().g(n)",
        "import math\ndef f(n):\n    return math.sqrt(n / 9 * n)",
        "from math import sqrt\ndef f(n):\n    return sqrt(n / 9 * n)",
        "import numpy\ndef f(n):\n    return numpy.divide(n, 3)",
        "import functools\ndef g(d, n):\n    return n / d\nf3 = functools.partial(g, 3)\ndef f(n):\n    return f3(n)",
        "class A:\n    def g(self, n):\n        return n / 3\nbound = A().g\ndef f(n):\n    return bound(n)",
        "import functools\ndef deco(g):\n    @functools.wraps(g)\n    def inner(n):\n        return g(n)\n    return inner\n@deco\ndef h(n):\n    return n / 3\ndef f(n):\n    return h(n)",  # noqa: E501
        "TABLE = {'a': lambda n: n / 3}\ndef f(n):\n    return TABLE['a'](n)",
        "import numpy as np\n@np.vectorize\ndef g(n):\n    return n / 3\ndef f(n):\n    return np.asarray(g(n)).item()",
    ],
)
def test_functions_of_every_kind_are_exact(module, shadows, source):
    assert third(call(shadows(), module(source).f, 2), 2)


def test_a_decorator_of_another_module_sees_its_own_names(module, shadows):
    module("""
        from functools import wraps
        THIRD = 1 / 3
        def thirds(function):
            @wraps(function)
            def call(n):
                return function(n) * THIRD
            return call
    """, "decorating")  # fmt: skip
    found = module("from decorating import thirds\n@thirds\ndef f(n):\n    return n")
    assert third(call(shadows(), found.f, 1))


def test_functions_that_look_at_arrays_give_them_on(module, shadows, monkeypatch):
    found = module(
        "def check_array(x):\n    return float(x)\ndef f(n):\n    return check_array(n / 3, ensure_2d=False)[()]"
    )
    monkeypatch.setattr(found.check_array, "__module__", "sklearn.utils.validation")
    assert third(call(shadows(), found.f, 1))
    monkeypatch.setattr(found.check_array, "__module__", "other")
    with pytest.raises((TypeError, AttributeError)):
        call(shadows(), found.f, 1)


def test_computed_constants_are_computed_again(module, shadows):
    source = """
    import math
    ROOT = math.sqrt(2.0)
    THIRD: float = 1 / 3
    TWICE = THIRD * 2
    def f():
        return TWICE
    """
    assert third(call(shadows(), module(source).f), 2)


def test_literal_constants_are_half_an_ulp_wide(module, shadows):
    made = module("PI = 3.141592653589793\nE = -2.5\ndef f():\n    return PI, E\n")
    pi, e = call(shadows(), made.f)
    assert (pi.radius, e.radius) == (half_ulp(3.141592653589793).radius, half_ulp(-2.5).radius)
    assert call(shadows(Constants.EXACT), made.f)[0].radius == 0
    assert call(shadows(Constants.WIDE), made.f)[0].radius > 3 * pi.radius


@pytest.mark.parametrize(
    "source",
    [
        "import random\nX = random.random()\ndef f():\n    return X",  # another value each time
        "X = 1 / 3\nX = 0.5\ndef f():\n    return X",  # assigned twice
        "import math\nX = float(math.ulp(3.0))\ndef f():\n    return X",  # does not run in balls
        "X = 1 / 3\ndef change():\n    global X\n    X = 0.7\nchange()\ndef f():\n    return X",  # changed afterwards
    ],
)
def test_what_is_not_the_same_computed_again_stays_a_constant(module, shadows, source):
    made = module(source)
    found = call(shadows(), made.f)
    assert found.midpoint == made.X
    assert found.radius == half_ulp(made.X).radius


def test_constants_of_other_modules(module, shadows):
    module("THIRD = 1 / 3\nLITERAL = 0.7\n", "shadowed_other")
    source = """
    import shadowed_other
    from shadowed_other import THIRD as T, LITERAL
    def f():
        return T, shadowed_other.THIRD, LITERAL
    """
    first, second, literal = call(shadows(), module(source).f)
    assert third(first)
    assert third(second)
    assert literal.radius == half_ulp(0.7).radius


def test_imported_names(tmp_path):
    file = tmp_path / "m.py"
    file.write_text("from a import b, c as d\nfrom . import e\nfrom .x.y import z\nfrom .... import q\nimport w\n")
    assert imported_names(str(file), "p.q") == {
        "b": ("a", "b"),
        "d": ("a", "c"),
        "e": ("p.q", "e"),
        "z": ("p.q.x.y", "z"),
    }


def test_class_attributes_and_instances(module, shadows):
    source = """
    class Model:
        rate = 0.1
        def __init__(self):
            self.scale = 0.3
            self.me = self
        def both(self):
            return self.rate, self.me.scale
    MODEL = Model()
    def f():
        return MODEL.both(), Model().both()
    """
    made = module(source)
    (rate, scale), (again, fresh) = call(shadows(), made.f)
    assert rate.radius == again.radius == half_ulp(0.1).radius
    assert scale.radius == half_ulp(0.3).radius
    assert fresh.radius < 1e-50  # a literal within a function is the decimal that it states
    assert (type(made.MODEL), made.MODEL.scale, made.Model.rate) == (made.Model, 0.3, 0.1)


def test_members_of_an_enum_stay_as_they_are(module, shadows):
    made = module("import enum\nclass Kind(enum.Enum):\n    A = 0.5\ndef f():\n    return Kind.A, Kind.A.value\n")
    member, value = call(shadows(), made.f)
    assert member is made.Kind.A
    assert isinstance(made.Kind.A.value, float)
    assert value == 0.5


def test_exceptions_and_classes_that_forbid_subclasses(module, shadows):
    source = """
    class Wrong(ValueError):
        pass
    class Closed:
        def __init_subclass__(cls):
            raise TypeError
        def g(self):
            return 1
    def f():
        try:
            raise Wrong("x")
        except Wrong:
            return Closed().g()
    """
    assert call(shadows(), module(source).f) == 1


def test_code_of_others_is_left_alone(module, shadows):
    made = module(
        "import statistics\nimport json\ndef f():\n    return json.dumps([1]), statistics.median([1, 2, 3])\n"
    )
    assert call(shadows(), made.f) == ("[1]", 2)


def test_floats_that_meet_balls_are_refused():
    ball = exact(1) / 3
    with no_floats():
        assert ((ball + 1.0) - (ball + 1)).arb.contains(0)
        assert (ball * float("inf")).isinf()
        for meets in (lambda: ball + 0.1, lambda: 0.1 * ball, lambda: ball < 0.1, lambda: ball**0.5, lambda: 0.3**ball):
            with pytest.raises(InexactConversion, match="rounded"):
                meets()
        with pytest.raises(InexactConversion):
            _ = np.array([ball], dtype=object) * np.array([0.1])
    assert (ball + 0.1).finite


def test_lifting():
    class Node:
        def __init__(self):
            self.x, self.items, self.up = 0.5, [np.array([0.25]), {"k": 1.5}], self

    node = Node()
    lifted = lift_value(node, lambda value: ("lifted", value), lambda each: each)
    assert lifted.up is lifted
    assert lifted.x == ("lifted", 0.5)
    assert lifted.items[1] == {"k": ("lifted", 1.5)}
    assert (node.x, node.items[1], node.up) == (0.5, {"k": 1.5}, node)


def test_which_constants_are_computed(tmp_path):
    file = tmp_path / "m.py"
    file.write_text("A = 1.5\nB = -2.5\nC = 1 / 3\nD: float = C * 2\nE, F = 1 / 2, 3\nG = H = 1 / 4\nC = 5\nI: int\n")
    assert [name for name, _ in computed_constants(str(file))] == ["D"]
