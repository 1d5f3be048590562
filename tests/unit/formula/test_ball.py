import copy
import math
import pickle
from collections import namedtuple
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from eqtrace.formula import arbs
from eqtrace.formula.ball import Ball, BallError, InexactConversion, Undecided, exact, half_ulp, lift, pi, precision

MATRIX = np.array([[0.1, 0.7, -0.3], [1.5, 2.0, 0.25]])
BALLS = lift(MATRIX)
THIRD = Ball(1) / 3


def middles(array):
    return np.vectorize(lambda entry: entry.midpoint if isinstance(entry, Ball) else float(entry))(array)


@pytest.mark.parametrize(
    "compute",
    [
        np.exp, np.expm1, lambda x: np.log(abs(x)), lambda x: np.log1p(abs(x)), lambda x: np.sqrt(abs(x)), np.sin,
        np.cos, np.tan, np.sinh, np.cosh, np.tanh, lambda x: np.arcsin(x / 3), lambda x: np.arccos(x / 3), np.arctan,
        np.arcsinh, lambda x: np.log2(abs(x)), lambda x: np.log10(abs(x)), np.square, np.reciprocal, np.fabs, np.floor,
        np.ceil, np.rint, np.trunc, np.cbrt, np.exp2, np.conjugate, np.sign, np.abs,
        lambda x: x.mean(), lambda x: x.sum(axis=0), lambda x: x.max(axis=1), lambda x: x.min(), lambda x: x.prod(),
        lambda x: x.var(axis=-1, keepdims=True), lambda x: np.std(x), lambda x: x @ x.T, lambda x: np.dot(x, x.T),
        lambda x: np.einsum("ij,kj->ik", x, x), lambda x: np.maximum(0.0, x), lambda x: np.minimum(x, 0.5),
        lambda x: np.where(x > 0, x, 0.0), lambda x: np.clip(x, 0, 1), lambda x: np.cumsum(x, axis=1),
        lambda x: np.argmax(x, axis=1), lambda x: np.argsort(x), lambda x: np.sort(x), lambda x: x**2, lambda x: x**-1,
        lambda x: 2.0**x, lambda x: x * MATRIX, lambda x: MATRIX - x, lambda x: np.float64(2) * x[0, 0] + x,
        lambda x: np.arctan2(x, 2 * x), lambda x: np.hypot(x, x), lambda x: np.median(x), lambda x: np.triu(x),
        lambda x: np.outer(x[0], x[1]), lambda x: np.linalg.norm(x), lambda x: x % 0.7, lambda x: x // 0.7,
        np.degrees, np.radians,
    ],
)  # fmt: skip
def test_numpy_works_on_balls(compute):
    found = compute(BALLS)
    if isinstance(found, Ball):
        found = np.array(found)
    np.testing.assert_allclose(middles(found), compute(MATRIX), rtol=1e-14)


@pytest.mark.parametrize(
    "convert",
    [
        float, int, bool, complex, round, math.sqrt, lambda x: [1, 2][x], lambda x: np.asarray([x], dtype=float),
        lambda x: np.array([x]).astype(float), lambda x: np.zeros(2).__setitem__(0, x), lambda x: np.any([x, x]),
        lambda x: np.full(2, x, dtype=float), lambda x: np.interp(x, [0, 1], [0, 1]), lambda x: x and 1,
        lambda x: np.add.at(np.zeros(2), [0], np.array([x])), lambda x: np.count_nonzero([x]),
    ],
)  # fmt: skip
def test_conversions_are_refused(convert):
    with pytest.raises((InexactConversion, TypeError)) as raised:
        convert(THIRD)
    assert "Cannot cast" in str(raised.value) or isinstance(raised.value, InexactConversion)


@pytest.mark.parametrize(
    "compute",
    [
        lambda: np.isfinite(BALLS), lambda: np.allclose(BALLS, BALLS), lambda: np.logaddexp(BALLS, BALLS),
        lambda: np.zeros((2, 3)).__iadd__(BALLS), lambda: np.multiply(BALLS, 2, out=np.zeros((2, 3))),
        lambda: np.linalg.inv(BALLS[:, :2]), lambda: THIRD + 1j, lambda: np.longdouble(1) * THIRD, lambda: {THIRD: 1},
        lambda: Ball("1"), lambda: Ball(1j),
    ],
)  # fmt: skip
def test_what_does_not_work_fails_loudly(compute):
    with pytest.raises(TypeError):
        compute()


def test_comparisons():
    assert Ball(0.1) < 0.2
    assert Ball(0.1) == np.float64(0.1)
    assert Ball(0.1) != Fraction(1, 8)
    assert Ball(0.0) == -0.0
    assert Ball(2) >= 2
    assert (THIRD == None) is False  # noqa: E711
    for compare in (lambda: THIRD == THIRD * 1, lambda: THIRD < THIRD * 1, lambda: max(THIRD, 1 - 2 * THIRD)):
        with pytest.raises(Undecided):
            compare()
    with pytest.raises(Undecided):
        np.maximum(lift(np.array([0.1])) / 3, np.array([0.1]) * (Ball(1) / 3))
    with pytest.raises(Undecided):
        np.floor(THIRD * 3)


def test_nan_is_never_decided():
    for compare in (lambda x: x == x, lambda x: x != 1, lambda x: x < 1, lambda x: np.maximum([x], 1)):
        with pytest.raises(Undecided):
            compare(Ball(math.nan))
    assert not Ball(math.nan).finite


def test_infinities():
    low, high = Ball(-math.inf), Ball(math.inf)
    assert low - 3 == low
    assert low + THIRD == low
    assert np.exp(low) == 0
    assert high * -THIRD == low
    assert 1 / high == 0
    assert np.log(Ball(0)) == low
    assert low**2 == high
    assert low**3 == low
    assert high**-1 == 0
    assert np.tanh(low) == -1
    assert max(low, THIRD) is THIRD
    assert repr(low) == "Ball(-inf)"
    for nan in (high - high, high * 0, np.sin(high), high / high, Ball(1) / 0):
        assert nan.isnan()
    assert not THIRD.isinf()
    assert high.isinf()


def test_traps_of_raw_arb():
    """What made a strict ball needed; where these stop holding, ball.py can become simpler."""
    assert not bool(arb(0, 1) > 0)
    assert isinstance(float(arb(1) / 3), float)
    assert arb(0).log().is_nan()
    assert (arb.neg_inf() ** 2).is_nan()
    assert arb.pos_inf().floor().is_nan()
    assert str(arb.neg_inf()) == "[+/- inf]"
    assert (arb("nan") - arb("nan")).contains(0)
    assert arb.pos_inf().sin().is_finite()
    assert np.maximum(np.array([arb(0, 1)]), np.array([arb(0, 2)]))[0] is not None


def test_operands_lift_exactly():
    tenth = Fraction(3602879701896397, 36028797018963968)
    for other in (0.1, np.float64(0.1)):
        assert (Ball(0) + other).arb == Ball(0.1).arb
        assert Ball(other) == tenth
    assert Ball(np.float32(0.1)).arb == arb(float(np.float32(0.1)))
    assert Ball(2**200) - 2**200 == 0
    assert Ball(True) == 1
    assert Ball(Fraction(1, 10)).arb.contains(Ball(0.1).arb) is False or Ball(Fraction(1, 10)).radius > 0


def test_powers():
    assert Ball(2) ** 3 == 8
    assert Ball(4) ** 0.5 == 2
    assert Ball(4) ** -1.5 == 0.125
    assert Ball(-2) ** Ball(3) == -8
    assert Ball(0) ** 0 == 1
    assert Ball(0) ** 0.3 == 0
    assert (Ball(-8) ** (1 / 3)).isnan()
    assert abs((2**THIRD).midpoint - 2 ** (1 / 3)) < 1e-15


def test_precision():
    with precision(256):
        tight = Ball(1) / 3
        assert tight.radius < 1e-70
        assert pi().radius < 1e-70
    assert (Ball(1) / 3).radius > 1e-20


def test_half_ulp():
    with precision(200):
        assert half_ulp(0.1).arb.contains(exact(Fraction(1, 10)).arb)
    assert not half_ulp(0.1).arb.contains(arb(math.nextafter(0.1, 1)))
    assert half_ulp(0.0) == 0
    assert half_ulp(math.inf).isinf()
    assert half_ulp(5e-324).arb.rad() > 0


def test_lift():
    Pair = namedtuple("Pair", "x y")
    lifted = lift({"a": [0.5, 1, "s", None], "b": (np.arange(2), np.array(0.5)), "c": Pair(0.25, True)})
    assert isinstance(lifted["a"][0], Ball)
    assert lifted["a"][1:] == [1, "s", None]
    assert lifted["b"][0].dtype == np.int64
    assert lifted["b"][1].shape == ()
    assert isinstance(lifted["c"], Pair)
    assert lifted["c"].y is True
    assert lift(np.zeros((2, 0))).shape == (2, 0)
    assert lift(np.array([0.1], dtype=np.float32))[0] == float(np.float32(0.1))
    for wrong in (np.zeros(2, dtype=complex), 1j, np.longdouble(1)):
        with pytest.raises(BallError):
            lift(wrong)


def test_copies_and_pickles():
    for ball in (THIRD, Ball(2.0**-1074), Ball(-math.inf)):
        again = pickle.loads(pickle.dumps(ball))
        assert str(again) == str(ball)
        assert again.arb.contains(ball.arb) or not ball.finite
        assert copy.deepcopy(ball) is ball
    with pytest.raises(AttributeError):
        THIRD.arb = arb(1)
    assert f"{THIRD:.3f}" == "0.333"


def test_floor_of_the_very_large_and_the_very_small():
    assert arbs.floor(arb(2) ** (10**9)) is None
    assert arbs.floor(-(arb(0.5) ** (10**9))) == -1
    assert arbs.floor(arb(5.5)) == 5
    assert arbs.whole(arb(2) ** 100) == 2**100


@given(st.floats(allow_nan=False, allow_infinity=False), st.fractions(max_denominator=10**6))
def test_balls_hold_the_exact_result(x, y):
    ball = (Ball(x) + y) * Ball(y) - x
    with precision(4000):
        assert ball.arb.contains(Ball((Fraction(x) + y) * y - Fraction(x)).arb) or (
            Ball((Fraction(x) + y) * y - Fraction(x)) - ball
        ).arb.contains(0)


@pytest.mark.parametrize("exponent", [1, 2, 3, 6])
def test_a_power_of_a_ball_about_nothing_holds_the_powers_of_its_ends(exponent):
    # FLINT gives NaN where the middle is 0 exactly, as that of a difference of equal numbers is.
    found = arbs.power(arb(0, 0.25), exponent)
    assert found.is_finite()
    assert found.contains(arb(0.25) ** exponent)
    assert found.rad() < 2 * 0.25**exponent
