"""The adjoint identity <dY, J dx> = <J^T dY, dx>, in dual balls.

J dx is the tangent of the code's own forward; J^T dY is what the code's own backward gives. Both sides are linear in
the cotangent dY and in the tangent dx, so where J^T is wrong anywhere, random ones of 64 bits tell with all but a
probability below 2^-62. Each entry of `wrt` is a direction of its own: one forward run serves them all.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

import numpy as np
from flint import arb

from eqtrace.formula.ball import Number, Undecided, as_arb, ball_of, lift, no_floats, precision
from eqtrace.run import walk
from eqtrace.run.exact.dual import Dual, Kink, Tangent, beside, dual
from eqtrace.run.exact.radius import bound
from eqtrace.run.exact.shadow import Constants, Shadows, lift_value
from eqtrace.run.exact.taps import Action, Taps
from eqtrace.run.gradient import arguments
from eqtrace.run.gradient.plan import RESULT, Entry, Plan
from eqtrace.run.sample import Draw
from eqtrace.run.statement import CannotRun

BITS = (128, 256, 512, 1024)
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


class Shown(Enum):
    """What one point shows of one entry."""

    CERTIFIED = "certified"
    TO_CONSTANTS = "certified to constants"
    REFUTED = "refuted"
    KINK = "kink"  # the identity depends on the side that a case is taken from
    SINGULAR = "singular"  # a derivative is not finite here
    OFF_CONSTANT = "a constant"  # a constant differs by more than half an ulp, and no more than four
    WIDE = "wide"


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


@dataclass(frozen=True, slots=True)
class Point:
    """What one draw shows, by entry."""

    draw: Draw
    shown: Mapping[str, Shown]
    products: Mapping[str, Products]


class Identity:
    """Runs one gradient in balls.

    Args:
        plan: the gradient.
        twins: exact twins of the user's code, for each way to take constants.
        taps: the taps in those twins.
    """

    def __init__(self, plan: Plan, twins: Mapping[Constants, Shadows], taps: Taps) -> None:
        self._plan = plan
        self._twins = twins
        self._taps = taps

    def at(self, draw: Draw, rng: np.random.Generator) -> Point:
        """Holds the two sides against each other at one draw of the inputs.

        Raises:
            CannotRun: forward or backward does not run in balls.
        """
        random = _Random(rng)
        try:
            products = self._exactly(draw, random, Constants.HALF_ULP)
        except Undecided:
            return self._beside(draw, random)
        shown = {name: _SHOWN.get(each.outcome) for name, each in products.items()}
        if None in shown.values():
            shown |= self._by_constants(draw, random, products)
        return Point(draw, {name: each or Shown.WIDE for name, each in shown.items()}, products)

    def _beside(self, draw: Draw, random: _Random) -> Point:
        """At a kink: what holds on both sides of it holds, and of the rest nothing is said."""
        sides: list[Mapping[str, Products]] = []
        for side in (1, -1):
            try:
                with beside(side):
                    sides.append(self._exactly(draw, random, Constants.HALF_ULP))
            except Undecided:
                sides.append({})
        shown = {}
        for entry in self._plan.entries:
            both = [side[entry.name].outcome if entry.name in side else None for side in sides]
            certain = all(each is Outcome.EQUAL for each in both)
            shown[entry.name] = Shown.CERTIFIED if certain else Shown.KINK
        return Point(draw, shown, sides[0])

    def _by_constants(self, draw: Draw, random: _Random, products: Mapping[str, Products]) -> dict[str, Shown | None]:
        """Whether the module's constants are all that keeps the sides apart or their difference wide."""
        found: dict[str, Shown | None] = {}
        fixed = self._exactly(draw, random, Constants.EXACT)
        near = self._exactly(draw, random, Constants.WIDE, BITS[:1])
        for name, each in products.items():
            if each.outcome is Outcome.WIDE and _is_narrow(fixed[name]):
                found[name] = Shown.TO_CONSTANTS
            elif each.outcome is Outcome.DIFFERENT:
                apart = each.problem or near[name].outcome is Outcome.DIFFERENT
                found[name] = Shown.REFUTED if apart else Shown.OFF_CONSTANT
        return found

    def _exactly(
        self, draw: Draw, random: _Random, constants: Constants, widths: tuple[int, ...] = BITS
    ) -> Mapping[str, Products]:
        """Both sides by entry, at the first precision at which none is too wide.

        Raises:
            Undecided: a comparison, at the highest precision that is worth a try.
        """
        for bits in widths:
            try:
                with precision(bits), np.errstate(all="ignore"), no_floats():
                    products = _Run(self._plan, self._twins[constants], self._taps, random).products(draw)
            except Kink:
                raise
            except Undecided:
                if bits == widths[-1]:
                    raise
                continue
            except CannotRun:
                raise
            except BaseException as error:
                raise CannotRun(_reason(error)) from error
            if all(each.outcome is not Outcome.WIDE for each in products.values()):
                break
        return products


def _is_narrow(products: Products) -> bool:
    return products.outcome in (Outcome.EQUAL, Outcome.DIFFERENT)


_SHOWN = {Outcome.EQUAL: Shown.CERTIFIED, Outcome.OPEN: Shown.SINGULAR}


def _reason(error: BaseException) -> str:
    text = str(error).splitlines()[0] if str(error) else ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class _Random:
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


class _Run:
    """One run of forward and backward at the precision in force."""

    def __init__(self, plan: Plan, twins: Shadows, taps: Taps, random: _Random) -> None:
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

    def _start(self, shape: tuple[int, ...]) -> Any:
        return _balls(self._random.array(("start", shape), shape)).copy()

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
