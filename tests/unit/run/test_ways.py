"""Which ways the conditions of instrumented statements go: the code's values stay as they are."""

import numpy as np
import pytest

from eqtrace.code.source import parse
from eqtrace.run.instrument import instrument
from eqtrace.run.record import Recorder
from eqtrace.run.site import Site
from eqtrace.run.ways import larger, way


def run(source, line, *calls, whole=False):
    """The ways of the conditions of the statement in a line, and what the calls of `f` gave."""
    recorder = Recorder()
    statement = next(each for each in parse("m.py", source.encode()).statements if each.line == line)
    span = statement.span
    outputs = {"y": "result"} if whole else {}
    site = Site(
        "a", "m.py", "m.py", span.line, span.column, span.end_line, span.end_column, outputs=outputs, whole=whole
    )
    namespace = {"__name__": "m"}
    exec(instrument(source.encode(), "m.py", "m", [site], recorder), namespace)
    assert recorder.problems == {}
    with recorder.recording() as recording:
        values = [namespace["f"](*each) for each in calls]
    return {number: taken for (_, number), taken in recording.ways.items()}, values


def test_a_header_and_a_short_circuit():
    source = "def f(a, b):\n    if a > 0 and b > 0:\n        return 1\n    return 0\n"
    assert run(source, 2, (1, 1), (1, -1)) == ({0: 1, 1: 3}, [1, 0])
    assert run(source, 2, (-1, 1)) == ({0: 2}, [0])


def test_masks_and_operands_of_arrays():
    source = "import numpy as np\ndef f(x):\n    return np.maximum(x, 1.0) + np.where(x > 5, 1, 0)\n"
    taken, values = run(source, 3, (np.array([0.0, 2.0]),))
    assert taken == {0: 3, 1: 2}
    assert values[0].tolist() == [1.0, 2.0]


def test_ties_are_neither():
    assert run("def f(x):\n    return max(x, 1)\n", 2, (1,)) == ({0: 0}, [1])


def test_a_comprehension_and_a_whole_function():
    source = "def f(x):\n    return [a for a in x if a > 1]\n"
    assert run(source, 2, ([1, 2],)) == ({0: 3}, [[2]])
    assert run("def f(x):\n    if x:\n        x = -x\n    return x\n", 1, (3,), whole=True) == ({0: 1}, [-3])


def test_operands_that_cannot_be_compared_say_nothing():
    assert run("def f(x):\n    return max(x, [1])\n", 2, ([0],)) == ({0: 0}, [[1]])


@pytest.mark.parametrize(
    ("value", "taken"),
    [
        (True, 1),
        (np.bool_(False), 2),
        (0.0, 2),
        ("", 2),
        (None, 2),
        ([0], 1),
        (np.array([True, False]), 3),
        (np.array([True]), 1),
        (np.zeros(3), 2),
        (np.array([]), 0),
        (np.array(["a"]), 0),
        (object(), 0),
    ],
)
def test_the_ways_of_a_value(value, taken):
    assert way(value) == taken


def test_nan_is_larger_than_nothing():
    assert larger(np.array([np.nan, 2.0]), np.array([1.0, 1.0])) == 1
