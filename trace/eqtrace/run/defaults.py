"""Executions of which a short form claims nothing: with other values of parameters than the defaults that it keeps."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from eqtrace.model.equation import Equation
from eqtrace.run.executions import Captured
from eqtrace.run.site import Site
from eqtrace.run.snapshot import equal
from eqtrace.run.statement import CannotRun, resolve

_CONTAINERS = (list, dict, set, np.ndarray)


def at_defaults(captured: Sequence[Captured], equation: Equation, site: Site, module: str) -> list[Captured]:
    """The executions of a whole function that gave it the defaults that the equation keeps."""
    defaults = _values(equation, site, module)
    return [
        each
        for each in captured
        if all(
            _is_default(each.event.namespace[name], *held)
            for name, held in defaults.items()
            if name in each.event.namespace
        )
    ]


def _values(equation: Equation, site: Site, module: str) -> Mapping[str, tuple[Any, str]]:
    """The defaults' values, with how they are written: the function's own, or what is written where it hides them."""
    known: Mapping[str, inspect.Parameter] = {}
    with suppress(CannotRun, LookupError, TypeError, ValueError):
        known = inspect.signature(resolve(module, site.function)).parameters
    found = {}
    for name, text in equation.defaults.items():
        if name in known and known[name].default is not inspect.Parameter.empty:
            found[name] = known[name].default, text
        else:
            with suppress(ValueError, SyntaxError):
                found[name] = ast.literal_eval(text), text
    return found


def _is_default(value: Any, default: Any, text: str) -> bool:
    if value is default or equal(value, default):
        return True
    if isinstance(default, _CONTAINERS):
        try:
            # Code may use it to remember things in: then nobody can tell whether it was given.
            written = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return False
        return equal(value, written) or not equal(default, written)
    plain = [each.item() if isinstance(each, np.generic) else each for each in (value, default)]
    with suppress(Exception):  # of the user's objects
        return all(isinstance(each, int | float | complex | str) for each in plain) and bool(plain[0] == plain[1])
    return False
