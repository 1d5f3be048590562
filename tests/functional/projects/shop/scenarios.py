"""Runs of the shop."""

from lab import chain


def chained(rng, sizes):
    A = rng.normal(size=(sizes["n"], sizes["m"]))
    chain.chain(A, rng.normal(size=sizes["m"]))


def gained(rng, sizes):
    k = rng.normal()
    chain.gain(None, None, k)
