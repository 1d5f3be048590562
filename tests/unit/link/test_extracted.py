"""Statements that went into a function which their own one calls now; and those that only look as if they had."""

from __future__ import annotations

import subprocess
import textwrap

import pytest

from eqtrace.link.match import match
from eqtrace.link.relocate import Homes
from eqtrace.model.anchor import Match, Status

AFTER = """
    class Scale:
        def run(self, x):
            low = x.min()
            return self._rest(x, low)

        def _rest(self, x, low):
            span = x.max() - low
            self.span = span
            out = self.factor * (x - low) / span
            return out
"""
STRONG, SHORT = "span = x.max() - low", "self.span = span"


@pytest.fixture
def look(bench):
    def looked(text: str, code: str, line: int, *others: tuple[str, int], function: str = "Scale.run") -> Match:
        bench.write("impl/a.py", text)
        anchor = bench.anchor(code, line, function)
        more = [bench.anchor(other, at, function, name=str(number)) for number, (other, at) in enumerate(others, 1)]
        return match(anchor, bench.index, Homes(bench.index, [anchor, *more]))

    return looked


def test_into_a_method_that_its_own_one_calls(look):
    found = look(AFTER, STRONG, 5)
    assert (found.status, found.span.line, found.function) == (Status.MOVED, 8, "Scale._rest")


def test_into_one_that_is_not_called(look):
    assert look(AFTER.replace("self._rest(x, low)", "self._tail(x, low)"), STRONG, 5).status is Status.MISSING


def test_where_two_functions_hold_it(look):
    twin = "\n        def other(self, x, low):\n            span = x.max() - low\n            return span\n"
    assert look(AFTER + twin, STRONG, 5).status is Status.MISSING


def test_where_its_own_function_holds_what_it_became(look):
    changed = AFTER.replace("low = x.min()\n", "low = x.min()\n            span = x.max() - 2 * low\n")
    assert look(changed, STRONG, 5).status is Status.CHANGED


def test_a_short_one_needs_another_that_went_along(look):
    assert look(AFTER, SHORT, 6).status is Status.MISSING
    found = look(AFTER, SHORT, 6, (STRONG, 5))
    assert (found.status, found.span.line) == (Status.MOVED, 9)
    assert look(AFTER, SHORT, 6, (STRONG, 2)).status is Status.MISSING  # not as far apart as it was
    assert look(AFTER, SHORT, 6, ("span = x.max() + low", 5)).status is Status.MISSING


def test_where_git_knows_that_the_other_function_held_it_too(bench, look):
    both = AFTER.replace("low = x.min()\n", "low = x.min()\n            span = x.max() - low\n")
    bench.write("impl/a.py", both)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "as it is"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *words], cwd=bench.root, check=True, capture_output=True)
    assert look(both, STRONG, 5).status is Status.OK
    assert look(AFTER, STRONG, 5).status is Status.MISSING


def test_all_that_is_cited_of_a_renamed_method_as_far_apart_as_it_was(look):
    renamed = textwrap.dedent(AFTER).replace("_rest", "_others")
    out = ("return out", 11)
    found = look(renamed, SHORT, 9, out, function="Scale._rest")
    assert (found.status, found.span.line, found.function) == (Status.MOVED, 9, "Scale._others")
    assert look(renamed, SHORT, 9, ("return out", 14), function="Scale._rest").status is Status.MISSING
    assert look(renamed, SHORT, 9, function="Scale._rest").status is Status.MISSING
    assert look(renamed, SHORT, 9, out, function="Other._rest").status is Status.MISSING
