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
    "EQ509": "discrete-mismatch",
}
LARGEST = 10  # edits in one copy

OPS = "impl/ops.py"
MODEL = "impl/transformer.py"

LINEAR = "return X @ W + b"
RELU = "return np.maximum(0.0, Z)"
RELU_BACKWARD = "return dA * (Z > 0)"
EXP = "e = np.exp(x - x.max(axis=-1, keepdims=True))"
NORMALISE = "p: Array = e / e.sum(axis=-1, keepdims=True)"
SOFTMAX_BACKWARD = "dx: Array = y * (dY - (y * dY).sum(axis=-1, keepdims=True))"
SHIFTED = "z = logits - logits.max(axis=-1, keepdims=True)"
LOG_SOFTMAX = "logp = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))"
LOSS = "loss = -logp[np.arange(T), targets].mean()"
PROBS = "probs = np.exp(logp)"
COMBINED = "return (probs - one_hot) / T"
ONE_HOT = "one_hot[np.arange(T), targets] = 1.0"
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
GRAD_WEIGHT = "dW = X.T @ dY"
GRAD_LINEAR_INPUT = "dX = dY @ W.T"
LIMIT = "a = np.sqrt(6.0 / (fan_in + fan_out))"
DRAW = "return rng.uniform(-a, a, size=(fan_in, fan_out))"
QUERY = 'Q = Xn @ params[p + "wq"] + params[p + "bq"]'
KEY = 'K = Xn @ params[p + "wk"] + params[p + "bk"]'
VALUE = 'V = Xn @ params[p + "wv"] + params[p + "bv"]'
ATTENTION_OUTPUT = 'out = O @ params[p + "wo"] + params[p + "bo"]'
FIRST = 'Z = Xn @ params[p + "ff1_w"] + params[p + "ff1_b"]'
SECOND = 'out = A @ params[p + "ff2_w"] + params[p + "ff2_b"]'
HEAD = 'logits = Xf @ params["head_w"] + params["head_b"]'
ATTENTION_START = 'params[p + "w" + n], params[p + "b" + n] = ops.xavier_uniform(d, d, rng), np.zeros(d)'

DATA = "impl/data.py"
TOKENIZER = "impl/tokenizer.py"
CUT = "cut = math.floor((1.0 - val_share) * N)"
WINDOWS = "W = math.ceil((N - T) / k)"
STARTS = "starts = k * np.arange(W)"
INPUTS = "x = ids[starts[:, None] + t]"
TARGETS = "y = ids[starts[:, None] + t + 1]"
BATCHES = "batches = math.ceil(W / batch_size)"
WORD_COUNTS = "return dict(Counter(pretokens))"
PAIR_COUNT = "f[pair] += word_counts[word]"
BEST_PAIR = "best = max(sorted(f), key=f.__getitem__)"
MERGED = "return [a + b if j - i == 2 else tokens[i] for i, j in pairwise([*starts, len(tokens)])]"
LISTED = "listed = [UNKNOWN, *text, *merged]"
VOCABULARY = "itos = tuple(dict.fromkeys(listed))"
LOOKUP = "ids += [self.stoi.get(token, unknown) for token in tokens_of[word]]"
DECODED = 'return "".join([self.itos[i] for i in ids])'


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
    alone: bool = False  # runs of the whole model break down with it


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
)


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


def test_there_are_enough() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 90
    assert len({fault.equation.partition(".")[0] for fault in FAULTS}) >= 15


@pytest.mark.parametrize("faults", copies_of(FAULTS), ids=names_of)
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


@pytest.mark.parametrize("faults", copies_of(fault for fault in FAULTS if not fault.bind), ids=names_of)
def test_without_the_anchors_both_findings_show(copy: Copy, faults: tuple[Fault, ...]) -> None:
    faults = tuple(fault for fault in faults if fault.old != fault.new)
    results, lines = verified(copy, faults, anchors=False)
    told = "\n".join(f"{each.code} {each.span} {each.message}" for each in results.findings)
    for fault in faults:
        for code in ("EQ202", fault.code):
            assert at(results.findings, code, fault, lines[fault.name]), f"{fault.name}: no {code}\n{told}"
    assert results.exit == 1
