"""A `gradient` key, read against its two functions: what to pass to each."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from eqtrace.formula.form import Form
from eqtrace.model.equation import Equation, Gradient
from eqtrace.run.call import CallError, names, parse_call
from eqtrace.run.gradient.entries import RESULT, Entry, Function, PlanError, make_entry, parse_place
from eqtrace.run.site import Site

__all__ = ["ACCUMULATED", "CACHE", "COTANGENT", "RESULT", "Entry", "Function", "Plan", "PlanError", "make_plan"]

COTANGENT, ACCUMULATED, CACHE = "cotangent", "accumulated", "cache"


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a run of forward and backward needs but the inputs."""

    name: str  # names its random numbers
    equation: Equation
    gradient: Gradient
    form: Form
    forward: Function
    backward: Function
    entries: tuple[Entry, ...]
    symbols: tuple[str, ...]  # to draw
    by_parameter: Mapping[str, str]  # of the forward, without a call: parameter to symbol
    call: ast.expr | None
    sources: Mapping[str, str]  # of the backward: parameter to a word above, or to a parameter of the forward
    factor: str = ""  # the cotangent, where it is a number
    output: ast.expr | None = None
    cache: ast.expr | None = None
    accumulates: str | None = field(default=None)


def make_plan(
    equation: Equation,
    form: Form,
    forward: Function,
    backward: Function,
    sites: list[tuple[Equation, Site]],
) -> Plan:
    """Reads a gradient.

    Args:
        equation: the first equation of its topic with this gradient.
        form: that equation's form, for shapes and conditions.
        forward: the function that is differentiated.
        backward: the function that gives the gradients.
        sites: every cited statement in the two functions, with its equation.

    Raises:
        PlanError: the key does not fit the functions.
    """
    gradient = equation.gradient
    assert gradient is not None
    call = _forward_call(equation, gradient, forward)
    by_parameter = {} if call is not None else _by_parameter(equation, forward, backward)
    read = names(call) if call is not None else set(by_parameter.values())
    symbols = tuple(name for name in equation.symbols if name in read)
    fed = {symbol: parameter for parameter, symbol in by_parameter.items()} if call is None else _fed(call, forward)
    entries = tuple(
        make_entry(name, text, equation, gradient, symbols, forward, backward, sites)
        for name, text in gradient.wrt.items()
    )
    if not entries:
        raise PlanError("the gradient's `wrt` is empty", "name what is differentiated by: {X: 'result[0]'}")
    factor = "" if gradient.cotangent in backward.parameters else gradient.cotangent
    if factor and not _is_number(factor):
        hint = f"{backward.qualname} has {', '.join(backward.parameters)}; '1' where the forward returns the loss"
        raise PlanError(f"the cotangent `{factor}` is no parameter of the backward", hint)
    if gradient.accumulates is not None and gradient.accumulates not in backward.parameters:
        hint = f"{backward.qualname} has {', '.join(backward.parameters)}; null where it adds to nothing"
        raise PlanError(f"`{gradient.accumulates}`, which accumulates, is no parameter of the backward", hint)
    return Plan(
        f"{equation.topic} {gradient.backward.value}",
        equation,
        gradient,
        form,
        forward,
        backward,
        entries,
        symbols,
        by_parameter,
        call,
        _sources(equation, gradient, fed, forward, backward),
        factor,
        parse_place(gradient.output) if gradient.output else None,
        parse_place(gradient.cache) if gradient.cache else None,
        gradient.accumulates,
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# --- what the forward gets


def _forward_call(equation: Equation, gradient: Gradient, forward: Function) -> ast.Call | None:
    """The call of the forward: the gradient's own, or the one within the equation's."""
    for text, needed in ((gradient.call, True), (equation.call, False)):
        if text is None:
            continue
        try:
            node = parse_call(text)
        except CallError as error:
            raise PlanError(str(error)) from error
        for found in ast.walk(node):
            if isinstance(found, ast.Call) and _called(found.func) == forward.qualname.rpartition(".")[2]:
                return found
        if needed:
            raise PlanError(f"`{text.value}` does not call {forward.qualname}")
    return None


def _fed(call: ast.Call, forward: Function) -> dict[str, str]:
    """Symbols that a call passes as they are, to the parameters that they go to."""
    method = isinstance(call.func, ast.Attribute) and next(iter(forward.parameters), "") == "self"
    named = [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
    given = [*zip(list(forward.parameters)[method:], call.args, strict=False), *named]
    return {node.id: parameter for parameter, node in given if isinstance(node, ast.Name)}


def _called(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def symbol_of(parameter: str, function: Function, equation: Equation) -> str | None:
    """The symbol that a function's parameter stands for: by its name in that function, else by its own."""
    found = [name for name, symbol in equation.symbols.items() if symbol.code_name(function.qualname) == parameter]
    return parameter if parameter in found else next(iter(found), None)


def _by_parameter(equation: Equation, forward: Function, backward: Function) -> dict[str, str]:
    found = {}
    for name, parameter in forward.parameters.items():
        symbol = symbol_of(name, forward, equation)
        symbol = symbol or (name if name in equation.symbols else symbol_of(name, backward, equation))
        if symbol is not None and _is_drawable(equation, symbol):
            found[name] = symbol
        elif parameter.default is parameter.empty:
            hint = "declare a symbol of that name, or say how to call the forward: gradient: {call: 'f(...)'}"
            raise PlanError(f"no symbol stands for the parameter `{name}` of {forward.qualname}", hint)
    return found


def _is_drawable(equation: Equation, symbol: str) -> bool:
    return equation.symbols[symbol].shape is not None or equation.symbols[symbol].domain.integer


# --- what the backward gets


def _sources(
    equation: Equation, gradient: Gradient, fed: Mapping[str, str], forward: Function, backward: Function
) -> dict[str, str]:
    found: dict[str, str] = {}
    left: list[str] = []
    for name, parameter in backward.parameters.items():
        symbol = symbol_of(name, backward, equation)
        if name == gradient.cotangent:
            found[name] = COTANGENT
        elif name == gradient.accumulates:
            found[name] = ACCUMULATED
        elif symbol is not None and symbol in fed:
            found[name] = fed[symbol]
        elif name in forward.parameters and (symbol is None or symbol == name):
            found[name] = name
        elif parameter.default is parameter.empty or gradient.cache:
            left.append(name)
    if gradient.cache and len(left) == 1:
        found[left[0]] = CACHE
    elif left:
        what = "could each be the cache" if gradient.cache else "is neither an input of the forward nor the cotangent"
        hint = "say which symbol each stands for (`code: {FUNCTION: NAME}`), and what the `cache` is"
        raise PlanError(f"{', '.join(f'`{name}`' for name in left)} of {backward.qualname} {what}", hint)
    elif gradient.cache:
        raise PlanError(f"{backward.qualname} has no parameter for the cache `{gradient.cache}`", "leave out `cache`")
    return found
