"""Faults put into the code that the specification cites: each must be found where it is.

Each edit is made twice. With the anchors that quote the line edited alike only the method can refute it; without, the
anchor's change shows as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from eqtrace.model.finding import Finding, Severity
from eqtrace.model.results import Results
from eqtrace.model.verdict import Verdict
from tests.functional.notice.cited import (
    AFFINE,
    ATTENTION_START,
    BATCHES,
    BEST_PAIR,
    COMBINED,
    CUT,
    DATA,
    DECODED,
    DRAW,
    EXP,
    GENERATE,
    GRAD_GAMMA,
    GRAD_INPUT,
    GRAD_KEYS,
    GRAD_LINEAR_INPUT,
    GRAD_NORMALISED,
    GRAD_WEIGHT,
    HEAD_BACK,
    INPUTS,
    INVERSE,
    KEY,
    LIMIT,
    LINEAR,
    LISTED,
    LN1,
    LOG_SOFTMAX,
    LOOKUP,
    LOSS,
    MEAN,
    MERGED,
    MODEL,
    NORMALISE,
    NORMALISED,
    OPS,
    OPTIM,
    PAIR_COUNT,
    PERPLEXITY,
    PROBS,
    QUERY,
    RELU,
    RELU_BACKWARD,
    SCORES,
    SHIFTED,
    SOFTMAX_BACKWARD,
    STARTS,
    TARGETS,
    TOKENIZER,
    VARIANCE,
    VOCABULARY,
    WINDOWS,
    WORD_COUNTS,
)

if TYPE_CHECKING:
    from conftest import Copy

NAMES = {
    "EQ401": "shape-mismatch",
    "EQ501": "value-mismatch",
    "EQ502": "argument-changed",
    "EQ503": "constraint-violated",
    "EQ504": "violation-accepted",
    "EQ505": "distribution-mismatch",
    "EQ506": "structure-mismatch",
    "EQ508": "order-mismatch",
    "EQ509": "discrete-mismatch",
}
LARGEST = 10  # edits in one copy


ONE_HOT = "one_hot[np.arange(T), targets] = 1.0"
VALUE = 'V = Xn @ params[p + "wv"] + params[p + "bv"]'
ATTENTION_OUTPUT = 'out = O @ params[p + "wo"] + params[p + "bo"]'
FIRST = 'Z = Xn @ params[p + "ff1_w"] + params[p + "ff1_b"]'
SECOND = 'out = A @ params[p + "ff2_w"] + params[p + "ff2_b"]'
HEAD = 'logits = Xf @ params["head_w"] + params["head_b"]'

# attention
SPLIT = "return M.reshape(T, H, dh).transpose(1, 0, 2)"
MERGE = "return Mh.transpose(1, 0, 2).reshape(T, H * dh)"
SPLIT_ALL = "Qh, Kh, Vh = split_heads(Q, H), split_heads(K, H), split_heads(V, H)"
MASK = "mask = np.triu(np.ones((T, T), dtype=bool), 1)"
MASKED = "S = np.where(mask, -np.inf, S)"
WEIGHTS = "A = ops.softmax_forward(S)"
MIX = "Oh = A @ Vh"
GRAD_HEADS = 'dOh = split_heads(dOut @ params[p + "wo"].T, H)'
GRAD_VALUES = "dVh = A.transpose(0, 2, 1) @ dOh"
GRAD_WEIGHTS = "dA = dOh @ Vh.transpose(0, 2, 1)"
GRAD_SCORES = "dS = ops.softmax_backward(A, dA)"
GRAD_QUERIES = "dQh = (dS @ Kh) / np.sqrt(dh)"
GRADS_MERGED = "dQ, dK, dV = merge_heads(dQh), merge_heads(dKh), merge_heads(dVh)"
GRAD_OUTPUT = 'grads[p + "wo"] += O.T @ dOut'
GRAD_OUTPUT_BIAS = 'grads[p + "bo"] += dOut.sum(axis=0)'
GRAD_PROJECTION = 'grads[p + "w" + n] += Xn.T @ dM'
GRAD_PROJECTION_BIAS = 'grads[p + "b" + n] += dM.sum(axis=0)'
HIDDEN = "A = ops.relu_forward(Z)"
SECOND_BACK = 'dA, dW2, db2 = ops.linear_backward(A, params[p + "ff2_w"], dOut)'
GATE = "dZ = ops.relu_backward(Z, dA)"
FIRST_BACK = 'dXn, dW1, db1 = ops.linear_backward(Xn, params[p + "ff1_w"], dZ)'
ATTENTION_CALL = "att, att_cache = attention_forward(Xn, params, p, config.num_heads)"
RESIDUAL1 = "X1 = X + att"
LN2 = 'Xn2, ln2_cache = ops.layer_norm_forward(X1, params[p + "ln2_g"], params[p + "ln2_b"], config.ln_eps)'
FFN = "ff, ff_cache = ffn_forward(Xn2, params, p)"
RESIDUAL2 = "Y = X1 + ff"
FFN_BACK = "dXn2 = ffn_backward(ff_cache, params, p, dY, grads)"
LN2_BACK = "dX1_branch, dg2, db2 = ops.layer_norm_backward(ln2_cache, dXn2)"
JOIN2 = "dX1 = dY + dX1_branch"
ATTENTION_BACK = "dXn = attention_backward(att_cache, params, p, dX1, grads)"
LN1_BACK = "dX_branch, dg1, db1 = ops.layer_norm_backward(ln1_cache, dXn)"
JOIN1 = "return dX1 + dX_branch"

FIRST_MOMENT = "self.m[k] = self.beta1 * self.m[k] + (1.0 - self.beta1) * grads[k]"
SECOND_MOMENT = "self.v[k] = self.beta2 * self.v[k] + (1.0 - self.beta2) * grads[k] ** 2"
M_HAT = "m_hat = self.m[k] / (1.0 - self.beta1**self.t)"
V_HAT = "v_hat = self.v[k] / (1.0 - self.beta2**self.t)"
UPDATE = "update = m_hat / (np.sqrt(v_hat) + self.eps)"
DECAY = "update += self.weight_decay * params[k]"
DECAYS = "if params[k].ndim >= 2:"
NORM = "norm: float = np.sqrt(sum((g**2).sum() for g in grads.values()))"
CLIPS = "if norm > max_norm:"
WARMUP = "return lr_max * t / t_warm"
WARMING = "if t_warm > 0 and t <= t_warm:"
COSINE = "lr: float = lr_min + 0.5 * (lr_max - lr_min) * (1.0 + np.cos(np.pi * f))"
GREEDY = "if temperature < 1e-6:"
LARGEST_LOGIT = "return int(np.argmax(logits))"
BAR = "c = np.sort(p)[-k]"
TOP_K = "p = np.where(p >= c, p, 0.0)"
RENORMALISED = "p = p / p.sum()"
ORDER = 'order = np.argsort(-p, kind="stable")'
TOTALS = "cum = np.cumsum(p[order])"
NUCLEUS = "keep = order[: np.searchsorted(cum, top_p) + 1]"
KEPT = "q[keep] = p[keep] / p[keep].sum()"
CHOICE = "return int(rng.choice(V, p=p))"
CROP = "x = ids[-w:]"
RUN = "logits, _ = forward(np.array(x, dtype=np.int64), params, config)"
TOKEN = "token = sample_next(z, temperature, top_k, top_p, rng)"
APPEND = "ids.append(token)"


@dataclass(frozen=True)
class Fault:
    """One edit, and how it must be found."""

    name: str
    equation: str
    path: str
    old: str
    new: str
    code: str = "EQ501"
    before: str = ""  # a statement on the same line, ahead of the new one
    bind: Mapping[str, str] = field(default_factory=dict)  # what the edit changes of the anchors' binds
    alone: bool = False  # runs of the whole model break down with it, or another fault hides it


FAULTS = (
    # matmul and linear
    Fault("product_minus", "linear.linear", OPS, LINEAR, "return X @ W - b"),
    Fault("entry_minus", "matmul.linear_entry", OPS, LINEAR, "return X @ W - b"),
    Fault("bias_dropped", "linear.linear", OPS, LINEAR, "return X @ W"),
    Fault("bias_twice", "linear.linear", OPS, LINEAR, "return X @ W + b + b"),
    Fault("product_factor", "linear.linear", OPS, LINEAR, "return 1.0001 * (X @ W) + b"),
    Fault("product_factor_below_rounding", "linear.linear", OPS, LINEAR, "return (1 + 1e-17) * (X @ W) + b"),
    Fault(
        "product_entry", "matmul.product_entry", OPS, LINEAR, "return np.abs(X) @ W + b", bind={"P": "np.abs(X) @ W"}
    ),
    Fault(
        "product_turned", "matmul.shape_rule", OPS, LINEAR, "return (W.T @ X.T).T + b", "EQ503", bind={"P": "W.T @ X.T"}
    ),
    Fault(
        "shapes_cut_to_fit",
        "matmul.shape_rule",
        OPS,
        LINEAR,
        "return X[:, : len(W)] @ W[: X.shape[1]] + b[: W.shape[1]]",
        "EQ504",
        bind={"P": "X[:, : len(W)] @ W[: X.shape[1]]"},
    ),
    # the seven inline linear layers
    Fault("query_uses_key_weights", "linear.linear", MODEL, QUERY, 'Q = Xn @ params[p + "wk"] + params[p + "bq"]'),
    Fault("query_transposed", "linear.linear", MODEL, QUERY, 'Q = Xn @ params[p + "wq"].T + params[p + "bq"]'),
    Fault("key_uses_query_bias", "linear.linear", MODEL, KEY, 'K = Xn @ params[p + "wk"] + params[p + "bq"]'),
    Fault("value_uses_output_weights", "linear.linear", MODEL, VALUE, 'V = Xn @ params[p + "wo"] + params[p + "bv"]'),
    Fault("output_minus", "linear.linear", MODEL, ATTENTION_OUTPUT, 'out = O @ params[p + "wo"] - params[p + "bo"]'),
    Fault("first_without_bias", "linear.linear", MODEL, FIRST, 'Z = Xn @ params[p + "ff1_w"]'),
    Fault(
        "second_uses_output_bias", "linear.linear", MODEL, SECOND, 'out = A @ params[p + "ff2_w"] + params[p + "bo"]'
    ),
    Fault("head_uses_tokens", "linear.linear", MODEL, HEAD, 'logits = Xf @ params["tok_emb"].T + params["head_b"]'),
    # linear, backward
    Fault("grad_weight_mean", "linear_backward.grad_weight", OPS, GRAD_WEIGHT, "dW = X.T @ dY / len(X)"),
    Fault(
        "grad_weight_transposed",
        "linear_backward.grad_weight",
        MODEL,
        'grads[p + "wo"] += O.T @ dOut',
        'grads[p + "wo"] += dOut.T @ O',
    ),
    Fault(
        "grad_bias_mean",
        "linear_backward.grad_bias",
        MODEL,
        'grads[p + "bo"] += dOut.sum(axis=0)',
        'grads[p + "bo"] += dOut.mean(axis=0)',
    ),
    Fault("grad_input_sign", "linear_backward.grad_input", OPS, GRAD_LINEAR_INPUT, "dX = -dY @ W.T"),
    Fault(
        "grad_input_not_transposed",
        "linear_backward.grad_input",
        MODEL,
        'dXn += dM @ params[p + "w" + n].T',
        'dXn += dM @ params[p + "w" + n]',
    ),
    # relu
    Fault("relu_leak", "relu.relu", OPS, RELU, "return np.maximum(1e-6 * Z, Z)"),
    Fault("relu_of_magnitude", "relu.relu", OPS, RELU, "return np.abs(Z)"),
    Fault("relu_in_place", "relu.relu", OPS, RELU, "return np.maximum(0.0, Z, out=Z)", "EQ502"),
    Fault("mask_not_strict", "relu_backward.masked_gradient", OPS, RELU_BACKWARD, "return dA * (Z >= 0)"),
    Fault("mask_of_gradient", "relu_backward.masked_gradient", OPS, RELU_BACKWARD, "return dA * (dA > 0)"),
    # xavier and starting values
    Fault("limit_of_three", "xavier_uniform.limit", OPS, LIMIT, "a = np.sqrt(3.0 / (fan_in + fan_out))"),
    Fault(
        "limit_of_difference", "xavier_uniform.limit", OPS, LIMIT, "a = np.sqrt(6.0 / (fan_in - fan_out))", alone=True
    ),
    Fault("limit_unbracketed", "xavier_uniform.limit", OPS, LIMIT, "a = np.sqrt(6.0 / fan_in + fan_out)"),
    Fault(
        "draw_wider",
        "xavier_uniform.draw",
        OPS,
        DRAW,
        "return rng.uniform(-a, 1.02 * a, size=(fan_in, fan_out))",
        "EQ505",
    ),
    Fault(
        "draw_narrower",
        "xavier_uniform.draw",
        OPS,
        DRAW,
        "return rng.uniform(-a, 0.98 * a, size=(fan_in, fan_out))",
        "EQ505",
    ),
    Fault(
        "draw_normal",
        "xavier_uniform.draw",
        OPS,
        DRAW,
        "return np.clip(rng.normal(0.0, a / np.sqrt(3.0), size=(fan_in, fan_out)), -a, a)",
        "EQ505",
    ),
    Fault(
        "draw_fixed_seed",
        "xavier_uniform.draw",
        OPS,
        DRAW,
        "return np.random.default_rng(fan_in).uniform(-a, a, size=(fan_in, fan_out))",
        "EQ505",
    ),
    Fault(
        "draw_global_generator",
        "xavier_uniform.draw",
        OPS,
        DRAW,
        "return np.random.uniform(-a, a, size=(fan_in, fan_out))",
        "EQ505",
    ),
    Fault(
        "draw_rows_alike",
        "xavier_uniform.draw",
        OPS,
        DRAW,
        "return np.tile(rng.uniform(-a, a, size=fan_out), (fan_in, 1))",
        "EQ505",
    ),
    Fault(
        "scale_starts_at_zero",
        "initial_values.initial_values",
        MODEL,
        'params["lnf_g"], params["lnf_b"] = np.ones(d), np.zeros(d)',
        'params["lnf_g"], params["lnf_b"] = np.zeros(d), np.zeros(d)',
        "EQ506",
    ),
    Fault(
        "bias_starts_drawn",
        "initial_values.initial_values",
        MODEL,
        ATTENTION_START,
        'params[p + "w" + n], params[p + "b" + n] = ops.xavier_uniform(d, d, rng), ops.xavier_uniform(1, d, rng)[0]',
        "EQ506",
    ),
    Fault(
        "start_transposed",
        "initial_values.initial_values",
        MODEL,
        'params["tok_emb"] = ops.xavier_uniform(V, d, rng)',
        'params["tok_emb"] = ops.xavier_uniform(d, V, rng)',
        "EQ506",
    ),
    Fault(
        "key_misspelt",
        "initial_values.initial_values",
        MODEL,
        'params[p + "ln2_g"], params[p + "ln2_b"] = np.ones(d), np.zeros(d)',
        'params[p + "ln2_g"], params[p + "ln2_s"] = np.ones(d), np.zeros(d)',
        "EQ506",
    ),
    Fault(
        "order_changed",
        "initial_values.initial_values",
        MODEL,
        'params["head_w"], params["head_b"] = ops.xavier_uniform(d, V, rng), np.zeros(V)',
        'params["head_b"], params["head_w"] = np.zeros(V), ops.xavier_uniform(d, V, rng)',
        "EQ506",
        bind={"W": "result[1]", "b": "result[0]"},
    ),
    Fault(
        "start_rescaled",
        "initial_values.initial_values",
        MODEL,
        'params["pos_emb"] = ops.xavier_uniform(Tmax, d, rng)',
        'params["pos_emb"] = 0.5 * ops.xavier_uniform(Tmax, d, rng)',
        "EQ506",
    ),
    # softmax
    Fault("maximum_not_subtracted", "softmax.shifted_exp", OPS, EXP, "e = np.exp(x)"),
    Fault("maximum_of_columns", "softmax.shifted_exp", OPS, EXP, "e = np.exp(x - x.max(axis=0, keepdims=True))"),
    Fault("maximum_of_all", "softmax.shifted_exp", OPS, EXP, "e = np.exp(x - x.max())"),
    Fault("minimum_subtracted", "softmax.shifted_exp", OPS, EXP, "e = np.exp(x - x.min(axis=-1, keepdims=True))"),
    Fault(
        "scores_shifted_in_place",
        "softmax.shifted_exp",
        OPS,
        EXP,
        "e = np.exp(np.subtract(x, x.max(axis=-1, keepdims=True), out=x))",
        "EQ502",
    ),
    Fault(
        "scores_shifted_in_place_before",
        "softmax.shifted_exp",
        OPS,
        EXP,
        "e = np.exp(x)",
        "EQ502",
        before="x -= x.max(axis=-1, keepdims=True)",
    ),
    Fault("total_of_columns", "softmax.normalise", OPS, NORMALISE, "p: Array = e / e.sum(axis=0, keepdims=True)"),
    Fault("total_is_mean", "softmax.normalise", OPS, NORMALISE, "p: Array = e / e.mean(axis=-1, keepdims=True)"),
    Fault(
        "total_guarded", "softmax.normalise", OPS, NORMALISE, "p: Array = e / (e.sum(axis=-1, keepdims=True) + 1e-12)"
    ),
    Fault(
        "normalised_without_shift",
        "softmax.normalise",
        OPS,
        NORMALISE,
        "p: Array = np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)",
    ),
    Fault(
        "inline_exponentials_unshifted",
        "softmax.shifted_exp",
        OPS,
        LOG_SOFTMAX,
        "logp = z - np.log(np.exp(z + 1.0).sum(axis=-1, keepdims=True)) + 1.0",
        bind={"e": "np.exp(z + 1.0)"},
    ),
    # softmax, backward
    Fault(
        "weighted_mean",
        "softmax_backward.grad_input",
        OPS,
        SOFTMAX_BACKWARD,
        "dx: Array = y * (dY - (y * dY).mean(axis=-1, keepdims=True))",
    ),
    Fault(
        "weights_forgotten",
        "softmax_backward.grad_input",
        OPS,
        SOFTMAX_BACKWARD,
        "dx: Array = y * (dY - dY.sum(axis=-1, keepdims=True))",
    ),
    # cross-entropy
    Fault("logits_not_shifted", "cross_entropy.shifted_logits", OPS, SHIFTED, "z = logits * 1.0"),
    Fault(
        "logits_shifted_in_place",
        "cross_entropy.shifted_logits",
        OPS,
        SHIFTED,
        "z = np.subtract(logits, logits.max(axis=-1, keepdims=True), out=logits)",
        "EQ502",
        alone=True,
    ),
    Fault(
        "log_softmax_not_shifted",
        "cross_entropy.log_softmax",
        OPS,
        LOG_SOFTMAX,
        "logp = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))",
    ),
    Fault(
        "log_to_base_two",
        "cross_entropy.log_softmax",
        OPS,
        LOG_SOFTMAX,
        "logp = z - np.log2(np.exp(z).sum(axis=-1, keepdims=True))",
    ),
    Fault("loss_summed", "cross_entropy.mean_loss", OPS, LOSS, "loss = -logp[np.arange(T), targets].sum()"),
    Fault("loss_sign", "cross_entropy.mean_loss", OPS, LOSS, "loss = logp[np.arange(T), targets].mean()"),
    Fault("targets_off_by_one", "cross_entropy.mean_loss", OPS, LOSS, "loss = -logp[np.arange(T), targets - 1].mean()"),
    Fault("loss_over_vocabulary", "cross_entropy.mean_loss", OPS, LOSS, "loss = -logp[:, targets].mean()"),
    Fault("probabilities_not_exponentiated", "cross_entropy.probabilities", OPS, PROBS, "probs = -logp"),
    # cross-entropy, backward
    Fault(
        "gradient_not_averaged", "cross_entropy_backward.combined_gradient", OPS, COMBINED, "return (probs - one_hot)"
    ),
    Fault("gradient_sign", "cross_entropy_backward.combined_gradient", OPS, COMBINED, "return (one_hot - probs) / T"),
    Fault(
        "gradient_over_all",
        "cross_entropy_backward.combined_gradient",
        OPS,
        COMBINED,
        "return (probs - one_hot) / probs.size",
    ),
    Fault(
        "one_hot_off_by_one",
        "cross_entropy_backward.combined_gradient",
        OPS,
        ONE_HOT,
        "one_hot[np.arange(T), targets - 1] = 1.0",
    ),
    Fault("one_hot_adds", "cross_entropy_backward.combined_gradient", OPS, ONE_HOT, "one_hot[:, targets] = 1.0"),
    # perplexity
    Fault("perplexity_to_base_two", "perplexity.perplexity", OPS, PERPLEXITY, "value: float = 2.0**loss"),
    Fault("perplexity_less_one", "perplexity.perplexity", OPS, PERPLEXITY, "value: float = np.expm1(loss)"),
    # layer norm
    Fault("mean_is_sum", "layer_norm.row_mean", OPS, MEAN, "mu = X.sum(axis=-1, keepdims=True)"),
    Fault("mean_is_median", "layer_norm.row_mean", OPS, MEAN, "mu = np.median(X, axis=-1, keepdims=True)"),
    Fault("mean_of_all", "layer_norm.row_mean", OPS, MEAN, "mu = np.full((len(X), 1), X.mean())"),
    Fault(
        "mean_of_columns", "layer_norm.row_mean", OPS, MEAN, "mu = X.mean(axis=0, keepdims=True)", "EQ401", alone=True
    ),
    Fault(
        "variance_unbiased",
        "layer_norm.row_variance",
        OPS,
        VARIANCE,
        "var = ((X - mu) ** 2).sum(axis=-1, keepdims=True) / (X.shape[-1] - 1)",
    ),
    Fault("variance_ddof", "layer_norm.row_variance", OPS, VARIANCE, "var = X.var(axis=-1, keepdims=True, ddof=1)"),
    Fault(
        "variance_not_squared",
        "layer_norm.row_variance",
        OPS,
        VARIANCE,
        "var = np.abs(X - mu).mean(axis=-1, keepdims=True)",
    ),
    Fault(
        "variance_not_centred", "layer_norm.row_variance", OPS, VARIANCE, "var = (X**2).mean(axis=-1, keepdims=True)"
    ),
    Fault(
        "variance_that_cancels",
        "layer_norm.row_variance",
        OPS,
        VARIANCE,
        "var = (X**2).mean(axis=-1, keepdims=True) - mu**2",
    ),
    Fault("epsilon_outside", "layer_norm.inv_std", OPS, INVERSE, "s = 1.0 / (np.sqrt(var) + eps)"),
    Fault("epsilon_dropped", "layer_norm.inv_std", OPS, INVERSE, "s = 1.0 / np.sqrt(var)"),
    Fault("epsilon_maximum", "layer_norm.inv_std", OPS, INVERSE, "s = 1.0 / np.sqrt(np.maximum(var, eps))"),
    Fault("deviation_not_inverted", "layer_norm.inv_std", OPS, INVERSE, "s = np.sqrt(var + eps)"),
    Fault("factor", "layer_norm.normalised", OPS, NORMALISED, "Xhat = (X - mu) * s * 1.0001"),
    Fault("mean_added", "layer_norm.normalised", OPS, NORMALISED, "Xhat = (X + mu) * s"),
    Fault("divided", "layer_norm.normalised", OPS, NORMALISED, "Xhat = (X - mu) / s"),
    Fault(
        "input_centred_in_place",
        "layer_norm.normalised",
        OPS,
        NORMALISED,
        "Xhat = np.subtract(X, mu, out=X) * s",
        "EQ502",
    ),
    Fault("shift_sign", "layer_norm.affine", OPS, AFFINE, "Y = gamma * Xhat - beta"),
    Fault("scale_and_shift_swapped", "layer_norm.affine", OPS, AFFINE, "Y = beta * Xhat + gamma"),
    Fault("input_scaled", "layer_norm.affine", OPS, AFFINE, "Y = gamma * X + beta"),
    # layer norm, backward
    Fault("scale_forgotten", "layer_norm_backward.grad_normalised", OPS, GRAD_NORMALISED, "dXhat = dY * 1.0"),
    Fault(
        "gradient_scaled_in_place",
        "layer_norm_backward.grad_normalised",
        OPS,
        GRAD_NORMALISED,
        "dXhat = np.multiply(dY, gamma, out=dY)",
        "EQ502",
    ),
    Fault(
        "gradient_changed_before",
        "layer_norm_backward.grad_normalised",
        OPS,
        GRAD_NORMALISED,
        GRAD_NORMALISED,
        "EQ502",
        before="dY *= 2.0",
    ),
    Fault(
        "term_dropped",
        "layer_norm_backward.grad_input",
        OPS,
        GRAD_INPUT,
        "dX = s * (dXhat - Xhat * (dXhat * Xhat).mean(axis=-1, keepdims=True))",
    ),
    Fault(
        "second_term_sign",
        "layer_norm_backward.grad_input",
        OPS,
        GRAD_INPUT,
        "dX = s * (dXhat - dXhat.mean(axis=-1, keepdims=True) + Xhat * (dXhat * Xhat).mean(axis=-1, keepdims=True))",
    ),
    Fault(
        "means_are_sums",
        "layer_norm_derivation.collected_input_gradient",
        OPS,
        GRAD_INPUT,
        "dX = s * (dXhat - dXhat.sum(axis=-1, keepdims=True) - Xhat * (dXhat * Xhat).sum(axis=-1, keepdims=True))",
    ),
    Fault(
        "scale_gradient_mean", "layer_norm_backward.grad_gamma", OPS, GRAD_GAMMA, "dgamma = (dY * Xhat).mean(axis=0)"
    ),
    # data
    Fault("cut_rounded_up", "train_val_split.cut_index", DATA, CUT, "cut = math.ceil((1.0 - val_share) * N)"),
    Fault("cut_at_the_held_out_share", "train_val_split.cut_index", DATA, CUT, "cut = math.floor(val_share * N)"),
    Fault(
        "a_window_too_many", "window_count.window_count", DATA, WINDOWS, "W = math.ceil((N - T) / k) + 1", alone=True
    ),
    Fault("count_rounded_down", "window_count.window_count", DATA, WINDOWS, "W = (N - T) // k"),
    Fault(
        "start_further_on",
        "sliding_windows.window_starts",
        DATA,
        STARTS,
        "starts = k * np.arange(W) + 1",
        "EQ509",
        alone=True,
    ),
    Fault("stride_ignored", "sliding_windows.window_starts", DATA, STARTS, "starts = np.arange(W)", "EQ509"),
    Fault("inputs_shifted", "sliding_windows.window_inputs", DATA, INPUTS, "x = ids[starts[:, None] + t + 1]"),
    Fault(
        "targets_shifted_by_two", "sliding_windows.window_targets", DATA, TARGETS, "y = ids[starts[:, None] + t + 2]"
    ),
    Fault("targets_not_shifted", "sliding_windows.window_targets", DATA, TARGETS, "y = ids[starts[:, None] + t]"),
    Fault("targets_turned_round", "sliding_windows.shift_by_one", DATA, "return x, y", "return x, y[:, ::-1]"),
    Fault(
        "short_last_batch_dropped",
        "shuffling_and_batching.batches_per_epoch",
        DATA,
        BATCHES,
        "batches = W // batch_size",
    ),
    # tokenizer
    Fault(
        "words_counted_once",
        "word_counts.pretoken_count",
        TOKENIZER,
        WORD_COUNTS,
        "return dict.fromkeys(pretokens, 1)",
        "EQ509",
    ),
    Fault(
        "pairs_not_weighted",
        "pair_frequency.pair_count",
        TOKENIZER,
        PAIR_COUNT,
        "f[pair] += min(1, word_counts[word])",
        "EQ509",
    ),
    Fault(
        "best_pair_by_first_sight",
        "pair_frequency.best_pair",
        TOKENIZER,
        BEST_PAIR,
        "best = max(f, key=f.__getitem__)",
        "EQ509",
    ),
    Fault(
        "merged_overlapping",
        "apply_merge.merge_pair",
        TOKENIZER,
        MERGED,
        "return [a + b if tokens[i : i + 2] == [a, b] else t for i, t in enumerate(tokens)]",
        "EQ509",
    ),
    Fault(
        "unknown_not_first",
        "vocabulary.vocabulary_order",
        TOKENIZER,
        LISTED,
        "listed = [*text, UNKNOWN, *merged]",
        "EQ509",
    ),
    Fault(
        "merges_out_of_order",
        "vocabulary.vocabulary_order",
        TOKENIZER,
        LISTED,
        "listed = [UNKNOWN, *text, *merged[::-1]]",
        "EQ509",
    ),
    Fault(
        "vocabulary_sorted",
        "vocabulary.vocabulary_order",
        TOKENIZER,
        VOCABULARY,
        "itos = tuple(sorted(set(listed)))",
        "EQ509",
    ),
    Fault(
        "unknown_token_is_none",
        "encode_decode.token_to_id",
        TOKENIZER,
        LOOKUP,
        "ids += [self.stoi.get(token, -1) for token in tokens_of[word]]",
        "EQ509",
    ),
    Fault(
        "decoded_with_spaces",
        "encode_decode.decode",
        TOKENIZER,
        DECODED,
        'return " ".join([self.itos[i] for i in ids])',
        "EQ509",
    ),
    # optimiser
    Fault(
        "first_moment_forgets", "adamw.first_moment", OPTIM, FIRST_MOMENT, "self.m[k] = (1.0 - self.beta1) * grads[k]"
    ),
    Fault(
        "second_moment_of_sizes",
        "adamw.second_moment",
        OPTIM,
        SECOND_MOMENT,
        "self.v[k] = self.beta2 * self.v[k] + (1.0 - self.beta2) * np.abs(grads[k])",
    ),
    Fault(
        "correction_of_the_step_before",
        "adamw.m_hat",
        OPTIM,
        M_HAT,
        "m_hat = self.m[k] / (1.0 - self.beta1 ** (self.t - 1))",
    ),
    Fault("steps_counted_twice", "adamw.m_hat", OPTIM, "self.t += 1", "self.t += 2"),
    Fault(
        "second_correction_of_the_step_before",
        "adamw.v_hat",
        OPTIM,
        V_HAT,
        "v_hat = self.v[k] / (1.0 - self.beta2 ** (self.t - 1))",
    ),
    Fault("epsilon_inside", "adamw.raw_update", OPTIM, UPDATE, "update = m_hat / np.sqrt(v_hat + self.eps)"),
    Fault("decay_of_biases", "adamw.decoupled_decay", OPTIM, DECAYS, "if params[k].ndim >= 1:"),
    Fault("decay_of_all", "adamw.decoupled_decay", OPTIM, DECAYS, "if True:"),
    Fault("decay_scaled_twice", "adamw.decoupled_decay", OPTIM, DECAY, "update += lr * self.weight_decay * params[k]"),
    Fault("step_uphill", "adamw.parameter_step", OPTIM, "params[k] -= lr * update", "params[k] += lr * update"),
    Fault(
        "clip_by_sum",
        "gradient_clipping.global_norm",
        OPTIM,
        NORM,
        "norm: float = sum(np.abs(g).sum() for g in grads.values())",
    ),
    Fault(
        "clip_by_squares",
        "gradient_clipping.global_norm",
        OPTIM,
        NORM,
        "norm: float = sum((g**2).sum() for g in grads.values())",
    ),
    Fault("clip_at_the_limit", "gradient_clipping.rescale", OPTIM, CLIPS, "if norm >= max_norm:"),
    Fault("clip_to_one", "gradient_clipping.rescale", OPTIM, "grads[k] *= max_norm / norm", "grads[k] /= norm"),
    Fault("warmup_a_step_late", "lr_schedule.warmup", OPTIM, WARMUP, "return lr_max * (t - 1) / t_warm"),
    Fault("warmup_a_step_long", "lr_schedule.warmup", OPTIM, WARMING, "if t_warm > 0 and t <= t_warm + 1:"),
    Fault(
        "progress_from_zero",
        "lr_schedule.decay_progress",
        OPTIM,
        "f = (t - t_warm) / (t_total - t_warm)",
        "f = t / t_total",
    ),
    Fault("whole_cosine", "lr_schedule.cosine_decay", OPTIM, COSINE, COSINE.replace("np.pi * f", "2.0 * np.pi * f")),
    Fault("floor_a_step_late", "lr_schedule.cosine_decay", OPTIM, "if t > t_total:", "if t > t_total + 1:"),
    # sampling
    Fault("guard_below", "greedy_guard.greedy", GENERATE, GREEDY, "if temperature < 1e-7:", "EQ509"),
    Fault("guard_with_its_end", "greedy_guard.greedy", GENERATE, GREEDY, "if temperature <= 1e-6:", "EQ509"),
    Fault(
        "last_of_the_largest",
        "greedy_guard.greedy",
        GENERATE,
        LARGEST_LOGIT,
        "return int(len(logits) - 1 - np.argmax(logits[::-1]))",
        "EQ509",
    ),
    Fault(
        "multiplied_by_temperature",
        "temperature.tempered_softmax",
        GENERATE,
        "p = ops.softmax_forward(logits / temperature)",
        "p = ops.softmax_forward(logits * temperature)",
    ),
    Fault(
        "repeats_not_counted",
        "top_k.kth_value",
        GENERATE,
        BAR,
        "c = np.unique(p)[-min(k, len(np.unique(p)))]",
    ),
    Fault("ties_dropped", "top_k.filter", GENERATE, TOP_K, "p = np.where(p > c, p, 0.0)", alone=True),
    Fault("survivors_not_rescaled", "top_k.renormalise", GENERATE, RENORMALISED, "p = p / 1.0", alone=True),
    Fault("smallest_first", "top_p.sort", GENERATE, ORDER, 'order = np.argsort(p, kind="stable")', "EQ509"),
    Fault("ties_turned_round", "top_p.sort", GENERATE, ORDER, 'order = np.argsort(p, kind="stable")[::-1]', "EQ509"),
    Fault("totals_without_order", "top_p.cumulative", GENERATE, TOTALS, "cum = np.cumsum(p)"),
    Fault(
        "one_too_few",
        "top_p.nucleus",
        GENERATE,
        NUCLEUS,
        "keep = order[: np.searchsorted(cum, top_p)]",
        "EQ509",
        alone=True,
    ),
    Fault(
        "one_too_many",
        "top_p.nucleus",
        GENERATE,
        NUCLEUS,
        "keep = order[: np.searchsorted(cum, top_p) + 2]",
        "EQ509",
    ),
    Fault("nucleus_not_rescaled", "top_p.renormalise", GENERATE, KEPT, "q[keep] = p[keep]", alone=True),
    Fault("nucleus_even", "top_p.renormalise", GENERATE, KEPT, "q[keep] = 1.0 / len(keep)"),
    Fault("drawn_evenly", "random_choice.draw", GENERATE, CHOICE, "return int(rng.choice(V))", "EQ505"),
    Fault(
        "drawn_from_the_wrong_end",
        "random_choice.draw",
        GENERATE,
        CHOICE,
        "return int(rng.choice(V, p=p[::-1]))",
        "EQ505",
    ),
    Fault("first_ids", "generation_loop.context_crop", GENERATE, CROP, "x = ids[:w]", "EQ509"),
    Fault("first_logits", "generation_loop.last_logits", GENERATE, "z = logits[-1]", "z = logits[0]"),
    Fault(
        "context_turned_round",
        "generation_loop.last_logits",
        GENERATE,
        RUN,
        "logits, _ = forward(np.array(x[::-1], dtype=np.int64), params, config)",
    ),
    Fault("put_in_front", "generation_loop.append_sample", GENERATE, APPEND, "ids.insert(0, token)"),
    Fault("always_the_first_token", "generation_loop.append_sample", GENERATE, APPEND, "ids.append(0)"),
)

ATTENTION = (
    # heads
    Fault("head_split_by_width", "heads.head_columns", MODEL, SPLIT, "return M.reshape(T, dh, H).transpose(2, 0, 1)"),
    Fault("heads_in_rows", "heads.head_columns", MODEL, SPLIT, "return M.reshape(H, T, dh)"),
    Fault(
        "head_order_turned",
        "split_heads.split_qkv",
        MODEL,
        SPLIT,
        "return M.reshape(T, H, dh).transpose(1, 0, 2)[::-1]",
    ),
    Fault(
        "keys_split_as_queries",
        "split_heads.split_qkv",
        MODEL,
        SPLIT_ALL,
        "Qh, Kh, Vh = split_heads(Q, H), split_heads(Q, H), split_heads(V, H)",
    ),
    Fault("heads_merged_in_rows", "merge_heads.heads_concatenated", MODEL, MERGE, "return Mh.reshape(T, H * dh)"),
    Fault("merged_by_width", "heads.head_columns", MODEL, MERGE, "return Mh.transpose(1, 2, 0).reshape(T, H * dh)"),
    # weights
    Fault("key_bias_of_queries", "qkv_projections.key", MODEL, KEY, 'K = Xn @ params[p + "wk"] + params[p + "bq"]'),
    Fault(
        "value_weights_transposed",
        "qkv_projections.value",
        MODEL,
        VALUE,
        'V = Xn @ params[p + "wv"].T + params[p + "bv"]',
    ),
    Fault(
        "scores_of_values",
        "attention_scores.scores_per_head",
        MODEL,
        SCORES,
        "S = (Qh @ Vh.transpose(0, 2, 1)) / np.sqrt(dh)",
        bind={"R": "Qh @ Vh.transpose(0, 2, 1)"},
    ),
    Fault(
        "scores_transposed",
        "score_scaling.scaled_scores",
        MODEL,
        SCORES,
        "S = (Kh @ Qh.transpose(0, 2, 1)) / np.sqrt(dh)",
        bind={"R": "Kh @ Qh.transpose(0, 2, 1)"},
    ),
    Fault(
        "scaled_by_all_features",
        "score_scaling.scaled_scores",
        MODEL,
        SCORES,
        "S = (Qh @ Kh.transpose(0, 2, 1)) / np.sqrt(Xn.shape[1])",
    ),
    Fault("scaled_without_root", "score_scaling.scaled_scores", MODEL, SCORES, "S = (Qh @ Kh.transpose(0, 2, 1)) / dh"),
    Fault("mask_one_late", "causal_mask.causal_mask", MODEL, MASK, "mask = np.triu(np.ones((T, T), dtype=bool), 2)"),
    Fault(
        "mask_one_early",
        "causal_mask.causal_mask",
        MODEL,
        MASK,
        "mask = np.triu(np.ones((T, T), dtype=bool), 0)",
        alone=True,
    ),
    Fault("masked_with_a_number", "causal_mask.causal_mask", MODEL, MASKED, "S = np.where(mask, -1e9, S)"),
    Fault("mask_transposed", "causal_mask.causal_mask", MODEL, MASKED, "S = np.where(mask.T, -np.inf, S)", alone=True),
    Fault(
        "softmax_of_columns",
        "attention_softmax.row_weights",
        MODEL,
        WEIGHTS,
        "A = ops.softmax_forward(S.swapaxes(1, 2)).swapaxes(1, 2)",
    ),
    Fault(
        "weights_leak",
        "attention_softmax.masked_weight_zero",
        MODEL,
        WEIGHTS,
        "A = ops.softmax_forward(S) + 1e-300",
        alone=True,
    ),
    # output
    Fault("weights_transposed", "weighted_values.weighted_values", MODEL, MIX, "Oh = A.transpose(0, 2, 1) @ Vh"),
    Fault("mix_of_keys", "weighted_values.weighted_values_row", MODEL, MIX, "Oh = A @ Kh"),
    Fault(
        "output_bias_twice",
        "output_projection.output_projection",
        MODEL,
        ATTENTION_OUTPUT,
        'out = O @ params[p + "wo"] + 2 * params[p + "bo"]',
    ),
    # backward
    Fault(
        "output_gradient_transposed", "attention_backward.grad_wo", MODEL, GRAD_OUTPUT, 'grads[p + "wo"] += dOut.T @ O'
    ),
    Fault(
        "output_bias_mean",
        "attention_backward.grad_bo",
        MODEL,
        GRAD_OUTPUT_BIAS,
        'grads[p + "bo"] += dOut.mean(axis=0)',
    ),
    Fault(
        "heads_by_weights_not_transposed",
        "attention_backward.grad_heads",
        MODEL,
        GRAD_HEADS,
        'dOh = split_heads(dOut @ params[p + "wo"], H)',
        bind={"dX": 'dOut @ params[p + "wo"]'},
    ),
    Fault("values_by_weights_not_transposed", "attention_backward.grad_values", MODEL, GRAD_VALUES, "dVh = A @ dOh"),
    Fault(
        "weights_by_keys",
        "attention_backward.grad_attention_weights",
        MODEL,
        GRAD_WEIGHTS,
        "dA = dOh @ Kh.transpose(0, 2, 1)",
    ),
    Fault(
        "masked_scores_get_gradient",
        "attention_backward.masked_gradient_zero",
        MODEL,
        GRAD_SCORES,
        "dS = ops.softmax_backward(A, dA) + np.triu(dA, 1)",
    ),
    Fault(
        "masked_gradient_tiny",
        "attention_backward.masked_gradient_zero",
        MODEL,
        GRAD_SCORES,
        "dS = ops.softmax_backward(A + 1e-12, dA)",
    ),
    Fault("scores_without_the_mean", "attention_backward.grad_scores", MODEL, GRAD_SCORES, "dS = A * dA"),
    Fault("queries_not_scaled", "attention_backward.grad_queries", MODEL, GRAD_QUERIES, "dQh = dS @ Kh"),
    Fault(
        "queries_scaled_by_all_features",
        "attention_backward.grad_queries",
        MODEL,
        GRAD_QUERIES,
        "dQh = (dS @ Kh) / np.sqrt(Xn.shape[1])",
    ),
    Fault("keys_not_transposed", "attention_backward.grad_keys", MODEL, GRAD_KEYS, "dKh = (dS @ Qh) / np.sqrt(dh)"),
    Fault(
        "gradients_merged_crosswise",
        "attention_backward.merge_gradients",
        MODEL,
        GRADS_MERGED,
        "dQ, dK, dV = merge_heads(dKh), merge_heads(dQh), merge_heads(dVh)",
    ),
    Fault(
        "projection_transposed",
        "attention_backward.grad_projection_weights",
        MODEL,
        GRAD_PROJECTION,
        'grads[p + "w" + n] += dM.T @ Xn',
    ),
    Fault(
        "projection_of_queries_only",
        "attention_backward.grad_projection_weights",
        MODEL,
        GRAD_PROJECTION,
        'grads[p + "w" + n] += Xn.T @ dQ',
    ),
    Fault(
        "projection_bias_mean",
        "attention_backward.grad_projection_biases",
        MODEL,
        GRAD_PROJECTION_BIAS,
        'grads[p + "b" + n] += dM.mean(axis=0)',
    ),
    Fault(
        "projection_bias_other_axis",
        "attention_backward.grad_projection_biases",
        MODEL,
        GRAD_PROJECTION_BIAS,
        'grads[p + "b" + n] += dM.sum(axis=1)[0]',
        "EQ401",
    ),
    Fault(
        "key_bias_leaks",
        "attention_backward.key_bias_zero",
        MODEL,
        GRAD_PROJECTION_BIAS,
        'grads[p + "b" + n] += dM.sum(axis=0) + 1e-9',
    ),
)
FAULTS = (*FAULTS, *ATTENTION)
# the transformer block: residuals, normalisations, feed-forward network
BLOCK = (
    Fault("residual1_dropped", "block_forward.residual1", MODEL, RESIDUAL1, "X1 = att"),
    Fault("residual1_of_normalised", "block_forward.residual1", MODEL, RESIDUAL1, "X1 = Xn + att"),
    Fault("residual1_scaled", "block_forward.residual1", MODEL, RESIDUAL1, "X1 = X + 1.0001 * att"),
    Fault("compact_residual1_dropped", "block_forward.block_compact", MODEL, RESIDUAL1, "X1 = att"),
    Fault("residual2_dropped", "block_forward.residual2", MODEL, RESIDUAL2, "Y = ff * 1.0"),
    Fault("residual2_of_input", "block_forward.residual2", MODEL, RESIDUAL2, "Y = X + ff"),
    Fault("compact_residual2_dropped", "block_forward.block_compact", MODEL, RESIDUAL2, "Y = ff * 1.0"),
    Fault("first_norm_by_second", "block_forward.ln1", MODEL, LN1, LN1.replace("ln1_g", "ln2_g")),
    Fault("first_norm_shifted_by_second", "block_forward.ln1", MODEL, LN1, LN1.replace('"ln1_b"', '"ln2_b"')),
    Fault("second_norm_by_first", "block_forward.ln2", MODEL, LN2, LN2.replace("ln2_g", "ln1_g")),
    Fault("second_norm_of_input", "block_forward.ln2", MODEL, LN2, LN2.replace("(X1,", "(X,")),
    Fault("attention_not_normalised", "block_forward.attention", MODEL, ATTENTION_CALL,
          ATTENTION_CALL.replace("(Xn", "(X")),
    Fault("attention_one_head", "block_forward.attention", MODEL, ATTENTION_CALL,
          ATTENTION_CALL.replace("config.num_heads", "1")),
    Fault("ffn_not_normalised", "block_forward.ffn", MODEL, FFN, FFN.replace("(Xn2", "(X1")),
    Fault("ffn_of_first_norm", "block_forward.ffn", MODEL, FFN, FFN.replace("(Xn2", "(Xn")),
    Fault("hidden_by_second_layer", "ffn_forward.expand", MODEL, FIRST, FIRST.replace('"ff1_w"]', '"ff2_w"].T')),
    Fault("hidden_leaky", "ffn_forward.activation", MODEL, HIDDEN, "A = np.maximum(Z, 1e-6 * Z)"),
    Fault("hidden_turned", "ffn_forward.activation", MODEL, HIDDEN, "A = ops.relu_forward(-Z)"),
    Fault("activation_skipped", "ffn_forward.project", MODEL, SECOND, SECOND.replace("A @", "Z @")),
    Fault("row_activation_skipped", "ffn_forward.single_row", MODEL, SECOND, SECOND.replace("A @", "Z @")),
    Fault("projected_by_first_layer", "ffn_forward.project", MODEL, SECOND, SECOND.replace('"ff2_w"]', '"ff1_w"].T')),
    Fault("hidden_gradient_by_first_layer", "ffn_backward.grad_hidden", MODEL, SECOND_BACK,
          SECOND_BACK.replace('"ff2_w"]', '"ff1_w"].T')),
    Fault("weight_gradient_before_relu", "ffn_backward.grad_w2", MODEL, SECOND_BACK, SECOND_BACK.replace("(A,", "(Z,")),
    Fault("weight_gradient_twice", "ffn_backward.grad_w2", MODEL, 'grads[p + "ff2_w"] += dW2',
          'grads[p + "ff2_w"] += 2 * dW2'),
    Fault("bias_gradient_halved", "ffn_backward.grad_b2", MODEL, 'grads[p + "ff2_b"] += db2',
          'grads[p + "ff2_b"] += db2 / 2'),
    Fault("gate_not_strict", "ffn_backward.grad_preactivation", MODEL, GATE, "dZ = dA * (Z >= 0)"),
    Fault("gate_of_gradient", "ffn_backward.grad_preactivation", MODEL, GATE, "dZ = ops.relu_backward(dA, dA)"),
    Fault("gate_forgotten", "ffn_backward.grad_preactivation", MODEL, GATE, "dZ = dA * 1.0"),
    Fault("input_gradient_by_second_layer", "ffn_backward.grad_input", MODEL, FIRST_BACK,
          FIRST_BACK.replace('"ff1_w"]', '"ff2_w"].T')),
    Fault("input_gradient_ungated", "ffn_backward.grad_w1", MODEL, FIRST_BACK, FIRST_BACK.replace(", dZ)", ", dA)")),
    Fault("first_bias_ungated", "ffn_backward.grad_b1", MODEL, FIRST_BACK, FIRST_BACK.replace(", dZ)", ", dA)"),
          alone=True),
    Fault("ffn_gradient_halved", "block_backward.through_ffn", MODEL, FFN_BACK, FFN_BACK.replace("dY", "0.5 * dY")),
    Fault("norm_gradient_swapped2", "block_backward.through_ln2", MODEL, LN2_BACK, LN2_BACK.replace("ln2_c", "ln1_c")),
    Fault("norm_gradient_before_ffn", "block_backward.through_ln2", MODEL, LN2_BACK, LN2_BACK.replace("dXn2)", "dY)")),
    Fault("scale_gradient_is_shift", "block_backward.through_ln2", MODEL, 'grads[p + "ln2_g"] += dg2',
          'grads[p + "ln2_g"] += db2'),
    Fault("join2_skip_dropped", "block_backward.join_second_residual", MODEL, JOIN2, "dX1 = dX1_branch"),
    Fault("join2_branch_dropped", "block_backward.join_second_residual", MODEL, JOIN2, "dX1 = dY"),
    Fault("join2_of_normalised", "block_backward.join_second_residual", MODEL, JOIN2, "dX1 = dY + dXn2"),
    Fault("attention_gradient_without_branch", "block_backward.through_attention", MODEL, ATTENTION_BACK,
          ATTENTION_BACK.replace("dX1", "dY"), alone=True),
    Fault("norm_gradient_swapped1", "block_backward.through_ln1", MODEL, LN1_BACK, LN1_BACK.replace("ln1_c", "ln2_c")),
    Fault("shift_gradient_of_second", "block_backward.through_ln1", MODEL, 'grads[p + "ln1_b"] += db1',
          'grads[p + "ln1_b"] += db2'),
    Fault("join1_skip_dropped", "block_backward.join_first_residual", MODEL, JOIN1, "return dX_branch"),
    Fault("join1_upstream_alone", "block_backward.join_first_residual", MODEL, JOIN1, "return dY + dX_branch"),
    Fault("join1_branch_dropped", "block_backward.join_first_residual", MODEL, JOIN1, "return dX1"),
)  # fmt: skip

# embeddings, training, gradient checking and the whole model
TRAIN, CHECK = "impl/train.py", "impl/gradcheck.py"
EMBEDDED = 'return params["tok_emb"][ids] + params["pos_emb"][:T]'
TOKEN_ROWS, POSITION_ROWS = 'np.add.at(grads["tok_emb"], ids, dX0)', 'grads["pos_emb"][:T] += dX0'
PER_EPOCH = "steps_per_epoch = math.ceil(W / config.batch_size)"
ALL_STEPS = "total_steps = config.epochs * steps_per_epoch"
DIFFERENCE = "g[i] = (f(x + h * e) - f(x - h * e)) / (2.0 * h)"
RELATIVE = "return np.abs(a - b) / np.maximum(np.maximum(np.abs(a), np.abs(b)), eps)"
WORST = "worst[name] = relative_error(exact[samples], estimated[samples], config.grad_check_eps).max()"
PER_BLOCK, IN_ALL = "block = 4 * d**2 + 2 * d * F + F + 9 * d", "return (2 * d + 1) * V + (Tmax + 2) * d + L * block"
STACK = 'X, block_cache = block_forward(X, params, f"b{layer}.", config)'
FINAL = 'Xf, lnf_cache = ops.layer_norm_forward(X, params["lnf_g"], params["lnf_b"], config.ln_eps)'
FINAL_BACK = "dX, dgf, dbf = ops.layer_norm_backward(lnf_cache, dXf)"
TURNS = "for layer in range(config.num_layers - 1, -1, -1):"
BLOCK_BACK = 'dX = block_backward(block_caches[layer], params, f"b{layer}.", dX, grads)'
WHOLE = (
    Fault("token_before", "token_embedding.row_lookup", MODEL, EMBEDDED, EMBEDDED.replace("[ids]", "[ids - 1]"),
          bind={"E_ids": 'params["tok_emb"][ids - 1]'}),
    Fault("position_after", "positional_embedding.position_rows", MODEL, EMBEDDED,
          EMBEDDED.replace("[:T]", "[1 : T + 1]"), bind={"P_T": 'params["pos_emb"][1 : T + 1]'}, alone=True),
    Fault("positions_from_the_end", "embedding_sum.row_sum", MODEL, EMBEDDED, EMBEDDED.replace("[:T]", "[-T:]")),
    Fault("positions_subtracted", "embedding_sum.matrix_sum", MODEL, EMBEDDED, EMBEDDED.replace(" + ", " - ")),
    Fault("unused_tokens_get_gradient", "embedding_backward.token_row_sum", MODEL, TOKEN_ROWS,
          'grads["tok_emb"] += np.eye(len(grads["tok_emb"]))[ids].T @ dX0 + 1e-9'),
    Fault("repeated_tokens_not_added_up", "embedding_backward.token_row_sum", MODEL, TOKEN_ROWS,
          'grads["tok_emb"][ids] += dX0'),
    Fault("positions_past_the_window_get_gradient", "embedding_backward.position_grad", MODEL, POSITION_ROWS,
          'grads["pos_emb"] += dX0.mean(axis=0)'),
    Fault("positions_overwritten", "embedding_backward.position_grad", MODEL, POSITION_ROWS,
          'grads["pos_emb"][:T] = dX0'),
    Fault("rows_as_configured", "batch_loss_and_grads.batch_size", TRAIN, "B = xb.shape[0]", "B = config.batch_size",
          "EQ401", alone=True),
    Fault("loss_over_configured_size", "batch_loss_and_grads.accumulate_loss", TRAIN, "loss += loss_i / B",
          "loss += loss_i / config.batch_size"),
    Fault("gradient_over_configured_size", "batch_loss_and_grads.accumulate_grads", TRAIN, "grads[k] += g[k] / B",
          "grads[k] += g[k] / config.batch_size"),
    Fault("loss_of_another_count", "batch_loss_and_grads.mean_loss", TRAIN, "return loss, grads",
          "return loss * B / config.batch_size, grads", alone=True),
    Fault("gradients_of_another_count", "batch_loss_and_grads.mean_grads", TRAIN, "return loss, grads",
          "return loss, {k: g * B / config.batch_size for k, g in grads.items()}", alone=True),
    Fault("short_batch_forgotten", "step_counts.steps_per_epoch", TRAIN, PER_EPOCH,
          "steps_per_epoch = W // config.batch_size", alone=True),
    Fault("an_epoch_too_few", "step_counts.total_steps", TRAIN, ALL_STEPS,
          "total_steps = (config.epochs - 1) * steps_per_epoch", alone=True),
    Fault("validation_over_one_more", "validation_loss.validation_mean", TRAIN, "return total / W",
          "return total / (W + 1)"),
    Fault("validation_of_turned_targets", "validation_loss.validation_mean", TRAIN,
          "loss, _ = cross_entropy_forward(logits, y)", "loss, _ = cross_entropy_forward(logits, y[::-1])"),
    Fault("validation_of_squares", "validation_loss.validation_mean", TRAIN, "total += loss", "total += loss * loss"),
    Fault("forward_difference", "central_difference.central_difference", CHECK, DIFFERENCE,
          "g[i] = (f(x + h * e) - f(x)) / h"),
    Fault("unit_of_two", "central_difference.central_difference", CHECK, "e[i] = 1.0", "e[i] = 2.0"),
    Fault("unit_added", "relative_error.relative_error", CHECK, RELATIVE,
          "return np.abs(a - b) / (np.maximum(np.abs(a), np.abs(b)) + eps)"),
    Fault("mean_error", "check_params.worst_error", CHECK, WORST, WORST.replace("max()", "mean()")),
    Fault("other_samples", "check_params.worst_error", CHECK, WORST,
          WORST.replace("exact[samples]", "exact[samples[::-1]]"), alone=True),
    Fault("eight_vectors", "parameter_count.block_total", MODEL, PER_BLOCK, PER_BLOCK.replace("9", "8")),
    Fault("head_without_bias", "parameter_count.model_total", MODEL, IN_ALL, IN_ALL.replace("(2 * d + 1)", "(2 * d)"),
          alone=True),
    Fault("one_row_too_many", "model_forward.length_limit", MODEL, "if T > Tmax:", "if T > Tmax + 1:", "EQ504"),
    Fault("first_block_again", "model_forward.block_stack", MODEL, STACK, STACK.replace("{layer}", "0")),
    Fault("last_norm_by_block", "model_forward.final_norm", MODEL, FINAL, FINAL.replace("lnf_g", "b0.ln1_g")),
    Fault("head_minus", "model_forward.head", MODEL, HEAD, HEAD.replace(" + ", " - ")),
    Fault("head_not_normalised", "model_forward.norm_and_head", MODEL, HEAD, HEAD.replace("Xf @", "X @")),
    Fault("head_back_from_stream", "model_backward.head_backward", MODEL, HEAD_BACK,
          HEAD_BACK.replace("dZ)", "2.0 * dZ)")),
    Fault("head_weights_averaged", "model_backward.head_backward", MODEL, 'grads["head_w"] += dWh',
          'grads["head_w"] += dWh / len(ids)'),
    Fault("last_norm_gradient_skipped", "model_backward.final_norm_backward", MODEL, FINAL_BACK,
          FINAL_BACK.replace("dXf)", "1.0001 * dXf)")),
    Fault("scale_gradient_from_shift", "model_backward.final_norm_backward", MODEL, 'grads["lnf_g"] += dgf',
          'grads["lnf_g"] += dbf'),
    Fault("blocks_forward", "model_backward.blocks_backward", MODEL, TURNS, "for layer in range(config.num_layers):"),
    Fault("block_gradient_halved", "model_backward.blocks_backward", MODEL, BLOCK_BACK,
          BLOCK_BACK.replace("dX,", "0.5 * dX,")),
    Fault("embeddings_get_more", "model_backward.embeddings_backward", MODEL, "embed_backward(ids, dX, grads)",
          "embed_backward(ids, dX + 1e-9, grads)"),
)  # fmt: skip


def copies_of(faults: Iterable[Fault]) -> list[tuple[Fault, ...]]:
    """Faults that can stand in one copy without one hiding another: each in a line and an equation of its own.

    Lines of one equation whose values are compared are judged one by one, so they may stand together.
    """
    groups: list[list[Fault]] = []
    for fault in faults:
        for group in groups:
            if len(group) < LARGEST and not group[0].alone and not fault.alone and all(_apart(fault, o) for o in group):
                group.append(fault)
                break
        else:
            groups.append([fault])
    return [tuple(group) for group in groups]


def _apart(one: Fault, other: Fault) -> bool:
    each_line = one.code == other.code == "EQ501"
    return one.old != other.old and (one.equation != other.equation or each_line)


def _one_of_each(faults: Iterable[Fault]) -> Iterable[Fault]:
    """A fault of every topic and finding: that an anchor changed too is said by no method."""
    found: dict[tuple[str, str], Fault] = {}
    for fault in faults:
        if not fault.bind:
            found.setdefault((fault.equation.partition(".")[0], fault.code), fault)
    return found.values()


def names_of(faults: tuple[Fault, ...]) -> str:
    return ",".join(fault.name for fault in faults)


def verified(copy: Copy, faults: tuple[Fault, ...], anchors: bool) -> tuple[Results, dict[str, int]]:
    """Makes the edits and verifies the equations; the second value has each edit's line."""
    lines = {}
    for fault in faults:
        if anchors:
            assert copy.edit_anchors(fault.path, fault.old, fault.new, fault.bind)
        source = f"{fault.before}; {fault.new}" if fault.before else fault.new
        lines[fault.name] = copy.edit(fault.path, fault.old, source)
    return copy.verify(*{fault.equation for fault in faults}), lines


def at(findings: Iterable[Finding], code: str, fault: Fault, line: int) -> list[Finding]:
    """The findings of a code that tell of a fault: of its equation, at its line."""
    return [
        each
        for each in findings
        if (each.code, each.equation) == (code, fault.equation)
        and (fault.path, line) in {(related.span.path, related.span.line) for related in each.related}
    ]


SETS = (FAULTS, BLOCK, WHOLE)  # faults of one set can stand in one copy
COPIES = [faults for each in SETS for faults in copies_of(each)]
COPIES_WITHOUT_BINDS = [faults for each in SETS for faults in copies_of(_one_of_each(each))]


def test_there_are_enough() -> None:
    every = [fault for each in SETS for fault in each]
    assert len({fault.name for fault in every}) == len(every) >= 130
    assert len({fault.equation.partition(".")[0] for fault in every}) >= 19


@pytest.mark.parametrize("faults", COPIES, ids=names_of)
def test_method_refutes_the_edited_line(copy: Copy, faults: tuple[Fault, ...]) -> None:
    results, lines = verified(copy, faults, anchors=True)
    told = "\n".join(f"{each.code} {each.span} {each.message}" for each in results.findings)
    for fault in faults:
        found = at(results.findings, fault.code, fault, lines[fault.name])
        assert found, f"{fault.name} was not found\n{told}"
        assert {(each.name, each.severity) for each in found} == {(NAMES[fault.code], Severity.ERROR)}
        assert results.verdict(fault.equation) is Verdict.REFUTED, fault.name
    assert results.exit == 1
    assert "EQ202" not in {each.code for each in results.findings}


@pytest.mark.parametrize("faults", COPIES_WITHOUT_BINDS, ids=names_of)
def test_without_the_anchors_both_findings_show(copy: Copy, faults: tuple[Fault, ...]) -> None:
    faults = tuple(fault for fault in faults if fault.old != fault.new)
    results, lines = verified(copy, faults, anchors=False)
    told = "\n".join(f"{each.code} {each.span} {each.message}" for each in results.findings)
    for fault in faults:
        for code in ("EQ202", fault.code):
            assert at(results.findings, code, fault, lines[fault.name]), f"{fault.name}: no {code}\n{told}"
    assert results.exit == 1


@pytest.mark.parametrize(
    "new",
    [
        "token = sample_next(-z, temperature, top_k, top_p, rng)",
        "token = sample_next(z, 1.0, top_k, top_p, rng)",
        "token = sample_next(z, temperature, 0, top_p, rng)",
        "token = sample_next(z, temperature, top_k, 1.0, rng)",
    ],
)
def test_a_token_sampled_with_other_arguments_is_refuted_where_it_is_appended(copy: Copy, new: str) -> None:
    assert copy.edit_anchors(GENERATE, TOKEN, new)
    copy.edit(GENERATE, TOKEN, new)
    results = copy.verify("generation_loop.append_sample", "greedy_guard.greedy", "temperature.tempered_softmax")
    fault = Fault("", "generation_loop.append_sample", GENERATE, "", "")
    assert at(results.findings, "EQ501", fault, copy.line(GENERATE, APPEND))
