"""Arithmetic on the values of terms: integers stay exact, reals are floats or balls.

A value is a scalar or an array. Integers (Python's own, or arrays of int64) stay integers through + - * ** // % floor,
Max and Min, and become reals in a quotient or an elementary function. `Operations` holds what both kinds of reals
share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np

from eqtrace.formula.failures import (
    EvaluationError,
)
from eqtrace.model.ways import BOTH, FALSE, TRUE

Value: TypeAlias = Any  # int, np.float64, arb, str, or an array of int64, float64, objects (arb) or strings
Mask: TypeAlias = Any  # None (everywhere), bool or an array of bool: where a value is wanted
Ways: TypeAlias = dict[int, tuple[object, int]]  # by identity: a condition, and the ways it went

_SAFE = 2**62


@dataclass(frozen=True, slots=True)
class Float64:
    """NumPy's float64."""


@dataclass(frozen=True, slots=True)
class Balls:
    """Balls of `bits` of precision.

    With `widen` every float input stands for the reals within half an ulp of it. Conditions, floors and the like are
    decided on the inputs as they are; where rounding leaves one open (a kink), the branch below or above it is taken
    as `kinks` says, and counted. Without `widen` an open decision raises Undecided. Which ways the conditions of cases
    went is noted in `ways`.
    """

    bits: int = 53
    widen: bool = False
    kinks: Literal["low", "high"] = "low"
    ways: Ways | None = field(default=None, compare=False)


Arithmetic: TypeAlias = Float64 | Balls


def is_array(value: Value) -> bool:
    """Whether a value is an array."""
    return isinstance(value, np.ndarray)


def is_integer(value: Value) -> bool:
    """Whether a value consists of integers."""
    if isinstance(value, np.ndarray):
        return bool(value.dtype.kind == "i")
    return isinstance(value, int)


def is_text(value: Value) -> bool:
    """Whether a value consists of strings."""
    return bool(value.dtype.kind == "U") if isinstance(value, np.ndarray) else isinstance(value, str)


def both(mask: Mask, condition: Mask) -> Mask:
    """Where both hold."""
    if mask is None or condition is None:
        return condition if mask is None else mask
    return np.logical_and(mask, condition)


def anywhere(mask: Mask) -> bool:
    """Whether a mask wants anything at all."""
    return mask is None or bool(np.any(mask))


def note(ways: Ways, condition: object, holds: Mask, fails: Mask) -> None:
    """Notes that a condition holds somewhere, and that it fails somewhere."""
    _, taken = ways.get(id(condition), (None, 0))
    if taken != BOTH:  # the condition is kept, so that no other gets its identity
        ways[id(condition)] = condition, taken | TRUE * anywhere(holds) | FALSE * anywhere(fails)


def choose(condition: Mask, value: Value, other: Value) -> Value:
    """`value` where the condition holds, else `other`."""
    if not is_array(condition):
        return value if condition else other
    return np.where(condition, value, other)


def _bound(value: Value) -> int:
    if is_array(value):
        return max(abs(int(value.max())), abs(int(value.min()))) if value.size else 0
    return abs(int(value))


class Operations(ABC):
    """Operations that term and condition evaluators call."""

    def __init__(self) -> None:
        self.kinks = 0
        self.ways: Ways | None = None

    # What the reals are

    @abstractmethod
    def lift(self, value: object, *, widen: bool) -> Value:
        """An input as a value."""

    @abstractmethod
    def rounded(self, work: Callable[[], Value]) -> Any:
        """A value, worked out exactly and rounded to float64; integers stay."""

    @abstractmethod
    def real(self, value: Value) -> Value:
        """A value whose integers are reals."""

    @abstractmethod
    def number(self, value: Fraction) -> Value:
        """A constant that is no integer."""

    @abstractmethod
    def constant(self, name: str) -> Value:
        """pi, oo or nan."""

    @abstractmethod
    def function(self, name: str, arguments: list[Value]) -> Value:
        """An elementary function of reals."""

    @abstractmethod
    def real_power(self, base: Value, exponent: Value) -> Value:
        """A power of reals; the exponent may be an integer."""

    @abstractmethod
    def real_extreme(self, name: str, left: Value, right: Value) -> Value:
        """Max or Min of two reals."""

    @abstractmethod
    def real_floor(self, value: Value, mask: Mask) -> Value:
        """Floor, decided; integers where they fit."""

    @abstractmethod
    def real_compare(self, operator: str, left: Value, right: Value, mask: Mask) -> Mask:
        """A comparison, decided; `==` and `!=` too."""

    @abstractmethod
    def extreme_over(self, name: str, value: Value, axis: int) -> Value:
        """Max or Min along an axis of reals, which is kept with length 1."""

    @abstractmethod
    def first_extreme(self, name: str, value: Value, axis: int, mask: Mask) -> Value:
        """The first place of the Max or Min along an axis, which is kept with length 1; `mask` is not None."""

    # What they share

    def add(self, left: Value, right: Value) -> Value:
        """Sum."""
        if is_integer(left) and is_integer(right):
            left, right = self._exact(left, right, _bound(left) + _bound(right))
        return np.add(left, right) if is_array(left) or is_array(right) else left + right

    def subtract(self, left: Value, right: Value) -> Value:
        """Difference."""
        if is_integer(left) and is_integer(right):
            left, right = self._exact(left, right, _bound(left) + _bound(right))
        return np.subtract(left, right) if is_array(left) or is_array(right) else left - right

    def multiply(self, left: Value, right: Value) -> Value:
        """Product."""
        if is_integer(left) and is_integer(right):
            left, right = self._exact(left, right, _bound(left) * _bound(right))
        return np.multiply(left, right) if is_array(left) or is_array(right) else left * right

    def divide(self, left: Value, right: Value) -> Value:
        """Quotient, of integers too."""
        left, right = self.real(left), self.real(right)
        return np.true_divide(left, right) if is_array(left) or is_array(right) else left / right

    def negate(self, value: Value) -> Value:
        """Negative."""
        return np.negative(value) if is_array(value) else -value

    def power(self, base: Value, exponent: Value) -> Value:
        """Power; exact where both are integers, the exponent is a scalar and the result is small."""
        if isinstance(exponent, int) and exponent >= 0 and is_integer(base):
            bits = (_bound(base).bit_length() or 1) * exponent
            if bits < (62 if is_array(base) else 4096):
                return base**exponent
        return self.real_power(self.real(base), exponent)

    def extreme(self, name: str, left: Value, right: Value) -> Value:
        """Max or Min of two."""
        if is_integer(left) and is_integer(right):
            if is_array(left) or is_array(right):
                return (np.maximum if name == "Max" else np.minimum)(left, right)
            return max(left, right) if name == "Max" else min(left, right)
        return self.real_extreme(name, self.real(left), self.real(right))

    def choose(self, condition: Mask, value: Value, other: Value) -> Value:
        """`value` where the condition holds, else `other`; an array holds integers only or reals only."""
        if is_array(condition) and is_integer(value) != is_integer(other):
            value, other = self.real(value), self.real(other)
        return choose(condition, value, other)

    def floor(self, value: Value, mask: Mask) -> Value:
        """Largest integer not above."""
        return value if is_integer(value) else self.real_floor(value, mask)

    def floor_quotient(self, left: Value, right: Value, mask: Mask) -> Value:
        """Floor of a quotient, exact of integers."""
        if is_integer(left) and is_integer(right):
            if not np.any(np.equal(right, 0)):
                return left // right
            if is_array(left) or is_array(right):
                return choose(np.equal(right, 0), 0, np.floor_divide(left, choose(np.equal(right, 0), 1, right)))
            return 0 if not anywhere(mask) else self.constant("nan")
        return self.real_floor(self.divide(left, right), mask)

    def compare(self, operator: str, left: Value, right: Value, mask: Mask) -> Mask:
        """A comparison: one of < <= > >= == !=."""
        if is_text(left) or is_text(right):
            same = np.equal(left, right) if is_text(left) and is_text(right) else False
            if operator not in ("==", "!="):
                raise EvaluationError("strings have no order here")
            return same if operator == "==" else np.logical_not(same)
        if is_integer(left) and is_integer(right):
            return COMPARE[operator](left, right)
        return self.real_compare(operator, left, right, mask)

    def sum_over(self, value: Value, axis: int) -> Value:
        """Sum along an axis, which is kept with length 1."""
        if is_integer(value) and _bound(value) * value.shape[axis] >= _SAFE:
            value = self.real(value)
        return np.add.reduce(value, axis=axis, keepdims=True)

    def product_over(self, value: Value, axis: int) -> Value:
        """Product along an axis, which is kept with length 1."""
        if is_integer(value) and _bound(value).bit_length() * value.shape[axis] >= 62:
            value = self.real(value)
        return np.multiply.reduce(value, axis=axis, keepdims=True)

    def largest(self, name: str, value: Value, axis: int) -> Value:
        """Max or Min along an axis, which is kept with length 1."""
        if is_integer(value):
            return (np.maximum if name == "Max" else np.minimum).reduce(value, axis=axis, keepdims=True)
        return self.extreme_over(name, value, axis)

    def contract(self, left: Value, right: Value, axis: int) -> Value | None:
        """Sum of a product along an axis at once; None where that is no gain."""
        return None

    def _exact(self, left: Value, right: Value, bound: int) -> tuple[Value, Value]:
        """Both as reals where arrays of int64 would overflow."""
        if bound >= _SAFE and (is_array(left) or is_array(right)):
            return self.real(left), self.real(right)
        return left, right


COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


def integers(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Booleans and integers as int64; unsigned ones that do not fit raise."""
    if array.dtype.kind == "u" and array.size and int(array.max()) >= _SAFE:
        raise EvaluationError("an unsigned integer is too large")
    return array.astype(np.int64)
