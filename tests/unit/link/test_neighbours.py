"""Which of several equal statements is meant where git doesn't tell how many there were: neighbours do, or nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eqtrace.link.faults import fault_of
from eqtrace.link.fix import edits
from eqtrace.link.match import match
from eqtrace.link.relocate import Homes
from eqtrace.model.anchor import Match, Status
from eqtrace.model.span import Span, Text

TWICE = """\
def f(x):
    a = x.start()
    if x:
        x = x + 1
    b = x.middle()
    c = x.near()
    if not x:
        x = x + 1
    return x.end()
"""
TWIN = "x = x + 1"
ABOVE, BELOW = ("a = x.start()", 2), ("return x.end()", 9)


@pytest.fixture
def look(bench):
    """Where the statement that stood at a line is said to be, with neighbours given by their code and line."""

    def looked(text: str, line: int, occurrence: int, *neighbours: tuple[str, int], function: str = "f") -> Match:
        bench.write("impl/a.py", text)
        anchor = bench.anchor(TWIN, line, function, occurrence=occurrence)
        others = [bench.anchor(code, at, function, name=str(number)) for number, (code, at) in enumerate(neighbours, 1)]
        return match(anchor, bench.index, Homes(bench.index, [anchor, *others]))

    return looked


def lower(text: str, by: int = 4) -> str:
    return "# comment\n" * by + text


def test_the_order_counts_where_nothing_speaks_against_it(look):
    for line, occurrence in ((4, 0), (8, 1)):
        found = look(lower(TWICE), line, occurrence)
        assert (found.status, found.span.line) == (Status.MOVED, line + 4)
        found = look(lower(TWICE), line, occurrence, ABOVE, BELOW)
        assert (found.status, found.span.line) == (Status.MOVED, line + 4)


def test_one_that_is_left_of_several_may_be_the_other(look):
    one = lower(TWICE).replace("    if x:\n        x = x + 1\n", "")
    assert look(one, 4, 0).status is Status.AMBIGUOUS
    assert look(one, 4, 0, ABOVE).status is Status.AMBIGUOUS
    assert look(one, 8, 1).status is Status.MISSING


def test_one_that_is_left_beside_what_stood_beside_it(look):
    one = lower(TWICE).replace("    if x:\n        x = x + 1\n", "")
    found = look(one, 8, 1, ("c = x.near()", 6))
    assert (found.status, found.span.line, found.occurrence) == (Status.MOVED, 10, 0)
    assert look(one, 8, 1, ("return x.end()", 9)).span.line == 10
    assert look(one, 8, 1, ("a = x.start()", 2)).status is Status.MISSING


def test_one_at_its_line_is_right_whatever_stood_beside_it(look):
    found = look(TWICE.replace("    if not x:\n        x = x + 1\n", ""), 4, 0)
    assert (found.status, found.span.line) == (Status.OK, 4)


def test_another_one_at_the_old_distance_contradicts_the_order(look):
    added = lower(TWICE).replace("    a = x.start()\n", "    x = x + 1\n    a = x.start()\n")
    assert look(added, 4, 0, ABOVE).status is Status.AMBIGUOUS
    assert look(added, 8, 1, BELOW).status is Status.AMBIGUOUS
    assert look(added, 8, 1).status is Status.MOVED  # nobody cites what would tell


def test_one_that_came_much_nearer_to_its_neighbour(look):
    tall = TWICE.replace("    b = x.middle()\n", "    b = x.middle()\n" * 20)
    near = "    x = x + 1\n    if x:\n        x = x + 1\n    return x.end()\n"
    changed = "\n\ndef f(x):\n    a = x.start()\n" + near
    assert look(tall, 27, 1, ABOVE).status is Status.OK
    assert look(changed, 27, 1, ABOVE).status is Status.AMBIGUOUS
    found = look(lower(tall).replace("    a = x.start()\n", "    a = x.start()\n\n"), 27, 1, ABOVE)
    assert (found.status, found.span.line) == (Status.MOVED, 32)  # a line came between: the other one is far


def test_a_rewritten_function_is_trusted_only_near_the_old_line(look):
    rewritten = TWICE.replace("a = x.start()", "a = x.begin(1, 2)")
    found = look("\n" + rewritten, 8, 1, ABOVE)
    assert (found.status, found.span.line) == (Status.MOVED, 9)
    assert look(lower(rewritten, 40), 8, 1, ABOVE).status is Status.AMBIGUOUS
    assert look(lower(rewritten, 40), 8, 1).status is Status.MOVED


def test_a_statement_right_beside_it_is_gone(look):
    without = lower(TWICE).replace("    c = x.near()\n", "")
    near, middle = ("c = x.near()", 6), ("b = x.middle()", 5)
    assert look(without, 8, 1, near).status is Status.AMBIGUOUS
    assert look(without, 8, 1, near, middle).status is Status.AMBIGUOUS
    for neighbours in ([near, BELOW], [middle]):  # which kept its distance; nobody cites what is gone
        found = look(without, 8, 1, *neighbours)
        assert (found.status, found.span.line) == (Status.MOVED, 11)
    found = look(without, 4, 0, near, middle)
    assert (found.status, found.span.line) == (Status.MOVED, 8)


def test_what_is_cited_of_other_functions_tells_how_far_a_rewritten_one_moved(bench):
    rest = "\n\ndef g(y):\n    return y.only() + 1\n"
    bench.write("impl/a.py", lower(TWICE.replace("a = x.start()", "a = x.begin(1, 2)") + rest, 40))
    anchor = bench.anchor(TWIN, 8, "f", occurrence=1)
    gone, other = bench.anchor("a = x.start()", 2, name="1"), bench.anchor("return y.only() + 1", 13, "g", name="2")
    found = match(anchor, bench.index, Homes(bench.index, [anchor, gone, other]))
    assert (found.status, found.span.line) == (Status.MOVED, 48)
    assert match(anchor, bench.index, Homes(bench.index, [anchor, gone])).status is Status.AMBIGUOUS


def test_neighbours_that_stand_several_times_tell_nothing(look):
    doubled = lower(TWICE).replace("    a = x.start()\n", "    a = x.start()\n    a = x.start()\n")
    found = look(doubled, 8, 1, ABOVE)
    assert (found.status, found.span.line) == (Status.MOVED, 13)


def test_fix_writes_which_one_it_is_now(bench):
    at, counted = Text("impl/a.py:8", Span("s.yaml", 1, 5, 1, 16)), Text("1", Span("s.yaml", 1, 22, 1, 23))
    bench.write("impl/a.py", lower(TWICE).replace("    if x:\n        x = x + 1\n", ""))
    anchor = replace(bench.anchor(TWIN, 8, "f", occurrence=1), at=at, counted=counted)
    near = bench.anchor("c = x.near()", 6, name="1")
    found = match(anchor, bench.index, Homes(bench.index, [anchor, near]))
    assert [(each.old, each.new) for each in edits([found])] == [("impl/a.py:8", "impl/a.py:10"), ("1", "0")]
    fault = fault_of(found, "e", bench.index)
    assert fault is not None
    assert fault.message == "`x = x + 1` is at line 10, as occurrence 0, now, not 8, as 1"
    assert fault.hint == "`eqtrace fix` writes impl/a.py:10 and occurrence: 0"
    fixed = [replace(anchor, line=10, occurrence=0), replace(near, line=8)]
    assert match(fixed[0], bench.index, Homes(bench.index, fixed)).status is Status.OK
    bench.write("impl/a.py", lower(TWICE))
    found = match(anchor, bench.index, Homes(bench.index, [anchor, near]))
    assert [(each.old, each.new) for each in edits([found])] == [("impl/a.py:8", "impl/a.py:12")]
