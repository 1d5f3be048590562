"""Parameters that a formula need not name, as they have a default that is no number, and calls that leave them out."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from eqtrace.code.lift.reasons import NotLifted
from eqtrace.code.tree import FunctionNode

_AXES = frozenset({"axis", "axes", "ddof"})
_TYPES = frozenset({"bool", "int", "float", "complex", "str"})  # of a `dtype`
_CONTAINERS = (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Lambda)


def parameters(function: FunctionNode) -> list[ast.arg]:
    """All parameters by position or name."""
    found = function.args
    return [*found.posonlyargs, *found.args, *found.kwonlyargs]


def skeleton(function: FunctionNode, shapes: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """What can be said of a function that is not read: the shapes that it needs."""
    used = {each.arg: shapes[each.arg] for each in parameters(function) if each.arg in shapes}
    said = ", ".join(f"{name}: [{', '.join(dims)}]" for name, dims in used.items())
    return {"shapes": f"{{{said}}}"} if said else {}


def flags_of(function: FunctionNode) -> dict[str, ast.expr]:
    """The parameters with a default that is no number, or that choose axes by NumPy's names; with that default."""
    found = function.args
    positional = [*found.posonlyargs, *found.args]
    defaults = [*zip(reversed(positional), reversed(found.defaults), strict=False)]
    defaults += [(each, value) for each, value in zip(found.kwonlyargs, found.kw_defaults, strict=True) if value]
    return {each.arg: value for each, value in defaults if each.arg in _AXES or _is_no_number(value)}


def _is_no_number(value: ast.expr) -> bool:
    if isinstance(value, ast.Name):
        return value.id in _TYPES
    if isinstance(value, ast.Attribute):
        return isinstance(value.value, ast.Name)
    return isinstance(value, _CONTAINERS) or (
        isinstance(value, ast.Constant) and type(value.value) in (bool, str, bytes, type(None), type(...))
    )


def bound_to_flag(function: FunctionNode, flags: Collection[str]) -> str | None:
    """A parameter that can't be given without a flag before it, as both go by position alone."""
    places = [each.arg for each in function.args.posonlyargs]
    first = next((number for number, name in enumerate(places) if name in flags), len(places))
    return next((name for name in places[first:] if name not in flags), None)


def call_without(function: FunctionNode, flags: Collection[str]) -> str:
    """A call that leaves parameters out, those behind the first of them by name."""
    if (name := bound_to_flag(function, flags)) is not None:
        raise NotLifted(f"has a parameter `{name}` that can't be given without the ones before it", function)
    found = function.args
    parts: list[str] = []
    left_out = False
    for each in (*found.posonlyargs, *found.args):
        if each.arg in flags:
            left_out = True
        else:
            parts.append(f"{each.arg}={each.arg}" if left_out else each.arg)
    parts += [f"{each.arg}={each.arg}" for each in found.kwonlyargs if each.arg not in flags]
    return f"{function.name}({', '.join(parts)})"
