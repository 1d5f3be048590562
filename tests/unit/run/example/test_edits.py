"""Random edits: what is drawn, and what comes of steps that equal the code only at the start."""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

import numpy as np
import pytest

from eqtrace.formula.steps.reader import read_step
from eqtrace.formula.steps.tree import Node
from eqtrace.model.example import Edits, Example, Step
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Domain, Symbol
from eqtrace.run.example.edits import EDITS, Differs, draws, resized, tried
from eqtrace.run.example.inputs import given, rng

PLACE = Span("spec/a.yaml", 1)


def text(value: str) -> Text:
    return Text(value, PLACE)


def symbol(name: str, dims: str, **domain: Any) -> Symbol:
    return Symbol(name, PLACE, code={"": name}, shape=tuple(map(text, dims.split())), domain=Domain(**domain))


def made(inputs: Mapping[str, Any], code: str, *symbols: Symbol) -> tuple[Example, dict[str, Node]]:
    tree, errors = read_step(code)
    assert tree is not None, errors
    example = Example(
        "editable",
        PLACE,
        inputs=inputs,
        steps=(Step(text("Y"), text(code)),),
        equals=text("a.py::f"),
        symbols={each.name: each for each in symbols},
    )
    return example, {"Y": tree}


def held(example: Example, trees: dict[str, Node], function: Callable[..., Any], seed: int = 0) -> Edits | Differs:
    return tried(example, trees, lambda edited: {"Y": function(**given(edited, "f"))}, seed)


MATRIX = {"X": ((1, 2), (0, 1)), "W": ((1, 0, 2), (-1, 1, 0))}
SYMBOLS = (symbol("X", "T a"), symbol("W", "a c"))


def test_steps_that_are_the_code_agree_at_every_edit_and_size() -> None:
    found = held(*made(MATRIX, "X @ W", *SYMBOLS), lambda X, W: X @ W)
    assert isinstance(found, Edits)
    assert (found.tried, found.refused, found.gap) == (EDITS, 0, 0.0)
    assert found.sizes == ((("X", 0),), (("X", 1), ("W", 0)), (("W", 1),))


def test_a_step_that_forgets_an_input_is_found_out() -> None:
    found = held(*made({"x": (1, 2), "zero": (0, 0)}, "x * 2"), lambda x, zero: x * 2 + zero)
    assert isinstance(found, Differs)
    assert found.label == "Y"
    assert any(found.inputs["zero"])


def test_a_step_with_a_size_written_into_it_cannot_be_resized() -> None:
    found = held(*made({"x": ((1, 2), (3, 4))}, "x + np.eye(2)"), lambda x: x + np.eye(*x.shape))
    assert isinstance(found, Edits)
    assert found.sizes == ()


def test_what_the_code_refuses_is_drawn_anew() -> None:
    def root(x: Any) -> Any:
        if np.any(x < 0):
            raise ValueError("negative")
        return np.sqrt(x)

    found = held(*made({"x": (1, 2)}, "np.sqrt(x)"), root)
    assert isinstance(found, Edits)
    assert found.tried == EDITS
    assert found.refused > 0


def test_a_slow_function_is_tried_at_fewer_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eqtrace.run.example.edits.MOST_SECONDS", 0.0)
    found = held(*made(MATRIX, "X @ W", *SYMBOLS), lambda X, W: X @ W)
    assert isinstance(found, Edits)
    assert found.tried == 1


def test_a_step_of_which_only_rounding_is_left_decides_nothing() -> None:
    example, trees = made({"x": (1.5, 2.5, 3.7)}, "x")
    trees = {"Y": trees["Y"], "m": _tree("Y / 3"), "rest": _tree("m * 3 - Y")}
    found = tried(example, trees, lambda edited: {"Y": given(edited, "f")["x"]}, 0)
    assert isinstance(found, Edits)
    assert found.tried < EDITS


def test_the_same_seed_draws_the_same() -> None:
    example, _ = made(MATRIX, "X @ W", *SYMBOLS)
    first, again, other = (list(islice(draws(example, ((("X", 0),),), seed), 10)) for seed in (0, 0, 1))
    assert first == again != other


def test_draws_keep_to_what_is_stated() -> None:
    example, _ = made(
        {"ids": (2, 0, 2), "p": ((0.25, 0.75), (0.5, 0.5)), "t": 1, "order": (1, 0, 2)},
        "ids",
        symbol("ids", "T", integer=True, minimum=text("0"), maximum=text("T - 1")),
        symbol("p", "n c", probability_row=True),
        symbol("t", "", integer=True, minimum=text("1")),
        symbol("order", "m", permutation=True),
    )
    found = list(islice(draws(example, (), 0), 40))
    assert len(found) == 40
    for inputs in found:
        assert all(type(each) is int and 0 <= each <= 2 for each in inputs["ids"])
        assert np.allclose(np.sum(inputs["p"], axis=-1), 1)
        assert np.min(inputs["p"]) >= 0
        assert type(inputs["t"]) is int
        assert inputs["t"] >= 1
        assert sorted(inputs["order"]) == [0, 1, 2]
    assert len({inputs["order"] for inputs in found}) > 1


def test_limits_that_the_start_breaks_are_none() -> None:
    example, _ = made({"ids": (10, 11)}, "ids", symbol("ids", "N", integer=True, maximum=text("9")))
    assert any(max(inputs["ids"]) > 9 for inputs in islice(draws(example, (), 0), 40))


def test_resizing_repeats_the_last_line_and_takes_it_away() -> None:
    inputs = {"X": ((1, 2), (3, 4)), "b": (5, 6)}
    axes = (("X", 1), ("b", 0))
    assert resized(inputs, axes, 1) == {"X": ((1, 2, 2), (3, 4, 4)), "b": (5, 6, 6)}
    assert resized(inputs, axes, -1) == {"X": ((1,), (3,)), "b": (5,)}


def test_texts_and_ragged_rows_are_not_edited() -> None:
    example, _ = made({"words": ("a", "b"), "rows": ((1,), (1, 2))}, "1 + 1")
    assert list(draws(example, (), 0)) == []


def test_a_chosen_number_is_what_the_generator_draws() -> None:
    first = float(np.random.default_rng(42).random())
    start, changed = (made({"uniform": number}, "uniform")[0] for number in (first, 0.125))
    assert rng(start).random() == first
    assert type(rng(start)) is np.random.Generator
    assert rng(changed).random() == 0.125
    assert [rng(made({"uniform": u}, "uniform")[0]).choice(4, p=[0.1, 0.2, 0.3, 0.4]) for u in (0.05, 0.35, 0.99)] == [
        0,
        2,
        3,
    ]


def _tree(code: str) -> Node:
    tree, _ = read_step(code)
    assert tree is not None
    return tree
