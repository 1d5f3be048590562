import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from impl import ops
from impl.gradcheck import numerical_grad

X = np.array([[1.0, 2.0], [0.0, 1.0]])
W = np.array([[1.0, 0.0, 2.0], [-1.0, 1.0, 0.0]])
B = np.array([0.0, 1.0, -1.0])
DY = np.array([[1.0, 0.0, 1.0], [0.0, 2.0, -1.0]])


# --- initialisation ---


def test_xavier_limit():
    drawn = ops.xavier_uniform(40, 60, np.random.default_rng(0))
    a = math.sqrt(6 / 100)
    assert drawn.shape == (40, 60)
    assert np.abs(drawn).max() <= a
    assert np.abs(drawn).max() > 0.99 * a


def test_xavier_draw_is_uniform_with_the_stated_variance():
    drawn = ops.xavier_uniform(200, 300, np.random.default_rng(1)).ravel()
    a = math.sqrt(6 / 500)
    assert drawn.mean() == pytest.approx(0.0, abs=0.01 * a)
    assert drawn.var() == pytest.approx(2 / 500, rel=0.02)
    counts, _ = np.histogram(drawn, bins=10, range=(-a, a))
    assert_allclose(counts, 6000, rtol=0.06)


def test_xavier_draw_follows_the_generator():
    drawn = ops.xavier_uniform(2, 3, np.random.default_rng(42))
    a = math.sqrt(6 / 5)
    assert_array_equal(drawn, np.random.default_rng(42).uniform(-a, a, size=(2, 3)))


# --- linear ---


def test_linear_forward_worked_example():
    assert_array_equal(ops.linear_forward(X, W, B), [[-1, 3, 1], [-1, 2, -1]])


def test_linear_forward_refuses_inner_sizes_that_differ():
    with pytest.raises(ValueError):
        ops.linear_forward(X, W.T, np.zeros(2))


def test_linear_backward_worked_example():
    dX, dW, db = ops.linear_backward(X, W, DY)
    assert_array_equal(dW, [[1, 0, 1], [2, 2, 1]])
    assert_array_equal(db, [1, 2, 0])
    assert_array_equal(dX, [[3, -1], [-2, 2]])


def test_linear_backward_agrees_with_central_differences():
    dX, dW, db = ops.linear_backward(X, W, DY)
    bound = 4e-11
    assert np.abs(numerical_grad(lambda x: (ops.linear_forward(x, W, B) * DY).sum(), X) - dX).max() < bound
    assert np.abs(numerical_grad(lambda w: (ops.linear_forward(X, w, B) * DY).sum(), W) - dW).max() < bound
    assert np.abs(numerical_grad(lambda b: (ops.linear_forward(X, W, b) * DY).sum(), B) - db).max() < bound


# --- ReLU ---


def test_relu_forward_worked_example():
    assert_array_equal(ops.relu_forward(np.array([-1.0, 2.0, 0.0, 3.0])), [0, 2, 0, 3])


def test_relu_backward_passes_nothing_at_exactly_zero():
    dZ = ops.relu_backward(np.array([-1.0, 2.0, 0.0, 3.0]), np.ones(4))
    assert_array_equal(dZ, [0, 1, 0, 1])


# --- softmax ---


def test_softmax_forward_by_hand():
    assert_allclose(
        ops.softmax_forward(np.log([[1.0, 2.0, 5.0], [4.0, 4.0, 8.0]])), [[1 / 8, 2 / 8, 5 / 8], [0.25, 0.25, 0.5]]
    )


def test_softmax_forward_subtracts_the_maximum():
    assert_allclose(ops.softmax_forward(np.array([1000.0, 1000.0 + math.log(3.0)])), [0.25, 0.75], rtol=1e-12)
    assert_array_equal(ops.softmax_forward(np.array([-1e4, 0.0])), [0, 1])


def test_softmax_forward_gives_masked_entries_exactly_zero():
    p = ops.softmax_forward(np.array([0.0, -np.inf, 0.0]))
    assert_array_equal(p, [0.5, 0, 0.5])


def test_softmax_forward_works_on_the_last_of_three_axes(rng):
    x = rng.normal(size=(2, 3, 4))
    p = ops.softmax_forward(x)
    assert_allclose(p.sum(axis=-1), np.ones((2, 3)), rtol=1e-14)
    assert_array_equal(p[1, 2], ops.softmax_forward(x[1, 2]))


def test_softmax_forward_is_invariant_to_a_shift(rng):
    x = rng.normal(size=(3, 4))
    assert_allclose(ops.softmax_forward(x - 2.5), ops.softmax_forward(x), rtol=1e-14)


def test_softmax_backward_by_hand():
    dx = ops.softmax_backward(np.array([0.25, 0.75]), np.array([4.0, 0.0]))
    assert_array_equal(dx, [0.75, -0.75])


def test_softmax_backward_agrees_with_the_jacobian(rng):
    x, dY = rng.normal(size=(2, 5))
    y = ops.softmax_forward(x)
    jacobian = np.diag(y) - np.outer(y, y)
    assert_allclose(ops.softmax_backward(y, dY), jacobian @ dY, rtol=1e-12)
    assert_allclose(numerical_grad(lambda v: (ops.softmax_forward(v) * dY).sum(), x), jacobian @ dY, atol=1e-9)


# --- cross-entropy ---


def test_cross_entropy_forward_by_hand():
    logits = np.log([[1.0, 2.0, 5.0], [4.0, 4.0, 8.0]])
    loss, probs = ops.cross_entropy_forward(logits, np.array([2, 0]))
    assert loss == pytest.approx(-(math.log(5 / 8) + math.log(1 / 4)) / 2, rel=1e-14)
    assert_allclose(probs, [[1 / 8, 2 / 8, 5 / 8], [0.25, 0.25, 0.5]])


def test_cross_entropy_forward_of_even_logits_is_log_of_their_number():
    loss, probs = ops.cross_entropy_forward(np.full((3, 7), 4.0), np.array([0, 6, 3]))
    assert loss == pytest.approx(math.log(7), rel=1e-15)
    assert_allclose(probs, 1 / 7)


def test_cross_entropy_forward_subtracts_the_maximum():
    loss, probs = ops.cross_entropy_forward(np.array([[1e3, 0.0], [-1e3, 0.0]]), np.array([0, 0]))
    assert loss == 500.0
    assert_array_equal(probs, [[1, 0], [0, 1]])


def test_cross_entropy_backward_by_hand():
    dZ = ops.cross_entropy_backward(np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([1, 0]))
    assert_array_equal(dZ, [[0.125, -0.125], [-0.25, 0.25]])


def test_cross_entropy_backward_agrees_with_central_differences(rng):
    logits, targets = rng.normal(size=(3, 5)), np.array([4, 0, 4])
    _, probs = ops.cross_entropy_forward(logits, targets)
    kept = probs.copy()
    dZ = ops.cross_entropy_backward(probs, targets)
    assert_allclose(numerical_grad(lambda z: ops.cross_entropy_forward(z, targets)[0], logits), dZ, atol=1e-10)
    assert_array_equal(probs, kept)


# --- LayerNorm ---


def test_layer_norm_forward_by_hand():
    x = np.array([[1.0, 3.0], [0.0, 8.0]])
    Y, (Xhat, s, _) = ops.layer_norm_forward(x, np.array([2.0, 10.0]), np.array([0.0, 1.0]), eps=0.0)
    assert_array_equal(s, [[1.0], [0.25]])
    assert_array_equal(Xhat, [[-1, 1], [-1, 1]])
    assert_array_equal(Y, [[-2, 11], [-2, 11]])


def test_layer_norm_forward_puts_epsilon_inside_the_root():
    _, (_, s, _) = ops.layer_norm_forward(np.array([[1.0, 3.0]]), np.ones(2), np.zeros(2), eps=3.0)
    assert_array_equal(s, [[0.5]])


def test_layer_norm_forward_of_a_constant_row_is_the_shift():
    Y, _ = ops.layer_norm_forward(np.full((1, 3), 5.0), np.ones(3), np.array([1.0, 2.0, 3.0]), eps=1e-5)
    assert_array_equal(Y, [[1, 2, 3]])


def test_layer_norm_forward_works_on_the_last_of_three_axes(rng):
    x = rng.normal(size=(2, 3, 4))
    Y, _ = ops.layer_norm_forward(x, np.ones(4), np.zeros(4), eps=1e-5)
    assert_allclose(Y[1], ops.layer_norm_forward(x[1], np.ones(4), np.zeros(4), eps=1e-5)[0], rtol=1e-15)


def test_layer_norm_backward_by_hand():
    cache = (np.array([[-1.0, 1.0], [1.0, -1.0]]), np.array([[2.0], [0.5]]), np.array([1.0, 3.0]))
    dX, dgamma, dbeta = ops.layer_norm_backward(cache, np.array([[1.0, 1.0], [2.0, 0.0]]))
    assert_array_equal(dgamma, [1, 1])
    assert_array_equal(dbeta, [3, 1])
    assert_array_equal(dX, np.zeros((2, 2)))  # two features, no epsilon: the normalised row never moves


def test_layer_norm_backward_agrees_with_central_differences(rng):
    x, gamma, beta, dY = rng.normal(size=(3, 5)), rng.normal(size=5), rng.normal(size=5), rng.normal(size=(3, 5))
    _, cache = ops.layer_norm_forward(x, gamma, beta, 1e-2)
    dX, dgamma, dbeta = ops.layer_norm_backward(cache, dY)
    assert_allclose(
        numerical_grad(lambda v: (ops.layer_norm_forward(v, gamma, beta, 1e-2)[0] * dY).sum(), x), dX, atol=1e-8
    )
    assert_allclose(
        numerical_grad(lambda v: (ops.layer_norm_forward(x, v, beta, 1e-2)[0] * dY).sum(), gamma), dgamma, atol=1e-8
    )
    assert_allclose(
        numerical_grad(lambda v: (ops.layer_norm_forward(x, gamma, v, 1e-2)[0] * dY).sum(), beta), dbeta, atol=1e-8
    )


# --- perplexity ---


def test_perplexity_of_an_even_guess_is_the_number_of_choices():
    assert ops.perplexity(math.log(50)) == pytest.approx(50, rel=1e-14)
    assert ops.perplexity(0.0) == 1.0
