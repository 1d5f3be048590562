"""Single statements and whole functions, executed again in balls on what was captured."""

import sys
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from eqtrace.formula.ball import Ball, Undecided
from eqtrace.run import hook
from eqtrace.run.exact.replay import Replay
from eqtrace.run.exact.shadow import Constants, Shadows
from eqtrace.run.record import Recorder
from eqtrace.run.statement import CannotRun


@pytest.fixture
def replay(tmp_path, sites, monkeypatch):
    """Runs a call in an instrumented module; gives the replay of its one site, and the events."""
    path, finders = list(sys.path), list(sys.meta_path)

    def run(source: str, cite: tuple[Any, ...], call: Callable[[Any], Any]):
        source = textwrap.dedent(source).lstrip("\n")
        file = tmp_path / "replayed.py"
        file.write_text(source)
        (site,) = sites(source, [cite], str(file))
        recorder = Recorder()
        hook.install([site], recorder, [tmp_path])
        import replayed  # type: ignore[import-not-found]

        with recorder.recording() as recording:
            call(replayed)
        assert recorder.problems == {}
        twins = {kind: Shadows(lambda name: name == str(file), kind) for kind in Constants}
        function = next((part.split("(")[0] for part in cite[0].split("def ")[1:]), "f")
        site = site if not site.whole else type(site)(**{**_fields(site), "function": function})
        return Replay(site, twins), recording.events["a"]

    yield run
    sys.path[:], sys.meta_path[:] = path, finders
    sys.modules.pop("replayed", None)


def _fields(site):
    return {name: getattr(site, name) for name in site.__dataclass_fields__}


def exactly(ball, text):
    return isinstance(ball, Ball) and ball.radius < 1e-50 and abs(ball.midpoint - eval(text)) < 1e-15


def test_a_statement(replay):
    made, events = replay(
        "def f(x):\n    y = x / 3\n    return y", ("y = x", {"x": "x"}, {"y": "y"}), lambda m: m.f(2.0)
    )
    assert exactly(made.run(events[0], 200)["y"], "2 / 3")
    assert made.loose(events[0]) == ""


def test_each_execution_of_a_loop_by_itself(replay):
    source = "def f(x):\n    s = 0.0\n    for k in range(1, 4):\n        s += x / k\n    return s"
    made, events = replay(source, ("s += x", {"x": "x", "k": "k", "old": "s"}, {"s": "s"}), lambda m: m.f(1.0))
    found = [made.run(event, 200)["s"] for event in events]
    assert [round(ball.midpoint, 12) for ball in found] == [1.0, 1.5, 1.833333333333]
    assert found[2].radius < 1e-50  # its s before is the captured float, exactly


def test_arrays_in_place(replay):
    source = "import numpy as np\ndef f(m, g):\n    np.add.at(m, [0, 0], g)\n    return m"
    made, events = replay(source, ("np.add", {"g": "g"}, {"m": "m"}), lambda m: m.f(m.np.zeros(2), 0.1))
    assert exactly(made.run(events[0], 200)["m"][0], "0.2")
    assert events[0].namespace["m"].tolist() == [0.0, 0.0]


def test_a_whole_function(replay):
    source = "def f(x, *rest, k=3, **more):\n    y = x / k\n    return y, sum(rest) + more['z']"
    made, events = replay(
        source, ("def f", {"x": "x"}, {"y": "result[0]", "s": "result[1]"}, "whole"), lambda m: m.f(1.0, 2, 5, z=0.5)
    )
    outputs = made.run(events[0], 200)
    assert exactly(outputs["y"], "1 / 3")
    assert outputs["s"] == 7.5


def test_what_no_symbol_binds_is_loose(replay):
    source = """
    class State:
        def __init__(self):
            self.a, self.b, self.n, self.inner = 0.1, 0.2, 3, [0.5]
    def f(s, c, table, k):
        y = s.a * s.b + c + table['t'] * k
        return y
    """
    cite = ("y = s.a", {"a": "s.a", "t": "table['t']"}, {"y": "y"})
    made, events = replay(source, cite, lambda m: m.f(m.State(), 0.3, {"t": 1.5, "u": "x"}, 2))
    assert "s.b, s.inner" in made.loose(events[0])
    assert "reads c," in made.loose(events[0]) or ", c, rounded" in made.loose(events[0])


def test_a_symbol_that_the_statement_does_not_read_is_loose_too(replay):
    source = "def f(x):\n    c = 2.0 * x\n    y = c + 1\n    return y"
    made, events = replay(source, ("y = c", {"c": "c", "x": "x"}, {"y": "y"}), lambda m: m.f(1.5))
    assert "uses x" in made.loose(events[0])


def test_an_unbound_scalar_counts_as_a_constant(replay):
    source = "import math\ndef f(x):\n    c = math.sqrt(2.0)\n    y = c * x\n    return y"
    made, events = replay(source, ("y = c", {"x": "x"}, {"y": "y"}), lambda m: m.f(1.0))
    assert made.run(events[0], 200)["y"].radius > 1e-17
    assert made.run(events[0], 200, Constants.EXACT)["y"].radius == 0


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("y = [x].index(x) + '%.3f'.__mod__(x).__len__() * 0.1", "converted to float|TypeError"),
        ("y = x * np.logspace(0, 1, 4)[1]", "rounds"),
        ("y = random.Random(1).random()", "worked out in floats"),
        ("y = x * random.Random(1).random()", "rounded, meets a ball"),
    ],
)
def test_what_does_not_run_says_why(replay, body, reason):
    source = f"import random\nimport numpy as np\ndef f(x):\n    {body}\n    return y"
    made, events = replay(source, ("y = ", {"x": "x"}, {"y": "y"}), lambda m: m.f(1.5))
    with pytest.raises(CannotRun, match=reason):
        made.run(events[0], 128)


def test_a_tie_is_undecided_and_no_branch(replay):
    source = "import numpy as np\ndef f(x):\n    y = np.maximum(np.sin(x) ** 2 + np.cos(x) ** 2, 1)\n    return y"
    made, events = replay(source, ("y = ", {"x": "x"}, {"y": "y"}), lambda m: m.f(0.3))
    with pytest.raises(Undecided):
        made.run(events[0], 128)


def test_the_captured_values_stay_as_they_are(replay):
    source = "def f(xs):\n    xs[0] /= 3\n    return xs"
    made, events = replay(source, ("xs[0]", {}, {"y": "xs"}), lambda m: m.f([1.0, 2.0]))
    for _ in range(2):
        assert exactly(made.run(events[0], 200)["y"][0], "1 / 3")
    assert events[0].namespace["xs"] == [1.0, 2.0]


def test_a_statement_that_yields_cannot_run(replay):
    source = "def f(x):\n    y = yield x\n"
    with pytest.raises(CannotRun, match="yields"):
        replay(source, ("y = yield", {}, {"y": "result"}), lambda m: list(m.f(1)))
