"""One run of a forward on dual numbers and of its backward on balls: both sides of the adjoint identity."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

import numpy as np
from flint import arb

from eqtrace.formula.ball import Number, as_arb, ball_of, lift
from eqtrace.run import walk
from eqtrace.run.exact.dual import Dual, Tangent, dual
from eqtrace.run.exact.radius import bound
from eqtrace.run.exact.shadow import Shadows, lift_value
from eqtrace.run.exact.taps import Action, Taps
from eqtrace.run.gradient import arguments
from eqtrace.run.gradient.plan import RESULT, Entry, Plan
from eqtrace.run.sample import Draw
from eqtrace.run.statement import CannotRun

_RANDOM_BITS = 72


class Outcome(Enum):
    """What the difference of the two sides shows."""

    EQUAL = "equal"
    DIFFERENT = "different"
    WIDE = "wide"  # it contains 0, but is too wide to say equal
    OPEN = "open"  # not finite: nothing can be said


def outcome(left: arb, right: arb) -> Outcome:
    """What the difference of two balls shows."""
    difference = left - right
    if not difference.is_finite():
        return Outcome.OPEN
    if not difference.contains(0):
        return Outcome.DIFFERENT
    return Outcome.EQUAL if difference.rad() <= bound(left) else Outcome.WIDE


@dataclass(frozen=True, slots=True)
class Products:
    """Both sides of the identity for one entry; `problem` where the gradient can't stand on the right side at all."""

    left: arb
    right: arb
    overwritten: bool = False  # it holds with the accumulator's value in place of its change
    problem: str = ""

    @property
    def outcome(self) -> Outcome:
        """What their difference shows."""
        return Outcome.DIFFERENT if self.problem else outcome(self.left, self.right)


class Random:
    """Random numbers of 72 bits, the same ones however often a point is run."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._made: dict[tuple[object, tuple[int, ...]], np.ndarray[Any, Any]] = {}

    def array(self, purpose: object, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        """An array of raw arb between -1 and 1, none of them 0."""
        key = (purpose, shape)
        if key not in self._made:
            size = int(np.prod(shape, dtype=int))
            width = _RANDOM_BITS // 8
            data = self._rng.bytes(width * size)
            made = np.empty(size, dtype=object)
            for place in range(size):
                whole = int.from_bytes(data[place * width : (place + 1) * width], "little", signed=True)
                made[place] = arb((whole | 1, 1 - _RANDOM_BITS))
            self._made[key] = made.reshape(shape)
        return self._made[key]


class ExactRun:
    """One run of forward and backward at the precision in force."""

    def __init__(self, plan: Plan, twins: Shadows, taps: Taps, random: Random) -> None:
        self._plan = plan
        self._twins = twins
        self._taps = taps
        self._random = random
        self._tangents: dict[str, np.ndarray[Any, Any]] = {}
        self._kept: dict[str, list[Any]] = {}

    def products(self, draw: Draw) -> dict[str, Products]:
        """Both sides of the identity, by entry."""
        plan = self._plan
        values = {symbol: self._lifted(symbol, draw.values[symbol]) for symbol in plan.symbols}
        forward = arguments.forward_arguments(plan, values, draw.sizes, self._twin)
        if plan.call is not None:
            forward = {name: lift_value(each, _lift, self._twins.adopt) for name, each in forward.items()}
        with self._taps.acting(dict(self._starts())):
            result = arguments.call(self._twins.function(plan.forward.original), plan.forward.original, forward)
        output = _numbers(arguments.output_of(plan, result), "the forward's output")
        cotangent = self._cotangent(output.shape)
        gradients = self._backward(forward, result, cotangent)
        found = {}
        for direction, entry in enumerate(plan.entries):
            self._check_started(entry)
            left = _inner((_change(each, direction) for each in output.flat), cotangent.flat)
            found[entry.name] = self._sides(entry, left, *gradients[entry.name])
        return found

    def _sides(self, entry: Entry, left: arb, gradient: Any, before: Any) -> Products:
        tangent = self._tangents[entry.name]
        after = _numbers(gradient, f"the gradient {entry.text}")
        if after.shape != tangent.shape:
            what = f"{entry.text} has shape {after.shape}, {entry.name} has {tangent.shape}"
            return Products(left, arb.nan(), problem=what)
        raw = [as_arb(each) for each in after.flat]
        whole = _inner(raw, tangent.flat)
        if before is None:
            return Products(left, whole)
        right = whole - _inner([each.arb for each in before.flat], tangent.flat)
        return Products(left, right, outcome(left, whole) is Outcome.EQUAL)

    # --- forward

    def _lifted(self, symbol: str, value: Any) -> Any:
        direction = next((n for n, e in enumerate(self._plan.entries) if e.name == symbol and e.start is None), None)
        if direction is None:
            return lift(value)
        return self._changing(self._plan.entries[direction], direction, value)

    def _changing(self, entry: Entry, direction: int, value: Any) -> Any:
        """A value of the forward with a random tangent added along the entry's direction."""
        array = np.asarray(value)
        if array.dtype.kind not in "fO":
            raise CannotRun(f"{entry.name} is {array.dtype}, which has no derivative")
        tangent = self._random.array(entry.name, array.shape)
        self._tangents[entry.name] = tangent
        made = np.empty(array.size, dtype=object)
        for place, (each, change) in enumerate(zip(array.flat, tangent.flat, strict=True)):
            known: Tangent = each.tangent if isinstance(each, Dual) else {}
            number = each.arb if isinstance(each, Number) else arb(float(each))
            made[place] = dual(number, {**known, direction: change})
        return made.reshape(array.shape) if isinstance(value, np.ndarray) else made[0]

    def _starts(self) -> Iterator[tuple[str, Action]]:
        for direction, entry in enumerate(self._plan.entries):
            if entry.start is not None:
                yield entry.start.key, partial(self._begin, entry, direction)

    def _begin(self, entry: Entry, direction: int, value: Any) -> Any:
        if entry.name in self._tangents:
            raise CannotRun(f"the statement that makes {entry.name} ran more than once in one forward run")
        return self._changing(entry, direction, value)

    def _check_started(self, entry: Entry) -> None:
        for tap in (entry.start, entry.end):
            if tap is not None and tap.key in self._taps.problems:
                raise CannotRun(f"{entry.name}: {self._taps.problems[tap.key]}")
        if entry.name not in self._tangents:
            raise CannotRun(f"the statement that makes {entry.name} did not run")

    def _twin(self, value: Any) -> Any:
        return self._twins.twin(value)

    # --- backward

    def _cotangent(self, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        if not self._plan.factor:
            return self._random.array("cotangent", shape)
        if shape:
            raise CannotRun(f"the cotangent is a number, and the forward's output has shape {shape}")
        made = np.empty((), dtype=object)
        made[()] = arb(self._plan.factor)
        return made

    def _backward(
        self, forward: Mapping[str, Any], result: Any, cotangent: np.ndarray[Any, Any]
    ) -> dict[str, tuple[Any, Any]]:
        """Gradients by entry: the value, and what stood there before where it is added to."""
        plan = self._plan
        seen: dict[int, Any] = {}
        stripped = {name: _still(each, seen) for name, each in forward.items()}
        dY = _balls(cotangent)
        given = arguments.backward_arguments(plan, stripped, _still(result, seen), dY, None)
        if plan.accumulates is not None:
            shapes = {name: tangent.shape for name, tangent in self._tangents.items()}
            given[plan.accumulates] = arguments.accumulators(plan, given, shapes, self._start)
        before = {
            entry.name: np.array(walk.read(entry.place, given), dtype=object)
            for entry in plan.entries
            if entry.accumulated and entry.place is not None
        }
        ends = {entry.end.key: partial(self._keep, entry.name) for entry in plan.entries if entry.end is not None}
        self._kept = {}
        with self._taps.acting(ends):
            returned = arguments.call(self._twins.function(plan.backward.original), plan.backward.original, given)
        namespace = {**given, RESULT: returned}
        return {entry.name: (self._gradient(entry, namespace), before.get(entry.name)) for entry in plan.entries}

    def _start(self, name: object, shape: tuple[int, ...]) -> Any:
        return _balls(self._random.array(("start", name), shape)).copy()

    def _keep(self, name: str, value: Any) -> Any:
        self._kept.setdefault(name, []).append(np.array(value, dtype=object))
        return value

    def _gradient(self, entry: Entry, namespace: Mapping[str, Any]) -> Any:
        if entry.place is not None:
            return walk.read(entry.place, namespace)
        kept = self._kept.get(entry.name, [])
        if len(kept) != 1:
            raise CannotRun(f"the statement that makes {entry.text} ran {len(kept)} times in one backward run")
        return kept[0]


_balls = np.frompyfunc(ball_of, 1, 1)


def _lift(value: Any) -> Any:
    return value if isinstance(value, np.ndarray) and value.dtype == object else lift(value)


def _inner(left: Any, right: Any) -> arb:
    total = arb(0)
    for x, y in zip(left, right, strict=True):
        total += x * y
    return total


def _change(value: Any, direction: int) -> arb:
    return value.tangent.get(direction, _NOTHING) if type(value) is Dual else _NOTHING


_NOTHING = arb(0)


def _numbers(value: Any, what: str) -> np.ndarray[Any, Any]:
    array = np.asarray(value)
    entries = array.flat if array.dtype == object else ()
    if array.dtype.kind not in "fiubO" or any(as_arb(each) is None and not isinstance(each, Dual) for each in entries):
        raise CannotRun(f"{what} is no array of numbers")
    return array


def _still(value: Any, seen: dict[int, Any]) -> Any:
    """A value without its tangents; what is one object stays one."""
    if type(value) is Dual:
        return value.ball
    if id(value) in seen:
        return seen[id(value)][0]
    found: Any
    if isinstance(value, np.ndarray):
        found = np.array(_STILL(value), dtype=object) if value.dtype == object else value.copy()
    elif isinstance(value, dict):
        found = {key: _still(each, seen) for key, each in value.items()}
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        found = type(value)(*(_still(each, seen) for each in value))
    elif isinstance(value, list | tuple):
        found = type(value)([_still(each, seen) for each in value])
    else:
        found = _still_object(value, seen)
    seen[id(value)] = (found, value)  # the value stays alive, so that no id is used twice
    return found


_STILL = np.frompyfunc(lambda each: each.ball if type(each) is Dual else each, 1, 1)


def _still_object(value: Any, seen: dict[int, Any]) -> Any:
    attributes = getattr(value, "__dict__", None)
    if not isinstance(attributes, dict) or isinstance(value, type) or callable(value):
        return value
    clone = copy.copy(value)
    clone.__dict__.update({name: _still(each, seen) for name, each in attributes.items()})
    return clone
