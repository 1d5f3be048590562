"""A strict ball for user code: python-flint's `arb` under NumPy's object arrays, without its silent conversions.

Whatever would leave exact arithmetic raises: a conversion to float, int or bool is an `InexactConversion`, and a
comparison that the balls do not decide is `Undecided`. Infinities follow IEEE 754; a NaN is never decided.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, NoReturn, Self

import numpy as np
from flint import arb, ctx

from eqtrace.formula import arbs
from eqtrace.formula.failures import BallError, InexactConversion, Undecided

__all__ = [
    "Ball",
    "BallError",
    "InexactConversion",
    "Number",
    "Undecided",
    "as_arb",
    "exact",
    "half_ulp",
    "lift",
    "no_floats",
    "operand",
    "pi",
    "precision",
]


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work with `bits` of precision within the block."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


_floats_refused = False


@contextmanager
def no_floats() -> Iterator[None]:
    """Within the block a float that meets a ball raises, unless it is whole or infinite: it may have been rounded."""
    global _floats_refused
    before, _floats_refused = _floats_refused, True
    try:
        yield
    finally:
        _floats_refused = before


def operand(value: object) -> arb | None:
    """A number that a ball meets, as an exact arb."""
    if type(value) is Ball:
        return value.arb
    if _floats_refused and isinstance(value, float | np.floating) and math.isfinite(value) and not value.is_integer():
        raise InexactConversion(f"{value!r}, a float that may have been rounded, meets a ball")
    return as_arb(value)


def as_arb(value: object) -> arb | None:
    """A number as an exact arb; None of anything that is not exactly a real number."""
    if isinstance(value, Ball):
        return value.arb
    if isinstance(value, arb):
        return value
    if isinstance(value, float | int):  # numpy's float64 is a float, a bool is an int
        return arb(value)
    if isinstance(value, np.bool_ | np.integer):
        return arb(int(value))
    if isinstance(value, np.float16 | np.float32):
        return arb(float(value))
    return arbs.of_fraction(value) if isinstance(value, Fraction) else None


def _binary(function: Callable[[arb, arb], arb], *, reflected: bool = False) -> Callable[[Ball, object], Any]:
    def operate(self: Ball, other: object) -> Any:
        number = other.arb if type(other) is Ball else operand(other)
        if number is None:
            return NotImplemented
        return ball_of(function(number, self.arb) if reflected else function(self.arb, number))

    return operate


def _ordered(holds: Callable[[int], bool]) -> Callable[[Ball, object], Any]:
    def compare(self: Ball, other: object) -> Any:
        number = operand(other)
        if number is None:
            return NotImplemented
        order = arbs.order(self.arb, number)
        if order is None:
            raise Undecided(f"{self} against {Ball(number)}")
        return holds(order)

    return compare


def _unary(function: Callable[[arb], arb]) -> Callable[[Ball], Ball]:
    def operate(self: Ball) -> Ball:
        return ball_of(function(self.arb))

    return operate


def _refused(what: str) -> Callable[..., NoReturn]:
    def refuse(self: Number, *_: object, **__: object) -> NoReturn:
        raise InexactConversion(f"{self} is converted to {what}")

    return refuse


def _modulo(x: arb, y: arb) -> arb:
    return x - y * _decided_floor(x / y)


def _decided_floor(x: arb) -> int:
    found = arbs.floor(x)
    if found is None:
        raise Undecided(f"floor of {Ball(x)}")
    return found


class Number:
    """What user code computes with in place of floats; immutable, and never converted in silence."""

    __slots__ = ("arb",)
    __hash__ = None  # type: ignore[assignment]
    arb: arb

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a ball does not change")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __format__(self, spec: str) -> str:
        return format(float(self.arb.mid()), spec) if spec else repr(self)

    def __pos__(self) -> Self:
        return self

    @property
    def midpoint(self) -> float:
        """The float nearest to the middle, for reports."""
        return float(self.arb.mid())

    @property
    def radius(self) -> float:
        """The radius, for reports."""
        return float(self.arb.rad())

    @property
    def finite(self) -> bool:
        """Whether the ball is bounded and no NaN."""
        return bool(self.arb.is_finite())

    def is_integer(self) -> bool:
        """Whether it is exactly an integer."""
        return arbs.whole(self.arb) is not None

    def __trunc__(self) -> Any:
        raise NotImplementedError

    __float__ = _refused("float")
    __int__ = _refused("int")
    __index__ = _refused("an index")
    __bool__ = _refused("bool")
    __complex__ = _refused("complex")
    __round__ = _refused("a rounded number")

    # What NumPy's scalars offer as arrays of no axes: a maximum over the last axis may be one

    def as_array(self) -> np.ndarray[Any, Any]:
        """An array of no axes. A number has no subscripts itself, or NumPy would take it for a sequence."""
        array = np.empty((), dtype=object)
        array[()] = self
        return array

    def __getattr__(self, name: str) -> Any:
        if name not in _OF_SCALARS:
            raise AttributeError(f"a ball has no attribute {name!r}")
        return getattr(self.as_array(), name)

    # What NumPy's loops over objects call

    @property
    def real(self) -> Self:
        """Itself."""
        return self

    @property
    def imag(self) -> Ball:
        """Nothing."""
        return Ball(0)

    def conjugate(self) -> Self:
        """Itself."""
        return self

    def isnan(self) -> bool:
        """Whether it is NaN."""
        return bool(self.arb.is_nan())

    def isfinite(self) -> bool:
        """Whether it is bounded and no NaN."""
        return self.finite

    def isinf(self) -> bool:
        """Whether it is an exact infinity."""
        return arbs.is_infinite(self.arb)


_set_arb = vars(Number)["arb"].__set__


class Ball(Number):
    """A real number known to lie in a ball; immutable."""

    __slots__ = ()

    def __init__(self, value: object) -> None:
        number = as_arb(value)
        if number is None:
            raise TypeError(f"{type(value).__name__} is no real number")
        _set_arb(self, number)

    def __reduce__(self) -> tuple[Callable[[Any], Ball], tuple[Any]]:
        if not self.arb.is_finite():
            return _special, (str(float(self.arb.mid())),)
        ends = [number.man_exp() for number in (self.arb.mid(), self.arb.rad())]
        return _rebuilt, ([(int(mantissa), int(exponent)) for mantissa, exponent in ends],)

    def __repr__(self) -> str:
        if arbs.is_infinite(self.arb):
            return "Ball(inf)" if self.arb > 0 else "Ball(-inf)"
        return f"Ball({self.arb.str(17)})"

    # Arithmetic

    __add__ = _binary(lambda x, y: x + y)
    __sub__ = _binary(lambda x, y: x - y)
    __mul__ = _binary(lambda x, y: x * y)
    __truediv__ = _binary(arbs.divide)
    __radd__ = _binary(lambda x, y: x + y, reflected=True)
    __rsub__ = _binary(lambda x, y: x - y, reflected=True)
    __rmul__ = _binary(lambda x, y: x * y, reflected=True)
    __rtruediv__ = _binary(arbs.divide, reflected=True)
    __floordiv__ = _binary(lambda x, y: arb(_decided_floor(x / y)))
    __rfloordiv__ = _binary(lambda x, y: arb(_decided_floor(x / y)), reflected=True)
    __mod__ = _binary(_modulo)
    __rmod__ = _binary(_modulo, reflected=True)

    def __pow__(self, other: object, modulo: object = None) -> Any:
        if isinstance(other, int | np.integer) and not isinstance(other, bool):
            return Ball(arbs.power(self.arb, int(other)))
        number = operand(other)
        return NotImplemented if number is None else Ball(arbs.power(self.arb, number))

    def __rpow__(self, other: object, modulo: object = None) -> Any:
        number = operand(other)
        return NotImplemented if number is None else Ball(arbs.power(number, self.arb))

    __neg__ = _unary(lambda x: -x)
    __abs__ = fabs = absolute = _unary(abs)
    __floor__ = floor = _unary(lambda x: arb(_decided_floor(x)))
    __ceil__ = ceil = _unary(lambda x: arb(-_decided_floor(-x)))

    def __trunc__(self) -> Ball:
        return self.floor() if self >= 0 else self.ceil()

    trunc = __trunc__

    def rint(self) -> Ball:
        """The nearest integer, ties to even."""
        low = _decided_floor(self.arb + 0.5)
        tie = low % 2 == 1 and self == low - 0.5
        return Ball(low - 1 if tie else low)

    # Comparisons

    __lt__ = _ordered(lambda order: order < 0)
    __le__ = _ordered(lambda order: order <= 0)
    __gt__ = _ordered(lambda order: order > 0)
    __ge__ = _ordered(lambda order: order >= 0)
    __eq__ = _ordered(lambda order: order == 0)
    __ne__ = _ordered(lambda order: order != 0)

    # What NumPy's loops over objects call

    def square(self) -> Ball:
        """Its square."""
        return Ball(self.arb * self.arb)

    def reciprocal(self) -> Ball:
        """One by it."""
        return 1 / self  # type: ignore[no-any-return]

    def function(self, name: str) -> Ball:
        """An elementary function of the forms' vocabulary."""
        return ball_of(arbs.FUNCTIONS[name](self.arb))

    def exp2(self) -> Ball:
        """Two to it."""
        return 2**self  # type: ignore[no-any-return]

    def arctan2(self, other: object) -> Ball:
        """The angle of the point (other, self)."""
        return Ball(arbs.atan2(self.arb, Ball(other).arb))

    def hypot(self, other: object) -> Ball:
        """The root of the sum of squares."""
        return (self * self + Ball(other) * other).sqrt()  # type: ignore[no-any-return]

    def degrees(self) -> Ball:
        """Radians in degrees."""
        return self * 180 / pi()  # type: ignore[no-any-return]

    def radians(self) -> Ball:
        """Degrees in radians."""
        return self * pi() / 180  # type: ignore[no-any-return]

    rad2deg, deg2rad = degrees, radians
    exp, expm1 = _unary(arbs.FUNCTIONS["exp"]), _unary(arbs.expm1)
    log, log1p = _unary(arbs.log), _unary(arbs.log1p)
    log2, log10 = _unary(arbs.log2), _unary(arbs.log10)
    sqrt, cbrt = _unary(arbs.FUNCTIONS["sqrt"]), _unary(arbs.cbrt)
    sin, cos, tan = _unary(arbs.sin), _unary(arbs.cos), _unary(arbs.tan)
    sinh, cosh, tanh = (_unary(arbs.FUNCTIONS[name]) for name in ("sinh", "cosh", "tanh"))
    arcsin, arccos, arctan = (_unary(arbs.FUNCTIONS[name]) for name in ("asin", "acos", "atan"))
    arcsinh, arccosh, arctanh = (_unary(arbs.FUNCTIONS[name]) for name in ("asinh", "acosh", "atanh"))


def ball_of(value: arb) -> Ball:
    """A ball of a raw arb, without asking what it is."""
    made = _new(Ball)
    _set_arb(made, value)
    return made


_new = object.__new__


_OF_SCALARS = frozenset(
    (
        "shape",
        "ndim",
        "size",
        "T",
        "sum",
        "prod",
        "max",
        "min",
        "copy",
        "item",
        "ravel",
        "flatten",
        "reshape",
        "squeeze",
    )
)


def _special(text: str) -> Ball:
    return Ball(float(text))


def _rebuilt(ends: list[tuple[int, int]]) -> Ball:
    middle, radius = ends
    return Ball(arb(middle, radius))


def pi() -> Ball:
    """Pi, at the precision in force."""
    return Ball(arb.pi())


def exact(value: object) -> Ball:
    """A number as a ball: floats and integers are exact, a Fraction is as tight as the precision in force."""
    return Ball(value)


def half_ulp(value: float) -> Ball:
    """A float constant, as the ball of the reals that round to it: half an ulp to each side.

    0, infinities and NaN are exact.
    """
    number = float(value)
    if not math.isfinite(number) or number == 0:
        return Ball(number)
    return Ball(arb(number, arb(math.ulp(number)) / 2))


def lift(value: Any) -> Any:
    """Floats as exact balls, in arrays and containers too; integers, booleans, strings and the rest stay as they are.

    Raises:
        BallError: complex numbers and long doubles, which have no exact balls.
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f" and value.dtype.itemsize <= 8:
            return np.asarray(_LIFT(value.astype(np.float64, copy=False)), dtype=object)
        if value.dtype.kind in "fc":
            raise BallError(f"arrays of {value.dtype} have no exact balls")
        if value.dtype.kind == "O":
            lifted = np.empty(value.shape, dtype=object)
            for place in np.ndindex(value.shape):
                lifted[place] = lift(value[place])
            return lifted
        return value
    if isinstance(value, float | np.float16 | np.float32):
        return Ball(value)
    if isinstance(value, np.longdouble | complex | np.complexfloating):
        raise BallError(f"{type(value).__name__} has no exact ball")
    if isinstance(value, dict):
        return {key: lift(entry) for key, entry in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(lift, value))
    if isinstance(value, list | tuple):
        return type(value)(lift(entry) for entry in value)
    return value


_LIFT = np.frompyfunc(lambda number: ball_of(arb(number)), 1, 1)
