from __future__ import annotations

import ast

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from eqtrace.link.anchor_code import parse_code
from eqtrace.link.match import match
from eqtrace.model.anchor import Match, Status

CODE = """\
import numpy as np


def linear(X, W, b):
    return X @ W + b


def f(x, T, Tmax, p):
    Q = x @ p["wq"] + p["bq"]
    K = x @ p["wk"] + p["bk"]; V = x @ p["wv"] + p["bv"]
    if T > Tmax:
        raise ValueError("too long")
    elif T < 0:
        T = 0
    for i in range(3):
        x += 1
        x += 1
    y = np.sum(
        x,
        axis=-1,
    )
    return [a * 2 for a in y]


class Adam:
    rate = 0.1

    @property
    def step(self):
        def inner(g):
            return g * self.rate
        return inner

    async def run(self):
        async with self as s:
            await s
"""


@pytest.fixture
def look(bench):
    """Matches one anchor in CODE."""
    bench.write("impl/a.py", CODE)
    index = bench.index

    def matched(code: str, line: int, function: str, **more: object) -> Match:
        return match(bench.anchor(code, line, function, **more), index)

    return matched


@pytest.mark.parametrize(
    ("code", "line", "function"),
    [
        ("return X @ W + b", 5, "linear"),
        ("return X@W+b", 5, "linear"),
        ("return (X @ W) + b  # forward", 5, "linear"),
        ("Q = x @ p['wq'] + p['bq']", 9, "f"),
        ("V = x @ p['wv'] + p['bv']", 10, "f"),
        ("if T > Tmax:", 11, "f"),
        ("if T>Tmax:  # guard", 11, "f"),
        ("elif T < 0:", 13, "f"),
        ("for i in range(3):", 15, "f"),
        ("y = np.sum(x, axis=-1)", 18, "f"),
        ("y = np.sum(\n  x,\n    axis=-1,\n)", 18, "f"),
        ("return [a*2 for a in y]", 22, "f"),
        ("rate = .1", 26, "Adam"),
        ("def step(self):", 29, "Adam"),
        ("def step(self):", 29, "Adam.step"),
        ("return g * self.rate", 31, "Adam.step.inner"),
        ("return g * self.rate", 31, "Adam.step.<locals>.inner"),
        ("async with self as s:", 35, "Adam.run"),
        ("await s", 36, "Adam.run"),
        ("import numpy as np", 1, ""),
        ("def linear(X, W, b):", 4, ""),
    ],
)
def test_ok(look, code: str, line: int, function: str) -> None:
    found = look(code, line, function)
    assert (found.status, found.span.line, found.difference, found.candidates) == (Status.OK, line, "", ())


@pytest.mark.parametrize(
    ("code", "claimed", "line", "function"),
    [
        ("return X @ W + b", 1, 5, "linear"),
        ("return X @ W + b", 9, 5, "linear"),
        ("return X @ W + b", 0, 5, "linear"),
        ("return X @ W + b", 10**9, 5, "linear"),
        ("y = np.sum(x, axis=-1)", 19, 18, "f"),  # within the statement is not its first line
        ("def step(self):", 28, 29, "Adam"),  # a decorator's line is not the statement's
    ],
)
def test_moved(look, code: str, claimed: int, line: int, function: str) -> None:
    found = look(code, claimed, function)
    assert (found.status, found.span.line) == (Status.MOVED, line)


def test_equal_statements_are_told_apart_by_occurrence_then_by_line(look) -> None:
    assert look("x += 1", 16, "f").status is Status.OK
    assert look("x += 1", 17, "f").status is Status.OK
    assert look("x += 1", 17, "f", occurrence=1).status is Status.OK
    moved = look("x += 1", 16, "f", occurrence=1)
    assert (moved.status, moved.span.line) == (Status.MOVED, 17)
    ambiguous = look("x += 1", 20, "f")
    assert (ambiguous.status, ambiguous.span) == (Status.AMBIGUOUS, None)
    assert [item.span.line for item in ambiguous.candidates] == [16, 17]
    missing = look("x += 1", 16, "f", occurrence=2)
    assert missing.status is Status.MISSING
    assert [item.reason for item in missing.candidates] == [f"occurrence {number} in its function" for number in (0, 1)]


def test_equal_statements_on_one_line_are_ambiguous(bench) -> None:
    bench.write("impl/a.py", "def f(x):\n    x += 1; x += 1\n    return x\n")
    assert match(bench.anchor("x += 1", 2), bench.index).status is Status.AMBIGUOUS
    assert match(bench.anchor("x += 1", 2, occurrence=1), bench.index).span.column == 13


@pytest.mark.parametrize(
    ("code", "line", "function", "now"),
    [
        ("return X @ W - b", 5, "linear", "return X @ W + b"),
        ("return np.einsum('tk,kj->tj', X, W)", 5, "linear", "return X @ W + b"),
        ("Q = x @ p['wq'] - p['bq']", 9, "f", 'Q = x @ p["wq"] + p["bq"]'),
        ("Q = x @ p['wq'] - p['bq']", 4, "f", 'Q = x @ p["wq"] + p["bq"]'),  # shifted as well
        ("V = x @ p['wk'] + p['bv']", 10, "f", 'V = x @ p["wv"] + p["bv"]'),  # the second of its line
        ("if T >= Tmax:", 11, "f", "if T > Tmax:"),
        ("Y = X @ W + b", 5, "linear", "return X @ W + b"),
        ("x -= 1", 16, "f", "x += 1"),
    ],
)
def test_changed(look, code: str, line: int, function: str, now: str) -> None:
    found = look(code, line, function)
    assert (found.status, found.source) == (Status.CHANGED, now)
    assert found.difference == f"- {code}\n+ {now}"


def test_a_statement_of_another_name_is_none_that_changed(bench) -> None:
    """The operands of the one are exchanged, which leaves it less like what it was than the other is."""
    lines = ['Q = p["bq"] + x @ p["wq"]', 'K = x @ p["wk"] + p["bk"]']
    bench.write("impl/a.py", "def f(x, p):\n    " + "\n    ".join(lines) + "\n    return Q, K\n")
    anchor = bench.anchor('Q = x @ p["wq"] + p["bq"]', 2, "f", bind={"P": 'x @ p["wq"]'})
    found = match(anchor, bench.index)
    assert (found.status, found.source) == (Status.CHANGED, lines[0])


def test_changed_needs_what_bind_reads(look) -> None:
    bound = {"Y": "Z", "X": "x", "W": 'p["wz"]'}
    assert look('Z = x @ p["wz"] + p["bz"]', 9, "f").status is Status.CHANGED
    assert look('Z = x @ p["wz"] + p["bz"]', 9, "f", bind=bound).status is Status.MISSING
    kept = {"Y": "Q", "X": "x", "W": 'p["wq"]'}
    assert look('Q = x @ p["wq"] * p["bq"]', 9, "f", bind=kept).status is Status.CHANGED


@pytest.mark.parametrize(
    ("code", "line", "function", "reason"),
    [
        ("return X @ W + b", 5, "f", "equal, but in `linear`"),
        ("return X @ W + b", 5, "lineer", "equal, but in `linear`"),
        ("z = x @ p['wq'] + p['bz']", 2, "f", "alike, but not equal"),
        ("return np.tanh(z)", 2, "liner", "a function `linear`"),
        ("return np.tanh(z)", 2, "step", "a function `Adam.step`"),
    ],
)
def test_missing_with_the_nearest(look, code: str, line: int, function: str, reason: str) -> None:
    found = look(code, line, function)
    assert (found.status, found.span) == (Status.MISSING, None)
    assert any(reason in candidate.reason for candidate in found.candidates)


def test_missing_looks_in_other_files(bench) -> None:
    bench.write("impl/a.py", "def f(x):\n    pass\n")
    bench.write("impl/b.py", CODE)
    found = match(bench.anchor("return X@W+b", 2), bench.index)
    assert found.status is Status.MISSING
    assert [(item.span.path, item.span.line) for item in found.candidates] == [("impl/b.py", 5)]


def test_missing_file(bench) -> None:
    found = match(bench.anchor("return x", 2), bench.index)
    assert (found.status, found.candidates) == (Status.MISSING, ())


@pytest.mark.parametrize(
    "code",
    [
        ")",
        "try:",
        "else:",
        "finally:",
        "else :  # no",
        "pass",
        "return",
        "return None",
        "break",
        "continue",
        "x",
        "1",
        "'text'",
        '"""doc"""',
        "...",
        "",
        "  ",
        "# comment",
        "a = 1; b = 2",
        "a = 1\nb = 2",
        "if x: y = 1",
        "@cache",
        "for x in y:\n    pass",
        "y = = 2",
        "if x",
        "def f(x)",
        "(" * 500,
        "x = 1\x00",
        "except",
        "case",
        "elif",
    ],
)
def test_weak(code: str) -> None:
    parsed = parse_code(code)
    assert parsed.node is None
    assert parsed.weakness


@pytest.mark.parametrize(
    "code",
    [
        "x = 1",
        "return x",
        "if x:",
        "elif x:",
        "while x:",
        "for a in b:",
        "with a as b:",
        "match x:",
        "case [a, b] if c:",
        "except ValueError:",
        "except (A, B) as e:",
        "except* A:",
        "def f(x):",
        "async def f(x) -> int:",
        "class A(B):",
        "async for a in b:",
        "async with a:",
        "yield x",
        "await x",
        "x.sort()",
        "raise E from e",
        "except:",
        "del x",
        "@cache\ndef f(x):",
        "    x = (1 +\n      2)",
        "assert x",
        "import a",
        "lambda: x",
        "x: int = 1",
        "x[0] += 1",
    ],
)
def test_strong(code: str) -> None:
    assert parse_code(code).node is not None


def test_targets_of_the_short_form(bench) -> None:
    bench.write("src/pkg/__init__.py", "from ._impl import *\nfrom .deep import g as h\n")
    bench.write(
        "src/pkg/_impl.py",
        "def f(x):\n    return x * 2\n\n@deco\nclass A:\n    def __call__(self): pass\nclass B(A): pass\n",
    )
    bench.write("src/pkg/deep.py", "def g(x): return x\n")
    index = bench.index
    for target, place in {
        "pkg:f": ("src/pkg/_impl.py", 1, "f"),
        "pkg:h": ("src/pkg/deep.py", 1, "g"),
        "pkg._impl:B.__call__": ("src/pkg/_impl.py", 6, "A.__call__"),
        "src/pkg/_impl.py::f": ("src/pkg/_impl.py", 1, "f"),
    }.items():
        found = match(bench.anchor("", 0, "", target=target), index)
        assert found.status is Status.OK, target
        assert (found.span.path, found.span.line, found.function) == place
    for target in ("pkg:none", "none:f", "pkg:A.none", "src/none.py::f", "pkg"):
        assert match(bench.anchor("", 0, "", target=target), index).status is Status.MISSING
    near = match(bench.anchor("", 0, "", target="pkg._impl:ff"), index)
    assert "a function `f`" in near.candidates[0].reason


def test_targets_in_installed_packages(bench) -> None:
    bench.settings["packages"] = ("yaml",)
    found = match(bench.anchor("", 0, "", path="", target="yaml:safe_load"), bench.index)
    assert (found.status, found.function) == (Status.OK, "safe_load")
    assert found.span.path.startswith("/")


def test_passages(bench) -> None:
    bench.write("impl/a.py", 'def f(x):\n    """Doubles.\n\n    y = 2 x\n    """\n    y = 2 * x\n    return y\n')
    bench.write("docs/a.md", "# Title\n\ny = 2 x\n\nother\n\nother\n")
    index = bench.index

    def status(code: str, line: int, path: str) -> Status:
        return match(bench.anchor(code, line, "f", role="states", path=path), index).status

    assert status("y = 2 x", 4, "impl/a.py") is Status.OK
    assert status("y = 2 x", 3, "impl/a.py") is Status.MOVED
    assert status("y = 2 * x", 6, "impl/a.py") is Status.MISSING  # code states nothing
    assert status("", 4, "impl/a.py") is Status.OK
    assert status("", 6, "impl/a.py") is Status.MISSING
    assert status("y = 2 x", 3, "docs/a.md") is Status.OK
    assert status("other", 7, "docs/a.md") is Status.OK
    assert status("other", 1, "docs/a.md") is Status.AMBIGUOUS
    assert status("none", 1, "docs/a.md") is Status.MISSING
    assert status("", 3, "docs/none.md") is Status.MISSING
    assert status("", 99, "docs/a.md") is Status.MISSING


PROGRAM = '''\
"""Module."""
import numpy as np
SCALE = 1 / 3


def f(x, y=":", *rest, n: int = 2, **more) -> "int":
    """Docstring."""
    α = x @ y + 1; b = "ü日" if α else f"{x!r:>{n}}"
    if (x > 3 and
            y):
        x[..., ::2], (y, *z) = y[1:], (1, 2)
    elif not x:
        x **= -y
    else:
        while (k := x.pop()) != -1:
            del x
    for i, v in enumerate(x, 1):
        v.w[i] |= {**more, "a": [*rest]}
    with open(x) as g, np.errstate(all="ignore"):
        assert g, "message"
    try:
        raise ValueError("a" "b") from None
    except (KeyError, ValueError) as error:
        print(error)
    match x:
        case {"a": 1, **others} if n:
            return others
        case [1 | 2, *_]:
            yield x
    return (lambda a, *b: a ** 2)(x)


@np.vectorize
class A(object, metaclass=type):
    rate: float = 1e-5

    async def run(self):
        async for i in self:
            await i
        return [j async for j in self if j]
'''


def _anchors(bench) -> list:
    file = bench.index.file("impl/a.py")
    seen: dict[tuple[str, str], int] = {}
    anchors = []
    for statement in file.statements:
        if parse_code(statement.source).node is None:
            continue
        key = (statement.function, statement.source)
        anchors.append(bench.anchor(statement.source, statement.line, statement.function, occurrence=seen.get(key, 0)))
        seen[key] = seen.get(key, 0) + 1
    assert len(anchors) > 25
    return anchors


def test_unparsing_is_no_change(bench) -> None:
    bench.write("impl/a.py", PROGRAM)
    anchors = _anchors(bench)
    bench.write("impl/a.py", ast.unparse(ast.parse(PROGRAM)))
    index = bench.index
    for item in anchors:
        assert match(item, index).status in (Status.OK, Status.MOVED), item.code


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
@example(None)
def test_blank_lines_and_comments_are_no_change(bench, data) -> None:
    bench.write("impl/a.py", PROGRAM)
    anchors = _anchors(bench)
    lines = PROGRAM.splitlines()
    edited: list[str] = []
    moved_by: dict[int, int] = {}
    extra = st.lists(st.sampled_from(["", "# comment ü", "        # deep: 'comment", "\f", "   \t"]), max_size=3)
    for number, line in enumerate(lines, 1):
        edited.extend(data.draw(extra) if data is not None else ["# x"])
        moved_by[number] = len(edited) + 1
        edited.append(line + ("  # end" if data is not None and data.draw(st.booleans()) else ""))
    end = data.draw(st.sampled_from(["\n", "\r\n", "\r"])) if data is not None else "\r\n"
    bench.write("impl/a.py", end.join([*edited, ""]).encode())
    index = bench.index
    for item in anchors:
        found = match(item, index)
        new = moved_by[item.line]
        assert found.status is (Status.OK if new == item.line else Status.MOVED), item.code
        assert found.span.line == new
