"""The order of calls within the function that holds the cited line."""

import pytest

from eqtrace.model.verdict import Verdict
from eqtrace.run.methods.order import matches, within
from eqtrace.run.record import Step

SOURCE = """
def scale(x):
    return 2 * x


def head(x):
    return x + 1


def layer(x):
    return head(scale(x))


def tail(x):
    return x - 1


def run(x, n):
    if n < 0:
        raise ValueError("n is below 0")
    y = head(x)
    for _ in range(n):
        y = layer(y)
    y = tail(y)
    return y
"""
SPEC = """
topic: t
title: T
page: p
status: implemented
direction: neither
functions: ['subject.py::run']
what: w
why: w
symbols:
  x: {shape: []}
  n: {shape: [], domain: {integer: true, min: 2, max: 2}}
  y: {shape: []}
  z: {shape: [], code: null}
equations:
  - id: t.e
    sympy: 'Eq(y, z - 1)'
    method: [order]
    order: ['subject.py::head', 'subject.py::layer', 'subject.py::tail']
    anchors: [{role: computes, at: 'subject.py:23', in: run, code: 'y = tail(y)', bind: {z: y}}]
"""
SCENARIOS = """
import contextlib
from subject import run


def once(rng, sizes):
    run(rng.normal(), 2)
    with contextlib.suppress(ValueError):
        run(0.0, -1)
"""


def result(verified, source=SOURCE, spec=SPEC):
    line = source[: source.index("    y = tail(y)")].count("\n")
    return verified(source, spec.replace("py:23", f"py:{line}"), SCENARIOS).result("t.e", "order")


def spec_line(number):
    return SPEC.strip().split("\n")[number - 1].strip()


def test_calls_in_their_order_are_tested(verified):
    found = result(verified)
    assert ([fault.message for fault in found.faults], found.verdict) == ([], Verdict.TESTED)
    assert found.evidence.points >= 4
    assert "head, layer, tail" in found.evidence.detail


@pytest.mark.parametrize(
    ("old", "new", "seen"),
    [
        ("y = head(x)\n", "y = head(tail(x))\n", "tail, head, layer x2, tail"),
        ("y = head(x)\n", "y = x\n", "layer x2, tail"),
        ("        y = layer(y)\n", "        y = head(layer(y))\n", "head, layer, head, layer, head, tail"),
        ("        y = layer(y)\n", "        y = y\n", "head, tail"),
    ],
)
def test_another_order_is_refuted_with_the_sequence_seen(verified, old, new, seen):
    assert SOURCE.count(old) == 1
    found = result(verified, SOURCE.replace(old, new))
    assert found.verdict is Verdict.REFUTED
    (fault,) = found.faults
    assert fault.kind == "order-mismatch"
    assert f"called {seen}, not head, layer, tail" in fault.message
    assert spec_line(fault.span.line).startswith("order:")


def test_a_list_of_none_and_a_line_outside_of_functions_are_not_checked(verified):
    spec = SPEC.replace("    order: ['subject.py::head', 'subject.py::layer', 'subject.py::tail']\n", "")
    found = result(verified, spec=spec)
    assert found.verdict is Verdict.NOT_CHECKED
    assert [fault.kind for fault in found.faults] == ["method-not-run"]


def test_only_outermost_calls_within_executions_that_return_count():
    kinds = {"(": "begin", ")": "end", "!": "raised"}
    text = "a( f( g( g) f) g( g) a) g( g) a( g( a!"
    steps = [Step(f"s::{one[0]}", kinds[one[1]], 1) for one in text.split()]
    assert list(within(steps, "s::a", frozenset({"s::f", "s::g"}))) == [["s::f", "s::g"]]
    assert list(within(steps, "s::a", frozenset({"s::g"}))) == [["s::g", "s::g"]]


@pytest.mark.parametrize(
    ("found", "listed", "right"),
    [
        ("abbbc", "abc", True),
        ("aabc", "abc", True),
        ("ab", "abc", False),
        ("abab", "ab", False),
        ("aba", "aba", True),
        ("ab", "aba", False),
        ("ab", "aab", False),
        ("aaab", "aab", True),
        ("", "a", False),
    ],
)
def test_repeated_calls(found, listed, right):
    assert matches(list(found), list(listed)) is right


def test_callers_of_the_caller_are_not_looked_at(verified):
    source = SOURCE + "\n\ndef twice(x):\n    run(x, 2)\n    z = run(x, 2)\n    return z\n"
    spec = SPEC.replace(
        "bind: {z: y}}]", "bind: {z: y}}, {role: calls, at: 'subject.py:29', in: twice, code: 'z = run(x, 2)'}]"
    )
    scenarios = SCENARIOS + "\n\ndef again(rng, sizes):\n    import subject\n\n    subject.twice(rng.normal())\n"
    result = verified(source, spec, scenarios).result("t.e", "order")
    assert [fault.message for fault in result.faults] == []
    assert result.verdict is Verdict.TESTED
