"""Correct rewrites of cited lines: none may be reported, and what certified before certifies still where it can."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from eqtrace.model.finding import Severity
from eqtrace.model.results import Results
from eqtrace.model.verdict import Verdict

if TYPE_CHECKING:
    from conftest import Copy

OPS = "impl/ops.py"
MODEL = "impl/transformer.py"
LARGEST = 10  # rewrites in one copy

LINEAR = "return X @ W + b"
GRAD_WEIGHT = "dW = X.T @ dY"
GRAD_BIAS = "db = dY.sum(axis=0)"
GRAD_LINEAR_INPUT = "dX = dY @ W.T"
RELU = "return np.maximum(0.0, Z)"
RELU_BACKWARD = "return dA * (Z > 0)"
LIMIT = "a = np.sqrt(6.0 / (fan_in + fan_out))"
DRAW = "return rng.uniform(-a, a, size=(fan_in, fan_out))"
EXP = "e = np.exp(x - x.max(axis=-1, keepdims=True))"
NORMALISE = "p: Array = e / e.sum(axis=-1, keepdims=True)"
SOFTMAX_BACKWARD = "dx: Array = y * (dY - (y * dY).sum(axis=-1, keepdims=True))"
SHIFTED = "z = logits - logits.max(axis=-1, keepdims=True)"
LOG_SOFTMAX = "logp = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))"
LOSS = "loss = -logp[np.arange(T), targets].mean()"
PROBS = "probs = np.exp(logp)"
COMBINED = "return (probs - one_hot) / T"
PERPLEXITY = "value: float = np.exp(loss)"
MEAN = "mu = X.mean(axis=-1, keepdims=True)"
VARIANCE = "var = ((X - mu) ** 2).mean(axis=-1, keepdims=True)"
INVERSE = "s = 1.0 / np.sqrt(var + eps)"
NORMALISED = "Xhat = (X - mu) * s"
AFFINE = "Y = gamma * Xhat + beta"
GRAD_NORMALISED = "dXhat = dY * gamma"
GRAD_INPUT = (
    "dX = s * (dXhat - dXhat.mean(axis=-1, keepdims=True) - Xhat * (dXhat * Xhat).mean(axis=-1, keepdims=True))"
)
GRAD_GAMMA = "dgamma = (dY * Xhat).sum(axis=0)"
QUERY = 'Q = Xn @ params[p + "wq"] + params[p + "bq"]'
KEY = 'K = Xn @ params[p + "wk"] + params[p + "bk"]'
OUTPUT_WEIGHTS = 'grads[p + "wo"] += O.T @ dOut'
JOINED = 'dXn += dM @ params[p + "w" + n].T'

READS = "the statement reads "
USES = "the form uses "


@dataclass(frozen=True)
class Rewrite:
    """One rewrite; `limit` begins the reason why it is sampled only, and is empty where it is certified."""

    name: str
    equation: str
    path: str
    old: str
    new: str
    limit: str = ""
    before: str = ""  # a statement on the same line, ahead of the new one
    after: str = ""  # text on the same line, behind it
    bind: Mapping[str, str] = field(default_factory=dict)


REWRITES = (
    # products
    Rewrite("einsum", "linear.linear", OPS, LINEAR, 'return np.einsum("tk,kj->tj", X, W) + b'),
    Rewrite("terms_swapped", "linear.linear", OPS, LINEAR, "return b + X @ W"),
    Rewrite("functions", "linear.linear", OPS, LINEAR, "return np.add(np.matmul(X, W), b)"),
    Rewrite("dot_method", "linear.linear", OPS, LINEAR, "return X.dot(W) + b"),
    Rewrite("dot_function", "linear.linear", OPS, LINEAR, "return np.dot(X, W) + b"),
    Rewrite("both_transposed", "linear.linear", OPS, LINEAR, "return (W.T @ X.T).T + b"),
    Rewrite(
        "swapaxes", "linear.linear", OPS, LINEAR, "return (W.swapaxes(0, 1) @ X.swapaxes(0, 1)).swapaxes(0, 1) + b"
    ),
    Rewrite("sum_of_products", "linear.linear", OPS, LINEAR, "return (X[:, :, None] * W[None]).sum(axis=1) + b"),
    Rewrite("minus_negative", "linear.linear", OPS, LINEAR, "return X @ W - (-b)"),
    Rewrite("tensordot", "linear.linear", OPS, LINEAR, "return np.tensordot(X, W, axes=1) + b[None, :]"),
    Rewrite("temporary", "linear.linear", OPS, LINEAR, "return product + b", READS, before="product = X @ W"),
    Rewrite("helper_function", "linear.linear", OPS, LINEAR, "return _product(X, W) + b"),
    Rewrite(
        "query_terms_swapped", "linear.linear", MODEL, QUERY, 'Q = params[p + "bq"] + np.matmul(Xn, params[p + "wq"])'
    ),
    Rewrite(
        "key_by_einsum", "linear.linear", MODEL, KEY, 'K = np.einsum("tk,kj", Xn, params[p + "wk"]) + params[p + "bk"]'
    ),
    # gradients of the linear layer
    Rewrite("weight_einsum", "linear_backward.grad_weight", OPS, GRAD_WEIGHT, 'dW = np.einsum("tk,tj->kj", X, dY)'),
    Rewrite("weight_turned", "linear_backward.grad_weight", OPS, GRAD_WEIGHT, "dW = (dY.T @ X).T"),
    Rewrite("weight_swapaxes", "linear_backward.grad_weight", OPS, GRAD_WEIGHT, "dW = np.swapaxes(X, 0, 1).dot(dY)"),
    Rewrite("bias_function", "linear_backward.grad_bias", OPS, GRAD_BIAS, "db = np.sum(dY, 0)"),
    Rewrite("bias_reduce", "linear_backward.grad_bias", OPS, GRAD_BIAS, "db = np.add.reduce(dY, axis=0)"),
    Rewrite("bias_product", "linear_backward.grad_bias", OPS, GRAD_BIAS, "db = np.ones(len(dY)) @ dY"),
    Rewrite("input_transpose", "linear_backward.grad_input", OPS, GRAD_LINEAR_INPUT, "dX = dY @ np.transpose(W)"),
    Rewrite("input_turned", "linear_backward.grad_input", OPS, GRAD_LINEAR_INPUT, "dX = (W @ dY.T).T"),
    Rewrite(
        "not_augmented",
        "linear_backward.grad_weight",
        MODEL,
        OUTPUT_WEIGHTS,
        'grads[p + "wo"] = grads[p + "wo"] + O.T @ dOut',
        bind={"dW": "O.T @ dOut"},
    ),
    Rewrite(
        "not_augmented_in_a_loop",
        "linear_backward.grad_input",
        MODEL,
        JOINED,
        'dXn = dXn + dM @ params[p + "w" + n].T',
        bind={"dX": 'dM @ params[p + "w" + n].T'},
    ),
    # relu
    Rewrite("relu_where", "relu.relu", OPS, RELU, "return np.where(Z > 0, Z, 0.0)"),
    Rewrite("relu_swapped", "relu.relu", OPS, RELU, "return np.maximum(Z, 0)"),
    Rewrite("relu_clip", "relu.relu", OPS, RELU, "return np.clip(Z, 0.0, None)"),
    Rewrite("relu_masked", "relu.relu", OPS, RELU, "return Z * (Z > 0)"),
    Rewrite("relu_half_sum", "relu.relu", OPS, RELU, "return (Z + np.abs(Z)) / 2"),
    Rewrite("relu_clip_method", "relu.relu", OPS, RELU, "return Z.clip(min=0.0)"),
    Rewrite("mask_where", "relu_backward.masked_gradient", OPS, RELU_BACKWARD, "return np.where(Z > 0, dA, 0.0)"),
    Rewrite("mask_turned", "relu_backward.masked_gradient", OPS, RELU_BACKWARD, "return (0 < Z) * dA"),
    Rewrite("mask_as_float", "relu_backward.masked_gradient", OPS, RELU_BACKWARD, "return dA * (Z > 0).astype(float)"),
    Rewrite("mask_not", "relu_backward.masked_gradient", OPS, RELU_BACKWARD, "return dA * ~(Z <= 0)"),
    # xavier
    Rewrite("limit_of_roots", "xavier_uniform.limit", OPS, LIMIT, "a = np.sqrt(6.0) / np.sqrt(fan_in + fan_out)"),
    Rewrite("limit_as_power", "xavier_uniform.limit", OPS, LIMIT, "a = (6 / (fan_in + fan_out)) ** 0.5"),
    Rewrite(
        "draw_scaled", "xavier_uniform.draw", OPS, DRAW, "return a * rng.uniform(-1.0, 1.0, size=(fan_in, fan_out))"
    ),
    Rewrite("draw_of_unit", "xavier_uniform.draw", OPS, DRAW, "return a * (2.0 * rng.random((fan_in, fan_out)) - 1.0)"),
    # softmax
    Rewrite("max_function", "softmax.shifted_exp", OPS, EXP, "e = np.exp(x - np.max(x, axis=-1, keepdims=True))"),
    Rewrite("max_without_keepdims", "softmax.shifted_exp", OPS, EXP, "e = np.exp(x - x.max(axis=-1)[..., None])"),
    Rewrite(
        "max_reduce", "softmax.shifted_exp", OPS, EXP, "e = np.exp(x - np.maximum.reduce(x, axis=-1, keepdims=True))"
    ),
    Rewrite("exp_of_difference", "softmax.shifted_exp", OPS, EXP, "e = np.exp(-(x.max(axis=-1, keepdims=True) - x))"),
    Rewrite(
        "shift_before",
        "softmax.shifted_exp",
        OPS,
        EXP,
        "e = np.exp(x - top)",
        before="top = np.amax(x, -1, keepdims=True)",
    ),
    Rewrite("reciprocal", "softmax.normalise", OPS, NORMALISE, "p: Array = e * (1.0 / e.sum(axis=-1, keepdims=True))"),
    Rewrite(
        "divide", "softmax.normalise", OPS, NORMALISE, "p: Array = np.divide(e, np.sum(e, axis=-1)[..., np.newaxis])"
    ),
    Rewrite(
        "total_before",
        "softmax.normalise",
        OPS,
        NORMALISE,
        "p: Array = e / total",
        READS,
        before="total = e.sum(-1, keepdims=True)",
    ),
    Rewrite(
        "weights_out",
        "softmax_backward.grad_input",
        OPS,
        SOFTMAX_BACKWARD,
        "dx: Array = y * dY - y * (y * dY).sum(axis=-1, keepdims=True)",
    ),
    Rewrite(
        "weights_einsum",
        "softmax_backward.grad_input",
        OPS,
        SOFTMAX_BACKWARD,
        'dx: Array = (dY - np.einsum("...i,...i->...", y, dY)[..., None]) * y',
    ),
    # cross-entropy
    Rewrite("shift_added", "cross_entropy.shifted_logits", OPS, SHIFTED, "z = -logits.max(axis=1)[:, None] + logits"),
    Rewrite(
        "logaddexp",
        "cross_entropy.log_softmax",
        OPS,
        LOG_SOFTMAX,
        "logp = z - np.logaddexp.reduce(z, axis=-1, keepdims=True)",
    ),
    Rewrite(
        "log_sum_turned",
        "cross_entropy.log_softmax",
        OPS,
        LOG_SOFTMAX,
        "logp = -(np.log(np.sum(np.exp(z), axis=1, keepdims=True)) - z)",
    ),
    Rewrite(
        "log_of_quotient",
        "cross_entropy.log_softmax",
        OPS,
        LOG_SOFTMAX,
        "logp = z + np.log(1 / np.exp(z).sum(axis=-1, keepdims=True))",
    ),
    Rewrite("mean_function", "cross_entropy.mean_loss", OPS, LOSS, "loss = -np.mean(logp[np.arange(T), targets])"),
    Rewrite(
        "sum_over_size",
        "cross_entropy.mean_loss",
        OPS,
        LOSS,
        "loss = -(logp[np.arange(len(logp)), targets].sum() / len(logp))",
    ),
    Rewrite(
        "take_along_axis",
        "cross_entropy.mean_loss",
        OPS,
        LOSS,
        "loss = -np.take_along_axis(logp, targets[:, None], axis=-1).mean()",
    ),
    Rewrite(
        "mean_of_negatives",
        "cross_entropy.mean_loss",
        OPS,
        LOSS,
        "loss = np.negative(logp)[np.arange(T), targets].mean()",
    ),
    Rewrite("power_of_e", "cross_entropy.probabilities", OPS, PROBS, "probs = np.e**logp"),
    Rewrite("exp2", "cross_entropy.probabilities", OPS, PROBS, "probs = 1.0 / np.exp(-logp)"),
    Rewrite(
        "split_quotient", "cross_entropy_backward.combined_gradient", OPS, COMBINED, "return probs / T - one_hot / T"
    ),
    Rewrite(
        "length_again",
        "cross_entropy_backward.combined_gradient",
        OPS,
        COMBINED,
        "return np.subtract(probs, one_hot) / probs.shape[0]",
    ),
    # perplexity
    Rewrite("perplexity_power", "perplexity.perplexity", OPS, PERPLEXITY, "value: float = np.power(np.e, loss)"),
    Rewrite(
        "perplexity_inverse",
        "perplexity.perplexity",
        OPS,
        PERPLEXITY,
        "value: float = 1 / np.exp(-loss)",
        after="  # e to the mean loss",
    ),
    # layer norm
    Rewrite("mean_as_quotient", "layer_norm.row_mean", OPS, MEAN, "mu = X.sum(axis=-1, keepdims=True) / X.shape[-1]"),
    Rewrite("mean_of_rows", "layer_norm.row_mean", OPS, MEAN, "mu = np.mean(X, 1)[:, None]"),
    Rewrite("mean_average", "layer_norm.row_mean", OPS, MEAN, "mu = np.average(X, axis=-1, keepdims=True)"),
    Rewrite("mean_einsum", "layer_norm.row_mean", OPS, MEAN, 'mu = np.einsum("ti->t", X).reshape(-1, 1) / X.shape[1]'),
    Rewrite("mean_as_product", "layer_norm.row_mean", OPS, MEAN, "mu = X @ np.full((X.shape[1], 1), 1 / X.shape[1])"),
    Rewrite(
        "variance_multiplied",
        "layer_norm.row_variance",
        OPS,
        VARIANCE,
        "var = ((X - mu) * (X - mu)).mean(axis=-1, keepdims=True)",
    ),
    Rewrite(
        "variance_square", "layer_norm.row_variance", OPS, VARIANCE, "var = np.square(mu - X).mean(-1, keepdims=True)"
    ),
    Rewrite(
        "variance_power",
        "layer_norm.row_variance",
        OPS,
        VARIANCE,
        "var = np.power(X - mu, 2).sum(axis=1, keepdims=True) / X.shape[1]",
    ),
    Rewrite(
        "variance_magnitude",
        "layer_norm.row_variance",
        OPS,
        VARIANCE,
        "var = np.mean(np.abs(X - mu) ** 2.0, axis=-1, keepdims=True)",
    ),
    Rewrite(
        "variance_einsum",
        "layer_norm.row_variance",
        OPS,
        VARIANCE,
        'var = np.einsum("ti,ti->t", X - mu, X - mu)[:, None] / X.shape[1]',
    ),
    Rewrite(
        "variance_norm",
        "layer_norm.row_variance",
        OPS,
        VARIANCE,
        "var = np.linalg.norm(X - mu, axis=-1, keepdims=True) ** 2 / X.shape[-1]",
    ),
    Rewrite("variance_method", "layer_norm.row_variance", OPS, VARIANCE, "var = X.var(axis=-1, keepdims=True)", USES),
    Rewrite(
        "variance_function",
        "layer_norm.row_variance",
        OPS,
        VARIANCE,
        "var = np.var(X, axis=-1, ddof=0)[:, np.newaxis]",
        USES,
    ),
    Rewrite("root_power", "layer_norm.inv_std", OPS, INVERSE, "s = (var + eps) ** -0.5"),
    Rewrite("root_np_power", "layer_norm.inv_std", OPS, INVERSE, "s = np.power(eps + var, -0.5)"),
    Rewrite("root_reciprocal", "layer_norm.inv_std", OPS, INVERSE, "s = np.reciprocal(np.sqrt(var + eps))"),
    Rewrite("root_of_quotient", "layer_norm.inv_std", OPS, INVERSE, "s = np.sqrt(1 / (var + eps))"),
    Rewrite("product_swapped", "layer_norm.normalised", OPS, NORMALISED, "Xhat = s * (X - mu)"),
    Rewrite("product_spread", "layer_norm.normalised", OPS, NORMALISED, "Xhat = X * s - mu * s"),
    Rewrite("affine_swapped", "layer_norm.affine", OPS, AFFINE, "Y = beta + Xhat * gamma"),
    Rewrite("affine_in_steps", "layer_norm.affine", OPS, AFFINE, "Y += beta", READS, before="Y = gamma * Xhat"),
    Rewrite(
        "affine_multiply_add", "layer_norm.affine", OPS, AFFINE, "Y = np.multiply(Xhat, gamma[None, :]).__add__(beta)"
    ),
    # layer norm, backward
    Rewrite(
        "scale_swapped", "layer_norm_backward.grad_normalised", OPS, GRAD_NORMALISED, "dXhat = np.multiply(gamma, dY)"
    ),
    Rewrite(
        "input_spread",
        "layer_norm_backward.grad_input",
        OPS,
        GRAD_INPUT,
        "dX = s * dXhat - s * dXhat.mean(1, keepdims=True) - s * Xhat * (Xhat * dXhat).mean(1, keepdims=True)",
    ),
    Rewrite(
        "input_over_width",
        "layer_norm_backward.grad_input",
        OPS,
        GRAD_INPUT,
        "dX = (s / d) * (d * dXhat - dXhat.sum(-1, keepdims=True) - Xhat * (dXhat * Xhat).sum(-1, keepdims=True))",
        before="d = dXhat.shape[-1]",
    ),
    Rewrite(
        "input_temporaries",
        "layer_norm_derivation.collected_input_gradient",
        OPS,
        GRAD_INPUT,
        "dX = s * (dXhat - m - Xhat * c)",
        READS,
        before="m = dXhat.mean(axis=-1, keepdims=True); c = (dXhat * Xhat).mean(axis=-1, keepdims=True)",
    ),
    Rewrite(
        "scale_gradient_einsum",
        "layer_norm_backward.grad_gamma",
        OPS,
        GRAD_GAMMA,
        'dgamma = np.einsum("ti,ti->i", dY, Xhat)',
    ),
    Rewrite(
        "scale_gradient_chain",
        "layer_norm_backward.grad_gamma",
        OPS,
        GRAD_GAMMA,
        "dgamma = (Xhat * dY).T.sum(axis=1).copy()",
    ),
)


def copies_of(rewrites: Iterable[Rewrite]) -> list[tuple[Rewrite, ...]]:
    """Rewrites of different lines and equations, which can stand in one copy."""
    groups: list[list[Rewrite]] = []
    for rewrite in rewrites:
        for group in groups:
            apart = all(rewrite.old != other.old and rewrite.equation != other.equation for other in group)
            if apart and len(group) < LARGEST:
                group.append(rewrite)
                break
        else:
            groups.append([rewrite])
    return [tuple(group) for group in groups]


def names_of(rewrites: tuple[Rewrite, ...]) -> str:
    return ",".join(rewrite.name for rewrite in rewrites)


def rewrite_in(copy: Copy, rewrite: Rewrite) -> int:
    assert copy.edit_anchors(rewrite.path, rewrite.old, rewrite.new, rewrite.bind)
    before = f"{rewrite.before}; " * bool(rewrite.before)
    return copy.edit(rewrite.path, rewrite.old, f"{before}{rewrite.new}{rewrite.after}")


def alarms(results: Results) -> list[str]:
    """Everything above a note but the warnings for what is not built."""
    return [
        f"{each.code} {each.span} {each.message} {each.hint}"
        for each in results.findings
        if each.severity is not Severity.NOTE and each.code != "EQ902"
    ]


def value_verdict(results: Results, equation: str) -> str:
    """The verdict of a value, or of the value half of a gradient."""
    (method,) = (each for each in results.methods[equation] if each.method in ("value", "vjp", "distribution"))
    detail = method.evidence.detail
    return detail.removeprefix("value ").partition(":")[0] if method.method == "vjp" else str(method.verdict)


def test_there_are_enough() -> None:
    assert len({rewrite.name for rewrite in REWRITES}) == len(REWRITES) >= 80


@pytest.mark.parametrize("rewrites", copies_of(REWRITES), ids=names_of)
def test_correct_rewrites_are_silent(copy: Copy, rewrites: tuple[Rewrite, ...]) -> None:
    for rewrite in rewrites:
        rewrite_in(copy, rewrite)
    copy.write(OPS, copy.read(OPS) + "\n\ndef _product(left: Array, right: Array) -> Array:\n    return left @ right\n")
    results = copy.verify(*(rewrite.equation for rewrite in rewrites))
    assert alarms(results) == []
    assert results.exit == 0
    for rewrite in rewrites:
        limits = [text for each in results.methods[rewrite.equation] for text in each.evidence.limits]
        verdict = value_verdict(results, rewrite.equation)
        if rewrite.equation == "xavier_uniform.draw":
            assert verdict == Verdict.TESTED, rewrite.name
        elif rewrite.limit:
            assert verdict == Verdict.SAMPLED, rewrite.name
            assert any(rewrite.limit in text for text in limits), (rewrite.name, limits)
        else:
            assert verdict == Verdict.CERTIFIED, (rewrite.name, limits)
