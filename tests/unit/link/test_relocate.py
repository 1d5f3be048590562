"""Functions that are no longer where anchors say: found where one certain place is left, and else left alone."""

from __future__ import annotations

import subprocess
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from eqtrace.link.fix import edits
from eqtrace.link.match import match
from eqtrace.link.relocate import Home, Homes
from eqtrace.model.anchor import Match, Status
from eqtrace.model.span import Span, Text

SCALE = """
    def scale(x, factor):
        \"\"\"Scales.\"\"\"
        low = x.min()
        span = x.max() - low
        return factor * (x - low) / span
"""
SHIFT = """
    def shift(x, by):
        return x + by
"""
CODE = "span = x.max() - low"


@pytest.fixture
def commit(bench):
    def run(*arguments: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments],
            cwd=bench.root,
            check=True,
            capture_output=True,
        )

    def save() -> None:
        if not Path(bench.root, ".git").exists():
            run("init", "-q")
        run("add", "-A")
        run("commit", "-q", "-m", "as it is")

    return save


def where(bench, code: str = CODE, function: str = "scale", path: str = "impl/a.py", more=()) -> Match:
    anchor = bench.anchor(code, 5, function, path=path)
    return match(anchor, bench.index, Homes(bench.index, [anchor, *more]))


def is_at(found: Match, path: str, function: str) -> bool:
    return (
        found.status is Status.MOVED
        and found.span is not None
        and (found.span.path, found.function)
        == (
            path,
            function,
        )
    )


def test_a_function_of_the_same_name_in_another_file(bench):
    bench.write("impl/a.py", SHIFT)
    bench.write("impl/deep/b.py", SCALE)
    assert is_at(where(bench), "impl/deep/b.py", "scale")


def test_its_file_may_be_gone(bench):
    bench.write("impl/b.py", SCALE)
    assert is_at(where(bench), "impl/b.py", "scale")


def test_a_method_moved_to_another_class(bench):
    bench.write("impl/a.py", "class New:\n" + textwrap.indent(textwrap.dedent(SCALE), "    "))
    assert is_at(where(bench, function="Old.scale"), "impl/a.py", "New.scale")


def test_a_renamed_function_by_its_last_committed_version(bench, commit):
    bench.write("impl/a.py", SCALE + SHIFT)
    commit()
    bench.write("impl/a.py", SHIFT + SCALE.replace("def scale", "def rescale"))
    assert is_at(where(bench), "impl/a.py", "rescale")


def test_a_renamed_function_of_one_short_line(bench, commit):
    bench.write("impl/a.py", SHIFT)
    commit()
    bench.write("impl/a.py", SHIFT.replace("def shift", "def moved"))
    assert is_at(where(bench, "return x + by", "shift"), "impl/a.py", "moved")


def test_without_git_a_renamed_function_must_hold_strong_statements(bench):
    bench.write("impl/a.py", SHIFT.replace("def shift", "def moved") + SCALE.replace("def scale", "def rescale"))
    assert where(bench, "return x + by", "shift").status is Status.MISSING
    assert is_at(where(bench, "return factor * (x - low) / span"), "impl/a.py", "rescale")


def test_a_twin_that_stood_beside_the_function_is_another_one(bench, commit):
    twin = SCALE.replace("def scale", "def other")
    bench.write("impl/a.py", SCALE + twin)
    commit()
    bench.write("impl/a.py", twin)
    assert where(bench).status is Status.MISSING


def test_a_twin_in_another_file_that_stood_there_before(bench, commit):
    bench.write("impl/a.py", SCALE)
    bench.write("impl/b.py", SCALE)
    commit()
    bench.write("impl/a.py", SHIFT)
    assert where(bench).status is Status.MISSING


def test_two_places_are_none(bench):
    bench.write("impl/a.py", SHIFT)
    bench.write("impl/b.py", SCALE)
    bench.write("impl/c.py", SCALE)
    assert where(bench).status is Status.MISSING


def test_a_function_that_is_gone(bench, commit):
    bench.write("impl/a.py", SCALE + SHIFT)
    commit()
    bench.write("impl/a.py", SHIFT)
    assert where(bench).status is Status.MISSING


def test_a_function_that_is_there_is_not_looked_for_elsewhere(bench):
    bench.write("impl/a.py", SCALE.replace("x.max() - low", "x.max()"))
    bench.write("impl/b.py", SCALE)
    assert where(bench).status is Status.CHANGED


def test_a_renamed_file_also_for_the_module_itself(bench, commit):
    bench.write("impl/a.py", "LIMIT = 3.0 * 2.0\n" + textwrap.dedent(SCALE))
    commit()
    Path(bench.root, "impl/a.py").rename(Path(bench.root, "impl/b.py"))
    commit()
    assert is_at(where(bench), "impl/b.py", "scale")
    assert is_at(where(bench, "LIMIT = 3.0 * 2.0", ""), "impl/b.py", "")


def test_a_statement_that_changed_on_the_way_is_changed(bench, commit):
    bench.write("impl/a.py", SCALE)
    commit()
    bench.write("impl/a.py", SHIFT)
    bench.write("impl/b.py", SCALE.replace("factor * (x - low)", "factor * (x + low)"))
    found = where(bench, "return factor * (x - low) / span")
    assert (found.status, found.span.path) == (Status.CHANGED, "impl/b.py")
    assert "(x + low)" in found.difference


def test_renamed_functions_are_known_in_the_statements_of_others(bench, commit):
    use = "\n\ndef test_scale():\n    y = scale(values, 2.0)\n    assert y.max() == 2.0\n"
    bench.write("impl/a.py", textwrap.dedent(SCALE))
    bench.write("tests/test_a.py", f"from impl.a import scale{use}")
    commit()
    bench.write("impl/a.py", textwrap.dedent(SCALE).replace("def scale", "def rescale"))
    bench.write("tests/test_a.py", "from impl.a import rescale" + use.replace("scale", "rescale"))
    test = bench.anchor("assert y.max() == 2.0", 6, "test_scale", path="tests/test_a.py")
    homes = Homes(bench.index, [test, bench.anchor(CODE, 5, "scale", path="impl/a.py")])
    assert homes.of("tests/test_a.py", "test_scale") == Home("tests/test_a.py", "test_rescale")
    assert homes.found() == {
        "impl/a.py::scale": "impl/a.py::rescale",
        "tests/test_a.py::test_scale": "tests/test_a.py::test_rescale",
    }


def test_names_changed_consistently_are_told(bench):
    bench.write("impl/a.py", SCALE.replace("low", "least").replace("span", "width"))
    found = where(bench)
    assert found.status is Status.CHANGED
    assert found.difference.endswith("the same but for names: low is least, span is width")


def test_another_statement_of_the_same_shape_is_none_with_other_names(bench):
    bench.write("impl/a.py", "def f(x, y):\n    a = x * 2 + 1\n    b = y * 2 + 1\n    return a, b\n")
    found = where(bench, "c = y * 3 + 1", "f")
    assert "the same but for names" not in found.difference
    bench.write("impl/a.py", "def f(x, y):\n    a = x * 3 - 1\n    b = y * 2 + 1\n    return a, b\n")
    anchor = bench.anchor("a = x * 2 + 1", 2, "f", path="impl/a.py")
    found = match(anchor, bench.index, Homes(bench.index, [anchor]))
    assert (found.status, found.span.line) == (Status.CHANGED, 2)


def test_names_changed_into_one_another_are_not_the_same(bench):
    bench.write("impl/a.py", SCALE.replace("factor * (x - low) / span", "factor * (x - x) / span"))
    assert "names" not in where(bench, "return factor * (x - low) / span").difference


def test_fix_writes_the_place_and_the_function(bench):
    at, within = Text("impl/a.py:5", Span("s.yaml", 1, 5, 1, 16)), Text("scale", Span("s.yaml", 1, 22, 1, 27))
    bench.write("impl/b.py", "import math\n" + textwrap.dedent(SCALE).replace("def scale", "def scale"))
    anchor = replace(bench.anchor(CODE, 5, "scale", path="impl/a.py"), at=at, within=within)
    found = match(anchor, bench.index, Homes(bench.index, [anchor]))
    assert [(each.old, each.new) for each in edits([found])] == [("impl/a.py:5", "impl/b.py:6")]
    bench.write("impl/b.py", "")
    bench.write("impl/a.py", SHIFT + SCALE.replace("def scale", "def rescale"))
    anchor = replace(bench.anchor("return factor * (x - low) / span", 5, path="impl/a.py", function="scale"), at=at)
    found = match(replace(anchor, within=within), bench.index, Homes(bench.index, [anchor]))
    assert [(each.old, each.new) for each in edits([found])] == [("impl/a.py:5", "impl/a.py:9"), ("scale", "rescale")]


def test_fix_writes_where_the_function_of_a_changed_statement_went(bench, commit):
    at, within = Text("impl/a.py:5", Span("s.yaml", 1, 5, 1, 16)), Text("scale", Span("s.yaml", 1, 22, 1, 27))
    bench.write("impl/a.py", SCALE)
    commit()
    changed = SCALE.replace("x.max() - low", "x.max() - 2 * low")
    bench.write("impl/a.py", SHIFT + changed.replace("def scale", "def rescale"))
    anchor = replace(bench.anchor(CODE, 5, "scale", path="impl/a.py"), at=at, within=within)
    found = match(anchor, bench.index, Homes(bench.index, [anchor]))
    assert (found.status, found.function) == (Status.CHANGED, "rescale")
    assert [(each.old, each.new) for each in edits([found])] == [("scale", "rescale")]
    fixed = replace(anchor, function="rescale", within=replace(within, value="rescale"))
    again = match(fixed, bench.index, Homes(bench.index, [fixed]))
    assert again.status is Status.CHANGED  # no failure turns green
    assert edits([again]) == ()
    bench.write("impl/a.py", SHIFT)
    bench.write("impl/b.py", "class Scales:\n" + textwrap.indent(textwrap.dedent(changed), "    "))
    found = match(anchor, bench.index, Homes(bench.index, [anchor]))
    assert [(each.old, each.new) for each in edits([found])] == [
        ("impl/a.py:5", "impl/b.py:5"),
        ("scale", "Scales.scale"),
    ]


def test_an_occurrence_is_followed_while_there_are_as_many(bench, commit):
    twice = "def f(x):\n    if x:\n        x = x + 1\n    x = x + 1\n    return x\n"
    bench.write("impl/a.py", twice)
    commit()
    anchor = bench.anchor("x = x + 1", 4, "f", path="impl/a.py", occurrence=1)
    bench.write("impl/a.py", "import math\n\n" + twice)
    found = match(anchor, bench.index, Homes(bench.index, [anchor]))
    assert (found.status, found.span.line) == (Status.MOVED, 6)
    bench.write("impl/a.py", twice.replace("def f(x):\n", "def f(x):\n    y = x\n    x = x + 1\n"))
    assert match(anchor, bench.index, Homes(bench.index, [anchor])).status is Status.AMBIGUOUS
    first = bench.anchor("x = x + 1", 3, "f", path="impl/a.py", occurrence=0)
    bench.write("impl/a.py", "import math\n\n\ndef f(x):\n    x = x + 1\n    return x\n")  # the other one is left
    assert match(first, bench.index, Homes(bench.index, [first])).status is Status.AMBIGUOUS


def test_functions_of_one_name_that_became_one_are_not_told_apart(bench, commit):
    part = "        def load(x):\n            if x is None:\n                return 0\n            return {}\n"
    bench.write("impl/a.py", f"def f(y):\n    if y:\n{part.format(1)}    else:\n{part.format(2)}    return load\n")
    commit()
    anchor = bench.anchor("if x is None:", 9, "f.load", path="impl/a.py", occurrence=1)
    assert match(anchor, bench.index, Homes(bench.index, [anchor])).status is Status.OK
    one = part.format(1).replace("            return 1", "            if x is None:\n                return 1")
    bench.write("impl/a.py", f"import math\n\n\n\ndef f(y):\n    if y:\n{one}    return load\n")
    assert match(anchor, bench.index, Homes(bench.index, [anchor])).status is Status.AMBIGUOUS
