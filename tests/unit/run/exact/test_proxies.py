"""Every function of the tables is right on balls, at a precision that float64 lacks; all others refuse them."""

import math

import numpy as np
import pytest
from flint import arb

from eqtrace.formula.ball import Ball, BallError, Undecided, exact, lift, precision
from eqtrace.run.exact import proxies
from eqtrace.run.exact.proxies import MATH, NUMPY, NotExact, stand_in

BITS = 200
X = np.array([[0.3, -0.7, 1.6], [2.5, 0.1, -0.2]])
V = np.array([0.4, -1.5, 0.9])
POSITIVE = {"log", "log2", "log10", "sqrt", "power", "float_power", "logaddexp"}
WITHIN_ONE = {"arcsin", "arccos", "arctanh", "asin", "acos", "atanh"}

# By name: arguments in floats. What a name is not given takes X, or X and V.
ARGUMENTS = {
    "average": (X, 1, V),
    "power": (abs(X), 2.5), "float_power": (abs(X), 3), "arctan2": (X, V), "hypot": (X, V), "divide": (X, V),
    "true_divide": (X, V), "where": (X > 0, X, 2 * X), "matmul": (X, V), "dot": (X, V), "einsum": ("ij,j->i", X, V),
    "tensordot": (X, V, 1), "outer": (V, V), "inner": (V, V), "vdot": (V, V), "kron": (V, V), "take": (V, [2, 0]),
    "take_along_axis": (X, np.array([[0], [2]]), 1), "reshape": (X, (3, 2)), "swapaxes": (X, 0, 1),
    "moveaxis": (X, 0, 1), "expand_dims": (X, 1), "concatenate": ([X, X],), "stack": ([X, X],), "vstack": ([X, X],),
    "hstack": ([X, X],), "split": (V, 3), "array_split": (V, 2), "broadcast_to": (V, (2, 3)), "repeat": (V, 2),
    "tile": (V, 2), "roll": (V, 1), "clip": (X, -0.5, 1.0), "append": (V, V), "insert": (V, 1, 0.5),
    "delete": (V, 1), "full": ((2, 2), 0.3), "full_like": (X, 0.3), "zeros": ((2, 2),), "ones": (3,), "empty": (0,),
    "eye": (3,), "identity": (2,), "trace": (X[:, :2],), "diag": (V,), "diagonal": (X,), "vander": (V, 3),
    "arccosh": (abs(X) + 1,), "log1p": (abs(X),), "logaddexp": (X, V), "mod": (X, abs(V)), "remainder": (X, abs(V)),
    "floor_divide": (X, V), "diff": (V,), "logical_and": (X > 0, X > 1), "logical_or": (X > 0, X > 1),
    "logical_not": (X > 0,), "any": (X > 0,), "all": (X > 0,), "count_nonzero": (X > 0,), "meshgrid": (V, V),
    "broadcast_arrays": (X, V), "atleast_1d": (V,), "atleast_2d": (V,), "squeeze": (X[None],), "pow": (abs(X), 2.5),
    "copysign": (X, V), "linspace": (0.25, -1.5, 5), "arange": (0.5, 2.0, 0.25), "concat": ([X, X],),
    "isclose": (X, X + 1e-9), "allclose": (X, X + 1e-9),
}  # fmt: skip
BINARY = frozenset(
    ("add", "subtract", "multiply", "maximum", "minimum", "greater", "greater_equal", "less", "less_equal", "equal")
) | {"not_equal"}
IN_PLACE = {"copyto", "put_along_axis", "fill_diagonal"}
INTEGERS = {"ix_", "finfo"}  # no balls come in


def arguments(name):
    if name in ARGUMENTS:
        return ARGUMENTS[name]
    if name in BINARY:
        return X, V
    if name in WITHIN_ONE:
        return (X / 3,)
    return (abs(X),) if name in POSITIVE else (X,)


def balls(value):
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return lift(value)
    if isinstance(value, float):
        return exact(value)
    return [balls(each) for each in value] if isinstance(value, list) and isinstance(value[0], np.ndarray) else value


def same(found, expected):
    """Whether values agree with floats to their digits, and are known far beyond them."""
    if isinstance(expected, list | tuple):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(found, Ball):
        return found.radius <= 1e-45 and math.isclose(found.midpoint, float(expected), rel_tol=1e-14, abs_tol=1e-15)
    if isinstance(found, np.ndarray):
        expected = np.asarray(expected)
        return found.shape == expected.shape and all(same(a, b) for a, b in zip(found.flat, expected.flat, strict=True))
    assert not isinstance(found, float)
    return found == expected


@pytest.mark.parametrize("name", sorted(set(proxies._ARRAY_FUNCTIONS) - IN_PLACE - INTEGERS))
def test_each_function_of_numpy(name):
    given = arguments(name)
    with precision(BITS):
        found = getattr(NUMPY, name)(*map(balls, given))
        assert same(found, getattr(np, name)(*given))


@pytest.mark.parametrize("name", sorted(set(proxies._ELEMENTWISE) - {"cumprod"}))
def test_elementwise_functions_lift_integers(name):
    given = (1, 2) if name in ("arctan2", "hypot", "power", "float_power", "divide", "true_divide") else (1,)
    if name == "arctanh":
        given = (0,)
    with precision(BITS):
        found = getattr(NUMPY, name)(*given)
        assert isinstance(found, Ball)
        assert same(found, getattr(np, name)(*map(float, given)))


def test_functions_that_write():
    with precision(BITS):
        target = NUMPY.zeros((2, 2))
        NUMPY.copyto(target, balls(X[:, :2]))
        assert same(target, X[:, :2])
        NUMPY.put_along_axis(target, np.array([[0], [1]]), exact(7), 1)
        assert (target[0, 0], target[1, 1]) == (7, 7)
        rows = balls(X)
        assert NUMPY.exp(rows, rows) is rows
        assert same(rows, np.exp(X))
        NUMPY.sqrt(rows, out=rows)
        assert same(rows, np.sqrt(np.exp(X)))
        NUMPY.fill_diagonal(target, 7)
        assert (target[0, 0], target[1, 1]) == (7, 7)
        NUMPY.add.at(target, ([0, 0], [1, 1]), exact(0.5))
        assert same(target[0, 1], -0.7 + 1.0)


@pytest.mark.parametrize("method", ["mean", "var", "std"])
@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": 1, "keepdims": True}])
def test_moments(method, options):
    with precision(BITS):
        assert same(getattr(NUMPY, method)(balls(X), **options), getattr(np, method)(X, **options))
        integers = np.array([[1, 2], [2, 2]])
        found = getattr(NUMPY, method)(integers, **({"axis": 0} if options.get("axis") == 0 else {}))
        assert isinstance(np.asarray(found, dtype=object).flat[0], Ball)


def test_averages():
    with precision(BITS):
        assert same(NUMPY.average(balls(X)), np.average(X))
        assert same(NUMPY.average(balls(X), axis=-1, keepdims=True), np.average(X, axis=-1, keepdims=True))
        assert same(NUMPY.average(balls(X), axis=1, weights=balls(V)), np.average(X, axis=1, weights=V))
        assert same(NUMPY.average(balls(X), axis=0, weights=[1, 2]), np.average(X, axis=0, weights=[1, 2]))
        assert same(NUMPY.average(balls(X), weights=balls(abs(X))), np.average(X, weights=abs(X)))
        with pytest.raises(NotExact):
            NUMPY.average(balls(V), returned=True)


def test_logaddexp_along_an_axis():
    far = np.array([1e3, 1e3, -np.inf])
    with precision(BITS):
        for values in (X, far, np.array([[-np.inf, -np.inf]])):
            found = NUMPY.logaddexp.reduce(balls(values), axis=-1, keepdims=True)
            assert same(found, np.logaddexp.reduce(values, axis=-1, keepdims=True))


def test_norms():
    with precision(BITS):
        assert same(NUMPY.linalg.norm(balls(V)), np.linalg.norm(V))
        assert same(NUMPY.linalg.norm(balls(X), axis=1), np.linalg.norm(X, axis=1))
        with pytest.raises(NotExact):
            NUMPY.linalg.norm(balls(X), 1)
        with pytest.raises(AttributeError):
            NUMPY.linalg.inv(balls(X[:, :2]))


def test_creation_with_types():
    with precision(BITS):
        assert NUMPY.zeros(3, dtype=int).dtype.kind == "i"
        assert NUMPY.zeros(2, bool).dtype == bool
        assert isinstance(NUMPY.zeros(2, dtype=np.float64)[0], Ball)
        assert isinstance(NUMPY.ones_like(X)[0, 0], Ball)
        assert NUMPY.ones_like(np.array([1, 2])).dtype.kind == "i"
        assert NUMPY.full(2, 7).dtype.kind == "i"
        assert isinstance(NUMPY.asarray([0.5, 1.5])[0], Ball)
        assert NUMPY.asarray([1, 2]).dtype.kind == "i"
        assert isinstance(NUMPY.array([1, 2], dtype=float)[0], Ball)
        with pytest.raises(NotExact):
            NUMPY.array([exact(0.5)], dtype=int)
        kept = balls(V)
        assert NUMPY.asarray(kept) is kept
        assert NUMPY.array(kept) is not kept


REFUSED = {
    "interp": (0, [0, 1], [0, 3]),
    "median": ([1, 2],),
    "logspace": (0, 1, 3),
    "hanning": (4,),
    "corrcoef": ([1, 2, 3], [2, 1, 3]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_functions_that_round_are_refused_even_without_balls(name):
    with pytest.raises(NotExact, match=name):
        getattr(NUMPY, name)(*REFUSED[name])


@pytest.mark.parametrize("name", ["nan_to_num", "convolve", "cross", "percentile", "unwrap", "real_if_close"])
def test_unknown_functions_refuse_balls(name):
    with pytest.raises(NotExact, match=name):
        getattr(NUMPY, name)(balls(V), balls(V))


@pytest.mark.parametrize("name", ["argwhere", "arange", "flatnonzero", "bincount", "searchsorted"])
def test_functions_of_integers_work(name):
    given = ([0, 1, 1], [1]) if name == "searchsorted" else (4,) if name == "arange" else ([0, 1, 1],)
    assert np.array_equal(getattr(NUMPY, name)(*given), getattr(np, name)(*given))


def test_what_reads_a_ball_as_a_float_raises():
    with pytest.raises((BallError, TypeError)):
        np.asarray(balls(V), dtype=float)
    with pytest.raises((BallError, TypeError)):
        balls(V).astype(np.float64)
    with pytest.raises((BallError, TypeError)):
        math.sqrt(exact(2))
    target = np.zeros(3)
    with pytest.raises((BallError, TypeError)):
        target[0] = exact(1) / 3


SINGLE = {
    "exp": 0.7, "expm1": 1e-9, "log1p": 1e-9, "log2": 5.0, "log10": 7.0, "sqrt": 2.0, "sin": 1.2, "cos": 1.2,
    "tan": 0.4, "sinh": 0.5, "cosh": 0.5, "tanh": 0.5, "asin": 0.3, "acos": 0.3, "atan": 1.7, "asinh": 0.2,
    "acosh": 1.8, "atanh": 0.4, "cbrt": -5.0, "erf": 0.6, "erfc": 1.1, "gamma": 2.3, "lgamma": 4.4, "fabs": -2.5,
    "radians": 30.0, "degrees": 0.5, "log": 3.0,
}  # fmt: skip


@pytest.mark.parametrize("name", SINGLE)
def test_each_function_of_math(name):
    with precision(BITS):
        assert same(getattr(MATH, name)(exact(SINGLE[name])), getattr(math, name)(SINGLE[name]))


def test_other_functions_of_math():
    with precision(BITS):
        assert same(MATH.log(exact(8.0), 2), 3.0)
        assert same(MATH.pow(3, -2), 1 / 9)
        assert same(MATH.atan2(exact(0.5), exact(-0.25)), math.atan2(0.5, -0.25))
        assert same(MATH.hypot(3, 4), 5.0)
        assert (MATH.floor(exact(2.5)), MATH.ceil(exact(2.5))) == (2, 3)
        assert (MATH.isnan(exact(1)), MATH.isfinite(exact(1)), MATH.isinf(float("inf"))) == (False, True, True)
        assert MATH.comb(5, 2) == 10
        assert same(MATH.tau, math.tau)
        assert same(MATH.pi * 1, math.pi)
        assert same(NUMPY.e * 1, math.e)
        assert math.isinf(MATH.inf)
    for refused in (
        lambda: MATH.remainder(exact(1), exact(2)),
        lambda: MATH.dist([1], [3]),
        lambda: MATH.exp2(exact(2)),
    ):
        with pytest.raises((NotExact, AttributeError)):
            refused()


def test_special_functions():
    class Module:
        """Stands for scipy.special."""

        erf = gammaln = expit = digamma = staticmethod(lambda x: x)
        wofz = staticmethod(lambda x: x)

    special = proxies.Special(Module)
    with precision(BITS):
        assert same(special.erf(exact(0.5)), math.erf(0.5))
        assert same(special.gammaln(exact(0.5)), math.lgamma(0.5))
        assert same(special.expit(exact(0.5)), 1 / (1 + math.exp(-0.5)))
        assert same(special.digamma(exact(1.0)), -0.5772156649015329)
        with pytest.raises(NotExact):
            special.wofz(exact(0.5))


OF_ONE = {
    "log1p": 0.3, "expm1": 1e-9, "exp2": 0.7, "exp10": 0.7, "cbrt": -5.0, "sinc": 0.3, "erf": 0.5, "erfc": 1.5,
    "erfcx": 1.5, "gamma": 2.3, "rgamma": 2.3, "gammaln": 9.5, "digamma": 2.5, "psi": 2.5, "expit": -3.0, "logit": 0.2,
    "log_expit": -3.0, "ndtr": -1.25, "log_ndtr": -1.25, "entr": 0.25, "cosm1": 0.5, "sindg": 30.0, "cosdg": 50.0,
}  # fmt: skip
OF_TWO = {
    "xlogy": (1.5, 0.25), "xlog1py": (1.5, 0.25), "betaln": (2.5, 0.75), "beta": (2.5, 0.75), "poch": (1.5, 0.5),
    "rel_entr": (0.25, 0.75), "kl_div": (0.25, 0.75),
}  # fmt: skip


def test_every_function_of_scipy_is_tried():
    assert proxies.SPECIAL.keys() == OF_ONE.keys() | OF_TWO.keys()


@pytest.mark.parametrize("name", sorted({**OF_ONE, **OF_TWO}))
def test_each_function_of_scipy(name):
    special = pytest.importorskip("scipy.special")
    given = OF_TWO.get(name) or (OF_ONE[name],)
    arrays = [np.array([each, each]) for each in given]
    with precision(BITS):
        found = proxies.SPECIAL[name](*map(exact, given))
        assert same(found, getattr(special, name)(*given))
        assert same(proxies.SPECIAL[name](*map(lift, arrays)), getattr(special, name)(*arrays))
        assert same(stand_in(getattr(special, name))(*map(exact, given)), getattr(special, name)(*given))


def test_limits_that_scipy_documents():
    with precision(BITS):
        assert proxies.SPECIAL["xlogy"](exact(0), exact(0)) == 0
        assert proxies.SPECIAL["xlog1py"](exact(0), exact(-1)) == 0
        assert proxies.SPECIAL["entr"](exact(0)) == 0
        assert proxies.SPECIAL["entr"](exact(-1)) == float("-inf")
        assert proxies.SPECIAL["rel_entr"](exact(0), exact(0.5)) == 0
        assert proxies.SPECIAL["rel_entr"](exact(0.5), exact(0)) == float("inf")
        assert proxies.SPECIAL["kl_div"](exact(0), exact(0.5)) == 0.5


def test_what_floats_can_hold():
    with precision(BITS):
        for kind in (np.float64, float, balls(V).dtype, balls(V)):
            assert same(NUMPY.finfo(kind).eps, np.finfo(float).eps)
        assert same(NUMPY.finfo(np.float32).eps, float(np.finfo(np.float32).eps))


def test_ranges():
    with precision(BITS):
        assert NUMPY.arange(4).dtype.kind == "i"
        assert NUMPY.arange(1, 4, dtype=float).dtype == object
        assert NUMPY.arange(4, dtype=np.int64).dtype == np.int64
        assert same(NUMPY.arange(exact(-1.5), exact(2.0), exact(1)), np.arange(-1.5, 2.0, 1.0))
        assert same(NUMPY.linspace(exact(-1), 1, 4, endpoint=False), np.linspace(-1, 1, 4, endpoint=False))
        assert same(NUMPY.linspace(0, 1, 1), [0.0])
        assert len(NUMPY.linspace(0, 1, 0)) == 0
        _, width = NUMPY.linspace(0, 1, 4, retstep=True)
        assert same(width, 1 / 3)
        with pytest.raises(BallError):
            NUMPY.linspace(lift(V), 1, 4)
        with pytest.raises(BallError):
            NUMPY.arange(0, exact(1), exact(1e-9))
    with precision(BITS), pytest.raises(Undecided):  # whether the end is reached can't be told
        NUMPY.arange(0, exact(1) / 3 * 3, exact(1) / 3)


def test_closeness():
    with precision(BITS):
        for one, other in ((1.0, 1.0 + 1e-6), (1.0, 1.1), (0.0, 1e-9), (0.0, 1e-7), (np.inf, np.inf), (1.0, np.inf)):
            balls_of = [exact(each) if np.isfinite(each) else each for each in (one, other)]
            assert NUMPY.isclose(*balls_of) == np.isclose(one, other)
            assert NUMPY.allclose(*balls_of) == np.isclose(one, other)
        assert NUMPY.isclose(exact(1), exact(2), rtol=exact(1)) is True
        with pytest.raises(NotExact):
            NUMPY.isclose(exact(1), exact(1), equal_nan=True)
        with pytest.raises(Undecided):
            NUMPY.isclose(exact(1) / 3 + exact(1e-8), exact(1) / 3, rtol=0)


def test_the_sign_of_a_zero_is_not_known():
    with precision(BITS), pytest.raises(Undecided):
        NUMPY.copysign(exact(1), exact(0))


def test_stand_ins():
    assert stand_in(np) is NUMPY
    assert stand_in(math) is MATH
    assert stand_in(len) is len
    assert stand_in(5) == 5
    with precision(BITS):
        assert same(stand_in(np.exp)(exact(1)), math.e)
        assert same(stand_in(math.exp)(exact(1)), math.e)
    with pytest.raises(NotExact):
        stand_in(np.nan_to_num)(exact(1))


@pytest.mark.parametrize("name", ["max", "min", "amax", "amin"])
def test_extremes_of_balls_that_overlap_hold_the_extreme(name):
    third = 0.1 * 3
    with precision(BITS):
        row = NUMPY.divide(balls(np.array([0.3, third, 0.3, 0.0 if "max" in name else 9.0])), balls(np.full(4, 0.7)))
        call, plain = getattr(NUMPY, name), getattr(np, name)
        exactly = exact(plain([0.3, third, 0.3])) / exact(0.7)
        for found in (call(row), call(row, axis=0), call(row[None], axis=1)[0], call(row, keepdims=True)[0]):
            assert (found.arb - exactly.arb).contains(0)
            assert found.radius < 1e-55
        assert call(row[None], axis=-1, keepdims=True).shape == (1, 1)
        assert call(np.array([3, 1, 2])) == plain([3, 1, 2])
        assert call(np.array([[3, 1], [2, 5]]), 1).tolist() == plain([[3, 1], [2, 5]], 1).tolist()


def test_maximum_of_balls_that_overlap_stays_undecided():
    with precision(BITS), pytest.raises(Undecided):
        NUMPY.maximum(exact(0.3) / exact(0.7), exact(0.3) / exact(0.7))


def test_attributes_of_ufuncs():
    with precision(BITS):
        assert same(NUMPY.maximum.reduce(balls(V)), V.max())
        assert same(NUMPY.add.accumulate(balls(V)), np.add.accumulate(V))
    with pytest.raises(NotExact):
        _ = NUMPY.add.identity


def test_a_ball_knows_more_digits_than_a_float():
    with precision(BITS):
        assert (NUMPY.exp(1).arb - arb(1).exp()).contains(0)
        assert NUMPY.exp(1).radius < 1e-55
