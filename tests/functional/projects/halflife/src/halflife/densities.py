"""Densities and probabilities of the distributions that counting meets."""

import math
from collections.abc import Sequence

import numpy as np

from halflife.constants import HALF_LOG_2PI

ROOT_2PI = math.sqrt(2 * math.pi)


def normal_density(x, mean, sigma):
    """Density of the normal distribution."""
    z = (x - mean) / sigma
    return np.exp(-0.5 * z * z) / (sigma * ROOT_2PI)


def normal_log_density(x: float, mean: float, sigma: float) -> float:
    """Logarithm of the density of the normal distribution."""
    if sigma <= 0:
        raise ValueError("sigma must be positive")
    z = (x - mean) / sigma
    return -0.5 * z * z - math.log(sigma) - HALF_LOG_2PI


def poisson_log_probability(k: int, mean: float) -> float:
    """Logarithm of the probability of k events where `mean` are expected."""
    return k * math.log(mean) - mean - math.lgamma(k + 1)


def logistic(x: float) -> float:
    """The logistic function, in the form that does not overflow."""
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    growth = math.exp(x)
    return growth / (1.0 + growth)


def softplus(x):
    """Smooth approximation of max(0, x)."""
    return np.logaddexp(0.0, x)


def erf_approximation(x: float) -> float:
    """Error function for x >= 0, formula 7.1.26 of Abramowitz and Stegun (1964)."""
    t = 1.0 / (1.0 + 0.3275911 * x)
    polynomial = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return 1.0 - polynomial * math.exp(-x * x)


def kernel_density(x: float, samples: Sequence[float], bandwidth: float) -> float:
    """Density at x, estimated from samples with a Gaussian kernel (Parzen, 1962)."""

    def kernel(u: float) -> float:
        return math.exp(-0.5 * u**2) / ROOT_2PI

    total = 0.0
    for sample in samples:
        total += kernel((x - sample) / bandwidth)
    return total / (len(samples) * bandwidth)
