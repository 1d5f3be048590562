import pytest

from eqtrace.model.verdict import Verdict

HEAD = """
topic: t
title: T
page: p
status: implemented
direction: neither
functions: ['subject.py::f']
what: w
why: w
"""
VALUES = """
symbols: {x: {shape: [], domain: {min: 0, max: 9}}, y: {shape: [], domain: {min: 0, max: 9}}}
where: 'x + y < 5'
equations:
  - id: t.e
    sympy: 'x + y < 5'
    method: [constraint]
    rejects: ValueError
    anchors: [{role: computes, at: 'subject.py:2', in: f, code: 'total = x + y'}]
"""
SHAPES = """
symbols: {x: {shape: [n]}, y: {shape: [n]}}
equations:
  - id: t.e
    sympy: 'And(Array(x, n), Array(y, n))'
    method: [constraint]
    rejects: ValueError
    anchors: [{role: computes, at: 'subject.py:2', in: f, code: 'total = x + y'}]
"""
GUARDED = """def f(x, y):
    total = x + y
    if total >= 5:
        raise ValueError('too much of it')
    return total
"""


def found(verified, source, spec):
    result = verified(source, HEAD + spec).result("t.e", "constraint")
    return result.verdict, [fault.kind for fault in result.faults]


def test_a_guard(verified):
    assert found(verified, GUARDED, VALUES) == (Verdict.TESTED, [])


def test_numpy_refuses_shapes_itself(verified):
    assert found(verified, "def f(x, y):\n    total = x + y\n    return total\n", SHAPES) == (Verdict.TESTED, [])


def test_a_clear_error_is_needed(verified):
    bare = GUARDED.replace("'too much of it'", "")
    assert found(verified, bare, VALUES) == (Verdict.REFUTED, ["violation-accepted"])


@pytest.mark.parametrize(
    ("old", "new"), [("total >= 5", "total >= 6"), ("ValueError", "KeyError"), ("total >= 5", "x >= 5"), ("raise", "")]
)
def test_a_violation_that_is_accepted(verified, old, new):
    assert found(verified, GUARDED.replace(old, new), VALUES) == (Verdict.REFUTED, ["violation-accepted"])


def test_lengths_that_are_cut_silently(verified):
    source = "def f(x, y):\n    total = x + y[: len(x)] if len(y) > len(x) else x[: len(y)] + y\n    return total\n"
    code = source.splitlines()[1].strip()
    assert found(verified, source, SHAPES.replace("'total = x + y'", f"'{code}'")) == (
        Verdict.REFUTED,
        ["violation-accepted"],
    )


def test_a_run_that_breaks_it(verified):
    scenario = "from subject import f\ndef run(rng, sizes):\n    f(2.0, 2.5)\n    try:\n        f(4.0, 4.0)\n    except ValueError:\n        pass\n"  # noqa: E501
    result = verified(GUARDED, HEAD + VALUES, scenario).result("t.e", "constraint")
    assert result.verdict is Verdict.REFUTED
    assert [fault.kind for fault in result.faults] == ["constraint-violated"]


def test_without_rejects_nothing_is_shown(verified):
    verdict, kinds = found(verified, GUARDED, VALUES.replace("    rejects: ValueError\n", ""))
    assert (verdict, kinds) == (Verdict.NOT_CHECKED, ["method-not-run"])


PARTS = """
symbols:
  M: {shape: [d]}
  d: {shape: [], code: d, domain: {integer: true, min: 1}}
  H: {shape: [], code: H, domain: {integer: true, min: 1}}
  w: {shape: [], code: w, domain: {integer: true, min: 1}}
call: 'f(M, H)'
equations:
  - id: t.e
    sympy: ['Eq(w, d/H)', 'Eq(Mod(d, H), 0)']
    method: [constraint, value]
    rejects: ValueError
    anchors:
      - {role: computes, at: 'subject.py:3', in: f, code: 'if d % H:', bind: {d: d, H: H}, part: 1}
      - {role: computes, at: 'subject.py:5', in: f, code: 'w = d // H', part: 0}
"""
PARTED = """def f(M, H):
    d = len(M)
    if d % H:
        raise ValueError('no equal parts')
    w = d // H
    return w
"""


def test_statements_that_different_lines_show(verified):
    made = verified(PARTED, HEAD + PARTS)
    for method, verdict in (("constraint", Verdict.TESTED), ("value", Verdict.CERTIFIED)):
        result = made.result("t.e", method)
        assert (result.verdict, result.faults) == (verdict, ())


@pytest.mark.parametrize(
    ("old", "new", "constraint", "value"),
    [
        ("if d % H:", "if d % H > 1:", "violation-accepted", None),
        ("w = d // H", "w = d // H + 1", "constraint-violated", "value-mismatch"),
    ],
)
def test_statements_that_different_lines_break(verified, old, new, constraint, value):
    made = verified(PARTED.replace(old, new), HEAD + PARTS.replace(old, new))
    assert constraint in [fault.kind for fault in made.result("t.e", "constraint").faults]
    assert value in [None, *(fault.kind for fault in made.result("t.e", "value").faults)]
