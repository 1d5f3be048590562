"""A `gradient` key, read against its two functions: what to pass to each, and where the gradients are."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Mapping
from dataclasses import dataclass, field

from eqtrace.code.bind import BindError, parse_right
from eqtrace.code.source import SourceFile, decode
from eqtrace.code.tree import same
from eqtrace.formula.form import Form
from eqtrace.model.equation import Equation, Gradient
from eqtrace.run.call import CallError, names, parse_call
from eqtrace.run.exact.taps import Tap
from eqtrace.run.site import Site
from eqtrace.run.statement import source_tree

RESULT = "result"
COTANGENT, ACCUMULATED, CACHE = "cotangent", "accumulated", "cache"
_POSITIONAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class PlanError(Exception):
    """Why a gradient can't be run, and what would help."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Function:
    """One of the two functions: its place, itself without decorators, and its module."""

    file: str  # absolute
    qualname: str
    original: types.FunctionType
    module: types.ModuleType

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """Its parameters, those of a variable number left out."""
        every = inspect.signature(self.original).parameters
        return {name: each for name, each in every.items() if each.kind not in _POSITIONAL}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of `wrt`. A value on the way has taps: where its tangent starts, and where its gradient is made."""

    name: str
    text: str
    place: ast.expr | None = None  # read when the backward has returned
    accumulated: bool = False
    start: Tap | None = None
    end: Tap | None = None


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
        _entry(name, text, equation, gradient, symbols, forward, backward, sites) for name, text in gradient.wrt.items()
    )
    if not entries:
        raise PlanError("the gradient's `wrt` is empty", "name what is differentiated by: {X: 'result[0]'}")
    factor = "" if gradient.cotangent in backward.parameters else gradient.cotangent
    if factor and not _is_number(factor):
        hint = f"{backward.qualname} has {', '.join(backward.parameters)}; '1' where the forward returns the loss"
        raise PlanError(f"the cotangent `{factor}` is no parameter of the backward", hint)
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
        _place(gradient.output) if gradient.output else None,
        _place(gradient.cache) if gradient.cache else None,
        gradient.accumulates,
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _place(text: str) -> ast.expr:
    try:
        return parse_right(text)
    except BindError as error:
        raise PlanError(f"`{text}` is no place: {error}") from error


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


# --- where the gradients are


def _entry(
    name: str,
    text: str,
    equation: Equation,
    gradient: Gradient,
    symbols: tuple[str, ...],
    forward: Function,
    backward: Function,
    sites: list[tuple[Equation, Site]],
) -> Entry:
    place = _place(text)
    root = _root(place)
    start = None if name in symbols and name not in gradient.after else _start(name, equation, gradient, forward, sites)
    if root == RESULT or root in backward.parameters:
        return Entry(name, text, place, root == gradient.accumulates, start)
    return Entry(name, text, start=start, end=_end(text, equation, backward, sites))


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _start(
    name: str, equation: Equation, gradient: Gradient, forward: Function, sites: list[tuple[Equation, Site]]
) -> Tap:
    """Where the tangent of a value on the way starts: after the forward's statement that makes it."""
    inside = [site for _, site in sites if (site.file, site.function) == (forward.file, forward.qualname)]
    after = gradient.after.get(name)
    if after is None:
        made = [site for site in inside if name in site.outputs]
    else:
        made = [site for site in inside if site.anchor == after]
        if not made:
            symbol = equation.symbols.get(name)
            text = (symbol.code_name(forward.qualname) if symbol else None) or name
            return _statement_tap(f"{name} after {after}", after, text, forward)
    if not made:
        what = f"`{name}` is no input of {forward.qualname}, and no cited statement of it makes it"
        raise PlanError(what, f"name the statement: after: {{{name}: 'STATEMENT'}}")
    site = max(made, key=lambda each: each.line)
    left = site.outputs.get(name)
    if left is None and len(site.outputs) == 1:
        left = next(iter(site.outputs.values()))
    if left is None:
        raise PlanError(f"{site.anchor} does not bind `{name}`")
    return _tap(site, left)


def _end(text: str, equation: Equation, backward: Function, sites: list[tuple[Equation, Site]]) -> Tap:
    """Where the gradient of a value on the way is made: at the anchor that binds its symbol."""
    made = [
        site
        for other, site in sites
        if (site.file, site.function) == (backward.file, backward.qualname)
        and other.topic == equation.topic
        and text in site.outputs
    ]
    if not made:
        what = f"`{text}` is neither `result`, a parameter of {backward.qualname}, nor bound by an anchor in it"
        raise PlanError(what, "write where the gradient is: 'result[0]', or the symbol that an anchor binds")
    site = max(made, key=lambda each: each.line)
    return _tap(site, site.outputs[text])


def _tap(site: Site, left: str) -> Tap:
    return Tap(f"{site.file}:{site.line}:{site.column} {left}", site.file, site.line, site.column, left)


def _statement_tap(what: str, code: str, left: str, forward: Function) -> Tap:
    try:
        wanted = ast.parse(code).body
    except SyntaxError as error:
        raise PlanError(f"{what}: neither an anchor's name nor a statement") from error
    tree, _ = source_tree(forward.file)
    file = SourceFile(forward.file, decode(open(forward.file, "rb").read()), tree)  # noqa: SIM115
    function = file.functions.get(forward.qualname)
    found = [
        node
        for node in (ast.walk(function) if function is not None else ())
        if isinstance(node, ast.stmt) and len(wanted) == 1 and same(node, wanted[0])
    ]
    if len(found) != 1:
        raise PlanError(f"{what}: {len(found)} such statements in {forward.qualname}")
    span = file.span(found[0])
    return Tap(f"{forward.file}:{span.line}:{span.column} {left}", forward.file, span.line, span.column, left)
