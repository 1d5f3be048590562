from __future__ import annotations

import ast

import pytest

from eqtrace.code.tree import names, same, targets, walk


def node(code: str) -> ast.stmt:
    return ast.parse(code).body[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x=a+b", "x = a + b  # sum"),
        ("x = 'a'", 'x = "a"'),
        ("x = u'a'", "x = 'a'"),
        ("x = (a +\n b)", "x = a + b"),
        ("if a: b", "if a:\n    c\nelse:\n    d"),
        ("@deco\ndef f(x): return x", "def f(x):\n    pass"),
        ("x = 0x10", "x = 16"),
        ("x = 1_000", "x = 1000"),
        ("x = 'a' 'b'", "x = 'ab'"),
        ("for i in x: pass", "for i in x: break"),
    ],
)
def test_same(one: str, other: str) -> None:
    assert same(node(one), node(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = a + b", "x = b + a"),
        ("x = a + b", "x += a + b"),
        ("x = 1", "x = 1.0"),
        ("x = 1", "x = True"),
        ("x = a", "x: int = a"),
        ("if a: b", "while a: b"),
        ("def f(x): pass", "async def f(x): pass"),
        ("def f(x): pass", "def f(x, y): pass"),
        ("@a\ndef f(): pass", "@b\ndef f(): pass"),
        ("x = lambda a: a", "x = lambda a: b"),
        ("x = f(a)", "x = f(a, b)"),
        ("x = a if b else c", "x = a if b else d"),
    ],
)
def test_not_same(one: str, other: str) -> None:
    assert not same(node(one), node(other))


def test_walk_leaves_bodies_out() -> None:
    assert names(node("if a:\n    b\nelse:\n    c")) == {"a"}
    assert names(node("x = lambda y: y + z.w")) == {"x", "y", "z", "w"}
    assert sum(1 for _ in walk(node("for i in x:\n    y"))) == 3


def test_targets() -> None:
    assert [ast.unparse(item) for item in targets(node("a = b, *c = d[0], (e.f, g) = (h := x)"))] == [
        "a",
        "b",
        "c",
        "d[0]",
        "e.f",
        "g",
        "h",
    ]
    assert targets(node("x: int")) == []
