"""Functions tell when they are entered, and are the same for user code."""

import ast
import dis
import textwrap
import threading
import warnings

import pytest

from eqtrace.run.instrument import instrument
from eqtrace.run.marks import Marks, functions
from eqtrace.run.record import Recorder


def run(source, call, marks=None, sites=()):
    """The functions that were entered, and the namespace."""
    marks = marks or Marks()
    source = textwrap.dedent(source)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        code = instrument(source.encode(), "/p/m.py", "m", sites, Recorder(), marks=marks)
    space = {"__name__": "m"}
    exec(code, space)
    marks.take()
    exec(call, space)
    return {name for _, name in marks.take()}, space


SOURCE = '''
import functools

def f(x):
    """Doc of f."""
    def inner():
        return g(x)
    return inner()

def g(x): return [h(each) for each in range(x)]

def h(x):
    return x

def unused():
    return 1

class C:
    """Doc of C."""
    def __init__(self):
        self.x = 1
    @staticmethod
    def s(): return 1
    @property
    def p(self): return self.x
    @classmethod
    def c(cls):
        class Local:
            def m(self):
                return 5
        return Local().m()

def counting():
    yield 1

async def later():
    """Only a docstring."""

def wrapper(function):
    @functools.wraps(function)
    def call(*arguments):
        return function(*arguments)
    return call

@wrapper
def wrapped(): return 3

if True:
    def chosen(): return 2

@njit
def other(): return 4
'''.replace("@njit\n", "")


@pytest.mark.parametrize(
    ("call", "entered"),
    [
        ("f(2)", {"f", "g", "h"}),
        ("f(0)", {"f", "g"}),
        ("C()", {"C.__init__"}),
        ("C().p", {"C.__init__", "C.p"}),
        ("C.s()", {"C.s"}),
        ("C.c()", {"C.c"}),
        ("counting()", set()),
        ("list(counting())", {"counting"}),
        ("wrapped()", {"wrapper", "wrapped"}),
        ("chosen()", {"chosen"}),
        ("pass", set()),
    ],
)
def test_what_is_entered_is_told(call, entered):
    assert run(SOURCE, call)[0] == entered


def test_threads_count():
    marks = Marks()
    _, space = run(SOURCE, "pass", marks)
    thread = threading.Thread(target=space["h"], args=(1,))
    thread.start()
    thread.join()
    assert marks.take() == {("/p/m.py", "h")}
    assert marks.take() == frozenset()


def test_docstrings_names_and_lines_stay():
    _, space = run(SOURCE, "pass")
    plain: dict = {}
    exec(compile(SOURCE, "/p/m.py", "exec"), plain)
    assert space["f"].__doc__ == "Doc of f."
    assert space["C"].__doc__ == "Doc of C."
    assert space["later"].__doc__ == "Only a docstring."
    for name in ("f", "g", "counting", "wrapped", "later"):
        ours, theirs = space[name].__code__, plain[name].__code__
        assert (ours.co_firstlineno, ours.co_varnames, ours.co_flags) == (
            theirs.co_firstlineno,
            theirs.co_varnames,
            theirs.co_flags,
        )
        assert {line for _, line in dis.findlinestarts(ours)} >= {line for _, line in dis.findlinestarts(theirs)}


def test_tracebacks_point_at_the_user_s_lines():
    source = "def f():\n    x = 1\n    raise ValueError(x)\n"
    _, space = run(source, "pass")
    with pytest.raises(ValueError) as raised:
        space["f"]()
    assert raised.traceback[-1].lineno == 2  # from 0


def test_functions_that_another_compiler_takes_are_left_alone():
    tree = ast.parse("@numba.njit(cache=True)\ndef f(x):\n    def g(): pass\n    return x\n\ndef h(): pass")
    assert [(node.name, name) for node, name in functions(tree)] == [("h", "h")]


def test_what_cannot_be_marked_is_said():
    marks = Marks()
    depth = 2000  # Python 3.12 compiles no more than 2995 in a row, and of a tree 1496
    source = "def f():\n    return " + "(" * 80 + "1" + ")" * 80 + "\nx = " + "+".join(["1"] * depth)
    instrument(source.encode(), "/p/deep.py", "m", [], Recorder(), marks=marks)
    assert marks.without <= {"/p/deep.py"}


def test_the_code_of_a_function_is_the_same_whatever_was_marked_before():
    after, alone = Marks(), Marks()
    after.number(("/p/other.py", "f"))
    codes = [run("def f(x):\n    return x", "f(1)", marks)[1]["f"].__code__.co_consts for marks in (after, alone)]
    numbers = [[each for each in constants if isinstance(each, int)] for constants in codes]
    assert numbers[0] == numbers[1] != []
