"""Calls of user functions with drawn inputs: by parameter name, or as a `call` expression says."""

from __future__ import annotations

import ast
import inspect
import operator
import sys
import types
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from eqtrace.model.span import Text
from eqtrace.model.symbol import Symbol

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}

_WRITING = frozenset({"dump", "tofile"})  # methods of arrays that write files


class CallError(Exception):
    """A `call` expression that is not in the whitelist, or that names something unknown."""


def parse_call(text: Text) -> ast.expr:
    """The expression of a `call` key, parsed and never evaluated.

    Raises:
        CallError: it is no expression, or too long to be one.
    """
    if len(text.value) > 2000:
        raise CallError("a call is at most 2000 characters long")
    try:
        return ast.parse(text.value.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CallError(f"`{text.value}` is no expression") from error


def names(node: ast.expr) -> set[str]:
    """The names that a call expression reads."""
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


class Interpreter:
    """Walks a call expression: names, constants, subscripts, attributes, arithmetic and own calls.

    Args:
        values: symbols, sizes and `rng`.
        module: the target's module; only functions and classes of its own package may be called, by the names that
            they have in the module or from the package down (`package.module.function`).
    """

    def __init__(self, values: Mapping[str, Any], module: types.ModuleType) -> None:
        self._values = values
        self._module = module
        self._package = module.__name__.partition(".")[0]

    def evaluate(self, node: ast.expr) -> Any:
        """The value of an expression.

        Raises:
            CallError: the expression holds what is not allowed.
        """
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._name(name)
            case ast.Tuple(elts=items):
                return tuple(map(self.evaluate, items))
            case ast.List(elts=items):
                return list(map(self.evaluate, items))
            case ast.Dict(keys=keys, values=values) if all(keys):
                return {
                    self.evaluate(key): self.evaluate(value) for key, value in zip(keys, values, strict=True) if key
                }
            case ast.Subscript(value=value, slice=index):
                return self.evaluate(value)[self.evaluate(index)]
            case ast.Attribute(value=ast.Name(id=base), attr=name) if self._is_path(base, name):
                return self._attribute(sys.modules[base], name)
            case ast.Attribute(value=value, attr=name) if not name.startswith("_"):
                return self._attribute(self.evaluate(value), name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.evaluate(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return _BINARY[type(op)](self.evaluate(left), self.evaluate(right))
            case ast.Call(func=function, args=arguments, keywords=keywords):
                return self._call(self.evaluate(function), arguments, keywords)
        raise CallError(f"`{ast.unparse(node)}` is not allowed in a call")

    def _name(self, name: str) -> Any:
        if name in self._values:
            return self._values[name]
        value = getattr(self._module, name, None)
        if self._is_own(value):
            return value
        if name == self._package and name in sys.modules:
            return sys.modules[name]
        raise CallError(f"`{name}` is neither a symbol, a size, rng nor a function or class of {self._module.__name__}")

    def _is_path(self, base: str, name: str) -> bool:
        """Whether these are the package and something in it, also where a function in it has the package's name."""
        known = base == self._package and base in sys.modules and base not in self._values
        return known and not name.startswith("_") and hasattr(sys.modules[base], name)

    def _attribute(self, value: Any, name: str) -> Any:
        found = getattr(value, name) if not isinstance(value, types.ModuleType) else getattr(value, name, None)
        if isinstance(value, types.ModuleType) and not (self._is_own(found) or self._is_own_module(found)):
            raise CallError(f"`{name}` is no module, function or class of the package {self._package}")
        return found

    def _is_own_module(self, value: Any) -> bool:
        return isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] == self._package

    def _is_own(self, value: Any) -> bool:
        home = getattr(value, "__module__", None)
        return isinstance(home, str) and home.partition(".")[0] == self._package and callable(value)

    def _call(self, function: Any, arguments: list[ast.expr], keywords: list[ast.keyword]) -> Any:
        if isinstance(function, types.MethodType | types.BuiltinMethodType):
            owner = function.__self__
            writes = isinstance(owner, np.ndarray) and function.__name__ in _WRITING
            kind = owner if isinstance(owner, type) else type(owner)
            if writes or not (self._is_own(kind) or isinstance(owner, np.random.Generator | np.ndarray)):
                raise CallError("only methods of the package's own objects, arrays and rng may be called")
        elif not self._is_own(function):
            raise CallError("only the package's own functions and classes may be called")
        if not all(keyword.arg for keyword in keywords):
            raise CallError("`**` is not allowed in a call")
        named = {str(keyword.arg): self.evaluate(keyword.value) for keyword in keywords}
        return self._apply(function, [self.evaluate(each) for each in arguments], named)

    def _apply(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        """Calls an allowed function."""
        return function(*arguments, **named)


def drawn_parameters(
    function: Callable[..., Any], qualname: str, symbols: Mapping[str, Symbol], own: Collection[str] = ()
) -> dict[str, str] | None:
    """Which symbol feeds which parameter (parameter to symbol); None where a required parameter has no symbol.

    Where several symbols have a parameter's name in the code, those in `own` (the equation's) come first.
    """
    ordered = sorted(symbols.items(), key=lambda item: item[0] in own)
    by_code = {symbol.code_name(qualname): name for name, symbol in ordered if symbol.code_name(qualname)}
    found: dict[str, str] = {}
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        symbol = by_code.get(parameter.name)
        if symbol is not None and (symbols[symbol].shape is not None or symbols[symbol].domain.integer):
            found[parameter.name] = symbol
        elif parameter.default is parameter.empty:
            return None
    return found or None
