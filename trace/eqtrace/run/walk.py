"""Reads and writes parsed bind expressions in a namespace, by walking their trees; nothing is compiled."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

_LARGEST_WIDTH = 100
_CONVERSIONS: dict[int, Callable[[Any], Any]] = {-1: lambda value: value, 115: str, 114: repr, 97: ascii}


class WalkError(Exception):
    """An expression that could not be read, and why."""


def read(node: ast.expr, namespace: Mapping[str, Any]) -> Any:
    """The value of a bind expression in `namespace`.

    Raises:
        WalkError: a name is missing, the user's object raised, or the expression is outside the bind grammar.
    """
    try:
        return _read(node, namespace)
    except WalkError:
        raise
    except Exception as error:
        raise WalkError(f"{_shown(node)}: {type(error).__name__}: {error}") from error


def assign(node: ast.expr, namespace: MutableMapping[str, Any], value: Any) -> bool:
    """Writes `value` where `node` reads it: to a name, a subscript or an attribute. False where that cannot be done."""
    try:
        if isinstance(node, ast.Name):
            namespace[node.id] = value
        elif isinstance(node, ast.Subscript):
            _read(node.value, namespace)[_index(node.slice, namespace)] = value
        elif isinstance(node, ast.Attribute) and node.attr == "T":
            return assign(node.value, namespace, value.T)
        elif isinstance(node, ast.Attribute) and not _dunder(node.attr):
            setattr(_read(node.value, namespace), node.attr, value)
        else:
            return False
    except Exception:
        return False
    return True


def names(node: ast.AST) -> set[str]:
    """The names that an expression reads or writes."""
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


def _read(node: ast.expr, namespace: Mapping[str, Any]) -> Any:
    match node:
        case ast.Name(id=name):
            try:
                return namespace[name]
            except KeyError:
                raise WalkError(f"the name {name} has no value here") from None
        case ast.Constant(value=value):
            return value
        case ast.Attribute(value=owner, attr=attribute) if not _dunder(attribute):
            return getattr(_read(owner, namespace), attribute)
        case ast.Subscript(value=owner, slice=index):
            return _read(owner, namespace)[_index(index, namespace)]
        case ast.Tuple(elts=items):
            return tuple(_read(item, namespace) for item in items)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Call(func=ast.Name(id="len"), args=[argument], keywords=[]):
            return len(_read(argument, namespace))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _joined(node, _read(left, namespace), _read(right, namespace))
        case ast.JoinedStr(values=parts):
            return "".join(_part(part, namespace) for part in parts)
        case _:
            raise WalkError(f"{_shown(node)} cannot be read: only names, subscripts, attributes and strings can")


def _index(node: ast.expr, namespace: Mapping[str, Any]) -> Any:
    """A subscript's index, slices included."""
    if isinstance(node, ast.Constant):  # as most are
        return node.value
    if isinstance(node, ast.Slice):
        ends = (None if end is None else _read(end, namespace) for end in (node.lower, node.upper, node.step))
        return slice(*ends)
    if isinstance(node, ast.Tuple):
        return tuple(_index(item, namespace) for item in node.elts)
    return _read(node, namespace)


def _joined(node: ast.expr, left: Any, right: Any) -> str:
    """Strings put together; `+` means nothing else in a bind, so that nothing can be recomputed there."""
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    raise WalkError(f"{_shown(node)} adds {type(left).__name__} and {type(right).__name__}; only strings can be joined")


def _part(node: ast.expr, namespace: Mapping[str, Any]) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if not isinstance(node, ast.FormattedValue):
        raise WalkError(f"{_shown(node)} cannot stand in an f-string")
    specification = "" if node.format_spec is None else _part_text(node.format_spec, namespace)
    if any(int(width) > _LARGEST_WIDTH for width in re.findall(r"\d+", specification)):
        raise WalkError(f"the format {specification!r} is too wide")
    return format(_CONVERSIONS[node.conversion](_read(node.value, namespace)), specification)


def _part_text(node: ast.expr, namespace: Mapping[str, Any]) -> str:
    text = _read(node, namespace)
    return text if isinstance(text, str) else str(text)


def _dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _shown(node: ast.expr) -> str:
    return ast.unparse(node)
