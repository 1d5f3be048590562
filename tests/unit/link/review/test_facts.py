"""Which of a link's texts an edit changes, and which edits change none."""

from __future__ import annotations

import pytest

from eqtrace.link.review import facts

LIN = {"lin.lin/computes/0", "lin.lin/tests/0"}
BIAS = {"lin.bias/tests/0", "lin.bias/states/Notes"}


def of(kind: str, *names: set[str]) -> set[tuple[str, str]]:
    return {(kind, name) for each in names for name in each}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("+ b[j])'", "- b[j])'", of("form", LIN)),
        ("'Eq(Z[j], b[j])'", "'Eq(Z[j], -b[j])'", of("form", BIAS)),
        ("'Ge(Z[j], 0)'", "'Ge(Z[j], 1)'", of("form", {"lin.bias/states/Notes"})),  # the test shows part 0
        ("where: 'a > 0'", "where: 'a > 1'", of("form", BIAS)),
        ("b: {meaning: Bias, shape: [c]}", "b: {meaning: Bias, shape: [a]}", of("form", LIN, BIAS)),
        ("Z: {meaning: Other, code: null, shape: [c]}", "Z: {meaning: Other, code: null}", of("form", BIAS)),
        ("shape: [T, a]}", "shape: [T, a], domain: {min: 0, open: [min]}}", of("form", LIN)),
        ("indices: {t: T, k: a, j: c}", "indices: {t: T, k: a, j: [1, c]}", of("form", LIN, BIAS)),
        ("indices: {t: T, k: a, j: c}", "indices: {t: T, k: [0, 'a - 1'], j: c}", of("form", LIN)),
        ("    where: 'a > 0'", "    where: 'a > 0'\n    rejects: ValueError", of("form", BIAS)),
        ("    where: 'a > 0'", "    where: 'a > 0'\n    let: {r: 'b[0]'}", of("form", BIAS)),
        ("    where: 'a > 0'", "    where: 'a > 0'\n    given: [{equation: lin.lin}]", of("form", BIAS)),
        ("    where: 'a > 0'", "    where: 'a > 0'\n    order: ['ops.py::linear']", of("form", BIAS)),
        ("It adds a bias.", "It adds one bias.", of("prose", LIN, BIAS)),
        ("why: Everything", "why: Nearly everything", of("prose", LIN, BIAS)),
        ("label: Bias alone", "label: The bias", of("prose", BIAS)),
        ("latex: 'Z = b'", "latex: 'Z := b'", of("prose", BIAS)),
        ("meaning: Weights", "meaning: Weight matrix", of("prose", LIN)),
    ],
)
def test_edits_of_the_specification(changed, old: str, new: str, expected: set[tuple[str, str]]) -> None:
    assert changed("lin.yaml", old, new) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Sum(X[t, k]*W[k, j], k)", "Sum(X[t,k] * W[k,j],k)"),
        ("where: 'a > 0'", "where: ' (a>0) '"),
        ("what: It mixes columns. It adds a bias.", "what: >-\n  It mixes columns.\n  It adds\n  a bias."),
        ("title: Linear", "title: Linear layer"),
        ("code: 'assert linear(0, 0, 3) == 3'", "code: 'assert (linear(0,0,3)==3)'"),
        ("status: implemented", "status: implemented  # by hand"),
        ("shape: [T, a]", "shape: ['T',  a]"),
        ("    where: 'a > 0'", "    where: 'a > 0'\n    method: [identity]"),
    ],
)
def test_edits_that_change_no_text(changed, old: str, new: str) -> None:
    assert changed("lin.yaml", old, new) == set()


def test_code_without_its_spelling(changed, bench) -> None:
    assert changed("ops.py", "return X @ W + b", "return (X@W) + b  # as documented") == set()
    assert changed("tests/test_ops.py", "linear(1, 2, 3)", "linear(1,2,3)") == set()
    assert changed("notes.md", "The bias", "  The bias") == set()


def test_a_whole_function_is_its_body(changed, bench) -> None:
    bench.write("lin.yaml", "ops:\n  linear: {sympy: 'X*W + b'}\n")
    assert changed("ops.py", "):\n", '):\n    """Says what it does."""\n') == set()
    assert changed("ops.py", "X @ W", "W @ X") == {("code", "ops:linear/computes/0")}


def test_what_short_form_infers_from_code_is_no_claim(bench) -> None:
    bench.write("lin.yaml", "ops:\n  linear: {sympy: 'X*W + b'}\n")
    (before,) = bench.reviews()
    bench.edit("ops.py", "(X, W, b)", "(X, W, b, unused=0)")
    (now,) = bench.reviews()
    assert (before.form, before.prose) == (now.form, now.prose)


def test_a_reader_sees_one_fact_a_line(bench) -> None:
    _, found = bench.links()
    bias = found[2]
    assert [fact.line for fact in facts.form(bias.equation, bias.anchor.part)] == [
        "form: Eq(Z[j], b[j])",
        "where: a > 0",
        "index j: from 0 up to c",
        "shape Z: [c]",
        "shape b: [c]",
    ]
    assert [fact.line for fact in facts.prose(bias.topic)] == [
        "what: It mixes columns.",
        "what: It adds a bias.",
        "why: Everything is built of it.",
    ]
    assert [fact.line for fact in facts.equation_prose(bias.equation, 0)] == [
        "label: Bias alone",
        "latex: Z = b",
        "meaning of Z: Other",
        "meaning of b: Bias",
    ]


def test_what_ledgers_hold_rests_on_these_hashes(bench) -> None:
    """Whoever changes them makes every ledger's links suspect."""
    first = bench.reviews()[0]
    assert [first.form[:12], first.prose[:12], first.code[:12]] == ["4c0f48b38848", "12b06928226a", "eafd1aa9a111"]
