"""Counting statistics: rates, averages, histograms."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def count_rate(counts: float, live_time: float) -> float:
    """Counts in a unit of live time."""
    return counts / live_time


def net_rate(gross: float, gross_time: float, background: float, background_time: float) -> tuple[float, float]:
    """The rate above background and its standard deviation."""
    gross_rate = gross / gross_time
    background_rate = background / background_time
    deviation = math.sqrt(
        gross_rate / gross_time  # a Poisson count's variance is the count itself
        + background_rate / background_time
    )
    return gross_rate - background_rate, deviation


def weighted_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """Mean of values, each counted with its weight."""
    if len(values) != len(weights):
        raise ValueError(f"{len(values)} values but {len(weights)} weights")
    total = norm = 0.0
    for value, weight in zip(values, weights, strict=False):
        total += weight * value
        norm += weight
    return total / norm


def sample_variance(values: Sequence[float]) -> float:
    """Unbiased variance in one pass (Welford, Technometrics 4, 1962)."""
    mean = square = 0.0
    for number, value in enumerate(values, start=1):
        delta = value - mean
        mean += delta / number
        square += delta * (value - mean)
    return square / (len(values) - 1)


def chi_square(observed: Sequence[float], expected: Sequence[float]) -> float:
    """Pearson's statistic of observed against expected counts."""
    return sum(map(lambda o, e: (o - e) ** 2 / e, observed, expected))


def entropy(p: Floats) -> float:
    """Shannon's entropy of a distribution, in nats."""
    return -sum(share * math.log(share) for share in p if share > 0)


def fill(counts: Floats, channels: NDArray[np.int64], weights: Floats) -> Floats:
    """Adds weights to the channels that they belong to, in place."""
    np.add.at(counts, channels, weights)
    return counts


def smooth(values: Sequence[float], alpha: float) -> Iterator[float]:
    """Exponentially smoothed values."""
    level = values[0]
    for value in values:
        level = alpha * value + (1.0 - alpha) * level
        yield level


def interval(mean: float, deviation: float, k: float = 2.0) -> tuple[float, float]:
    """The interval of k standard deviations about a mean."""
    low = mean - k * deviation; high = mean + k * deviation  # fmt: skip  # noqa: E702
    return low, high


def spread(values: Sequence[float], weights: Sequence[float], centre: float) -> float:
    """Sum of weighted squared distances from a centre."""
    squares = [weight * (value - centre) ** 2 for value, weight in zip(values, weights, strict=True)]
    return math.fsum(squares)


class RunningMean:
    """Mean of all values so far."""

    def __init__(self) -> None:
        self.count, self.mean = 0, 0.0

    def add(self, value: float) -> None:
        """Takes one more value in."""
        self.count += 1
        self.mean += (value - self.mean) / self.count
