"""The unchanged code in float64, decorators included: side effects, a second run, and central differences.

Central differences are an independent cross-check, never the proof. With steps h and h/2 an entry's tolerance is

- 1e-6 of the gradient's largest entry: far above the rounding of a well-conditioned sum (about 1e-10), far below any
  wrong factor that is worth a second opinion;
- 3 |D(h) - D(h/2)|: truncation falls by four when the step is halved, so a third of this is left in D(h/2);
- |2 S(h/2) - S(h)|, where S is the difference of the one-sided quotients: that of a smooth function is proportional to
  the step, that of a kink is not;
- the rounding of 64 operations on the output, and on products of two inputs of the largest size, over the step.

With the first part alone, at 1e-7, 42 of 100 correct runs of attention failed. If the other parts come to more than
a thousandth of the largest entry, a kink lies within the step (or the function bends too much for it): the entry is
left out, and counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eqtrace.run import walk
from eqtrace.run.gradient import arguments
from eqtrace.run.gradient.plan import RESULT, Entry, Plan
from eqtrace.run.sample import Draw
from eqtrace.run.snapshot import Copier, equal
from eqtrace.run.statement import CannotRun

RELATIVE = 1e-6
STEP = 6e-6  # the cube root of the rounding unit, times the input's size
LOOSEST = 1e-3
ENTRIES = 24  # of each input, that are differenced at one draw where nothing else shows the gradient
FEW = 8  # where the identity does
_EPS = float(np.finfo(float).eps)

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Difference:
    """An entry of a gradient that central differences contradict."""

    entry: Entry
    index: tuple[int, ...]
    code: float
    difference: float
    tolerance: float


@dataclass(frozen=True, slots=True)
class Differenced:
    """What central differences show of one entry of `wrt` at one draw."""

    compared: int = 0
    kinks: int = 0
    worst: Difference | None = None


class Floats:
    """Runs one gradient's functions as they are, with arrays of float64."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    # --- one run

    def _forward(self, values: Mapping[str, Any], sizes: Mapping[str, int]) -> tuple[dict[str, Any], Any]:
        given = arguments.forward_arguments(self._plan, Copier().copy(dict(values)), sizes, lambda value: value)
        return given, arguments.call(self._plan.forward.public, self._plan.forward.original, given)

    def _cotangent(self, output: Any, rng: np.random.Generator) -> Any:
        if self._plan.factor:
            return float(self._plan.factor)
        drawn = rng.standard_normal(np.shape(output))
        return drawn if np.shape(output) else float(drawn)

    def _prepared(self, draw: Draw, rng: np.random.Generator) -> tuple[dict[str, Any], Any, Any]:
        """The forward's arguments and result, and a cotangent."""
        given, result = self._forward(draw.values, draw.sizes)
        return given, result, self._cotangent(arguments.output_of(self._plan, result), rng)

    def _backward_arguments(
        self, draw: Draw, given: Mapping[str, Any], result: Any, cotangent: Any, rng: np.random.Generator
    ) -> dict[str, Any]:
        plan = self._plan
        found = arguments.backward_arguments(plan, given, result, cotangent, None)
        if plan.accumulates is not None:
            shapes = {name: np.shape(value) for name, value in draw.values.items()}
            known = {entry.name for entry in plan.entries if entry.accumulated}
            if not known <= shapes.keys():
                raise CannotRun("the accumulators' shapes are not known")
            start = arguments.accumulators(plan, found, shapes, lambda _, shape: rng.standard_normal(shape))
            found[plan.accumulates] = start
        return found

    def _run(self, given: Mapping[str, Any]) -> Any:
        return arguments.call(self._plan.backward.public, self._plan.backward.original, given)

    # --- side effects

    def effects(self, draw: Draw, rng: np.random.Generator) -> list[tuple[str, str]]:
        """What forward and backward change that they have no business to change, as (kind, message).

        Raises:
            Exception: whatever the user's code raises.
        """
        plan, found = self._plan, []
        given = arguments.forward_arguments(plan, Copier().copy(dict(draw.values)), draw.sizes, lambda value: value)
        before = Copier().copy(given)
        result = arguments.call(plan.forward.public, plan.forward.original, given)
        found += _changed(plan.forward.qualname, before, given, "self")
        cotangent = self._cotangent(arguments.output_of(plan, result), rng)
        own = self._backward_arguments(draw, given, result, cotangent, rng)
        start = Copier().copy(own)
        first = self._run(own)
        found += _narrowed(plan, start, {**own, RESULT: first})
        after = {name: value for name, value in own.items() if name not in (plan.accumulates, "self")}
        found += _changed(plan.backward.qualname, start, after, "")
        kept = Copier().copy(first)
        again = Copier().copy(start)  # nothing of it is the first run's
        second = self._run(again)
        if any(np.shares_memory(one, other) for one in _arrays(first) for other in _arrays(second)):
            message = f"a second run of {plan.backward.qualname} writes into the first one's result: both share memory"
            found.append(("unrepeatable-gradient", message))
        elif not equal(kept, second) or not equal(own, again):
            message = f"{plan.backward.qualname} gives another result when it is run again on the same arguments"
            found.append(("unrepeatable-gradient", message))
        return found

    # --- central differences

    def differences(self, draw: Draw, rng: np.random.Generator, most: int = ENTRIES) -> dict[str, Differenced]:
        """Differences every input's gradient number by number, `most` of each at most."""
        plan = self._plan
        given, result, cotangent = self._prepared(draw, rng)
        output = arguments.output_of(plan, result)
        own = self._backward_arguments(draw, given, result, cotangent, rng)
        start = Copier().copy(own)
        namespace = {**own, RESULT: self._run(own)}
        found: dict[str, Differenced] = {}
        for entry in plan.entries:
            if entry.start is not None or entry.place is None or entry.name not in draw.values:
                continue
            gradient = np.asarray(walk.read(entry.place, namespace), dtype=float)
            if entry.accumulated:
                gradient = gradient - np.asarray(walk.read(entry.place, start), dtype=float)
            found[entry.name] = self._entry(entry, gradient, draw, np.asarray(output), np.asarray(cotangent), rng, most)
        return found

    def _entry(
        self,
        entry: Entry,
        gradient: Array,
        draw: Draw,
        output: Array,
        cotangent: Array,
        rng: np.random.Generator,
        most: int,
    ) -> Differenced:
        value = np.asarray(draw.values[entry.name], dtype=float)
        if gradient.shape != value.shape or not np.all(np.isfinite(gradient)):
            return Differenced()
        largest = float(np.max(np.abs(gradient), initial=0.0))
        sizes = [float(np.max(np.abs(each), initial=0.0)) for each in draw.values.values() if _is_float(each)]
        biggest = max([1.0, *sizes])
        noise = 64 * _EPS * float(np.sum(np.abs(cotangent) * (np.abs(output) + biggest**2)))
        places = list(np.ndindex(value.shape))
        if len(places) > most:
            places = [places[number] for number in sorted(rng.choice(len(places), most, replace=False))]
        compared, kinks = 0, 0
        worst: Difference | None = None
        for index in places:
            step = STEP * max(1.0, abs(float(value[index])))
            quotient, loose = self._quotient(entry, index, step, draw, output, cotangent)
            rounding = noise / step
            if not loose <= LOOSEST * largest + 4 * rounding:
                kinks += 1
                continue
            compared += 1
            tolerance = RELATIVE * largest + loose + rounding
            error = abs(quotient - float(gradient[index]))
            if error > tolerance and (worst is None or error > abs(worst.difference - worst.code)):
                worst = Difference(entry, index, float(gradient[index]), quotient, tolerance)
        return Differenced(compared, kinks, worst)

    def _quotient(
        self, entry: Entry, index: tuple[int, ...], step: float, draw: Draw, output: Array, cotangent: Array
    ) -> tuple[float, float]:
        """D(h/2), and what its tolerance gets from truncation and kinks."""

        def change(shift: float) -> float:
            moved = np.array(draw.values[entry.name], dtype=float)
            moved[index] += shift
            value = moved if isinstance(draw.values[entry.name], np.ndarray) else float(moved)
            _, result = self._forward({**draw.values, entry.name: value}, draw.sizes)
            there = np.asarray(arguments.output_of(self._plan, result), dtype=float)
            return float(np.sum(cotangent * (there - output)))

        up, down, half_up, half_down = map(change, (step, -step, step / 2, -step / 2))
        whole, half = (up - down) / (2 * step), (half_up - half_down) / step
        bent = abs(4 * (half_up + half_down) - (up + down)) / step
        return half, 3 * abs(whole - half) + bent


def _is_float(value: Any) -> bool:
    return np.asarray(value).dtype.kind == "f"


def _arrays(value: Any) -> list[Array]:
    if isinstance(value, dict):
        return _arrays(list(value.values()))
    if isinstance(value, list | tuple):
        return [array for each in value for array in _arrays(each)]
    return [value] if isinstance(value, np.ndarray) else []


def _narrowed(plan: Plan, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Gradients of fewer digits than what they are worked out from: exact balls have all, and don't show it."""
    given = [array.dtype for array in _arrays(dict(before)) if array.dtype.kind == "f"]
    digits = min((np.finfo(each).precision for each in given), default=0)
    found = []
    for entry in plan.entries:
        if entry.start is None and entry.place is not None:
            try:
                kind = np.asarray(walk.read(entry.place, after)).dtype
            except (LookupError, AttributeError, TypeError):  # what looks at the values tells of that
                continue
            if kind.kind == "f" and np.finfo(kind).precision < digits:
                message = f"{entry.text} of {plan.backward.qualname} is {kind}: it loses digits of what it is given"
                found.append(("adjoint-mismatch", message))
    return found


def _changed(function: str, before: Mapping[str, Any], after: Mapping[str, Any], exempt: str) -> list[tuple[str, str]]:
    return [
        ("argument-changed", f"{function} changes its argument `{name}` in place")
        for name, value in after.items()
        if name != exempt and not equal(before[name], value)
    ]
