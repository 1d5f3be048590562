"""Values captured at cited statements, construct by construct."""

import threading

import numpy as np
import pytest

from eqtrace.run.instrument import instrument
from eqtrace.run.record import Recorder


def test_a_result_and_a_subexpression(capture):
    done = capture(
        """
        import numpy as np
        def f():
            X, W, b = np.eye(2), np.array([[1., 2.], [3., 4.]]), np.ones(2)
            return X @ W + b
        """,
        ("return X", {"X": "X", "W": "W", "b": "b"}, {"Y": "result", "P": "X @ W", "y": "result[0]"}),
    )
    ((inputs, outputs),) = done.both()
    assert inputs["W"].tolist() == [[1, 2], [3, 4]]
    assert outputs["P"].tolist() == [[1, 2], [3, 4]]
    assert outputs["Y"].tolist() == [[2, 3], [4, 5]]
    assert outputs["y"].tolist() == [2, 3]
    assert set(done.events()[0].namespace) == {"X", "W", "b"}
    assert done.events()[0].module == "mod"


def test_every_execution_in_a_loop_is_an_event(capture):
    done = capture(
        """
        def f():
            total = 0
            for x in (1, 2, 3):
                total = total + x
            return total
        """,
        ("total = total", {"s": "total", "x": "x"}, {"t": "total"}),
    )
    assert done.both() == [({"s": s, "x": x}, {"t": s + x}) for s, x in ((0, 1), (1, 2), (3, 3))]
    assert done.recording.executions == {"a": 3}


def test_an_augmented_assignment(capture):
    done = capture(
        """
        import numpy as np
        def f(x):
            x += 2 * x[0]
            return x
        """,
        ("x +=", {"x0": "x"}, {"x": "x", "d": "operand"}),
        call="f(np.array([1., 2.]))",
    )
    ((inputs, outputs),) = done.both()
    assert inputs["x0"].tolist() == [1, 2]
    assert outputs["x"].tolist() == [3, 4]
    assert outputs["d"] == 2
    assert done.events()[0].changed == ()


def test_an_augmented_assignment_to_a_subscript_and_an_attribute(capture):
    done = capture(
        """
        class Box: pass
        def f():
            d, box = {"k": 1}, Box()
            box.v = 5
            key = "k"
            d[key] += 2
            box.v -= 1
        """,
        ("d[key]", {"old": "d[key]"}, {"new": "d[key]"}),
        ("box.v -=", {"old": "box.v"}, {"new": "box.v"}),
    )
    assert done.both("a") == [({"old": 1}, {"new": 3})]
    assert done.both("b") == [({"old": 5}, {"new": 4})]


def test_tuple_starred_and_chained_targets(capture):
    done = capture(
        """
        def f():
            a, (b, *c) = 1, (2, 3, 4)
            x = y = a + b
            return x, y
        """,
        ("a, (b", {}, {"a": "a", "b": "b", "c": "c"}),
        ("x = y", {"a": "a"}, {"x": "x", "y": "y", "r": "result"}),
    )
    assert done.both("a") == [({}, {"a": 1, "b": 2, "c": [3, 4]})]
    assert done.both("b") == [({"a": 1}, {"x": 3, "y": 3, "r": 3})]


def test_in_place_calls(capture):
    done = capture(
        """
        import numpy as np
        def f():
            table, ids, rows = np.zeros((3, 2)), np.array([0, 0]), np.ones((2, 2))
            np.add.at(table, ids, rows)
            values = [3, 1, 2]
            values.sort()
            return table
        """,
        ("np.add.at", {"old": "table", "ids": "ids", "rows": "rows"}, {"new": "table"}),
        ("values.sort", {"old": "values"}, {"new": "values"}),
    )
    ((inputs, outputs),) = done.both("a")
    assert inputs["old"].tolist() == [[0, 0]] * 3
    assert outputs["new"].tolist() == [[2, 2], [0, 0], [0, 0]]
    assert done.both("b") == [({"old": [3, 1, 2]}, {"new": [1, 2, 3]})]
    assert done.events("a")[0].changed == ()


def test_an_argument_changed_in_place_is_told(capture):
    done = capture(
        """
        import numpy as np
        def spoil(x):
            x[0] = 9
            return x
        def f():
            x, z = np.ones(2), np.ones(2)
            y = spoil(x) + z
            return y
        """,
        ("y = spoil", {"x": "x", "z": "z"}, {"y": "y"}),
    )
    assert done.events()[0].changed == ("x",)
    assert done.events()[0].inputs["x"].tolist() == [1, 1]


def test_assigning_into_what_is_read_is_no_change(capture):
    done = capture(
        """
        import numpy as np
        def f():
            z = np.arange(4.)
            z[1:] = z[:-1] + 1
            return z
        """,
        ("z[1:]", {"z": "z", "left": "z[:-1]"}, {"r": "z[1:]"}),
    )
    ((inputs, outputs),) = done.both()
    assert inputs["left"].tolist() == [0, 1, 2]
    assert outputs["r"].tolist() == [1, 2, 3]
    assert done.events()[0].changed == ()


def test_captured_values_are_copies(capture):
    done = capture(
        """
        import numpy as np
        def f():
            x = np.ones(2)
            y = x * 2
            x[:], y[:] = 7, 8
        """,
        ("y = x", {"x": "x"}, {"y": "y"}),
    )
    ((inputs, outputs),) = done.both()
    assert inputs["x"].tolist() == [1, 1]
    assert outputs["y"].tolist() == [2, 2]


def test_an_exception_drops_the_event(capture):
    done = capture(
        """
        def f():
            for x in (1, 0, 2):
                try:
                    y = 4 / x
                except ZeroDivisionError:
                    pass
        """,
        ("y = 4", {"x": "x"}, {"y": "y"}),
    )
    assert done.both() == [({"x": 1}, {"y": 4}), ({"x": 2}, {"y": 2})]
    assert done.recording.executions == {"a": 3}
    assert done.recording.raised == {"a": 1}


def test_a_raise_statement(capture):
    done = capture(
        """
        def f():
            x = 3
            raise ValueError(x * 2)
        """,
        ("raise", {"x": "x"}, {"y": "x * 2"}),
    )
    assert done.both() == [({"x": 3}, {"y": 6})]
    assert isinstance(done.error, ValueError)


def test_recursion(capture):
    done = capture(
        """
        def f(n=3):
            return 1 if n == 0 else n * f(n - 1)
        """,
        ("return", {"n": "n"}, {"r": "result"}),
    )
    assert done.both() == [({"n": n}, {"r": r}) for n, r in ((0, 1), (1, 1), (2, 2), (3, 6))]


def test_a_subexpression_that_is_not_evaluated_is_no_event(capture):
    done = capture(
        """
        def f():
            return [g(x) for x in (0, 1)]
        def g(x):
            return x * 2 if x else 0
        """,
        ("return x", {"x": "x"}, {"y": "x * 2"}),
    )
    assert done.both() == [({"x": 1}, {"y": 2})]
    assert done.recording.executions == {"a": 2}


def test_generators_that_run_by_turns(capture):
    done = capture(
        """
        def g(k):
            for i in (1, 2):
                got = yield i * k
                yield got
        def f():
            a, b = g(1), g(10)
            seen = [next(a), next(b), a.send(5), b.send(6)]
            a.close()
            return seen
        """,
        ("got = yield", {"i": "i", "k": "k"}, {"y": "i * k", "got": "got"}),
        ("yield got", {"got": "got"}, {"r": "result"}),
    )
    assert done.value == [1, 10, 5, 6]
    assert done.both("a") == [({"i": 1, "k": 1}, {"y": 1, "got": 5}), ({"i": 1, "k": 10}, {"y": 10, "got": 6})]
    assert [event.outputs for event in done.events("b")] == []  # both still stand at that yield
    assert done.recording.raised == {"b": 2}


def test_yielded_values(capture):
    done = capture(
        """
        def g():
            for i in range(3):
                yield i * i
        def f():
            return list(g())
        """,
        ("yield", {"i": "i"}, {"y": "result"}),
    )
    assert done.both() == [({"i": i}, {"y": i * i}) for i in range(3)]


def test_coroutines_that_run_by_turns(capture):
    done = capture(
        """
        import asyncio
        async def pause(x):
            await asyncio.sleep(0)
            return x
        async def g(x):
            y = await pause(x) + x
            return y
        async def both():
            return await asyncio.gather(g(1), g(2))
        async def loops():
            total = 0
            async for v in numbers():
                total = total + v
            return total
        async def numbers():
            for i in range(3):
                yield i * 2
        """,
        ("y = await", {"x": "x"}, {"y": "y", "p": "await pause(x)"}),
        ("total = total", {"v": "v", "t": "total"}, {"t1": "total"}),
        ("yield i", {"i": "i"}, {"y": "result"}),
        call="asyncio.run(both()), asyncio.run(loops())",
    )
    assert done.value == ([2, 4], 6)
    assert done.both("a") == [({"x": x}, {"y": 2 * x, "p": x}) for x in (1, 2)]
    assert [outputs["t1"] for _, outputs in done.both("b")] == [0, 2, 6]
    assert [outputs["y"] for _, outputs in done.both("c")] == [0, 2, 4]


def test_closures_and_nonlocal(capture):
    done = capture(
        """
        def make(k):
            count = 0
            def g(x):
                nonlocal count
                count += 1
                return k * x + count
            return g
        def f():
            g = make(10)
            return g(1), g(2)
        """,
        ("count +=", {"c": "count"}, {"c1": "count"}),
        ("return k", {"k": "k", "x": "x", "n": "count"}, {"y": "result"}),
    )
    assert done.both("a") == [({"c": 0}, {"c1": 1}), ({"c": 1}, {"c1": 2})]
    assert done.both("b") == [({"k": 10, "x": 1, "n": 1}, {"y": 11}), ({"k": 10, "x": 2, "n": 2}, {"y": 22})]


def test_globals_are_read_and_left_out_of_the_namespace(capture):
    done = capture(
        """
        scale = 3
        def f(x=2):
            global total
            total = scale * x
            return total
        """,
        ("total = scale", {"s": "scale", "x": "x"}, {"t": "total"}),
    )
    assert done.both() == [({"s": 3, "x": 2}, {"t": 6})]
    assert set(done.events()[0].namespace) == {"x"}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("[k * x for x in xs]", [10, 20]),
        ("list(k * x for x in xs)", [10, 20]),
        ("sum({k * x for x in xs})", [10, 20]),
        ("{x: k * x for x in xs}", [10, 20]),
        ("list(map(lambda x: k * x, xs))", [10, 20]),
        ("[k * x for y in xs for x in (y, 3) if x < 3]", [10, 20]),
        ("[[k * x for x in xs] for _ in (1, 2)]", [10, 20, 10, 20]),
        ("[(lambda x: k * x)(x) for x in xs]", [10, 20]),
        ("[y for x in xs if (y := k * x)]", [10, 20]),
    ],
)
def test_inner_scopes_give_an_event_for_each_evaluation(capture, expression, expected):
    done = capture(
        f"""
        def f():
            xs, k, other = [1, 2], 10, "outside"
            return {expression}, other
        """,
        ("return", {"x": "x", "k": "k", "o": "other"}, {"y": "k * x"}),
    )
    assert [outputs["y"] for _, outputs in done.both()] == expected
    assert all(inputs == {"x": outputs["y"] // 10, "k": 10, "o": "outside"} for inputs, outputs in done.both())
    assert done.recording.executions["a"] == len(expected)


def test_the_first_iterable_of_a_comprehension_belongs_to_the_statement(capture):
    done = capture(
        """
        def f():
            n = 3
            return [x for x in range(n * 2)]
        """,
        ("return", {"n": "n"}, {"m": "n * 2"}),
    )
    assert done.both() == [({"n": 3}, {"m": 6})]


def test_several_subexpressions_of_one_inner_scope(capture):
    done = capture(
        """
        def f():
            return [max(a * x, b + x) for a, b, x in [(1, 2, 3), (4, 5, 6)]]
        """,
        ("return", {"a": "a", "b": "b", "x": "x"}, {"p": "a * x", "q": "b + x"}),
    )
    assert done.both() == [
        ({"a": 1, "b": 2, "x": 3}, {"p": 3, "q": 5}),
        ({"a": 4, "b": 5, "x": 6}, {"p": 24, "q": 11}),
    ]


def test_left_sides_of_different_scopes_are_refused(capture):
    done = capture(
        """
        def f():
            y = [x + 1 for x in (1, 2)]
            return y
        """,
        ("y = ", {}, {"y": "y", "e": "x + 1"}),
    )
    assert done.value == [2, 3]
    assert "different times" in done.recorder.problems["a"]
    assert done.recording.executions == {"a": 1}


def test_a_lambda_that_runs_later(capture):
    done = capture(
        """
        square = lambda x: x * x
        def f():
            return square(3) + square(x=4)
        """,
        ("square =", {"x": "x"}, {"y": "x * x"}),
    )
    assert done.both() == [({"x": 3}, {"y": 9}), ({"x": 4}, {"y": 16})]


def test_headers(capture):
    done = capture(
        """
        def f(x=2, low=3):
            while x < low:
                x += 1
            if x > low:
                return 0
            elif x == low:
                x = -x
            assert x < low
            return x
        """,
        ("while", {"x": "x", "low": "low"}, {"c": "result"}),
        ("if x", {"x": "x"}, {"c": "x > low"}),
        ("elif", {"x": "x"}, {"c": "result"}),
        ("assert", {"x": "x"}, {"c": "x < low"}),
    )
    assert done.both("a") == [({"x": 2, "low": 3}, {"c": True}), ({"x": 3, "low": 3}, {"c": False})]
    assert done.both("b") == [({"x": 3}, {"c": False})]
    assert done.both("c") == [({"x": 3}, {"c": True})]
    assert done.both("d") == [({"x": -3}, {"c": True})]


def test_for_headers(capture):
    done = capture(
        """
        def f(n=2):
            for i, (j, k) in enumerate(zip(range(n), "ab")):
                pass
            for x in range(n + 1):
                pass
        """,
        ("for i", {"n": "n"}, {"i": "i", "k": "k"}),
        ("for x", {"n": "n"}, {"m": "n + 1"}),
    )
    assert done.both("a") == [({"n": 2}, {"i": 0, "k": "a"}), ({"n": 2}, {"i": 1, "k": "b"})]
    assert done.both("b") == [({"n": 2}, {"m": 3})]


def test_with_and_match_headers(capture):
    done = capture(
        """
        from contextlib import nullcontext
        def f(x=2):
            with nullcontext(x * 3) as y, nullcontext(y + 1) as z:
                pass
            match x + z:
                case 9 if x < y:
                    return "nine"
                case _:
                    return "other"
        """,
        ("with", {"x": "x"}, {"y": "y", "z": "z", "p": "x * 3"}),
        ("match", {"x": "x"}, {"s": "result"}),
        ("case 9", {"x": "x"}, {"g": "x < y"}),
        ("case _", {}, {}),
    )
    assert done.both("a") == [({"x": 2}, {"y": 6, "z": 7, "p": 6})]
    assert done.both("b") == [({"x": 2}, {"s": 9})]
    assert done.both("c") == [({"x": 2}, {"g": True})]
    assert done.value == "nine"
    assert "d" not in done.recording.executions


def test_walrus_targets(capture):
    done = capture(
        """
        def f(x=2):
            if (y := x * 2) > 3:
                return y
        """,
        ("if", {"x": "x"}, {"y": "y", "p": "x * 2", "c": "result"}),
    )
    assert done.both() == [({"x": 2}, {"y": 4, "p": 4, "c": True})]


def test_several_statements_on_a_line(capture):
    done = capture(
        """
        def f():
            x = 1; y = x + 1; z = x + y
            if z: return z * 2
        """,
        ("y =", {"x": "x"}, {"y": "y"}),
        ("z =", {"x": "x", "y": "y"}, {"z": "z"}),
        ("return", {"z": "z"}, {"r": "result"}),
    )
    assert [done.both(anchor) for anchor in "abc"] == [
        [({"x": 1}, {"y": 2})],
        [({"x": 1, "y": 2}, {"z": 3})],
        [({"z": 3}, {"r": 6})],
    ]


def test_sites_that_share_a_statement(capture):
    done = capture(
        """
        def f(a=2, b=3):
            c = (a + b) * (a + b)
            return c
        """,
        ("c =", {"a": "a"}, {"s": "a + b", "c": "c"}),
        ("c =", {"b": "b"}, {"s": "a + b", "c": "(a + b) * (a + b)"}),
        ("c =", {}, {}),
        ("def f", {"a": "a"}, {"r": "result"}, "whole"),
    )
    assert done.both("a") == [({"a": 2}, {"s": 5, "c": 25})]
    assert done.both("b") == [({"b": 3}, {"s": 5, "c": 25})]
    assert done.both("d") == [({"a": 2}, {"r": 25})]
    assert done.recording.executions == {"a": 1, "b": 1, "c": 1, "d": 1}


def test_module_level(capture):
    done = capture(
        '''
        """A docstring."""
        from __future__ import annotations
        a = 3
        b = a * 2
        def f(): return __doc__
        ''',
        ("b =", {"a": "a"}, {"b": "b"}),
    )
    assert done.both() == [({"a": 3}, {"b": 6})]
    assert done.events()[0].namespace == {"a": 3}
    assert done.value == "A docstring."


def test_class_bodies(capture):
    done = capture(
        """
        def f(k=3):
            class C:
                a = 2
                b = a * k
                c = [a + i for i in (1, 2)][0] if False else 1
                def m(self): return self.b
            return C().m()
        """,
        ("b = a", {"a": "a", "k": "k"}, {"b": "b"}),
        ("return self.b", {"s": "self.b"}, {"r": "result"}),
    )
    assert done.both("a") == [({"a": 2, "k": 3}, {"b": 6})]
    assert done.both("b") == [({"s": 6}, {"r": 6})]


def test_private_names(capture):
    done = capture(
        """
        class _C:
            def __init__(self, x):
                self.__x = x
                __y = x * 2
                self.y = __y
        def f():
            return _C(4).y
        """,
        ("self.__x", {"x": "x"}, {"p": "self.__x"}),
        ("__y =", {"x": "x"}, {"p": "__y"}),
    )
    assert done.both("a") == [({"x": 4}, {"p": 4})]
    assert done.both("b") == [({"x": 4}, {"p": 8})]


def test_methods_decorators_and_defaults(capture):
    done = capture(
        """
        import functools
        def twice(g):
            @functools.wraps(g)
            def wrapped(*a): return g(*a) * 2
            return wrapped
        class C:
            k = 3
            @property
            def p(self): return self.k * 2
            @staticmethod
            @twice
            def s(x): return x + 1
            @classmethod
            def c(cls, x, y=1): return cls.k + x + y
        def f():
            return C().p, C.s(1), C.c(1)
        """,
        ("return self.k", {"k": "self.k"}, {"r": "result"}),
        ("return x + 1", {"x": "x"}, {"r": "result"}),
        ("return cls.k", {"k": "cls.k", "y": "y"}, {"r": "result"}),
        ("def s", {"x": "x"}, {"r": "result"}, "whole"),
    )
    assert done.value == (6, 4, 5)
    assert done.both("a") == [({"k": 3}, {"r": 6})]
    assert done.both("b") == [({"x": 1}, {"r": 2})]
    assert done.both("c") == [({"k": 3, "y": 1}, {"r": 5})]
    assert done.both("d") == [({"x": 1}, {"r": 2})]


def test_names_that_user_code_shadows(capture):
    done = capture(
        """
        def f(sys=1, locals=2, len=3, __eqtrace__=4, probe=5):
            begin = value = end = sys + locals
            return begin + len
        """,
        ("begin =", {"s": "sys", "l": "locals"}, {"b": "begin"}),
        ("return", {"b": "begin", "n": "len"}, {"r": "result"}),
    )
    assert done.both("a") == [({"s": 1, "l": 2}, {"b": 3})]
    assert done.both("b") == [({"b": 3, "n": 3}, {"r": 6})]


def test_no_name_is_added_to_what_user_code_sees(capture):
    source = """
        def f():
            x = 1
            return sorted(locals()), sorted(globals())
        class C:
            y = 2
        """
    plain = capture(source, call="f() + (sorted(vars(C)),)")
    done = capture(source, ("x =", {}, {"x": "x"}), ("y =", {}, {"y": "y"}), call="f() + (sorted(vars(C)),)")
    assert done.value == plain.value


def test_a_dictionary_of_locals_that_user_code_holds_stays(capture):
    done = capture(
        """
        def f(a=1):
            held = locals()
            b = a + 1
            c = b + 1
            return held["a"], c
        """,
        ("b =", {"a": "a"}, {"b": "b"}),
        ("c =", {"b": "b"}, {"c": "c"}),
    )
    assert done.value == (1, 3)


def test_no_reference_is_kept_while_a_function_runs(capture):
    done = capture(
        """
        import numpy as np
        def f():
            x = np.zeros(3)
            y = x + 1
            x.resize(5)
            return x.shape
        """,
        ("y =", {"x": "x"}, {"y": "y"}),
    )
    assert done.error is None
    assert done.value == (5,)


def test_keys_of_strings_and_shapes(capture):
    done = capture(
        """
        import numpy as np
        def f():
            params, l = {"b0.wq": np.ones((2, 3))}, 0
            p = f"b{l}."
            Q = np.eye(2) @ params[p + "wq"]
            return Q
        """,
        (
            "Q =",
            {
                "W": 'params[p + "wq"]',
                "V": 'params[f"b{l}.wq"]',
                "d": "params['b0.wq'].shape[1]",
                "T": "params['b0.wq'].T",
            },
            {"Q": "Q"},
        ),
    )
    ((inputs, _),) = done.both()
    assert inputs["W"].shape == (2, 3)
    assert inputs["V"] is inputs["W"]
    assert inputs["d"] == 3
    assert inputs["T"].shape == (3, 2)


def test_a_bind_that_cannot_be_read_is_a_problem_of_the_event(capture):
    done = capture(
        """
        def f(d={}):
            x = 1
            return x
        """,
        ("x =", {"a": "d['no']", "b": "nowhere", "c": "d"}, {"x": "x"}),
    )
    (event,) = done.events()
    assert event.outputs == {"x": 1}
    assert event.inputs == {"c": {}}
    assert "a could not be read before the statement: d['no']: KeyError: 'no'" in event.problem
    assert "the name nowhere has no value here" in event.problem


def test_sites_that_are_not_there(sites):
    source = "x = 1\ny = x + 2\n"
    (site,) = sites(source, [("y =", {}, {"y": "y"})])
    recorder = Recorder()
    instrument(b"x = 1\ny = x + 23\n", "mod.py", "mod", [site], recorder)
    assert "another than the one" in recorder.problems["a"]
    instrument(b"x = 1\n\ny = x + 2\n", "mod.py", "mod", [site], recorder)
    assert "no statement begins at mod.py:2:1" in recorder.problems["a"]


def test_columns_count_characters(capture):
    done = capture(
        """
        def f(x=1):
            s = "äöü€𝔘"; y = x + 1
            return y
        """,
        ("y =", {"x": "x"}, {"y": "y"}),
    )
    assert done.both() == [({"x": 1}, {"y": 2})]


def test_whole_functions(capture):
    done = capture(
        '''
        def g(x, /, y=2, *rest, k=3, **more):
            """Doc."""
            if x == 0:
                return
            def inner():
                return "not mine"
            inner()
            for i in range(5):
                if i == x:
                    return i * y, k
        def f():
            return g(0), g(1, 5, 6, z=7), g(9), g.__doc__
        ''',
        ("def g", {"x": "x", "y": "y"}, {"r": "result"}, "whole"),
    )
    assert done.value == (None, (5, 3), None, "Doc.")
    assert done.both() == [
        ({"x": 0, "y": 2}, {"r": None}),
        ({"x": 1, "y": 5}, {"r": (5, 3)}),
        ({"x": 9, "y": 2}, {"r": None}),
    ]
    assert done.events()[1].namespace == {"x": 1, "y": 5, "rest": (6,), "k": 3, "more": {"z": 7}}


def test_a_whole_function_whose_return_is_overridden(capture):
    done = capture(
        """
        def g(x):
            while True:
                try:
                    return 1
                finally:
                    if x: return 2
                    break
        def f():
            return g(0), g(1)
        """,
        ("def g", {"x": "x"}, {"r": "result"}, "whole"),
    )
    assert done.value == (None, 2)
    assert done.both() == [({"x": 0}, {"r": None}), ({"x": 1}, {"r": 2})]


def test_a_whole_function_that_raises(capture):
    done = capture("def f(x=0):\n    return 1 / x", ("def f", {"x": "x"}, {"r": "result"}, "whole"))
    assert isinstance(done.error, ZeroDivisionError)
    assert done.events() == []
    assert done.recording.executions == {"a": 1}
    assert done.recording.raised == {"a": 1}


def test_whole_generators_coroutines_and_lambdas(capture):
    done = capture(
        """
        import asyncio
        def gen(n):
            for i in range(n):
                yield i
            return n * 2
        async def co(x):
            return x + 1
        async def agen(x):
            yield x
            return
        double = lambda x, y=3: x * 2 + y
        async def use(): return [v async for v in agen(5)]
        def outer():
            got = yield from gen(2)
            yield got
        def f():
            return list(outer()), asyncio.run(co(1)), asyncio.run(use()), double(4)
        """,
        ("def gen", {"n": "n"}, {"r": "result"}, "whole"),
        ("async def co", {"x": "x"}, {"r": "result"}, "whole"),
        ("async def agen", {"x": "x"}, {"r": "result"}, "whole"),
        ("double =", {"x": "x"}, {"r": "result"}, "whole"),
    )
    assert done.value == ([0, 1, 4], 2, [5], 11)
    assert done.both("a") == [({"n": 2}, {"r": 4})]
    assert done.both("b") == [({"x": 1}, {"r": 2})]
    assert done.both("c") == [({"x": 5}, {"r": None})]
    assert done.both("d") == [({"x": 4}, {"r": 11})]
    assert done.events("d")[0].namespace == {"x": 4, "y": 3}


def test_a_whole_function_that_changes_its_argument(capture):
    done = capture(
        """
        import numpy as np
        def g(x, out):
            x *= 2
            out[0] = 1
            return x.sum()
        def f():
            return g(np.ones(2), np.zeros(1))
        """,
        ("def g", {"x": "x", "o": "out"}, {"r": "result", "o1": "out"}, "whole"),
    )
    (event,) = done.events()
    assert event.changed == ("x",)
    assert event.inputs["x"].tolist() == [1, 1]
    assert event.outputs["o1"].tolist() == [1]


def test_calls_are_only_counted(capture):
    done = capture(
        """
        def g(): return 1
        def f():
            try:
                x = g()
                for _ in range(g()): y = g()
                while not g(): pass
                if x and g(): pass
                del x
                raise ValueError
            except ValueError:
                return None
        """,
        ("x = g()", {}, {}),
        ("for _", {}, {}),
        ("while", {}, {}),
        ("if x", {}, {}),
        ("del x", {}, {}),
        ("except", {}, {}),
        ("return None", {}, {}),
    )
    assert done.recording.executions == dict.fromkeys("abcdefg", 1)
    assert done.recording.events == {}


def test_threads(capture):
    done = capture(
        """
        import threading
        def g(k):
            for i in range(200):
                y = i * k
        def f():
            threads = [threading.Thread(target=g, args=(k,)) for k in range(4)]
            for t in threads: t.start()
            for t in threads: t.join()
        """,
        ("y =", {"i": "i", "k": "k"}, {"y": "y"}),
    )
    assert done.recording.executions == {"a": 800}
    assert all(outputs["y"] == inputs["i"] * inputs["k"] for inputs, outputs in done.both())
    orders = [event.order for event in done.events()]
    assert len(set(orders)) == 800
    assert threading.get_ident() not in {event.thread for event in done.events()}


def test_user_code_that_probes_call_records_nothing(capture):
    done = capture(
        """
        class P:
            @property
            def v(self):
                w = 5
                return w
        def f():
            p = P()
            x = p.v + 1
            return x
        """,
        ("w =", {}, {"w": "w"}),
        ("x =", {"v": "p.v"}, {"x": "x"}),
    )
    assert done.both("b") == [({"v": 5}, {"x": 6})]
    assert done.recording.executions == {"a": 1, "b": 1}


def test_deep_expressions(capture):
    terms = " + ".join(["x"] * 900)
    done = capture(f"def f(x=1):\n    return {terms}\n", ("return", {"x": "x"}, {"r": "result"}))
    assert done.both() == [({"x": 1}, {"r": 900})]


def test_annotations_are_left_alone(capture):
    done = capture(
        """
        from __future__ import annotations
        def f():
            x: x + 1 = 2
            return x
        class C:
            y: a * b = 1
        """,
        ("x: x", {}, {"e": "x + 1"}),
        ("y:", {}, {"y": "result"}),
        call="C.__annotations__",
    )
    assert done.value == {"y": "a * b"}
    assert "no value of its own" in done.recorder.problems["a"]
    assert done.events("b")[0].outputs == {"y": 1}


def test_arrays_keep_their_type(capture):
    done = capture(
        """
        import numpy as np
        def f():
            x = np.arange(3, dtype=np.float32)
            y = np.sum(x)
            return y
        """,
        ("y =", {"x": "x"}, {"y": "y"}),
    )
    ((inputs, outputs),) = done.both()
    assert inputs["x"].dtype == np.float32
    assert type(outputs["y"]) is np.float32


@pytest.mark.parametrize("statement", ["y = np.multiply(x, 2, out=x)", "y = np.exp(np.subtract(x, 1, out=x))"])
def test_an_argument_written_through_out_is_told(capture, statement):
    done = capture(
        f"""
        import numpy as np
        def f():
            x = np.ones(2)
            {statement}
            return y
        """,
        ("y = np", {"x": "x"}, {"y": "y"}),
    )
    assert done.events()[0].changed == ("x",)


def test_what_is_bound_as_a_left_side_may_be_written_through_out(capture):
    done = capture(
        """
        import numpy as np
        def f():
            x = np.ones(2)
            np.multiply(x, 2, out=x)
            return x
        """,
        ("np.multiply", {"old": "x"}, {"new": "x"}),
    )
    assert done.events()[0].changed == ()
