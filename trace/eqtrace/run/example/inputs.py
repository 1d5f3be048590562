"""Inputs of an example as the user's functions get them, and functions called with them."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from eqtrace.model.example import SEED, SEED_NAME, UNIFORM_NAME, Example
from eqtrace.model.span import Span, Text
from eqtrace.run.call import CallError, Interpreter, names, parse_call
from eqtrace.run.example.arrays import longest_text
from eqtrace.run.example.failure import NotRun
from eqtrace.run.snapshot import Copier

_YIELDED = 1000  # of a generator


@dataclass(slots=True)
class Call:
    """What a call gave: its result, and the function's arguments as the call left them."""

    result: Any
    arguments: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)  # the arguments as the call got them
    inputs: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""


class Caller(Interpreter):
    """A call expression that notes the arguments of the outermost call of one function."""

    def __init__(self, values: Mapping[str, Any], module: types.ModuleType, original: types.FunctionType) -> None:
        super().__init__(values, module)
        self._original = original
        self.arguments: dict[str, Any] = {}
        self.before: Mapping[str, Any] = {}

    def _apply(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        if inspect.unwrap(getattr(function, "__func__", function)) is self._original:
            owner = getattr(function, "__self__", None)
            given = arguments if owner is None else [owner, *arguments]
            self.arguments = dict(inspect.signature(self._original).bind(*given, **named).arguments)
            self.before = Copier().copy(self.arguments)
        return super()._apply(function, arguments, named)


def given(example: Example, function: str) -> dict[str, Any]:
    """The inputs, fresh, as `function` gets them, by their own names and those of their symbols."""
    found = {name: _given(example, name, value, function) for name, value in example.inputs.items()}
    for symbol in example.symbols.values():
        spellings = [name for name in (symbol.name, symbol.code_name(function)) if name]
        held = next((name for name in spellings if name in example.inputs), None)
        if held is not None:
            for name in spellings:
                found.setdefault(name, found[held])
    return found


def rng(example: Example) -> np.random.Generator:
    """The generator that the code gets; where an edit chose the first number, one that gives it."""
    seed = example.inputs.get(SEED_NAME, SEED)
    seed = seed if isinstance(seed, int) and seed >= 0 else SEED
    chosen = example.inputs.get(UNIFORM_NAME)
    if isinstance(chosen, int | float) and chosen != np.random.default_rng(seed).random():
        return _Chosen(float(chosen))
    return np.random.default_rng(seed)


class _Chosen(np.random.Generator):
    """A generator that gives one uniform number, again and again; `choice` draws by it too."""

    def __init__(self, number: float) -> None:
        super().__init__(np.random.PCG64(SEED))
        self._number = number

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """The number, or an array of it."""
        return self._number if size is None else np.full(size, self._number, dtype)


def called(example: Example, target: Text, function: types.FunctionType, module: types.ModuleType) -> Call:
    """Calls a function with the inputs: as `call` says, as the topic's does where it calls it, or by parameters.

    Raises:
        NotRun: something that it needs is not there.
    """
    qualname = target.value.partition("::")[2]
    inputs = given(example, qualname)
    values = {"rng": rng(example), **inputs}
    text = example.call or _matching(example.topic_call, qualname, values)
    if text is not None:
        caller = Caller(values, module, function)
        result = _evaluate(text, caller)
        return Call(_whole(result), caller.arguments, caller.before, inputs, text.value)
    arguments = by_parameters(function, values, qualname, target.span)
    before = Copier().copy(arguments)
    positional = inspect.BoundArguments(inspect.signature(function), arguments)
    result = function(*positional.args, **positional.kwargs)
    shown = ", ".join(arguments)
    return Call(_whole(result), arguments, before, inputs, f"{function.__name__}({shown})")


def by_parameters(function: types.FunctionType, values: Mapping[str, Any], qualname: str, span: Span) -> dict[str, Any]:
    """Arguments by parameter name.

    Raises:
        NotRun: a parameter without a default has none.
    """
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if name in values:
            found[name] = values[name]
        elif parameter.default is parameter.empty:
            hint = f"add an input, or say how it is called: call: '{function.__name__}(...)'"
            raise NotRun(f"`{qualname}` needs `{name}`, and no input is called so", span, hint)
    return found


def inner_call(text: Text | None, qualname: str, values: Mapping[str, Any]) -> ast.Call | None:
    """The call of a function within a call expression, where all names in it have values."""
    if text is None:
        return None
    try:
        node = parse_call(text)
    except CallError:
        return None
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and _names(each.func) == qualname.rpartition(".")[2]:
            calls = (child.func for child in ast.walk(each) if isinstance(child, ast.Call))
            functions = {function.id for function in calls if isinstance(function, ast.Name)}
            if names(each) - functions <= values.keys():
                return each
    return None


def _names(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _matching(text: Text | None, qualname: str, values: Mapping[str, Any]) -> Text | None:
    """The topic's call where it calls this function, and all that it names is there."""
    if text is None:
        return None
    found = inner_call(text, qualname, values)
    return text if found is not None and ast.unparse(found) == ast.unparse(parse_call(text)) else None


def _evaluate(text: Text, caller: Interpreter) -> Any:
    try:
        return caller.evaluate(parse_call(text))
    except CallError as error:
        raise NotRun(
            f"call: {error}", text.span, "it may use the inputs, rng, and what the target's module holds"
        ) from error


def _whole(result: Any) -> Any:
    """A result; what a generator yields as a tuple."""
    return tuple(islice(result, _YIELDED)) if isinstance(result, types.GeneratorType) else result


def _given(example: Example, name: str, value: Any, function: str) -> Any:
    """An input: a single value as written, numbers in lists as an array, texts in lists as lists."""
    if not isinstance(value, tuple):
        return value
    if longest_text(value):
        return _lists(value)
    try:
        array = np.asarray(value)
    except ValueError:
        return _lists(value)
    if array.dtype.kind not in "iufb":
        return _lists(value)
    symbol = example.symbol(name, function)
    whole = symbol is not None and (symbol.domain.integer or symbol.domain.permutation)
    if array.dtype.kind == "b" or (whole and array.dtype.kind in "iu"):
        return array
    return array.astype(np.float64)


def _lists(value: Any) -> Any:
    return [_lists(each) for each in value] if isinstance(value, tuple) else value
