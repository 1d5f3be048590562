"""What rewritten code calls, and the builtins that would round or ask a ball for a float."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from eqtrace.formula.ball import Ball, Number, exact, lift
from eqtrace.run.exact import rewrite

_FULL_LENGTH = 16  # significant digits from which a literal is taken for a real number that was rounded to a float


def number(text: str) -> Ball | float:
    """The decimal that a literal states; infinities (`1e999`) stay floats."""
    value = float(text)
    return value if math.isinf(value) else exact(Fraction(text))


def rounded_number(constant: Callable[[float], Any]) -> Callable[[str], Any]:
    """Literals, where those of full length (`3.141592653589793`) become what `constant` makes of their float."""

    def read(text: str) -> Any:
        digits = text.lower().partition("e")[0].replace(".", "").strip("0")
        return number(text) if len(digits) < _FULL_LENGTH else constant(float(text))

    return read


def _is_integer(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iub"
    return isinstance(value, int | np.integer | np.bool_)


def divide(left: Any, right: Any, in_place: bool = False) -> Any:
    """`left / right`, integers exactly."""
    if _is_integer(left) and _is_integer(right):
        return lift_integers(left) / right
    if in_place and isinstance(left, np.ndarray):
        left /= right
        return left
    return left / right


def power(left: Any, right: Any, in_place: bool = False) -> Any:
    """`left ** right`, integers to negative powers exactly."""
    if _is_integer(left) and _is_integer(right) and bool(np.any(np.asarray(right) < 0)):
        return lift_integers(left) ** right
    if in_place and isinstance(left, np.ndarray):
        left **= right
        return left
    return left**right


_to_ball = np.frompyfunc(lambda value: value if isinstance(value, Number) else exact(value), 1, 1)


def lift_integers(value: Any) -> Any:
    """Numbers of any kind, integers too, as balls; arrays become object arrays."""
    if isinstance(value, np.ndarray):
        return _to_ball(value.astype(object))
    if isinstance(value, int | float | np.number | np.bool_):
        return exact(value.item() if isinstance(value, np.generic) else value)
    return lift(value)


def has_ball(value: Any) -> bool:
    """Whether a ball stands in a value."""
    if isinstance(value, Number):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype == object and any(isinstance(each, Number) for each in value.flat)
    if isinstance(value, list | tuple):
        return any(has_ball(each) for each in value)
    return False


class _Kinds(tuple[Any, ...]):
    """What `int | float` gives: kinds that `isinstance` asks for."""

    def __or__(self, other: Any) -> _Kinds:
        return _Kinds((*self, *(other if isinstance(other, tuple) else (other,))))

    def __ror__(self, other: Any) -> _Kinds:
        return _Kinds((other, *self))


class _Kind:
    """Stands for `float` or `int`, which are called, asked for and joined."""

    def __init__(self, function: Callable[..., Any], dtype: Any = None) -> None:
        self._function, self.__name__ = function, function.__name__
        if dtype is not None:
            self.dtype = dtype  # for NumPy, which takes it as a type

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    def __or__(self, other: Any) -> _Kinds:
        return _Kinds((self, *(other if isinstance(other, tuple) else (other,))))

    def __ror__(self, other: Any) -> _Kinds:
        return _Kinds((other, self))


def _read_float(value: Any = 0.0) -> Any:
    if isinstance(value, Number):
        return value
    if isinstance(value, np.ndarray) and value.dtype == object and value.size == 1:
        return value.reshape(-1)[0]
    if isinstance(value, int | np.integer):
        return exact(int(value))
    return number(value) if isinstance(value, str) else builtins.float(value)


def _read_int(value: Any = 0, *base: Any) -> Any:
    if isinstance(value, Number):
        return int(str(math.trunc(value).arb.unique_fmpz()))  # undecided where the ball holds an integer and less
    return builtins.int(value, *base)


_read_float.__name__ = "_float"
_float, _int = _Kind(_read_float), _Kind(_read_int, np.dtype(int))
_TYPES: dict[Any, Any] = {_float: float, _int: int}


def _isinstance(value: Any, kinds: Any) -> bool:
    wanted = kinds if builtins.isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, Number):
        plain: tuple[Any, ...] = tuple(_TYPES.get(kind, kind) for kind in wanted)
        return builtins.isinstance(value, plain)
    return any(kind in (float, _float, Ball, Number, np.floating, np.number, np.float64, object) for kind in wanted)


def _sum(values: Any, start: Any = 0) -> Any:
    total = start
    for value in values:
        total = total + value
    return total


def indexed(value: Any) -> Any:
    """What takes the subscripts of arrays."""
    return value.as_array() if isinstance(value, Number) else value


BUILTINS: dict[str, Any] = {
    **vars(builtins),
    "float": _float,
    "int": _int,
    "isinstance": _isinstance,
    "sum": _sum,
    rewrite.NUMBER: number,
    rewrite.DIVIDE: divide,
    rewrite.POWER: power,
    rewrite.INDEXED: indexed,
}
