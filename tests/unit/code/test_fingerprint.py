"""What of a source changes which hash."""

import ast
import textwrap

import pytest

from eqtrace.code.fingerprint import fingerprint, outermost

SOURCE = '''
"""A module."""
import functools
A = 1  # one


def plain(x, y=2):
    """Doc."""
    z = x + y
    return z


class Box:
    size = 3

    @property
    def wide(self):
        return self.size

    def _inner(self):
        def deep():
            return 1
        return deep()


if A:
    def chosen():
        return 1
else:
    def chosen():
        return 2

try:
    def tried(): return 0
except ImportError:
    pass
match A:
    case 1 if A > 0:
        def matched():
            return 1
half = lambda x: x / 2


@jit(nopython=True)
def compiled(x):
    return x
'''


def of(source):
    source = textwrap.dedent(source)
    return fingerprint(source, ast.parse(source))


def changed(old, new):
    assert old in SOURCE
    before, after = of(SOURCE), of(SOURCE.replace(old, new, 1))
    functions = {name for name in before.functions if before.functions[name] != after.functions.get(name)}
    if new.count("\n") > old.count("\n"):  # those below have moved
        functions &= {"plain"}
    return functions, before.module != after.module


def test_the_outermost_functions_are_named():
    names = {"plain", "Box.wide", "Box._inner", "chosen", "tried", "matched"}
    assert set(of(SOURCE).functions) == names


@pytest.mark.parametrize(
    ("old", "new", "functions", "module"),
    [
        ("x + y", "x - y", {"plain"}, False),
        ('"""Doc."""', '"""Docs."""', {"plain"}, False),
        ("return 1\n        return deep()", "return 3\n        return deep()", {"Box._inner"}, False),
        ("    z = x + y\n", "    z = x + y  # sum\n", {"plain"}, False),
        ("        return 2", "        return 3", {"chosen"}, False),
        ("y=2", "y=3", {"plain"}, True),
        ("def plain(x, y=2):\n", "def plain(x, y=2):\n\n    # first\n", {"plain"}, False),
        ("def plain(x, y=2)", "def plain(x, /, y=2)", {"plain"}, True),
        ("def plain(x, y=2)", "def plain(x, *, y=2)", {"plain"}, True),
        ("def plain(x, y=2)", "def plain(x: int, y=2)", {"plain"}, True),
        ("def plain(x, y=2)", "def plain(x, y=2) -> int", {"plain"}, True),
        ("def plain(x, y=2)", "async def plain(x, y=2)", {"plain"}, True),
        ("class Box:", "class Box(object):", set(), True),
        ("class Box:", "class Box(metaclass=type):", set(), True),
        ("@property", "@functools.cached_property", {"Box.wide"}, True),
        ("A = 1", "A = 2", set(), True),
        ("size = 3", "size = 4", set(), True),
        ("x / 2", "x / 4", set(), True),
        ("    return x\n", "    return x + 1\n", set(), True),
        ("case 1 if A > 0", "case 1 if A > 1", set(), True),
        ("except ImportError:\n    pass", "except ImportError:\n    A = 3", set(), True),
        ("# one", "# two", set(), False),
        ('"""A module."""', '"""The module."""', set(), True),
        ("if A:", "if not A:", set(), True),
    ],
)
def test_a_change_shows_where_it_is(old, new, functions, module):
    assert changed(old, new) == (functions, module)


def test_a_line_more_moves_the_functions_below_and_no_module_code():
    before, after = of(SOURCE), of(SOURCE.replace("    z = x + y\n", "    z = x + y\n\n"))
    assert all(before.functions[name] != after.functions[name] for name in before.functions)
    assert before.module == after.module


def test_a_moved_function_changes_the_module():
    assert of("def a(): pass\ndef b(): pass").module != of("def b(): pass\ndef a(): pass").module


def test_places_count_in_bytes_as_the_parser_gives_them():
    one, other = of("def f(): 'äöü'; return 1\nA = 2"), of("def f(): 'äöü'; return 2\nA = 2")
    assert one.functions != other.functions
    assert one.module == other.module


def test_nested_functions_belong_to_the_outermost():
    assert outermost("Box._inner.<locals>.deep.<locals>.<lambda>") == "Box._inner"
    assert outermost("plain") == "plain"
