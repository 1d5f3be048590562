"""Proof that a call gives the same with two of its arguments exchanged: the function it calls does."""

from __future__ import annotations

import ast
import copy

from eqtrace.code.mutation.bound import bound_in
from eqtrace.code.mutation.kinds import Find, Kinds, kinds_in
from eqtrace.code.mutation.normal import Normal
from eqtrace.code.tree import FunctionNode


def exchanged(old: ast.stmt, new: ast.stmt, kinds: Kinds, find: Find) -> str:
    """In words, that the function gives the same; '' where that was not shown.

    Shown is: the statements differ by two neighbouring arguments of one call, the call is of a function of the user's
    that returns one expression and does nothing else, and that expression has one normal form with its two parameters
    exchanged. Working the arguments out changes nothing, so their order does not matter.
    """
    wanted = ast.dump(new)
    for call in ast.walk(old):
        for number in range(len(call.args) - 1 if isinstance(call, ast.Call) else 0):
            assert isinstance(call, ast.Call)
            if ast.dump(_with_others(old, call, number)) == wanted:
                return _shown(call, number, kinds, find)
    return ""


def _with_others(statement: ast.stmt, call: ast.Call, number: int) -> ast.stmt:
    """The statement, two neighbouring arguments of a call in it exchanged."""
    swapped = copy.copy(call)
    one, other = call.args[number : number + 2]
    swapped.args = [*call.args[:number], other, one, *call.args[number + 2 :]]
    changed: ast.stmt = copy.deepcopy(statement, {id(call): swapped})
    return changed


def _shown(call: ast.Call, number: int, kinds: Kinds, find: Find) -> str:
    found = kinds.called(call.func)
    if found is None or any(isinstance(each, ast.Starred) for each in call.args):
        return ""
    file, name = found
    nodes = file.definitions.get(name, [])
    function = nodes[0] if len(nodes) == 1 else None
    if not isinstance(function, ast.FunctionDef) or function.decorator_list or bound_in(file.tree)[name] != 1:
        return ""
    if not all(map(kinds.pure, call.args)):
        return ""
    value = _only_value(function)
    parameters = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    if value is None or len(parameters) < number + 2:
        return ""
    inside = kinds_in(file, name, find)
    if not inside.pure(value):
        return ""
    one, other = parameters[number : number + 2]
    normal = Normal(inside)
    text = normal.text(value)
    if text != normal.text(_renamed(value, {one: other, other: one})):
        return ""
    return f"{name} gives {text}, and that with {one} and {other} exchanged, which is the same"


def _only_value(function: FunctionNode) -> ast.expr | None:
    """What a function returns that has one statement, beside its docstring."""
    documented = ast.get_docstring(function, clean=False) is not None
    body = function.body[1:] if documented else function.body
    return body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None


def _renamed(value: ast.expr, names: dict[str, str]) -> ast.expr:
    changed = copy.deepcopy(value)
    for each in ast.walk(changed):
        if isinstance(each, ast.Name):
            each.id = names.get(each.id, each.id)
    return changed
