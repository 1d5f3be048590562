"""Counter-examples: the failing execution made as simple as Hypothesis can, and told in words."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eqtrace.code.bind import parse_right
from eqtrace.model.symbol import Symbol
from eqtrace.run.children import ending_children
from eqtrace.run.draws import from_seed_alone
from eqtrace.run.executions import Captured
from eqtrace.run.methods.compare import Comparison, Entry
from eqtrace.run.methods.kind import as_array, breach
from eqtrace.run.sample import NoDraw, bound
from eqtrace.run.site import Site
from eqtrace.run.snapshot import Copier
from eqtrace.run.statement import CannotRun, Statement, call_with, resolve, settled, whole_outputs
from eqtrace.run.walk import assign

_EXAMPLES = 200  # that Hypothesis may draw before it gives up finding a simpler one
_TRIALS = 2000  # runs of the statement in all, shrinking included
_SHOWN = 16  # entries of an array that are printed
_BRIEF, _LONGEST = 4, 120  # entries of an array, and characters of a value, that are told in short
_ORIGINAL = 4  # the last level of `_entry`
_MIXED = -1  # an array whose entries are simplified one by one

Compare = Callable[[Mapping[str, Any], Mapping[str, Any]], Comparison | None]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A failing execution. `comparison` is None where only exact arithmetic tells code and form apart."""

    inputs: Mapping[str, Any]
    comparison: Comparison | None
    origin: str
    shrunk: bool = False


def shrink(
    found: Counterexample, captured: Captured, site: Site, symbols: Mapping[str, Symbol], compare: Compare
) -> Counterexample:
    """Runs the statement on simpler and simpler inputs for as long as it still fails.

    Args:
        found: the failure as it was captured.
        captured: its execution, whose other values stay as they are.
        site: the cited statement.
        symbols: the equation's symbols, for the axes that may be cut shorter.
        compare: compares outputs with the form on given inputs; None where that can't be done.
    """
    try:
        rerun = _rerun(captured, site)
        outcome = _search(found, symbols, lambda inputs: compare(inputs, rerun(inputs)))
    except CannotRun:
        return found
    return outcome or found


def _rerun(captured: Captured, site: Site) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    event = captured.event
    if site.collects:
        raise CannotRun("a loop's turns are not run again")
    reads = {symbol: parse_right(text) for symbol, text in site.inputs.items()}
    statement = None if site.whole else Statement(site, with_earlier=True)

    def run(inputs: Mapping[str, Any]) -> dict[str, Any]:
        local = Copier().copy(event.namespace)
        for symbol, value in inputs.items():
            if symbol in reads and not assign(reads[symbol], local, Copier().copy(value)):
                raise CannotRun(f"{symbol} can't be set")
        with ending_children():
            if statement is not None:
                return statement.run({**vars(sys.modules[event.module]), **local})
            original = resolve(event.module, site.function)
            return whole_outputs(site, settled(call_with(original, original, local)))

    return run


def _search(
    found: Counterexample, symbols: Mapping[str, Symbol], compare: Callable[[Mapping[str, Any]], Comparison | None]
) -> Counterexample | None:
    from hypothesis import HealthCheck, Phase, find, settings
    from hypothesis.errors import HypothesisException

    trials = 0

    def fails(inputs: Mapping[str, Any]) -> bool:
        nonlocal trials
        trials += 1
        if trials > _TRIALS:
            return False
        if not all(_is_drawable(symbols[name], inputs) for name in drawable):
            return False
        try:
            comparison = compare(inputs)
        except Exception:
            return False
        return comparison is not None and comparison.mismatch is not None

    # A run may well pass what no draw would be; simpler inputs of it are then not held to the bounds either.
    drawable = [name for name in found.inputs if name in symbols and _is_drawable(symbols[name], found.inputs)]
    if not fails(found.inputs):  # only the whole run fails (state that the statement itself doesn't hold)
        return None
    limits = settings(
        max_examples=_EXAMPLES,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    try:
        with from_seed_alone():
            inputs = find(_simpler(found.inputs, symbols), fails, settings=limits, random=random.Random(0))
    except HypothesisException:
        return None
    return replace(found, inputs=inputs, comparison=compare(inputs), shrunk=True)


def _simpler(inputs: Mapping[str, Any], symbols: Mapping[str, Symbol]) -> Any:
    """A strategy of simpler inputs: axes cut shorter, arrays of 0, of 1, rounded, mixed of these, or as they were."""
    from hypothesis import strategies as st

    axes = {name: _axes(symbols.get(name), value) for name, value in inputs.items()}
    lengths = {dim: size for found in axes.values() for dim, size in found.items()}

    @st.composite
    def simpler(draw: Any) -> dict[str, Any]:
        sizes = {dim: draw(st.integers(1, size)) for dim, size in lengths.items()}
        return {name: _simplified(draw, value, axes[name], sizes) for name, value in inputs.items()}

    return simpler()


def _is_drawable(symbol: Symbol, inputs: Mapping[str, Any]) -> bool:
    """Whether a symbol's value lies in its domain; bounds that can't be worked out from the inputs allow it."""
    value, domain = as_array(inputs[symbol.name]), symbol.domain
    if value is None or value.dtype.kind == "U":
        return True
    if breach(symbol, value):
        return False
    if domain.one_of and not bool(np.isin(value, domain.one_of).all()):
        return False
    known = {name: each for name, each in inputs.items() if isinstance(each, int | float)}
    try:
        low, high = bound(domain.minimum, known), bound(domain.maximum, known)
    except NoDraw:
        return True
    below = low is not None and bool(((value < low) | ("min" in domain.open) & (value == low)).any())
    above = high is not None and bool(((value > high) | ("max" in domain.open) & (value == high)).any())
    return not (below or above)


def _axes(symbol: Symbol | None, value: Any) -> dict[str, int]:
    if symbol is None or not symbol.shape or not isinstance(value, np.ndarray) or value.ndim < len(symbol.shape):
        return {}
    dims = [dim.value for dim in symbol.shape]
    tail = zip(dims[::-1], value.shape[::-1], strict=False)
    return {dim: size for dim, size in tail if dim.isidentifier() and size > 1}


def _simplified(draw: Any, value: Any, axes: Mapping[str, int], sizes: Mapping[str, int]) -> Any:
    from hypothesis import strategies as st

    level = st.integers(0, _ORIGINAL)
    if isinstance(value, float | np.floating):
        return _entry(draw(level), float(value))
    if not isinstance(value, np.ndarray):
        return value
    for axis, length in enumerate(value.shape):
        name = next((dim for dim, size in axes.items() if size == length), None)
        if name is not None:
            value = np.take(value, np.arange(sizes[name]), axis=axis)
    if value.dtype.kind != "f":
        return value
    # The whole array first: a choice for each entry costs Hypothesis seconds where arrays are large.
    whole = draw(st.sampled_from((*range(_ORIGINAL), _MIXED, _ORIGINAL)))
    levels = [draw(level) for _ in range(value.size)] if whole == _MIXED else [whole] * value.size
    entries = [_entry(level, float(each)) for level, each in zip(levels, value.flat, strict=True)]
    return np.array(entries).reshape(value.shape)


def _entry(level: int, original: float) -> float:
    if level == _ORIGINAL or not np.isfinite(original):
        return original
    return (0.0, 1.0, 2.0, float(round(original)))[level]


def describe(found: Counterexample, unnamed: Mapping[str, Any], site: Site, seed: int) -> tuple[str, str]:
    """The message and the hint of a refutation; `unnamed` are parameters that the formula does not name."""
    name = next(iter(site.outputs), "the result")
    mismatch = found.comparison and found.comparison.mismatch
    if mismatch:
        message = f"{told(mismatch, name)} ({_ulps(mismatch.ulps)} off)"
    else:
        message = f"{name} differs from the form in exact arithmetic, though within float64's rounding"
    shown, beside = (
        ", ".join(f"{key} = {shown_value(value)}" for key, value in sorted(each.items()))
        for each in (found.inputs, unnamed)
    )
    beside = f", and {beside}, which the formula does not name" if beside else ""
    kind = "shrunk from" if found.shrunk else "seen in"
    return message, f"inputs: {shown or 'none'}{beside}; {kind} {found.origin}; seed {seed}"


def told(entry: Entry, name: str) -> str:
    """An entry of the left side `name`: its index and both values."""
    index = f"[{', '.join(map(str, entry.index))}]" if entry.index else ""
    return f"{name}{index} is {entry.code!r}, the form says {entry.form!r}"


def brief(inputs: Mapping[str, Any]) -> str:
    """Inputs in short: small ones by their values, larger ones by their shapes."""
    shown = (
        f"{name} of shape {value.shape}"
        if isinstance(value, np.ndarray) and value.size > _BRIEF
        else f"{name} = {_cut(shown_value(value))}"
        for name, value in sorted(inputs.items())
    )
    return ", ".join(shown) or "no inputs"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _ulps(value: float) -> str:
    return "infinitely many ulps" if not np.isfinite(value) else f"{value:.3g} ulps"


def shown_value(value: Any) -> str:
    """A value as a message shows it: large arrays by their first entries, functions by name."""
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__name__))
    if isinstance(value, np.ndarray) and value.size > _SHOWN:
        first = value.ravel()[0]
        if bool((value == first).all()):
            return f"{first.item()!r} everywhere, of shape {value.shape}"
        entries = np.array2string(value.ravel()[:_SHOWN], separator=", ", threshold=_SHOWN).rstrip("]")
        return f"{entries}, ...] of shape {value.shape}"
    return repr(value.tolist()) if isinstance(value, np.ndarray | np.generic) else repr(value)
