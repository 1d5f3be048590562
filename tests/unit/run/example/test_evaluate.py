from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eqtrace.formula.steps.reader import read_step
from eqtrace.run.example.arrays import LARGEST
from eqtrace.run.example.evaluate import StepError, evaluate

VALUES: dict[str, Any] = {
    "X": np.array([[1.0, -2.0, 0.5], [3.0, 0.0, 4.0]]),
    "W": np.array([[1.0, 0.0], [2.0, -1.0], [0.5, 3.0]]),
    "Q": np.arange(12.0).reshape(2, 3, 2),
    "v": np.array([3.0, 1.0, 2.0]),
    "n": np.array(2.0),
    "i": np.array([1.0, 0.0]),
    "w": np.array(["a", "b", "a"]),
    "np": np,
}


def value(text: str, values: Any = VALUES) -> np.ndarray:
    node, errors = read_step(text)
    assert not errors, errors
    assert node is not None
    return evaluate(node, values)


AS_NUMPY = """
X @ W
X.mean(axis=-1, keepdims=True)
((X - X.mean(axis=-1, keepdims=True)) ** 2).mean(axis=-1, keepdims=True)
X.var(axis=0)
X.std()
X.max(axis=1)
X.sum(axis=(0, 1))
X.argmax(axis=1)
(X > 0).any(axis=0)
(X > 0).all()
np.count_nonzero(X)
X.cumsum(axis=1)
np.exp(X - X.max()) / np.exp(X).sum()
np.sqrt(np.abs(X)) + np.log(v + 1)[None]
np.maximum(0.0, X)
np.minimum(X, 1)
np.where(np.triu(np.ones((3, 3)), 1) > 0, -np.inf, v)
np.tril(np.full((2, 3), 2), -1)
np.eye(3)[[1, 0]]
X[1, 0]
X[..., 1]
X[:, ::-1][0]
X[X > 0]
v[:, None] - v[None, :]
v[np.newaxis]
Q.transpose(0, 2, 1)
Q.transpose(1, 0, 2).reshape(3, 4)
Q.T
np.swapaxes(Q, 0, 1)
Q @ Q.transpose(0, 2, 1)
np.concatenate((X, X), axis=1)
np.stack([v, v], axis=-1)
np.sort(v)[::-1]
np.argsort(-v)
np.repeat(v, 2)
np.tile(v, (2, 1))
np.arange(3) / 2
np.arange(1, 2, 0.25)
np.linspace(0, 1, 5)
np.zeros(2) + np.ones((2, 1))
np.clip(X, 0, None)
np.outer(v, v)
np.diag(v)
np.floor(X) + np.ceil(X)
np.sign(X) * np.cos(np.pi * X)
np.take_along_axis(X, np.argsort(X, axis=-1), axis=-1)
np.flip(v)
X.reshape(-1)
X.reshape((3, 2))
X.ravel().prod()
-X % 3 // 1
(X > 0) & (X < 3) | ~(X == 0)
(X > 0) * X
X.shape
X.size + X.ndim + len(X)
np.isfinite(X)
np.array([[1, 2], [3, 4]]) ** 0.5
(X > 0).astype(float)
X.astype(int)
max(1, 2) + min(1, 2) + abs(-3)
""".strip().splitlines()


@pytest.mark.parametrize("text", AS_NUMPY)
def test_numbers_are_numpys(text: str) -> None:
    with np.errstate(all="ignore"):
        expected = np.asarray(eval(text, dict(VALUES)))
    found = value(text)
    assert found.shape == expected.shape
    assert found.dtype in (np.float64, np.bool_)
    assert np.array_equal(found.astype(float), expected.astype(float))


def test_floats_that_are_whole_are_indices_and_counts() -> None:
    assert value("X[i, n]").tolist() == [4.0, 0.5]
    assert value("np.zeros(n + 1)").tolist() == [0.0, 0.0, 0.0]
    assert value("v[n - 1:]").tolist() == [1.0, 2.0]
    assert value("np.eye(n)").tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_texts_are_compared_and_nothing_else() -> None:
    assert value("(w == 'a').sum()") == 2
    with pytest.raises(StepError):
        value("np.exp(w)")
    with pytest.raises(StepError):
        value("w * 3")


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("1 + X @ X", "X @ X", "matmul"),
        ("1 + X[5]", "X[5]", "out of bounds"),
        ("1 + X[0.5]", "0.5", "a whole number is wanted here"),
        ("X[:v]", "v", "a single whole number is wanted"),
        ("X + W", "X + W", "shape mismatch"),
        ("X.sum(axis=7)", "X.sum(axis=7)", "axis 7 is out of bounds"),
        ("unknown + 1", "unknown", "`unknown` has no value"),
        ("X.reshape(7)", "X.reshape(7)", "cannot reshape"),
        ("np.zeros(1e9)", "np.zeros(1e9)", "1,000,000,000 entries"),
        ("np.ones((200, 200))", "np.ones((200, 200))", "40,000 entries"),
        ("np.arange(1e300)", "np.arange(1e300)", "are allowed"),
        ("np.arange(0, 1, 1e-300)", "np.arange(0, 1, 1e-300)", "are allowed"),
        ("np.arange(0, 1, 0)", "np.arange(0, 1, 0)", "are allowed"),
        ("np.linspace(0, 1, 1e8)", "np.linspace(0, 1, 1e8)", "are allowed"),
        ("np.eye(1e6)", "np.eye(1e6)", "are allowed"),
        ("np.diag(np.arange(9999))", "np.diag(np.arange(9999))", "are allowed"),
        ("np.triu(np.arange(9999))", "np.triu(np.arange(9999))", "are allowed"),
        ("np.tile(v, 1e6)", "np.tile(v, 1e6)", "are allowed"),
        ("np.repeat(v, 1e9)", "np.repeat(v, 1e9)", "are allowed"),
        ("np.outer(np.arange(9999), np.arange(9999))", "np.outer(np.arange(9999), np.arange(9999))", "are allowed"),
        ("np.arange(9999)[:, None] + np.arange(9999)", "np.arange(9999)[:, None] + np.arange(9999)", "are allowed"),
        ("np.ones((9999, 1)) @ np.ones((1, 9999))", "np.ones((9999, 1)) @ np.ones((1, 9999))", "are allowed"),
        ("np.eye(99)[np.zeros(9999)]", "np.eye(99)[np.zeros(9999)]", "are allowed"),
        ("np.broadcast_to(v, (9999, 3))", "np.broadcast_to(v, (9999, 3))", "are allowed"),
        ("np.concatenate([np.ones(9999), np.ones(9999)])", "[np.ones(9999), np.ones(9999)]", "are allowed"),
        ("X[None:]", "None", "is no number"),
    ],
)
def test_what_cannot_be_worked_out_is_told_at_its_place(text: str, place: str, message: str) -> None:
    node, errors = read_step(text)
    if node is None:
        assert message in errors[0].message
        return
    with pytest.raises(StepError, match=message.replace("(", r"\(")) as caught:
        evaluate(node, VALUES)
    assert text[caught.value.offset : caught.value.offset + caught.value.length] == place


def test_powers_overflow_to_infinity_at_once() -> None:
    assert value("9 ** 9 ** 9 ** 9 ** 9") == np.inf


def test_an_input_that_is_no_array_can_only_be_passed_on() -> None:
    with pytest.raises(StepError, match="rows differ in length"):
        value("1 + x", {"x": ((1, 2), (3,))})


def test_one_long_text_does_not_widen_all_others() -> None:
    with pytest.raises(StepError, match="at most 200 characters"):
        value("w == 'a'", {"w": ("a",) * 5000 + ("x" * 100_000,)})


_LEAVES = st.sampled_from(["X", "W", "v", "n", "i", "0", "1", "-1", "2", "1e9", "np.inf", "None", "w", "True"])


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.sampled_from(["{} + {}", "{} @ {}", "{} ** {}", "{}[{}]", "{}[{}:]", "np.where({0} > 0, {0}, {1})"])
    one = st.sampled_from(
        ["-{}", "{}.T", "np.exp({})", "{}.sum(axis=0)", "np.zeros({})", "np.eye({})", "np.arange({})", "[{}, 1]"]
    )
    return st.builds(lambda form, a, b: form.format(a, b), two, inner, inner) | st.builds(
        lambda form, a: form.format(a), one, inner
    )


@settings(max_examples=300, deadline=None, database=None)
@given(st.recursive(_LEAVES, _grown, max_leaves=8))
def test_any_step_is_a_bounded_array_or_an_error(text: str) -> None:
    node, errors = read_step(text)
    if node is None:
        assert errors
        return
    try:
        assert evaluate(node, VALUES).size <= LARGEST
    except StepError:
        return
