from __future__ import annotations

from dataclasses import replace

import pytest

from eqtrace.link.review.accept import accept, written
from eqtrace.link.review.faults import faults
from eqtrace.link.review.suspicion import compare, unshown
from eqtrace.model.topic import Review
from eqtrace.model.verdict import Verdict

OTHER = "0" * 64


def suspect(bench, reviews: list[Review]) -> list[tuple[str, str]]:
    project, found = bench.links()
    changes = compare(reviews, found, project.index).changes
    return [(change.kind, change.link.anchor.id) for change in changes]


def test_as_reviewed(bench) -> None:
    assert suspect(bench, bench.reviews()) == []


def test_each_end(bench) -> None:
    computes, tests, *_ = bench.reviews()
    assert suspect(bench, [replace(tests, form=OTHER, prose=OTHER, code=OTHER)]) == [
        ("form", tests.key),
        ("prose", tests.key),
        ("code", tests.key),
    ]
    assert suspect(bench, [replace(computes, code=OTHER)]) == []  # it runs: verify decides


def test_any_line_that_matches_clears(bench) -> None:
    tests = bench.reviews()[1]
    other, worse = replace(tests, form=OTHER), replace(tests, form=OTHER, code=OTHER)
    assert suspect(bench, [other, tests]) == suspect(bench, [tests, other]) == []
    assert suspect(bench, [worse, other]) == suspect(bench, [other, worse]) == [("form", tests.key)]
    # Each half was reviewed, but never both together.
    halves = [replace(tests, prose=OTHER), replace(tests, form=OTHER)]
    assert len(suspect(bench, halves)) == 1


def test_links_without_a_line_and_lines_without_a_link(bench) -> None:
    project, found = bench.links()
    one = bench.reviews()[0]
    comparison = compare([one, Review("gone.gone/tests/0", OTHER, OTHER, OTHER)], found, project.index)
    assert (len(comparison.links), comparison.reviewed, comparison.changes) == (4, 1, ())


def test_an_anchor_that_is_not_found_has_its_own_finding(bench) -> None:
    reviews = bench.reviews()
    bench.edit("tests/test_ops.py", "linear(1, 2, 3) == 5", "linear(1, 2, 3) == 6")
    assert {fault.kind for fault in bench.read().faults} == {"statement-changed"}
    project = bench.read()
    assert project.compared is None
    bench.write("reviews.yaml", written(reviews))
    assert bench.read().compared.changes == ()


@pytest.mark.parametrize(
    ("verdict", "count"),
    [(None, 1), (Verdict.NOT_CHECKED, 1), (Verdict.REFUTED, 1), (Verdict.SAMPLED, 0), (Verdict.PROVED, 0)],
)
def test_running_code_clears_itself_where_it_is_shown(bench, verdict: Verdict | None, count: int) -> None:
    project, found = bench.links()
    computes = replace(bench.reviews()[0], code=OTHER)
    comparison = compare([computes], found, project.index)
    assert len(list(unshown(comparison, project.index, lambda equation: verdict))) == count
    same = compare(bench.reviews(), found, project.index)
    assert list(unshown(same, project.index, lambda equation: verdict)) == []


def test_one_changed_sentence_is_one_fault(bench) -> None:
    bench.commit()
    reviews = bench.reviews()
    bench.edit("lin.yaml", "It adds a bias.", "It adds one bias.")
    bench.edit("lin.yaml", "label: Bias alone", "label: The bias")
    project, found = bench.links()
    told = list(faults(compare(reviews, found, project.index).changes, project.index))
    topic, label = told
    assert topic.message.split("\n")[0] == "the prose changed after 4 links were reviewed"
    assert topic.message.split("\n")[2:] == ["+++ now", "-what: It adds a bias.", "+what: It adds one bias."]
    assert [each.message for each in topic.related] == [link.anchor.id for link in found]
    assert [(each.span.path, each.span.line) for each in topic.related][:2] == [("ops.py", 2), ("tests/test_ops.py", 4)]
    assert (topic.span.line, topic.span.column, topic.equation) == (7, 7, None)
    assert "-label: Bias alone\n+label: The bias" in label.message
    assert len(label.related) == 2
    assert label.equation == "lin.bias"


def test_every_kind_is_shown_with_its_difference_and_place(bench) -> None:
    bench.commit()
    reviews = bench.reviews()
    bench.edit("lin.yaml", "+ b[j])'", "- b[j])'")
    bench.edit("lin.yaml", "code: 'assert linear(0, 0, 3) == 3'", "code: 'assert linear(0, 0, 3) == 4'")
    bench.edit("lin.yaml", "The bias is added.", "The bias is left out.")
    bench.edit("tests/test_ops.py", "linear(0, 0, 3) == 3", "linear(0, 0, 3) == 4")
    bench.edit("notes.md", "The bias is added.", "The bias is left out.")
    project, found = bench.links()
    form, test, notes = faults(compare(reviews, found, project.index).changes, project.index)
    assert "\n-form: Eq(Y[t, j], Sum(X[t, k] * W[k, j], k) + b[j])\n+form: " in form.message
    assert (form.span.line, form.span.column) == (20, 12)
    assert "\n-assert linear(0, 0, 3) == 3\n+assert linear(0, 0, 3) == 4" in test.message
    assert (test.span.line, test.span.column) == (30, 27)
    assert "\n-The bias is added.\n+The bias is left out." in notes.message


def test_a_whole_functions_difference_is_found_in_the_code(bench) -> None:
    bench.write("lin.yaml", "ops:\n  linear: {sympy: 'X*W + b'}\n")
    bench.commit()
    reviews = bench.reviews()
    bench.edit("ops.py", "X @ W + b", "X @ W - b")
    project, found = bench.links()
    changes = unshown(compare(reviews, found, project.index), project.index, lambda equation: Verdict.REFUTED)
    (fault,) = faults(changes, project.index)
    assert "and the equation is refuted" in fault.message
    assert "\n-    return X @ W + b\n+    return X @ W - b" in fault.message


def test_without_git_the_difference_is_said_to_be_missing(bench) -> None:
    reviews = bench.reviews()
    bench.edit("lin.yaml", "It adds a bias.", "It adds one bias.")
    project, found = bench.links()
    (fault,) = faults(compare(reviews, found, project.index).changes, project.index)
    assert fault.message == "the prose changed after 4 links were reviewed"
    assert fault.hint.startswith("the difference can't be shown: this is no git repository\n")
    assert fault.span.line == 7


def test_what_was_never_committed_is_not_found(bench) -> None:
    bench.commit()
    tests = replace(bench.reviews()[1], form=OTHER)
    project, found = bench.links()
    (fault,) = faults(compare([tests], found, project.index).changes, project.index)
    assert "no version of lin.yaml" in fault.hint
    assert fault.span.line == 20


def test_accepting(bench) -> None:
    project, found = bench.links()
    every = {"lin.lin", "lin.bias"}
    done = accept([], found, every, True, project.index)
    assert sorted(done.reviews, key=lambda each: each.key) == sorted(bench.reviews(), key=lambda each: each.key)
    assert (done.recorded, done.removed, done.refused) == (4, 0, ())
    again = accept(done.reviews, found, every, True, project.index)
    assert (again.recorded, again.reviews) == (0, done.reviews)
    assert [line.split(":")[0] for line in written(done.reviews).splitlines()[2:]] == [
        "'lin.bias/states/Notes'",
        "'lin.bias/tests/0'",
        "'lin.lin/computes/0'",
        "'lin.lin/tests/0'",
    ]


def test_accepting_some(bench) -> None:
    project, found = bench.links()
    now = {each.key: each for each in bench.reviews()}
    key = "lin.lin/tests/0"
    old = [replace(now[key], form=OTHER), replace(now["lin.bias/tests/0"], form=OTHER)]
    done = accept(old, found, {"lin.lin"}, True, project.index)
    assert now[key] in done.reviews
    assert old[1] in done.reviews
    assert len(done.reviews) == 3
    assert done.recorded == 2


def test_lines_of_links_that_are_gone(bench) -> None:
    project, found = bench.links()
    gone = [Review(f"{name}/tests/7", OTHER, OTHER, OTHER) for name in ("lin.lin", "lin.other", "a/b.py::f")]
    everything = accept(gone, found, {"lin.lin", "lin.bias"}, True, project.index)
    assert everything.removed == 3
    one = accept(gone, found, {"lin.lin"}, True, project.index)
    assert (one.removed, set(gone[1:]) <= set(one.reviews)) == (1, True)
    # An equation that could not be read is not gone.
    unread = accept(gone, found, {"lin.lin", "lin.bias"}, False, project.index)
    assert (unread.removed, set(gone) <= set(unread.reviews)) == (0, True)


def test_lines_of_one_link_are_united(bench) -> None:
    project, found = bench.links()
    now = bench.reviews()[3]
    other = replace(now, form=OTHER)
    kept = accept([now, other, other], found, {"lin.lin"}, True, project.index).reviews
    assert [each for each in kept if each.key == now.key] == [now]
    unclear = [other, replace(now, prose=OTHER)]
    kept = accept(unclear, found, {"lin.lin"}, True, project.index).reviews
    assert {each for each in kept if each.key == now.key} == set(unclear)


def test_what_moved_is_refused_and_keeps_its_line(bench) -> None:
    old = bench.reviews()
    bench.write("ops.py", "\n" + (bench.root / "ops.py").read_text())
    bench.write("reviews.yaml", written(old))
    project = bench.read()
    done = accept(old, project.compared.links, {"lin.lin", "lin.bias"}, True, project.index)
    assert [link.anchor.id for link in done.refused] == ["lin.lin/computes/0"]
    assert set(done.reviews) == set(old)
