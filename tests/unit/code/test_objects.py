"""Methods: how an object is made for a draft, and why one is not."""

import ast
import textwrap

import pytest

from eqtrace.code.lift.objects import constructed, is_static, owner_of
from eqtrace.code.lift.reasons import NotLifted
from eqtrace.code.source import parse

PLAIN = """
class C:
    def __init__(self, a, b=2.0, c=3.0):
        self.a = float(a)
        self.own_b: float = b
        self.c = c
        self.n = 0
"""
TWICE = """
class C:
    def __init__(self, a):
        self.a = a
        self.a {} 2
    def f(self):
        return self.a
"""


def made(source, name="C.f"):
    file = parse("m.py", textwrap.dedent(source).encode())
    owner = owner_of(file, name)
    return constructed(file, owner, file.functions[name])


def method(text):
    return PLAIN + textwrap.indent(textwrap.dedent(text), "    ")


@pytest.mark.parametrize(
    ("text", "call", "attributes"),
    [
        ("def f(self, x):\n    return self.a*x", "C(a).f(x)", {"a": "a"}),
        ("def f(self, x):\n    return self.own_b*x", "C(a, b).f(x)", {"own_b": "b"}),
        ("def f(self, x):\n    return self.c*x", "C(a, c=c).f(x)", {"c": "c"}),
        ("def f(self, x):\n    return 2*x", "C(a).f(x)", {}),
        ("@property\ndef f(self):\n    return self.a", "C(a).f", {"a": "a"}),
    ],
)
def test_objects_are_made_of_what_is_needed(text, call, attributes):
    found = made(method(text))
    module = ast.parse(textwrap.dedent(text))
    assert found.call("C", module.body[0], module) == call
    assert dict(found.attributes) == attributes


def test_fields_of_a_dataclass():
    head = "@dataclass(frozen=True)\nclass C:\n    a: float\n    b: float = 1.0\n"
    found = made(head + "    def f(self, x):\n        return self.b*x\n")
    module = ast.parse("def f(self, x, y=None, z=2): pass")
    assert found.call("C", module.body[0], module) == "C(a, b).f(x, z=z)"
    assert dict(found.given) == {"a": "a", "b": "b"}


def test_a_class_that_takes_nothing():
    found = made("class C:\n    def f(self, x):\n        return x\n")
    module = ast.parse("def f(self): pass")
    assert found.call("C", module.body[0], module) == "C().f()"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (method("def f(self):\n    return self.n"), "reads `self.n`"),
        (method("def f(self):\n    return self.other"), "reads `self.other`"),
        (method("def f(self, a):\n    return a"), "called like arguments of its class"),
        (method("def f(self):\n    return self.a\ndef g(self):\n    self.a = 5"), "reads `self.a`"),
        (method("@wrapped\ndef f(self):\n    return self.a"), "is decorated by wrapped"),
        ("class B: pass\nclass C(B):\n    def f(self):\n        return 1\n", "has a base class"),
        ("class C:\n    def __init__(self, *a):\n        pass\n    def f(self):\n        return 1\n", "made in a way"),
        (
            "class C:\n    def __init__(self, a):\n        self.a = a + 1\n    def f(self, x):\n        return x\n",
            "needs `a` to make",
        ),
        (TWICE.format("="), "reads `self.a`"),
        (TWICE.format("+="), "reads `self.a`"),
    ],
)
def test_objects_that_nothing_tells_how_to_make(source, reason):
    with pytest.raises(NotLifted, match=reason):
        made(source)


def test_what_is_a_method():
    file = parse("m.py", b"def f():\n    def g(): pass\nclass C:\n    @staticmethod\n    def s(): pass\n")
    assert owner_of(file, "f") is None
    assert owner_of(file, "f.g") is None
    assert owner_of(file, "C.s").name == "C"
    assert is_static(file.functions["C.s"])
