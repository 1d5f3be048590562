"""Stand-ins for `numpy`, `math` and `scipy.special` under balls.

NumPy's own loops run on object arrays of balls; what they would do wrong in silence (creation with a float type,
scalar functions of integers, means of integers) is replaced, and what is not known to be right refuses.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb

from eqtrace.formula.ball import Ball, BallError, Number, Undecided, exact, lift, pi
from eqtrace.run.exact.arithmetic import has_ball, lift_integers
from eqtrace.run.exact.creation import arange, finfo, linspace
from eqtrace.run.exact.interface import interfaces
from eqtrace.run.exact.special import each, named, pair, special_functions

Function = Callable[..., Any]


class NotExact(BallError):
    """A function was asked for that is not known to work on balls."""


# fmt: off
# Elementwise functions: their arguments are lifted, integers too, then NumPy's object loop calls the ball's method.
_ELEMENTWISE = (
    "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "cbrt", "square", "reciprocal", "sin", "cos", "tan",
    "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "hypot",
    "power", "divide", "true_divide", "prod", "cumprod",
)
# Known to be right on object arrays of balls as they are.
_NATIVE = (
    "add", "subtract", "multiply", "negative", "positive", "maximum", "minimum", "absolute", "abs", "greater",
    "greater_equal", "less", "less_equal", "equal", "not_equal", "logical_and", "logical_or", "logical_not",
    "any", "all", "sum", "cumsum", "dot", "matmul", "einsum", "tensordot", "outer", "inner", "trace", "where",
    "argmax", "argmin", "argsort", "sort", "reshape", "transpose", "swapaxes",
    "moveaxis", "expand_dims", "squeeze", "concatenate", "stack", "vstack", "hstack", "split", "array_split",
    "broadcast_to", "repeat", "tile", "flip", "roll", "take", "take_along_axis", "put_along_axis", "triu", "tril",
    "diag", "diagonal", "ravel", "copy", "copyto", "shape", "ndim", "size", "count_nonzero", "diff", "clip",
    "atleast_1d", "atleast_2d", "floor", "ceil", "rint", "sign", "fabs", "floor_divide", "remainder", "mod",
    "fill_diagonal", "broadcast_arrays", "ix_", "meshgrid", "unique", "delete", "insert", "append", "vdot", "kron",
    "vander",
)
# fmt: on
_UFUNC_METHODS = ("at", "reduce", "accumulate", "outer")


def _scalar(result: Any) -> Any:
    return result[()] if isinstance(result, np.ndarray) and result.ndim == 0 else result


def _elementwise(function: Any) -> Function:
    taken = function.nin if isinstance(function, np.ufunc) else None  # what is behind is written to, and stays itself

    def call(*arguments: Any, **options: Any) -> Any:
        return _scalar(function(*(lift_integers(each) for each in arguments[:taken]), *behind(arguments), **options))

    def behind(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        return arguments[taken:] if taken is not None else ()

    return call


def _refusing(name: str, function: Any) -> Any:
    def call(*arguments: Any, **options: Any) -> Any:
        if any(map(has_ball, (*arguments, *options.values()))):
            raise NotExact(f"{name} is not known to be exact on balls")
        result = function(*arguments, **options)
        if isinstance(result, float) or getattr(getattr(result, "dtype", None), "kind", "") in ("f", "c"):
            raise NotExact(f"{name} rounds")
        return result

    return call


def _wants_float(kind: Any) -> bool:
    return getattr(kind, "__name__", "") in ("_float", "_float64") or (kind is not None and _dtype_kind(kind) in "fO")


def _dtype_kind(kind: Any) -> str:
    try:
        return str(np.dtype(kind).kind)
    except TypeError:
        return "?"


def _filled(value: int) -> Function:
    def create(shape: Any, dtype: Any = None, order: str = "C", **_: Any) -> Any:
        if dtype is not None and not _wants_float(dtype):
            return np.full(shape, value, dtype=dtype)
        return np.full(shape, exact(value), dtype=object)

    return create


def _filled_like(value: int) -> Function:
    def create(prototype: Any, dtype: Any = None, shape: Any = None, **_: Any) -> Any:
        array = np.asarray(prototype)
        wanted = array.dtype if dtype is None else dtype
        size = array.shape if shape is None else shape
        return _filled(value)(size, wanted)

    return create


def _full(shape: Any, fill_value: Any, dtype: Any = None, **_: Any) -> Any:
    if dtype is not None and not _wants_float(dtype):
        return np.full(shape, fill_value, dtype=dtype)
    balls = has_ball(fill_value) or dtype is not None or isinstance(fill_value, float)
    return np.full(shape, lift(fill_value) if balls else fill_value, dtype=object if balls else None)


def _full_like(prototype: Any, fill_value: Any, dtype: Any = None, **_: Any) -> Any:
    array = np.asarray(prototype)
    return _full(array.shape, fill_value, array.dtype if dtype is None else dtype)


def _array(value: Any, dtype: Any = None, *_: Any, copy: Any = True, **__: Any) -> Any:
    if dtype is not None and not _wants_float(dtype):
        return _refusing("array with a dtype", np.array)(value, dtype=dtype)
    array = np.array(value) if not isinstance(value, np.ndarray) or copy else value
    if dtype is not None or array.dtype.kind == "f":
        return _scalar_array(lift_integers(array))
    return array


def _scalar_array(value: Any) -> Any:
    return value if isinstance(value, np.ndarray) else np.array(value, dtype=object)


def _asarray(value: Any, dtype: Any = None, *_: Any, **__: Any) -> Any:
    return _array(value, dtype, copy=False)


def _eye(rows: int, columns: int | None = None, k: int = 0, dtype: Any = None, **_: Any) -> Any:
    return np.eye(rows, columns, k, dtype=int if dtype is None or _wants_float(dtype) else dtype)


def _moment(method: str) -> Function:
    def call(values: Any, *arguments: Any, **options: Any) -> Any:
        return getattr(_scalar_array(lift_integers(np.asarray(values))), method)(*arguments, **options)

    return call


def _average(values: Any, axis: Any = None, weights: Any = None, returned: bool = False, **options: Any) -> Any:
    if returned:
        raise NotExact("average with returned=True is not known to be exact on balls")
    array = _scalar_array(lift_integers(np.asarray(values)))
    if weights is None:
        return array.mean(axis=axis, **options)
    weight = _scalar_array(lift_integers(np.asarray(weights)))
    if weight.shape != array.shape:
        if not isinstance(axis, int) or weight.ndim != 1:
            raise NotExact("average with weights of another shape is not known to be exact on balls")
        weight = np.moveaxis(weight.reshape(*(1,) * (array.ndim - 1), -1), -1, axis)
    return (array * weight).sum(axis=axis, **options) / np.broadcast_to(weight, array.shape).sum(axis=axis, **options)


def _float64(value: Any = 0.0) -> Any:
    return _scalar(lift_integers(np.asarray(value))) if isinstance(value, np.ndarray) else lift_integers(value)


def _extreme(name: str) -> Function:
    """The largest or the smallest of an array's entries; of balls that overlap a ball that holds it."""
    original = getattr(np, name)
    enclosing = arb.max if name in ("max", "amax") else arb.min

    def pick(left: Any, right: Any) -> Any:
        try:
            return left if (left > right) == (enclosing is arb.max) else right
        except Undecided:
            if type(left) is Ball and type(right) is Ball:
                return Ball(enclosing(left.arb, right.arb))
            raise

    reduction = np.frompyfunc(pick, 2, 1)

    def call(values: Any, axis: Any = None, *arguments: Any, keepdims: bool = False, **options: Any) -> Any:
        array = np.asarray(values)
        if arguments or options or not array.size or not has_ball(array) or isinstance(axis, tuple):
            return _scalar(original(values, axis, *arguments, **{**options, "keepdims": keepdims}))
        if axis is None:
            found = reduction.reduce(array.ravel())
            return np.full((1,) * array.ndim, found, dtype=object) if keepdims else found
        return _scalar(reduction.reduce(array, axis=axis, keepdims=keepdims))

    return call


def _each_finite(value: Any) -> Any:
    test = np.frompyfunc(lambda each: each.isfinite() if isinstance(each, Number) else math.isfinite(each), 1, 1)
    found = test(value)
    return found.astype(bool) if isinstance(found, np.ndarray) else bool(found)


def _each_nan(value: Any) -> Any:
    test = np.frompyfunc(lambda each: each.isnan() if isinstance(each, Number) else math.isnan(each), 1, 1)
    found = test(value)
    return found.astype(bool) if isinstance(found, np.ndarray) else bool(found)


def _is_finite(value: Any) -> bool:
    return bool(value.isfinite() if isinstance(value, Number) else math.isfinite(value))


def _close(left: Any, right: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False, **_: Any) -> Any:
    """`np.isclose`: undecided where the bound lies within the balls."""
    if equal_nan:
        raise NotExact("isclose with equal_nan is not known to be exact on balls")

    def close(one: Any, other: Any) -> bool:
        if not (_is_finite(one) and _is_finite(other)):
            return bool(one == other)
        return bool(abs(one - other) <= lift(atol) + lift(rtol) * abs(other))

    found = np.frompyfunc(close, 2, 1)(lift_integers(left), lift_integers(right))
    return found.astype(bool) if isinstance(found, np.ndarray) else bool(found)


def _log_of_sum(left: Any, right: Any) -> Any:
    """The logarithm of the sum of two exponentials, about the larger exponent or one within rounding of it."""
    x: Any = left if isinstance(left, Number) else exact(left)
    y: Any = right if isinstance(right, Number) else exact(right)
    try:
        high = y if x < y else x
    except Undecided:
        high = x
    return high if high.isinf() else high + ((x - high).exp() + (y - high).exp()).log()


def _copysign(size: Any, sign: Any) -> Any:
    """A magnitude with another number's sign; balls know of no negative zero, so a zero's sign is left open."""
    if sign == 0:
        raise Undecided("the sign of a zero")
    return abs(size) if sign > 0 else -abs(size)


def _sinc(value: Any) -> Any:
    turn = pi() * value
    return exact(1) if value == 0 else turn.sin() / turn


_LOGADDEXP = np.frompyfunc(_log_of_sum, 2, 1)


def _norm(values: Any, order: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if order not in (None, 2) or (order == 2 and np.ndim(values) > 1 and not isinstance(axis, int)):
        raise NotExact("linalg.norm of this order is not known to be exact on balls")
    squares = np.square(_scalar_array(lift_integers(np.asarray(values))))
    return _ARRAY_FUNCTIONS["sqrt"](np.sum(squares, axis=axis, keepdims=keepdims))


class _Ufunc:
    """A ufunc with its methods (`np.add.at`)."""

    def __init__(self, ufunc: np.ufunc, call: Function) -> None:
        self._ufunc, self._call = ufunc, call

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._call(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        if name in _UFUNC_METHODS:
            return getattr(self._ufunc, name)
        raise NotExact(f"ufunc attribute {name} is not known to be exact on balls")


def _native(function: Any) -> Function:
    def call(*arguments: Any, **options: Any) -> Any:
        return _scalar(function(*arguments, **options))

    return call


def _array_functions() -> dict[str, Any]:
    table: dict[str, Any] = {name: _elementwise(getattr(np, name)) for name in _ELEMENTWISE}
    table |= {name: _native(getattr(np, name)) for name in _NATIVE}
    table |= {name: _extreme(name) for name in ("max", "min", "amax", "amin")}
    for name in ("zeros", "empty"):
        table[name], table[name + "_like"] = _filled(0), _filled_like(0)
    table["ones"], table["ones_like"] = _filled(1), _filled_like(1)
    table |= {"full": _full, "full_like": _full_like, "array": _array, "asarray": _asarray, "asanyarray": _asarray}
    table |= {"ascontiguousarray": _asarray, "eye": _eye, "identity": _eye, "float64": _float64, "double": _float64}
    table |= {"var": _moment("var"), "mean": _moment("mean"), "average": _average}
    table |= {"isfinite": _each_finite, "isnan": _each_nan, "isclose": _close}
    table["allclose"] = lambda *arguments, **options: bool(np.all(_close(*arguments, **options)))
    table |= {"std": lambda *a, **k: table["sqrt"](_moment("var")(*a, **k)), "logaddexp": _native(_LOGADDEXP)}
    table |= {"finfo": finfo, "arange": arange, "linspace": linspace, "copysign": pair(_copysign), "sinc": each(_sinc)}
    table["isscalar"] = lambda value: isinstance(value, Number) or np.isscalar(value)
    table["concat"] = table["concatenate"]
    table["exp2"] = lambda value: exact(2) ** lift_integers(value)
    table["deg2rad"] = table["radians"] = lambda value: lift_integers(value) * pi() / 180
    table["rad2deg"] = table["degrees"] = lambda value: lift_integers(value) * 180 / pi()
    table |= {
        "acos": table["arccos"],
        "asin": table["arcsin"],
        "atan": table["arctan"],
        "pow": table["power"],
        "float_power": table["power"],
    }
    return table


_ARRAY_FUNCTIONS = _array_functions()


def method(owner: Any, name: str, *arguments: Any, **options: Any) -> Any:
    """A call of one of `rewrite.METHODS`; those of arrays are exact also where the array holds integers."""
    if isinstance(owner, Number) and name == "astype" and _wants_float(options.get("dtype", *arguments[:1])):
        return owner
    if isinstance(owner, np.ndarray) and name != "astype":
        return _ARRAY_FUNCTIONS[name](owner, *arguments, **options)
    if isinstance(owner, np.ndarray) and _wants_float(options.get("dtype", *arguments[:1])):
        return _scalar_array(lift_integers(owner))
    return getattr(owner, name)(*arguments, **options)


class NumPy:
    """`np` under balls."""

    class linalg:
        """`np.linalg`: the norm alone."""

        norm = staticmethod(_norm)

    def __getattr__(self, name: str) -> Any:
        if name == "pi":
            return pi()
        if name == "e":
            return exact(1).exp()
        original = getattr(np, name)
        if name in _ARRAY_FUNCTIONS:
            function = _ARRAY_FUNCTIONS[name]
            ufunc = _LOGADDEXP if name == "logaddexp" else original
            return _Ufunc(ufunc, function) if isinstance(original, np.ufunc) else function
        if isinstance(original, np.ufunc) or (isinstance(original, Callable) and not isinstance(original, type)):  # type: ignore[arg-type]
            return _refusing(f"np.{name}", original)
        return original


_MATH_NAMES = {
    name: name for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh", "cbrt", "erf", "erfc", "gamma")
}
_MATH_NAMES |= {"fabs": "Abs", "lgamma": "loggamma"}


class Math:
    """`math` under balls."""

    _SAME = frozenset({"exp", "expm1", "log1p", "log2", "log10", "sqrt", "sin", "cos", "tan"})
    _SAME |= {"sinh", "cosh", "tanh", "atan2", "hypot", "copysign"}

    _OWN = frozenset({"pow", "log", "isfinite", "isnan", "isinf", "fsum", "radians", "degrees", "floor", "ceil"})

    def __getattr__(self, name: str) -> Any:
        if name == "pi":
            return pi()
        if name == "e":
            return exact(1).exp()
        if name == "tau":
            return pi() * 2
        if name in self._SAME:
            return _ARRAY_FUNCTIONS[{"atan2": "arctan2"}.get(name, name)]
        if name in _MATH_NAMES:
            return named(_MATH_NAMES[name])
        if name in self._OWN:
            return getattr(self, "_" + name)
        original = getattr(math, name)
        return _refusing(f"math.{name}", original) if callable(original) else original

    _radians = staticmethod(_ARRAY_FUNCTIONS["deg2rad"])
    _degrees = staticmethod(_ARRAY_FUNCTIONS["rad2deg"])

    @staticmethod
    def _pow(left: Any, right: Any) -> Any:
        return lift_integers(left) ** lift_integers(right)

    @staticmethod
    def _log(value: Any, base: Any = None) -> Any:
        result = _ARRAY_FUNCTIONS["log"](value)
        return result if base is None else result / _ARRAY_FUNCTIONS["log"](base)

    @staticmethod
    def _isfinite(value: Any) -> bool:
        return bool(_each_finite(value))

    @staticmethod
    def _isnan(value: Any) -> bool:
        return bool(_each_nan(value))

    @staticmethod
    def _isinf(value: Any) -> bool:
        return not (_each_finite(value) or _each_nan(value))

    _floor = staticmethod(each(lambda ball: ball.floor()))
    _ceil = staticmethod(each(lambda ball: ball.ceil()))

    @staticmethod
    def _fsum(values: Any) -> Any:
        return sum(values, exact(0))


class ArrayInterface(NumPy):
    """NumPy as packages for several array libraries see it; where its own functions differ, they are those of it."""

    def __getattr__(self, name: str) -> Any:
        if name == "unique_values":  # NumPy's own gives no order
            return _refusing(name, np.unique)
        return super().__getattr__(name)


NUMPY = NumPy()
ARRAYS = ArrayInterface()
MATH = Math()
SPECIAL = special_functions(_ARRAY_FUNCTIONS)
INTERFACE = interfaces(ARRAYS, _ARRAY_FUNCTIONS)


class Special:
    """`scipy.special` under balls: the functions whose balls are known."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        original = getattr(self._module, name)
        return SPECIAL.get(name) or (_refusing(f"scipy.special.{name}", original) if callable(original) else original)


def array_interface(value: Any) -> Any:
    """What stands for a function with which a package looks at arrays before it computes; None where it is none."""
    name, module = getattr(value, "__name__", None), str(getattr(value, "__module__", None))
    return INTERFACE.get((module.partition(".")[0], name)) if isinstance(name, str) and callable(value) else None


def is_namespace(value: Any) -> bool:
    """Whether a module has NumPy's names, as packages for several array libraries carry one."""
    return isinstance(value, types.ModuleType) and value.__name__.endswith("array_api_compat.numpy")


def holds_interface(value: types.ModuleType) -> bool:
    """Whether a module has functions of `array_interface` among others that are left as they are."""
    return value.__name__.endswith("array_api_extra")


def stand_in(value: Any) -> Any:
    """The stand-in for a module or function of NumPy, math or scipy.special; anything else is returned as it is."""
    if value is np:
        return NUMPY
    if is_namespace(value):
        return ARRAYS
    if value is math:
        return MATH
    if isinstance(value, types.ModuleType):
        return Special(value) if value.__name__ == "scipy.special" else value
    name = getattr(value, "__name__", None)
    if not isinstance(name, str) or not callable(value):
        return value
    interface = array_interface(value)
    if interface is not None:
        return interface
    if getattr(np, name, None) is value:
        return getattr(NUMPY, name)
    if getattr(math, name, None) is value:
        return getattr(MATH, name)
    if isinstance(value, np.ufunc):
        return SPECIAL.get(name) or _refusing(name, value)
    return value
