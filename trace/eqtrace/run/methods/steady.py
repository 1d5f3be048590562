"""Whether a difference of code and form is theirs, or comes from the rounding of the values that they were given.

What a line reads was mostly computed before it, so it obeys its own equations only up to rounding: rows of
probabilities add up to 1 within an ulp, a captured mean is not the exact mean. Code may rely on such an equation where
the form does not, and is right all the same, though exact arithmetic on the captured values tells them apart. Moving
the inputs by far less than any fault is concerned with decides: what is theirs hardly changes, what comes from rounding
changes by its own size and more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from flint import arb

from eqtrace.code.bind import parse_right
from eqtrace.run import walk
from eqtrace.run.record import Event
from eqtrace.run.site import Site
from eqtrace.run.snapshot import Copier

_MOVED = 2.0**-46  # of each value: 64 ulps, more than a short computation rounds and less than a fault is small
_TRIES = 3

Differences = Callable[[Event], list[arb]]


def is_steady(differences: Differences, event: Event, site: Site) -> bool:
    """Whether some entry's difference stays the same, to half of it, while the inputs move a little."""
    rng = np.random.default_rng(0)
    before = differences(event)
    moved = [differences(nudged(event, site, rng)) for _ in range(_TRIES)]
    return any(
        not difference.contains(0) and all(_stays(difference, others[number : number + 1]) for others in moved)
        for number, difference in enumerate(before)
    )


def _stays(before: arb, after: list[arb]) -> bool:
    if not before.is_finite():
        return any(not each.is_finite() for each in after)
    return any(each.is_finite() and bool(abs(each - before) < abs(before) / 2) for each in after)


def nudged(event: Event, site: Site, rng: np.random.Generator) -> Event:
    """An execution with its symbols' floats moved, each by its own small factor."""
    namespace = Copier().copy(event.namespace)
    nodes = {symbol: parse_right(text) for symbol, text in site.inputs.items()}
    for symbol, node in nodes.items():
        walk.assign(node, namespace, _nudged(event.inputs.get(symbol), rng))
    inputs = dict(event.inputs)
    for symbol, node in nodes.items():
        try:
            inputs[symbol] = Copier().copy(walk.read(node, namespace))
        except walk.WalkError:
            continue
    return replace(event, inputs=inputs, namespace=namespace)


def _nudged(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return (value * (1 + _MOVED * rng.uniform(-1, 1, value.shape))).astype(value.dtype)
    return value * (1 + _MOVED * rng.uniform(-1, 1)) if isinstance(value, float) else value
