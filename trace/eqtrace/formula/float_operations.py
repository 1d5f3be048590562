"""Operations on float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from eqtrace.formula.arithmetic import COMPARE, Mask, Operations, Value, choose, integers, is_array, is_integer
from eqtrace.formula.failures import EvaluationError

_LARGE = 2.0**53
_WORTH_CONTRACTING = 4096


def _elementwise(function: Callable[[float], float]) -> Callable[[Any], Any]:
    def guarded(x: float) -> float:
        try:
            return function(x)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return np.vectorize(guarded, otypes=[np.float64])


def digamma(x: float) -> float:
    """Derivative of the logarithm of the gamma function: recurrence up to 10, then the asymptotic series."""
    if x <= 0 and x == math.floor(x):
        return math.nan
    if x < 0:
        return digamma(1 - x) - math.pi / math.tan(math.pi * x)
    shift = 0.0
    while x < 10:
        shift -= 1 / x
        x += 1
    inverse = 1 / (x * x)
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse / 132))))
    return shift + math.log(x) - 0.5 / x - series


_lgamma = _elementwise(lambda x: math.lgamma(x) if x > 0 else math.nan)

_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "log2": np.log2, "log10": np.log10,
    "sqrt": np.sqrt, "cbrt": np.cbrt, "Abs": np.abs, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "erf": _elementwise(math.erf), "erfc": _elementwise(math.erfc),
    "gamma": _elementwise(math.gamma), "loggamma": _lgamma, "digamma": _elementwise(digamma),
    "factorial": _elementwise(lambda x: math.gamma(x + 1)),
}  # fmt: skip


class FloatOperations(Operations):
    """Reals are float64; decisions are made on them as they are."""

    def lift(self, value: object, *, widen: bool) -> Value:
        """An input; balls give their middle."""
        if isinstance(value, str):
            return value
        if isinstance(value, bool | int | np.integer | np.bool_):
            return int(value)
        if isinstance(value, float | np.floating):
            return np.float64(value)
        array = np.asarray(value)
        if array.dtype.kind in "biu":
            array = integers(array)
        elif array.dtype.kind == "f":
            array = array.astype(np.float64, copy=False)
        elif array.dtype.kind == "O":
            array = _from_objects(array)
        elif array.dtype.kind != "U":
            raise EvaluationError(f"values of {array.dtype} are no reals")
        return array if array.ndim else array.item() if array.dtype.kind in "iU" else array[()]

    def rounded(self, work: Callable[[], Value]) -> Any:
        """As in exact arithmetic, but for the roundings on the way."""
        return work()

    def real(self, value: Value) -> Value:
        """Integers as floats."""
        if not is_integer(value):
            return value
        if is_array(value):
            return value.astype(np.float64)
        try:
            return np.float64(value)
        except OverflowError:
            return np.float64(math.copysign(math.inf, value))

    def number(self, value: Fraction) -> Value:
        """The nearest float."""
        try:
            return np.float64(float(value))
        except OverflowError:
            return np.float64(math.copysign(math.inf, value))

    def constant(self, name: str) -> Value:
        """pi, oo or nan."""
        return np.float64({"pi": math.pi, "oo": math.inf, "nan": math.nan}[name])

    def function(self, name: str, arguments: list[Value]) -> Value:
        """An elementary function."""
        values = [self.real(argument) for argument in arguments]
        if name == "atan2":
            return np.arctan2(*values)
        if name == "beta":
            a, b = values
            gamma = _FUNCTIONS["gamma"]
            return gamma(a) * gamma(b) / gamma(a + b)
        if name == "log" and len(values) == 2:
            return np.log(values[0]) / np.log(values[1])
        return _FUNCTIONS[name](values[0])

    def real_power(self, base: Value, exponent: Value) -> Value:
        """A power."""
        return base ** (float(exponent) if isinstance(exponent, int) and abs(exponent) > 2 else exponent)

    def real_extreme(self, name: str, left: Value, right: Value) -> Value:
        """Max or Min; a NaN stays."""
        return (np.maximum if name == "Max" else np.minimum)(left, right)

    def real_floor(self, value: Value, mask: Mask) -> Value:
        """Floor."""
        floor = np.floor(value)
        if is_array(floor):
            return floor.astype(np.int64) if bool((np.abs(floor) < _LARGE).all()) else floor
        return int(floor) if abs(floor) < _LARGE else floor

    def real_compare(self, operator: str, left: Value, right: Value, mask: Mask) -> Mask:
        """A comparison; nothing compares with NaN."""
        return COMPARE[operator](left, right)

    def extreme_over(self, name: str, value: Value, axis: int) -> Value:
        """Max or Min along an axis."""
        return (np.maximum if name == "Max" else np.minimum).reduce(value, axis=axis, keepdims=True)

    def first_extreme(self, name: str, value: Value, axis: int, mask: Mask) -> Value:
        """First place of the Max or Min along an axis."""
        worst = -math.inf if name == "Max" else math.inf
        wanted = choose(mask, value, worst) if mask is not True else value
        return (np.argmax if name == "Max" else np.argmin)(wanted, axis=axis, keepdims=True)

    def contract(self, left: Value, right: Value, axis: int) -> Value | None:
        """A product summed by einsum where the product would be a large array."""
        shape = np.broadcast_shapes(left.shape, right.shape)
        if left.dtype != np.float64 or right.dtype != np.float64 or math.prod(shape) < _WORTH_CONTRACTING:
            return None
        rank = len(shape)
        out = [place for place in range(rank) if shape[place] > 1 and place != rank + axis]
        operands: list[Any] = []
        for array in (left, right):
            places = [place + rank - array.ndim for place, length in enumerate(array.shape) if length > 1]
            operands += [array.reshape([length for length in array.shape if length > 1]), places]
        kept = [1 if place == rank + axis else length for place, length in enumerate(shape)]
        return np.einsum(*operands, out).reshape(kept)


def _from_objects(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Objects: all integers, or numbers and balls (of which the middle is taken)."""
    entries = array.ravel().tolist()
    if all(isinstance(entry, int | np.integer) for entry in entries):
        return np.array([int(entry) for entry in entries], dtype=np.int64).reshape(array.shape)
    if all(isinstance(entry, str) for entry in entries):
        return np.array(entries, dtype=str).reshape(array.shape)
    floats = [_to_float(entry) for entry in entries]
    return np.array(floats, dtype=np.float64).reshape(array.shape)


def _to_float(entry: Any) -> float:
    if hasattr(entry, "midpoint"):
        return float(entry.midpoint)
    if isinstance(entry, int | float | np.integer | np.floating | np.bool_):
        return float(entry)
    raise EvaluationError(f"a value of type {type(entry).__name__} is no real")
