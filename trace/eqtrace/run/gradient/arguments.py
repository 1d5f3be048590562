"""Arguments of a forward and its backward, in whatever arithmetic: floats, balls or duals."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from eqtrace.run import walk
from eqtrace.run.call import CallError, Interpreter
from eqtrace.run.gradient.plan import ACCUMULATED, CACHE, COTANGENT, RESULT, Entry, Plan
from eqtrace.run.statement import CannotRun

Twin = Callable[[Any], Any]


class _Calls(Interpreter):
    """A call expression whose functions and classes are replaced by their twins."""

    def __init__(self, values: Mapping[str, Any], module: types.ModuleType, twin: Twin) -> None:
        super().__init__(values, module)
        self._twin = twin

    def _apply(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        return super()._apply(self._twin(function), arguments, named)


def forward_arguments(plan: Plan, values: Mapping[str, Any], sizes: Mapping[str, int], twin: Twin) -> dict[str, Any]:
    """The forward's arguments by parameter, the object that a method belongs to included.

    Raises:
        CannotRun: the call can't be read, or does not fit the function.
    """
    if plan.call is None:
        return {parameter: values[symbol] for parameter, symbol in plan.by_parameter.items()}
    assert isinstance(plan.call, ast.Call)
    calls = _Calls({**sizes, **values}, plan.forward.module, twin)
    try:
        positional = [calls.evaluate(each) for each in plan.call.args]
        named = {each.arg: calls.evaluate(each.value) for each in plan.call.keywords if each.arg}
        if isinstance(plan.call.func, ast.Attribute) and "." in plan.forward.qualname:
            positional.insert(0, calls.evaluate(plan.call.func.value))
        bound = _signature(plan.forward.original).bind(*positional, **named)
    except (CallError, TypeError) as error:
        raise CannotRun(f"the forward can't be called: {error}") from error
    return dict(bound.arguments)


def call(function: Callable[..., Any], original: types.FunctionType, arguments: Mapping[str, Any]) -> Any:
    """Calls a function, or its twin, with arguments by the original's parameters."""
    positional, named = [], {}
    for name, parameter in _signature(original).parameters.items():
        if name not in arguments:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(arguments[name])
        elif parameter.kind is parameter.VAR_KEYWORD:
            named.update(arguments[name])
        elif parameter.kind is parameter.POSITIONAL_ONLY or (parameter.default is parameter.empty and not named):
            positional.append(arguments[name])
        else:
            named[name] = arguments[name]
    return function(*positional, **named)


@lru_cache(maxsize=256)
def _signature(function: types.FunctionType) -> inspect.Signature:
    return inspect.signature(function)


def output_of(plan: Plan, result: Any) -> Any:
    """What of the forward's result the cotangent belongs to."""
    if plan.output is not None:
        return walk.read(plan.output, {RESULT: result})
    return result[0] if isinstance(result, tuple) and result else result


def backward_arguments(
    plan: Plan, forward: Mapping[str, Any], result: Any, cotangent: Any, accumulators: Any
) -> dict[str, Any]:
    """The backward's arguments by parameter."""
    words = {
        COTANGENT: lambda: cotangent,
        ACCUMULATED: lambda: accumulators,
        CACHE: lambda: walk.read(plan.cache, {RESULT: result}),  # type: ignore[arg-type]
    }
    return {
        parameter: words[source]() if source in words else forward[source]
        for parameter, source in plan.sources.items()
        if source in words or source in forward
    }


def accumulators(
    plan: Plan,
    arguments: Mapping[str, Any],
    shapes: Mapping[str, tuple[int, ...]],
    fill: Callable[[object, tuple[int, ...]], Any],
) -> Any:
    """What gradients are added to, filled: an array, or a dictionary with the keys of `wrt` and of like ones.

    A dictionary among the arguments that holds all the keys of `wrt` (the parameters) gives the other keys.

    Args:
        plan: the gradient.
        arguments: the backward's other arguments, which keys such as `p + "wq"` are made of.
        shapes: the shapes of what is differentiated by, by entry.
        fill: random values of a shape, by what they are of: no two start alike.
    """
    found: dict[Any, Any] = {}
    for entry in plan.entries:
        if not entry.accumulated:
            continue
        path = _path(entry, arguments)
        if not path:
            return fill(entry.name, shapes[entry.name])
        holder = found
        for key in path[:-1]:
            holder = holder.setdefault(key, {})
        holder[path[-1]] = fill(entry.name, shapes[entry.name])
    for other in arguments.values():
        if isinstance(other, dict) and found.keys() <= other.keys():
            found.update(
                {key: fill(("beside", key), np.shape(value)) for key, value in other.items() if key not in found}
            )
    return found


def _path(entry: Entry, arguments: Mapping[str, Any]) -> list[Any]:
    node = entry.place
    path: list[Any] = []
    while isinstance(node, ast.Subscript):
        path.insert(0, walk.read(node.slice, arguments))
        node = node.value
    if not isinstance(node, ast.Name):
        raise CannotRun(f"`{entry.text}` is no entry of an array or dictionary")
    return path
