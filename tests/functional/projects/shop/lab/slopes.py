"""Gradients by hand."""

WEIGHT = 2.0


def weighed(v, u):
    return v * u


def weighed_back(v, u, dq):
    dv = dq * u
    du = dq * v
    return dv, du


def cubed(v):
    q = v * v * v
    return q


def cubed_back(v, dq):
    dv = 3.0 * v * v * dq
    return dv
