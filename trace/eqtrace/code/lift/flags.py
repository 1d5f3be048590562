"""Parameters that a formula need not name, as they have a default that is no number, and calls that leave them out."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Mapping

from eqtrace.code.tree import FunctionNode

_AXES = frozenset({"axis", "axes", "ddof"})
_CONSTANTS = frozenset({"pi", "e", "tau", "inf", "infty", "nan", "euler_gamma", "epsilon", "eps"})
_NUMBERS = frozenset({"float", "int", "complex"})
_DEEPEST = 8  # names that stand for names


def parameters(function: FunctionNode) -> list[ast.arg]:
    """All parameters by position or name."""
    found = function.args
    return [*found.posonlyargs, *found.args, *found.kwonlyargs]


def skeleton(function: FunctionNode, shapes: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """What can be said of a function that is not read: the shapes that it needs."""
    used = {each.arg: shapes[each.arg] for each in parameters(function) if each.arg in shapes}
    said = ", ".join(f"{name}: [{', '.join(dims)}]" for name, dims in used.items())
    return {"shapes": f"{{{said}}}"} if said else {}


def flags_of(function: FunctionNode, module: ast.Module) -> dict[str, ast.expr]:
    """The parameters with a default that is no number, or that choose axes by NumPy's names; with that default.

    What a name stands for, the `module` tells.
    """
    found = function.args
    positional = [*found.posonlyargs, *found.args]
    defaults = [*zip(reversed(positional), reversed(found.defaults), strict=False)]
    defaults += [(each, value) for each, value in zip(found.kwonlyargs, found.kw_defaults, strict=True) if value]
    return {each.arg: value for each, value in defaults if each.arg in _AXES or not _is_number(value, module)}


def _is_number(value: ast.expr, module: ast.Module, depth: int = 0) -> bool:
    """Whether a default is a number, or may be one for all that is known."""
    match value:
        case ast.Constant(value=constant):
            return isinstance(constant, int | float | complex) and not isinstance(constant, bool)
        case ast.UnaryOp(op=op, operand=operand):
            return not isinstance(op, ast.Not) and _is_number(operand, module, depth)
        case ast.BinOp(left=left, right=right):
            return _is_number(left, module, depth) and _is_number(right, module, depth)
        case ast.Attribute(attr=name):
            return name in _CONSTANTS
        case ast.Call(func=ast.Name(id=name)):
            return name in _NUMBERS
        case ast.Name(id=name):
            held = _stands_for(name, module)
            if held is None:
                return not hasattr(builtins, name)
            return isinstance(held, ast.expr) and depth < _DEEPEST and _is_number(held, module, depth + 1)
    return False


def _stands_for(name: str, module: ast.Module) -> ast.AST | None:
    """What a module last gives a name at its top; None where it doesn't."""
    found: ast.AST | None = None
    for node in module.body:
        match node:
            case ast.Assign(targets=targets, value=value) if any(
                isinstance(each, ast.Name) and each.id == name for each in targets
            ):
                found = value
            case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
                found = value
            case ast.FunctionDef(name=target) | ast.AsyncFunctionDef(name=target) | ast.ClassDef(name=target):
                found = node if target == name else found
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                # A constant that is imported is called as a constant is.
                if any((each.asname or each.name) == name for each in names) and not name.isupper():
                    found = None if name in _CONSTANTS else node
    return found


def bound_to_flag(function: FunctionNode, flags: Collection[str]) -> str | None:
    """A parameter that can't be given without a flag before it, as both go by position alone."""
    places = [each.arg for each in function.args.posonlyargs]
    first = next((number for number, name in enumerate(places) if name in flags), len(places))
    return next((name for name in places[first:] if name not in flags), None)


def call_without(function: FunctionNode, flags: Collection[str]) -> str:
    """A call that leaves parameters out, those behind the first of them by name; none may be bound to a flag."""
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
