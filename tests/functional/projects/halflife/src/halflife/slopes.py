"""Slopes that fits need, each beside what it is the slope of."""

import numpy as np

from halflife.counting import Floats


def chi_square_slope(observed: Floats, expected: Floats) -> Floats:
    """How Pearson's statistic changes with each expected count."""
    slope = np.ones_like(expected)
    slope -= (observed / expected) ** 2
    return slope
