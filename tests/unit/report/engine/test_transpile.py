"""Steps as data: what each becomes, and what is refused."""

import json
from typing import Any

import pytest

from eqtrace.formula.steps.functions import FUNCTIONS
from eqtrace.formula.steps.reader import read_step
from eqtrace.report.engine.transpile import NotTranslated, transpile

OPERATORS = "+ - * / // % ** @ < <= > >= == != & | ^"


def data(text: str) -> Any:
    node, errors = read_step(text)
    assert node is not None, errors
    return transpile(node)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2", 2),
        ("X", "X"),
        ("X @ W", ["@", 0, 5, "X", "W"]),
        ("-X", ["negative", 0, 2, "X"]),
        ("np.inf", ["constant", 0, 6, "inf"]),
        ("np.nan", ["constant", 0, 6, "nan"]),
        ("X.T", ["T", 0, 3, "X"]),
        (
            "X[0, None, ..., ::2]",
            ["index", 0, 20, "X", 0, ["newaxis", 5, 4], ["rest", 11, 3], ["slice", 16, 3, None, None, 2]],
        ),
        ("X.sum(axis=-1, keepdims=True)", ["sum", 0, 29, "X", {"axis": -1, "keepdims": True}]),
        ("X.sum()", ["sum", 0, 7, "X", {}]),
        ("np.sum(X, axis=(0, 1))", ["sum", 0, 22, "X", {"axis": [0, 1]}]),
        ("np.clip(X, None, 1)", ["clip", 0, 19, "X", None, 1]),
        ("np.concatenate((X, Y), axis=1)", ["concatenate", 0, 30, "X", "Y", {"axis": 1}]),
        ("[1, X]", ["list", 0, 6, 1, "X"]),
    ],
)
def test_what_steps_become(text: str, expected: Any) -> None:
    found = data(text)
    assert found == expected
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_places_are_characters_of_the_text() -> None:
    text = "é + X @ W".replace("é", "a")
    assert data(text)[4][:3] == ["@", 4, 5]


def test_texts_are_refused() -> None:
    with pytest.raises(NotTranslated, match="texts"):
        data("words == 'a'")


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "np.load('x')",
        "np.random.rand(2)",
        "X.__class__",
        "X.tofile",
        "eval('1')",
        "(lambda: 1)()",
        "[x for x in X]",
        "X if Y else Z",
        "alert(1)",
        "constructor.constructor('return 1')()",
        "X; Y",
        "np.sum(X, axis=k)",
        "np.sum(X, out=Y)",
        "X := 2",
        "f'{X}'",
        "window.location",
        "np.sum",
        "*X",
        "1j",
    ],
)
def test_what_is_not_on_the_whitelist_never_gets_here(text: str) -> None:
    node, errors = read_step(text)
    assert node is None
    assert errors


def test_names_that_mean_something_to_javascript_are_just_names() -> None:
    """They are looked up in a map of the example's own values, so they can be nothing else."""
    assert data("constructor + toString") == ["+", 0, 22, "constructor", "toString"]


def test_words_are_those_of_the_language_alone() -> None:
    known = {*FUNCTIONS, "T", "shape", "size", "ndim", "negative", "positive", "invert", "index", "slice", "newaxis"}
    known |= {"rest", "list", "constant", *OPERATORS.split()}

    def words(found: Any) -> set[str]:
        if not isinstance(found, list) or not isinstance(found[0], str):
            return set()
        return {found[0]}.union(*map(words, found[3:]))

    for text in ("np.where(~(X > 0) & (Y != 1), X[1:], -Y.T ** 2)", "np.eye(2)[ids].shape[0] // 2 % 3"):
        assert words(data(text)) <= known
