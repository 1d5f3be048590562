import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eqtrace.formula.ball import Ball, Undecided, lift, precision
from eqtrace.formula.evaluate import (
    Balls,
    EvaluationError,
    Float64,
    MissingValue,
    OutOfRange,
    Unsupported,
    evaluate,
    holds,
    sides,
    truth,
    value_of,
)
from eqtrace.formula.term import Distributed

F = Float64()
LOW, HIGH = Balls(53, widen=True, kinks="low"), Balls(53, widen=True, kinks="high")


def floats(array):
    return np.array([float(entry.mid()) for entry in array.ravel()]).reshape(array.shape)


def agree(found, values, sizes, expected):
    """The right side in every arithmetic."""
    right = sides(found, 0, values, sizes, F)[-1]
    np.testing.assert_allclose(right, np.broadcast_to(expected, right.shape), rtol=1e-14, atol=1e-15)
    for arithmetic in (Balls(53), LOW, HIGH, Balls(128)):
        right = sides(found, 0, values, sizes, arithmetic)[-1]
        if right.dtype == object:
            right = floats(right)
        np.testing.assert_allclose(right, np.broadcast_to(expected, right.shape), rtol=1e-14, atol=1e-15)


SQUARE = {"i": "T", "j": "T", "k": "T"}


def test_causal_mask_keeps_infinities(form):
    found = form(
        "Eq(S[i, j], Piecewise((Old(S[i, j]), j <= i), (-oo, True)))", symbols={"S": "... T T"}, indices=SQUARE
    )
    old = np.arange(18.0).reshape(2, 3, 3)
    expected = np.where(np.tri(3, dtype=bool), old, -np.inf)
    values = {"Old(S)": old, "S": expected}
    right = sides(found, 0, values, {"T": 3}, F)[1]
    np.testing.assert_array_equal(right, expected)
    left, right = sides(found, 0, values, {"T": 3}, Balls(128))
    assert np.equal(left, right).all()


def test_softmax_of_masked_scores(form):
    found = form(
        "Eq(A[i, j], exp(S[i, j] - MaxOver(S[i, k], k))/Sum(exp(S[i, k] - MaxOver(S[i, j], j)), k))",
        symbols={"S": "T T", "A": "T T"},
        indices=SQUARE,
    )
    scores = np.where(np.tri(3, dtype=bool), np.arange(9.0).reshape(3, 3) / 3, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    agree(found, {"S": scores, "A": scores}, {"T": 3}, weights / weights.sum(-1, keepdims=True))


@pytest.mark.parametrize(
    ("statement", "symbols", "indices", "values", "sizes", "expected"),
    [
        ("Eq(x[t, j], E[ids[t], j])", {"x": "T d", "E": "V d", "ids": "T"}, {"t": "T", "j": "d"},
         {"E": np.arange(10.0).reshape(5, 2), "ids": np.array([4, 0, 4])}, {"T": 3, "d": 2, "V": 5},
         np.arange(10.0).reshape(5, 2)[[4, 0, 4]]),
        ("Eq(y[w, t], ids[w*k + t + 1])", {"y": "W T", "ids": "N", "k": ""}, {"w": "W", "t": "T"},
         {"ids": np.arange(10) * 2, "k": 3}, {"W": 2, "T": 4, "N": 10}, (np.arange(2)[:,
         None] * 3 + np.arange(4) + 1) * 2),
        ("Eq(dP[r, j], Piecewise((dX[r, j], r < T), (0, True)))", {"dP": "Tmax d", "dX": "T d"}, {"r": "Tmax",
         "j": "d"},
         {"dX": np.ones((3, 2))}, {"T": 3, "Tmax": 5, "d": 2}, np.concatenate([np.ones((3, 2)), np.zeros((2, 2))])),
        ("Eq(dE[v, j], Sum(Piecewise((dX[t, j], Eq(ids[t], v)), (0, True)), t))", {"dE": "V d", "dX": "T d",
         "ids": "T"},
         {"v": "V", "t": "T", "j": "d"}, {"dX": np.arange(6.0).reshape(3, 2), "ids": [1, 0, 1]}, {"T": 3,
         "d": 2, "V": 3},
         np.array([[2.0, 3], [4, 6], [0, 0]])),
        ("Eq(C[m], Sum(p[perm[j]], (j, 0, m)))", {"C": "n", "p": "n", "perm": "n"}, {"m": "n", "j": "n"},
         {"p": np.array([0.2, 0.5, 0.3]), "perm": [1, 2, 0]}, {"n": 3}, np.cumsum([0.5, 0.3, 0.2])),
        ("Eq(c, MaxOver(Piecewise((p[i], Sum(Piecewise((1, p[j] >= p[i]), (0, True)), j) >= k), (-oo, True)), i))",
         {"c": "", "p": "n", "k": ""}, {"i": "n", "j": "n"}, {"p": np.array([0.5, 0.25, 0.125, 0.25]), "k": 3},
         {"n": 4},
         0.25),
        ("Eq(best, ArgMax(z[i], i))", {"best": "", "z": "n"}, {"i": "n"}, {"z": np.array([1.0, 3, 3, 2])}, {"n": 4}, 1),
        ("Eq(best, ArgMin(z[i]*w, i))", {"best": "", "z": "n", "w": ""}, {"i": "n"},
         {"z": np.array([1.0, 3, 3, 2]), "w": -1.0}, {"n": 4}, 1),
        ("Eq(W, ceiling((N - T)/k))", {"W": "", "N": "", "T": "", "k": ""}, {}, {"N": 13, "T": 4, "k": 3}, {}, 3),
        ("Eq(M[h, t, i], X[t, h*dh + i])", {"M": "H T dh", "X": "T H*dh"}, {"h": "H", "t": "T", "i": "dh"},
         {"X": np.arange(12.0).reshape(2, 6)}, {"H": 3, "T": 2, "dh": 2},
         np.arange(12.0).reshape(2, 3, 2).transpose(1, 0, 2)),
        ("Eq(O[t, m], Q[m // dh, t, m % dh])", {"O": "T H*dh", "Q": "H T dh"}, {"t": "T", "m": "H*dh"},
         {"Q": np.arange(12.0).reshape(3, 2, 2)}, {"H": 3, "T": 2, "dh": 2},
         np.arange(12.0).reshape(3, 2, 2).transpose(1, 0, 2).reshape(2, 6)),
        ("Eq(r[i], Sum(A[i, j]*x[j], j))", {"r": "T", "A": "T T", "x": "T"}, {"i": "T", "j": ("0", "i + 1")},
         {"A": np.arange(9.0).reshape(3, 3), "x": np.array([1.0, 2, 3])}, {"T": 3},
         np.tril(np.arange(9).reshape(3, 3)) @ [1, 2, 3]),
        ("Eq(f, Product(k + 1, (k, 0, n - 1)))", {"f": "", "n": ""}, {}, {"n": 5}, {}, 120),
        ("Eq(s, Sum(x[k], (k, 0, n - 4)))", {"s": "", "x": "n"}, {}, {"x": np.ones(3)}, {"n": 3}, 0),
        ("Eq(s, Sum(2, k) + Sum(z, k))", {"s": "", "z": "", "x": "n"}, {"k": "n"}, {"z": 0.5}, {"n": 3}, 7.5),
        ("Eq(r, Rank(X)*10 + Dim(X, 1))", {"r": "", "X": None}, {}, {"X": np.zeros((2, 7))}, {}, 27),
        ("Eq(y, Mod(x, 0.75) + sign(x)*Abs(x) + Min(x, 2, n))", {"y": "", "x": "", "n": ""}, {}, {"x": 1.75,
         "n": 1}, {},
         0.25 + 1.75 + 1),
        ("Eq(g, gamma(x) + loggamma(x) + erf(x) + beta(x, 2) + digamma(x) + factorial(3))", {"g": "", "x": ""}, {},
         {"x": 1.5}, {}, math.gamma(1.5) + math.lgamma(1.5) + math.erf(1.5) + 1 / (1.5 * 2.5) + 0.0364899739785765 + 6),
        ("Eq(y, log(x, 2) + log2(x) + atan2(x, 1) + cbrt(x) + x**-2 + x**1.5 + 2**x)", {"y": "", "x": ""}, {},
         {"x": 8.0}, {},
         6 + math.atan2(8, 1) + 2 + 1 / 64 + 8**1.5 + 256),
    ],
)  # fmt: skip
def test_formulas(form, statement, symbols, indices, values, sizes, expected):
    found = form(statement, symbols=symbols, indices=indices)
    left = dict.fromkeys(found.left(0), expected)
    agree(found, {**left, **values}, sizes, expected)


def test_scalars_and_arrays_of_unknown_shape(form):
    found = form("a*exp(-(x - c)**2/(2*s**2))", whole=True, parameters=("x", "a", "c", "s"))
    for x in (0.5, np.linspace(-1, 1, 5), np.ones((2, 3))):
        values = {"x": x, "a": 2, "c": 0.25, "s": 3.0, "result": x}
        agree(found, values, {}, 2 * np.exp(-((x - 0.25) ** 2) / 18))


def test_batches_broadcast(form):
    found = form(
        "Eq(y[i], x[i]*w[ids[i]] + c)",
        symbols={"y": "... n", "x": "... n", "w": "... n", "ids": "... n", "c": "..."},
        indices={"i": "n"},
    )
    rng = np.random.default_rng(1)
    x, w, ids, c = rng.random((4, 1, 3)), rng.random((2, 3)), rng.integers(0, 3, (4, 2, 3)), rng.random((4, 1))
    picked = np.take_along_axis(np.broadcast_to(w, (4, 2, 3)), ids, -1)
    expected = x * picked + c[..., None]
    agree(found, {"x": x, "w": w, "ids": ids, "c": c, "y": expected}, {"n": 3}, expected)


def test_where_narrows_indices(form):
    keys = {"symbols": {"y": "T", "x": "T"}, "indices": {"t": "T"}}
    values = {"x": np.arange(4.0), "y": np.arange(4.0)}
    found = form("Eq(y[t], x[t + 1])", where="t < T - 1", **keys)
    (result,) = evaluate(found, 0, values, {"T": 4}, F)
    np.testing.assert_array_equal(result.mask, [True, True, True, False])
    np.testing.assert_array_equal(result.sides[1][:3], [1, 2, 3])
    with pytest.raises(OutOfRange, match="x: subscript 4 on axis 0 of length 4"):
        sides(form("Eq(y[t], x[t + 1])", **keys), 0, values, {"T": 4}, F)
    with pytest.raises(OutOfRange, match="-1"):
        sides(form("Eq(y[t], x[t - 1])", **keys), 0, values, {"T": 4}, F)


def test_premises_narrow_too(form):
    found = form("Implies(Eq(A[i, j], 0), Eq(dS[i, j], 0))", symbols={"A": "T T", "dS": "T T"}, indices=SQUARE)
    values = {"A": np.tri(3), "dS": np.tri(3)}
    (result,) = evaluate(found, 0, values, {"T": 3}, F)
    assert result.mask.sum() == 3
    assert truth(found, 0, values, {"T": 3}, F)[0].holds
    assert not truth(found, 0, {**values, "dS": np.ones((3, 3))}, {"T": 3}, F)[0].holds


def test_truth_and_requirements(form):
    found = form("Eq(d % H, 0)", symbols={"d": "", "H": ""}, where="d > 0, H > 0")
    assert truth(found, 0, {"d": 6, "H": 3}, {}, Balls(128))[0].holds
    assert not truth(found, 0, {"d": 7, "H": 3}, {}, F)[0].holds
    assert holds(found, {"d": 6, "H": 3}, {}) is True
    assert holds(found, {"d": 6, "H": -3}, {}) is False
    assert holds(found, {"d": 6}, {}) is None
    found = form("Eq(y[t], x[t])", symbols={"y": "T", "x": "T"}, indices={"t": "T"}, where="x[t] > 0")
    assert holds(found, {"x": [1.0, 2.0]}, {"T": 2}) is True
    assert holds(found, {"x": [1.0, -2.0]}, {"T": 2}) is False
    assert found.narrows() == ()


def test_strings(form):
    found = form("Piecewise((x, mode == 'up'), (-x, mode != 'up'))", whole=True, parameters=("x", "mode"))
    assert sides(found, 0, {"x": 2.0, "mode": "up", "result": 0}, {}, F)[1] == 2
    assert sides(found, 0, {"x": 2.0, "mode": "down", "result": 0}, {}, Balls(64))[1][()] == -2


def test_several_equations(form):
    found = form(
        "And(Eq(y[t], 2*x[t]), Eq(s, Sum(x[t], t)))", symbols={"y": "T", "x": "T", "s": ""}, indices={"t": "T"}
    )
    first, second = evaluate(found, 0, {"x": [1.0, 2.0], "y": [2.0, 4.0], "s": 3.0}, {"T": 2}, F)
    assert first.indices == ("t",)
    assert second.indices == ()
    assert second.sides[1] == 3
    with pytest.raises(EvaluationError, match="2 equations"):
        sides(found, 0, {}, {}, F)


def test_forall(form):
    found = form("ForAll(x[t + 1] >= x[t], (t, 0, T - 2))", symbols={"x": "T"})
    assert truth(found, 0, {"x": [1.0, 2.0, 2.0]}, {"T": 3}, Balls(60))[0].holds
    assert not truth(found, 0, {"x": [1.0, 3.0, 2.0]}, {"T": 3}, F)[0].holds


def test_arguments_of_a_distribution(form):
    found = form("Uniform(W[i], -lim, 2*lim)", symbols={"W": "n", "lim": ""}, indices={"i": "n"})
    law = found.statement(0)
    assert isinstance(law, Distributed)
    result = value_of(found, law.args, {"lim": 0.5}, {}, F)
    assert [float(side) for side in result.sides] == [-0.5, 1.0]


def test_what_cannot_be_evaluated(form):
    keys = {"symbols": {"y": "T", "x": "T"}, "indices": {"t": "T"}}
    found = form("Eq(y[t], x[t])", **keys)
    with pytest.raises(MissingValue, match="x has no value"):
        sides(found, 0, {"y": [1.0]}, {"T": 1}, F)
    with pytest.raises(MissingValue, match="T has no value"):
        sides(found, 0, {"y": [1.0], "x": [1.0]}, {}, F)
    with pytest.raises(Unsupported):
        sides(form("Eq(y[t], f(x))", functions={"f": ("x",)}, **keys), 0, {"y": [1.0], "x": [1.0]}, {"T": 1}, F)
    with pytest.raises(EvaluationError, match="no integer"):
        sides(form("Eq(y[t], x[x[t]])", **keys), 0, {"y": [1.0], "x": [1.0]}, {"T": 1}, F)


@pytest.mark.parametrize(
    "statement",
    [
        "Eq(y[i], exp(g) + g**2 + Max(g, x[i]) + sqrt(g) + MaxOver(Piecewise((x[k], k < i), (0, True)), k))",
        "Eq(y[i], exp(Sum(x[k], (k, 0, i - 1))) + Product(x[k], (k, 0, i))**2)",
    ],
)
def test_integers_among_reals(form, statement):
    let = {"g": "Piecewise((x[i], x[i] > 0), (0, True))"}
    found = form(statement, let=let, symbols={"y": "n", "x": "n"}, indices={"i": "n", "k": "n"})
    values = {"x": np.array([0.5, -0.25, 2.0]), "y": np.zeros(3)}
    agree(found, values, {"n": 3}, sides(found, 0, values, {"n": 3}, F)[1])


# Kinks


def step(form):
    return form(
        "Eq(y[i], Piecewise((1, x[i] + 0.1 > 0.3), (0, True)))", symbols={"y": "n", "x": "n"}, indices={"i": "n"}
    )


def test_a_kink_is_taken_both_ways_and_counted(form):
    values = {"x": np.array([0.1, 0.2, 0.3]), "y": np.zeros(3)}
    for arithmetic, expected in ((LOW, [0, 0, 1]), (HIGH, [0, 1, 1])):
        (result,) = evaluate(step(form), 0, values, {"n": 3}, arithmetic)
        np.testing.assert_array_equal(result.sides[1], expected)
        assert result.kinks == 1
    (result,) = evaluate(step(form), 0, values, {"n": 3}, Balls(128))  # 0.2 is a little more than a fifth
    np.testing.assert_array_equal(result.sides[1], [0, 1, 1])
    assert result.kinks == 0


def test_the_kink_itself_is_decided(form):
    found = form("Eq(y[i], Piecewise((x[i], x[i] > 0), (0, True)))", symbols={"y": "n", "x": "n"}, indices={"i": "n"})
    values = {"x": np.array([0.0, -0.0, 5e-324, -1.0]), "y": np.zeros(4)}
    for arithmetic in (LOW, HIGH, Balls(53)):
        (result,) = evaluate(found, 0, values, {"n": 4}, arithmetic)
        assert result.kinks == 0
        assert [bool(entry > 0) for entry in result.sides[1]] == [False, False, arithmetic == Balls(53), False]


def test_floor_within_rounding(form):
    found = form("Eq(cut, floor((1 - rho)*N))", symbols={"cut": "", "rho": "", "N": ""})
    values = {"cut": 27, "rho": 0.1, "N": 30}  # int((1 - 0.1)*30) is 27, the exact floor of the float 0.1 is 26
    assert [int(sides(found, 0, values, {}, arithmetic)[1]) for arithmetic in (LOW, HIGH, Balls(128))] == [26, 27, 26]
    assert int(sides(found, 0, values, {}, F)[1]) == 27
    assert evaluate(found, 0, {**values, "rho": 0.25}, {}, LOW)[0].kinks == 0


def test_undecided_without_widening(form):
    found = form("Eq(y, Piecewise((1, sqrt(x)**2 > x), (0, True)))", symbols={"y": "", "x": ""})
    with pytest.raises(Undecided):
        sides(found, 0, {"x": 2.0, "y": 0}, {}, Balls(200))
    assert int(sides(found, 0, {"x": 2.0, "y": 0}, {}, LOW)[1]) == 0
    assert int(sides(found, 0, {"x": 2.0, "y": 0}, {}, HIGH)[1]) == 1


def test_undecided_where_nothing_is_wanted_is_no_matter(form):
    found = form("Eq(y, Piecewise((1, x > 1), (floor(sqrt(x)**2), x < 0), (2, True)))", symbols={"y": "", "x": ""})
    assert int(sides(found, 0, {"x": 2.0, "y": 0}, {}, Balls(200))[1]) == 1


def test_argmax_ties(form):
    found = form("Eq(b, ArgMax(x[i] + 0.1, i))", symbols={"b": "", "x": "n"}, indices={"i": "n"})
    values = {"b": 0, "x": np.array([0.2, 0.3 - 0.1, 0.0])}  # 0.2 and 0.19999999999999998
    assert int(sides(found, 0, values, {"n": 3}, Balls(128))[1]) == 0
    near = {"b": 0, "x": np.array([1e17, 1e17, 0.0])}
    found = form("Eq(b, ArgMax(x[i] - 0.1, i))", symbols={"b": "", "x": "n"}, indices={"i": "n"})
    assert [int(sides(found, 0, near, {"n": 3}, one)[1]) for one in (LOW, HIGH)] == [0, 1]


def test_widening_keeps_the_domain(form):
    found = form("Eq(y, sqrt(1 - x**2) + acos(x))", symbols={"y": "", "x": ""})
    assert sides(found, 0, {"x": 1.0, "y": 0.0}, {}, LOW)[1][()].is_finite()


def test_roots_of_nothing(form):
    found = form("Eq(y, sqrt(Abs(0.1*x - x/10)))", symbols={"y": "", "x": ""})
    root = sides(found, 0, {"x": 1.0, "y": 0.0}, {}, Balls(300))[1][()]
    assert root.contains(0)
    assert root.rad() < 1e-40


# Properties


numbers = st.floats(-1e3, 1e3, allow_nan=False)


@pytest.fixture(scope="module")
def rational(make_form):
    return make_form(
        "Eq(s, Sum((x[i] - y[i]/3)**3*0.1, i) - Max(x[0], y[1]))",
        symbols={"s": "", "x": "n", "y": "n"},
        indices={"i": "n"},
    )


@settings(max_examples=60, deadline=None)
@given(xs=st.lists(numbers, min_size=3, max_size=3), ys=st.lists(numbers, min_size=3, max_size=3))
def test_balls_hold_exact_rationals(rational, xs, ys):
    exact = sum(((Fraction(x) - Fraction(y) / 3) ** 3 / 10 for x, y in zip(xs, ys, strict=True)), Fraction(0))
    exact -= max(Fraction(xs[0]), Fraction(ys[1]))
    values = {"x": np.array(xs), "y": np.array(ys), "s": 0.0}
    for arithmetic in (Balls(53), LOW, Balls(100)):
        ball = sides(rational, 0, values, {"n": 3}, arithmetic)[1][()]
        with precision(400):
            assert (Ball(exact).arb - ball).contains(0)


def test_balls_as_inputs(form):
    found = form("Eq(y[i], x[i]*2)", symbols={"y": "n", "x": "n"}, indices={"i": "n"})
    balls = lift(np.array([0.1, 0.2]))
    right = sides(found, 0, {"x": balls, "y": balls}, {"n": 2}, Balls(128))[1]
    assert [entry == 2 * ball.arb for entry, ball in zip(right, balls, strict=True)] == [True, True]
    np.testing.assert_array_equal(sides(found, 0, {"x": balls, "y": balls}, {"n": 2}, F)[1], [0.2, 0.4])


def test_integers_do_not_overflow(form):
    found = form("Eq(y[i], x[i]*x[i]*x[i])", symbols={"y": "n", "x": "n"}, indices={"i": "n"})
    values = {"x": np.array([2**40, 3]), "y": np.zeros(2)}
    np.testing.assert_array_equal(sides(found, 0, values, {"n": 2}, F)[1], [2.0**120, 27])
    assert sides(found, 0, values, {"n": 2}, Balls(128))[1][0] == 2**120


def test_forms_are_pickled_without_their_closures(form):
    found = form("Eq(y[i], x[i]*2)", symbols={"y": "n", "x": "n"}, indices={"i": "n"})
    values = {"x": [1.0, 2.0], "y": [2.0, 4.0]}
    sides(found, 0, values, {"n": 2}, F)
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(sides(again, 0, values, {"n": 2}, F)[1], [2, 4])


def test_bound_names_do_not_clash(form):
    found = form(
        "Eq(v[t], Sum((X[t, k] - mu)**2, k)/a)", let={"mu": "Sum(X[t, k], k)/a"}, symbols={"v": "T", "X": "T a"},
        indices={"t": "T", "k": "a"},
    )  # fmt: skip
    values = np.arange(6.0).reshape(2, 3) ** 2
    agree(found, {"X": values, "v": values[:, 0]}, {"T": 2, "a": 3}, values.var(-1))


def test_subscripts_stay_integers_where_nothing_is_wanted(form):
    """What is left out by a premise may hold sums over nothing: they must not make reals of the others."""
    found = form(
        "Implies(p[j] >= 0, Eq(out[Sum(Sum(Piecewise((1, r[l, u] >= 0), (0, True)), u), (l, 0, j - 1))], p[j]))",
        symbols={"out": "C", "p": "n", "r": "n M"},
        indices={"j": "n", "u": "M"},
    )
    values = {"out": np.array([7, 3]), "p": np.array([7, -1]), "r": np.zeros((2, 1))}
    for arithmetic in (F, LOW, HIGH, Balls(128)):
        code, expected = sides(found, 0, values, {"C": 2, "n": 2, "M": 1}, arithmetic)
        assert int(code.ravel()[0]) == int(expected.ravel()[0]) == 7
