"""Lines held against references of another algorithm, each of which kills ten mutants of the code."""

import pytest

from eqtrace.model.verdict import Verdict
from eqtrace.run.methods import discrete
from eqtrace.run.methods.discrete import plain, same

SOURCE = """
import numpy as np


def kth_largest(x, k):
    order = np.argsort(-x, kind="stable")
    place = order[k]
    return place


def running_median(x, w):
    medians = []
    for i in range(len(x)):
        part = sorted(x[max(0, i - w + 1) : i + 1])
        medians.append(part[len(part) // 2])
    return medians


def merge(tokens, a, b):
    merged = []
    i = 0
    while i < len(tokens):
        if i + 1 < len(tokens) and tokens[i] == a and tokens[i + 1] == b:
            merged.append(a + b)
            i += 2
        else:
            merged.append(tokens[i])
            i += 1
    return merged
"""

REFERENCES = '''
def t_kth(x, k):
    """The entry that k others are ahead of: larger ones, and equal ones further left."""
    for i, value in enumerate(x):
        ahead = sum(1 for j, other in enumerate(x) if other > value or (other == value and j < i))
        if ahead == k:
            return i


def t_median(x, w):
    """Of each window the value that neither has too many below it nor too many above it."""
    found = []
    for end in range(1, len(x) + 1):
        window = [x[i] for i in range(end) if i > end - 1 - w]
        half = len(window) // 2
        found.append(next(v for v in window if sum(u < v for u in window) <= half < sum(u <= v for u in window)))
    return found


def t_merge(tokens, a, b):
    """The first pair is replaced, and then what is right of it."""
    tokens = list(tokens)
    for i in range(len(tokens) - 1):
        if tokens[i : i + 2] == [a, b]:
            return [*tokens[:i], a + b, *t_merge(tokens[i + 2 :], a, b)]
    return tokens
'''

SPEC = """
topic: t
title: T
page: p
status: implemented
direction: neither
functions: ['subject.py::kth_largest']
what: w
why: w
symbols:
  x: {shape: [n]}
  k: {shape: [], domain: {integer: true, min: 0, max: n - 1}}
  w: {shape: [], domain: {integer: true, min: 1, max: 4}}
  tokens: {shape: [n], domain: {one_of: [a, b, ab, c]}}
  a: {shape: [], domain: {one_of: [a, b, ab]}}
  b: {shape: [], domain: {one_of: [a, b, ab]}}
  place: {shape: []}
  median: {shape: [n], code: null}
  merged: {shape: null, code: null}
indices: {i: n}
equations:
  - id: t.kth
    method: [discrete]
    where: n >= 1
    anchors: [{role: computes, at: 'subject.py:6', in: kth_largest, code: 'place = order[k]'}]
  - id: t.median
    method: [discrete]
    anchors: [{role: computes, at: 'subject.py:15', in: running_median, code: 'return medians', bind: {median: result}}]
  - id: t.merge
    method: [discrete]
    call: 'merge(tokens.tolist(), a, b)'
    anchors: [{role: computes, at: 'subject.py:28', in: merge, code: 'return merged', bind: {merged: result}}]
""".replace("merged: {shape: null, code: null}", "merged: {code: null}")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(discrete, "EXAMPLES", 100)


def result(verified, equation, source=SOURCE, references=REFERENCES, spec=SPEC, scenarios=""):
    import sys

    sys.modules.pop("eqtrace_references", None)
    for wanted in ("    place = ", "    return medians", "    return merged"):
        line = next(n for n, each in enumerate(SOURCE.strip().split("\n"), 1) if each.startswith(wanted))
        moved = next(n for n, each in enumerate(source.strip().split("\n"), 1) if each.startswith(wanted))
        spec = spec.replace(f"subject.py:{line}'", f"subject.py:{moved}'")
    made = verified(source, spec, scenarios, "references = 'references.py'\n")
    made.write("references.py", references)
    return made.result(equation, "discrete")


@pytest.mark.parametrize("equation", ["t.kth", "t.median", "t.merge"])
def test_right_code_is_tested(verified, equation):
    found = result(verified, equation)
    assert ([fault.message for fault in found.faults], found.verdict) == ([], Verdict.TESTED)
    assert found.evidence.points >= 50


MUTANTS = {
    "t.kth": [
        ("-x, kind", "x, kind"),
        ('np.argsort(-x, kind="stable")', 'np.argsort(x, kind="stable")[::-1]'),
        ("order[k]", "order[-k]"),
        ("order[k]", "order[max(k - 1, 0)]"),
        ("order[k]", "order[min(k + 1, len(x) - 1)]"),
        ("order[k]", "order[0]"),
        ("order[k]", "order[len(x) - 1 - k]"),
        ("order[k]", "k"),
        ("-x, kind", "-np.abs(x), kind"),
        ("-x, kind", "-np.round(x), kind"),
        ("order[k]", "np.argsort(order)[k]"),
    ],
    "t.median": [
        ("i - w + 1", "i - w"),
        ("i - w + 1", "i - w + 2"),
        (": i + 1]", ": i]"),
        ("sorted(x[max(0, i - w + 1) : i + 1])", "list(x[max(0, i - w + 1) : i + 1])"),
        ("len(part) // 2", "(len(part) - 1) // 2"),
        ("len(part) // 2", "0"),
        ("len(part) // 2", "-1"),
        ("max(0, i - w + 1)", "max(1, i - w + 1)"),
        ("max(0, i - w + 1)", "0"),
        ("range(len(x))", "range(len(x) - 1)"),
        ("range(len(x))", "range(1, len(x))"),
        ("part[len(part) // 2]", "sum(part) / len(part)"),
    ],
    "t.merge": [
        ("i += 2", "i += 1"),
        ("a + b)", "b + a)"),
        ("merged.append(a + b)", "merged.append(a)"),
        ("tokens[i] == a and", "tokens[i] == b and"),
        ("tokens[i + 1] == b", "tokens[i + 1] != b"),
        ("tokens[i] == a and tokens[i + 1] == b", "tokens[i] == a or tokens[i + 1] == b"),
        ("i + 1 < len(tokens) and", "i + 2 < len(tokens) and"),
        ("    i = 0\n", "    i = 1\n"),
        ("while i < len(tokens):", "while i < len(tokens) - 1:"),
        ("merged.append(tokens[i])", "merged.insert(0, tokens[i])"),
        ("tokens[i] == a and tokens[i + 1] == b", "{tokens[i], tokens[i + 1]} == {a, b}"),
    ],
}


@pytest.mark.parametrize(
    ("equation", "old", "new"), [(equation, *edit) for equation, edits in MUTANTS.items() for edit in edits]
)
def test_a_reference_kills_mutants_of_the_code(verified, equation, old, new):
    assert SOURCE.count(old) == 1
    spec = SPEC.replace(f"place = {old}", f"place = {new}")  # the anchor is edited alike
    found = result(verified, equation, SOURCE.replace(old, new), spec=spec)
    assert found.verdict in (Verdict.REFUTED, Verdict.NOT_CHECKED)
    kinds = {fault.kind for fault in found.faults}
    assert kinds
    assert kinds <= {"discrete-mismatch", "user-code-failed"}


def test_the_counter_example_is_shrunk(verified):
    found = result(verified, "t.merge", SOURCE.replace("i += 2", "i += 1"))
    (fault,) = found.faults
    assert fault.kind == "discrete-mismatch"
    assert "tokens = ['a', 'a'], a = 'a', b = 'a'" in fault.message
    assert "merged is ['aa', 'a'], the reference gives ['aa']" in fault.message
    assert fault.message.startswith("subject.py:28: ")


def test_an_empty_input_is_among_them(verified):
    found = result(
        verified, "t.merge", SOURCE.replace("    merged = []\n    i", "    merged = [tokens[-1]][:0]\n    i")
    )
    assert [fault.kind for fault in found.faults] == ["user-code-failed"]


@pytest.mark.parametrize(
    ("references", "said"),
    [
        ("", "has no function `t_kth`"),
        ("def t_kth(x, z): return 0", "parameters that are no symbols: z"),
        ("def t_kth(x, k): raise OSError('no')", "raised OSError"),
        ("import nothing_of_that_name", "raised ModuleNotFoundError"),
    ],
)
def test_a_reference_that_is_missing_or_fails_is_not_checked(verified, references, said):
    found = result(verified, "t.kth", references=references)
    assert found.verdict is Verdict.NOT_CHECKED
    assert said in "\n".join(fault.message for fault in found.faults)


@pytest.mark.parametrize("compared", [False, True])
def test_executions_of_scenarios_are_compared_too(verified, compared):
    source = SOURCE.replace("order[k]\n", "int(order[k]) if len(x) < 30 else 0 * len(order) * k\n")
    spec = SPEC.replace("'place = order[k]'", "'place = int(order[k]) if len(x) < 30 else 0 * len(order) * k'")
    scenarios = """
        import numpy as np
        from subject import kth_largest


        def long(rng, sizes):
            kth_largest(np.arange(40.0), 3)
    """
    found = result(verified, "t.kth", source, REFERENCES, spec, scenarios if compared else "")
    assert found.verdict is (Verdict.REFUTED if compared else Verdict.TESTED)
    assert not compared or "scenario long" in found.faults[0].message


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ((1, [2]), [1, (2,)], True),
        ([1, 2], [1, 2, 3], False),
        ({"a": 1}, {"a": 1.0}, True),
        ({("a", "b"): 1}, {("a", "b"): 2}, False),
        (float("nan"), float("nan"), True),
        (True, 1, False),
        ("1", 1, False),
        (0.1 + 0.2, 0.3, False),
        ({1, 2}, {2, 1}, True),
        ([], (), True),
    ],
)
def test_comparison_is_exact(left, right, equal):
    assert same(plain(left), plain(right)) is equal
