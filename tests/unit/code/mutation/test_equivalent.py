"""What is proved to compute the same; and, more of it, what must not be."""

import ast

import numpy as np
import pytest

from eqtrace.code.mutation.equivalent import proof
from eqtrace.code.source import parse
from eqtrace.model.mutant import Mutant
from eqtrace.model.span import Span

HEAD = """
import math
import numpy as np
import numpy.typing as npt
from lib import Alias, Config, other

Array = npt.NDArray[np.float64]
Small = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Ids = npt.NDArray[np.int64]
Table = dict[str, Array]


class Model:
    def __init__(self, rate: float, names: list[str]) -> None:
        self.rate = rate
        self.names = names

    def step(self, a: Array, b: Array):
        {method}


def kept(a: Array) -> Array:
    return a


def f(
    a: Array, b: Array, c: Array, x: float, y: float, n: int, k: int, m: Mask, mm: Mask, i: Ids, s, t, p: Table,
    xs: list[float], ys: list[float], u: Small, v: Alias, config: Config, rng: np.random.Generator, word: str,
):
    {body}
"""
LIB = """
import numpy as np
import numpy.typing as npt

Alias = npt.NDArray[np.float64]


class Config:
    size: int
    rate: float
    names: list[str]


def other(x):
    return x
"""


@pytest.fixture
def prove(source):
    """The proof that a statement is another: both stand after `before` in the function f (or Model.step)."""

    def find(
        old: str, new: str, before: str = "", after: str = "", numbers: frozenset[str] = frozenset(), method=False
    ):
        lines = [*before.splitlines(), *old.splitlines(), *after.splitlines()]
        if old.endswith(":"):
            lines.append("    pass")
        indent = "        " if method else "    "
        body = ("\n" + indent).join(lines)
        text = HEAD.replace("{body}", "pass" if method else body).replace("{method}", body if method else "pass")
        file = source(text)
        function = "Model.step" if method else "f"
        wanted = old.splitlines()[0]
        (statement,) = [each for each in file.statements_in(function) if each.source.startswith(wanted)]
        operator = "in-place" if "out=" in new else "swapped-names"
        span = statement.span
        old = ast.unparse(ast.parse(old + ("\n    pass" if old.endswith(":") else ""))).removesuffix("\n    pass")
        mutant = Mutant("id", operator, Span("ops.py", *span_of(span)), function, old, new, ())
        return proof(mutant, file, {"lib": parse("lib.py", LIB.encode())}.get, numbers)

    return find


def span_of(span: Span) -> tuple[int, int, int, int]:
    return span.line, span.column, span.end_line, span.end_column


SAME = [
    ("z = a + b", "z = b + a"),
    ("z = a + b - c", "z = b + a - c"),
    ("z = a - b + c", "z = c + a - b"),
    ("z = a + b + c", "z = c + b + a"),
    ("z = -a + b", "z = b - a"),
    ("z = a * b * c", "z = c * a * b"),
    ("z = a * b / c", "z = b / c * a"),
    ("z = a / (b * c)", "z = a / (c * b)"),
    ("z = a / b / c", "z = a / c / b"),
    ("z = a * -b", "z = -(a * b)"),
    ("z = (a - b) ** 2", "z = (b - a) ** 2"),
    ("z = (a - b) ** 3", "z = -(b - a) ** 3"),
    ("z = np.abs(a - b)", "z = np.abs(b - a)"),
    ("z = np.cos(x - y)", "z = np.cos(y - x)"),
    ("z = abs(x - y)", "z = abs(y - x)"),
    ("z = np.maximum(a, 0.0)", "z = np.maximum(0.0, a)"),
    ("z = np.hypot(s, t)", "z = np.hypot(t, s)"),
    ("z = (a + b).sum(axis=0)", "z = (b + a).sum(axis=0)"),
    ("z = p['w'] * a", "z = a * p['w']"),
    ("z = a @ (b + c)", "z = a @ (c + b)"),
    ("z = m * a", "z = a * m"),
    ("z = a * (b > 0)", "z = a * (0 < b)"),
    ("z = x > y", "z = y < x"),
    ("z = x == y", "z = y == x"),
    ("if x == y:", "if y == x:"),
    ("while a.sum() + x > y:", "while x + a.sum() > y:"),
    ("z[0] = a + b", "z[0] = b + a"),
    ("s += a + b", "s += b + a"),
    ("return v * x", "return x * v"),
    ("z = config.rate * x", "z = x * config.rate"),
    ("z = min(config.size, n)", "z = min(n, config.size)"),
    ("z = n * k + 1", "z = 1 + k * n"),
    ("z = int(np.argmax(a))", "z = np.argmax(a)"),
    ("z = int(rng.choice(n, p=a))", "z = rng.choice(n, p=a)"),
    ("z = -np.zeros_like(a)", "z = np.zeros_like(a)"),
    ("z = kept(a) + b", "z = kept(a) + b"),
    ("z = [x + y for x in xs]", "z = [x + y for x in xs]"),
    ("z = len(xs) * x", "z = x * len(xs)"),
    ("z = a.shape[0] * a.shape[1]", "z = a.shape[1] * a.shape[0]"),
    ("z = np.where(m, a + b, c)", "z = np.where(m, b + a, c)"),
    ("z = 2 * math.pi * x", "z = x * 2 * math.pi"),
]
OTHER = [
    # the operation does not commute
    ("z = a / b", "z = b / a"),
    ("z = a - b", "z = b - a"),
    ("z = a @ b", "z = b @ a"),
    ("z = a @ b + c", "z = b @ a + c"),
    ("z = a ** b", "z = b ** a"),
    ("z = n // k", "z = k // n"),
    ("z = n % k", "z = k % n"),
    ("z = a / b * c", "z = a / (b * c)"),
    ("z = a - (b - c)", "z = a - b - c"),
    ("z = a / b / c", "z = a / (b / c)"),
    # precedence and powers
    ("z = -a ** 2", "z = a ** 2"),
    ("z = -a ** 2", "z = (-a) ** 2"),
    ("z = (-a) ** 3", "z = a ** 3"),
    ("z = (a - b) ** n", "z = (b - a) ** n"),
    ("z = (a - b) ** 2.0", "z = (b - a) ** 3.0"),
    ("z = (a - b) ** -1", "z = (b - a) ** -1"),
    ("z = a * b ** 2", "z = (a * b) ** 2"),
    ("z = a ** b ** c", "z = (a ** b) ** c"),
    ("z = np.sin(x - y)", "z = np.sin(y - x)"),
    ("z = np.exp(a - b)", "z = np.exp(b - a)"),
    ("z = np.sqrt(a - b)", "z = np.sqrt(b - a)"),
    # what cancels or vanishes takes a shape, a NaN or a division by zero along
    ("z = a + b[0] - b[0]", "z = a"),
    ("z = a - a", "z = 0"),
    ("z = a * 0", "z = 0"),
    ("z = a * 1", "z = a"),
    ("z = a + 0", "z = a"),
    ("z = a * b / b", "z = a"),
    ("z = a * x / x", "z = a"),
    ("z = a / a", "z = 1"),
    ("z = a ** 0", "z = 1"),
    ("z = a ** 1", "z = a"),
    ("z = a + b - b + c", "z = a + c - c + b"),
    ("z = a + a.T - a.T", "z = a + a[0] - a[0]"),
    ("z = (a + b) * c", "z = a * c + b * c"),
    ("z = a + a", "z = 2 * a"),
    ("z = a * a", "z = a ** 2"),
    ("z = x * 2 * 3", "z = x * 6"),
    ("z = x * 0.1", "z = x / 10"),
    # numbers of another type or value
    ("z = n + 1", "z = n + 1.0"),
    ("z = n * True", "z = n * 1"),
    ("z = x * 0.0", "z = x * -0.0"),
    ("z = int(x)", "z = x"),
    ("z = int(a.sum())", "z = a.sum()"),
    ("z = int(rng.random())", "z = rng.random()"),
    ("z = int(np.argmax(a, axis=0))", "z = np.argmax(a, axis=0)"),
    ("z = float(n)", "z = n"),
    ("z = round(x)", "z = int(x)"),
    ("z = -a", "z = a"),
    ("z = -np.ones_like(a)", "z = np.ones_like(a)"),
    # what joins instead of adding up: strings, lists, tuples, masks
    ("z = s + t", "z = t + s"),
    ("z = s + 'a'", "z = 'a' + s"),
    ("z = word + s", "z = s + word"),
    ("z = xs + ys", "z = ys + xs"),
    ("z = [x] + xs", "z = xs + [x]"),
    ("z = (x,) + (y,)", "z = (y,) + (x,)"),
    ("z = f'{x}' + f'{y}'", "z = f'{y}' + f'{x}'"),
    ("z = s * t", "z = t * s"),
    ("z = xs * n * k", "z = xs * (n * k)"),
    ("z = config.names + xs", "z = xs + config.names"),
    ("z = m + mm + a", "z = a + mm + m"),
    ("z = m * a + mm", "z = a + mm * m"),
    ("z = (m + mm) * x", "z = m * x + mm * x"),
    ("z = -m", "z = m"),
    ("z = u + u * x + a", "z = u + (u * x + a)"),
    ("z = other(x) + other(y)", "z = other(y) + other(x)"),
    # the order of what can change something, or be left out
    ("z = rng.normal() - rng.uniform()", "z = rng.uniform() - rng.normal()"),
    ("z = rng.normal() + rng.uniform()", "z = rng.uniform() + rng.normal()"),
    ("z = kept(a) + kept(b)", "z = kept(b) + kept(a)"),
    ("z = a.sum() + kept(a)", "z = kept(a) + a.sum()"),
    ("z = np.add(a, b, out=c) + c", "z = c + np.add(a, b, out=c)"),
    ("z = np.exp(a, c) + c", "z = c + np.exp(a, c)"),
    ("z = a.max(0, c[0]) + c", "z = c + a.max(0, c[0])"),
    ("z = x + (x := y)", "z = (x := y) + x"),
    ("z = np.maximum(kept(a), kept(b))", "z = np.maximum(kept(b), kept(a))"),
    ("z = max(xs, key=other) + x", "z = x + max(xs, key=other)"),
    ("z = s and t", "z = t and s"),
    ("z = s or t()", "z = t() or s"),
    ("z = s and t", "z = s or t"),
    ("z = a if s else b", "z = b if s else a"),
    ("z = s() if t else 0", "z = 0 if t else s()"),
    # comparisons
    ("z = x < y", "z = y < x"),
    ("z = x < y < n", "z = n > x < y"),
    ("z = x < y < n", "z = y > x and y < n"),
    ("z = x == y == n", "z = n == x == y"),
    ("z = x >= y", "z = y < x"),
    ("z = not x < y", "z = x >= y"),
    ("z = s < t", "z = t > s"),
    ("z = x in xs", "z = xs in x"),
    ("z = s is t", "z = t is s"),
    # functions whose arguments stand for different things
    ("z = np.power(a, b)", "z = np.power(b, a)"),
    ("z = np.where(m, a, b)", "z = np.where(m, b, a)"),
    ("z = np.dot(a, b)", "z = np.dot(b, a)"),
    ("z = np.arctan2(x, y)", "z = np.arctan2(y, x)"),
    ("z = min(x, y)", "z = min(y, x)"),
    ("z = max(s, t)", "z = max(t, s)"),
    ("z = min(xs, ys)", "z = min(ys, xs)"),
    ("z = other.maximum(a, b)", "z = other.maximum(b, a)"),
    ("z = s.maximum(a, b)", "z = s.maximum(b, a)"),
    ("z = np.maximum(a, b, c)", "z = np.maximum(b, a, c)"),
    ("z = np.maximum(*xs, *ys)", "z = np.maximum(*ys, *xs)"),
    ("z = a[n, k]", "z = a[k, n]"),
    ("z = a[n:k]", "z = a[k:n]"),
    ("z = a.transpose(0, 1)", "z = a.transpose(1, 0)"),
    ("z = a.T @ b", "z = a @ b"),
    # another target, another statement
    ("z = a + b", "w = a + b"),
    ("z += a + b", "z -= a + b"),
    ("z += a + b", "z = a + b"),
    ("z[n] = a + b", "z[k] = b + a"),
    ("z: float = x + y", "z: int = y + x"),
    ("return x + y", "yield y + x"),
    ("if x > y:", "if not x > y:"),
    ("for z in xs:", "for z in ys:"),
    ("z = [x + y for x in xs]", "z = [x + y for x in ys]"),
    ("z = lambda x: x + s", "z = lambda x: s + x"),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_the_same_is_proved(prove, old: str, new: str) -> None:
    assert "in normal form" in prove(old, new)
    assert "in normal form" in prove(old, old)


@pytest.mark.parametrize(("old", "new"), OTHER)
def test_what_is_not_the_same_is_not_proved(prove, old: str, new: str) -> None:
    assert prove(old, new) == ""


@pytest.mark.parametrize(
    "before",
    [
        "a = word",
        "a = xs",
        "a, d = xs, ys",
        "for a in xs: pass",
        "with s as a: pass",
        "import a",
        "from s import a",
        "def a(): pass",
        "class a: pass",
        "d = (a := word)",
        "try: pass\nexcept s as a: pass",
        "match s:\n    case a: pass",
        "match s:\n    case {**a}: pass",
        "global a",
        "d = lambda a: a",
        "a += word",
        "d = a\na = d if s else word",
        "d = a\nd = word\na = d",
    ],
)
def test_a_name_that_may_be_something_else_does_not_commute(prove, before: str) -> None:
    assert prove("z = a + b", "z = b + a", before) == ""


@pytest.mark.parametrize("before", ["np = s", "for np in xs: pass", "def np(): pass"])
def test_a_module_that_is_rebound_is_none(prove, before: str) -> None:
    assert prove("z = np.maximum(s, t)", "z = np.maximum(t, s)", before) == ""


def test_a_built_in_function_that_is_rebound_is_none(prove) -> None:
    assert prove("z = min(n, k)", "z = min(k, n)")
    assert prove("z = min(n, k)", "z = min(k, n)", "def min(one, other): return one") == ""


def test_a_local_name_is_what_all_its_assignments_say(prove) -> None:
    assert prove("z = d + e", "z = e + d", "d = a.T\ne = 2.0") != ""
    assert prove("z = d + e", "z = e + d", "d = a.T\ne = 2.0\nd = word") == ""
    assert prove("z = d * e", "z = e * d", "d, e = a.shape") != ""
    assert prove("z = d * e", "z = e * d", "d, *e = a.shape") == ""
    assert prove("z = d + a", "z = a + d", "for d in range(n): pass") != ""
    assert prove("z = d + a", "z = a + d", "for e, d in p.items(): pass") != ""
    assert prove("z = e + a", "z = a + e", "for e, d in p.items(): pass") == ""
    assert prove("z = d + a", "z = a + d", "for e, d in s.items(): pass") == ""
    assert prove("z = d + a", "z = a + d", "for e, (d, t) in p.items(): pass") == ""
    assert prove("z = d + a", "z = a + d", "d = b\nfor _ in xs: d = d / d.sum()") != ""


def test_what_a_specification_knows_to_be_numbers_commutes_two_by_two(prove) -> None:
    assert prove("z = s + t", "z = t + s", numbers=frozenset({"s", "t"})) != ""
    assert prove("z = s.w * t[0]", "z = t[0] * s.w", numbers=frozenset({"s.w", "t[0]"})) != ""
    assert prove("z = s + t", "z = t + s", numbers=frozenset({"s"})) == ""
    assert prove("z = s + t + a", "z = a + t + s", numbers=frozenset({"s", "t"})) == ""


def test_attributes_are_what_their_class_says(prove) -> None:
    assert prove("z = self.rate * a", "z = a * self.rate", method=True) != ""
    assert prove("z = self.names * a", "z = a * self.names", method=True) == ""
    assert prove("z = self.rate * a", "z = a * self.rate", "self.rate = []", method=True) == ""


# --- writing over an array ---

MADE = "d = np.exp(a)"
OVERWRITTEN = [
    ("z = d * b", "z = np.multiply(d, b, out=d)", MADE, "return z"),
    ("return d / d.sum()", "return np.divide(d, d.sum(), out=d)", MADE, ""),
    ("d = d / d.sum()", "d = np.divide(d, d.sum(), out=d)", MADE, "return d, d"),
    ("z = b - d", "z = np.subtract(b, d, out=d)", "d = a * b\ne = d * 2", "return z + e"),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\nn = d.shape", "return z, n"),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\nif n:\n    e = d + 1", "return z"),
    ("d: Array = d * b", "d: Array = np.multiply(d, b, out=d)", "d: Array = np.where(m, a, b)", "return d"),
]
KEPT = [
    ("z = a * b", "z = np.multiply(a, b, out=a)", "", ""),  # a parameter
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d = a", ""),  # another name of one
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d = a.T", ""),  # a view
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d = a[0]", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d = a.reshape(1, -1)", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d = kept(a)", ""),  # it may give its argument
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d = np.asarray(a)", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d = np.exp(a, c)", ""),  # c
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d = np.exp(a, out=c)", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d = np.maximum(a, b, c)", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d = s.exp(a)", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d = e = np.exp(a)", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d, e = a * b", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d = s * t", ""),  # of what?
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\ne = d", ""),  # an alias
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\ne = d[0]", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\ne = d.T", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\ne = [d]", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\ne = kept(d)", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\nself.e = d", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\ne = s * d", ""),  # s may keep it
    ("z = d * b", "z = np.multiply(d, b, out=d)", MADE, "return z, d"),  # read later
    ("z = d * b", "z = np.multiply(d, b, out=d)", MADE, "e = d + 1"),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\ndef g(): return d * 2", "return g()"),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\ng = lambda: d * 2", "return g()"),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\ng = (d * x for x in xs)", "return g"),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"global d\n{MADE}", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}", "return locals()"),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\nif n:\n    d = a", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\nfor d in p.values(): pass", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"{MADE}\ne = (d := a) + 1", ""),
    ("z = d * b", "z = np.multiply(d, b, out=d)", f"if n:\n    {MADE}\nelse:\n    d = a", ""),
    ("z[d > 0] = d * b", "z[d > 0] = np.multiply(d, b, out=d)", MADE, ""),  # read after the value
    ("z = d * u", "z = np.multiply(d, u, out=d)", MADE, "return z"),  # of which type?
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d = np.exp(u)", "return z"),  # float32 would be rounded to
    ("z = d * b", "z = np.multiply(d, b, out=d)", "d = np.zeros(3, int)", "return z"),
    ("z = d * kept(d)", "z = np.multiply(d, kept(d), out=d)", MADE, "return z"),
]


@pytest.mark.parametrize(("old", "new", "before", "after"), OVERWRITTEN)
def test_an_array_of_the_functions_own_may_be_written_over(prove, old, new, before, after) -> None:
    assert prove(old, new, before, after) == "d is made in f, and not read again"


@pytest.mark.parametrize(("old", "new", "before", "after"), KEPT)
def test_no_other_array_may(prove, old, new, before, after) -> None:
    assert prove(old, new, before, after) == ""


LOOP = """
import numpy as np
import numpy.typing as npt

def f(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], n: int):
    d = np.exp(a)
    for i in range(n):
        {before}
        z = d * b
        {after}
    return z
"""


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("pass", "pass", False),  # d is the next turn's too
        ("d = np.exp(b)", "pass", True),
        ("d = np.exp(d)", "pass", False),
        ("b = d + 1; d = np.exp(a)", "pass", False),  # reads what the turn before wrote over
        ("d = np.exp(a)", "try: i = 1\n        finally: pass", False),
    ],
)
def test_in_a_loop_each_turn_must_make_its_own(source, before: str, after: str, shown: bool) -> None:
    file = source(LOOP.replace("{before}", before).replace("{after}", after))
    (statement,) = [each for each in file.statements if each.source == "z = d * b"]
    new = "z = np.multiply(d, b, out=d)"
    mutant = Mutant("id", "in-place", statement.span, "f", "z = d * b", new, ())
    assert bool(proof(mutant, file)) is shown


# --- against the interpreter ---


@pytest.mark.parametrize(("old", "new"), [pair for pair in SAME if pair[0].startswith("z = ")])
def test_what_is_proved_gives_the_same_values(old: str, new: str) -> None:
    rng = np.random.default_rng(3)
    config = type("Config", (), {"size": 3, "rate": 0.5, "names": ["a"]})()
    for _ in range(20):
        a, b, c, v = rng.normal(size=(4, 3, 3))
        names = {
            "np": np, "math": __import__("math"), "kept": lambda a: a, "config": config,
            "a": a, "b": b, "c": c, "v": v, "m": a > 0, "s": a, "t": b, "p": {"w": c}, "xs": [0.5], "ys": [1.5],
            "x": rng.normal(), "y": rng.normal(), "n": 3, "k": 2,
        }  # fmt: skip
        values = []
        for text in (old, new):
            names["rng"] = np.random.default_rng(5)
            if "rng" in text:
                names["a"] = np.full(3, 1 / 3)
            exec(text, names)
            values.append(names["z"])
        np.testing.assert_allclose(values[0], values[1], rtol=1e-12, atol=1e-13)
