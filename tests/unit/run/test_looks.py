"""Looks: the values at statements of a twin, kept as they were before and after them."""

import ast
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eqtrace.run.exact.looks import Looks, Seen
from eqtrace.run.exact.taps import Tap, Taps
from eqtrace.run.site import Site

SOURCE = """
def f(x, table):
    for n in (1, 2):
        table["a"] += x * n
    y = x; x = 5
    if x:
        y = y + 1
    return y, table
"""


def sites(*places: tuple[int, int, dict[str, str], dict[str, str]], file: Path) -> list[Site]:
    return [
        Site(f"a{number}", "code.py", str(file), line, column, line, column, inputs=inputs, outputs=outputs)
        for number, (line, column, inputs, outputs) in enumerate(places)
    ]


def run(
    tmp_path: Path,
    *places: tuple[int, int, dict[str, str], dict[str, str]],
    taps: tuple[tuple[int, int, str], ...] = (),
) -> tuple[Callable[..., Any], Looks]:
    file = tmp_path / "code.py"
    file.write_text(textwrap.dedent(SOURCE).lstrip("\n"))
    looks = Looks(sites(*places, file=file))
    made = Taps((Tap(f"t{number}", str(file), *place) for number, place in enumerate(taps)), looks)
    tree = ast.parse(file.read_bytes())
    made.edit(str(file), tree)
    space: dict[str, Any] = dict(made.names)
    exec(compile(tree, str(file), "exec"), space)

    def call(x: int) -> Any:
        with made.acting({f"t{number}": lambda value: value + 100 for number in range(len(taps))}):
            return space["f"](x, {"a": 10})

    return call, looks


def test_every_execution_is_seen_before_and_after(tmp_path: Path) -> None:
    f, looks = run(
        tmp_path,
        (3, 9, {"x": "x", "n": "n", "Old(a)": 'table["a"]'}, {"a": 'table["a"]', "more": "operand"}),
        (3, 9, {}, {"more": "operand", "product": "x * n"}),
        (7, 5, {"y": "y"}, {"first": "result[0]"}),
    )
    with looks.keeping() as kept:
        f(3)
    assert kept["a0"] == [
        Seen({"x": 3, "n": 1, "Old(a)": 10}, {"a": 13, "more": 3}),
        Seen({"x": 3, "n": 2, "Old(a)": 13}, {"a": 19, "more": 6}),
    ]
    assert [each.outputs for each in kept["a1"]] == [{"more": 3, "product": 3}, {"more": 6, "product": 6}]
    assert kept["a2"] == [Seen({"y": 4}, {"first": 4})]
    assert looks.problems == {}


def test_nothing_is_kept_outside(tmp_path: Path) -> None:
    f, looks = run(tmp_path, (4, 5, {"x": "x"}, {"y": "y"}))
    assert f(3) == (4, {"a": 19})
    with looks.keeping() as kept:
        pass
    f(3)
    assert kept == {}


def test_taps_and_looks_share_a_statement(tmp_path: Path) -> None:
    f, looks = run(
        tmp_path, (3, 9, {}, {"more": "operand"}), (4, 5, {}, {"y": "y"}), taps=((3, 9, "operand"), (4, 5, "y"))
    )
    with looks.keeping() as kept:
        assert f(3) == (104, {"a": 10 + 103 + 106})
    assert [each.outputs for each in kept["a1"]] == [{"y": 103}]


def test_what_cannot_be_seen_is_said(tmp_path: Path) -> None:
    f, looks = run(
        tmp_path,
        (5, 5, {}, {"x": "result"}),
        (4, 5, {}, {"y": "z"}),
        (4, 5, {"w": "w"}, {"y": "y"}),
        (4, 5, {"x": "x"}, {"y": "y"}),
    )
    with looks.keeping() as kept:
        assert f(3)[0] == 4
    assert set(looks.problems) == {"a0", "a1", "a2"}
    assert kept["a3"] == [Seen({"x": 3}, {"y": 3})]
