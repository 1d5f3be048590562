"""Examples that are shown and not edited: step tables, central differences, stored runs.

What the browser shows of each is held against the project's own functions, called here and now. Pages show 6 digits, so
numbers are compared to these.
"""

from __future__ import annotations

import functools
import importlib
import re
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from eqtrace.config import load
from eqtrace.model.example import Example
from eqtrace.model.span import Text
from eqtrace.model.topic import Topic
from eqtrace.report.engine.live import read
from eqtrace.run.example import edits
from eqtrace.run.example.differences import Loss, of_gradient, of_steps
from eqtrace.run.example.inputs import called
from eqtrace.run.example.parts import matched
from eqtrace.run.example.stored import run
from eqtrace.spec.load import load as load_specification

ROOT = Path(__file__).resolve().parents[3]
SHOWN = 5.5e-6  # half a unit of the sixth digit, of the number, and a little
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf)")

# The texts of an example's tables: of each row its cells, of each cell what stands for the value in it.
READ = """(id) => {
  const section = document.getElementById(id).querySelector(".example");
  const text = (cell) => {
    const blocks = [...cell.querySelectorAll(".matrix, .entry-value")];
    return (blocks.length ? blocks : [cell]).map((each) => each.innerText).join(" ").trim();
  };
  return [...section.querySelectorAll("table")].map((table) =>
    [...table.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => {
      const value = cell.querySelector("[data-value]");
      const code = cell.querySelector("[data-code]");
      const name = row.children[0] === cell && cell.querySelector("code");
      return code ? code.textContent : value ? text(value) : name ? name.textContent : text(cell);
    })));
}"""


@functools.cache
def topics() -> Mapping[str, Topic]:
    """The topics of this repository whose example is not edited."""
    found = load_specification(load(ROOT)).topics
    return {topic.id: topic for topic in found if topic.example is not None and topic.example.kind != "editable"}


def of_kind(kind: str) -> list[str]:
    return [name for name, topic in topics().items() if topic.example and topic.example.kind == kind]


def imported(text: Text) -> tuple[types.FunctionType, types.ModuleType]:
    path, _, qualname = text.value.partition("::")
    module = importlib.import_module(path.removesuffix(".py").replace("/", "."))
    return functools.reduce(getattr, qualname.split("."), module), module  # type: ignore[arg-type]


def expected(example: Example) -> dict[str, Any]:
    """By label what each step is to show: what the project's function gives, else the step worked out here."""
    found: dict[str, Any] = dict(edits.worked_out(read(example), example.inputs))
    if example.equals is not None:
        function, module = imported(example.equals)
        parts = matched(example, called(example, example.equals, function, module), function, example.equals.span)
        found.update({label: part.value for label, part in parts.items()})
    return found


def unlike(text: str, value: Any, tolerance: float = SHOWN) -> str:
    """Why a text does not show a value; '' where it does."""
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        words = " ".join(str(each) for each in array.ravel())
        return "" if "".join(words.split()) == "".join(text.split()) else f"{text!r} is shown for {words!r}"
    if array.dtype.kind == "b":
        array = array.astype(int) if NUMBER.fullmatch(text.split()[0]) else array
    if array.dtype.kind == "b":
        return "" if text.split() == [str(each) for each in array.ravel()] else f"{text!r} is shown for {array}"
    numbers = [float(each) for each in NUMBER.findall(text)]
    if len(numbers) != array.size:
        return f"{len(numbers)} numbers are shown for {array.size}: {text!r}"
    whole = array.astype(float).ravel()
    scale = np.abs(whole) if tolerance == SHOWN else np.abs(whole).max(initial=0.0)
    with np.errstate(invalid="ignore"):
        wrong = ~((np.array(numbers) == whole) | (np.abs(np.array(numbers) - whole) <= tolerance * scale))
    return f"{text!r} is shown for {whole}" if wrong.any() else ""


def steps(topic: str, page: Page) -> Iterator[str]:
    """What is wrong with a table of steps."""
    example = topics()[topic].example
    assert example is not None
    table, values = page.evaluate(READ, topic)[0], expected(example)
    if len(table) != len(example.steps):
        yield f"{topic}: {len(table)} rows for {len(example.steps)} steps"
    for step, (_, code, text) in zip(example.steps, table, strict=False):
        if code != " ".join(step.code.value.split()):
            yield f"{topic}: {step.name.value}: the code is {code!r}"
        if why := unlike(text, values[step.name.value]):
            yield f"{topic}: {step.name.value}: {why}"


def differences(topic: str, page: Page) -> Iterator[str]:
    """What is wrong with a table of central differences: worked out anew, with another step."""
    example = topics()[topic].example
    assert example is not None
    assert example.equals is not None
    values = expected(example)
    pairs, loss = gradients(example)
    table = page.evaluate(READ, topic)[1]
    if [row[0] for row in table] != list(pairs):
        yield f"{topic}: rows {[row[0] for row in table]} for {list(pairs)}"
    for (label, name), (_, formula, rough, gap) in zip(pairs.items(), table, strict=False):
        if why := unlike(formula, values[label]):
            yield f"{topic}: {label} by the formula: {why}"
        if why := unlike(rough, central(loss, name, np.asarray(example.inputs[name], dtype=float)), 2e-6):
            yield f"{topic}: {label} by differences: {why}"
        if not 0 <= float(NUMBER.findall(gap)[0]) <= 1e-6:
            yield f"{topic}: {label}: the gap is {gap}"


def gradients(example: Example) -> tuple[Mapping[str, str], Loss]:
    by_steps = of_steps(example, read(example))
    if by_steps is not None:
        return by_steps
    assert example.equals is not None
    assert example.gradient is not None
    function, module = imported(example.equals)
    parts = matched(example, called(example, example.equals, function, module), function, example.equals.span)
    return of_gradient(example, parts, *imported(example.gradient.forward))


def central(loss: Loss, name: str, x: np.ndarray[Any, Any], step: float = 1e-5) -> np.ndarray[Any, Any]:
    found = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[index] += step
        below[index] -= step
        found[index] = (loss({name: above}) - loss({name: below})) / (2 * step)
    return found


@functools.cache
def rows(scenario: str) -> Sequence[Mapping[str, Any]]:
    """What a scenario gives here and now, at the sizes of the site."""
    made = getattr(importlib.import_module("spec.scenarios"), scenario)
    sizes = {name: value for name, value in load(ROOT).site.sizes.items() if isinstance(value, int)}
    found, _ = run(made, sizes)
    return [found] if isinstance(found, Mapping) else found


def stored(topic: str, page: Page) -> Iterator[str]:
    """What is wrong with the rows of a stored run."""
    example = topics()[topic].example
    assert example is not None
    assert example.run is not None
    yield from of_run(topic, example.run.value, page.evaluate(READ, topic)[-1])


def of_run(topic: str, scenario: str, table: list[list[str]]) -> Iterator[str]:
    """What is wrong with the rows that are shown of a scenario."""
    found = rows(scenario)
    if len(table) != len(found):
        yield f"{topic}: {len(table)} rows for {len(found)}"
    columns = list(dict.fromkeys(key for row in found for key in row))
    for number, (row, cells) in enumerate(zip(found, table, strict=False)):
        for column, text in zip(columns, cells, strict=True):
            value = row.get(column, "")
            value = " ".join(map(str, value)) if isinstance(value, list | tuple) else value
            if why := unlike(text, "" if value is None else value):
                yield f"{topic}, row {number}, {column}: {why}"


Check = Callable[[str, Page], Iterator[str]]
KINDS: Mapping[str, tuple[Check, ...]] = {"steps": (steps,), "differences": (steps, differences), "stored": (stored,)}


def problems(topic: str, page: Page) -> list[str]:
    example = topics()[topic].example
    assert example is not None
    return [each for check in KINDS[example.kind] for each in check(topic, page)]


@pytest.mark.parametrize(("kind", "count"), [("steps", 6), ("differences", 3), ("stored", 13)])
def test_what_is_shown_is_what_the_projects_functions_give(
    example_pages: Callable[[str], Page], kind: str, count: int
) -> None:
    assert len(of_kind(kind)) == count
    found = {name: problems(name, example_pages(f"pages/{topics()[name].page}.html")) for name in of_kind(kind)}
    assert {name: each for name, each in found.items() if each} == {}


def test_the_runs_of_sections_are_what_the_code_gives(example_pages: Callable[[str], Page]) -> None:
    seen = []
    for page in load_specification(load(ROOT)).pages:
        for number, section in enumerate(page.sections, 1):
            if section.run is not None and section.run.run is not None:
                shown = example_pages(f"pages/{page.id}.html").locator(f"section:has(> #page--part-{number}) tbody tr")
                cells = [row.locator("th, td").all_inner_texts() for row in shown.all()]
                assert list(of_run(page.id, section.run.run.value, cells)) == []
                seen.append(section.run.run.value)
    assert sorted(seen) == ["learning_table", "parameter_table"]


# Changes the last digit of one number that an example shows, and gives back how to undo that.
FALSIFY = """([id, table]) => {
  const found = document.getElementById(id).querySelectorAll(".example table")[table];
  const texts = [];
  const walk = document.createTreeWalker(found.querySelector("tbody tr:last-child"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const beside = walk.currentNode.parentElement.closest("th, .expression, .compared");
    if (/[0-9]/.test(walk.currentNode.data) && !beside) texts.push(walk.currentNode);
  }
  const node = texts[0], before = node.data;
  node.data = before.replace(/[0-9](?=[^0-9]*$)/, (digit) => String((Number(digit) + 3) % 10));
  return () => { node.data = before; };
}"""


@pytest.mark.parametrize(("kind", "table"), [("steps", 0), ("differences", 0), ("differences", 1), ("stored", -1)])
def test_a_number_that_is_shown_wrongly_is_noticed(example_pages: Callable[[str], Page], kind: str, table: int) -> None:
    topic = of_kind(kind)[0]
    page = example_pages(f"pages/{topics()[topic].page}.html")
    tables = len(page.evaluate(READ, topic))
    undo = page.evaluate_handle(FALSIFY, [topic, table % tables])
    found = problems(topic, page)
    page.evaluate("(undo) => undo()", undo)
    assert len(found) == 1
    assert problems(topic, page) == []
