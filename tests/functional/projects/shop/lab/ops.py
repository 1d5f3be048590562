"""What is computed."""

import numpy as np

from lab import rates

FLOOR = 0.0


def doubled(x):
    y = rates.scaled(x)
    return y


def relu(x):
    """Nothing below the floor."""
    y = np.maximum(x, FLOOR)
    return y


def product(A, v):
    # each row
    out = A @ v
    return out


def rated(x):
    y = rates.rate() * x
    return y


def shifted(x, by=0.5):
    y = x + by
    return y
