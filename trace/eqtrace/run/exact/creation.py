"""Arrays of equally spaced balls, and what a type of floats can hold."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from eqtrace.formula.ball import BallError, Number, exact
from eqtrace.run.exact.arithmetic import lift_integers

_LONGEST = 10**6


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, **_: Any) -> Any:
    """`np.arange`: of integers integers, unless floats are asked for; of anything else balls."""
    first, end = (0, start) if stop is None else (start, stop)
    whole = all(isinstance(each, int | np.integer) for each in (first, end, step))
    if whole:
        array = np.arange(first, end, step)
        floats = dtype is not None and (getattr(dtype, "__name__", "") in ("_float", "_float64") or _is_float(dtype))
        return lift_integers(array) if floats else array if dtype is None else array.astype(dtype)
    low, high, width = (_ball(each) for each in (first, end, step))
    count = int(str(((high - low) / width).ceil().arb.unique_fmpz()))
    return _spaced(low, width, max(count, 0))


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, *_: Any, **__: Any
) -> Any:
    """`np.linspace` between numbers."""
    if isinstance(start, np.ndarray) or isinstance(stop, np.ndarray):
        raise BallError("linspace between arrays is not known to be exact on balls")
    gaps = num - 1 if endpoint else num
    low, high = _ball(start), _ball(stop)
    width = (high - low) / gaps if gaps > 0 else exact(0)
    values = _spaced(low, width, num)
    return (values, width) if retstep else values


def finfo(kind: Any) -> Any:
    """`np.finfo`; of arrays of balls that of the floats for which they stand."""
    held = kind.dtype if isinstance(kind, np.ndarray) else kind
    if getattr(held, "__name__", "") in ("_float", "_float64") or np.dtype(held).kind == "O":
        held = np.float64
    limits = np.finfo(held)
    names = ("eps", "epsneg", "max", "min", "tiny", "smallest_normal", "smallest_subnormal", "resolution")
    return SimpleNamespace(**{name: exact(float(getattr(limits, name))) for name in names})


def _is_float(kind: Any) -> bool:
    try:
        return np.dtype(kind).kind in "fO"
    except TypeError:
        return False


def _ball(value: Any) -> Any:
    return value if isinstance(value, Number) else exact(value.item() if isinstance(value, np.generic) else value)


def _spaced(low: Any, width: Any, count: int) -> np.ndarray:
    if count > _LONGEST:
        raise BallError(f"an array of {count} balls is too long")
    values = np.empty(count, dtype=object)
    values[:] = [low + width * number for number in range(count)]
    return values
