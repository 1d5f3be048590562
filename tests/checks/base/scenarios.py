"""A run that reaches every line of the base project."""

from lab.ops import mlp


def run_mlp(rng, sizes):
    mlp(rng.normal(size=(3, 2)), rng.normal(size=(2, 4)), rng.normal(size=4))
