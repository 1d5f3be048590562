"""The ledger of reviews: whatever a merge, an editor or a damaged disk makes of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eqtrace.link.review.accept import written
from eqtrace.model.finding import Fault
from eqtrace.model.topic import Review, Specification
from eqtrace.spec.ledger import read

A, B, C = "a" * 64, "b" * 64, "c" * 64
ONE = Review("linear.linear/tests/0", A, B, C)
LINE = f"'linear.linear/tests/0': {{form: {A}, prose: {B}, code: {C}}}\n"


def fault(text: str) -> Fault:
    (found,) = read("r.yaml", text)[1]
    return found


@pytest.mark.parametrize(
    "text",
    [
        LINE,
        f"# a comment\n\n{LINE}",
        LINE.replace("\n", "\r\n"),
        LINE.rstrip(),
        f"linear.linear/tests/0: {{code: {C}, form: {A}, prose: {B}}}\n",
        f'"linear.linear/tests/0":\n    {{\n        form: {A},\n        prose: "{B}",\n        code: {C},\n    }}\n',
        f"linear.linear/tests/0:\n  form: {A}\n  prose: {B}\n  code: {C}\n",
    ],
)
def test_as_we_write_it_and_as_other_tools_do(text: str) -> None:
    assert read("r.yaml", text) == ((ONE,), ())


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "{}\n", "\n\n"])
def test_an_empty_one(text: str) -> None:
    assert read("r.yaml", text) == ((), ())


@pytest.mark.parametrize(
    "key", ["a.b/inline/Query's own", "m:f/computes/0", "lab/ops.py::f.g/computes/0", "a/tests/{x}"]
)
def test_names_of_all_kinds(key: str) -> None:
    review = Review(key, A, B, C)
    assert read("r.yaml", written((review,))) == ((review,), ())


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip))
def test_any_name_is_read_as_it_is_written(name: str) -> None:
    review = Review(f"a.b/tests/{name}", A, B, C)
    assert read("r.yaml", written((review, ONE))) == ((review, ONE), ())


def test_several_lines_of_one_link_are_no_fault() -> None:
    other = Review(ONE.key, C, B, A)
    assert read("r.yaml", written((ONE, other))) == ((ONE, other), ())
    block = f"linear.linear/tests/0: {{form: {C},\n  prose: {B}, code: {A}}}\n"
    assert read("r.yaml", LINE + block) == ((ONE, other), ())


def test_markers_of_a_merge_are_one_fault_and_both_sides_count() -> None:
    text = f"{LINE}<<<<<<< HEAD\n{LINE.replace(A, B)}=======\n{LINE.replace(A, C)}>>>>>>> other branch\n"
    found, (wrong,) = read("r.yaml", text)
    assert [review.form for review in found] == [A, B, C]
    assert (wrong.kind, wrong.span.line) == ("yaml-syntax", 2)
    assert "markers" in wrong.message
    assert "lines 2, 4, 6" in wrong.message
    assert "merge=union" in wrong.hint


@pytest.mark.parametrize(
    ("text", "kind", "place", "message"),
    [
        (LINE.replace(B, B[:-1]), "schema", (1, 106), "`prose`: a SHA-256 is wanted"),
        (LINE.replace(C, C.upper()), "schema", (1, 178), "`code`: a SHA-256 is wanted"),
        (LINE.replace(A, "[]"), "schema", (1, 33), "`form`: a SHA-256 is wanted"),
        (LINE.replace(f", code: {C}", ""), "schema", (1, 26), "the key `code` is missing"),
        (LINE.replace("code:", "cod:"), "schema", (1, 172), "the key `cod` is not known"),
        (LINE.replace("code:", "form:"), "schema", (1, 172), "the key `form` stands twice"),
        (f"{LINE}linear: {{form: {A}, prose: {B}, code: {C}}}\n", "schema", (2, 1), "`linear` is no anchor's name"),
        (f"{LINE}[]: 1\n", "schema", (2, 1), "is no anchor's name"),
        (f"{LINE}'a/tests/1': 1\n", "schema", (2, 14), "a mapping of three hashes"),
        (LINE + LINE[:100], "yaml-syntax", (3, 1), "the YAML can't be read"),
        (f"{LINE}\ufffd\ufffd\n", "yaml-syntax", (3, 1), "the YAML can't be read"),
        (f"{LINE}a\x07/tests/0: 1\n", "control-character", (2, 2), "U+0007"),
        ("- 1\n", "schema", (1, 1), "a mapping from anchor"),
    ],
)
def test_damage_has_its_place(text: str, kind: str, place: tuple[int, int], message: str) -> None:
    found = next(each for each in read("r.yaml", text)[1])
    assert (found.kind, found.span.path) == (kind, "r.yaml")
    assert (found.span.line, found.span.column) == place
    assert message in found.message
    assert kind != "schema" or found.hint


def test_what_is_left_of_a_damaged_one_still_counts() -> None:
    assert read("r.yaml", LINE + LINE[:100])[0] == (ONE,)
    assert read("r.yaml", f"{LINE}'a/tests/1': 1\n")[0] == (ONE,)


@settings(max_examples=50, deadline=None)
@given(st.text())
def test_nothing_raises(text: str) -> None:
    found, faults = read("r.yaml", LINE + text)
    assert ONE in found or faults


def test_one_that_is_named_and_not_there_is_no_fault(spec: Callable[..., Specification]) -> None:
    found = spec({}, reviews="none.yaml")
    assert (found.reviews, found.faults) == (None, ())
    assert spec({}).reviews is None
    assert spec({"reviews.yaml": ""}).reviews == ()


def test_a_folder_in_its_place(spec: Callable[..., Specification], tmp_path) -> None:
    (tmp_path / "reviews.yaml").mkdir()
    found = spec({}, reviews="reviews.yaml")
    assert found.reviews is None
    assert [each.kind for each in found.faults] == ["limit"]
