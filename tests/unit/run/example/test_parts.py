import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from eqtrace.model.equation import Gradient
from eqtrace.model.example import Example, Step
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Domain, Symbol
from eqtrace.run.example.compare import gap
from eqtrace.run.example.failure import NotRun
from eqtrace.run.example.inputs import called
from eqtrace.run.example.parts import matched

PLACE = Span("spec/a.yaml", 1)
SOURCE = """
import numpy as np
def plain(X, W):
    return X @ W
def loss(z, t):
    loss = z.mean()
    probs = z[t]
    return loss, probs
def cached(X):
    out = X * 2
    Z = X + 1
    return out, (X, Z)
def unnamed(X):
    return X + 1, X + 2
def adds(X, grads):
    grads["w"] += X
    return X * 3
def scales(w):
    w *= 2
def draws(n, rng):
    return rng.random(n)
def batches(X, size):
    for start in range(0, len(X), size):
        yield X[start : start + size]
def kinds(words, ids, x, H):
    assert isinstance(words, list) and ids.dtype.kind == "i" and x.dtype == float and type(H) is int
    return x
class Box:
    def __init__(self, w):
        self.w = w
    def step(self, g):
        self.w -= g
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> types.ModuleType:
    file = tmp_path_factory.mktemp("lab") / "ops.py"
    file.write_text(SOURCE)
    made = types.ModuleType("ops")
    exec(compile(SOURCE, str(file), "exec"), vars(made))
    return made


def text(value: str | None) -> Text | None:
    return None if value is None else Text(value, PLACE)


@pytest.fixture
def match(module: types.ModuleType) -> Callable[..., dict[str, Any]]:
    """The values that the steps of an example must equal, by label."""

    def run(function: str, inputs: dict[str, Any], labels: str, **more: Any) -> dict[str, Any]:
        for key in ("call", "topic_call"):
            more[key] = text(more.get(key))
        example = Example(
            "steps",
            PLACE,
            inputs=inputs,
            steps=tuple(Step(Text(label, PLACE), Text("0", PLACE)) for label in labels.split()),
            equals=Text(f"ops.py::{function}", PLACE),
            **more,
        )
        found: Any = module
        for part in function.split("."):
            found = getattr(found, part)
        assert example.equals is not None
        call = called(example, example.equals, found, module)
        parts = matched(example, call, found, PLACE)
        return {label: np.asarray(part.value).tolist() for label, part in parts.items()}

    return run


ROW = ((1, 2), (3, 4))


def test_a_single_value_belongs_to_the_last_step(match: Callable[..., Any]) -> None:
    assert match("plain", {"X": ROW, "W": ROW}, "P Q") == {"Q": [[7, 10], [15, 22]]}


def test_parts_go_by_the_names_of_the_return(match: Callable[..., Any]) -> None:
    symbols = {"t": Symbol("t", PLACE, domain=Domain(integer=True))}
    found = match("loss", {"z": (1, 3), "t": (1, 0)}, "probs other loss", symbols=symbols)
    assert found == {"probs": [3, 1], "loss": 2}


def test_what_is_left_goes_to_the_last_steps(match: Callable[..., Any]) -> None:
    assert match("unnamed", {"X": (1,)}, "a b c") == {"b": [2], "c": [3]}
    assert match("cached", {"X": (1,)}, "Z Y") == {"Z": [2], "Y": [2]}


def test_a_last_step_that_nothing_belongs_to_is_refused(match: Callable[..., Any]) -> None:
    with pytest.raises(NotRun, match="the last step, `c`, is compared with nothing: `loss` gives loss, probs"):
        match(
            "loss",
            {"z": (1, 3), "t": ((0, 1),)},
            "loss probs c",
            symbols={"t": Symbol("t", PLACE, domain=Domain(integer=True))},
        )
    with pytest.raises(NotRun, match="compared with nothing"):
        match("unnamed", {"X": (1,)}, "c")
    with pytest.raises(NotRun, match="returns nothing"):
        match("scales", {"w": (1,)}, "y")


def test_gives_says_what_each_step_equals(match: Callable[..., Any]) -> None:
    gives = {"b": Text("result[1][1]", PLACE)}
    assert match("cached", {"X": (1,)}, "a b", gives=gives) == {"b": [2]}
    with pytest.raises(NotRun, match=r"gives: .*out of range"):
        match("cached", {"X": (1,)}, "b", gives={"b": Text("result[7]", PLACE)})
    with pytest.raises(NotRun, match="is not under `gives`"):
        match("cached", {"X": (1,)}, "b c", gives=gives)


def test_inputs_that_the_call_changes(match: Callable[..., Any]) -> None:
    assert match("scales", {"w": (1, 2)}, "w") == {"w": [2, 4]}
    gives = {"w_new": Text("self.w", PLACE)}
    assert match("Box.step", {"w": (1, 2), "g": (1, 1)}, "w_new", call="Box(w).step(g)", gives=gives) == {
        "w_new": [0, 1]
    }


def test_accumulated_gradients_are_what_the_call_added(match: Callable[..., Any]) -> None:
    place = Text("ops.py::adds", PLACE)
    gradient = Gradient(place, place, "d", None, {"W": 'grads["w"]', "X": "result"}, "grads")
    call = 'adds(X, {"w": 5*X})'
    assert match("adds", {"X": (1, 2)}, "dX dW", call=call, gradient=gradient) == {"dX": [3, 6], "dW": [1, 2]}


def test_the_topics_call_serves_where_it_calls_the_function(match: Callable[..., Any]) -> None:
    assert match("plain", {"A": ROW, "W": ROW}, "Y", topic_call="plain(A, W)")["Y"] == [[7, 10], [15, 22]]
    with pytest.raises(NotRun, match="`plain` needs `X`"):
        match("plain", {"A": ROW, "W": ROW}, "Y", topic_call="cached(A)")
    with pytest.raises(NotRun, match="`plain` needs `W`"):
        match("plain", {"X": ROW}, "Y", topic_call="plain(X, M)")


def test_symbols_name_inputs_too(match: Callable[..., Any]) -> None:
    symbols = {"A": Symbol("A", PLACE, code={"plain": "X"})}
    assert match("plain", {"A": ROW, "W": ROW}, "Y", symbols=symbols)["Y"] == [[7, 10], [15, 22]]


def test_arguments_are_of_the_kinds_that_the_code_expects(match: Callable[..., Any]) -> None:
    symbols = {"ids": Symbol("ids", PLACE, domain=Domain(integer=True))}
    inputs = {"words": ("a", "b"), "ids": (1, 0), "x": (1, 2), "H": 2}
    assert match("kinds", inputs, "y", symbols=symbols)["y"] == [1, 2]


def test_the_generator_is_seeded(match: Callable[..., Any]) -> None:
    assert match("draws", {"n": 2}, "u")["u"] == np.random.default_rng(42).random(2).tolist()
    assert match("draws", {"n": 2, "seed": 7}, "u")["u"] == np.random.default_rng(7).random(2).tolist()


def test_what_a_generator_yields_is_a_tuple(match: Callable[..., Any]) -> None:
    assert match("batches", {"X": (1, 2, 3), "size": 2}, "first last") == {"first": [1, 2], "last": [3]}


@pytest.mark.parametrize(
    "call", ["open('x')", "X.dump('x')", "plain(X, W).tofile('x')", "np.exp(X)", "plain(X, lambda: 0)"]
)
def test_calls_are_a_whitelist(match: Callable[..., Any], call: str) -> None:
    with pytest.raises(NotRun, match="call: "):
        match("plain", {"X": ROW, "W": ROW}, "Y", call=call)


@pytest.mark.parametrize(
    ("step", "code", "agrees"),
    [
        ([1.0, 2.0], [1.0, 2.0 + 1e-12], True),
        ([1.0, 2.0], [1.0, 2.0 + 1e-11], False),
        ([1.0, 1e-30], [1.0, 0.0], True),  # relative to the largest entry
        ([0.0], [0.0], True),
        ([0.0], [1e-300], False),
        ([np.inf, -np.inf], [np.inf, -np.inf], True),
        ([np.inf], [-np.inf], False),
        ([np.inf], [1.0], False),
        ([np.nan], [np.nan], False),
        ([[1.0]], [1.0], False),
        (1.0, [1.0], False),
        ([], [], True),
        ([True, False], [1.0, 0.0], True),
        (["a", "b"], ["a", "b"], True),
        (["a", "b"], ["a", "c"], False),
        (["1"], [1.0], False),
    ],
)
def test_gaps(step: Any, code: Any, agrees: bool) -> None:
    found = gap(np.array(step), np.array(code))
    assert found.agrees is agrees
    assert bool(found.words) is not agrees


def test_a_gap_shows_where_and_both_values() -> None:
    assert gap(np.array([[1.0, 2.0]]), np.array([[1.0, 3.0]])).words == "[0, 1]: step 2.0, code 3.0"
    assert gap(np.array(1.0), np.array([1.0])).words == "step has shape () (a single number), code (1,)"
