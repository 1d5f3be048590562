import math

import pytest
from halflife.densities import (
    erf_approximation,
    kernel_density,
    logistic,
    normal_density,
    normal_log_density,
    poisson_log_probability,
    softplus,
)


def test_normal():
    assert normal_density(1.0, 1.0, 2.0) == pytest.approx(0.19947114020071635)
    assert normal_log_density(1.0, 1.0, 2.0) == pytest.approx(math.log(0.19947114020071635))
    with pytest.raises(ValueError, match="positive"):
        normal_log_density(0.0, 0.0, 0.0)


def test_poisson():
    assert math.exp(poisson_log_probability(2, 3.0)) == pytest.approx(4.5 * math.exp(-3))


def test_logistic_and_softplus():
    assert [logistic(x) for x in (0.0, 700.0, -700.0)] == pytest.approx([0.5, 1.0, 0.0])
    assert softplus(0.0) == math.log(2)


def test_erf_approximation():
    assert erf_approximation(0.5) == pytest.approx(math.erf(0.5), abs=1.5e-7)


def test_kernel_density():
    assert kernel_density(0.0, [0.0, 0.0], 0.5) == pytest.approx(0.7978845608028654)
