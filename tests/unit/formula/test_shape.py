import numpy as np
import pytest

from eqtrace.formula.parse import parse_term
from eqtrace.formula.shape import integer, shape_of, solve, written

z = np.zeros


def solved(equation, symbols, values, known=None):
    return solve(equation("Eq(x, x)", symbols=symbols).symbols, values, known)


@pytest.mark.parametrize(
    ("symbols", "values", "known", "sizes", "mismatches"),
    [
        ({"X": "T a", "W": "a c"}, {"X": z((3, 4)), "W": z((4, 5))}, {}, {"T": 3, "a": 4, "c": 5}, []),
        ({"X": "T a", "W": "a c"}, {"X": z((3, 4)), "W": z((3, 5))}, {}, {"T": 3, "a": 4, "c": 5},
         ["axis 0 of W has length 3, declared is a = 4"]),
        ({"X": "T"}, {"X": z(3)}, {"T": 4}, {"T": 4}, ["axis 0 of X has length 3, declared is T = 4"]),
        ({"X": "T a"}, {"X": z(3)}, {}, {}, ["X has 1 axes, declared are 2 (T, a)"]),
        ({"s": ""}, {"s": [1.0]}, {}, {}, ["s has 1 axes, declared are none"]),
        ({"X": "H*dh", "W": "H"}, {"X": z(8), "W": [1, 2]}, {}, {"H": 2, "dh": 4}, []),
        ({"X": "H*dh", "W": "H"}, {"X": z(9), "W": [1, 2]}, {}, {"H": 2},
         ["axis 0 of X has length 9, declared is H*dh"]),
        ({"X": "T+1"}, {"X": z(4)}, {}, {"T": 3}, []),
        ({"X": "H*dh"}, {"X": z(8)}, {}, {}, []),
        ({"X": "N-T", "N": "", "T": ""}, {"X": z(4), "N": 10, "T": 6}, {}, {"N": 10, "T": 6}, []),
        ({"X": "3"}, {"X": z(4)}, {}, {}, ["axis 0 of X has length 4, declared is 3"]),
    ],
)  # fmt: skip
def test_sizes(equation, symbols, values, known, sizes, mismatches):
    found = solved(equation, symbols, values, known)
    assert dict(found.sizes) == sizes
    assert [str(one) for one in found.mismatches] == mismatches


def test_leading_axes(equation):
    found = solved(equation, {"X": "... n", "Y": "... n", "s": "..."}, {"X": z((2, 1, 3)), "Y": z((4, 3)), "s": 1.0})
    assert (found.batch, dict(found.sizes), found.mismatches) == ((2, 4), {"n": 3}, ())
    found = solved(equation, {"X": "... n", "Y": "... n"}, {"X": z((2, 3)), "Y": z((4, 3))})
    assert [str(one) for one in found.mismatches] == [
        "axis 0 of Y has length 4, declared is one that broadcasts with (2,)"
    ]


def test_shapes_of_values():
    assert shape_of(1.0) == shape_of(np.float64(2)) == shape_of("text") == ()
    assert shape_of([[1, 2], [3, 4]]) == (2, 2)
    assert shape_of([]) == (0,)


@pytest.mark.parametrize("text", ["H*dh", "T - 1", "(a + b)*c", "n**2", "floor(n/2)", "-(a + b)"])
def test_written(text):
    assert written(parse_term(text)[0]) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [("n - 1", 6), ("n // 2", 3), ("n/2", None), ("2**n", 128), ("9**9", 9**9), ("m", None), ("2**(n*n*n)", None),
     ("Max(n, 9)", 9), ("n % 4", 3), ("ceiling(n/2)", 4), ("n/0", None)],
)  # fmt: skip
def test_integers(text, value):
    assert integer(parse_term(text)[0], {"n": 7}) == value
