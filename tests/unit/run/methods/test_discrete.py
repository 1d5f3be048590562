"""Lines held against references of another algorithm, each of which kills ten mutants of the code."""

import pytest

from eqtrace.model.verdict import Verdict
from eqtrace.run.executions import Captured
from eqtrace.run.methods import discrete
from eqtrace.run.methods.discrete import of_every_run, plain, same
from eqtrace.run.record import Event

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
        moved = next((n for n, each in enumerate(source.strip().split("\n"), 1) if each.startswith(wanted)), line)
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
    source = SOURCE.replace("order[k]\n", "int(order[k]) if len(x) < 600 else 0 * len(order) * k\n")
    spec = SPEC.replace("'place = order[k]'", "'place = int(order[k]) if len(x) < 600 else 0 * len(order) * k'")
    scenarios = """
        import numpy as np
        from subject import kth_largest


        def long(rng, sizes):
            kth_largest(np.arange(800.0), 3)
    """
    found = result(verified, "t.kth", source, REFERENCES, spec, scenarios if compared else "")
    assert found.verdict is (Verdict.REFUTED if compared else Verdict.TESTED)
    assert not compared or "scenario long" in found.faults[0].message


def test_no_run_is_passed_over():
    runs = [("a", 70), ("b", 2), ("c", 70), ("d", 1), ("a", 5)]
    every = [Captured(Event("line", {"n": n}, {}, {}, "m"), run) for run, count in runs for n in range(count)]
    chosen = of_every_run(every, 8)
    assert chosen[:8] == discrete.spread(every, 8)
    assert [(each.origin, each.event.inputs["n"]) for each in chosen[8:]] == [("b", 0), ("d", 0)]
    assert of_every_run(every, 200) == every
    assert of_every_run([], 8) == []


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


COUNTING = """
from collections import Counter


def count(text):
    words = text.split(" ")
    for word in words:
        added = len(word)
    return dict(Counter(words))
"""

COUNTS = """
def t_count(words):
    return {word: words.count(word) for word in words}


def t_length(word):
    return sum(1 for _ in word)
"""

COUNTED = """
topic: t
title: T
page: p
status: implemented
direction: neither
functions: ['subject.py::count']
what: w
why: w
symbols:
  text: {shape: [], domain: {letters: 'ab é'}}
  words: {shape: [m]}
  n: {shape: [S], code: null}
  word: {shape: [k]}
  added: {shape: []}
indices: {w: S, i: m}
equations:
  - id: t.count
    method: [discrete]
    sympy: 'Eq(n[w], Sum(KroneckerDelta(words[i], w), i))'
    anchors: [{role: computes, at: 'subject.py:8', in: count, code: 'return dict(Counter(words))', bind: {n: result}}]
  - id: t.length
    method: [discrete]
    sympy: 'Eq(added, k)'
    anchors: [{role: computes, at: 'subject.py:7', in: count, code: 'added = len(word)', bind: {word: word}}]
"""


def counted(verified, equation="t.count", source=COUNTING, spec=COUNTED, references=COUNTS):
    return result(verified, equation, source, references, spec)


def test_the_form_holds_with_strings_as_numbers(verified):
    found = counted(verified)
    assert ([fault.message for fault in found.faults], found.verdict) == ([], Verdict.TESTED)
    assert "the form held exactly" in found.evidence.detail


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("words[i], w), i)", "words[i], w), (i, 1, m - 1))"),
        ("Sum(KroneckerDelta(words[i], w), i)", "Max(1, Sum(KroneckerDelta(words[i], w), i))"),
        ("words[i], w), i)", 'words[i], w), i) + KroneckerDelta(w, "a")'),
    ],
)
def test_a_wrong_form_is_refuted_where_the_reference_agrees(verified, old, new):
    spec = COUNTED.replace(old, new)
    found = counted(verified, spec=spec)
    assert found.verdict is Verdict.REFUTED
    (fault,) = found.faults
    assert fault.kind == "discrete-mismatch"
    assert "does not hold for" in fault.message


def test_entries_that_the_form_leaves_out_are_told(verified):
    spec = COUNTED.replace("indices: {w: S, i: m}", "indices: {w: [1, S], i: m}")
    found = counted(verified, spec=spec)
    assert found.verdict is Verdict.NOT_CHECKED
    assert [fault.kind for fault in found.faults] == ["entries-undefined"]


def test_a_string_of_which_an_axis_is_declared_is_a_row(verified):
    found = counted(verified, "t.length")
    assert ([fault.message for fault in found.faults], found.verdict) == ([], Verdict.TESTED)


def test_a_statement_that_no_execution_shows_is_told(verified):
    spec = COUNTED.replace("sympy: 'Eq(added, k)'", "sympy: ['Eq(added, k)', 'S >= m']")
    found = counted(verified, "t.length", spec=spec)
    assert found.verdict is Verdict.NOT_CHECKED
    assert "no execution shows all that `S >= m` speaks of" in found.faults[0].message


TWO_LINES = (
    COUNTED.partition("equations:")[0]
    + """equations:
  - id: t.count
    method: [discrete]
    sympy: ['Eq(n[w], Sum(KroneckerDelta(words[i], w), i))', 'Eq(added, k)']
    anchors:
      - {role: computes, at: 'subject.py:8', in: count, code: 'return dict(Counter(words))', part: 0, bind: {n: result}}
      - {role: computes, at: 'subject.py:7', in: count, code: 'added = len(word)', part: 1, bind: {word: word}}
"""
)
BOTH = """
def t_count(words=(), word=""):
    return {"n": {each: list(words).count(each) for each in words}, "added": len(word)}
"""


def test_lines_may_each_show_a_symbol_of_their_own(verified):
    found = counted(verified, spec=TWO_LINES, references=BOTH)
    assert ([fault.message for fault in found.faults], found.verdict) == ([], Verdict.TESTED)


def test_each_line_that_differs_is_told(verified):
    wrong, spec = (
        text.replace("len(word)", "len(word) + 1").replace("Counter(words)", "Counter(words[1:])")
        for text in (COUNTING, TWO_LINES)
    )
    found = counted(verified, source=wrong, spec=spec, references=BOTH)
    assert found.verdict is Verdict.REFUTED
    assert sorted(fault.message.partition(": ")[0] for fault in found.faults) == ["subject.py:7", "subject.py:8"]


def test_a_wrong_value_counts_where_the_code_fails_of_it(verified):
    source = SOURCE.replace("place = order[k]\n", "place = order[k] + 1\n    assert place in order\n")
    found = result(verified, "t.kth", source, spec=SPEC.replace("'place = order[k]'", "'place = order[k] + 1'"))
    assert found.verdict is Verdict.REFUTED
    assert {fault.kind for fault in found.faults} == {"discrete-mismatch", "user-code-failed"}


def test_a_generator_that_a_call_returns_is_run(verified):
    source = SOURCE.replace(
        "def merge(", "def turns(x):\n    for each in x:\n        place = each\n        yield place\n\n\ndef merge("
    )
    line = source.strip().split("\n").index("        place = each") + 1
    added = f"""
  - id: t.turns
    method: [discrete]
    sympy: 'Eq(place, each)'
    symbols: {{each: {{shape: []}}}}
    call: 'turns(x)'
    anchors: [{{role: computes, at: 'subject.py:{line}', in: turns, code: 'place = each'}}]
"""
    found = result(verified, "t.turns", source, "def t_turns(each): return each\n", SPEC + added)
    assert ([fault.message for fault in found.faults], found.verdict) == ([], Verdict.TESTED)
