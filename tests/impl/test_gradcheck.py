import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from impl import gradcheck, transformer


def test_numerical_grad_is_exact_for_a_quadratic():
    x = np.array([[1.0, -2.0], [0.5, 3.0]])
    g = gradcheck.numerical_grad(lambda v: (v**2).sum() + v[0, 1], x, h=0.25)
    assert_array_equal(g, [[2, -3], [1, 6]])
    assert_array_equal(x, [[1, -2], [0.5, 3]])


def test_numerical_grad_has_the_error_of_a_central_difference():
    g = gradcheck.numerical_grad(lambda v: v[0] ** 3, np.array([1.0]), h=0.5)
    assert_array_equal(g, [3.25])  # 3 x^2 + h^2


def test_numerical_grad_by_some_entries_only():
    g = gradcheck.numerical_grad(lambda v: (v**2).sum(), np.array([[1.0, 2.0], [3.0, 4.0]]), 0.5, [(0, 1)])
    assert_array_equal(g, [[0, 4], [0, 0]])


@pytest.mark.parametrize(
    ("a", "b", "expected"), [(1.0, 2.0, 0.5), (-1.0, 1.0, 2.0), (0.0, 0.0, 0.0), (0.0, 1e-3, 0.1), (4.0, 3.0, 0.25)]
)
def test_relative_error(a, b, expected):
    assert gradcheck.relative_error(a, b, 1e-2) == pytest.approx(expected)


def test_relative_error_of_arrays():
    errors = gradcheck.relative_error(np.array([1.0, 0.0]), np.array([2.0, 1e-3]), 1e-2)
    assert_allclose(errors, [0.5, 0.1])


def test_check_params_passes_the_model(config, params, ids, targets, rng):
    worst = gradcheck.check_params(ids, targets, params, config, rng)
    assert list(worst) == list(params)
    assert max(worst.values()) < 1e-5


def test_check_params_finds_a_wrong_gradient(config, params, ids, targets, rng, monkeypatch):
    right = transformer.loss_and_grads

    def wrong(*arguments):
        loss, grads = right(*arguments)
        grads["b1.bq"][2] *= 1.001  # six entries, so all of them are sampled
        return loss, grads

    monkeypatch.setattr(gradcheck, "loss_and_grads", wrong)
    worst = gradcheck.check_params(ids, targets, params, config, rng)
    assert {name for name, error in worst.items() if error > 1e-5} == {"b1.bq"}
    assert worst["b1.bq"] == pytest.approx(1e-3, rel=0.05)
