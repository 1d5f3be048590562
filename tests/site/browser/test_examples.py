"""Examples that can be edited, in a browser: held against the project's own functions, and used as a reader would."""

import functools
import importlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page

from eqtrace.config import Config, load
from eqtrace.formula.steps.tree import Node
from eqtrace.model.example import Edits, Example, Step
from eqtrace.model.results import Results
from eqtrace.model.span import Text
from eqtrace.report.engine.live import read
from eqtrace.report.site import build
from eqtrace.run.example import edits
from eqtrace.run.example.compare import gap
from eqtrace.run.example.inputs import called
from eqtrace.run.example.parts import matched
from eqtrace.spec.load import load as load_specification

ROOT = Path(__file__).resolve().parents[3]
Array = np.ndarray[Any, Any]

# Brings an example to one edit after the other, by its buttons and boxes, and reads every step's exact value.
EDIT = """([id, edits]) => {
  const section = document.getElementById(id).querySelector("[data-live]");
  const places = [...section.querySelectorAll("[data-input]")];
  const count = (place) => place.querySelectorAll("input").length;
  return edits.map((inputs) => {
    section.querySelector("[data-reset]").click();
    inputs.forEach(([shape, cells], at) => {
      const shown = () => (places[at].querySelector("[data-shape]").textContent.match(/\\d+/g) || []).map(Number);
      shape.forEach((length, axis) => {
        while (shown()[axis] !== length) {
          const by = shown()[axis] < length ? 1 : -1, before = count(places[at]);
          places[at].querySelector(`button[data-axis="${axis}"][data-by="${by}"]`).click();
          if (count(places[at]) === before) throw new Error("the button does nothing");
        }
      });
      const boxes = places[at].querySelectorAll("input");
      const changed = [...boxes].filter((box, cell) => box.value !== cells[cell]).length;
      boxes.forEach((box, cell) => { box.value = cells[cell]; });
      if (changed) boxes[0].dispatchEvent(new Event("input", { bubbles: true }));
    });
    const said = section.querySelector("[data-state]").textContent;
    return [said, ...[...section.querySelectorAll("[data-value]")].map((each) => each.dataset.exact || null)];
  });
}"""


@dataclass
class Tried:
    """An example with the edits that the project's functions took, and what they gave."""

    page: str
    example: Example
    trees: Mapping[str, Node]
    edits: Edits
    cases: list[tuple[Mapping[str, Any], Mapping[str, Array], Mapping[str, Any]]] = field(default_factory=list)

    def arguments(self) -> list[Any]:
        return [[[list(np.shape(value)), list(_texts(value))] for value in case[0].values()] for case in self.cases]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, tuple):
        for each in value:
            yield from _texts(each)
    else:
        yield repr(value)


@functools.cache
def tried() -> dict[str, Tried]:
    """Every editable example of this repository, by topic: start values and 20 edits, from the real functions."""
    found = {}
    for topic in load_specification(load(ROOT)).topics:
        example = topic.example
        if example is not None and example.kind == "editable" and example.equals is not None:
            found[topic.id] = _tried(f"pages/{topic.page}.html", example)
    return found


def _tried(page: str, example: Example) -> Tried:
    assert example.equals is not None
    path, _, qualname = example.equals.value.partition("::")
    module = importlib.import_module(path.removesuffix(".py").replace("/", "."))
    function = functools.reduce(getattr, qualname.split("."), module)
    trees = read(example)
    cases = []

    def given(edited: Example) -> dict[str, Any]:
        parts = matched(edited, called(edited, example.equals, function, module), function, example.equals.span)
        values = {label: part.value for label, part in parts.items()}
        cases.append((edited.inputs, edits.worked_out(trees, edited.inputs), values))
        return values

    given(example)
    with np.errstate(all="ignore"):
        result = edits.tried(example, trees, given, seed=0)
    assert isinstance(result, Edits), result
    return Tried(page, example, trees, result, [cases[0], *cases[len(cases) - result.tried :]])


def gaps(topic: str, one: Tried, page: Page) -> list[str]:
    """Where the page gives something else than the steps in Python, or than the project's function."""
    found = []
    shown = page.evaluate(EDIT, [topic, one.arguments()])
    for number, ((inputs, steps, given), (said, *values)) in enumerate(zip(one.cases, shown, strict=True)):
        for (label, _), text in zip(one.trees.items(), values, strict=True):
            if text is None:
                found.append(f"{topic}, edit {number}: {label} has no value; {said}; {inputs}")
                continue
            value = _array(text)
            for what, expected in (("the steps", steps[label]), ("the code", given.get(label))):
                if expected is None:
                    continue
                apart = gap(value, np.asarray(expected, dtype=np.float64), names=("page", what))
                if not apart.agrees:
                    found.append(f"{topic}, edit {number}: {label}: {apart.words}; {inputs}")
    return found


def _array(text: str) -> Array:
    data = json.loads(text)
    entries = [float(each.replace("Infinity", "inf")) for each in data["entries"]]
    return np.array(entries, dtype=np.float64).reshape(data["shape"])


def test_every_result_is_what_the_projects_functions_give(example_pages: Callable[[str], Page]) -> None:
    """At the start values and at 20 random edits, to 1e-12 of the largest entry of each array."""
    assert len(tried()) > 30
    assert {topic: one.edits.tried for topic, one in tried().items() if one.edits.tried != edits.EDITS} == {}
    assert [each for topic, one in tried().items() for each in gaps(topic, one, example_pages(one.page))] == []


BREAK = """([word, subtle]) => {
  const real = eqtraceEngine.words[word];
  eqtraceEngine.words[word] = (...given) => {
    const value = real(...given);
    const other = subtle ? (x) => x * (1 + 1e-11) : (x) => (Number.isFinite(x) ? -x - 1 : 0);
    const wrong = value.truth ? (x) => 1 - x : other;
    return { ...value, data: value.data.map(wrong) };
  };
  return () => { eqtraceEngine.words[word] = real; };
}"""
SUBTLE = frozenset({"+", "-", "*", "/", "**", "@", "exp", "sqrt", "sum", "mean", "where", "abs", "maximum"})


def test_a_broken_function_of_the_arithmetic_is_noticed(repository: Any, example_pages: Callable[[str], Page]) -> None:
    """Each function that an example uses, broken (arithmetic by 1e-11 of its value), makes the comparison fail."""
    users: dict[str, list[str]] = {}
    for topic, one in tried().items():
        for word in set(_words(one, example_pages(one.page), topic)):
            users.setdefault(word, []).append(topic)
    assert users.keys() > SUBTLE
    unnoticed = [word for word, topics in users.items() if not _noticed(word, topics, example_pages)]
    assert unnoticed == []
    topic = users["exp"][0]
    assert gaps(topic, tried()[topic], example_pages(tried()[topic].page)) == []  # mended again


def _words(one: Tried, page: Page, topic: str) -> Iterator[str]:
    def walk(node: Any) -> Iterator[str]:
        if isinstance(node, list):
            if isinstance(node[0], str) and node[0] not in ("index", "slice", "newaxis", "rest", "constant"):
                yield node[0]
            for each in node[3:]:
                yield from walk(each)

    program = json.loads(page.locator(f"[id='{topic}'] [data-live] script").text_content() or "")
    for _, tree in program["steps"]:
        yield from walk(tree)


def _noticed(word: str, topics: list[str], example_pages: Callable[[str], Page]) -> bool:
    for topic in topics:
        one = tried()[topic]
        page = example_pages(one.page)
        mend = page.evaluate_handle(BREAK, [word, word in SUBTLE])
        try:
            if gaps(topic, one, page):
                return True
        finally:
            page.evaluate("(mend) => mend()", mend)
    return False


# As a reader uses them


@pytest.fixture
def linear(repository: Any, open_page: Callable[..., Page]) -> Locator:
    page = open_page(repository.url("pages/linear-relu-initialisation.html"))
    return page.locator("#linear [data-live]")


def values(section: Locator) -> list[str]:
    return section.locator("[data-value]").all_inner_texts()


def test_results_follow_edits_and_reset_brings_back_the_start(linear: Locator) -> None:
    start = linear.inner_text()
    reset = linear.get_by_role("button", name="Reset")
    assert reset.is_disabled()
    linear.get_by_label("X[0, 0]", exact=True).fill("2.5")
    assert linear.locator("[data-value]").inner_text() == " 0.5 3  4\n-1   2 -1"
    assert linear.locator("[data-written]").inner_text() == "Y[1, 0] = 0·1 + 1·(-1) + 0 = -1"
    linear.get_by_label("b[0]", exact=True).fill("10")
    assert linear.locator("[data-written]").inner_text() == "Y[1, 0] = 0·1 + 1·(-1) + 10 = 9"
    reset.click()
    assert linear.inner_text() == start
    assert linear.get_by_label("X[0, 0]", exact=True).input_value() == "1"


def test_shapes_follow_edits_and_a_shape_error_is_explained_in_place(linear: Locator) -> None:
    shape = linear.locator("[data-step='0'] [data-shape]")
    linear.get_by_role("button", name="Add a row to X").click()
    assert shape.inner_text() == "(3, 3)"
    linear.get_by_role("button", name="Add a column to X").click()
    told = "X has 3 columns, W has 2 rows: both are the size a, so they must be equal."
    assert linear.locator("[data-why]:visible").all_inner_texts() == [told, told]
    assert (
        linear.locator("[data-value]").inner_text()
        == "(3, 3) @ (2, 3) do not fit: 3 columns on the left, 2 rows on the right."
    )
    assert linear.locator("mark").inner_text() == "X @ W"
    assert told in linear.get_by_role("status").inner_text()
    linear.get_by_role("button", name="Add a row to W").click()
    assert linear.locator("[data-why]:visible").count() == 0
    assert shape.inner_text() == "(3, 3)"
    for _ in range(2):
        linear.get_by_role("button", name="Remove the last row of X").click()
    assert shape.inner_text() == "(1, 3)"
    assert linear.get_by_role("button", name="Remove the last row of X").is_disabled()


@pytest.mark.parametrize("text", ["abc", "", "1e999", "nan", "0x10", "1,5", "<img src=x onerror=alert(1)>"])
def test_what_is_no_number_is_explained_in_place(linear: Locator, text: str) -> None:
    box = linear.get_by_label("X[0, 1]", exact=True)
    box.fill(text)
    assert linear.locator("[data-why]:visible").all_inner_texts() == [f"X: “{text}” is no number."]
    assert box.get_attribute("aria-invalid") == "true"
    assert linear.locator("[data-value]").inner_text() == "waits for X"
    linear.get_by_role("button", name="Add a column to X").click()
    # The new column repeats the last one, and the sizes do not fit: the first complaint stands.
    assert linear.locator("[data-input='0'] [data-why]").inner_text() == f"X: “{text}”, “{text}” are no numbers."
    linear.get_by_role("button", name="Remove the last column of X").click()
    box.fill("2")
    assert linear.locator("[data-why]:visible").count() == 0
    assert linear.get_by_role("button", name="Reset").is_disabled()


def test_a_value_that_the_equation_is_not_stated_for_is_explained_in_place(
    repository: Any, open_page: Callable[..., Page]
) -> None:
    page = open_page(repository.url("pages/layer-norm.html"))
    section = page.locator("#layer_norm [data-live]")
    section.get_by_role("textbox", name="eps").fill("-1")
    assert section.locator("[data-why]:visible").all_inner_texts() == [
        "eps: the equation is stated for numbers above 0."
    ]


def test_later_steps_wait_for_one_that_cannot_be_worked_out(repository: Any, open_page: Callable[..., Page]) -> None:
    page = open_page(repository.url("pages/embeddings.html"))
    section = page.locator("#token_embedding [data-live]")
    section.get_by_label("ids[0]", exact=True).fill("7")
    assert values(section) == ["There is no index 7: there are 3.", "waits for E_ids"]
    section.get_by_label("ids[0]", exact=True).fill("0.5")
    assert values(section)[0] == "A whole number is wanted here, not 0.5."


def test_arrows_move_between_rows(linear: Locator) -> None:
    linear.get_by_label("X[0, 1]", exact=True).press("ArrowDown")
    assert linear.page.evaluate("document.activeElement.getAttribute('aria-label')") == "X[1, 1]"
    linear.page.keyboard.press("ArrowUp")
    assert linear.page.evaluate("document.activeElement.getAttribute('aria-label')") == "X[0, 1]"


TEXTS = """(html) => {
  const page = html ? new DOMParser().parseFromString(html, "text/html") : document;
  return [...page.querySelectorAll("[data-live]")].map((each) => each.textContent.replace(/\\s+/g, " "));
}"""


def test_what_the_script_shows_at_the_start_stood_there_before(
    repository: Any, example_pages: Callable[[str], Page]
) -> None:
    """Start values, shapes and entries written out: nothing is missing without JavaScript, or moves with it."""
    for file in sorted({one.page for one in tried().values()}):
        page = example_pages(file)
        page.evaluate("() => document.querySelectorAll('[data-reset]').forEach((each) => each.click())")
        assert page.evaluate(TEXTS, (repository.folder / file).read_text("utf-8")) == page.evaluate(TEXTS, "")


def test_without_javascript_nothing_can_be_edited(repository: Any, open_page: Callable[..., Page]) -> None:
    page = open_page(repository.url("pages/linear-relu-initialisation.html"), java_script_enabled=False)
    section = page.locator("#linear [data-live]")
    assert section.locator("input").count() == 13
    assert section.locator("input:not([readonly])").count() == 0
    assert section.locator("button:enabled").count() == 0
    assert values(section) == ["-1 3  1\n-1 2 -1"]


def test_numbers_are_shown_as_at_the_build(linear: Locator) -> None:
    from eqtrace.report.numbers import number

    rng = np.random.default_rng(3)
    tries = [*(rng.normal(size=60) * 10.0 ** rng.integers(-12, 20, 60)), 0.0, -0.0, 1e15, 123456789.5, 0.0001, 0.00001]
    tries += [99999.95, 999999.5, 0.1, 1 / 3, 1e-300, -1e300, math.pi, 5e-324]
    for cell in ("X[0, 0]", "X[0, 1]"):
        linear.get_by_label(cell, exact=True).fill("0")
    for value in tries:
        linear.get_by_label("b[0]", exact=True).fill(repr(float(value)))
        assert values(linear)[0].split()[0] == number(float(value))


HOSTILE = "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"


def test_hostile_names_are_text_in_data_labels_and_messages(
    config: Config, results: Results, open_page: Callable[..., Page]
) -> None:
    topic, *rest = results.specification.topics
    assert topic.example is not None
    steps = (*topic.example.steps, Step(Text(HOSTILE, topic.span), Text("P * 2", topic.span)))
    inputs = {**topic.example.inputs, HOSTILE: (1, 2), "__proto__": 1, "constructor": 2}
    topics = (replace(topic, example=replace(topic.example, inputs=inputs, steps=steps)), *rest)
    hostile = replace(results, specification=replace(results.specification, topics=topics))
    page = open_page((build(config, hostile).folder / "pages" / "layers.html").as_uri())
    section = page.locator("[data-live]")
    assert section.locator("[data-value]").count() == 3
    section.locator("[data-input='3'] input").first.fill(HOSTILE)
    assert section.locator("[data-input='3'] [data-why]").inner_text() == f"{HOSTILE}: “{HOSTILE}” is no number."
    section.get_by_role("textbox", name="__proto__").fill("3")
    assert section.locator("img").count() == 0
    assert values(section)[2] == "2 12\n1  6"
    assert page.title() != "run"
