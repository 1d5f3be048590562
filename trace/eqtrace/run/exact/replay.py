"""Re-executes a cited statement, the user's own, on captured inputs lifted to exact balls."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from eqtrace.code.bind import BindError, parse_right
from eqtrace.formula.ball import Ball, Undecided, lift, no_floats, precision
from eqtrace.run.children import ending_children
from eqtrace.run.earlier import root
from eqtrace.run.exact.loops import Loop
from eqtrace.run.exact.rewrite import Exact
from eqtrace.run.exact.shadow import Constants, Shadows, lift_value
from eqtrace.run.record import Event
from eqtrace.run.site import Site
from eqtrace.run.snapshot import Copier
from eqtrace.run.statement import CannotRun, Statement, call_with, reason, resolve, settled, whole_outputs
from eqtrace.run.walk import assign

_NO_DATA = (type, types.ModuleType, types.FunctionType)
_DEEPEST = 5


class Replay:
    """One site's statement, ready to be re-executed.

    Args:
        site: the cited statement and what to read of it.
        twins: exact twins of the user's code, for each way to take constants.
        with_earlier: the statements before it that work out what it reads are executed with it.

    Raises:
        CannotRun: the statement can't be taken out of its function.
    """

    def __init__(self, site: Site, twins: Mapping[Constants, Shadows], with_earlier: bool = False) -> None:
        self.site = site
        self._twins = twins
        try:
            self._bound = {root(parse_right(text)) for text in site.inputs.values()}
        except BindError as error:  # of the bind itself the audit tells
            raise CannotRun(f"a bind can't be read: {error.message}") from None
        self._loop = Loop(site, _exact) if site.collects else None
        self._statement = None if site.whole or self._loop else Statement(site, _exact, with_earlier)

    @property
    def has_earlier(self) -> bool:
        """Whether statements before the cited one are executed with it."""
        return self._statement is not None and bool(self._statement.earlier)

    def loose(self, event: Event) -> str:
        """Why the statement may differ from the form by roundings that came before it; '' where it may not.

        What it reads beside the symbols (names, attributes of bound objects) was computed from them, and so were
        symbols that it does not read itself: exact arithmetic finds them rounded, and cannot tell that from a fault.
        """
        if self._loop is not None:  # it starts from what the function is given
            return ""
        rest = Copier().copy(event.namespace)
        for text in self.site.inputs.values():
            assign(parse_right(text), rest, None)  # an array's entry can't be told from the array; it stays bound
        free = [found for name, value in rest.items() if (found := self._loose(name, value))]
        if free:
            return f"the statement reads {', '.join(free)}, rounded before it, which no symbol binds"
        known = self._statement.reads if self._statement is not None else self._bound
        unread = [
            f"{symbol} (`{text}`)"
            for symbol, text in self.site.inputs.items()
            if root(parse_right(text)) not in known and _has_float(event.inputs.get(symbol))
        ]
        return f"the form uses {', '.join(unread)}, rounded before the statement, which does not read it" * bool(unread)

    def _loose(self, name: str, value: Any) -> str:
        attributes = _attributes(value)
        if attributes:
            return ", ".join(f"{name}.{key}" for key, entry in attributes.items() if _has_float(entry))
        return name if name not in self._bound and _has_float(value) else ""

    def run(self, event: Event, bits: int, constants: Constants = Constants.HALF_ULP) -> dict[str, Any]:
        """The outputs of the statement at `bits` bits, by symbol.

        Scalars that no symbol binds are taken as constants.

        Raises:
            CannotRun: the statement, or code that it calls, does not run in balls.
            Undecided: a comparison in it can't be decided: the point is a kink.
        """
        shadows = self._twins[constants]
        with precision(bits), np.errstate(all="ignore"):
            try:
                local = {
                    name: shadows.twin(value)
                    if isinstance(value, types.ModuleType)
                    else lift_value(value, lift if self._is_bound(name, value) else shadows.constants, shadows.adopt)
                    for name, value in event.namespace.items()
                }
                local |= self._opaque(event)
                with no_floats(), ending_children():
                    outputs = self._outputs(event, local, shadows)
            except (CannotRun, Undecided):
                raise
            except BaseException as error:
                raise CannotRun(reason(error)) from error
        rounded = [symbol for symbol, value in outputs.items() if _has_rounded(value)]
        if rounded:
            raise CannotRun(f"{', '.join(rounded)} is worked out in floats, by functions that are not known on balls")
        return outputs

    def _opaque(self, event: Event) -> dict[str, Any]:
        """Functions that symbols stand for: what they give for arguments rounded to float64, as forms have it."""
        texts = {text: event.inputs.get(symbol) for symbol, text in self.site.inputs.items() if text.isidentifier()}
        return {name: _of_floats(value) for name, value in texts.items() if callable(value)}

    def _is_bound(self, name: str, value: Any) -> bool:
        return name in self._bound or not isinstance(value, float | np.floating)

    def _outputs(self, event: Event, local: Mapping[str, Any], shadows: Shadows) -> dict[str, Any]:
        if self._loop is not None:
            turns = [lift_value(dict(turn), lift, shadows.adopt) for turn in event.turns]
            return self._loop.run(shadows.namespace(event.module), local, turns)
        if self._statement is not None:
            return self._statement.run({**shadows.namespace(event.module), **local})
        original = resolve(event.module, self.site.function)
        return whole_outputs(self.site, settled(call_with(shadows.function(original), original, local)))


def _of_floats(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*arguments: Any, **named: Any) -> Any:
        floats = [_rounded(each) for each in arguments]
        return lift(function(*floats, **{name: _rounded(each) for name, each in named.items()}))

    return called


def _rounded(value: Any) -> Any:
    if isinstance(value, Ball):
        return float(value.arb)
    if isinstance(value, np.ndarray) and value.dtype == object:
        floats = np.array([_rounded(each) for each in value.flat])
        return floats.reshape(value.shape)
    return value


def _exact(node: ast.stmt, lines: list[str]) -> ast.stmt:
    rewritten: ast.stmt = Exact(lines).visit(node)
    return rewritten


def _has_rounded(value: Any) -> bool:
    """Whether a float that may have been rounded stands among a statement's outputs."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return any(map(_has_rounded, value.flat))
    if isinstance(value, np.ndarray | float | np.floating):
        plain = np.asarray(value)
        return plain.dtype.kind == "f" and not bool(np.all(~np.isfinite(plain) | (plain == np.rint(plain))))
    if isinstance(value, list | tuple):
        return any(map(_has_rounded, value))
    return False


def _attributes(value: Any) -> dict[str, Any]:
    """What a plain object holds."""
    return {} if isinstance(value, _NO_DATA) else dict(getattr(value, "__dict__", None) or {})


def _has_float(value: Any, depth: int = 0) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fc"
    if isinstance(value, float | np.floating | complex):
        return True
    if depth > _DEEPEST:  # it may lead back to itself
        return False
    if isinstance(value, list | tuple):
        return any(_has_float(each, depth + 1) for each in value)
    entries = value if isinstance(value, dict) else _attributes(value)
    return any(_has_float(each, depth + 1) for each in entries.values())
