"""Values that a name had in each turn of a loop, and what the loop makes of them."""

import pytest

from eqtrace.model.verdict import Verdict

SOURCE = '''
import numpy as np


def share(x):
    return np.exp(x), {"square": x * x}


def mean(X, weight=1.0):
    """The mean over rows."""
    n = len(X)
    total, squares = 0.0, np.zeros(3)
    for x in X:
        doubled = 2 * x
        half = doubled / 2
        value, parts = share(half)
        total += value.sum() / n
        squares += parts["square"] / n
    return total, squares


def nested(X):
    def inner(Y):
        return mean(Y)

    return inner(X)
'''
SPEC = """
topic: t
title: T
page: p
status: implemented
direction: neither
functions: ['subject.py::mean']
what: w
why: w
symbols:
  X: {shape: [n, 3]}
  L: {shape: [n, 3], code: null}
  S: {shape: [n, 3], code: null}
  m: {shape: [], code: null}
  q: {shape: [3], code: null}
indices: {i: n, k: 3}
equations:
  - id: t.mean
    sympy: 'Eq(m, Sum(Sum(L[i, k], k), i)/n)'
    anchors:
      - {role: computes, at: 'subject.py:18', in: mean, code: 'return total, squares',
         bind: {m: 'result[0]', L: '[value]'}}
  - id: t.squares
    sympy: 'Eq(q[k], Sum(S[i, k], i)/n)'
    anchors:
      - {role: computes, at: 'subject.py:18', in: mean, code: 'return total, squares',
         bind: {q: 'result[1]', S: '[parts["square"]]'}}
"""


def result(verified, equation, *edits):
    source = SOURCE
    for old, new in edits:
        assert source.count(old) == 1
        source = source.replace(old, new)
    line = source.lstrip("\n").splitlines().index("    return total, squares") + 1
    return verified(source, SPEC.replace("subject.py:18", f"subject.py:{line}")).result(equation)


@pytest.mark.parametrize("equation", ["t.mean", "t.squares"])
def test_a_mean_over_turns_is_certified(verified, equation):
    found = result(verified, equation)
    assert [fault.message for fault in found.faults] == []
    assert found.verdict is Verdict.CERTIFIED
    assert found.evidence.certified >= 32


@pytest.mark.parametrize(
    ("equation", "edit"),
    [
        ("t.mean", ("value.sum() / n", "value.sum() / (n + 1)")),
        ("t.mean", ("value.sum() / n", "value.sum() / n * (1 + 1e-20)")),
        ("t.mean", ("total, squares = 0.0", "total, squares = 1e-30")),
        ("t.mean", ("total += value", "total = value")),
        ("t.mean", ("    return total", "    total += 1e-25\n    return total")),
        ("t.squares", ('parts["square"] / n', "half * doubled / n")),
        ("t.squares", ("squares += parts", "squares -= parts")),
    ],
)
def test_what_the_loop_does_to_the_turns_is_seen(verified, equation, edit):
    found = result(verified, equation, edit)
    assert found.verdict is Verdict.REFUTED
    assert {fault.kind for fault in found.faults} == {"value-mismatch"}


def test_a_turn_that_is_skipped_is_no_turn(verified):
    # The row that gives no value is not among the turns: the mean over the turns is another number.
    found = result(
        verified, "t.mean", ("        doubled", "        if x[0] > 0:\n            continue\n        doubled")
    )
    assert found.verdict is not Verdict.CERTIFIED


def test_calls_within_calls_keep_their_turns_apart(verified):
    scenarios = """
    import numpy as np
    import subject

    def run(rng, sizes):
        for n in (1, 2, 5):
            subject.nested(rng.normal(size=(n, 3)))
    """
    found = verified(SOURCE, SPEC, scenarios).result("t.mean")
    assert [fault.message for fault in found.faults] == []
    assert found.verdict is Verdict.CERTIFIED


@pytest.mark.parametrize("bind", ["[nothing]", "[total]", "[x]"])
def test_what_no_assignment_of_the_loop_gives_is_told(verified, bind):
    found = verified(SOURCE, SPEC.replace("'[value]'", f"'{bind}'")).result("t.mean")
    assert found.verdict in (Verdict.NOT_CHECKED, Verdict.REFUTED)
    assert found.faults


def test_two_assignments_are_told(verified):
    found = result(verified, "t.mean", ("        total += value", "        value = value + 0\n        total += value"))
    assert found.verdict is Verdict.NOT_CHECKED
