"""Random edits of an example's inputs, as a reader would make them, each held against the code.

An edit changes some entries within what the equations are stated for, and some sizes. What the code refuses is drawn
anew; where steps and code both give values, they must be the same, as for the start values.
"""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from eqtrace.formula.steps.limits import Axis, Limit, limits, shape_of, shape_of_numbers, sizes
from eqtrace.formula.steps.tree import Binary, Name, Node
from eqtrace.model.example import SEED_NAME, Edits, Example
from eqtrace.run.example.arrays import Array, NotAnArray, as_array
from eqtrace.run.example.compare import Gap, gap
from eqtrace.run.example.evaluate import StepError, evaluate

EDITS = 20
MOST_DRAWS = 200
MOST_SECONDS = 5.0  # a slow function is tried at fewer edits, and the page says at how many
LARGEST_AXIS = 12
# Where moving steps by a few units in the last place moves a later one by more than `STEADY`, terms cancel so far that
# correct ways of computing it differ by more than `compare.RELATIVE`; such edits are drawn anew.
MOVED, STEADY = 2.0**-51, 1e-13

Inputs = Mapping[str, Any]
Given = Callable[[Example], Mapping[str, Any]]  # what the code gives for a step, by label; raises what the code raises


@dataclass(frozen=True, slots=True)
class Differs:
    """An edit at which a step is not what the code gives."""

    inputs: Inputs
    label: str
    gap: Gap


@dataclass
class _Trial:
    example: Example
    trees: Mapping[str, Node]
    given: Given
    tried: int = 0
    refused: int = 0
    gap: float = 0.0
    differs: Differs | None = field(default=None)

    def agrees(self, inputs: Inputs) -> bool | None:
        """Whether steps and code agree; None where one of them has no value."""
        values = self._steady(inputs)
        if values is None:
            return None
        try:
            given = {label: as_array(value) for label, value in self.given(edited(self.example, inputs)).items()}
        except Exception:  # whatever the code raises, it refuses this edit
            return None
        largest = 0.0
        for label, value in given.items():
            found = gap(values[label], value)
            if not found.agrees:
                self.differs = Differs(inputs, label, found)
                return False
            largest = max(largest, found.relative or 0.0)
        self.gap = max(self.gap, largest)
        return True

    def _steady(self, inputs: Inputs) -> dict[str, Array] | None:
        """The values of the steps; None where they have none, or hang on the last digits of earlier steps."""
        try:
            values = worked_out(self.trees, inputs)
            near = worked_out(self.trees, inputs, _moved)
        except (StepError, NotAnArray):
            return None
        return values if all(gap(near[label], values[label], STEADY).agrees for label in self.trees) else None


def edited(example: Example, inputs: Inputs) -> Example:
    """The example with other inputs."""
    return replace(example, inputs=inputs)


def worked_out(
    trees: Mapping[str, Node], inputs: Inputs, rounded: Callable[[Array], Array] = lambda value: value
) -> dict[str, Array]:
    """The values of inputs and steps; later steps see earlier ones `rounded`.

    Raises:
        StepError: a step has none.
        NotAnArray: an input is no array.
    """
    values = {name: as_array(value) for name, value in inputs.items()}
    found = {}
    for label, tree in trees.items():
        found[label] = evaluate(tree, values)
        values[label] = rounded(found[label])
    return {**values, **found}


def _moved(value: Array) -> Array:
    """A step's value, numbers moved up or down by their last digits, equal ones alike; whole numbers stay."""
    if value.dtype.kind != "f":
        return value
    up = (np.ascontiguousarray(value).view(np.int64) >> 4 & 1).reshape(value.shape)
    return np.where(np.floor(value) == value, value, value * (1.0 + np.where(up, MOVED, -MOVED)))


def stated(example: Example) -> tuple[Limit, ...]:
    """The limits of an example's inputs that its start values keep: others say what is drawn, not what is possible."""
    return tuple(limit for limit in limits(example) if _kept(limit, example.inputs))


def tried(example: Example, trees: Mapping[str, Node], given: Given, seed: int) -> Edits | Differs:
    """Holds random edits against the code; the same seed draws the same."""
    end = time.monotonic() + MOST_SECONDS
    trial = _Trial(example, trees, given)
    resizable = tuple(axes for axes in _groups(example) if _resizes(trial, axes))
    trial.gap, trial.differs = 0.0, None
    for inputs in draws(example, resizable, seed):
        agrees = trial.agrees(inputs)
        if trial.differs is not None:
            return trial.differs
        trial.tried += agrees is True
        trial.refused += agrees is None
        if trial.tried == EDITS or time.monotonic() > end:
            break
    return Edits(trial.tried, trial.gap, trial.refused, resizable)


def draws(example: Example, resizable: tuple[tuple[Axis, ...], ...], seed: int) -> Iterator[Inputs]:
    """Edits that keep the stated limits, one after the other."""
    names = [name for name, value in example.inputs.items() if name != SEED_NAME and _editable(value)]
    held = stated(example)
    rng = np.random.default_rng([seed, zlib.crc32(repr(example.inputs).encode())])
    for _ in range(MOST_DRAWS if names else 0):
        inputs = dict(example.inputs)
        for axes in resizable:
            if rng.random() < 0.4:
                step = int(rng.integers(-1, 2))
                inputs = resized(inputs, axes, step) if _fits(inputs, axes, step) else inputs
        for name in names:
            if rng.random() < 0.6:
                inputs[name] = _drawn(name, inputs, example, held, rng)
        if inputs != example.inputs and all(_kept(limit, inputs) for limit in held):
            yield inputs


def resized(inputs: Inputs, axes: tuple[Axis, ...], step: int) -> dict[str, Any]:
    """Inputs with one more of each axis, the last one again (`step` 1), or without the last one (-1)."""
    found = dict(inputs)
    for name, axis in axes:
        found[name] = _along(found[name], axis, lambda items: (*items, *items[-1:]) if step > 0 else items[:step])
    return found if step else dict(inputs)


def _along(value: Any, axis: int, change: Callable[[Any], Any]) -> Any:
    return change(value) if axis == 0 else tuple(_along(each, axis - 1, change) for each in value)


def _fits(inputs: Inputs, axes: tuple[Axis, ...], step: int) -> bool:
    lengths = [(shape_of(inputs[name]) or ())[axis] + step for name, axis in axes]
    return all(1 <= length <= LARGEST_AXIS for length in lengths)


def _groups(example: Example) -> list[tuple[Axis, ...]]:
    return [size.axes for size in sizes(example) if _fits(example.inputs, size.axes, 1)]


def _resizes(trial: _Trial, axes: tuple[Axis, ...]) -> bool:
    """Whether the example stays what the code gives when an axis grows, and where it shrinks."""
    inputs = trial.example.inputs
    grown = trial.agrees(resized(inputs, axes, 1))
    return grown is True and (not _fits(inputs, axes, -1) or trial.agrees(resized(inputs, axes, -1)) is not False)


def _editable(value: Any) -> bool:
    return shape_of_numbers(value) and shape_of(value) is not None


def _kept(limit: Limit, inputs: Inputs) -> bool:
    try:
        values = {name: as_array(value) for name, value in inputs.items()}
        return bool(np.all(evaluate(limit.tree, values)))
    except (StepError, NotAnArray):
        return False


# Values


def _drawn(name: str, inputs: Inputs, example: Example, held: tuple[Limit, ...], rng: np.random.Generator) -> Any:
    """An input with some of its entries drawn anew, in the kind of numbers that it holds."""
    words = {limit.words for limit in held if limit.name == name}
    value = inputs[name]
    shape = shape_of(value) or ()
    old = np.array(value, dtype=np.float64)
    if "an order of the numbers from 0 on" in words:
        return _nested(rng.permutation(old), True)
    whole = _is_whole(name, example, held)
    bounds = _bounds(name, held, inputs)
    new = np.array([_number(float(each), whole, bounds, rng) for each in old.ravel()]).reshape(shape)
    chosen = rng.random(shape) < rng.choice([0.2, 0.6, 1.0])
    if not chosen.any():
        chosen = np.ones(shape, bool)
    if "rows that sum to 1" in words:
        rows = rng.dirichlet(np.ones(shape[-1]), shape[:-1])
        return _nested(np.where(chosen.any(axis=-1, keepdims=True), rows, old), False)
    found = np.where(chosen, new, old)
    return _nested(found, whole)


def _is_whole(name: str, example: Example, held: tuple[Limit, ...]) -> bool:
    """Whether an input holds whole numbers: as stated, or a count of which nothing is stated."""
    if any(limit.name == name and "whole number" in limit.words for limit in held):
        return True
    function = example.equals.value.partition("::")[2] if example.equals is not None else ""
    return type(example.inputs[name]) is int and example.symbol(name, function) is None


def _number(old: float, whole: bool, bounds: tuple[float, float], rng: np.random.Generator) -> float:
    low, high = bounds
    if whole:
        first = low if math.isfinite(low) else min(old, 0.0)
        last = high if math.isfinite(high) else max(old, first) + 2
        return float(rng.integers(math.ceil(first), math.floor(last) + 1)) if first <= last else old
    if math.isfinite(low) and math.isfinite(high):
        found = float(rng.uniform(low, high))
    elif math.isfinite(low) or math.isfinite(high):
        away = float(rng.exponential(max(abs(old), 0.1)))
        found = low + away if math.isfinite(low) else high - away
    else:
        found = float(rng.normal())
    return round(found, 2) if rng.random() < 0.5 else found  # readers type short numbers


def _bounds(name: str, held: tuple[Limit, ...], inputs: Inputs) -> tuple[float, float]:
    """The lowest and the highest value of an input, as far as they are told by sizes and start values."""
    own = [limit for limit in held if limit.name == name]
    values = {other: as_array(value) for other, value in inputs.items()} if own else {}
    low, high = -math.inf, math.inf
    for limit in own:
        match limit.tree:
            case Binary(op=">" | ">=", left=Name(), right=right):
                low = max(low, float(np.max(evaluate(right, values))))
            case Binary(op="<" | "<=", left=Name(), right=right):
                high = min(high, float(np.min(evaluate(right, values))))
    return low, high


def _nested(array: Array, whole: bool) -> Any:
    """An array as nested tuples, as examples hold inputs."""
    if array.ndim:
        return tuple(_nested(each, whole) for each in array)
    return int(array) if whole else float(array)
