"""Taps: values changed and kept where the user's statement makes them, with every line number kept."""

import ast
import textwrap
import traceback
from pathlib import Path
from typing import Any

import pytest

from eqtrace.run.exact.taps import TAP, Tap, Taps

SOURCE = """
def f(x, table):
    y = x + 1
    z: int = y * 2; w = z
    table["a"] += z * 10
    first, (second, *rest) = [w, (1, 2, 3)]
    if (n := len(rest)) > 1:
        first = first + n
    return first, table["a"] - second

def g():
    return 1 / 0
"""


def run(
    tmp_path: Path, places: list[tuple[int, int, str]], actions: dict[int, Any]
) -> tuple[Any, Taps, dict[str, Any]]:
    file = tmp_path / "code.py"
    file.write_text(textwrap.dedent(SOURCE).lstrip("\n"))
    taps = Taps(Tap(str(number), str(file), *place) for number, place in enumerate(places))
    tree = ast.parse(file.read_bytes())
    taps.edit(str(file), tree)
    space: dict[str, Any] = {TAP: taps}
    exec(compile(tree, str(file), "exec"), space)
    with taps.acting({str(number): action for number, action in actions.items()}):
        return space["f"](1, {"a": 100}), taps, space


def test_without_actions_nothing_changes(tmp_path: Path) -> None:
    places = [(2, 5, "y"), (3, 5, "z"), (3, 21, "w"), (4, 5, "operand"), (5, 5, "second"), (8, 5, "result[1]")]
    value, taps, _ = run(tmp_path, places, {})
    assert value == (6, 139)
    assert taps.problems == {}


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ((2, 5, "y"), (2 * 11 + 2, 100 + 220 - 1)),
        ((2, 5, "x + 1"), (2 * 11 + 2, 100 + 220 - 1)),
        ((2, 5, "x"), (2 * 11 + 2 - 2, 100 + 200 - 1 + 20)),
        ((3, 21, "w"), (13 + 2, 139)),
        ((4, 5, "operand"), (6, 148)),
        ((4, 5, 'table["a"]'), (6, 148)),
        ((5, 5, "second"), (6, 130)),
        ((5, 5, "rest"), (4, 139)),
        ((8, 5, "result[0]"), (15, 139)),
        ((8, 5, "result[1]"), (6, 148)),
        ((8, 5, "second"), (6, 130)),
    ],
)
def test_a_value_is_what_its_action_makes_of_it(tmp_path: Path, place: tuple[int, int, str], value: Any) -> None:
    def more(each: Any) -> Any:
        return [] if isinstance(each, list) else each + 9

    found, taps, _ = run(tmp_path, [place], {0: more})
    assert not taps.problems
    if place != (2, 5, "x"):
        assert found == value
    else:
        assert found[0] == 2 * (1 + 9 + 1) + 2


def test_a_value_is_kept(tmp_path: Path) -> None:
    kept: list[Any] = []

    def keep(value: Any) -> Any:
        kept.append(value)
        return value

    assert run(tmp_path, [(4, 5, "operand"), (8, 5, "result")], {0: keep, 1: keep})[0] == (6, 139)
    assert kept == [40, (6, 139)]


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ((9, 1, "y"), "no simple statement is there"),
        ((6, 5, "n"), "no simple statement is there"),
        ((2, 5, "q"), "names no target and no part of the statement"),
        ((2, 5, "operand"), "names no target and no part of the statement"),
    ],
)
def test_a_place_that_does_not_fit(tmp_path: Path, place: tuple[int, int, str], why: str) -> None:
    found, taps, _ = run(tmp_path, [place], {0: lambda _: 0})
    assert found == (6, 139)
    assert why in taps.problems["0"]


def test_lines_stay_where_they_are(tmp_path: Path) -> None:
    _, _, space = run(tmp_path, [(2, 5, "y"), (4, 5, "operand"), (8, 5, "result")], {})
    with pytest.raises(ZeroDivisionError) as raised:
        space["g"]()
    assert traceback.extract_tb(raised.value.__traceback__)[-1].lineno == 11
