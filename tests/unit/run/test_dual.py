"""Dual numbers: derivatives against differences at 600 bits, decisions, and nothing that leaves exact arithmetic."""

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from flint import arb

from eqtrace.formula.ball import Ball, InexactConversion, Number, Undecided, no_floats, precision
from eqtrace.run.exact.dual import DERIVATIVES, Dual, Kink, beside
from eqtrace.run.exact.proxies import MATH, NUMPY, SPECIAL

BITS = 600
STEP = arb((1, -200))  # so that truncation is some 2^-400, and rounding as little


def difference(function: Callable[..., Any], at: list[float], along: list[int]) -> Any:
    """The derivative along a direction, by central differences in balls."""

    def there(side: int) -> Any:
        return function(*(Ball(arb(x) + side * STEP * d) for x, d in zip(at, along, strict=True)))

    up, down = there(1), there(-1)
    return np.atleast_1d(np.asarray(up - down, dtype=object)) / Ball(2 * STEP)


def tangents(value: Any, direction: int = 0) -> list[arb]:
    entries = np.asarray(value, dtype=object).flat
    return [each.tangent.get(direction, arb(0)) if isinstance(each, Dual) else arb(0) for each in entries]


def check(function: Callable[..., Any], at: list[float], along: list[int] | None = None) -> None:
    along = along or [1] * len(at)
    with precision(BITS):
        got = function(*(Dual(x, {0: d}) for x, d in zip(at, along, strict=True)))
        want = difference(function, at, along)
        for mine, theirs in zip(tangents(got), want.flat, strict=True):
            assert mine.is_finite()
            theirs = theirs.arb if isinstance(theirs, Ball) else arb(theirs)
            assert abs(mine - theirs) < arb("1e-90") * (1 + abs(mine)), (mine, theirs)


INSIDE = {"acosh": [1.5, 40.0], "asin": [-0.3, 0.7], "acos": [-0.3, 0.7], "atanh": [-0.3, 0.7]}
POSITIVE = {"log", "log1p", "log2", "log10", "sqrt", "gamma", "loggamma", "digamma", "factorial"}


@pytest.mark.parametrize("name", sorted(DERIVATIVES))
def test_functions(name: str) -> None:
    points = INSIDE.get(name, [0.3, 1.7, 5.0] if name in POSITIVE else [-1.3, 0.3, 2.5])
    for x in points:
        check(lambda value: value.function(name), [x])


def test_every_function_of_the_vocabulary_has_a_derivative() -> None:
    from eqtrace.formula.arbs import FUNCTIONS

    assert FUNCTIONS.keys() - DERIVATIVES.keys() == {"Abs"}
    assert Dual(-2, {0: 3}).function("Abs").tangent[0] == -3


OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.mod, operator.pow]


@pytest.mark.parametrize("operate", OPERATORS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("other", [3, 0.75, Ball(2.5), np.float64(1.5), np.int64(2), np.float32(0.5)], ids=repr)
def test_operators_with_what_does_not_change(operate: Callable[[Any, Any], Any], other: Any) -> None:
    check(lambda x: operate(x, other), [1.7])
    check(lambda x: operate(other, x), [1.7])


@pytest.mark.parametrize(
    "operate", [*OPERATORS, lambda x, y: x.arctan2(y), lambda x, y: x.hypot(y), lambda x, y: x**2 / (y + 3 * x)]
)
def test_operators_between_two(operate: Callable[[Any, Any], Any]) -> None:
    for along in ([1, 0], [0, 1], [2, -3]):
        check(operate, [1.7, 0.6], along)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, -2, 0.5, -0.5, 2.5])
def test_powers(exponent: float) -> None:
    check(lambda x: x**exponent, [1.3])


def test_powers_of_zero() -> None:
    zero = Dual(0, {0: 1})
    assert [(zero**n).tangent.get(0, arb(0)) for n in (0, 1, 2, 3)] == [0, 1, 0, 0]


@pytest.mark.parametrize("name", ["square", "reciprocal", "exp2", "degrees", "radians", "rad2deg", "deg2rad"])
def test_methods_that_numpy_calls(name: str) -> None:
    check(lambda x: getattr(x, name)(), [1.3])


def test_directions_are_apart() -> None:
    x, y = Dual(2, {0: 1}), Dual(3, {1: 1})
    assert (x * y + x).tangent == {0: 4, 1: 2}
    assert (x * 5).tangent == {0: 5}
    assert (Ball(1) + Ball(2)).arb == 3


def vector(x: Any, y: Any, z: Any) -> Any:
    return np.array([x, y, z], dtype=object)


def matrix(x: Any, y: Any, z: Any) -> Any:
    return np.array([[x, y], [z, x * y]], dtype=object)


# fmt: off
UNDER_NUMPY: dict[str, Callable[..., Any]] = {
    "matmul": lambda *v: matrix(*v) @ matrix(*v).T,
    "einsum": lambda *v: NUMPY.einsum("ij,kj->ik", matrix(*v), matrix(*v)),
    "tensordot": lambda *v: NUMPY.tensordot(matrix(*v), matrix(*v), axes=(0, 1)),
    "outer": lambda *v: NUMPY.outer(vector(*v), vector(*v)),
    "sum": lambda *v: matrix(*v).sum(axis=0),
    "mean": lambda *v: NUMPY.mean(matrix(*v), axis=1, keepdims=True) + matrix(*v).mean(),
    "var": lambda *v: NUMPY.var(vector(*v)),
    "std": lambda *v: NUMPY.std(vector(*v)),
    "norm": lambda *v: NUMPY.linalg.norm(vector(*v)),
    "cumsum": lambda *v: NUMPY.cumsum(vector(*v)),
    "prod": lambda *v: NUMPY.prod(vector(*v)),
    "cumprod": lambda *v: NUMPY.cumprod(vector(*v)),
    "max": lambda *v: vector(*v).max(),
    "min": lambda *v: NUMPY.amin(matrix(*v), axis=0),
    "maximum": lambda *v: NUMPY.maximum(vector(*v), 1.1),
    "clip": lambda *v: NUMPY.clip(vector(*v), 0.5, 1.5),
    "sort": lambda *v: NUMPY.sort(vector(*v)),
    "argsort": lambda *v: vector(*v)[NUMPY.argsort(-vector(*v))],
    "abs": lambda *v: NUMPY.abs(vector(*v) - 1),
    "sign": lambda *v: NUMPY.sign(vector(*v) - 1) * vector(*v),
    "where": lambda *v: NUMPY.where(vector(*v) > 1, vector(*v) ** 2, 1 / vector(*v)),
    "exp": lambda *v: NUMPY.exp(matrix(*v)),
    "softmax": lambda *v: NUMPY.exp(vector(*v) - vector(*v).max()) / NUMPY.exp(vector(*v) - vector(*v).max()).sum(),
    "logaddexp": lambda *v: NUMPY.logaddexp(vector(*v), 0.7),
    "hypot": lambda *v: NUMPY.hypot(vector(*v), 2),
    "arctan2": lambda *v: NUMPY.arctan2(vector(*v), vector(*v)[::-1]),
    "power": lambda *v: NUMPY.power(vector(*v), 3) + NUMPY.float_power(vector(*v), 0.5),
    "floor": lambda *v: vector(*v) - NUMPY.floor(vector(*v)) + NUMPY.rint(vector(*v)),
    "concatenate": lambda *v: NUMPY.concatenate([vector(*v), vector(*v)[1:] * 2]),
    "diff": lambda *v: NUMPY.diff(vector(*v)),
    "trace": lambda *v: NUMPY.trace(matrix(*v)),
    "triu": lambda *v: NUMPY.triu(matrix(*v)) @ NUMPY.ones(2),
    "kron": lambda *v: NUMPY.kron(vector(*v), vector(*v)),
    "degrees": lambda *v: NUMPY.degrees(vector(*v)) + NUMPY.deg2rad(vector(*v)),
    "exp2": lambda *v: NUMPY.exp2(vector(*v)),
    "reduce": lambda *v: NUMPY.add.reduce(matrix(*v), axis=0) + NUMPY.multiply.accumulate(vector(*v))[:2],
    "math": lambda x, y, z: MATH.exp(x) * MATH.erf(y) + MATH.pow(x, z) + MATH.log(y, 2) + MATH.fsum([x, y]),
    "gamma": lambda x, y, z: MATH.lgamma(z) + MATH.gamma(x) * y,
    "special": lambda x, y, z: SPECIAL["expit"](x) * SPECIAL["digamma"](y) + SPECIAL["erfc"](z),
}
# fmt: on


@pytest.mark.parametrize("name", UNDER_NUMPY)
def test_under_numpy(name: str) -> None:
    check(UNDER_NUMPY[name], [1.25, 0.75, 2.125], [1, -2, 3])


def test_in_place_addition_keeps_what_is_added() -> None:
    total = NUMPY.zeros((3,))
    NUMPY.add.at(
        total, np.array([0, 2, 0]), np.array([Dual(1, {0: 2}), Dual(1, {0: 3}), Dual(1, {0: 4})], dtype=object)
    )
    assert [each.tangent.get(0) if isinstance(each, Dual) else None for each in total] == [6, None, 3]


# Decisions


def test_values_decide() -> None:
    x = Dual(1, {0: 5})
    assert x < 2
    assert x < 2
    assert x >= Ball(0.5)
    assert x != 2
    assert (x == 2) is False
    assert x > -np.inf


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne])
def test_a_tie_is_a_kink(compare: Callable[[Any, Any], Any]) -> None:
    x = Dual(1, {0: 1})
    for other in (1, Ball(1), Dual(1, {0: 2}), Dual(1, {1: 1})):
        with pytest.raises(Kink):
            compare(x, other)
        with pytest.raises(Kink):
            compare(other, x)


def test_equal_numbers_that_change_alike_are_equal() -> None:
    x = Dual(1, {0: 1, 1: 2})
    assert x == x
    assert x >= Dual(1, {1: 2, 0: 1})
    assert Dual(1) == 1


def test_beside_a_kink_the_next_point_decides() -> None:
    x, y = Dual(1, {0: 1}), Dual(1, {0: -1, 1: 4})
    for side in (1, -1):
        with beside(side):
            assert (x > 1) is (side > 0)
            assert (x > 1) is (side > 0)
            assert (y > x) is (side > 0)
            assert x != y
            assert max(x, 1) is (x if side > 0 else 1)
    with pytest.raises(Kink):
        bool(x > 1)


def test_balls_that_overlap_are_not_decided() -> None:
    with precision(64):
        third = Dual(1, {}) / 3
        with pytest.raises(Undecided):
            bool(third * 3 > 1)
        with pytest.raises(Kink):
            bool(third * 3 > Dual(1, {0: 1}))


def test_relu_at_zero() -> None:
    zero = Dual(0, {0: 1})
    with pytest.raises(Kink):
        NUMPY.maximum(0, np.array([zero]))
    with beside(1):
        assert NUMPY.maximum(0, np.array([zero]))[0] is zero
    with beside(-1):
        assert NUMPY.maximum(0, np.array([zero]))[0] == 0


def test_floor_and_abs_at_their_kinks() -> None:
    for function in (Dual.floor, Dual.ceil, abs, lambda x: x.trunc()):
        with pytest.raises(Kink):
            function(Dual(0, {0: 1}))
    assert Dual(2).floor() == 2
    with beside(-1):
        assert Dual(2, {0: 1}).floor() == 1
        assert abs(Dual(0, {0: 3})).tangent == {0: -3}
    with beside(1):
        assert Dual(2, {0: 1}).ceil() == 3
    assert [int(Dual(x).rint().arb.fmpz()) for x in (0.5, 1.5, 2.5, -0.5, -1.5)] == [0, 2, 2, 0, -2]


def test_infinities() -> None:
    low = Dual(-np.inf, {0: 1})
    assert low.exp().tangent == {0: 0}
    assert (np.array([-np.inf, Dual(1, {0: 1})], dtype=object).max()).tangent == {0: 1}
    assert not Dual(0, {0: 1}).sqrt().tangent[0].is_finite()


# Strictness


def test_conversions_raise() -> None:
    x = Dual(1.5, {0: 1})
    for convert in (float, int, bool, complex, operator.index, round):
        with pytest.raises(InexactConversion):
            convert(x)
    with pytest.raises(InexactConversion):
        np.asarray([x], dtype=float)
    with pytest.raises(InexactConversion):
        np.zeros(1)[0:1] = np.array([x])
    with pytest.raises(TypeError):
        hash(x)
    with pytest.raises(AttributeError):
        x.arb = arb(2)
    with pytest.raises(TypeError):
        Ball(x)
    with pytest.raises(TypeError):
        Dual("1")


def test_a_float_that_may_have_been_rounded_is_refused() -> None:
    with no_floats():
        assert (Dual(1) + 2.0).arb == 3
        with pytest.raises(InexactConversion):
            Dual(1) + 0.1
        with pytest.raises(InexactConversion):
            0.1 * Dual(1)


def test_nothing_of_a_ball_is_missing_or_loses_tangents() -> None:
    assert not isinstance(Dual(1), Ball)
    assert isinstance(Dual(1), Number)
    public = {name for name in vars(Ball) if not name.startswith("_")}
    assert public <= set(vars(Dual)) | set(vars(Number))
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        for side in ("", "r"):
            assert f"__{side}{name}__" in vars(Dual)


def test_a_ball_and_a_dual_meet() -> None:
    x = Dual(2, {0: 1})
    for number in (Ball(3) * x, x * Ball(3), Ball(3) / x, Ball(3) ** x, Ball(3) % x, Ball(7) // x, Ball(3) - x):
        assert isinstance(number, Dual)


def test_copies() -> None:
    x = Dual(arb(1) / 3, {0: 1, 4: arb(1) / 7})
    assert copy.copy(x) is x
    assert copy.deepcopy(x) is x
    again = pickle.loads(pickle.dumps(x))
    assert str(again.arb) == str(x.arb)
    assert again.tangent.keys() == x.tangent.keys()
    assert repr(Dual(2, {0: 1})) == "Dual(Ball(2.0000000000000000), 0: 1.0000)"
    assert f"{x:.2f}" == "0.33"
    assert x.real is x
    assert +x is x
    assert x.conjugate() is x
    assert x.imag.arb == 0
