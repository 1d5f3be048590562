"""What each operator makes of a statement, and what it leaves alone."""

import pytest

from eqtrace.code.mutation.operators import OPERATORS

MADE = [
    ("arithmetic", "y = a + b", ["y = a - b"]),
    ("arithmetic", "y = a - b", ["y = a + b"]),
    ("arithmetic", "y = a * b / c", ["y = a * b * c", "y = a / b / c"]),
    ("arithmetic", "y = a ** 2", ["y = a * 2"]),
    ("arithmetic", "y = a // b", ["y = a / b"]),
    ("arithmetic", "y = a % b", ["y = a // b"]),
    ("arithmetic", "y = a @ b", ["y = b @ a"]),
    ("arithmetic", "y += a", ["y -= a"]),
    ("arithmetic", "y -= a", ["y += a"]),
    ("comparison", "y = a < b", ["y = a <= b", "y = a >= b"]),
    ("comparison", "y = a >= b", ["y = a > b", "y = a < b"]),
    ("comparison", "y = a == b", ["y = a != b"]),
    ("comparison", "y = a < b < c", ["y = a <= b < c", "y = a >= b < c", "y = a < b <= c", "y = a < b >= c"]),
    ("comparison", "y = a in b", ["y = a not in b"]),
    ("comparison", "y = a is b", ["y = a is not b"]),
    ("constant", "y = 2", ["y = 3", "y = 1"]),
    ("constant", "y = 0", ["y = 1", "y = -1"]),
    ("constant", "y = 0.5", ["y = 1.5", f"y = {0.5 * 1.001}"]),
    ("constant", "y = 0.0", ["y = 1.0"]),
    ("constant", "y = f(flag=True)", ["y = f(flag=False)"]),
    ("axis", "y = x.sum(axis=0)", ["y = x.sum(axis=-1)", "y = x.sum()"]),
    ("axis", "y = x.sum(axis=-1)", ["y = x.sum(axis=0)", "y = x.sum()"]),
    ("axis", "y = x.sum(axis=(0, 1))", ["y = x.sum(axis=0)", "y = x.sum()"]),
    ("keepdims", "y = x.sum(keepdims=True)", ["y = x.sum(keepdims=False)"]),
    ("transpose", "y = x.T", ["y = x"]),
    ("transpose", "y = x @ w", ["y = x.T @ w", "y = x @ w.T"]),
    ("transpose", "y = x.T @ w", ["y = x.T @ w.T", "y = x @ w"]),
    ("sign", "y = -x", ["y = x"]),
    ("sign", "y = a * b", ["y = -(a * b)"]),
    ("sign", "return f(x)", ["return -f(x)"]),
    ("sign", "y: float = x[0]", ["y: float = -x[0]"]),
    ("sign", "y += f(x)", ["y += -f(x)"]),
    ("dropped", "y = a + b", ["y = a", "y = b"]),
    ("dropped", "y = a * b", ["y = a", "y = b"]),
    ("dropped", "y = a - b", ["y = a", "y = -b"]),
    ("dropped", "y = a / b", ["y = a"]),
    ("dropped", "y = a ** b", ["y = a"]),
    ("swapped-arguments", "y = f(a, b, c)", ["y = f(b, a, c)", "y = f(a, c, b)"]),
    ("swapped-names", "y = f(a) + b * a", ["y = f(b) + a * b"]),
    ("swapped-names", "y += a / b", ["y += b / a"]),
    ("swapped-names", "y = {a: b for a, b in c}", ["y = {b: a for a, b in c}"]),
    ("bounds", "y = x[:n]", ["y = x[:]", "y = x[:n + 1]", "y = x[:n - 1]"]),
    ("bounds", "y = x[1:]", ["y = x[:]"]),
    ("bounds", "y = range(n)", ["y = range(n + 1)", "y = range(n - 1)"]),
    ("bounds", "y = np.zeros(len(x))", ["y = np.zeros(len(x) + 1)", "y = np.zeros(len(x) - 1)"]),
    ("augmented", "y += a", ["y = a", "pass"]),
    ("augmented", "np.add.at(y, i, a)", ["pass"]),
    ("key", "y = p['b'] + p['w']", ["y = p['w'] + p['w']", "y = p['b'] + p['b']"]),
    ("key", "y = p[k + 'b'] * p[k + 'w']", ["y = p[k + 'w'] * p[k + 'w']", "y = p[k + 'b'] * p[k + 'b']"]),
    ("branch", "y = a if c else b", ["y = a if not c else b"]),
    ("branch", "y = a and b", ["y = a or b"]),
    ("branch", "y = not a", ["y = a"]),
    ("branch", "if a > b:\n    pass", ["if not a > b:"]),
    ("branch", "while a:\n    pass", ["while not a:"]),
    ("argument", "y = np.exp(x)", ["y = x"]),
    ("argument", "y = x.sum()", ["y = x"]),
    ("argument", "y = f(a, b)", ["y = a"]),
    ("in-place", "y = a * b", ["y = np.multiply(a, b, out=a)", "y = np.multiply(a, b, out=b)"]),
    ("in-place", "return a - 1", ["return np.subtract(a, 1, out=a)"]),
]
LEFT = [
    ("arithmetic", "y = 'a' + b"),
    ("arithmetic", "y = a + 'b' + c"),
    ("arithmetic", "y = [a] + b"),
    ("arithmetic", "y = f'{a + b}'"),
    ("arithmetic", "y += 'a'"),
    ("arithmetic", "y = a | b"),
    ("constant", "y = 'text'"),
    ("constant", "y = None"),
    ("constant", "y = x.sum(axis=-1, keepdims=True)"),
    ("constant", "y: Literal[1] = x"),
    ("axis", "y = x.sum(-1)"),
    ("keepdims", "y = x.sum(keepdims=flag)"),
    ("transpose", "y = x * w"),
    ("sign", "y = x"),
    ("sign", "y = 'a' + b"),
    ("dropped", "y = 'a' + b"),
    ("dropped", "y = a @ b"),
    ("swapped-arguments", "y = f(*a, b)"),
    ("swapped-arguments", "y = f(a, k=b)"),
    ("swapped-names", "y = f(a)"),
    ("swapped-names", "y = np.exp(a)"),
    ("swapped-names", "a[i] = b"),
    ("swapped-names", "y = f(f'{a} {b}')"),
    ("bounds", "y = x[:]"),
    ("bounds", "y = f(n)"),
    ("bounds", "y = range(3)"),
    ("augmented", "y = a"),
    ("key", "y = p['a']"),
    ("key", "y = p['a'] + q['b']"),
    ("branch", "y = a"),
    ("argument", "y = np.zeros"),
    ("argument", "y = len(x)"),
    ("argument", "y = f()"),
    ("argument", "y = np.linalg.det"),
    ("in-place", "y = f(a)"),
    ("in-place", "y = a @ b"),
    ("in-place", "y = a[0] * b[0]"),
    ("in-place", "y += a * b"),
]


def made(mutated, operator: str, statement: str) -> list[str]:
    lines = ["import numpy as np", "def g():", *(f"    {line}" for line in statement.splitlines())]
    first = statement.splitlines()[0]
    return [each.new for each in mutated("\n".join(lines), first) if each.operator == operator]


@pytest.mark.parametrize(("operator", "statement", "expected"), MADE)
def test_an_operator_makes(mutated, operator: str, statement: str, expected: list[str]) -> None:
    assert set(made(mutated, operator, statement)) >= set(expected) - made_before(mutated, operator, statement)


def made_before(mutated, operator: str, statement: str) -> set[str]:
    """What operators before this one make already: no two mutants are alike."""
    names = [name for name, _ in OPERATORS]
    earlier = names[: names.index(operator)]
    return {new for name in earlier for new in made(mutated, name, statement)}


@pytest.mark.parametrize(("operator", "statement", "expected"), MADE)
def test_an_operator_makes_nothing_else(mutated, operator: str, statement: str, expected: list[str]) -> None:
    more = {
        "y = {a: b for a, b in c}",
        "y = a * b / c",
        "y = p[k + 'b'] * p[k + 'w']",
        "y = x.T @ w",
        "y = f(a, b)",
        "y = x @ w",
    }
    if statement not in more:
        assert set(made(mutated, operator, statement)) <= set(expected)


@pytest.mark.parametrize(("operator", "statement"), LEFT)
def test_an_operator_leaves_alone(mutated, operator: str, statement: str) -> None:
    assert made(mutated, operator, statement) == []


def test_an_axis_is_changed_as_an_axis_alone(mutated) -> None:
    found = {each.operator for each in mutated("y = x.sum(axis=-1, keepdims=True)") if "axis=" in each.new}
    assert found <= {"axis", "keepdims", "sign"}
    assert "y = x.sum(axis=1, keepdims=True)" not in [each.new for each in mutated("y = x.sum(axis=-1, keepdims=True)")]


def test_a_call_on_a_module_is_not_replaced_by_the_module(mutated) -> None:
    assert "y = np" not in [each.new for each in mutated("import numpy as np\ny = np.exp(x)")]
    assert "y = np.random" not in [each.new for each in mutated("import numpy as np\ny = np.random.rand(x)")]


def test_every_operator_has_cases_of_both_kinds() -> None:
    names = {name for name, _ in OPERATORS}
    assert {each[0] for each in MADE} == names
    assert {each[0] for each in LEFT} >= names - {"comparison"}


TYPED = """
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


    class Config:
        size: int


    def pair(x: Floats) -> tuple[Floats, Floats]:
        return x, x


    def f(x: Floats, z: Floats, params: dict[str, Floats], config: Config, names: list[int], other):
        {}
"""


def typed(mutated, operator: str, statement: str) -> set[str]:
    text = TYPED.format(statement)
    return {each.new for each in mutated(text, statement) if each.operator == operator}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("y = g(x, z)", {"y = g(z, x)"}),
        ("y = g(x, other)", {"y = g(other, x)"}),
        ("y = g(x, names)", {"y = g(names, x)"}),  # a list of numbers may stand for an array
        ("y = g(params, other)", {"y = g(other, params)"}),
        ("y = g(x, params)", set()),
        ("y = g(params, config)", set()),
        ("y = g(x, config)", set()),
        ("y = g(x, f'{other}')", set()),
        ("y = g(params['a'], x)", {"y = g(x, params['a'])"}),
    ],
)
def test_only_what_may_stand_in_the_other_place_is_swapped(mutated, statement: str, expected: set[str]) -> None:
    assert typed(mutated, "swapped-arguments", statement) == expected


def test_the_same_goes_for_names(mutated) -> None:
    found = typed(mutated, "swapped-names", "y = x @ params['w'] + z * config.size + other")
    assert "y = z @ params['w'] + x * config.size + other" in found
    assert "y = other @ params['w'] + z * config.size + x" in found
    assert not any("params @" in new or "x['w']" in new or "x.size" in new or "params.size" in new for new in found)


def test_what_has_no_negative_keeps_its_sign(mutated) -> None:
    assert typed(mutated, "sign", "a, b = pair(x)") == set()
    assert len(typed(mutated, "sign", "a, b = other(x)")) == 1
    assert typed(mutated, "sign", "y = params['a']") == {"y = -params['a']"}
