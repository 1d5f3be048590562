"""The entries of `wrt`: by what is differentiated, where its tangent starts, and where its gradient is."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from eqtrace.code.bind import BindError, parse_right
from eqtrace.code.tree import same
from eqtrace.model.equation import Equation, Gradient
from eqtrace.run.exact.taps import Tap
from eqtrace.run.site import Site
from eqtrace.run.sources import source

RESULT = "result"
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
    def public(self) -> Callable[..., Any]:
        """What a caller finds under a function's name: with its decorators, or another one in its place."""
        found = getattr(self.module, self.qualname, None)
        return found if callable(found) else self.original

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


def parse_place(text: str) -> ast.expr:
    """A place, parsed and never evaluated.

    Raises:
        PlanError: it is none.
    """
    try:
        return parse_right(text)
    except BindError as error:
        raise PlanError(f"`{text}` is no place: {error}") from error


def make_entry(
    name: str,
    text: str,
    equation: Equation,
    gradient: Gradient,
    symbols: tuple[str, ...],
    forward: Function,
    backward: Function,
    sites: list[tuple[Equation, Site]],
) -> Entry:
    """Reads one entry.

    Raises:
        PlanError: it names what is not there.
    """
    place = parse_place(text)
    root = _root(place)
    if name in equation.symbols and equation.symbols[name].domain.integer:
        raise PlanError(f"`{name}` holds integers, by which nothing can be differentiated", "take it out of `wrt`")
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
    file = source(forward.file)
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
