"""What calls what is computed."""

from lab import ops

STEPS = []


def chain(A, v):
    w = ops.product(A, v)
    r = ops.relu(w)
    total = r.sum()
    return total


def gain(A, v, k):
    scale = 3.0
    g = scale * k + ops.doubled(k)
    return g
