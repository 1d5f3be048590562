"""Lines followed through differences, forwards from a commit and back to the one that wrote a citation."""

import re

from eqtrace.cites.birth import birth
from eqtrace.cites.patches import Change, Followed, Hunk, follow


def change(*hunks: Hunk, commit: str = "c") -> Change:
    return Change(commit, "a.py", "a.py", hunks)


def hunk(old: int, new: int, removed: str = "", added: str = "") -> Hunk:
    return Hunk(old, new, tuple(removed.split("|")) if removed else (), tuple(added.split("|")) if added else ())


THEN = ("import os", "", "def one():", "    return 1", "", "def two():", "    return 2")


def test_lines_shift_with_what_is_added_and_removed_before() -> None:
    now = ("import os", "import re", "import sys", *THEN[1:])
    added = change(hunk(1, 2, "", "import re|import sys"))
    assert follow(THEN, 3, [added], now) == Followed(5, True, True)
    assert follow(THEN, 1, [added], now) == Followed(1, True, True)
    assert follow(now, 5, [change(hunk(2, 1, "import re|import sys"))], THEN).line == 3


def test_a_removed_line_is_lost() -> None:
    gone = change(hunk(3, 2, "def one():|    return 1"), commit="c1")
    assert follow(THEN, 4, [gone], (*THEN[:2], *THEN[4:])) == Followed(None, lost="c1")


def test_a_line_that_moved_or_was_wrapped_is_found_by_its_text() -> None:
    moved = change(hunk(3, 2, "def one():|    return 1"), hunk(7, 6, "", "|def one():|    return 1"))
    now = ("import os", "", "", "def two():", "    return 2", "", "def one():", "    return 1")
    assert follow(THEN, 4, [moved], now).line == 8
    wrapped = change(hunk(4, 4, "    return 1", "    if True:|        return 1"))
    assert follow(THEN, 4, [wrapped], (*THEN[:3], "    if True:", "        return 1", *THEN[4:])).line == 5


def test_an_edited_line_is_not_exact() -> None:
    edited = change(hunk(6, 6, "def two():", "def two(a):"))
    found = follow(THEN, 6, [edited], (*THEN[:5], "def two(a):", THEN[6]))
    assert (found.line, found.exact) == (6, False)


def test_a_line_among_like_ones_is_steady_only_with_its_neighbours() -> None:
    then = ("a = 1", "pass", "b = 2", "pass")
    assert follow(then, 2, [], then).steady
    assert not follow(then, 2, [change(hunk(1, 0, "a = 1"))], ("pass", "b = 3", "pass")).steady


CITES = re.compile(r"a\.py:12(?!\w)")


def test_a_citation_is_followed_back_through_wrapping() -> None:
    wrapped = change(hunk(4, 4, "see `f` (a.py:12) for it", "see `f`|(a.py:12) for it"), commit="wrapped")
    above = change(hunk(0, 1, "", "# Title|"), commit="above")
    wrote = change(hunk(1, 2, "", "see `f` (a.py:12) for it"), commit="wrote")
    found = birth(CITES, 7, "(a.py:12) for it", [above, wrapped, change(hunk(1, 1, "x", "y|z")), wrote])
    assert found is not None
    assert found.commit == "wrote"


def test_a_corrected_number_was_written_by_the_correction() -> None:
    corrected = change(hunk(3, 3, "f is a.py:11|g is a.py:12", "f is a.py:12|g is a.py:13"), commit="corrected")
    found = birth(CITES, 3, "f is a.py:12", [corrected])
    assert found is not None
    assert found.commit == "corrected"


def test_lines_that_differ_by_numbers_alone_are_not_told_apart() -> None:
    corrected = change(hunk(1, 0, "at a.py:11"), hunk(3, 3, "", "at a.py:14"), commit="corrected")
    found = birth(CITES, 1, "at a.py:12", [corrected])
    assert found is not None
    assert found.commit == "corrected"
