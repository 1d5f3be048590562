"""The formulas of three pages of the transformer's specification as forms, held against NumPy."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from eqtrace.formula.evaluate import Balls, Float64, Unsupported, evaluate, sides, truth
from eqtrace.formula.shape import solve

TAB = {"t": "T", "k": "a", "j": "c"}
LINEAR = {"X": "T a", "W": "a c", "b": "c", "Y": "T c", "P": "T c", "dY": "T c", "dW": "a c", "db": "c", "dX": "T a"}
RELU = {"Z": "... n", "A": "... n", "dA": "... n", "dZ": "... n"}
XAVIER = {"lim": "", "fan_in": "", "fan_out": "", "W": "fan_in fan_out"}
SOFTMAX = {"x": "... n", "e": "... n", "p": "... n", "y": "... n", "dY": "... n", "dx": "... n", "c": ""}
CROSS = {
    "logits": "T V", "z": "T V", "logp": "T V", "y": "T", "L": "", "P": "T V", "dZ": "T V", "l": "T", "ppl": "",
}  # fmt: skip
NORM = {
    "X": "T d", "mu": "T", "var": "T", "s": "T", "Xhat": "T d", "Y": "T d", "gamma": "d", "beta": "d", "epsilon": "",
    "dY": "T d", "dXhat": "T d", "dX": "T d", "dgamma": "d", "dbeta": "d",
}  # fmt: skip
CELL = {"t": "T", "v": "V", "k": "V"}
ROW = {"i": "n", "j": "n", "k": "n"}
COLUMN = {"t": "T", "i": "d", "j": "d"}


def _axis(values):
    return np.asarray(values)


@dataclass(frozen=True)
class Case:
    statement: str
    symbols: dict
    indices: dict
    numpy: object = None  # from the values to the left side; None where evaluation is a later method's
    let: dict = field(default_factory=dict)


rng = np.random.default_rng(7)
T, a, c, n, V, d = 3, 4, 5, 4, 6, 5
VALUES = {
    "linear": {"X": rng.normal(size=(T, a)), "W": rng.normal(size=(a, c)), "b": rng.normal(size=c),
               "dY": rng.normal(size=(T, c)), "P": rng.normal(size=(T, c))},
    "relu": {"Z": rng.normal(size=(2, n)), "dA": rng.normal(size=(2, n))},
    "xavier": {"fan_in": 3, "fan_out": 4},
    "softmax": {"x": rng.normal(size=(2, n)), "e": rng.random((2, n)), "y": rng.random((2, n)),
                "dY": rng.normal(size=(2, n)), "c": 0.75},
    "cross": {"logits": rng.normal(size=(T, V)), "z": rng.normal(size=(T, V)), "logp": -rng.random((T, V)),
              "y": np.array([1, 5, 0]), "P": rng.random((T, V)), "L": 1.25},
    "norm": {"X": rng.normal(size=(T, d)), "mu": rng.normal(size=T), "var": rng.random(T), "s": rng.random(T),
             "Xhat": rng.normal(size=(T, d)), "gamma": rng.normal(size=d), "beta": rng.normal(size=d),
             "epsilon": 1e-5, "dY": rng.normal(size=(T, d)), "dXhat": rng.normal(size=(T, d))},
}  # fmt: skip


def _rows(x):
    return x.sum(axis=-1, keepdims=True)


def _norm_input(v):
    dxhat, xhat, s = v["dXhat"], v["Xhat"], v["s"][:, None]
    return s * (dxhat - dxhat.mean(-1, keepdims=True) - xhat * (dxhat * xhat).mean(-1, keepdims=True))


def _combined(v):
    out = v["P"].copy()
    out[np.arange(T), v["y"]] -= 1
    return out / T


SHIFTED = "exp(x[i] - c)/Sum(exp(x[k] - c), k)"
PLAIN = "exp(x[i])/Sum(exp(x[k]), k)"
JACOBIAN = "s[t]*(KroneckerDelta(i, j) - 1/d - Xhat[t, i]*Xhat[t, j]/d)"

FORMS = {
    # linear-relu-initialisation
    "linear/matmul.product_entry": Case("Eq(P[t, j], Sum(X[t, k]*W[k, j], k))", LINEAR, TAB, lambda v: v["X"] @ v["W"]),
    "linear/matmul.linear_entry": Case("Eq(Y[t, j], P[t, j] + b[j])", LINEAR, TAB, lambda v: v["P"] + v["b"]),
    "linear/linear.linear": Case(
        "Eq(Y[t, j], Sum(X[t, k]*W[k, j], k) + b[j])", LINEAR, TAB, lambda v: v["X"] @ v["W"] + v["b"]
    ),
    "linear/linear_backward.grad_weight": Case(
        "Eq(dW[k, j], Sum(X[t, k]*dY[t, j], t))", LINEAR, TAB, lambda v: v["X"].T @ v["dY"]
    ),
    "linear/linear_backward.grad_bias": Case("Eq(db[j], Sum(dY[t, j], t))", LINEAR, TAB, lambda v: v["dY"].sum(0)),
    "linear/linear_backward.grad_input": Case(
        "Eq(dX[t, k], Sum(dY[t, j]*W[k, j], j))", LINEAR, TAB, lambda v: v["dY"] @ v["W"].T
    ),
    "linear/linear_backward.local_derivatives": Case(
        "And(Eq(Derivative(Y[t, j], W[k, j]), X[t, k]), Eq(Derivative(Y[t, j], b[j]), 1),"
        " Eq(Derivative(Y[t, j], X[t, k]), W[k, j]))",
        LINEAR,
        TAB,
    ),
    "relu/relu.relu": Case("Eq(A[i], Max(0, Z[i]))", RELU, {"i": "n"}, lambda v: np.maximum(0.0, v["Z"])),
    "relu/relu_backward.masked_gradient": Case(
        "Eq(dZ[i], Piecewise((dA[i], Z[i] > 0), (0, True)))", RELU, {"i": "n"}, lambda v: v["dA"] * (v["Z"] > 0)
    ),
    "relu/relu_backward.relu_derivative": Case(
        "Eq(Derivative(A[i], Z[i]), Piecewise((1, Z[i] > 0), (0, Z[i] <= 0)))", RELU, {"i": "n"}
    ),
    "xavier/xavier_uniform.limit": Case(
        "Eq(lim, sqrt(6/(fan_in + fan_out)))", XAVIER, {}, lambda v: np.sqrt(6.0 / (v["fan_in"] + v["fan_out"]))
    ),
    "xavier/xavier_uniform.draw": Case("Uniform(W[i, j], -lim, lim)", XAVIER, {"i": "fan_in", "j": "fan_out"}),
    "xavier/xavier_uniform.variance": Case(
        "Eq(Var(W[i, j]), lim**2/3, 2/(fan_in + fan_out))", XAVIER, {"i": "fan_in", "j": "fan_out"}
    ),
    # softmax-cross-entropy
    "softmax/softmax.shifted_exp": Case(
        "Eq(e[i], exp(x[i] - MaxOver(x[k], k)))", SOFTMAX, ROW, lambda v: np.exp(v["x"] - v["x"].max(-1, keepdims=True))
    ),
    "softmax/softmax.normalise": Case("Eq(p[i], e[i]/Sum(e[k], k))", SOFTMAX, ROW, lambda v: v["e"] / _rows(v["e"])),
    "softmax/softmax.shift_invariance": Case(
        f"Eq({SHIFTED}, exp(-c)*exp(x[i])/(exp(-c)*Sum(exp(x[k]), k)), {PLAIN})",
        SOFTMAX,
        ROW,
        lambda v: np.exp(v["x"]) / _rows(np.exp(v["x"])),
    ),
    "softmax/softmax_backward.jacobian": Case(
        "Eq(Derivative(y[i], x[j]), y[i]*(KroneckerDelta(i, j) - y[j]))", SOFTMAX, ROW
    ),
    "softmax/softmax_backward.grad_input": Case(
        "Eq(dx[j], y[j]*(dY[j] - Sum(y[i]*dY[i], i)))",
        SOFTMAX,
        ROW,
        lambda v: v["y"] * (v["dY"] - _rows(v["y"] * v["dY"])),
    ),
    "cross/cross_entropy.shifted_logits": Case(
        "Eq(z[t, v], logits[t, v] - MaxOver(logits[t, k], k))",
        CROSS,
        CELL,
        lambda v: v["logits"] - v["logits"].max(1, keepdims=True),
    ),
    "cross/cross_entropy.log_softmax": Case(
        "Eq(logp[t, v], z[t, v] - log(Sum(exp(z[t, k]), k)))",
        CROSS,
        CELL,
        lambda v: v["z"] - np.log(_rows(np.exp(v["z"]))),
    ),
    "cross/cross_entropy.mean_loss": Case(
        "Eq(L, -Sum(logp[t, y[t]], t)/T)", CROSS, CELL, lambda v: -v["logp"][np.arange(T), v["y"]].mean()
    ),
    "cross/cross_entropy.probabilities": Case("Eq(P[t, v], exp(logp[t, v]))", CROSS, CELL, lambda v: np.exp(v["logp"])),
    "cross/cross_entropy_backward.position_gradient": Case(
        "Eq(Derivative(l[t], logits[t, v]), P[t, v] - KroneckerDelta(v, y[t]))", CROSS, CELL
    ),
    "cross/cross_entropy_backward.combined_gradient": Case(
        "Eq(dZ[t, v], (P[t, v] - KroneckerDelta(v, y[t]))/T)", CROSS, CELL, _combined
    ),
    "cross/perplexity.perplexity": Case("Eq(ppl, exp(L))", CROSS, CELL, lambda v: np.exp(v["L"])),
    # layer-norm
    "norm/layer_norm.row_mean": Case("Eq(mu[t], Sum(X[t, i], i)/d)", NORM, COLUMN, lambda v: v["X"].mean(-1)),
    "norm/layer_norm.row_variance": Case(
        "Eq(var[t], Sum((X[t, i] - mu[t])**2, i)/d)",
        NORM,
        COLUMN,
        lambda v: ((v["X"] - v["mu"][:, None]) ** 2).mean(-1),
    ),
    "norm/layer_norm.inv_std": Case(
        "Eq(s[t], 1/sqrt(var[t] + epsilon))", NORM, COLUMN, lambda v: 1 / np.sqrt(v["var"] + v["epsilon"])
    ),
    "norm/layer_norm.normalised": Case(
        "Eq(Xhat[t, i], (X[t, i] - mu[t])*s[t])", NORM, COLUMN, lambda v: (v["X"] - v["mu"][:, None]) * v["s"][:, None]
    ),
    "norm/layer_norm.affine": Case(
        "Eq(Y[t, i], gamma[i]*Xhat[t, i] + beta[i])", NORM, COLUMN, lambda v: v["gamma"] * v["Xhat"] + v["beta"]
    ),
    "norm/layer_norm_backward.grad_normalised": Case(
        "Eq(dXhat[t, i], dY[t, i]*gamma[i])", NORM, COLUMN, lambda v: v["dY"] * v["gamma"]
    ),
    "norm/layer_norm_backward.grad_input": Case(
        "Eq(dX[t, j], s[t]*(dXhat[t, j] - Sum(dXhat[t, i], i)/d - Xhat[t, j]*Sum(dXhat[t, i]*Xhat[t, i], i)/d))",
        NORM,
        COLUMN,
        _norm_input,
    ),
    "norm/layer_norm_backward.grad_gamma": Case(
        "Eq(dgamma[i], Sum(dY[t, i]*Xhat[t, i], t))", NORM, COLUMN, lambda v: (v["dY"] * v["Xhat"]).sum(0)
    ),
    "norm/layer_norm_backward.grad_beta": Case(
        "Eq(dbeta[i], Sum(dY[t, i], t))", NORM, COLUMN, lambda v: v["dY"].sum(0)
    ),
    "norm/layer_norm_derivation.variance_derivative": Case(
        "Eq(Derivative(var[t], X[t, j]), 2/d*Sum((X[t, i] - mu[t])*(KroneckerDelta(i, j) - 1/d), i),"
        " 2/d*(X[t, j] - mu[t]))",
        NORM,
        COLUMN,
    ),
    "norm/layer_norm_derivation.normalised_jacobian": Case(
        f"Eq(Derivative(Xhat[t, i], X[t, j]), {JACOBIAN})", NORM, COLUMN
    ),
    "norm/layer_norm_derivation.collected_input_gradient": Case(
        f"Eq(dX[t, j], Sum(dXhat[t, i]*{JACOBIAN}, i))", NORM, COLUMN, _norm_input
    ),
}
EVALUATED = [name for name, case in FORMS.items() if case.numpy]


def _ready(name, form, equation):
    case, values = FORMS[name], VALUES[name.partition("/")[0]]
    keys = {"symbols": case.symbols, "indices": case.indices}
    solved = solve(equation(case.statement, **keys).symbols, values, {"T": T})
    assert not solved.mismatches
    return form(case.statement, **keys), values, solved.sizes, case


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_read(name, form):
    case = FORMS[name]
    found = form(case.statement, symbols=case.symbols, indices=case.indices)
    assert found.left(0)


@pytest.mark.parametrize("name", EVALUATED)
def test_float64(name, form, equation):
    found, values, sizes, case = _ready(name, form, equation)
    expected = case.numpy(values)
    left = dict.fromkeys(found.left(0), expected)
    result = sides(found, 0, {**left, **values} if "shift" not in name else values, sizes, Float64())
    np.testing.assert_allclose(result[-1], np.broadcast_to(expected, result[-1].shape), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("name", EVALUATED)
def test_balls_hold_the_exact_value(name, form, equation):
    found, values, sizes, case = _ready(name, form, equation)
    left = {symbol: case.numpy(values) for symbol in found.left(0)}
    everything = {**left, **values}
    exact = sides(found, 0, everything, sizes, Balls(300))[-1]
    for arithmetic in (Balls(53), Balls(53, widen=True), Balls(128)):
        for ball, better in zip(sides(found, 0, everything, sizes, arithmetic)[-1].ravel(), exact.ravel(), strict=True):
            assert better - ball == 0 or (better - ball).contains(0)
            assert float((better - ball).abs_upper()) < 1e-13


def test_later_methods_say_so(form):
    case = FORMS["softmax/softmax_backward.jacobian"]
    found = form(case.statement, symbols=case.symbols, indices=case.indices)
    with pytest.raises(Unsupported):
        evaluate(found, 0, VALUES["softmax"], {"n": n}, Float64())


def test_shape_rule(form):
    statement = "Implies(Array(X, T, a) and Array(W, a, c), Array(P, T, c))"
    found = form(
        statement, symbols={"X": None, "W": None, "P": None}, parameters=None, indices={"i": "T*a*c"}, whole=True
    )
    values = {"X": np.zeros((3, 4)), "W": np.zeros((4, 5)), "P": np.zeros((3, 5))}
    sizes = {"T": 3, "a": 4, "c": 5}
    assert truth(found, 0, values, sizes, Float64())[0].holds
    assert not truth(found, 0, {**values, "P": np.zeros((3, 6))}, sizes, Float64())[0].holds
    assert truth(found, 0, {**values, "W": np.zeros((5, 5)), "P": np.zeros((3, 6))}, sizes, Float64())[0].holds
