"""Correct rewrites of cited lines: none may be reported, and what certified before certifies still where it can."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from eqtrace.model.anchor import Status
from eqtrace.model.finding import Severity
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

LARGEST = 10  # rewrites in one copy

GRAD_BIAS = "db = dY.sum(axis=0)"
OUTPUT_WEIGHTS = 'grads[p + "wo"] += O.T @ dOut'
JOINED = 'dXn += dM @ params[p + "w" + n].T'


USES = "the form uses "
ROUNDED = "it equals the form as far as the values that it reads are not rounded"


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
    alone: bool = False  # another equation's bind names a part of the old line


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
    Rewrite("temporary", "linear.linear", OPS, LINEAR, "return product + b", before="product = X @ W"),
    Rewrite("helper_function", "linear.linear", OPS, LINEAR, "return _product(X, W) + b"),
    Rewrite(
        "query_terms_swapped", "linear.linear", MODEL, QUERY, 'Q = params[p + "bq"] + np.matmul(Xn, params[p + "wq"])'
    ),
    Rewrite(
        "key_by_einsum",
        "linear.linear",
        MODEL,
        KEY,
        'K = np.einsum("tk,kj->tj", Xn, params[p + "wk"]) + params[p + "bk"]',
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
        alone=True,
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
    Rewrite(
        "variance_of_centred",
        "layer_norm.row_variance",
        OPS,
        VARIANCE,
        "var = (X - mu).var(axis=-1, keepdims=True)",
        ROUNDED,
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
    Rewrite("affine_in_steps", "layer_norm.affine", OPS, AFFINE, "Y += beta", before="Y = gamma * Xhat"),
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
        "input_centred_twice",
        "layer_norm_backward.grad_input",
        OPS,
        GRAD_INPUT,
        "dX = s * (dXhat - dXhat.mean(1, keepdims=True)"
        " - Xhat * ((dXhat - dXhat.mean(1, keepdims=True)) * Xhat).mean(1, keepdims=True))",
    ),
    Rewrite(
        "input_temporaries",
        "layer_norm_derivation.collected_input_gradient",
        OPS,
        GRAD_INPUT,
        "dX = s * (dXhat - m - Xhat * c)",
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
    # data
    Rewrite("cut_as_int", "train_val_split.cut_index", DATA, CUT, "cut = int((1.0 - val_share) * N)"),
    Rewrite("count_in_integers", "window_count.window_count", DATA, WINDOWS, "W = -((T - N) // k)"),
    Rewrite("starts_by_range", "sliding_windows.window_starts", DATA, STARTS, "starts = np.arange(0, k * W, k)"),
    Rewrite("inputs_taken", "sliding_windows.window_inputs", DATA, INPUTS, "x = np.take(ids, starts[:, None] + t)"),
    Rewrite("targets_of_the_rest", "sliding_windows.window_targets", DATA, TARGETS, "y = ids[1:][t + starts[:, None]]"),
    Rewrite(
        "batches_in_integers",
        "shuffling_and_batching.batches_per_epoch",
        DATA,
        BATCHES,
        "batches = -(-W // batch_size)",
    ),
    # tokenizer
    Rewrite(
        "counted_word_by_word",
        "word_counts.pretoken_count",
        TOKENIZER,
        WORD_COUNTS,
        "return {word: pretokens.count(word) for word in pretokens}",
    ),
    Rewrite(
        "added_the_other_way",
        "pair_frequency.pair_count",
        TOKENIZER,
        PAIR_COUNT,
        "f[pair] += sum([word_counts[word]])",
    ),
    Rewrite(
        "least_by_minus",
        "pair_frequency.best_pair",
        TOKENIZER,
        BEST_PAIR,
        "best = min(f, key=lambda pair: (-f[pair], pair))",
    ),
    Rewrite(
        "joined_slices",
        "apply_merge.merge_pair",
        TOKENIZER,
        MERGED,
        "return [tokens[i] if j - i == 1 else a + b for i, j in zip(starts, [*starts[1:], len(tokens)])]",
    ),
    Rewrite(
        "listed_by_sums",
        "vocabulary.vocabulary_order",
        TOKENIZER,
        LISTED,
        "listed = [UNKNOWN] + list(text) + merged",
    ),
    Rewrite(
        "vocabulary_by_index",
        "vocabulary.vocabulary_order",
        TOKENIZER,
        VOCABULARY,
        "itos = tuple(token for i, token in enumerate(listed) if listed.index(token) == i)",
    ),
    Rewrite(
        "looked_up_by_hand",
        "encode_decode.token_to_id",
        TOKENIZER,
        LOOKUP,
        "ids += [self.stoi[token] if token in self.stoi else unknown for token in tokens_of[word]]",
    ),
    Rewrite(
        "decoded_by_map",
        "encode_decode.decode",
        TOKENIZER,
        DECODED,
        'return "".join(map(self.itos.__getitem__, ids))',
    ),
    # optimiser
    Rewrite(
        "moment_moved",
        "adamw.first_moment",
        OPTIM,
        "self.m[k] = self.beta1 * self.m[k] + (1.0 - self.beta1) * grads[k]",
        "self.m[k] = grads[k] + self.beta1 * (self.m[k] - grads[k])",
    ),
    Rewrite(
        "squares_by_product",
        "adamw.second_moment",
        OPTIM,
        "self.v[k] = self.beta2 * self.v[k] + (1.0 - self.beta2) * grads[k] ** 2",
        "self.v[k] = np.multiply(1.0 - self.beta2, grads[k] * grads[k]) + self.v[k] * self.beta2",
    ),
    Rewrite(
        "power_by_function",
        "adamw.m_hat",
        OPTIM,
        "m_hat = self.m[k] / (1.0 - self.beta1**self.t)",
        "m_hat = self.m[k] / (1.0 - np.power(self.beta1, self.t))",
    ),
    Rewrite(
        "root_by_power",
        "adamw.raw_update",
        OPTIM,
        "update = m_hat / (np.sqrt(v_hat) + self.eps)",
        "update = m_hat / (self.eps + v_hat**0.5)",
    ),
    Rewrite("axes_by_shape", "adamw.decoupled_decay", OPTIM, "if params[k].ndim >= 2:", "if len(params[k].shape) > 1:"),
    Rewrite(
        "stepped_by_assignment",
        "adamw.parameter_step",
        OPTIM,
        "params[k] -= lr * update",
        "params[k] = params[k] - update * lr",
    ),
    Rewrite(
        "clipped_by_quotient",
        "gradient_clipping.rescale",
        OPTIM,
        "grads[k] *= max_norm / norm",
        "grads[k] *= 1.0 / (norm / max_norm)",
    ),
    Rewrite(
        "norm_of_dots",
        "gradient_clipping.global_norm",
        OPTIM,
        "norm: float = np.sqrt(sum((g**2).sum() for g in grads.values()))",
        "norm: float = np.sqrt(sum(np.dot(g.ravel(), g.ravel()) for g in grads.values()))",
    ),
    Rewrite("warmup_by_share", "lr_schedule.warmup", OPTIM, "return lr_max * t / t_warm", "return t / t_warm * lr_max"),
    Rewrite(
        "cosine_of_half",
        "lr_schedule.cosine_decay",
        OPTIM,
        "lr: float = lr_min + 0.5 * (lr_max - lr_min) * (1.0 + np.cos(np.pi * f))",
        "lr: float = lr_min + (lr_max - lr_min) * np.cos(0.5 * np.pi * f) ** 2",
    ),
    # sampling
    Rewrite("largest_by_partition", "top_k.kth_value", GENERATE, "c = np.sort(p)[-k]", "c = -np.sort(-p)[k - 1]"),
    Rewrite("kept_by_product", "top_k.filter", GENERATE, "p = np.where(p >= c, p, 0.0)", "p = p * (p >= c)"),
    Rewrite("summed_by_function", "top_k.renormalise", GENERATE, "p = p / p.sum()", "p = p / np.sum(p)"),
    Rewrite(
        "totals_by_take", "top_p.cumulative", GENERATE, "cum = np.cumsum(p[order])", "cum = np.take(p, order).cumsum()"
    ),
)

ATTENTION = (
    Rewrite(
        "split_by_swapaxes",
        "heads.head_columns",
        MODEL,
        "return M.reshape(T, H, dh).transpose(1, 0, 2)",
        "return np.swapaxes(M.reshape(T, H, -1), 0, 1)",
    ),
    Rewrite(
        "merge_by_concatenation",
        "merge_heads.heads_concatenated",
        MODEL,
        "return Mh.transpose(1, 0, 2).reshape(T, H * dh)",
        "return np.concatenate(list(Mh), axis=1)",
    ),
    Rewrite(
        "scores_by_einsum",
        "attention_scores.scores_per_head",
        MODEL,
        SCORES,
        'S = np.einsum("hic,hjc->hij", Qh, Kh) / np.sqrt(dh)',
        bind={"R": 'np.einsum("hic,hjc->hij", Qh, Kh)'},
    ),
    Rewrite(
        "scaled_queries",
        "score_scaling.scaled_scores",
        MODEL,
        SCORES,
        "S = (Qh / np.sqrt(Qh.shape[2])) @ np.swapaxes(Kh, 1, 2)",
        bind={"R": "np.swapaxes(Kh, 1, 2)"},
        alone=True,
    ),
    Rewrite(
        "mask_by_places",
        "causal_mask.causal_mask",
        MODEL,
        "mask = np.triu(np.ones((T, T), dtype=bool), 1)",
        "mask = np.arange(T)[:, None] < np.arange(T)",
    ),
    Rewrite(
        "mask_the_other_way",
        "causal_mask.causal_mask",
        MODEL,
        "S = np.where(mask, -np.inf, S)",
        "S = np.where(~mask, S, -np.inf)",
    ),
    Rewrite(
        "mixed_by_einsum",
        "weighted_values.weighted_values",
        MODEL,
        "Oh = A @ Vh",
        'Oh = np.einsum("hij,hjc->hic", A, Vh)',
    ),
    Rewrite(
        "value_gradient_by_einsum",
        "attention_backward.grad_values",
        MODEL,
        "dVh = A.transpose(0, 2, 1) @ dOh",
        'dVh = np.einsum("hij,hic->hjc", A, dOh)',
    ),
    Rewrite(
        "keys_scaled_before",
        "attention_backward.grad_keys",
        MODEL,
        GRAD_KEYS,
        "dKh = np.swapaxes(dS / np.sqrt(dh), 1, 2) @ Qh",
    ),
    Rewrite(
        "path_added_elsewhere",
        "attention_backward.grad_input",
        MODEL,
        JOINED,
        'dXn = (params[p + "w" + n] @ dM.T).T + dXn',
        bind={"dX": '(params[p + "w" + n] @ dM.T).T'},
        alone=True,
    ),
)
REWRITES = (*REWRITES, *ATTENTION)


# the transformer block
BLOCK = (
    Rewrite("residual1_swapped", "block_forward.residual1", MODEL, "X1 = X + att", "X1 = att + X"),
    Rewrite("compact_residual1_function", "block_forward.block_compact", MODEL, "X1 = X + att", "X1 = np.add(X, att)"),
    Rewrite("residual2_minus_negative", "block_forward.residual2", MODEL, "Y = X1 + ff", "Y = X1 - (-ff)"),
    Rewrite("norm_by_keyword", "block_forward.ln1", MODEL, LN1,
            LN1.replace(', params[p + "ln1_g"], params[p + "ln1_b"], config',
                        ', beta=params[p + "ln1_b"], gamma=params[p + "ln1_g"], eps=config')),
    Rewrite("ffn_by_keyword", "block_forward.ffn", MODEL, "ff, ff_cache = ffn_forward(Xn2, params, p)",
            "ff, ff_cache = ffn_forward(p=p, params=params, Xn=Xn2)"),
    Rewrite("row_terms_swapped", "ffn_forward.single_row", MODEL,
            'out = A @ params[p + "ff2_w"] + params[p + "ff2_b"]',
            'out = params[p + "ff2_b"] + np.matmul(A, params[p + "ff2_w"])'),
    Rewrite("hidden_einsum", "ffn_forward.expand", MODEL, 'Z = Xn @ params[p + "ff1_w"] + params[p + "ff1_b"]',
            'Z = np.einsum("td,df->tf", Xn, params[p + "ff1_w"]) + params[p + "ff1_b"]'),
    Rewrite("gradient_not_augmented", "ffn_backward.grad_w2", MODEL, 'grads[p + "ff2_w"] += dW2',
            'grads[p + "ff2_w"] = grads[p + "ff2_w"] + dW2', bind={"dW2": "dW2"}),
    Rewrite("bias_summed_in_place", "ffn_backward.grad_b1", MODEL, 'grads[p + "ff1_b"] += db1',
            'grads[p + "ff1_b"] += dZ.sum(axis=0)'),
    Rewrite("join2_swapped", "block_backward.join_second_residual", MODEL, "dX1 = dY + dX1_branch",
            "dX1 = np.add(dX1_branch, dY)"),
    Rewrite("join1_from_scratch", "block_backward.join_first_residual", MODEL, "return dX1 + dX_branch",
            "return dX_branch + dX1"),
    Rewrite("ffn_backward_by_keyword", "block_backward.through_ffn", MODEL,
            "dXn2 = ffn_backward(ff_cache, params, p, dY, grads)",
            "dXn2 = ffn_backward(ff_cache, params, p, grads=grads, dOut=dY)"),
)  # fmt: skip

# embeddings, training, gradient checking and the whole model
TRAIN, CHECK = "impl/train.py", "impl/gradcheck.py"
WHOLE = (
    Rewrite("rows_taken", "embedding_sum.row_sum", MODEL, 'return params["tok_emb"][ids] + params["pos_emb"][:T]',
            'return params["pos_emb"][:T] + np.take(params["tok_emb"], ids, axis=0)',
            bind={"E_ids": 'np.take(params["tok_emb"], ids, axis=0)'}),
    Rewrite("tokens_by_one_hot", "embedding_backward.token_row_sum", MODEL, 'np.add.at(grads["tok_emb"], ids, dX0)',
            'grads["tok_emb"] += np.eye(len(grads["tok_emb"]))[ids].T @ dX0'),
    Rewrite("positions_by_slice", "embedding_backward.position_grad", MODEL, 'grads["pos_emb"][:T] += dX0',
            'grads["pos_emb"][: len(dX0)] += dX0'),
    Rewrite("rows_by_len", "batch_loss_and_grads.batch_size", TRAIN, "B = xb.shape[0]", "B = len(xb)"),
    Rewrite("share_added", "batch_loss_and_grads.accumulate_loss", TRAIN, "loss += loss_i / B",
            "loss = loss_i * (1 / B) + loss"),
    Rewrite("gradient_share_added", "batch_loss_and_grads.accumulate_grads", TRAIN, "grads[k] += g[k] / B",
            "grads[k] = g[k] / B + grads[k]"),
    Rewrite("mean_by_reciprocal", "validation_loss.validation_mean", TRAIN, "return total / W",
            "return total * (1 / W)"),
    Rewrite("whole_division", "step_counts.steps_per_epoch", TRAIN,
            "steps_per_epoch = math.ceil(W / config.batch_size)", "steps_per_epoch = -(-W // config.batch_size)"),
    Rewrite("quotients_apart", "central_difference.central_difference", CHECK,
            "g[i] = (f(x + h * e) - f(x - h * e)) / (2.0 * h)",
            "g[i] = f(x + h * e) / (2 * h) - f(x - e * h) / (2 * h)"),
    Rewrite("largest_of_three", "relative_error.relative_error", CHECK,
            "return np.abs(a - b) / np.maximum(np.maximum(np.abs(a), np.abs(b)), eps)",
            "return np.abs(b - a) / np.maximum(np.abs(a), np.maximum(np.abs(b), eps))"),
    Rewrite("factored", "parameter_count.block_total", MODEL, "block = 4 * d**2 + 2 * d * F + F + 9 * d",
            "block = d * (4 * d + 2 * F + 9) + F"),
    Rewrite("head_by_matmul", "model_forward.norm_and_head", MODEL, 'logits = Xf @ params["head_w"] + params["head_b"]',
            'logits = params["head_b"] + np.matmul(Xf, params["head_w"])'),
    Rewrite("head_back_by_keyword", "model_backward.head_backward", MODEL, HEAD_BACK,
            'dXf, dWh, dbh = ops.linear_backward(dY=dZ, W=params["head_w"], X=Xf)'),
    Rewrite("turned_numbers", "model_backward.blocks_backward", MODEL,
            "for layer in range(config.num_layers - 1, -1, -1):", "for layer in range(config.num_layers)[::-1]:"),
)  # fmt: skip


def copies_of(rewrites: Iterable[Rewrite]) -> list[tuple[Rewrite, ...]]:
    """Rewrites of different lines and equations, which can stand in one copy."""
    groups: list[list[Rewrite]] = []
    for rewrite in rewrites:
        for group in groups:
            apart = all(rewrite.old != other.old and rewrite.equation != other.equation for other in group)
            if apart and len(group) < LARGEST and not rewrite.alone and not group[0].alone:
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
    """The verdict of a value, or of a gradient."""
    named = ("value", "vjp", "distribution", "composition")
    methods = results.methods[equation]
    return str(next(each.verdict for each in methods if each.method in named or len(methods) == 1))


def test_there_are_enough() -> None:
    every = REWRITES + BLOCK + WHOLE
    assert len({rewrite.name for rewrite in every}) == len(every) >= 90


@pytest.mark.parametrize("rewrites", copies_of(REWRITES) + copies_of(BLOCK) + copies_of(WHOLE), ids=names_of)
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
        if {each.method for each in results.methods[rewrite.equation]} <= {"distribution", "discrete"}:
            assert verdict == Verdict.TESTED, rewrite.name
        elif rewrite.limit:
            assert verdict == Verdict.SAMPLED, rewrite.name
            assert any(rewrite.limit in text for text in limits), (rewrite.name, limits)
        else:
            assert verdict == Verdict.CERTIFIED, (rewrite.name, limits)


def test_an_import_renamed(copy: Copy) -> None:
    """`numpy` under another name throughout, and the module of the operations imported otherwise."""
    for path in (OPS, MODEL):
        lines = {line.strip() for line in copy.read(path).splitlines() if "np." in line}
        for line in sorted(lines):
            copy.edit_anchors(path, line, line.replace("np.", "xp."), {"e": "xp.exp(z)"})
        copy.write(path, copy.read(path).replace("import numpy as np", "import numpy as xp").replace("np.", "xp."))
    copy.replace(MODEL, "from impl import ops\n", "import impl.ops as ops\n")
    results = copy.verify(
        "softmax.normalise", "softmax.shifted_exp", "layer_norm.inv_std", "initial_values.initial_values"
    )
    assert alarms(results) == []
    assert {results.verdict(each) for each in results.selected} == {Verdict.CERTIFIED, Verdict.TESTED}


def test_locals_renamed_with_their_binds(copy: Copy) -> None:
    """Names of the code change in code, anchors, binds and symbols alike."""
    copy.edit_anchors(MODEL, QUERY, 'queries = Xn @ params[p + "wq"] + params[p + "bq"]', {"Y": "queries"})
    copy.edit(MODEL, QUERY, 'queries = Xn @ params[p + "wq"] + params[p + "bq"]')
    copy.replace(MODEL, "split_heads(Q, H)", "split_heads(queries, H)")
    copy.edit_anchors(OPS, MEAN, MEAN.replace("mu", "average"))
    copy.edit_anchors(OPS, VARIANCE, VARIANCE.replace("mu", "average"))
    copy.edit_anchors(OPS, NORMALISED, NORMALISED.replace("mu", "average"))
    before, body = copy.read(OPS).split("def layer_norm_forward", 1)
    copy.write(OPS, f"{before}def layer_norm_forward{body.replace('mu', 'average')}")
    copy.replace(
        "spec/layer-norm/layer_norm.yaml", "code: {layer_norm_forward: mu}", "code: {layer_norm_forward: average}"
    )
    equations = ("linear.linear", "layer_norm.row_mean", "layer_norm.row_variance", "layer_norm.normalised")
    results = copy.verify(*equations)
    assert alarms(results) == []
    assert {results.verdict(each) for each in equations} == {Verdict.CERTIFIED}


def test_reformatting_is_silent(copy: Copy) -> None:
    """Line breaks, brackets, quotes, spaces and comments: no anchor is edited, only lines are followed."""
    copy.edit(OPS, LINEAR, "return (\n    X  @  W  # products\n    +  b\n)")
    copy.edit(
        OPS,
        GRAD_INPUT,
        GRAD_INPUT.replace("(dXhat - ", "(\n    dXhat\n    - ").replace(" - Xhat *", "\n    - Xhat\n    *")
        + "  # two corrections",
    )
    copy.edit(OPS, MEAN, "mu = X.mean(\n    axis=-1,\n    keepdims=True,\n)")
    copy.edit(MODEL, QUERY, "Q = Xn @ params[p + 'wq'] + params[p + 'bq']  # the queries")
    copy.edit(MODEL, ATTENTION_START, ATTENTION_START + "  # noqa")
    copy.replace(OPS, "from impl.arrays import Array, Ids\n", "from impl.arrays import (\n    Array,\n    Ids,\n)\n")
    moved = [each for each in copy.audit().findings if each.code == "EQ201"]
    assert {each.code for each in copy.audit().findings if each.severity is not Severity.NOTE} == {"EQ201"}
    assert moved
    copy.fix()
    results = copy.verify("linear.linear", "layer_norm.row_mean", "layer_norm_backward.grad_input")
    assert alarms(results) == []
    assert {value_verdict(results, each) for each in results.selected} == {Verdict.CERTIFIED}
    assert alarms(copy.audit()) == []


def test_five_lines_above_a_cited_function(copy: Copy) -> None:
    """Exactly the anchors below moved, with their new lines; `fix` changes the numbers and nothing else."""
    copy.replace(OPS, "def softmax_forward", "# one\n# two\n# three\n# four\n\ndef softmax_forward")
    first = copy.read(OPS).split("def softmax_forward")[0].count("\n") + 1
    below = {
        anchor.id: anchor.line
        for equation in copy.audit().specification.equations
        for anchor in equation.anchors
        if anchor.path == OPS and anchor.line + 5 > first
    }
    assert below
    strict = copy.audit()
    assert strict.exit == 1  # this repository fails on moved lines
    copy.replace("pyproject.toml", 'fail_on = ["line-moved"]\n', "")
    results = copy.audit()
    assert results.exit == 0
    told = [each for each in results.findings if each.severity is not Severity.NOTE]
    assert {(each.code, each.severity) for each in told} == {("EQ201", Severity.WARNING)}
    assert len(told) == len(below)
    assert {name: match.span.line for name, match in results.matches.items() if match.status is Status.MOVED} == {
        name: line + 5 for name, line in below.items()
    }
    for each in told:
        (related,) = each.related
        assert f"is at line {related.span.line} now, not {related.span.line - 5}" in each.message
    files = {path: path.read_text(encoding="utf-8") for path in copy.root.rglob("*") if path.suffix in (".yaml", ".py")}
    written = copy.fix()
    assert written
    after = {path: path.read_text(encoding="utf-8") for path in files}
    assert {path.relative_to(copy.root).as_posix() for path in files if after[path] != files[path]} == set(written)
    for path, text in files.items():
        numbers = re.compile(rf"(?<={re.escape(OPS)}:)\d+")
        assert numbers.sub("", text) == numbers.sub("", after[path])
    assert [each for each in copy.audit().findings if each.severity is not Severity.NOTE] == []
