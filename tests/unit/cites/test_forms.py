"""Every way to write a citation, with the exact place of its numbers; and what only looks like one."""

import pytest

from eqtrace.cites import documents, forms
from eqtrace.cites.blocks import Blocks
from eqtrace.model.citation import Citation


def found(text: str, path: str = "docs/a.md") -> list[Citation]:
    document = documents.read(path, text)
    if document is None:
        return []
    assert len(document.prose) == len(text)
    citations = forms.extract(document, Blocks(document.prose), frozenset()).citations
    for citation in citations:
        for number in (citation.first, citation.last):
            if number is not None:
                assert text[number.start : number.end] == str(number.value)
    return list(citations)


def cited(text: str, path: str = "docs/a.md") -> list[tuple[str, int | None, int | None]]:
    return [(each.file, each.line, each.end_line) for each in found(text, path)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see `src/a.rs:12`", [("src/a.rs", 12, 12)]),
        ("see src/a.rs:12.", [("src/a.rs", 12, 12)]),
        ("`a.rs:12-20` and a.rs:30–33", [("a.rs", 12, 20), ("a.rs", 30, 33)]),
        ("`a.rs:L12-L20`, `a.rs#L3`", [("a.rs", 12, 20), ("a.rs", 3, 3)]),
        ("[x](../src/a.py#L12-L20)", [("../src/a.py", 12, 20)]),
        ("[`a.py:7`](../src/a.py#L7)", [("a.py", 7, 7), ("../src/a.py", 7, 7)]),
        ("at a.py:12:5 exactly", [("a.py", 12, 12)]),
        ("line 12 of `a.py`", [("a.py", 12, 12)]),
        ("lines 12-20 in `src/a.py` say", [("src/a.py", 12, 20)]),
        ("`a.py` (L12)", [("a.py", 12, 12)]),
        ("`a.py` (lines 12–20)", [("a.py", 12, 20)]),
        ("`a.py`, line 12", [("a.py", 12, 12)]),
        ("a.py line 12 and more", [("a.py", 12, 12)]),
        ("`a.rs:49/87/118`", [("a.rs", 49, 49), ("a.rs", 87, 87), ("a.rs", 118, 118)]),
        ("`a.rs:323, 342`", [("a.rs", 323, 323), ("a.rs", 342, 342)]),
        ("`x.rs:84-98` / `:104`", [("x.rs", 84, 98), ("x.rs", 104, 104)]),
        ("`x.rs:213,258` (use it)", [("x.rs", 213, 213), ("x.rs", 258, 258)]),
        ("`x.rs:517,\n  680` wrapped", [("x.rs", 517, 517), ("x.rs", 680, 680)]),
        ("`big.c:~1276`", [("big.c", 1276, 1276)]),
        ("`big.c` ~L498", [("big.c", 498, 498)]),
        ("In `big.c` the loop is at L4729.", [("big.c", 4729, 4729)]),
        ("In `big.c` the loop (`:41`) ends.", [("big.c", 41, 41)]),
        ("In `big.c`:\n\n- the loop `:41-45`\n- `other:52`", [("big.c", 41, 45), ("big.c", 52, 52)]),
        ("design.md:12 says", [("design.md", 12, 12)]),
        ("https://github.com/o/n/blob/main/src/a.py#L10-L12", [("src/a.py", 10, 12)]),
        ("<https://gitlab.com/g/s/n/-/blob/main/a.py#L10-12>", [("a.py", 10, 12)]),
        ("https://bitbucket.org/o/n/src/main/a.py#lines-10:12", [("a.py", 10, 12)]),
        ("/elsewhere/n/src/a.rs:126)", [("/elsewhere/n/src/a.rs", 126, 126)]),
        ("app/[id]/page.tsx:3", [("app/[id]/page.tsx", 3, 3)]),
        ("Makefile:12", [("Makefile", 12, 12)]),
        ("at `a.c:61`, called from `:288/:367`", [("a.c", 61, 61), ("a.c", 288, 288), ("a.c", 367, 367)]),
        ("(`a.go:142`) and per check (:317, :320-324)", [("a.go", 142, 142), ("a.go", 317, 317), ("a.go", 320, 324)]),
        ("lines 12, 14 and 40-42 of `a.py`", [("a.py", 12, 12), ("a.py", 14, 14), ("a.py", 40, 42)]),
        ("`a.py` lines 12 and 40 do it", [("a.py", 12, 12), ("a.py", 40, 40)]),
        ("`a.py` (lines 12, 40–44)", [("a.py", 12, 12), ("a.py", 40, 44)]),
        ("``a.py``, lines 12--20", [("a.py", 12, 20)]),
        ("`a.py`:12, **b.py**:3-4", [("a.py", 12, 12), ("b.py", 3, 4)]),
        ("`a.py`: line 12; a.py — lines 3-4", [("a.py", 12, 12), ("a.py", 3, 4)]),
        ("a.rs:49 / 87", [("a.rs", 49, 49), ("a.rs", 87, 87)]),
        ("a.py:12ff and `b.py:3+`", [("a.py", 12, 12), ("b.py", 3, 3)]),
        ("> as `a.rs:517,\n> 680` says", [("a.rs", 517, 517), ("a.rs", 680, 680)]),
        ("`kernel/mod.rs` ~5346, (`a.rs` ~498)", [("kernel/mod.rs", 5346, 5346), ("a.rs", 498, 498)]),
    ],
)
def test_forms(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert cited(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "at 12:30 on example.com:8080",
        "https://example.com/a.py:80/x and http://host.sh:443/",
        "version 1.2.3:4, ratio 3.5:10",
        "a.py:12.5 is no line, nor is a.py:1.2.3",
        "the L2 cache and the L1 norm in `a.py`",
        "`a.py` has 12 lines",
        "line 12 of the poem",
        "`:41` without any file",
        "a.py: 12 items",
        'File "a.py", line 12, in main',
        "`a.py` (167 l.) and `a.py` (3 of 4)",
        "std::vec::Vec and foo.bar:baz",
        "a.py:0 and `a.py` (L0)",
        "`a.py` (~500 lines) and `b.py` ~300 LOC",
        '{"a.py":12, "b.py":3}',
        "`a.py` (:smile:), and ratio (3:12)",
    ],
)
def test_no_citations(text: str) -> None:
    assert cited(text) == []


def test_a_plain_number_after_a_comma_is_no_line_in_prose() -> None:
    assert cited("a.rs:12, 3 of them") == [("a.rs", 12, 12)]
    assert cited("(a.rs:12, 30)") == [("a.rs", 12, 12), ("a.rs", 30, 30)]


@pytest.mark.parametrize(
    "text",
    [
        "`a.py:~1276`",
        "a.py:≈498",
        "`a.py` ~L498",
        "`a.py` L~498",
        "`a.py` ~498.",
        "`a.py` (around line 498)",
        "`a.py`, about line 498",
        "near line 498 of a.py",
        "In `a.py`, the loop is at roughly line 498.",
    ],
)
def test_approximate(text: str) -> None:
    assert [each.approximate for each in found(text)] == [True]


def test_symbols() -> None:
    symbols = [
        (each.file, each.symbol) for each in found("`src/a.rs::Foo::bar`, `a.py:main()` and `t.py::TestX::test_y`")
    ]
    assert symbols == [("src/a.rs", "Foo::bar"), ("a.py", "main"), ("t.py", "TestX::test_y")]


def test_columns_count_characters_and_lines_count_newlines() -> None:
    spans = [each.span for each in found("\ufeffé `a.py:1`\r\n\r\nü: `b.py:2-3`\r\n")]
    assert [(span.line, span.column, span.end_column) for span in spans] == [(1, 4, 10), (3, 5, 13)]


def test_comments_docstrings_and_strings_of_code() -> None:
    text = '''"""See docs/a.md:3."""
x = 1  # as in src/b.py:4
# wrapped: src/c.py:5,
#   67
y = "src/d.py:6"
z = src / e.py
'''
    assert cited(text, "m.py") == [
        ("docs/a.md", 3, 3),
        ("src/b.py", 4, 4),
        ("src/c.py", 5, 5),
        ("src/c.py", 67, 67),
        ("src/d.py", 6, 6),
    ]
    assert [each.sure for each in found(text, "m.py")] == [True, True, True, True, False]
    assert cited("// see a.c:12\nint x; /* b.c:3 */\n", "m.c") == [("a.c", 12, 12), ("b.c", 3, 3)]
    assert cited("# see a.sh:12\necho hi\n", "m.sh") == [("a.sh", 12, 12)]
    assert cited("k: v  # see a.py:12\n", "m.yaml") == [("a.py", 12, 12)]
    assert cited("k: |\n  as src/a.py:12\nl: src/b.py:3\n", "m.yaml") == [("src/a.py", 12, 12), ("src/b.py", 3, 3)]
    assert cited("# see a.py:12\nall:\n\techo a.py:3\n", "Makefile") == [("a.py", 12, 12)]


def test_messages_of_assertions() -> None:
    def zones(text: str, path: str) -> list[str]:
        document = documents.read(path, text)
        assert document is not None
        return [document.zone(each.start).value for each in found(text, path)]

    assert zones("assert f(x, y) == 1, 'as a.py:12 says'\n", "m.py") == ["message"]
    assert zones("assert x, (\n    'as a.py:12 says'\n    'and b.py:3'\n)\n", "m.py") == ["message", "message"]
    assert zones('assert_eq!(f(a, 1), b, "see a.rs:12");\n', "m.rs") == ["message"]
    assert zones("assert f('a.py:12')\nassert f(x)('b.py:3') == 'c.py:4'\n", "m.py") == ["string"] * 3
    assert zones("assert x, y\n\nz = 'a.py:12'\n", "m.py") == ["string"]


def test_code_blocks_are_told_apart() -> None:
    text = "`a.py:1`\n\n```\nsrc/a.py:2: error\n```\n\n`a.py:3`\n"
    assert [each.sure for each in found(text)] == [True, False, True]


def test_notebooks() -> None:
    text = (
        '{"cells": [{"cell_type": "markdown", "source": ["as \\"said\\"\\n", "in `a.py:12`"]},'
        ' {"source": ["x = \\"#\\"  # b.py:3\\n"], "cell_type": "code", "outputs": [{"text": "c.py:4"}]}]}'
    )
    assert cited(text, "n.ipynb") == [("a.py", 12, 12), ("b.py", 3, 3)]


def test_html_and_asciidoc() -> None:
    assert cited("<p>see <code>a.py:12</code></p><script>'b.py:3'</script>", "a.html") == [("a.py", 12, 12)]
    text = '<code>a.py</code>:12&ndash;20, <a href="../b.py#L3">b.py</a> (lines&nbsp;4&ndash;5)'
    assert cited(text, "a.html") == [("a.py", 12, 20), ("../b.py", 3, 3), ("b.py", 4, 5)]
    assert all(each.sure for each in found(text, "a.html"))
    assert cited("+a.py:12+ is `+b.py:3+`", "a.adoc") == [("a.py", 12, 12), ("b.py", 3, 3)]
    assert cited("See link:a.py#L12[x] and `b.c:3`.", "a.adoc") == [("a.py", 12, 12), ("b.c", 3, 3)]
    assert cited("See ``a.py:12`` and `b <b.c#L3>`_.", "a.rst") == [("a.py", 12, 12), ("b.c", 3, 3)]


@pytest.mark.parametrize(
    "text", ["a/" * 30000 + "x", "a." * 30000, "[" * 30000, "`" * 30001, "x" * 200000 + ".py", ":12" * 9000]
)
def test_long_odd_text_takes_no_time(text: str) -> None:
    found(text + " a.py:12")


@pytest.mark.parametrize(
    ("path", "text", "record"),
    [
        ("CHANGELOG.md", "", True),
        ("docs/adr/0003-cites.md", "", True),
        ("docs/2024-05-01-audit.md", "", True),
        ("reports/audit.md", "# Audit\n\n**Date:** 2024-05-01\n", True),
        ("docs/audit.md", "# Audit of 2024-05-01\n", True),
        ("docs/2024-Q2-review.md", "", True),
        ("docs/reports/2024-05.md", "", True),
        ("docs/design.md", "# Design\n\nAs of 2024-05-01 it holds.\n", False),
        ("docs/python-2024.md", "", False),
        ("docs/changes-to-make.py", "", False),
        ("docs/newsletter.md", "", False),
    ],
)
def test_records_of_their_day(path: str, text: str, record: bool) -> None:
    assert documents.is_record(path, text) is record
