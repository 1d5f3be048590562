from __future__ import annotations

from collections.abc import Callable

import pytest

from eqtrace.model.topic import Specification

HEAD = """topic: a
title: A
page: p
status: implemented
direction: forward
functions: []
what: 'See {cite: a.b/tests/0}.'
why: Y
symbols: {}
literature: [{work: key}]
shapes: [{anchor: a.b/tests/0, rows: []}]
equations:
  - {id: a.b, sympy: x, anchors: [{role: tests, at: 't.py:1', code: x}], given: [{equation: a.c}]}
  - {id: a.c, sympy: x, functions: {F: {equation: 'm:f'}}, label: 'as {cite: a.b/tests/0}'}
"""
FILES = {
    "a.yaml": HEAD,
    "m.yaml": "m: {f: {sympy: x}}\n",
    "pages.yaml": "- {page: p, title: P, topics: [a, m], intro: '{cite: m:f/computes/0}'}\n",
    "literature.yaml": "key: {title: T, authors: [A], year: 2000, doi: '10.1000/182'}\n",
    "waivers.yaml": "- {equation: a.b, lacks: code, reason: r}\n- {equation: 'm:f', lacks: test, reason: r}\n",
    "reviews.yaml": "",
}
Load = Callable[..., Specification]


def test_silent(spec: Load) -> None:
    assert spec(FILES).faults == ()


@pytest.mark.parametrize(
    ("file", "old", "new", "message", "place", "hint"),
    [
        ("a.yaml", "page: p", "page: pp", "there is no page `pp`", "pp\n", "`p`"),
        ("a.yaml", "{work: key}", "{work: keyy}", "there is no work `keyy`", "keyy", "`key`"),
        ("a.yaml", "{equation: a.c}", "{equation: a.cc}", "there is no equation `a.cc`", "a.cc", "`a.c`"),
        ("a.yaml", "'m:f'", "'m:g'", "there is no equation `m:g`", "'m:g'", "`m:f`"),
        (
            "a.yaml",
            "what: 'See {cite: a.b/tests/0}",
            "what: 'See {cite: a.b/tests/1}",
            "no anchor",
            "a.b/tests/1",
            "tests/0",
        ),
        ("a.yaml", "label: 'as {cite: a.b/tests/0}", "label: 'as {cite: a.b}", "no anchor `a.b`", "a.b}", "named"),
        ("a.yaml", "anchor: a.b/tests/0", "anchor: a.b/test/0", "no anchor `a.b/test/0`", "a.b/test/0", "a.b/tests/0"),
        ("pages.yaml", "[a, m]", "[a, mm]", "there is no topic `mm`", "mm]", "`m`"),
        ("pages.yaml", "m:f/computes/0", "m:f/computes/1", "no anchor", "m:f/computes/1", "m:f/computes/0"),
        ("waivers.yaml", "equation: a.b", "equation: a.d", "there is no equation `a.d`", "a.d", "`a.c`"),
    ],
)
def test_fires(spec: Load, file: str, old: str, new: str, message: str, place: str, hint: str) -> None:
    text = FILES[file].replace(old, new, 1)
    before = text[: text.index(place)]
    (fault,) = spec({**FILES, file: text}).faults
    assert fault.kind == "unknown-reference"
    assert message in fault.message
    assert (fault.span.path, fault.span.line, fault.span.column) == (
        file,
        before.count("\n") + 1,
        len(before) - before.rfind("\n"),
    )
    assert hint in fault.hint


def test_without_pages_no_page_is_asked_for(spec: Load) -> None:
    files = {key: text for key, text in FILES.items() if key != "pages.yaml"}
    assert spec(files).faults == ()


def test_without_literature_no_work_is_known(spec: Load) -> None:
    files = {key: text for key, text in FILES.items() if key != "literature.yaml"}
    (fault,) = spec(files).faults
    assert (fault.kind, fault.span.line) == ("unknown-reference", 10)
    assert "literature =" in fault.hint


def test_code_that_is_not_there(spec: Load) -> None:
    settings = {"sources": ("impl", "nope"), "tests": ("gone.py",), "scenarios": "impl"}
    files = {
        "m.yaml": FILES["m.yaml"],
        "impl/a.py": "",
        "pyproject.toml": "[tool.eqtrace]\nsources = ['impl', 'nope']\n",
    }
    found = [(each.message, each.span.line) for each in spec(files, **settings).faults if "no file" in each.message]
    assert found == [
        ("`scenarios`: there is no file `impl`", 1),
        ("`tests`: there is no file or folder `gone.py`", 1),
        ("`sources`: there is no file or folder `nope`", 2),
    ]
    assert not spec(files, sources=("impl",), tests=("impl/a.py",), scenarios="impl/a.py").faults


def test_a_missing_companion(spec: Load) -> None:
    (fault,) = spec(
        {"m.yaml": FILES["m.yaml"], "pyproject.toml": "[tool.eqtrace]\npages = 'p.yaml'\n"}, pages="p.yaml"
    ).faults
    assert (fault.kind, fault.message) == ("unknown-reference", "`pages`: there is no file `p.yaml`")
    assert (fault.span.path, fault.span.line) == ("pyproject.toml", 2)


def test_no_one_is_blamed_for_a_broken_file(spec: Load) -> None:
    broken = HEAD.replace("sympy: x, anchors", "sympyy: x, anchors").replace("id: a.c, sympy", "id: a.c, smpy")
    faults = spec({**FILES, "a.yaml": broken}).faults
    assert [fault.kind for fault in faults] == ["schema", "schema"]
    faults = spec({**FILES, "a.yaml": "topic: [\n"}).faults
    assert [fault.kind for fault in faults] == ["yaml-syntax"]


@pytest.mark.parametrize(
    ("file", "text", "kind", "message", "place"),
    [
        ("pages.yaml", "p: 1\n", "schema", "a list of pages", (1, 1)),
        ("pages.yaml", "- {page: p, title: P, topics: [], tpics: 1}\n", "schema", "`tpics`", (1, 35)),
        ("pages.yaml", "- {page: p, title: P, topics: []}\n- 3\n", "schema", "a mapping is wanted", (2, 3)),
        (
            "pages.yaml",
            "- {page: p, title: P, topics: []}\n- {page: p, title: Q, topics: []}\n",
            "duplicate-id",
            "`p`",
            (2, 10),
        ),
        ("literature.yaml", "- 1\n", "schema", "a mapping from key to work", (1, 1)),
        ("literature.yaml", "key: {title: T, authors: [A], year: 2000}\n", "schema", "neither `doi`", (1, 6)),
        ("literature.yaml", "key: {title: T, authors: [A], year: 2000, doi: x}\n", "schema", "a DOI", (1, 48)),
        ("literature.yaml", "key: {title: T, authors: [A], year: 2000, arxiv: 'x'}\n", "schema", "an arXiv", (1, 50)),
        (
            "literature.yaml",
            "key: {title: T, authors: [A], year: 2000, arxiv: 1706.03762}\n",
            "yaml-type",
            "number",
            (1, 50),
        ),
        (
            "literature.yaml",
            "key: {title: T, authors: [A], year: '2000', doi: '10.1000/1'}\n",
            "schema",
            "whole",
            (1, 37),
        ),
        (
            "literature.yaml",
            "key: {title: T, authors: [], year: 2000, doi: '10.1000/1'}\n",
            "schema",
            "at least 1",
            (1, 26),
        ),
        ("literature.yaml", "key: 3\n", "schema", "`key`: a mapping", (1, 6)),
        ("waivers.yaml", "- {equation: a.b, reason: r}\n", "schema", "a waiver names", (1, 3)),
        (
            "waivers.yaml",
            "- {equation: a.b, lacks: test, at: 'a.py:1', code: x, reason: r}\n",
            "schema",
            "a waiver",
            (1, 3),
        ),
        ("waivers.yaml", "- {equation: a.b, lacks: tests, reason: r}\n", "schema", "can't be `tests`", (1, 26)),
        ("waivers.yaml", "- {equation: a.b, lacks: test}\n", "schema", "`reason` is missing", (1, 3)),
        ("waivers.yaml", "- {at: '../a.py:1', code: x, reason: r}\n", "limit", "inside", (1, 8)),
        ("reviews.yaml", "a/tests/0: {forms: x}\n", "schema", "`forms`", (1, 13)),
        ("reviews.yaml", "3\n", "schema", "a mapping from anchor", (1, 1)),
    ],
)
def test_faults_of_companions(
    spec: Load, file: str, text: str, kind: str, message: str, place: tuple[int, int]
) -> None:
    files = {"m.yaml": FILES["m.yaml"], file: text}
    (fault,) = spec(files).faults
    assert fault.kind == kind
    assert message in fault.message
    assert (fault.span.path, fault.span.line, fault.span.column) == (file, *place)


def test_companions_are_no_specifications(spec: Load) -> None:
    assert spec(FILES).files == ("a.yaml", "m.yaml")
