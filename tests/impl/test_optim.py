import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from impl.optim import AdamW, clip_grad_norm, lr_schedule


def test_adamw_first_step_by_hand():
    params = {"w": np.array([[1.0, -2.0]]), "b": np.array([1.0, -2.0])}
    optimiser = AdamW(params, beta1=0.5, beta2=0.75, eps=1.0, weight_decay=0.5)
    optimiser.step(params, {"w": np.array([[3.0, 1.0]]), "b": np.array([3.0, 1.0])}, lr=0.1)
    assert_array_equal(optimiser.m["w"], [[1.5, 0.5]])
    assert_array_equal(optimiser.v["w"], [[2.25, 0.25]])
    assert_allclose(params["b"], [1 - 0.1 * 3 / 4, -2 - 0.1 * 1 / 2], rtol=1e-15)
    assert_allclose(params["w"], [[1 - 0.1 * (3 / 4 + 0.5), -2 - 0.1 * (1 / 2 - 1.0)]], rtol=1e-15)


def test_adamw_second_step_by_hand():
    params = {"b": np.array([0.0])}
    optimiser = AdamW(params, beta1=0.5, beta2=0.75, eps=0.0, weight_decay=0.5)
    optimiser.step(params, {"b": np.array([2.0])}, lr=1.0)
    optimiser.step(params, {"b": np.array([-1.0])}, lr=1.0)
    m, v = 0.5 * 1.0 - 0.5 * 1.0, 0.75 * 1.0 + 0.25 * 1.0
    assert_array_equal(optimiser.m["b"], [m])
    assert_array_equal(optimiser.v["b"], [v])
    assert optimiser.t == 2
    assert_allclose(params["b"], [-1.0 - (m / (1 - 0.5**2)) / math.sqrt(v / (1 - 0.75**2))], rtol=1e-15)


def test_adamw_first_step_has_the_size_of_the_learning_rate():
    params = {"b": np.zeros(3)}
    AdamW(params).step(params, {"b": np.array([1e-3, -5.0, 700.0])}, lr=0.01)
    assert_allclose(params["b"], [-0.01, 0.01, -0.01], rtol=1e-4)


def test_adamw_decays_only_arrays_of_two_or_more_axes():
    params = {"w": np.ones((1, 2)), "stack": np.ones((1, 2, 1)), "b": np.ones(2)}
    AdamW(params, weight_decay=0.5).step(params, {name: np.zeros_like(W) for name, W in params.items()}, lr=0.1)
    assert_allclose(params["w"], 0.95)
    assert_allclose(params["stack"], 0.95)
    assert_array_equal(params["b"], 1.0)


def test_adamw_updates_in_place_and_leaves_the_gradients():
    W, g = np.ones((2, 2)), np.full((2, 2), 0.5)
    params = {"w": W}
    AdamW(params).step(params, {"w": g}, lr=0.1)
    assert params["w"] is W
    assert np.all(W < 1.0)
    assert_array_equal(g, 0.5)


def test_lr_schedule_warmup():
    assert [lr_schedule(t, 0.8, 0.1, 4, 12) for t in range(5)] == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8])


def test_lr_schedule_cosine_decay():
    assert lr_schedule(6, 0.8, 0.2, 4, 10) == pytest.approx(0.2 + 0.3 * (1 + math.cos(math.pi / 3)))
    assert lr_schedule(7, 0.8, 0.2, 4, 10) == pytest.approx(0.5)
    assert lr_schedule(10, 0.8, 0.2, 4, 10) == pytest.approx(0.2)


def test_lr_schedule_stays_at_the_floor_after_the_last_step():
    assert [lr_schedule(t, 0.8, 0.2, 4, 10) for t in (11, 14, 100)] == [0.2, 0.2, 0.2]


def test_lr_schedule_edges():
    assert lr_schedule(1, 0.8, 0.2, 0, 1) == pytest.approx(0.2)
    assert lr_schedule(0, 0.8, 0.2, 0, 10) == pytest.approx(0.8)
    assert lr_schedule(5, 0.8, 0.2, 5, 5) == pytest.approx(0.8)
    assert lr_schedule(6, 0.8, 0.2, 5, 5) == 0.2


def test_clip_grad_norm_scales_all_gradients_together():
    grads = {"w": np.array([[3.0, 0.0]]), "b": np.array([0.0, 4.0])}
    assert clip_grad_norm(grads, 1.0) == 5.0
    assert_allclose(grads["w"], [[0.6, 0.0]])
    assert_allclose(grads["b"], [0.0, 0.8])


def test_clip_grad_norm_changes_nothing_at_or_below_the_limit():
    grads = {"w": np.array([[3.0, 0.0]]), "b": np.array([0.0, 4.0])}
    assert clip_grad_norm(grads, 5.0) == 5.0
    assert clip_grad_norm(grads, 10.0) == 5.0
    assert_array_equal(grads["w"], [[3, 0]])
    assert_array_equal(grads["b"], [0, 4])


def test_clip_grad_norm_of_zeros():
    grads = {"w": np.zeros(3)}
    assert clip_grad_norm(grads, 1.0) == 0.0
    assert_array_equal(grads["w"], 0)
