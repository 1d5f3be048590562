"""Detectors: dead time, resolution, pulse shapes, digitisation."""

import math
from dataclasses import dataclass

import numpy as np

from halflife.checking import positive
from halflife.constants import FWHM_PER_SIGMA


class Detector:
    """A counter that is dead for a fixed time after each event."""

    def __init__(self, dead_time: float, efficiency: float = 1.0) -> None:
        if dead_time < 0:
            raise ValueError("a dead time is not negative")
        self.dead_time = dead_time
        self.efficiency = efficiency

    def true_rate(self, observed: float) -> float:
        """The rate of events behind an observed rate, where events in dead time are lost (non-paralysable)."""
        busy = observed * self.dead_time
        if busy >= 1:
            raise ValueError(f"the observed rate {observed} is more than one event in each dead time")
        live = 1.0 - busy
        return observed / live

    @staticmethod
    def paralysable_rate(rate: float, dead_time: float) -> float:
        """The observed rate, where events in dead time prolong it (paralysable)."""
        return rate * math.exp(-rate * dead_time)

    def detected(self, emitted: float) -> float:
        """Events that are detected of those emitted."""
        return self.efficiency * emitted


@positive
def peak_width(energy: float, fano: float, noise: float) -> float:
    """Full width at half maximum of a peak: charge statistics and electronic noise add in squares."""
    variance = fano * energy + noise**2
    return FWHM_PER_SIGMA * math.sqrt(variance)


def channel(voltage: float, offset: float, width: float) -> int:
    """The channel of an analogue-to-digital converter."""
    return math.floor((voltage - offset) / width)


def phase(t: float, period: float) -> float:
    """Time since the last full period."""
    return t % period


def trapezoid(t: float, rise: float, flat: float) -> float:
    """A pulse that rises from 0 to 1, stays there and falls as it rose."""
    if t <= 0:
        return 0.0
    if t < rise:
        return t / rise
    if t <= rise + flat:
        return 1.0
    return max(0.0, (2 * rise + flat - t) / rise)


def huber_loss(residual, delta):
    """Quadratic near 0, linear beyond delta (Huber, 1964)."""
    size = np.abs(residual)
    return np.where(size <= delta, 0.5 * residual**2, delta * (size - 0.5 * delta))


def calibrated(coefficients: list[float], channel_number: float) -> float:
    """Energy of a channel by Horner's rule; coefficients from the constant term upward."""
    energy = 0.0
    for coefficient in reversed(coefficients):
        energy = energy * channel_number + coefficient
    return energy


def legendre(n: int, x: float) -> float:
    """Legendre polynomial of degree n, by Bonnet's recursion."""
    if n == 0:
        return 1.0
    if n == 1:
        return x
    return ((2 * n - 1) * x * legendre(n - 1, x) - (n - 1) * legendre(n - 2, x)) / n


def binomial(n: int, k: int) -> int:
    """Ways to choose k of n."""
    ways = 1
    for i in range(k):
        ways = ways * (n - i) // (i + 1)
    return ways


@dataclass(frozen=True)
class Peak:
    """A peak of a spectrum."""

    area: float
    width: float


def tallest(peaks: list[Peak]) -> Peak:
    """The peak with the largest height."""
    return max(peaks, key=lambda peak: peak.area / peak.width)


def dither(n: int, step: float, rng: np.random.Generator) -> np.ndarray:
    """Noise that spreads digitised values evenly over their step."""
    return rng.uniform(-0.5 * step, 0.5 * step, n)


def new_calibration(detectors: int, degree: int) -> dict[str, np.ndarray]:
    """A calibration table before anything is known."""
    table: dict[str, np.ndarray] = {}
    for number in range(detectors):
        table[f"detector{number}.gain"] = np.ones(degree)
        table[f"detector{number}.offset"] = np.zeros(degree + 1)
    table["live_time"] = np.zeros(detectors)
    return table
