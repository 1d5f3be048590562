import gc
import os
import textwrap
import threading

import cloudpickle
import numpy as np
import pytest

from eqtrace.run.instrument import instrument
from eqtrace.run.record import Recorder

SOURCE = textwrap.dedent(
    """
    def f(x):
        y = x + 1
        return y
    def forks():
        import os
        child = os.fork()
        f(5)
        return child
    """
).lstrip()


@pytest.fixture
def module(sites):
    def make(recorder, source=SOURCE, *cites):
        found = sites(source, cites or [("y = x", {"x": "x"}, {"y": "y"})])
        namespace = {"__name__": "mod"}
        exec(instrument(source.encode(), "mod.py", "mod", found, recorder), namespace)
        return namespace

    return make


def test_nothing_is_recorded_outside_a_recording(module):
    recorder = Recorder()
    f = module(recorder)["f"]
    f(1)
    with recorder.recording() as first:
        f(2)
    f(3)
    assert [event.inputs["x"] for event in first.events["a"]] == [2]
    assert first.executions == {"a": 1}


def test_a_recording_inside_another_takes_its_place(module):
    recorder = Recorder()
    f = module(recorder)["f"]
    with recorder.recording() as first:
        f(1)
    with recorder.recording() as second:
        f(2)
        with recorder.recording() as inner:
            f(3)
        f(4)
    assert [event.inputs["x"] for event in first.events["a"]] == [1]
    assert [event.inputs["x"] for event in second.events["a"]] == [2, 4]
    assert [event.inputs["x"] for event in inner.events["a"]] == [3]
    assert second.executions == {"a": 2}


def test_code_asks_before_it_calls_a_probe(module):
    """At sites where nothing is recorded, probes are not called at all: a model may run thousands of times there."""
    recorder = Recorder()
    source = "def f(x):\n    y = x + 1\n    z = y + 1\n"
    space = module(recorder, source, ("y =", {"x": "x"}, {"y": "y"}), ("z =", {"y": "y"}, {"z": "z"}))
    later = recorder.live(("b", "c"))
    assert later == [False, False]
    with recorder.recording(only=frozenset({"b"})) as outer:
        assert later == [True, False]
        space["f"](1)
        with recorder.recording() as inner:
            assert later == [True, True]
            assert recorder.live(("d",)) == [True]  # of a module that is imported meanwhile
            space["f"](2)
        assert later == [True, False]
        space["f"](3)
    assert later == [False, False]
    assert outer.executions == {"b": 2}
    assert inner.executions == {"a": 1, "b": 1}


def test_a_function_that_is_pickled_by_value_runs_and_records_nothing(module):
    source = (
        "def f(x):\n    y = x + 1\n    if x > 3:\n        y = 2 * y\n    return max(y, [k + x for k in (1, 2)][0])\n"
        "def twice_of_all(x):\n    return 2 * x\n"
    )
    recorder = Recorder()
    cites = [("y = x", {"x": "x"}, {"y": "y"}), ("if x", {}, {}), ("return max", {"x": "x"}, {"r": "result"})]
    space = module(recorder, source, *cites, ("def twice", {"x": "x"}, {"r": "result"}, "whole"))
    assert not recorder.problems
    for name, value, result in (("f", 1, 2), ("f", 5, 12), ("twice_of_all", 4, 8)):
        function = space[name]
        function.__module__ = None  # so that it goes by its code
        with recorder.recording() as recording:
            assert cloudpickle.loads(cloudpickle.dumps(function))(value) == result
        assert recording.executions == {}


def test_events_are_limited_and_executions_are_not(module):
    recorder = Recorder(limit=3)
    f = module(recorder)["f"]
    for _ in range(2):
        with recorder.recording() as recording:
            for i in range(10):
                f(i)
        assert [event.inputs["x"] for event in recording.events["a"]] == [0, 1, 2]
        assert recording.executions == {"a": 10}
    with recorder.recording(limit=1) as recording:
        f(1), f(2)
    assert len(recording.events["a"]) == 1


def test_beyond_the_limit_some_executions_of_every_run_are_kept(module):
    """All while there are few, then the first of each run and ever fewer of the later ones, so that these are seen."""
    recorder = Recorder()
    f = module(recorder)["f"]
    with recorder.recording(limit=6, had={"a": 3}) as recording:
        for i in range(1, 51):
            f(i)
    assert [event.inputs["x"] for event in recording.events["a"]] == [1, 2, 3, 8, 22]
    with recorder.recording(limit=6, had={}) as recording:
        for i in range(1, 18):
            f(i)
    assert [event.inputs["x"] for event in recording.events["a"]] == [1, 2, 3, 4, 5, 6, 8]
    assert recording.executions == {"a": 17}


@pytest.mark.parametrize("turns", range(2, 9))
def test_every_turn_of_a_loop_is_among_them(module, turns):
    recorder = Recorder()
    f = module(recorder)["f"]
    with recorder.recording(limit=0, had={}) as recording:
        for i in range(1501):
            f(i % turns)
    assert {event.inputs["x"] for event in recording.events["a"]} == set(range(turns))


def test_a_recording_ends_with_an_exception(module):
    recorder = Recorder()
    with pytest.raises(KeyError), recorder.recording():
        raise KeyError
    assert recorder.active is None


def test_a_statement_that_began_in_another_recording_is_no_event(module):
    source = "def g():\n    x = 1\n    y = yield x\n    z = y + 1\n"
    recorder = Recorder()
    space = module(recorder, source, ("y =", {"x": "x"}, {"y": "y"}), ("z =", {"y": "y"}, {"z": "z"}))
    with recorder.recording() as first:
        turns = space["g"]()
        next(turns)
    with recorder.recording() as second, pytest.raises(StopIteration):
        turns.send(5)
    assert set(second.events) == {"b"}
    assert first.raised == {"a": 1}


def test_a_forked_child_records_nothing(module, tmp_path):
    recorder = Recorder()
    forks = module(recorder)["forks"]
    with recorder.recording() as recording:
        child = forks()
        if child == 0:
            done = recording.executions == {} and recorder.active is None
            os._exit(0 if done else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert recording.executions == {"a": 1}


def test_a_fork_while_another_thread_holds_the_lock(module):
    recorder = Recorder()
    f = module(recorder)["f"]
    held, release = threading.Event(), threading.Event()

    def hold():
        with recorder.lock:
            held.set()
            release.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(10)
    child = os.fork()
    if child == 0:
        with recorder.recording():
            f(1)
        os._exit(0)
    release.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_finalisers_that_run_cited_code_while_events_are_kept(module):
    source = textwrap.dedent(
        """
        class Dying:
            def __init__(self): self.me = self
            def __del__(self): h(1)
        def h(k):
            z = k + 1
        def f():
            for i in range(300):
                Dying()
                y = [i] * 20
        """
    ).lstrip()
    recorder = Recorder()
    space = module(recorder, source, ("z =", {"k": "k"}, {"z": "z"}), ("y =", {"i": "i"}, {"y": "y"}))
    before = gc.get_threshold()
    gc.set_threshold(5)
    try:
        with recorder.recording() as recording:
            space["f"]()
    finally:
        gc.set_threshold(*before)
    assert len(recording.events["b"]) == 300
    assert all(event.outputs["y"] == [event.inputs["i"]] * 20 for event in recording.events["b"])


def test_large_values_are_noted(module):
    recorder = Recorder(limit_bytes=100)
    f = module(recorder)["f"]
    with recorder.recording() as recording:
        f(np.ones(1000))
    (event,) = recording.events["a"]
    assert event.notes == ("an array of 1000 is not copied: it passes the size limit",)
