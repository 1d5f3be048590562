"""One entry of a step, written out."""

import numpy as np
import pytest

from eqtrace.formula.steps.reader import read_step
from eqtrace.report.engine.written import LONGEST, written

VALUES = {
    "X": np.array([[1.0, 2.0], [0.0, -1.0]]),
    "W": np.array([[1.0, 0.0, 2.0], [-1.0, 1.0, 0.0]]),
    "b": np.array([0.0, 1.0, -1.0]),
    "v": np.array([3.0, 1.0, 0.5]),
    "Q": np.arange(8.0).reshape(2, 2, 2),
    "n": np.array(7.0),
    "long": np.arange(9.0),
}


def entry(code: str) -> str:
    node, errors = read_step(code)
    assert node is not None, errors
    return written("Y", node, VALUES)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("X @ W + b", "Y[1, 0] = 0·1 + (-1)·(-1) + 0 = 1"),
        ("X @ v[:2]", "Y[0] = 1·3 + 2·1 = 5"),
        ("v[:2] @ X", "Y[0] = 3·1 + 1·0 = 3"),
        ("v @ v", "Y = 3·3 + 1·1 + 0.5·0.5 = 10.25"),
        ("Q @ X", "Y[1, 1, 0] = 6·1 + 7·0 = 6"),
        ("X * (X - 1)", "Y[1, 0] = 0·(0 - 1) = 0"),
        ("n - (n - 2)", "Y = 7 - (7 - 2) = 2"),
        ("n - 2 - 1", "Y = 7 - 2 - 1 = 4"),
        ("n / (2 * 7)", "Y = 7 / (2·7) = 0.5"),
        ("2 ** -n", "Y = 2**(-7) = 0.007812"),
        ("-(n + 1)", "Y = -(7 + 1) = -8"),
        ("X.sum(axis=0)", "Y[0] = 1 + 0 = 1"),
        ("X.sum(axis=1, keepdims=True)", "Y[1, 0] = 0 + (-1) = -1"),
        ("X.mean()", "Y = (1 + 2 + 0 + (-1)) / 4 = 0.5"),
        ("long.sum()", "Y = 0 + 1 + 2 + 3 + … + 8 = 36"),
        ("(v > 0.75).sum()", "Y = (3 > 0.75) + (1 > 0.75) + (0.5 > 0.75) = 2"),
        ("v / v.max()", "Y[0] = 3 / max(3, 1, 0.5) = 1"),
        ("np.exp(b) / np.exp(b).sum()", "Y[0] = exp(0) / (exp(0) + exp(1) + exp(-1)) = 0.2447"),
        ("np.where(X > 0, X * 2, X * 3)", "Y[1, 0] = 0·3 = 0"),
        ("np.maximum(0.0, X - 1)", "Y[1, 0] = max(0, 0 - 1) = 0"),
        ("np.abs(v - n)", "Y[0] = |3 - 7| = 4"),
        ("X.T * n", "Y[1, 0] = 2·7 = 14"),
        ("np.sqrt(X.shape[0] * n)", "Y = sqrt(2·7) = 3.742"),
    ],
)
def test_entries(code: str, expected: str) -> None:
    assert entry(code) == expected


@pytest.mark.parametrize("code", ["X", "X[0]", "X.reshape(4)", "np.sort(v)", "np.zeros(0)", "X @ X @ X + unknown", "3"])
def test_nothing_is_written_out_where_a_number_is_all_that_there_is(code: str) -> None:
    assert entry(code) == ""


def test_what_is_too_long_to_read_is_left_out() -> None:
    code = " + ".join(["n"] * 40)
    assert len(f"Y = {code.replace('n', '7')} = 280") > LONGEST
    assert entry(code) == ""
