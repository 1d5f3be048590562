"""Rates, read from a file when they are first asked for."""

from functools import lru_cache
from pathlib import Path

BASE = 2.0
OFFSET = 0.5


@lru_cache(maxsize=None)
def rate():
    text = (Path(__file__).parent.parent / "data" / "rate.txt").read_text()
    return float(text)


def scaled(x):
    """Twice x, about."""
    factor = BASE
    return factor * x
