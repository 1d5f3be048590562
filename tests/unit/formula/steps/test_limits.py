"""What inputs may be changed to, from domains, conditions and shapes."""

from collections.abc import Mapping
from typing import Any

import pytest

from eqtrace.formula.steps.limits import Size, limits, sizes
from eqtrace.model.example import Example
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Domain, Symbol

PLACE = Span("spec/a.yaml", 1)


def text(value: str) -> Text:
    return Text(value, PLACE)


def symbol(name: str, dims: str | None = None, code: str | None = None, **domain: Any) -> Symbol:
    shape = None if dims is None else tuple(map(text, dims.split()))
    return Symbol(name, PLACE, code={"": code or name}, shape=shape, domain=Domain(**domain))


def example(inputs: Mapping[str, Any], *symbols: Symbol, where: str = "") -> Example:
    conditions = (text(where),) if where else ()
    known = {each.name: each for each in symbols}
    return Example("editable", PLACE, inputs=inputs, symbols=known, where=conditions, equals=text("a.py::f"))


def words(made: Example) -> list[tuple[str, str]]:
    return [(limit.name, limit.words) for limit in limits(made)]


ROW = (1, 2)


def test_axes_of_one_letter_belong_together_and_others_stand_alone() -> None:
    inputs = {"X": (ROW, ROW, ROW), "W": (ROW, ROW), "I": (ROW, ROW), "s": 2}
    made = example(inputs, symbol("X", "T a"), symbol("W", "a c"), symbol("s", ""))
    assert sizes(made) == (
        Size("T", (("X", 0),)),
        Size("a", (("X", 1), ("W", 0))),
        Size("c", (("W", 1),)),
        Size("", (("I", 0),)),
        Size("", (("I", 1),)),
    )


def test_leading_axes_are_counted_from_the_last() -> None:
    made = example({"w": (ROW, ROW), "b": ROW}, symbol("w", "... n"), symbol("b", "... n"))
    assert [size.axes for size in sizes(made)] == [(("w", 0),), (("w", 1), ("b", 0))]


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        ({"integer": True}, ["whole numbers"]),
        ({"minimum": text("0")}, ["numbers of at least 0"]),
        ({"minimum": text("0"), "open": frozenset({"min"})}, ["numbers above 0"]),
        ({"maximum": text("T - 1")}, ["numbers of at most T - 1"]),
        ({"maximum": text("unknown - 1")}, []),
        ({"one_of": (0.0, 1.0)}, ["0 or 1"]),
        ({"probability_row": True}, ["numbers that are not negative", "rows that sum to 1"]),
        ({"permutation": True}, ["whole numbers", "an order of the numbers from 0 on"]),
        ({"distinct": True}, ["numbers that differ"]),
        ({}, []),
    ],
)
def test_domains_in_words(domain: Mapping[str, Any], expected: list[str]) -> None:
    found = words(example({"x": ROW}, symbol("x", "T", **domain)))
    assert found == [("x", each) for each in expected]


def test_conditions_over_inputs_and_sizes_count_and_others_do_not() -> None:
    made = example({"ids": ROW, "T": 1}, symbol("ids", "N"), symbol("T", ""), where="N > T, ids[i] > 0, q > 1")
    assert words(made) == [("", "N > T")]


def test_the_number_that_a_generator_draws_is_below_one() -> None:
    assert words(example({"uniform": 0.5})) == [("uniform", "numbers of at least 0"), ("uniform", "numbers below 1")]


def test_texts_have_no_limits() -> None:
    assert words(example({"x": ("a", "b")}, symbol("x", "T", integer=True))) == []
