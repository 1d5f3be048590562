"""Statements before a cited one that are replayed with it."""

import ast
import textwrap

import pytest

from eqtrace.code.source import SourceFile
from eqtrace.run.earlier import earlier, outer_names
from eqtrace.run.site import Site
from eqtrace.run.tree import Tree


def found(source, inputs, last=None):
    """The statements before a function's last one (or the one on line `last`), as text."""
    text = textwrap.dedent(source).strip() + "\n"
    tree = ast.parse(text)
    lines = text.splitlines()
    line = last or len(lines)
    column = len(lines[line - 1]) - len(lines[line - 1].lstrip()) + 1
    held = Tree(SourceFile("subject.py", text, tree))
    site = Site(
        "a", "subject.py", "subject.py", line, column, line, column, inputs=dict(zip(inputs, inputs, strict=True))
    )
    return [ast.unparse(each) for each in earlier(held, held.statement(line, column), site)]


def test_they_end_at_the_symbols():
    source = """
    def f(x, w):
        a = x * 2
        b = a + w
        c = np.exp(b)
        return c / w
    """
    assert found(source, ["x", "w"]) == ["a = x * 2", "b = a + w", "c = np.exp(b)"]
    assert found(source, ["a", "w"]) == ["b = a + w", "c = np.exp(b)"]
    assert found(source, ["c", "w"]) == []
    assert found(source, ["x", "c"]) == []


def test_what_is_not_read_is_left_out():
    source = """
    def f(x, grads):
        a, b = g(x)
        grads["a"] += a
        grads["b"] += b
    """
    assert found(source, ["x"]) == ["a, b = g(x)"]


@pytest.mark.parametrize(
    "between",
    ["a += 1", "a[0] = 1", "a.T[0] = 1", "a.sort()", "g(a)", "g(out=a)", "g(h(x))", "x[0] = 1", "x = x + 1",
     "for a in x: pass"],
)  # fmt: skip
def test_they_end_at_changes_in_place_and_at_blocks(between):
    assert found(f"def f(x):\n    a = x * 2\n    {between}\n    return a", ["x"]) == []


@pytest.mark.parametrize(
    "between", ["np.seterr(all='ignore')", "b[0] = x[0]", "print('a')", "if x is None: raise ValueError"]
)
def test_what_changes_nothing_that_is_read_is_passed(between):
    assert found(f"def f(x):\n    a = x * 2\n    {between}\n    return a", ["x"]) == ["a = x * 2"]


def test_only_the_own_block_is_looked_at():
    source = """
    a = 2
    if a:
        b = a + 1
        c = b * 2
    d = c
    """
    assert found(source, [], last=4) == ["b = a + 1"]
    assert found(source, []) == []
    assert found("def f(x):\n    a = yield x\n    return a", ["x"]) == []


def test_names_that_come_from_outside():
    assert outer_names(ast.parse("a = x + 1\nb = a * y\n").body) == {"x", "y"}
