"""What a call gave, taken apart, and which step each part is to equal."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from eqtrace.code.bind import parse_right
from eqtrace.model.example import Example
from eqtrace.model.span import Span
from eqtrace.run import walk
from eqtrace.run.example.arrays import NotAnArray, as_array
from eqtrace.run.example.failure import NotRun
from eqtrace.run.example.inputs import Call
from eqtrace.run.sources import source_tree
from eqtrace.run.tree import own_nodes

RESULT = "result"


@dataclass(frozen=True, slots=True)
class Part:
    """A value in what a call gave: its place, the name that `return` has for it, whether it is a result of its own."""

    place: str
    name: str
    value: Any
    top: bool


def matched(example: Example, call: Call, function: types.FunctionType, span: Span) -> dict[str, Part]:
    """The part that each step is to equal, by label.

    Raises:
        NotRun: none can be told, or none for the last step.
    """
    labels = [step.name.value for step in example.steps]
    if example.gives:
        if labels[-1] not in example.gives:
            message = f"the last step, `{labels[-1]}`, is not under `gives`, so nothing is held against it"
            raise NotRun(message, next(iter(example.gives.values())).span, "say what it equals")
        return {label: _given(example, label, call) for label in example.gives}
    parts = list(_parts(RESULT, call.result, _returned(function), True))
    by_name = {part.name: part for part in parts if part.name in labels}
    found = {label: by_name[label] for label in labels if label in by_name}
    found |= {label: part for label, part in _gradients(example, call) if label in labels and label not in found}
    if call.result is None and labels[-1] not in found:
        return found | _changed(labels, call, function, span)
    if labels[-1] not in found:
        taken = {part.place for part in found.values()}
        left = [part for part in parts if part.top and part.place not in taken and _is_array(part.value)]
        free = [label for label in labels if label not in found]
        if left and len(left) <= len(free):
            found |= dict(zip(free[-len(left) :], left, strict=True))
    if labels[-1] not in found:
        names = ", ".join(part.name or part.place for part in parts) or type(call.result).__name__
        message = f"the last step, `{labels[-1]}`, is compared with nothing: `{function.__name__}` gives {names}"
        raise NotRun(message, span, f"say what it equals: gives: {{{labels[-1]}: result[0]}}")
    return found


def _changed(labels: list[str], call: Call, function: types.FunctionType, span: Span) -> dict[str, Part]:
    """Steps called like an input, for a function that changes its arguments and returns nothing."""
    found = {name: Part(name, name, call.inputs[name], True) for name in labels if name in call.inputs}
    if labels[-1] not in found:
        message = f"`{function.__name__}` returns nothing that the last step, `{labels[-1]}`, could be compared with"
        raise NotRun(message, span, f"say where its value is after the call: gives: {{{labels[-1]}: 'params[\"w\"]'}}")
    return found


def _gradients(example: Example, call: Call) -> Iterator[tuple[str, Part]]:
    """Steps `dX` for each `X` that the topic's gradient is by: of accumulators, by how much the call changed them."""
    gradient = example.gradient
    if gradient is None or example.equals is None or gradient.backward.value != example.equals.value:
        return
    for symbol, place in gradient.wrt.items():
        node = parse_right(place)
        try:
            value = walk.read(node, {**call.arguments, RESULT: call.result})
            if gradient.accumulates is not None and gradient.accumulates in walk.names(node):
                value = value - walk.read(node, call.before)
        except (walk.WalkError, TypeError, ValueError):
            continue  # not there in this call
        yield f"d{symbol}", Part(place, "", value, True)


def _given(example: Example, label: str, call: Call) -> Part:
    text = example.gives[label]
    try:
        value = walk.read(parse_right(text.value), {**call.inputs, **call.arguments, RESULT: call.result})
    except walk.WalkError as error:
        raise NotRun(f"gives: {error}", text.span, "it may use `result` and the function's parameters") from error
    return Part(text.value, "", value, True)


def _parts(place: str, value: Any, returned: ast.expr | None, top: bool, depth: int = 0) -> Iterator[Part]:
    if isinstance(value, tuple) and depth < 4:
        items = returned.elts if isinstance(returned, ast.Tuple) else []
        for number, item in enumerate(value):
            inner = items[number] if len(items) == len(value) else None
            alone = top and depth == 0 and not isinstance(item, tuple)
            yield from _parts(f"{place}[{number}]", item, inner, alone, depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield Part(f"{place}[{key!r}]", str(key), item, False)
    else:
        yield Part(place, returned.id if isinstance(returned, ast.Name) else "", value, top)


def _is_array(value: Any) -> bool:
    try:
        as_array(value)
    except NotAnArray:
        return False
    return True


def _returned(function: types.FunctionType) -> ast.expr | None:
    """What a function's only `return` returns."""
    return _only_return(function.__code__.co_filename, function.__code__.co_firstlineno)


@lru_cache(maxsize=64)
def _only_return(file: str, first: int) -> ast.expr | None:
    node = _definition(file, first)
    returns = [each.value for each in own_nodes(node) if isinstance(each, ast.Return)] if node is not None else []
    return returns[0] if len(returns) == 1 else None


def _definition(file: str, first: int) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    try:
        tree = _tree(file)
    except (OSError, SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and first in (
            node.lineno,
            *(each.lineno for each in node.decorator_list),
        ):
            return node
    return None


@lru_cache(maxsize=64)
def _tree(file: str) -> ast.Module:
    return source_tree(file)[0]
