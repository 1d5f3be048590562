from __future__ import annotations

import os
from pathlib import Path

import pytest

from eqtrace.link.fix import apply, diff, edits
from eqtrace.model.anchor import Anchor, Match, Role, Status
from eqtrace.model.span import Span, Text

NAME = "spec/a.yaml"


def moved(text: str, value: str, new: int, style: str = "", status: Status = Status.MOVED, nth: int = 0) -> Match:
    """The match of an anchor whose `at` stands in a YAML text."""
    position = -1
    for _ in range(nth + 1):
        position = text.index(value, position + 1)
    begin = position - len(style)
    line = text.count("\n", 0, begin) + 1
    column = begin - (text.rfind("\n", 0, begin) + 1) + 1
    span = Span(NAME, line, column, line, column + len(value) + 2 * len(style))
    path, _, old = value.rpartition(":")
    anchor = Anchor("e", Role.COMPUTES, path, int(old), "f", "x", span, at=Text(value, span, style))
    return Match(anchor, status, Span(path, new))


@pytest.fixture
def spec(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / NAME
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
        return path

    return write


TEXT = "é: {at: impl/a.py:5, code: 'impl/a.py:5'}  # impl/a.py:5\nb: {at: 'impl/a.py:7'}\nc: {at: \"impl/a.py:9\"}\n"


def test_only_the_lines_digits_change(spec, tmp_path: Path) -> None:
    path = spec(TEXT)
    path.chmod(0o640)
    matches = [
        moved(TEXT, "impl/a.py:5", 123),
        moved(TEXT, "impl/a.py:7", 8, "'"),
        moved(TEXT, "impl/a.py:9", 10, '"'),
    ]
    changes = edits(matches)
    assert [(edit.old, edit.new) for edit in changes] == [
        ("impl/a.py:5", "impl/a.py:123"),
        ("impl/a.py:7", "impl/a.py:8"),
        ("impl/a.py:9", "impl/a.py:10"),
    ]
    shown = diff(tmp_path, changes)
    assert path.read_text() == TEXT
    assert shown.startswith(f"--- a/{NAME}\n+++ b/{NAME}\n@@ -1,3 +1,3 @@\n")
    assert "-b: {at: 'impl/a.py:7'}\n" in shown
    assert "+b: {at: 'impl/a.py:8'}\n" in shown
    assert apply(tmp_path, changes) == ((NAME,), ())
    wanted = TEXT.replace("impl/a.py:5", "impl/a.py:123", 1).replace("a.py:7", "a.py:8").replace("a.py:9", "a.py:10")
    assert path.read_text() == wanted
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(path.parent)) == ["a.yaml"]


@pytest.mark.parametrize("status", [Status.OK, Status.CHANGED, Status.MISSING, Status.AMBIGUOUS])
def test_only_what_moved_is_edited(status: Status) -> None:
    assert edits([moved(TEXT, "impl/a.py:5", 6, status=status)]) == ()


def test_the_same_edit_again_is_refused(spec, tmp_path: Path) -> None:
    path = spec(TEXT)
    changes = edits([moved(TEXT, "impl/a.py:7", 8, "'")])
    apply(tmp_path, changes)
    before = path.read_bytes()
    written, refused = apply(tmp_path, changes)
    assert written == ()
    assert "changed" in refused[0].reason
    assert path.read_bytes() == before


def test_a_file_that_changed_is_left_whole(spec, tmp_path: Path) -> None:
    path = spec(TEXT)
    changes = edits([moved(TEXT, "impl/a.py:5", 6), moved(TEXT, "impl/a.py:7", 8, "'")])
    path.write_text("\n" + TEXT)
    written, refused = apply(tmp_path, changes)
    assert (written, len(refused)) == ((), 1)
    assert path.read_text() == "\n" + TEXT
    path.write_text("")
    assert apply(tmp_path, changes)[0] == ()
    path.unlink()
    assert apply(tmp_path, changes)[0] == ()


def test_line_ends_byte_order_mark_and_odd_breaks_stay(spec, tmp_path: Path) -> None:
    text = "\ufeffa: 'x'\r\n# \u2028b: 1\r\nc: {at: impl/a.py:7}\r\n"
    path = spec(text)
    span = Span(NAME, 4, 9, 4, 20)  # YAML counts U+2028 as a line's end
    anchor = Anchor("e", Role.COMPUTES, "impl/a.py", 7, "f", "x", span, at=Text("impl/a.py:7", span))
    assert apply(tmp_path, edits([Match(anchor, Status.MOVED, Span("impl/a.py", 11))])) == ((NAME,), ())
    assert path.read_bytes().decode() == text.replace(":7", ":11")


def test_an_aliased_scalar_is_edited_only_where_one_line_fits_all(spec) -> None:
    one, other = moved(TEXT, "impl/a.py:5", 6), moved(TEXT, "impl/a.py:5", 7)
    assert len(edits([one, one])) == 1
    assert edits([one, other]) == ()
    assert edits([one, moved(TEXT, "impl/a.py:5", 5, status=Status.OK)]) == ()


def test_links_lead_no_further_than_the_root(spec, tmp_path: Path) -> None:
    inside = tmp_path / "real.yaml"
    inside.write_text(TEXT)
    (tmp_path / "spec").mkdir()
    (tmp_path / NAME).symlink_to(inside)
    changes = edits([moved(TEXT, "impl/a.py:7", 8, "'")])
    assert apply(tmp_path, changes) == ((NAME,), ())
    assert (tmp_path / NAME).is_symlink()
    assert "impl/a.py:8" in inside.read_text()
    outside = tmp_path.parent / f"{tmp_path.name}.yaml"
    outside.write_text(TEXT)
    (tmp_path / NAME).unlink()
    (tmp_path / NAME).symlink_to(outside)
    assert "outside" in apply(tmp_path, changes)[1][0].reason
    assert outside.read_text() == TEXT
