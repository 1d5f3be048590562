"""What counts as a condition of a statement, and in which order."""

import ast

import pytest

from eqtrace.code.conditions import UNKNOWN, constants, numbers, of_cited, rests_on


def conditions(text, whole=False):
    node = ast.parse(text).body[0]
    return [
        ast.unparse(each.node) if each.other is None else f"{ast.unparse(each.node)} | {ast.unparse(each.other)}"
        for each in of_cited(node, whole)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("if a and not (b > 1 or c): pass", ["a", "b > 1", "c"]),
        ("while n: n -= 1", ["n"]),
        ("while True: pass", []),
        ("y = x * (x > 0)", ["x > 0"]),
        ("y = np.where(mask, x, 0)", ["mask"]),
        ("y = np.where(mask)", []),
        ("y = np.maximum(x, 0)", ["x | 0"]),
        ("y = max(a, min(b, c))", ["a | min(b, c)", "b | c"]),
        ("y = np.maximum(x, 0, out=z)", []),
        ("y = x.max(axis)", []),
        ("y = [a for a in x if a if a < 3]", ["a", "a < 3"]),
        ("y = a if c else b", ["c"]),
        ("x[x < 0] = 0", ["x < 0"]),
        ("assert x > 0", []),
        ("def f(x=a > b): pass", []),
        ("for k in range(3):\n    y = k > 2", []),
        ("y = a < b < c", ["a < b < c"]),
        ("y = np.clip(x, 0, hi)", ["x | 0", "x | hi"]),
        ("y = np.clip(x, None, a_max=hi)", ["x | hi"]),
        ("y = x.clip(min=lo)", ["x | lo"]),
        ("y = clip(x, lo, hi)", ["x | lo", "x | hi"]),
        ("match x:\n    case 1:\n        y = 2", []),
    ],
)
def test_conditions_of_a_statement(text, found):
    assert conditions(text) == found


def test_those_of_a_whole_function_hold_those_of_functions_within_it():
    text = "def f(x):\n    def g(y):\n        return y > 0\n    if x:\n        return g(x) if x > 2 else 0\n"
    assert conditions(text, whole=True) == ["y > 0", "x", "x > 2"]
    assert conditions("f = lambda x: x if x > 2 else 0", whole=True) == ["x > 2"]


def test_those_of_a_whole_function_hold_its_clauses():
    text = """
def f(x):
    match x:
        case 1 | 2:
            return 0
        case [*_]:
            return 1
        case _ if x > 3:
            return 2
        case _:
            raise ValueError
    try:
        return 1 / x
    except ZeroDivisionError:
        return 3
"""
    node = ast.parse(text).body[0]
    found = of_cited(node, whole=True)
    assert [(type(each.node).__name__, each.guard) for each in found] == [
        ("match_case", False),
        ("match_case", True),
        ("Compare", False),
        ("match_case", True),
        ("ExceptHandler", True),
    ]
    assert numbers(node, {}, whole=True) == {1, 2, 3}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("g = lambda t: t > 0\n    return g(x)", {"x"}),
        ("def g(t, u): return t > u\n    return g(x, u=y)", {"x", "y"}),
        ("def g(t): return t > 0\n    return g(2) + g(y)", {"y"}),
        ("def g(t): return t > 0\n    return map(g, x)", {UNKNOWN}),
        ("return map(lambda t: t > 0, x)", {UNKNOWN}),
        ("g = lambda t=0: t > 0\n    return g()", {UNKNOWN}),
    ],
)
def test_what_a_condition_of_a_function_within_another_rests_on(body, found):
    function = ast.parse(f"def f(x, y):\n    {body}\n").body[0]
    (condition,) = of_cited(function, whole=True)
    assert rests_on(function, condition.node) == found


def test_the_numbers_that_they_compare_with():
    node = ast.parse("y = x if x > 2.5 and n <= 7 else max(x, -1e3)").body[0]
    assert sorted(numbers(node, {})) == [2.5, 7.0, 1000.0]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return v[:8]", {8}),
        ("return v[: 2 * 8]", {8, 16}),
        ("return v[: int(1e2)]", {100}),
        ("return v[:N] + v[: 2 * N]", {32, 64}),
        ("n = 10\n    return v[: n * 2 - 1]", {10, 19, 20}),
        ("n = 10\n    n = g(v)\n    return v[: n * 2]", {10}),
        ("return v**8 + v[:3] + v[: n // 0] + v * 8.5", set()),
        ("return (lambda w: w[:9])(v)", {9}),
    ],
)
def test_the_whole_numbers_at_which_a_function_may_cut(body, found):
    module = ast.parse(f"N = 4 * 8\n\n\ndef f(v, n):\n    {body}\n")
    assert numbers(module.body[1], constants(module), whole=True) == found


def test_those_of_its_defaults():
    assert numbers(ast.parse("def f(v, n=30, *, m=40, k): return v[:n]").body[0], {}, whole=True) == {30, 40}
