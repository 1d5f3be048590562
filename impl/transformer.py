"""The decoder-only transformer: parameters, forward pass and backward pass of one window of tokens.

Shapes: T positions (at most Tmax), d features, H heads of dh = d / H features, F hidden features, V tokens, L blocks.
`p` is a block's prefix, such as "b0.". Backward functions add to `grads`, in place; nothing else is changed. The
linear layers are written out where they stand. Ids such as `block_forward.ln1` name equations of the specification.
"""

import numpy as np

from impl import ops
from impl.arrays import Array, Ids, Params
from impl.config import ModelConfig

AttentionCache = tuple[Array, Array, Array, Array, Array, Array]
"""Xn (T, d); Qh, Kh, Vh (H, T, dh); A (H, T, T); O (T, d)."""

FFNCache = tuple[Array, Array, Array]
"""Xn (T, d); Z, A (T, F)."""

BlockCache = tuple[ops.LayerNormCache, AttentionCache, ops.LayerNormCache, FFNCache]
"""What each of a block's four parts keeps, in forward order."""

ForwardCache = tuple[list[BlockCache], ops.LayerNormCache, Array]
"""Each block's cache, the final normalisation's cache, Xf (T, d)."""


def init_params(config: ModelConfig, rng: np.random.Generator) -> Params:
    """Return the starting values of every parameter; the random draws follow the dict's order.

    Matrices are Xavier uniform, biases and shifts zero, scales one. Computes initial_values.initial_values.
    """
    V, d, F, Tmax = config.vocab_size, config.emb_dim, config.ff_dim, config.context_len
    params: Params = {}
    params["tok_emb"] = ops.xavier_uniform(V, d, rng)
    params["pos_emb"] = ops.xavier_uniform(Tmax, d, rng)
    for layer in range(config.num_layers):
        p = f"b{layer}."
        params[p + "ln1_g"], params[p + "ln1_b"] = np.ones(d), np.zeros(d)
        for n in "qkvo":
            params[p + "w" + n], params[p + "b" + n] = ops.xavier_uniform(d, d, rng), np.zeros(d)
        params[p + "ln2_g"], params[p + "ln2_b"] = np.ones(d), np.zeros(d)
        params[p + "ff1_w"], params[p + "ff1_b"] = ops.xavier_uniform(d, F, rng), np.zeros(F)
        params[p + "ff2_w"], params[p + "ff2_b"] = ops.xavier_uniform(F, d, rng), np.zeros(d)
    params["lnf_g"], params["lnf_b"] = np.ones(d), np.zeros(d)
    params["head_w"], params["head_b"] = ops.xavier_uniform(d, V, rng), np.zeros(V)
    return params


def count_params(config: ModelConfig) -> int:
    """Return how many numbers the model learns, without building it.

    Computes parameter_count.block_total and parameter_count.model_total.
    """
    V, d, F, Tmax, L = config.vocab_size, config.emb_dim, config.ff_dim, config.context_len, config.num_layers
    block = 4 * d**2 + 2 * d * F + F + 9 * d
    return (2 * d + 1) * V + (Tmax + 2) * d + L * block


def embed_forward(ids: Ids, params: Params) -> Array:
    """Return X0 (T, d): the token rows of ids (T,) plus the first T position rows; T <= Tmax.

    The tables are tok_emb (V, d) and pos_emb (Tmax, d). Both are learnt (Gehring et al., 2017, section 3.1).

    Computes token_embedding.row_lookup, positional_embedding.position_rows, embedding_sum.row_sum and
    embedding_sum.matrix_sum.
    """
    T = len(ids)
    return params["tok_emb"][ids] + params["pos_emb"][:T]


def embed_backward(ids: Ids, dX0: Array, grads: Params) -> None:
    """Add the gradients of both tables to grads, from ids (T,) and dX0 (T, d).

    Rows of a repeated id add up; rows of absent ids, and of positions from T on, get nothing.
    Computes embedding_backward.token_row_sum and embedding_backward.position_grad.
    """
    T = len(ids)
    np.add.at(grads["tok_emb"], ids, dX0)
    grads["pos_emb"][:T] += dX0


def split_heads(M: Array, H: int) -> Array:
    """Cut the columns of M (T, d) into H heads: (H, T, dh).

    Computes heads.head_width, heads.head_columns and, called for q, k and v, split_heads.split_qkv.

    Raises:
        ValueError: where H does not divide d.
    """
    T, d = M.shape
    if d % H != 0:
        raise ValueError(f"{H} heads do not divide a width of {d}")
    dh = d // H
    return M.reshape(T, H, dh).transpose(1, 0, 2)


def merge_heads(Mh: Array) -> Array:
    """Put the heads of Mh (H, T, dh) side by side: (T, H * dh). Undoes split_heads.

    Computes merge_heads.heads_concatenated and heads.head_columns.
    """
    H, T, dh = Mh.shape
    return Mh.transpose(1, 0, 2).reshape(T, H * dh)


def attention_forward(Xn: Array, params: Params, p: str, H: int) -> tuple[Array, AttentionCache]:
    """Causal self-attention with H heads, from Xn (T, d) to (T, d) (Vaswani et al., 2017, section 3.2).

    Computes qkv_projections.query, .key and .value; split_heads.split_qkv; attention_scores.scores_per_head;
    score_scaling.scaled_scores; causal_mask.causal_mask; attention_softmax.row_weights and .masked_weight_zero;
    weighted_values.weighted_values; merge_heads.heads_concatenated; output_projection.output_projection.
    """
    T = Xn.shape[0]
    Q = Xn @ params[p + "wq"] + params[p + "bq"]
    K = Xn @ params[p + "wk"] + params[p + "bk"]
    V = Xn @ params[p + "wv"] + params[p + "bv"]
    Qh, Kh, Vh = split_heads(Q, H), split_heads(K, H), split_heads(V, H)
    dh = Qh.shape[-1]
    S = (Qh @ Kh.transpose(0, 2, 1)) / np.sqrt(dh)
    mask = np.triu(np.ones((T, T), dtype=bool), 1)
    S = np.where(mask, -np.inf, S)
    A = ops.softmax_forward(S)
    Oh = A @ Vh
    O = merge_heads(Oh)  # noqa: E741
    out = O @ params[p + "wo"] + params[p + "bo"]
    return out, (Xn, Qh, Kh, Vh, A, O)


def attention_backward(cache: AttentionCache, params: Params, p: str, dOut: Array, grads: Params) -> Array:
    """Return dXn (T, d) from dOut (T, d), and add the gradients of the four linear layers to grads.

    Computes attention_backward.grad_wo, .grad_bo, .grad_heads, .grad_values, .grad_attention_weights, .grad_scores,
    .grad_queries, .grad_keys, .merge_gradients, .grad_projection_weights, .grad_projection_biases and .grad_input.
    """
    Xn, Qh, Kh, Vh, A, O = cache  # noqa: E741
    H, _, dh = Qh.shape
    grads[p + "wo"] += O.T @ dOut
    grads[p + "bo"] += dOut.sum(axis=0)
    dOh = split_heads(dOut @ params[p + "wo"].T, H)
    dVh = A.transpose(0, 2, 1) @ dOh
    dA = dOh @ Vh.transpose(0, 2, 1)
    dS = ops.softmax_backward(A, dA)
    dQh = (dS @ Kh) / np.sqrt(dh)
    dKh = (dS.transpose(0, 2, 1) @ Qh) / np.sqrt(dh)
    dQ, dK, dV = merge_heads(dQh), merge_heads(dKh), merge_heads(dVh)
    dXn = np.zeros_like(Xn)
    for n, dM in (("q", dQ), ("k", dK), ("v", dV)):
        grads[p + "w" + n] += Xn.T @ dM
        grads[p + "b" + n] += dM.sum(axis=0)
        dXn += dM @ params[p + "w" + n].T
    return dXn


def ffn_forward(Xn: Array, params: Params, p: str) -> tuple[Array, FFNCache]:
    """Linear, ReLU, linear: from Xn (T, d) over (T, F) to (T, d).

    Computes ffn_forward.expand, ffn_forward.activation, ffn_forward.project and, row by row, ffn_forward.single_row.
    """
    Z = Xn @ params[p + "ff1_w"] + params[p + "ff1_b"]
    A = ops.relu_forward(Z)
    out = A @ params[p + "ff2_w"] + params[p + "ff2_b"]
    return out, (Xn, Z, A)


def ffn_backward(cache: FFNCache, params: Params, p: str, dOut: Array, grads: Params) -> Array:
    """Return dXn (T, d) from dOut (T, d), and add the gradients of both linear layers to grads.

    Computes ffn_backward.grad_hidden, .grad_w2, .grad_b2, .grad_preactivation, .grad_input, .grad_w1 and .grad_b1.
    """
    Xn, Z, A = cache
    dA, dW2, db2 = ops.linear_backward(A, params[p + "ff2_w"], dOut)
    grads[p + "ff2_w"] += dW2
    grads[p + "ff2_b"] += db2
    dZ = ops.relu_backward(Z, dA)
    dXn, dW1, db1 = ops.linear_backward(Xn, params[p + "ff1_w"], dZ)
    grads[p + "ff1_w"] += dW1
    grads[p + "ff1_b"] += db1
    return dXn


def block_forward(X: Array, params: Params, p: str, config: ModelConfig) -> tuple[Array, BlockCache]:
    """One pre-LN block, from X (T, d) to Y (T, d).

    Computes block_forward.ln1, .attention, .residual1, .ln2, .ffn, .residual2 and, with them, .block_compact.
    """
    Xn, ln1_cache = ops.layer_norm_forward(X, params[p + "ln1_g"], params[p + "ln1_b"], config.ln_eps)
    att, att_cache = attention_forward(Xn, params, p, config.num_heads)
    X1 = X + att
    Xn2, ln2_cache = ops.layer_norm_forward(X1, params[p + "ln2_g"], params[p + "ln2_b"], config.ln_eps)
    ff, ff_cache = ffn_forward(Xn2, params, p)
    Y = X1 + ff
    return Y, (ln1_cache, att_cache, ln2_cache, ff_cache)


def block_backward(cache: BlockCache, params: Params, p: str, dY: Array, grads: Params) -> Array:
    """Return dX (T, d) from dY (T, d), and add the gradients of the block's parameters to grads.

    Computes block_backward.through_ffn, .through_ln2, .join_second_residual, .through_attention, .through_ln1 and
    .join_first_residual.
    """
    ln1_cache, att_cache, ln2_cache, ff_cache = cache
    dXn2 = ffn_backward(ff_cache, params, p, dY, grads)
    dX1_branch, dg2, db2 = ops.layer_norm_backward(ln2_cache, dXn2)
    grads[p + "ln2_g"] += dg2
    grads[p + "ln2_b"] += db2
    dX1 = dY + dX1_branch
    dXn = attention_backward(att_cache, params, p, dX1, grads)
    dX_branch, dg1, db1 = ops.layer_norm_backward(ln1_cache, dXn)
    grads[p + "ln1_g"] += dg1
    grads[p + "ln1_b"] += db1
    return dX1 + dX_branch


def forward(ids: Ids, params: Params, config: ModelConfig) -> tuple[Array, ForwardCache]:
    """Return the logits (T, V) of ids (T,): row t scores the token that follows position t.

    Computes model_forward.length_limit, .block_stack, .final_norm, .head and, with them, .norm_and_head.

    Raises:
        ValueError: where ids is empty, or longer than the position table.
    """
    T = len(ids)
    Tmax = params["pos_emb"].shape[0]
    if T == 0:
        raise ValueError("the sequence is empty")
    if T > Tmax:  # noqa: SIM300
        raise ValueError(f"a sequence of {T} tokens is longer than the position table of {Tmax} rows")
    X = embed_forward(ids, params)
    block_caches = []
    for layer in range(config.num_layers):
        X, block_cache = block_forward(X, params, f"b{layer}.", config)
        block_caches.append(block_cache)
    Xf, lnf_cache = ops.layer_norm_forward(X, params["lnf_g"], params["lnf_b"], config.ln_eps)
    logits = Xf @ params["head_w"] + params["head_b"]
    return logits, (block_caches, lnf_cache, Xf)


def loss_and_grads(ids: Ids, targets: Ids, params: Params, config: ModelConfig) -> tuple[float, Params]:
    """Return the mean cross-entropy of targets (T,) after ids (T,), and its gradient by every parameter.

    Computes model_backward.head_backward, .final_norm_backward, .blocks_backward and .embeddings_backward.
    """
    logits, (block_caches, lnf_cache, Xf) = forward(ids, params, config)
    loss, probs = ops.cross_entropy_forward(logits, targets)
    grads = {name: np.zeros_like(values) for name, values in params.items()}
    dZ = ops.cross_entropy_backward(probs, targets)
    dXf, dWh, dbh = ops.linear_backward(Xf, params["head_w"], dZ)
    grads["head_w"] += dWh
    grads["head_b"] += dbh
    dX, dgf, dbf = ops.layer_norm_backward(lnf_cache, dXf)
    grads["lnf_g"] += dgf
    grads["lnf_b"] += dbf
    for layer in range(config.num_layers - 1, -1, -1):
        dX = block_backward(block_caches[layer], params, f"b{layer}.", dX, grads)
    embed_backward(ids, dX, grads)
    return loss, grads
