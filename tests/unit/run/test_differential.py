"""Instrumented code does what plain code does: results, exceptions, and the lines of tracebacks."""

import ast
import io
import textwrap
import traceback
from contextlib import redirect_stdout

import pytest

from eqtrace.code.source import parse
from eqtrace.run.instrument import instrument
from eqtrace.run.record import Recorder
from eqtrace.run.site import Site

SNIPPETS = {
    "early returns": """
        def f(x):
            for i in range(5):
                if i == x:
                    return i
                elif i > x: return -i
            else:
                return "none"
        result = [f(x) for x in (-1, 0, 3, 9)]
        """,
    "exceptions": """
        def f(x):
            try:
                y = 1 / x
                return y
            except ZeroDivisionError as error:
                raise ValueError("no") from error
            finally:
                seen.append(x)
        seen = []
        f(1)
        f(0)
        """,
    "exception in a multi-line statement": """
        def f(x):
            y = (x +
                 1 +
                 [1, 2][
                     x])
            return y
        f(7)
        """,
    "exception in a header": """
        def f(x):
            if x == 0:
                return 0
            elif x / 0 > 1:
                return 1
        f(0)
        f(1)
        """,
    "while with else and continue": """
        def f(n):
            total = 0
            while (n := n - 1) > 0:
                if n % 2: continue
                if n == 100: break
                total += n
            else:
                total = -total
            return total
        result = [f(n) for n in range(8)]
        """,
    "finally overrides": """
        def f():
            for i in range(3):
                try:
                    return i
                finally:
                    if i < 2: continue
        result = f()
        """,
    "nested functions": """
        def outer(a):
            b = a * 2
            def inner(c):
                nonlocal b
                b += c
                return lambda d: (a, b, c, d)
            return inner
        result = outer(1)(2)(3), outer(1)(2)(4)
        """,
    "late binding": """
        fs = [lambda x: x * i for i in range(3)]
        gs = [lambda x, i=i: x * i for i in range(3)]
        result = [f(2) for f in fs], [g(2) for g in gs]
        """,
    "deleted names": """
        def f():
            x = 1
            del x
            y = [x for x in range(2)]
            return x
        f()
        """,
    "unbound local": """
        def f():
            if False:
                x = 1
            y = x + 1
            return y
        f()
        """,
    "unbound free variable": """
        def f():
            def g():
                return x + 1
            r = g()
            x = 1
            return r
        f()
        """,
    "generators": """
        def g(n):
            total = 0
            for i in range(n):
                got = yield i + total
                total += got or 0
            return total
        def h():
            r = yield from g(3)
            yield ("end", r)
        def drive():
            it = h(); out = [next(it)]
            out.append(it.send(5)); out.append(it.send(None)); out.append(it.send(7))
            return out
        result = drive()
        """,
    "generator throw and close": """
        log = []
        def g():
            try:
                while True:
                    try:
                        x = yield len(log)
                        log.append(x)
                    except KeyError as e:
                        log.append(repr(e))
            finally:
                log.append("closed")
        it = g(); next(it); it.send(1); it.throw(KeyError("k")); it.close()
        result = log
        """,
    "generator that raises": """
        def g():
            yield 1
            yield 1 / 0
        list(g())
        """,
    "generator expressions are lazy": """
        log = []
        def note(x):
            log.append(x)
            return x
        g = (note(x) * 2 for x in (1, 2, 3) if note(-x))
        first = next(g)
        result = first, list(log), list(g), log
        """,
    "coroutines": """
        import asyncio
        class Manager:
            async def __aenter__(self): return self
            async def __aexit__(self, *a): return True
        async def work(n):
            async with Manager() as m:
                await asyncio.sleep(0)
                if n == 2:
                    raise ValueError(n)
                return n
            return "swallowed"
        async def numbers():
            for i in range(3):
                yield i
        async def main():
            a = [await work(i) async for i in numbers()]
            b = await asyncio.gather(*(work(i) for i in a if i != "swallowed"))
            return a, b
        result = asyncio.run(main())
        """,
    "classes": """
        class Meta(type):
            @classmethod
            def __prepare__(meta, name, bases):
                class Names(dict):
                    def __missing__(self, key):
                        if key.startswith("auto"): return key
                        raise KeyError(key)
                return Names()
            def __new__(meta, name, bases, names):
                return super().__new__(meta, name, bases, dict(names))
        class C(metaclass=Meta):
            x = auto_one
            y = x + "!"
            z = [x for x in (1, 2)]
            def __init__(self): self.__p = 5
            def get(self): return self.__p, __class__
        c = C()
        result = c.x, c.y, c.z, c.get()[0], c.get()[1] is C, sorted(k for k in vars(C) if not k.startswith("__"))
        """,
    "enumerations and dataclasses": """
        from enum import Enum, auto
        from dataclasses import dataclass, field
        class Colour(Enum):
            RED = auto()
            BLUE = auto()
            both = RED, BLUE
        @dataclass
        class P:
            x: int = 1
            y: list = field(default_factory=list)
        result = [c.name for c in Colour], P(), P(2) == P(2)
        """,
    "super and slots": """
        class A:
            __slots__ = ("v",)
            def __init__(self, v): self.v = v
            def f(self): return self.v
        class B(A):
            __slots__ = ()
            def f(self):
                r = super().f() + 1
                return r
        result = B(3).f()
        """,
    "decorators": """
        log = []
        def note(tag):
            def deco(f):
                log.append((tag, f.__name__))
                return f
            return deco
        @note(1)
        @note(2)
        def f(x=log.append("default")): return x
        @note(3)
        class C: pass
        result = log, f()
        """,
    "docstrings": '''
        """Module doc."""
        from __future__ import annotations
        def f():
            """Function doc."""
        class C:
            """Class doc."""
            x: undefined_name = 1
        result = __doc__, f.__doc__, C.__doc__, f(), C.__annotations__
        ''',
    "global and nonlocal": """
        n = 0
        def f():
            global n
            n += 1
            def g():
                global m
                m = n * 2
                return m
            return g()
        result = f(), f(), n, m
        """,
    "match": """
        def f(v):
            match v:
                case 0 | 1: return "small"
                case [a, *rest] if rest and a > 1:
                    return a, rest
                case {"k": k, **more}: return k, more
                case str() as s: return s
                case _: pass
        result = [f(v) for v in (0, [2, 3], [1, 3], {"k": 1, "l": 2}, "s", None)]
        """,
    "walrus": """
        data = [3, 1, 2]
        if any((big := x) > 2 for x in data): pass
        total = (a := 1) + (b := a + 1)
        result = big, total, a, b, [y := 1, y ** 2], (lambda: (z := 5) + z)()
        """,
    "chained and starred": """
        a = b = c = [0]
        a[0], *d, (e, *f) = 1, 2, 3, (4, 5)
        x = *d, e
        i, values = 0, [0, 0, 0]
        i, values[i] = 1, "first"
        result = a, b, c, d, e, f, x, values, [*d, *f], {**{"k": 1}}
        """,
    "augmented": """
        class V:
            def __init__(self): self.log = []
            def __getitem__(self, k): return 1  # not noted: reading v["k"] is what a bind of it does
            def __setitem__(self, k, v): self.log.append(("set", k, v))
            def __iadd__(self, o): self.log.append(("iadd", o)); return self
        v = V()
        w = v
        v += 2
        v["k"] += 3
        v["k"] **= 2
        result = v.log, v is w
        """,
    "order of evaluation": """
        log = []
        def t(x): log.append(x); return x
        d = {}
        d[t("k")] = t(1) + t(2) * t(3)
        a = t(1) < t(2) < t(0) < t(9)
        b = t(0) and t(1) or t(2)
        c = t(5) if t(0) else t(6)
        f = dict(x=t(7), **{"y": t(8)})
        result = log, d, a, b, c, f
        """,
    "assert": """
        def f(x):
            assert x > 0, f"x is {x}"
            return x
        f(1)
        f(-1)
        """,
    "assert over several lines": """
        def f(x):
            assert (
                x
                and not (x >
                         5)
            ), "no"
            assert x != 3 if x else \\
                x
        for x in 1, 9, 3:
            f(x)
        """,
    "assert in an expression of conditions": """
        def f(x):
            assert (x if x > 2 else
                    x <
                    0)
        f(3)
        f(1)
        """,
    "with": """
        from contextlib import contextmanager, suppress
        log = []
        @contextmanager
        def m(x):
            log.append(("in", x))
            try: yield x
            finally: log.append(("out", x))
        def f():
            with m(1) as a, m(a + 1) as b:
                return a + b
        with suppress(ZeroDivisionError):
            with m(5): 1 / 0
        with (m(8)): pass
        result = f(), log
        """,
    "try star": """
        def f():
            try:
                raise ExceptionGroup("g", [ValueError(1), KeyError(2)])
            except* ValueError as g:
                return_value.append(g.exceptions)
            except* KeyError:
                return_value.append("key")
        return_value = []
        f()
        result = str(return_value)
        """,
    "recursion": """
        def ack(m, n):
            return n + 1 if m == 0 else ack(m - 1, 1) if n == 0 else ack(m - 1, ack(m, n - 1))
        result = ack(2, 3)
        """,
    "recursion error": """
        def f(n):
            return f(n + 1) + 1
        try:
            f(0)
        except RecursionError:
            result = "deep"
        """,
    "locals and eval": """
        def f(a):
            b = a + 1
            c = eval("a + b")
            names = sorted(locals())
            exec("d = 5")
            return names, c, vars() is not None
        class C:
            x = 1
            names = sorted(n for n in locals() if not n.startswith("__"))
        result = f(1), C.names, sorted(n for n in globals() if not n.startswith("__"))
        """,
    "frames": """
        import sys, inspect
        def f():
            x = inspect.currentframe().f_lineno
            y = sys._getframe().f_code.co_name; z = len(inspect.stack())
            return x, y, z
        n = len(inspect.stack())
        result = f()[:2], f()[2] - n
        """,
    "warnings show the caller's line": """
        import warnings
        def deprecated():
            warnings.warn("old", DeprecationWarning, stacklevel=2)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            deprecated()
            x = [deprecated()]
        result = [(w.lineno, w.filename) for w in caught]
        """,
    "several on a line": """
        def f():
            x = 1; y = 2; z = x + y; return z
        if True: a = f(); b = a
        for i in range(2): a += i; b = a
        result = a, b
        1; 2; x = 1 / 0; y = 5
        """,
    "shadowed names": """
        def f(len=3, print=4, sys=5, __eqtrace__=6):
            range = list = dict = len + print
            return range + sys
        result = f()
        """,
    "star imports and deletion": """
        from math import *
        x = sin(0) + cos(0)
        del sin
        try: sin
        except NameError as e: result = str(e), x
        """,
    "comprehensions in comprehensions": """
        n = 3
        grid = [[(i, j) for j in range(i) if (k := j) % 2 == 0] for i in range(n) for _ in range(2)]
        table = {i: {j for j in range(i)} for i in range(n)}
        class C:
            rows = [1, 2]
            cells = [(r, c) for r in rows for c in "ab"]
        result = grid, table, C.cells, k
        """,
    "exception in a comprehension": """
        def f(xs):
            return [1 / x
                    for x in xs
                    if x < 5]
        f([1, 0])
        """,
    "exception in a lambda": """
        f = lambda x: (x +
            1 / x)
        def g():
            y = f(0)
            return y
        g()
        """,
    "mutable defaults and attributes": """
        def f(x, acc=[]):
            acc.append(x)
            f.calls = getattr(f, "calls", 0) + 1
            return list(acc)
        result = f(1), f(2), f.calls, f.__defaults__
        """,
    "f-strings": """
        x = 3.14159
        name = "pi"
        result = f"{name!r:>6} is {x:.{2 + 1}f} {'yes' if x > 3 else 'no'} {[f'{i}' for i in range(2)]}"
        """,
    "signatures": """
        import inspect
        def f(a, /, b: int = 2, *args, c, d=4, **kw) -> float:
            return a
        g = lambda x, y=1: x
        result = str(inspect.signature(f)), str(inspect.signature(g)), f.__annotations__, f.__name__, f.__qualname__
        """,
    "sets of identity": """
        def f(x):
            y = x
            z = [y]
            return y is x, z[0] is x
        o = object()
        result = f(o)
        """,
    "system exit": """
        def f():
            x = 3
            raise SystemExit(x)
        f()
        """,
    "type parameters of a call": """
        def f(*a, **k): return a, sorted(k.items())
        args, kw = (1, 2), {"z": 3}
        result = f(0, *args, *(x + 1 for x in args), y=1, **kw)
        """,
    "numpy": """
        import numpy as np
        def f(X, W):
            Y = X @ W
            Y -= Y.max(axis=-1, keepdims=True)
            E = np.exp(Y); S = E / E.sum(-1, keepdims=True)
            np.add.at(W, ([0, 0], [0, 1]), 1.0)
            W.resize((2, 2))
            return S
        W = np.arange(4.).reshape(2, 2)
        result = f(np.eye(2), W).tolist(), W.tolist()
        """,
}


def all_sites(source: str, kind: str) -> list[Site]:
    """Sites at every statement: only counted; or with everything captured that can be; or every whole function."""
    made = []
    for number, statement in enumerate(parse("/project/mod.py", source.encode()).statements):
        span, node = statement.span, statement.node
        names = {n.id: n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not n.id.startswith("__")}
        place = f"{number}", "mod.py", "/project/mod.py", span.line, span.column, span.end_line, span.end_column
        if kind == "count":
            made.append(Site(*place))
        elif kind == "whole":
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                made.append(Site(*place, inputs={}, outputs={"r": "result"}, whole=True))
        else:
            made.append(Site(*place, inputs=names, outputs={"r": "result"}))
            made.extend(Site(f"{number}.{name}", *place[1:], inputs=names, outputs={name: name}) for name in names)
            for index, part in enumerate(ast.walk(node)):
                if isinstance(part, ast.BinOp | ast.Compare | ast.Call | ast.IfExp | ast.Subscript):
                    made.append(Site(f"{number}/{index}", *place[1:], inputs=names, outputs={"e": ast.unparse(part)}))
    return made


def outcome(code: object) -> tuple[object, ...]:
    """The result, what was printed, and the exception with the lines of its traceback."""
    space: dict[str, object] = {"__name__": "mod"}
    printed = io.StringIO()
    error: object = None
    with redirect_stdout(printed):
        try:
            exec(code, space)  # type: ignore[arg-type]
        except BaseException as caught:
            chain = []
            step: BaseException | None = caught
            while step is not None:
                frames = [f for f in traceback.extract_tb(step.__traceback__) if f.filename == "/project/mod.py"]
                places = [(f.name, f.lineno, f.end_lineno, f.colno, f.end_colno) for f in frames]
                chain.append((type(step), str(step), places))
                step = step.__cause__ or step.__context__
            error = chain
    return repr(space.get("result")), printed.getvalue(), error


@pytest.mark.parametrize("kind", ["count", "all", "whole"])
@pytest.mark.parametrize("name", SNIPPETS)
def test_instrumented_code_does_what_plain_code_does(name, kind):
    source = textwrap.dedent(SNIPPETS[name]).lstrip("\n")
    plain = outcome(compile(source, "/project/mod.py", "exec", dont_inherit=True))
    assert plain[0] != "None" or plain[2] is not None
    recorder = Recorder()
    code = instrument(source.encode(), "/project/mod.py", "mod", all_sites(source, kind), recorder)
    assert outcome(code) == plain
    with recorder.recording() as recording:
        assert outcome(code) == plain
    assert recording.executions or kind == "whole"
