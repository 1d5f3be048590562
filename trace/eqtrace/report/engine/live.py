"""Examples that a reader can edit: what the page needs to work them out anew, or why it cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from eqtrace.formula.steps.limits import shape_of, shape_of_numbers, sizes
from eqtrace.formula.steps.reader import read_step
from eqtrace.formula.steps.tree import Node
from eqtrace.model.example import Example, ExampleResult
from eqtrace.report.engine.transpile import NotTranslated, transpile
from eqtrace.report.engine.written import written
from eqtrace.run.example.arrays import Array, NotAnArray, as_array
from eqtrace.run.example.edits import LARGEST_AXIS, stated
from eqtrace.run.example.evaluate import StepError, evaluate

MOST_CELLS, MOST_AXES = 400, 3
_WORDS = {1: ("entry",), 2: ("row", "column"), 3: ("block", "row", "column")}
_PLURALS = {"entry": "entries"}


@dataclass(frozen=True, slots=True)
class Cells:
    """A matrix, a row or a single number of an input: its indices on the leading axes, and rows of (place, text)."""

    index: str
    rows: tuple[tuple[tuple[str, str], ...], ...]
    bare: bool = False  # a single number, without brackets


@dataclass(frozen=True, slots=True)
class LiveInput:
    """An input whose every entry can be edited; axes that can grow and shrink, in words."""

    name: str
    blocks: tuple[Cells, ...]
    axes: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Live:
    """An example that can be edited: its inputs, and the program that static/examples.js runs."""

    inputs: tuple[LiveInput, ...]
    program: Mapping[str, Any]


def axis_word(example: Example, name: str, axis: int) -> str:
    """What an axis of an input has many of: `rows`."""
    words = _WORDS.get(len(shape_of(example.inputs[name]) or ()), ())
    word = words[axis] if axis < len(words) else f"axis {axis}"
    return _PLURALS.get(word, f"{word}s")


def tidy(code: str) -> str:
    """A step's expression as pages show it, in one line; its places are those of the tree that is read from it."""
    return " ".join(code.split())


def read(example: Example) -> dict[str, Node]:
    """The trees of an example's steps, by label; those that cannot be read are left out."""
    found = {step.name.value: read_step(tidy(step.code.value))[0] for step in example.steps}
    return {label: tree for label, tree in found.items() if tree is not None}


def live(example: Example, result: ExampleResult | None) -> Live | str:
    """What a page needs to make an example live; in words, why that cannot be."""
    trees = read(example)
    if len(trees) < len(example.steps):
        return "a step cannot be read"
    for name, value in example.inputs.items():
        if not shape_of_numbers(value):
            return f"{name} holds more than numbers"
        shape = shape_of(value)
        if shape is None or len(shape) > MOST_AXES or max(shape, default=0) > LARGEST_AXIS:
            return f"{name} is no small array"
    inputs = tuple(_input(name, value, result) for name, value in example.inputs.items())
    if sum(len(row) for each in inputs for block in each.blocks for row in block.rows) > MOST_CELLS:
        return f"its inputs have more than {MOST_CELLS} entries"
    try:
        return Live(inputs, _program(example, trees, inputs))
    except NotTranslated as error:
        return f"the page's arithmetic does not know one of its steps: {error}"


def written_out(example: Example, result: ExampleResult | None) -> dict[str, str]:
    """One entry of each step, written out, by label."""
    if result is None:
        return {}
    values: dict[str, Array] = {}
    for name, value in example.inputs.items():
        try:
            values[name] = as_array(value)
        except NotAnArray:
            continue  # no step can use it
    found = {}
    trees = read(example)
    for label, tree in trees.items():
        try:
            value = evaluate(tree, values)
        except StepError:
            break
        found[label] = written(label, tree, values)
        values[label] = value
    return found


def _input(name: str, value: Any, result: ExampleResult | None) -> LiveInput:
    shape = shape_of(value) or ()
    offered = {axis for group in result.edits.sizes for axis in group} if result and result.edits else set()
    words = _WORDS.get(len(shape), ())
    axes = tuple((axis, word) for axis, word in enumerate(words) if (name, axis) in offered)
    return LiveInput(name, tuple(_blocks(name, value, shape)), axes)


def _blocks(name: str, value: Any, shape: tuple[int, ...]) -> Iterator[Cells]:
    if len(shape) > 2:
        for block, rows in enumerate(value):
            yield Cells(f"[{block}]", tuple(_row(name, f"{block}, {row}, ", each) for row, each in enumerate(rows)))
    elif len(shape) == 2:
        yield Cells("", tuple(_row(name, f"{row}, ", each) for row, each in enumerate(value)))
    else:
        yield Cells("", (_row(name, "", value) if shape else ((name, _text(value)),),), not shape)


def _row(name: str, lead: str, entries: Any) -> tuple[tuple[str, str], ...]:
    return tuple((f"{name}[{lead}{column}]", _text(each)) for column, each in enumerate(entries))


def _text(value: float) -> str:
    return repr(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(value)


def _program(example: Example, trees: Mapping[str, Node], inputs: tuple[LiveInput, ...]) -> dict[str, Any]:
    return {
        "inputs": [[name, list(shape_of(value) or ())] for name, value in example.inputs.items()],
        "axes": {each.name: [list(axis) for axis in each.axes] for each in inputs},
        "longest": LARGEST_AXIS,
        "steps": [[label, transpile(tree)] for label, tree in trees.items()],
        "limits": [[limit.name, limit.words, transpile(limit.tree)] for limit in stated(example)],
        "sizes": [
            [size.letter if size.letter.isidentifier() else "", [list(axis) for axis in size.axes]]
            for size in sizes(example)
            if len(size.axes) > 1
        ],
    }
