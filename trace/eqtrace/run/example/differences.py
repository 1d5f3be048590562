"""Gradients of an example against central differences of a scalar loss.

The loss is the step `loss` where there is one: every step `dX`, X being an input, is its gradient by X. Else it is
the sum of the cotangent times the output of the topic's forward, and the steps are those that the gradient's `wrt`
names: by `dX`, or as the part that they are compared with.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from eqtrace.code.bind import parse_right
from eqtrace.formula.steps.tree import Node
from eqtrace.model.equation import Gradient
from eqtrace.model.example import Differenced, Example
from eqtrace.run import walk
from eqtrace.run.example.arrays import Array, as_array, as_value
from eqtrace.run.example.evaluate import evaluate
from eqtrace.run.example.failure import NotRun
from eqtrace.run.example.inputs import Caller, by_parameters, given, inner_call, rng
from eqtrace.run.example.parts import RESULT, Part

STEP = 6e-6  # the cube root of the rounding unit, times the input's size
RELATIVE = 1e-6  # of the gradient's largest entry
MOST = 400  # entries that are differenced
LOSS = "loss"

Loss = Callable[[Mapping[str, Array]], float]
Trees = Mapping[str, Node]


def differenced(
    example: Example, values: Mapping[str, Array], pairs: Mapping[str, str], loss: Loss
) -> list[Differenced]:
    """What central differences say of the steps in `pairs` (label to the input that it is the gradient by)."""
    count = sum(as_array(example.inputs[name]).size for name in pairs.values())
    if count > MOST:
        raise NotRun(f"{count} entries would be differenced; {MOST} are allowed", example.span, "take smaller inputs")
    found = []
    for label, name in pairs.items():
        rough = _central(as_array(example.inputs[name]), name, loss)
        exact = values[label]
        if exact.shape != rough.shape:
            message = f"`{label}` has shape {exact.shape}, and `{name}`, which it is the gradient by, {rough.shape}"
            raise NotRun(message, example.span, "a gradient has the shape of what it is by")
        scale = max(float(np.abs(exact).max(initial=0.0)), float(np.abs(rough).max(initial=0.0)))
        apart = float(np.abs(exact - rough).max(initial=0.0))
        gap = apart / scale if scale and apart else apart
        found.append(Differenced(label, name, as_value(rough), gap, bool(gap <= RELATIVE)))
    return found


def of_steps(example: Example, trees: Trees) -> tuple[dict[str, str], Loss] | None:
    """The gradients that the steps name, and the loss that they give; None where no step is called `loss`."""
    if LOSS not in trees:
        return None
    pairs = {f"d{name}": name for name in example.inputs if f"d{name}" in trees}

    def loss(changed: Mapping[str, Array]) -> float:
        values: dict[str, Any] = {**{name: as_array(value) for name, value in example.inputs.items()}, **changed}
        for label, tree in trees.items():
            values[label] = evaluate(tree, values)
            if label == LOSS:
                break
        return _scalar(example, values[LOSS])

    return pairs, loss


def of_gradient(
    example: Example,
    parts: Mapping[str, Part],
    forward: types.FunctionType,
    module: types.ModuleType,
) -> tuple[dict[str, str], Loss]:
    """The same by the topic's gradient: the sum of the cotangent times what the forward gives."""
    gradient = example.gradient
    assert gradient is not None
    qualname = gradient.forward.value.partition("::")[2]
    backward = gradient.backward.value.partition("::")[2]
    pairs = _pairs(example, gradient, parts)
    cotangent = given(example, backward).get(gradient.cotangent)
    if cotangent is None:
        cotangent = float(gradient.cotangent) if gradient.cotangent.replace(".", "", 1).isdigit() else None
    if cotangent is None:
        raise NotRun(f"no input is the cotangent, `{gradient.cotangent}`", example.span, "add it to the inputs")

    def loss(changed: Mapping[str, Array]) -> float:
        values = {"rng": rng(example), **given(example, qualname)}
        for name, value in changed.items():
            for other in [key for key, held in values.items() if held is values[name]]:
                values[other] = value if np.ndim(value) else float(value)
        node = inner_call(gradient.call or example.topic_call, qualname, values)
        if node is not None:
            result = Caller(values, module, forward).evaluate(node)
        else:
            result = forward(**by_parameters(forward, values, qualname, example.span))
        output = _output(gradient, result)
        return _scalar(example, np.sum(np.asarray(cotangent) * output))

    return pairs, loss


def _pairs(example: Example, gradient: Gradient, parts: Mapping[str, Part]) -> dict[str, str]:
    labels = {step.name.value for step in example.steps}
    places = {_plain(part.place): label for label, part in parts.items()}
    qualname = gradient.forward.value.partition("::")[2]
    found = {}
    for symbol, place in gradient.wrt.items():
        known = example.symbols.get(symbol)
        name = next(
            (each for each in (symbol, known.code_name(qualname) if known else None) if each in example.inputs), None
        )
        label = f"d{symbol}" if f"d{symbol}" in labels else places.get(_plain(place))
        if name is not None and label is not None:
            found[label] = name
    return found


def _plain(place: str) -> str:
    return place.replace(" ", "").replace("'", '"')


def _output(gradient: Gradient, result: Any) -> Any:
    if gradient.output is not None:
        return walk.read(parse_right(gradient.output), {RESULT: result})
    return result[0] if isinstance(result, tuple) and result else result


def _scalar(example: Example, value: Any) -> float:
    array = as_array(value)
    if array.ndim or array.dtype.kind == "U":
        raise NotRun(f"the loss is no single number: its shape is {array.shape}", example.span)
    return float(array)


def _central(x: Array, name: str, loss: Loss) -> Array:
    found = np.zeros(x.shape)
    step = STEP * max(1.0, float(np.abs(x).max(initial=0.0)))
    for index in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[index] += step
        below[index] -= step
        found[index] = (loss({name: above}) - loss({name: below})) / float(above[index] - below[index])
    return found
