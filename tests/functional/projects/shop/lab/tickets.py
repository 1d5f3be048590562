"""Whose turn it is."""

import numpy as np


def first(k):
    c = int(np.argmax(k))
    return c
