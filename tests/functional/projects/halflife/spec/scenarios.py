"""Runs in which the cited lines execute. Each takes a generator and the sizes of one verification run."""

from collections.abc import Mapping

import numpy as np
from halflife.counting import RunningMean, fill, net_rate, smooth
from halflife.decay import Nuclide
from halflife.detector import Peak, tallest

Sizes = Mapping[str, int]


def measurement(rng: np.random.Generator, sizes: Sizes) -> None:
    """Counts of a sample and of the background, their rate, and a histogram."""
    gross, background = rng.poisson(900, 2) + 1
    net_rate(float(gross), 60.0 * rng.uniform(1, 3), float(background), 600.0 * rng.uniform(1, 3))
    channels = rng.integers(0, sizes["bins"], sizes["samples"])
    fill(rng.standard_normal(sizes["bins"]), channels, rng.standard_normal(sizes["samples"]))


def series(rng: np.random.Generator, sizes: Sizes) -> None:
    """A series of values, averaged and smoothed."""
    values = rng.standard_normal(sizes["samples"]).tolist()
    mean = RunningMean()
    for value in values:
        mean.add(value)
    for _ in zip(smooth(values, float(rng.uniform(0, 1))), range(sizes["samples"] - 1), strict=False):
        pass  # the generator is left before its end


def spectrum(rng: np.random.Generator, sizes: Sizes) -> None:
    """Peaks of a spectrum, and nuclides made in both ways."""
    tallest([Peak(*rng.uniform(0.5, 2, 2).tolist()) for _ in range(sizes["samples"])])
    Nuclide.from_decay_constant(float(rng.uniform(0.1, 2)))
