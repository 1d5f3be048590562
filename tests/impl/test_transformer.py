import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from impl import ops
from impl import transformer as tf
from impl.config import ModelConfig
from impl.optim import AdamW

TINY = ModelConfig(vocab_size=5, context_len=3, emb_dim=4, num_heads=2, ff_dim=6, num_layers=1)


# --- parameters ---


def test_init_params_names_shapes_and_order():
    params = tf.init_params(TINY, np.random.default_rng(42))
    assert {name: W.shape for name, W in params.items()} == {
        "tok_emb": (5, 4), "pos_emb": (3, 4),
        "b0.ln1_g": (4,), "b0.ln1_b": (4,),
        "b0.wq": (4, 4), "b0.bq": (4,), "b0.wk": (4, 4), "b0.bk": (4,),
        "b0.wv": (4, 4), "b0.bv": (4,), "b0.wo": (4, 4), "b0.bo": (4,),
        "b0.ln2_g": (4,), "b0.ln2_b": (4,),
        "b0.ff1_w": (4, 6), "b0.ff1_b": (6,), "b0.ff2_w": (6, 4), "b0.ff2_b": (4,),
        "lnf_g": (4,), "lnf_b": (4,), "head_w": (4, 5), "head_b": (5,),
    }  # fmt: skip
    assert list(params)[:6] == ["tok_emb", "pos_emb", "b0.ln1_g", "b0.ln1_b", "b0.wq", "b0.bq"]
    assert list(params)[-4:] == ["lnf_g", "lnf_b", "head_w", "head_b"]


def test_init_params_starting_values_are_drawn_in_order():
    params = tf.init_params(TINY, np.random.default_rng(42))
    rng = np.random.default_rng(42)
    for name, W in params.items():
        if W.ndim == 2:
            assert_array_equal(W, ops.xavier_uniform(*W.shape, rng))
        else:
            assert_array_equal(W, np.ones_like(W) if name.endswith("_g") else np.zeros_like(W))


@pytest.mark.parametrize("layers", [1, 3])
def test_count_params_counts_what_init_params_makes(layers):
    config = ModelConfig(vocab_size=7, context_len=5, emb_dim=6, num_heads=3, ff_dim=11, num_layers=layers)
    params = tf.init_params(config, np.random.default_rng(0))
    assert tf.count_params(config) == sum(W.size for W in params.values())
    assert sum(W.size for name, W in params.items() if name.startswith("b0.")) == 4 * 36 + 2 * 66 + 11 + 54


# --- embedding ---


def test_embed_forward_adds_token_and_position_rows():
    params = {
        "tok_emb": np.array([[1.0, 2.0], [3.0, 4.0]]),
        "pos_emb": np.array([[10.0, 20.0], [30.0, 40.0], [50.0, 60.0]]),
    }
    assert_array_equal(tf.embed_forward(np.array([1, 0]), params), [[13, 24], [31, 42]])


def test_embed_forward_repeats_the_row_of_a_repeated_id():
    params = {"tok_emb": np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), "pos_emb": np.array([[0.0], [10.0], [20.0]])}
    X0 = tf.embed_forward(np.array([2, 0, 2]), params)
    assert_array_equal(X0, [[5, 6], [11, 12], [25, 26]])


def test_embed_backward_adds_up_repeated_ids_and_leaves_the_rest_zero():
    grads = {"tok_emb": np.zeros((3, 2)), "pos_emb": np.zeros((4, 2))}
    tf.embed_backward(np.array([2, 0, 2]), np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), grads)
    assert_array_equal(grads["tok_emb"], [[3, 4], [0, 0], [6, 8]])
    assert_array_equal(grads["pos_emb"], [[1, 2], [3, 4], [5, 6], [0, 0]])


def test_embed_backward_adds_to_what_is_there():
    grads = {"tok_emb": np.ones((2, 1)), "pos_emb": np.ones((2, 1))}
    tf.embed_backward(np.array([1]), np.array([[5.0]]), grads)
    assert_array_equal(grads["tok_emb"], [[1], [6]])
    assert_array_equal(grads["pos_emb"], [[6], [1]])


# --- heads ---


def test_split_heads_cuts_columns():
    M = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], dtype=float)
    assert_array_equal(tf.split_heads(M, 2), [[[1, 2], [5, 6], [9, 10]], [[3, 4], [7, 8], [11, 12]]])


def test_split_heads_refuses_a_width_that_the_heads_do_not_divide():
    with pytest.raises(ValueError, match="3 heads do not divide a width of 4"):
        tf.split_heads(np.zeros((2, 4)), 3)


def test_merge_heads_undoes_split_heads(rng):
    M = rng.normal(size=(5, 6))
    assert_array_equal(tf.merge_heads(tf.split_heads(M, 3)), M)
    assert_array_equal(tf.merge_heads(np.array([[[1.0, 2.0]], [[3.0, 4.0]]])), [[1, 2, 3, 4]])


# --- attention ---


def one_head_params() -> dict[str, np.ndarray]:
    params = {"w" + n: np.eye(2) for n in "qkvo"} | {"b" + n: np.zeros(2) for n in "qkvo"}
    params["wq"] = math.sqrt(2) * math.log(3) * np.eye(2)
    params["bv"] = np.array([0.0, 1.0])
    params["bo"] = np.array([0.5, 0.0])
    return params


def test_attention_forward_by_hand():
    out, (_, _, _, Vh, A, merged) = tf.attention_forward(np.eye(2), one_head_params(), "", 1)
    assert_allclose(A, [[[1, 0], [0.25, 0.75]]], rtol=1e-14)
    assert_array_equal(Vh, [[[1, 1], [0, 2]]])
    assert_allclose(merged, [[1, 1], [0.25, 1.75]], rtol=1e-14)
    assert_allclose(out, [[1.5, 1], [0.75, 1.75]], rtol=1e-14)


def test_attention_forward_agrees_with_loops(config, params, rng):
    Xn, H, dh = rng.normal(size=(5, 6)), 2, 3
    q, k, v = (Xn @ params["b0.w" + n] + params["b0.b" + n] for n in "qkv")
    merged = np.zeros((5, 6))
    for h in range(H):
        columns = slice(h * dh, (h + 1) * dh)
        for i in range(5):
            scores = [math.exp(q[i, columns] @ k[j, columns] / math.sqrt(dh)) for j in range(i + 1)]
            merged[i, columns] = sum(s / sum(scores) * v[j, columns] for j, s in enumerate(scores))
    out, _ = tf.attention_forward(Xn, params, "b0.", H)
    assert_allclose(out, merged @ params["b0.wo"] + params["b0.bo"], rtol=1e-12)


def test_attention_forward_is_causal(params, rng):
    Xn = rng.normal(size=(5, 6))
    before, (*_, A, _) = tf.attention_forward(Xn, params, "b0.", 2)
    assert_array_equal(A[:, ~np.tri(5, dtype=bool)], 0)
    Xn[3:] += 1.0
    after, _ = tf.attention_forward(Xn, params, "b0.", 2)
    assert_array_equal(after[:3], before[:3])
    assert np.abs(after[3:] - before[3:]).max() > 0.01


def zeros_like(params):
    return {name: np.zeros_like(W) for name, W in params.items()}


def test_attention_backward_agrees_with_central_differences(params, rng):
    Xn, dOut, H = rng.normal(size=(4, 6)), rng.normal(size=(4, 6)), 2
    block = {name: W for name, W in params.items() if name[:4] in ("b0.w", "b0.b")}
    _, cache = tf.attention_forward(Xn, block, "b0.", H)
    grads = zeros_like(block)
    dXn = tf.attention_backward(cache, block, "b0.", dOut, grads)

    def objective(Xn, block):
        return (tf.attention_forward(Xn, block, "b0.", H)[0] * dOut).sum()

    assert_allclose(central(lambda v: objective(v, block), Xn), dXn, atol=1e-8)
    for name, W in block.items():
        assert_allclose(central(lambda v, name=name: objective(Xn, {**block, name: v}), W), grads[name], atol=1e-8)


def test_attention_backward_by_hand():
    params = one_head_params()
    _, cache = tf.attention_forward(np.eye(2), params, "", 1)
    grads = zeros_like(params)
    dXn = tf.attention_backward(cache, params, "", np.array([[0.0, 8.0], [16.0, 0.0]]), grads)
    # dOut is dO as well; dV = [[4, 8], [12, 0]], dA[1] = [16, 0], dS[1] = [3, -3]; the first row's only weight is 1.
    assert_allclose(grads["wo"], [[4, 8], [28, 8]], rtol=1e-14)
    assert_allclose(grads["bo"], [16, 8], rtol=1e-14)
    assert_allclose(grads["wv"], [[4, 8], [12, 0]], rtol=1e-14)
    assert_allclose(grads["bv"], [16, 8], rtol=1e-14)
    dQ, dK = np.array([[0, 0], [3, -3]]) / math.sqrt(2), np.array([[0, 3], [0, -3]]) * math.log(3)
    assert_allclose(grads["wq"], dQ, rtol=1e-14)
    assert_allclose(grads["bq"], dQ[1], rtol=1e-14)
    assert_allclose(grads["wk"], dK, rtol=1e-14)
    assert_allclose(grads["bk"], [0, 0], atol=1e-14)
    assert_allclose(dXn, dQ @ params["wq"].T + dK + [[4, 8], [12, 0]], rtol=1e-14)


def test_attention_backward_gives_the_key_bias_nothing(params, rng):
    _, cache = tf.attention_forward(rng.normal(size=(5, 6)), params, "b0.", 2)
    grads = zeros_like(params)
    tf.attention_backward(cache, params, "b0.", rng.normal(size=(5, 6)), grads)
    assert np.abs(grads["b0.bk"]).max() < 1e-14
    assert np.abs(grads["b0.bq"]).max() > 1e-3


def test_attention_backward_leaves_masked_scores_without_gradient(params, rng, monkeypatch):
    made, softmax_backward = [], ops.softmax_backward
    monkeypatch.setattr(ops, "softmax_backward", lambda A, dA: made.append(softmax_backward(A, dA)) or made[-1])
    _, cache = tf.attention_forward(rng.normal(size=(5, 6)), params, "b0.", 2)
    tf.attention_backward(cache, params, "b0.", rng.normal(size=(5, 6)), zeros_like(params))
    (dS,) = made
    assert_array_equal(dS[:, ~np.tri(5, dtype=bool)], 0)
    assert np.all(dS[:, np.tri(5, k=-1, dtype=bool)] != 0)


# --- feed-forward network ---


def test_ffn_forward_by_hand():
    params = {
        "ff1_w": np.array([[1.0, -1.0, 0.0], [0.0, 1.0, 2.0]]),
        "ff1_b": np.array([0.0, 0.0, -3.0]),
        "ff2_w": np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]]),
        "ff2_b": np.array([0.5, 0.0]),
    }
    out, (_, Z, A) = tf.ffn_forward(np.array([[1.0, 2.0], [3.0, 1.0]]), params, "")
    assert_array_equal(Z, [[1, 1, 1], [3, -2, -1]])
    assert_array_equal(A, [[1, 1, 1], [3, 0, 0]])
    assert_array_equal(out, [[4.5, 5], [3.5, 0]])


def test_ffn_backward_by_hand():
    params = {
        "ff1_w": np.array([[1.0, -1.0]]),
        "ff1_b": np.zeros(2),
        "ff2_w": np.array([[2.0], [5.0]]),
        "ff2_b": np.zeros(1),
    }
    _, cache = tf.ffn_forward(np.array([[3.0], [-1.0]]), params, "")
    grads = zeros_like(params)
    dXn = tf.ffn_backward(cache, params, "", np.array([[1.0], [10.0]]), grads)
    assert_array_equal(grads["ff2_w"], [[3], [10]])
    assert_array_equal(grads["ff2_b"], [11])
    assert_array_equal(grads["ff1_w"], [[6, -50]])
    assert_array_equal(grads["ff1_b"], [2, 50])
    assert_array_equal(dXn, [[2], [-50]])


# --- block ---


def test_block_forward_is_pre_norm_with_two_residuals(config, params, rng):
    X = rng.normal(size=(5, 6))
    Xn, _ = ops.layer_norm_forward(X, params["b0.ln1_g"], params["b0.ln1_b"], config.ln_eps)
    X1 = X + tf.attention_forward(Xn, params, "b0.", 2)[0]
    Xn2, _ = ops.layer_norm_forward(X1, params["b0.ln2_g"], params["b0.ln2_b"], config.ln_eps)
    Y, _ = tf.block_forward(X, params, "b0.", config)
    assert_allclose(Y, X1 + tf.ffn_forward(Xn2, params, "b0.")[0], rtol=1e-14)


def test_block_forward_passes_the_stream_through_when_both_branches_are_zero(config, params, rng):
    X = rng.normal(size=(5, 6))
    still = {k: np.zeros_like(W) if k in ("b0.wo", "b0.bo", "b0.ff2_w", "b0.ff2_b") else W for k, W in params.items()}
    Y, cache = tf.block_forward(X, still, "b0.", config)
    assert_array_equal(Y, X)
    dY = rng.normal(size=(5, 6))
    assert_array_equal(tf.block_backward(cache, still, "b0.", dY, zeros_like(still)), dY)


def test_block_backward_agrees_with_central_differences(config, params, rng):
    X, dY = rng.normal(size=(5, 6)), rng.normal(size=(5, 6))
    _, cache = tf.block_forward(X, params, "b1.", config)
    grads = zeros_like(params)
    dX = tf.block_backward(cache, params, "b1.", dY, grads)
    assert_allclose(central(lambda v: (tf.block_forward(v, params, "b1.", config)[0] * dY).sum(), X), dX, atol=1e-7)
    assert {name for name, g in grads.items() if np.any(g)} == {name for name in params if name.startswith("b1.")}


def test_block_backward_calls_its_parts_in_reverse(config, params, rng):
    X, dY = rng.normal(size=(5, 6)), rng.normal(size=(5, 6))
    _, cache = tf.block_forward(X, params, "b0.", config)
    ln1_cache, att_cache, ln2_cache, ff_cache = cache
    expected = zeros_like(params)
    dXn2 = tf.ffn_backward(ff_cache, params, "b0.", dY, expected)
    dX1_branch, expected["b0.ln2_g"], expected["b0.ln2_b"] = ops.layer_norm_backward(ln2_cache, dXn2)
    dXn = tf.attention_backward(att_cache, params, "b0.", dY + dX1_branch, expected)
    dX_branch, expected["b0.ln1_g"], expected["b0.ln1_b"] = ops.layer_norm_backward(ln1_cache, dXn)
    grads = zeros_like(params)
    dX = tf.block_backward(cache, params, "b0.", dY, grads)
    assert_allclose(dX, dY + dX1_branch + dX_branch, rtol=1e-14)
    for name in params:
        assert_allclose(grads[name], expected[name], rtol=1e-14, err_msg=name)


# --- the whole model ---


def test_forward_shapes_and_stack(config, params, ids):
    logits, (block_caches, _, Xf) = tf.forward(ids, params, config)
    assert logits.shape == (5, 11)
    assert len(block_caches) == config.num_layers
    X = tf.embed_forward(ids, params)
    for p in ("b0.", "b1."):
        X, _ = tf.block_forward(X, params, p, config)
    X, _ = ops.layer_norm_forward(X, params["lnf_g"], params["lnf_b"], config.ln_eps)
    assert_array_equal(Xf, X)
    assert_array_equal(logits, X @ params["head_w"] + params["head_b"])


def test_forward_is_causal(config, params, ids):
    logits, _ = tf.forward(ids, params, config)
    changed = ids.copy()
    changed[3] = 5
    other, _ = tf.forward(changed, params, config)
    assert_array_equal(other[:3], logits[:3])
    assert np.all(np.abs(other[3:] - logits[3:]).max(axis=-1) > 1e-3)
    shorter, _ = tf.forward(ids[:3], params, config)
    assert_allclose(shorter, logits[:3], rtol=1e-12)


def test_forward_takes_up_to_the_whole_position_table(config, params):
    assert tf.forward(np.zeros(7, dtype=int), params, config)[0].shape == (7, 11)
    with pytest.raises(ValueError, match="a sequence of 8 tokens is longer than the position table of 7 rows"):
        tf.forward(np.zeros(8, dtype=int), params, config)


def test_forward_refuses_an_empty_sequence(config, params):
    with pytest.raises(ValueError, match="the sequence is empty"):
        tf.forward(np.array([], dtype=int), params, config)


def test_forward_starts_near_the_loss_of_an_even_guess():
    config = ModelConfig(vocab_size=250)
    params = tf.init_params(config, np.random.default_rng(42))
    window = np.random.default_rng(0).integers(0, 250, 17)
    logits, _ = tf.forward(window[:-1], params, config)
    loss, _ = ops.cross_entropy_forward(logits, window[1:])
    assert loss == pytest.approx(math.log(250), rel=0.05)


def test_loss_and_grads_of_every_parameter_by_central_differences(config, params, ids, targets):
    kept = {name: W.copy() for name, W in params.items()}
    loss, grads = tf.loss_and_grads(ids, targets, params, config)

    def loss_with(name, W):
        return ops.cross_entropy_forward(tf.forward(ids, {**params, name: W}, config)[0], targets)[0]

    assert list(grads) == list(params)
    largest = max(np.abs(g).max() for g in grads.values())
    for name, W in params.items():
        numeric = central(lambda v, name=name: loss_with(name, v), W)
        assert_allclose(grads[name], numeric, rtol=0, atol=1e-8 * largest, err_msg=name)
        assert_array_equal(W, kept[name])
    assert loss == loss_with("head_b", params["head_b"])


def test_backward_functions_add_to_what_is_in_grads(config, params, rng):
    X, dY = rng.normal(size=(5, 6)), rng.normal(size=(5, 6))
    _, cache = tf.block_forward(X, params, "b0.", config)
    from_zeros, from_ones = zeros_like(params), {name: np.ones_like(W) for name, W in params.items()}
    tf.block_backward(cache, params, "b0.", dY, from_zeros)
    tf.block_backward(cache, params, "b0.", dY, from_ones)
    for name in params:
        assert_allclose(from_ones[name], 1.0 + from_zeros[name], rtol=1e-12, atol=1e-14)


def test_loss_and_grads_leave_unused_rows_at_zero(config, params, ids, targets):
    _, grads = tf.loss_and_grads(ids, targets, params, config)
    assert {int(row) for row in np.flatnonzero(np.abs(grads["tok_emb"]).sum(axis=1))} == {0, 3, 7, 10}
    assert_array_equal(grads["pos_emb"][5:], 0)
    assert np.all(np.abs(grads["pos_emb"][:5]).sum(axis=1) > 0)


def test_loss_and_grads_overfit_one_window(config, ids, targets):
    params = tf.init_params(config, np.random.default_rng(1))
    optimiser = AdamW(params, weight_decay=0.0)
    first, _ = tf.loss_and_grads(ids, targets, params, config)
    for _ in range(200):
        loss, grads = tf.loss_and_grads(ids, targets, params, config)
        optimiser.step(params, grads, 1e-2)
    assert first > 2.0
    assert loss < 0.01
    assert_array_equal(tf.forward(ids, params, config)[0].argmax(axis=1), targets)


def central(f, x, h=1e-5):
    """Central differences that owe nothing to impl.gradcheck."""
    g = np.empty(x.size)
    for i in range(x.size):
        up, down = x.copy(), x.copy()
        up.flat[i] += h
        down.flat[i] -= h
        g[i] = (f(up) - f(down)) / (2 * h)
    return g.reshape(x.shape)
