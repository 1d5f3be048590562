"""Strings as whole numbers: one numbering for all values of an execution, lists and mappings as arrays."""

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from eqtrace.formula.evaluate import EvaluationError
from eqtrace.formula.form import Shape
from eqtrace.formula.term import Name
from eqtrace.run.numbering import numbered


def shape(*dims):
    return Shape(False, tuple(map(Name, dims)))


def test_equal_strings_have_equal_numbers_in_the_order_of_their_code_points():
    found = numbered(
        {"a": "b", "c": ["z", "b", "é"], "p": ("Z", "z")}, {"a": shape(), "c": shape("n"), "p": shape("m")}
    )
    assert found["a"] == 1
    assert_array_equal(found["c"], [2, 1, 3])
    assert_array_equal(found["p"], [0, 2])


def test_where_an_axis_is_left_a_string_is_a_row_of_characters():
    found = numbered({"t": "aba", "v": ["b", "ab", ""]}, {"t": shape("n"), "v": shape("v", "m")})
    assert_array_equal(found["t"], [0, 1, 0])
    assert_array_equal(found["v"], [[1, -1], [0, 1], [-1, -1]])


def test_rows_that_end_sooner_are_filled_up():
    found = numbered({"s": [["a"], ["a", "b", "c"], []]}, {"s": shape("w", "i")})
    assert_array_equal(found["s"], [[0, -1, -1], [0, 1, 2], [-1, -1, -1]])


def test_a_mapping_is_a_table_over_all_strings():
    shapes = {"n": shape("S"), "f": shape("S", "S"), "s": shape("S", "m"), "u": shape("S")}
    values = {"n": {"b": 3}, "f": Counter({("a", "b"): 2}), "s": {"b": ["c", "a"]}, "u": {"c": "a"}}
    found = numbered(values, shapes)
    assert_array_equal(found["n"], [0, 3, 0])
    assert_array_equal(found["f"], [[0, 2, 0], [0, 0, 0], [0, 0, 0]])
    assert_array_equal(found["s"], [[-1, -1], [2, 0], [-1, -1]])
    assert_array_equal(found["u"], [-1, -1, 0])


def test_nothing_is_an_array_too():
    found = numbered(
        {"c": [], "f": {}, "t": "", "n": {"a": 1}}, {"c": shape("n"), "f": shape("S", "S"), "t": shape("m")}
    )
    assert found["c"].shape == found["t"].shape == (0,)
    assert_array_equal(found["f"], [[0]])


def test_what_holds_no_string_stays():
    x, ids = np.arange(3.0), [3, 1]
    found = numbered({"x": x, "k": 2, "ids": ids, "w": np.array(["b", "a"])}, {"x": shape("n"), "ids": shape("m")})
    assert found["x"] is x
    assert found["k"] == 2
    assert_array_equal(found["ids"], ids)
    assert_array_equal(found["w"], [1, 0])


@pytest.mark.parametrize("value", [{1: "a"}, {("a", "b"): 1, "a": 2}, ["a", ["b"]], {("a", 1): 2}])
def test_what_cannot_be_numbered_is_refused(value):
    with pytest.raises(EvaluationError):
        numbered({"x": value}, {})
