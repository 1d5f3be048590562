"""The page's arithmetic, in a browser, against the steps' evaluation in Python: on one expression after the other."""

import math
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from eqtrace.formula.steps.functions import FUNCTIONS
from eqtrace.formula.steps.reader import read_step
from eqtrace.formula.steps.tree import Attribute, Binary, Call, Node, Unary, children
from eqtrace.report.engine.transpile import transpile
from eqtrace.run.example.evaluate import StepError, evaluate

EXPRESSIONS = Path(__file__).with_name("expressions.txt").read_text("utf-8").splitlines()
VALUES = {
    "X": np.array([[1.0, -2.0, 0.5], [3.0, 0.0, 4.0]]),
    "W": np.array([[1.0, 0.0], [2.0, -1.0], [0.5, 3.0]]),
    "Q": np.arange(12.0).reshape(2, 3, 2),
    "v": np.array([3.0, 1.0, 2.0]),
    "n": np.array(2.0),
    "i": np.array([1.0, 0.0]),
}
RUN = """([programs, given]) => {
  const values = new Map(given.map(([name, shape, data]) => [name, eqtraceEngine.array(shape, data)]));
  return programs.map((program) => {
    try {
      const { shape, data, truth } = eqtraceEngine.run(program, values);
      return { shape, data: data.map(String), truth };
    } catch (error) {
      if (!(error instanceof eqtraceEngine.StepError)) throw error;
      return { message: error.message, offset: error.offset, length: error.length };
    }
  });
}"""


@pytest.fixture
def run(open_page: Callable[..., Page]) -> Callable[[list[Any]], list[dict[str, Any]]]:
    page = open_page("about:blank")
    page.add_script_tag(content=files("eqtrace.report").joinpath("static", "engine.js").read_text("utf-8"))
    given = [[name, list(value.shape), value.ravel().tolist()] for name, value in VALUES.items()]
    return lambda programs: page.evaluate(RUN, [programs, given])


def tree(text: str) -> Node:
    node, errors = read_step(text)
    assert node is not None, (text, errors)
    return node


def numbers(entries: list[str]) -> list[float]:
    return [float(each.replace("Infinity", "inf")) for each in entries]


def test_every_expression_gives_what_python_gives(run) -> None:
    trees = [tree(each) for each in EXPRESSIONS]
    wrong, refused = [], 0
    for text, node, got in zip(EXPRESSIONS, trees, run(list(map(transpile, trees))), strict=True):
        try:
            value = evaluate(node, VALUES)
        except StepError as error:
            refused += 1
            # At the same characters, within them or around them: one of the two may find out a little later.
            ends = got.get("offset", 0) + got.get("length", 0), error.offset + error.length
            if "message" not in got or max(got["offset"], error.offset) >= min(ends):
                wrong.append((text, str(error), got))
            continue
        same = "message" not in got and tuple(got["shape"]) == value.shape and got["truth"] == (value.dtype.kind == "b")
        if not same or not np.allclose(numbers(got["data"]), value.ravel(), rtol=1e-14, atol=0, equal_nan=True):
            wrong.append((text, value, got))
    assert wrong == []
    assert refused > 10


def test_every_word_of_the_language_is_among_the_expressions() -> None:
    """A function of steps that the page does not know, or that nothing here tries, would go unnoticed."""
    words: set[str] = set()

    def note(node: Node) -> None:
        match node:
            case Call(function=word) | Binary(op=word) | Attribute(name=word) | Unary(op=word):
                words.add(word)
        for each in children(node):
            note(each)

    for each in EXPRESSIONS:
        note(tree(each))
    elementwise = {"sin", "cos", "sqrt", "subtract", "multiply", "divide", "add", "equal", "square"}
    assert FUNCTIONS.keys() - words - elementwise == set()


def test_sums_are_added_up_as_numpy_does(run) -> None:
    counts = [7, 8, 9, 64, 127, 128, 129, 1000, 4099]
    texts = [f"(np.arange({n}) / 7).sum()" for n in counts]
    found = run([transpile(tree(text)) for text in texts])
    expected = [float((np.arange(n) / 7).sum()) for n in counts]
    assert [float(each["data"][0]) for each in found] == expected
    assert not math.isclose(expected[-1], 0)


def test_words_that_are_no_functions_of_steps_are_refused(run) -> None:
    hostile = ["constructor", "__proto__", "toString", "eval", "valueOf", "hasOwnProperty"]
    for got in run([[word, 0, 1, 1] for word in hostile]):
        assert "message" in got
    for got in run(hostile):
        assert "has no value" in got["message"]
