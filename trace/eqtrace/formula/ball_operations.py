"""Operations on raw `arb`, elementwise in object arrays: faster than Ball, and just as strict in its decisions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from eqtrace.formula import arbs
from eqtrace.formula.arithmetic import Balls, Mask, Operations, Value, anywhere, integers, is_array, is_integer
from eqtrace.formula.ball import Ball, half_ulp, precision
from eqtrace.formula.failures import EvaluationError, Undecided

_ARB = np.frompyfunc(arb, 1, 1)
_BALL = np.frompyfunc(arb, 2, 1)
_PLAIN = np.frompyfunc(lambda x: x.is_finite() and not x.contains(0), 1, 1)
_ORDER = np.frompyfunc(arbs.order, 2, 1)
_POWER = np.frompyfunc(arbs.power, 2, 1)
_FLOOR = np.frompyfunc(arbs.floor, 1, 1)
_EXTREME: dict[str, Any] = {"Max": np.frompyfunc(arb.max, 2, 1), "Min": np.frompyfunc(arb.min, 2, 1)}
_FLOATS = np.frompyfunc(float, 1, 1)
_LARGE = 2**62
EXACTLY = 256  # bits at which what a function of the code is given is worked out, before it is rounded


def _over_array(function: Callable[[arb], arb]) -> Callable[[Value], Value]:
    ufunc = np.frompyfunc(function, 1, 1)
    return lambda value: ufunc(value) if is_array(value) else function(value)


def _clipped(function: Callable[[arb], arb], low: int, high: int | None) -> Callable[[Value], Value]:
    """A monotone function whose arguments lie in its domain, though their balls may reach past its ends.

    A true value past the end makes the code's own result NaN, which equals nothing.
    """

    def within(x: arb) -> arb:
        if not x.contains(low) and not (high is not None and x.contains(high)):
            return function(x)
        first = arb(low) if x.contains(low) else x.lower()
        last = arb(high) if high is not None and x.contains(high) else x.upper()
        return function(first).union(function(last))

    return _over_array(within)


_FUNCTIONS = {name: _over_array(function) for name, function in arbs.FUNCTIONS.items()} | {
    "sqrt": _clipped(arb.sqrt, 0, None),
    "asin": _clipped(arb.asin, -1, 1),
    "acos": _clipped(arb.acos, -1, 1),
    "acosh": _clipped(arb.acosh, 1, None),
}


class BallOperations(Operations):
    """Reals are arb; comparisons and floors that are not decided are kinks, or raise Undecided."""

    def __init__(self, balls: Balls) -> None:
        super().__init__()
        self.balls = balls
        self.ways = balls.ways

    def lift(self, value: object, *, widen: bool) -> Value:
        """An input: floats exact, or with `widen` as wide as half an ulp to each side; zeros are exact."""
        if isinstance(value, str):
            return value
        if isinstance(value, bool | int | np.integer | np.bool_):
            return int(value)
        if isinstance(value, Ball | arb):
            return value.arb if isinstance(value, Ball) else value
        if isinstance(value, float):
            return half_ulp(value).arb if widen else arb(value)
        array = np.asarray(value)
        if array.dtype.kind in "biu":
            array = integers(array)
        elif array.dtype.kind == "f" and array.dtype.itemsize <= 8:
            array = _widened(array) if widen else np.asarray(_ARB(array.astype(np.float64)), dtype=object)
        elif array.dtype.kind == "O":
            if not array.ndim and array is not value:  # NumPy takes it as one thing of which it knows nothing
                raise EvaluationError(f"values of {type(value).__name__} have no exact balls")
            array = self._from_objects(array, widen=widen)
        elif array.dtype.kind != "U":
            raise EvaluationError(f"values of {array.dtype} have no exact balls")
        return array if array.ndim else array.item()

    def rounded(self, work: Callable[[], Value]) -> Any:
        """The middle at a high precision, to the nearest float."""
        with precision(EXACTLY):
            value = work()
        if isinstance(value, arb):
            return float(value)
        return np.asarray(_FLOATS(value), dtype=np.float64) if is_array(value) and value.dtype == object else value

    def _from_objects(self, array: np.ndarray[Any, Any], *, widen: bool) -> np.ndarray[Any, Any]:
        entries = [self.lift(entry, widen=widen) for entry in array.ravel()]
        if any(is_array(entry) for entry in entries):
            raise EvaluationError("an array of arrays has no axes to subscript")
        if all(isinstance(entry, int) for entry in entries):
            return np.array(entries, dtype=np.int64).reshape(array.shape)
        if all(isinstance(entry, str) for entry in entries):
            return np.array(entries, dtype=str).reshape(array.shape)
        lifted = np.empty(len(entries), dtype=object)
        lifted[:] = [arb(entry) for entry in entries]
        return lifted.reshape(array.shape)

    def real(self, value: Value) -> Value:
        """Integers as balls."""
        if not is_integer(value):
            return value
        return _objects(_ARB(value)) if is_array(value) else arb(value)

    def number(self, value: Fraction) -> Value:
        """The ball of a rational."""
        return arbs.of_fraction(value)

    def constant(self, name: str) -> Value:
        """pi, oo or nan."""
        return {"pi": arb.pi, "oo": arb.pos_inf, "nan": arb.nan}[name]()

    def function(self, name: str, arguments: list[Value]) -> Value:
        """An elementary function."""
        values = [self.real(argument) for argument in arguments]
        if name in ("atan2", "beta"):
            return _pairwise(arbs.atan2 if name == "atan2" else arbs.beta, *values)
        if name == "log" and len(values) == 2:
            return self.divide(_FUNCTIONS["log"](values[0]), _FUNCTIONS["log"](values[1]))
        return _FUNCTIONS[name](values[0])

    def real_power(self, base: Value, exponent: Value) -> Value:
        """A power; integer exponents of finite balls go the quick way."""
        if isinstance(exponent, int) and is_array(base) and bool(np.all(_PLAIN(base))):
            return base**exponent
        if not is_array(exponent) and exponent == 0.5:
            return _FUNCTIONS["sqrt"](base)
        if is_array(base) or is_array(exponent):
            return _objects(_POWER(base, exponent if isinstance(exponent, int) else self.real(exponent)))
        return arbs.power(base, exponent)

    def real_extreme(self, name: str, left: Value, right: Value) -> Value:
        """Max or Min as the ball that holds it."""
        if is_array(left) or is_array(right):
            return _objects(_EXTREME[name](left, right))
        return arbs.maximum(left, right) if name == "Max" else arbs.minimum(left, right)

    def extreme_over(self, name: str, value: Value, axis: int) -> Value:
        """Max or Min along an axis."""
        return _EXTREME[name].reduce(self.real(value), axis=axis, keepdims=True)

    # Decisions

    def real_floor(self, value: Value, mask: Mask) -> Value:
        """Floor; a ball around an integer is a kink of which `low` takes the integer below it."""
        if not is_array(value):
            return self._one_floor(value, arbs.floor(value), wanted=anywhere(mask))
        found: Any = _FLOOR(value)
        wanted = np.broadcast_to(True if mask is None else mask, np.broadcast_shapes(value.shape, np.shape(mask)))
        if wanted.shape != value.shape:
            value, found = np.broadcast_to(value, wanted.shape), np.broadcast_to(found, wanted.shape)
        entries = [
            self._one_floor(*entry[:2], wanted=bool(entry[2]))
            for entry in zip(value.ravel(), found.ravel(), wanted.ravel(), strict=True)
        ]
        if all(isinstance(entry, int) and abs(entry) < _LARGE for entry in entries):
            return np.array(entries, dtype=np.int64).reshape(value.shape)
        return _objects(np.array([arb(entry) for entry in entries], dtype=object).reshape(value.shape))

    def _one_floor(self, value: arb, found: int | None, *, wanted: bool) -> Any:
        if found is not None:
            return found
        if not wanted:
            return 0
        if arbs.is_infinite(value):
            return value
        high = arbs.floor(value.upper()) if value.is_finite() and value.rad() < 0.5 else None
        if high is None or not self.balls.widen:
            raise Undecided(f"floor of {Ball(value)}")
        self.kinks += 1
        return high - 1 if self.balls.kinks == "low" else high

    def real_compare(self, operator: str, left: Value, right: Value, mask: Mask) -> Mask:
        """A comparison; where the difference may be 0 or not, `low` takes it as negative and `high` as positive."""
        if not is_array(left) and not is_array(right):
            order = arbs.order(arb(left), arb(right))
            return _HOLDS[operator](self._kink(left, right) if order is None and anywhere(mask) else order or 0)
        less, more, same = np.less(left, right), np.greater(left, right), np.equal(left, right)
        open_ = ~(less | more | same)
        if open_.any():
            left, right = self.real(left), self.real(right)
            left, right = np.broadcast_to(left, open_.shape), np.broadcast_to(right, open_.shape)
            for place in zip(*np.nonzero(open_), strict=True):
                order = arbs.order(left[place], right[place])
                if order is None:
                    wanted = mask is None or _wanted_at(mask, place, open_.shape)
                    order = self._kink(left[place], right[place]) if wanted else 0
                less[place], more[place], same[place] = order < 0, order > 0, order == 0
        return {"<": less, ">": more, "==": same, "<=": less | same, ">=": more | same, "!=": ~same}[operator]

    def _kink(self, left: Any, right: Any) -> int:
        left, right = arb(left), arb(right)
        if not self.balls.widen or left.is_nan() or right.is_nan():
            raise Undecided(f"{Ball(left)} against {Ball(right)}")
        self.kinks += 1
        return -1 if self.balls.kinks == "low" else 1

    def first_extreme(self, name: str, value: Value, axis: int, mask: Mask) -> Value:
        """First place of the Max or Min along an axis; of several within rounding `low` takes the first."""
        wanted = np.moveaxis(np.broadcast_to(mask, value.shape), axis, -1)
        rows = np.moveaxis(self.real(value) if name == "Max" else -self.real(value), axis, -1)
        found = np.empty(rows.shape[:-1], dtype=np.int64)
        for place in np.ndindex(found.shape):
            found[place] = self._first_largest(rows[place], wanted[place])
        return np.expand_dims(found, axis)

    def _first_largest(self, row: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> int:
        places = [int(place) for place in np.nonzero(wanted)[0]]
        best = [place for place in places if not any(arbs.order(row[place], row[other]) == -1 for other in places)]
        if not best:
            return 0
        if all(arbs.order(row[best[0]], row[place]) == 0 for place in best[1:]):
            return best[0]
        self._kink(row[best[0]], row[best[1]])
        return best[0] if self.balls.kinks == "low" else best[-1]


_HOLDS: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
    "==": lambda order: order == 0,
    "!=": lambda order: order != 0,
}


def _wanted_at(mask: Mask, place: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    array = np.asarray(mask)
    full = np.broadcast_shapes(array.shape, shape)
    if full == shape:
        return bool(np.broadcast_to(array, shape)[place])
    # The mask has longer axes than the comparison: wanted if it is anywhere along them.
    lead = len(full) - len(shape)
    index = tuple(slice(None) if shape[axis] != full[axis + lead] else place[axis] for axis in range(len(shape)))
    return bool(np.broadcast_to(array, full)[(..., *index)].any())


def _widened(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Each entry with half an ulp of its own type to each side; zeros, infinities and NaN exact."""
    with np.errstate(invalid="ignore"):
        half = np.spacing(np.abs(array)).astype(np.float64) / 2
    exact = ~np.isfinite(array) | (array == 0)
    half[half == 0] = 5e-324  # the half ulp of the smallest numbers is no float
    half[exact] = 0.0
    return _objects(_BALL(array.astype(np.float64), half))


def _objects(value: Any) -> np.ndarray[Any, Any]:
    return value if isinstance(value, np.ndarray) else np.asarray(value, dtype=object)


def _pairwise(function: Callable[[arb, arb], arb], left: Value, right: Value) -> Value:
    if is_array(left) or is_array(right):
        return np.frompyfunc(function, 2, 1)(left, right)
    return function(left, right)
