"""Parameters whose default is no number, and calls that leave them out."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from eqtrace.code.lift.reasons import NotLifted
from eqtrace.code.tree import FunctionNode


def parameters(function: FunctionNode) -> list[ast.arg]:
    """All parameters by position or name."""
    found = function.args
    return [*found.posonlyargs, *found.args, *found.kwonlyargs]


def skeleton(function: FunctionNode, shapes: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """What can be said of a function that is not read: the shapes that it needs, and a call without its flags."""
    flags = flags_of(function)
    used = {each.arg: shapes[each.arg] for each in parameters(function) if each.arg in shapes}
    said = ", ".join(f"{name}: [{', '.join(dims)}]" for name, dims in used.items())
    try:
        call = call_without(function, flags) if flags else ""
    except NotLifted:
        call = ""
    return ({"shapes": f"{{{said}}}"} if said else {}) | ({"call": f"'{call}'"} if call else {})


def flags_of(function: FunctionNode) -> dict[str, ast.expr]:
    """The parameters that have a default that is no number, with it."""
    found = function.args
    positional = [*found.posonlyargs, *found.args]
    defaults = [*zip(reversed(positional), reversed(found.defaults), strict=False)]
    defaults += [(each, value) for each, value in zip(found.kwonlyargs, found.kw_defaults, strict=True) if value]
    return {
        each.arg: value
        for each, value in defaults
        if (isinstance(value, ast.Constant) and type(value.value) in (bool, str, type(None)))
        or (isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name))
    }


def call_without(function: FunctionNode, flags: Collection[str]) -> str:
    """A call that leaves parameters out, those behind the first of them by name."""
    found = function.args
    parts: list[str] = []
    left_out = False
    for each in (*found.posonlyargs, *found.args):
        if each.arg in flags:
            left_out = True
        elif left_out and each in found.posonlyargs:
            raise NotLifted(f"has a parameter `{each.arg}` that can't be given without the ones before it", function)
        else:
            parts.append(f"{each.arg}={each.arg}" if left_out else each.arg)
    parts += [f"{each.arg}={each.arg}" for each in found.kwonlyargs if each.arg not in flags]
    return f"{function.name}({', '.join(parts)})"
