"""Arguments that may be exchanged: only of functions that are shown to give the same with them the other way round."""

import pytest

from eqtrace.code.mutation.equivalent import proof
from eqtrace.code.source import parse
from eqtrace.model.mutant import Mutant

TEXT = """\
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def distance(a: Floats, b: Floats, eps: float) -> Floats:
    '''How far apart.'''
    return np.abs(a - b) / np.maximum(np.maximum(np.abs(a), np.abs(b)), eps)


def difference(a: Floats, b: Floats, eps: float) -> Floats:
    return a - b + eps


def summed(a, b, eps):
    return a + b


def told(a: Floats, b: Floats, eps: float) -> Floats:
    print(a)
    return a + b


def longest(a: Floats, b: Floats, eps: float) -> Floats:
    c = a + b
    return c


@other
def wrapped(a: Floats, b: Floats, eps: float) -> Floats:
    return a + b


def twice(a: Floats, b: Floats, eps: float) -> Floats:
    return a + b


twice = difference


def f(x: Floats, y: Floats, eps: float, rng):
    {}
"""


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("d = distance(x, y, eps)", "d = distance(y, x, eps)", True),
        ("d = -distance(x[0], y[1:], eps).max()", "d = -distance(y[1:], x[0], eps).max()", True),
        ("d = distance(x, y, eps)", "d = distance(x, eps, y)", False),
        ("d = distance(x, y, eps) + 1.0", "d = distance(y, x, eps) + 2.0", False),
        ("d = distance(rng.random(3), y, eps)", "d = distance(y, rng.random(3), eps)", False),
        ("d = distance(*x, y, eps)", "d = distance(y, *x, eps)", False),
        ("d = difference(x, y, eps)", "d = difference(y, x, eps)", False),
        ("d = summed(x, y, eps)", "d = summed(y, x, eps)", False),  # lists join, in their order
        ("d = told(x, y, eps)", "d = told(y, x, eps)", False),
        ("d = longest(x, y, eps)", "d = longest(y, x, eps)", False),  # which is the same, and not shown
        ("d = wrapped(x, y, eps)", "d = wrapped(y, x, eps)", False),
        ("d = twice(x, y, eps)", "d = twice(y, x, eps)", False),
        ("d = unknown(x, y, eps)", "d = unknown(y, x, eps)", False),
    ],
)
def test_exchanged_arguments(old: str, new: str, shown: bool) -> None:
    file = parse("ops.py", TEXT.format(old).encode())
    (statement,) = [each for each in file.statements if each.source == old]
    found = proof(Mutant("id", "swapped-arguments", statement.span, "f", old, new, ()), file)
    assert bool(found) is shown, found
