"""The float64 rule and the difference of balls, entry by entry."""

import math

import numpy as np
import pytest
from flint import arb

from eqtrace.formula.ball import precision
from eqtrace.model.equation import Tolerance
from eqtrace.run.methods.compare import Comparison, Outcome, as_ball, float_comparison, grid_outcome, is_narrow, outcome

ZERO = arb(0)
TINY = 5e-324


def compare(code, exact, *radii, mask=None, tolerance=None, left=0.0) -> Comparison:
    """The rule where the form's ball has the first radius; with several there was a kink."""
    rounded = [(arb(float(code), left) if np.ndim(code) == 0 else code, arb(exact, radius)) for radius in radii]
    return float_comparison(code, arb(exact), rounded, mask, tolerance)


@pytest.mark.parametrize(
    ("error", "passes"), [(0.0, True), (7e-10, True), (-7e-10, True), (9e-10, False), (-9e-10, False), (1.0, False)]
)
def test_eight_radii_are_the_limit(error, passes):
    found = compare(1.0 + error, 1.0, 1e-10)
    assert (found.mismatch is None) == passes
    assert found.entries == 1


def test_the_radius_grows_where_terms_cancel_and_nowhere_else():
    assert compare(1e-3, 1.2e-3, 1e-4).mismatch is None
    assert compare(1e-3, 1.2e-3, 1e-16).mismatch is not None


def test_a_value_without_radius_is_rounded_all_the_same():
    assert compare(1.0 + 2**-52, 1.0, 0.0).mismatch is None
    assert compare(1.0 + 2**-48, 1.0, 0.0).mismatch is not None
    assert compare(0.0, 0.0, 0.0).mismatch is None
    assert compare(1e-300, 0.0, 0.0).mismatch is not None


@pytest.mark.parametrize("number", [7, -3, 0, 2**60 + 1, True, np.int64(5), np.uint8(200)])
def test_integers_compare_exactly(number):
    value = int(number)
    assert float_comparison(number, value, [(value, value)], None, None).mismatch is None
    assert float_comparison(number, value + 1, [(value, value + 1)], None, None).mismatch is not None


def test_integers_beyond_a_floats_digits():
    large = 2**70 + 1
    assert float_comparison(large, large, [(large, large)], None, None).mismatch is None
    found = float_comparison(large - 1, large, [(large, large)], None, None)
    assert found.mismatch is not None


def test_infinities():
    infinity = float("inf")
    assert compare(infinity, infinity, 0.0).mismatch is None
    assert compare(-infinity, infinity, 0.0).mismatch is not None
    assert compare(1e308, infinity, 0.0).mismatch is not None
    assert compare(infinity, 1.0, 1e-16).mismatch is not None


def test_an_overflow_is_right_where_the_value_is_past_the_largest_float():
    with precision(200):
        past = arb(10) ** 400
        assert float_comparison(math.inf, past, [(past, past)], None, None).mismatch is None
        assert float_comparison(-math.inf, past, [(past, past)], None, None).mismatch is not None
        assert float_comparison(math.inf, arb(10) ** 300, [(past, past)], None, None).mismatch is not None


def test_subnormals_and_underflow():
    with precision(200):
        small = arb(10) ** -400
        assert float_comparison(0.0, small, [(ZERO, small)], None, None).mismatch is None
        assert float_comparison(TINY, small, [(ZERO, small)], None, None).mismatch is None
        assert float_comparison(1e-300, small, [(ZERO, small)], None, None).mismatch is not None
    assert compare(3 * TINY, 2 * TINY, 0.0).mismatch is None


def test_what_lost_digits_below_the_normal_numbers_is_not_decided():
    found = compare(1.66340e-318, 1.663504e-318, 1e-334)
    assert (found.mismatch, found.undecided) == (None, 1)
    assert compare(1.663504e-318, 1.663504e-318, 1e-334).undecided == 0
    assert compare(1.663e-307, 1.664e-307, 1e-323).mismatch is not None
    assert compare(3e-308, 1e-318, 1e-334).mismatch is not None


def test_nan_never_passes_for_a_number():
    assert compare(math.nan, 1.0, 1.0).mismatch is not None
    assert compare(math.nan, math.inf, 1.0).mismatch is not None
    both = compare(math.nan, math.nan, 1.0)
    assert (both.mismatch, both.undecided) == (None, 1)
    only_form = compare(1.0, math.nan, 1.0)
    assert (only_form.mismatch, only_form.undecided) == (None, 1)


def test_a_ball_that_is_not_bounded_decides_nothing():
    wide = arb(1, "inf")
    found = float_comparison(5.0, arb(1), [(arb(5), wide)], None, None)
    assert (found.mismatch, found.undecided, found.entries) == (None, 1, 1)


def test_at_a_kink_either_branch_is_right_and_nothing_else():
    branches = [(ZERO, arb(0)), (ZERO, arb(1, 1e-16))]
    for value, passes in ((0.0, True), (1.0, True), (0.5, False)):
        found = float_comparison(value, arb(0), branches, None, None)
        assert (found.mismatch is None) == passes


def test_a_declared_tolerance():
    wide = Tolerance(1e-3, 0.0, "reason")
    relative = Tolerance(0.0, 1e-3, "reason")
    assert compare(1000.0005, 1000.0, 0.0, tolerance=wide).mismatch is None
    assert compare(1000.1, 1000.0, 0.0, tolerance=wide).mismatch is not None
    assert compare(1000.9, 1000.0, 0.0, tolerance=relative).mismatch is None
    assert compare(math.nan, 1000.0, 0.0, tolerance=relative).mismatch is not None


def test_strings():
    assert float_comparison("a", "a", [("a", "a")], None, None).mismatch is None
    found = float_comparison(np.array(["a", "b"]), np.array(["a", "c"]), [("x", "x")], None, None)
    assert found.mismatch is not None
    assert found.mismatch.index == (1,)


def test_a_sum_on_the_left_brings_its_own_radius():
    assert compare(1.0 + 1e-12, 1.0, 0.0).mismatch is not None
    assert compare(1.0 + 1e-12, 1.0, 0.0, left=1e-12).mismatch is None


def test_the_worst_entry_and_the_mask():
    code, exact = np.array([1.0, 2.1, 3.5]), np.array([1.0, 2.0, 3.0])
    found = float_comparison(code, exact, [(code, exact)], None, None)
    assert found.mismatch is not None
    assert (found.mismatch.index, found.mismatch.code, found.mismatch.form) == ((2,), 3.5, 3.0)
    hidden = float_comparison(code, exact, [(code, exact)], np.array([True, False, False]), None)
    assert (hidden.mismatch, hidden.entries) == (None, 1)
    assert float_comparison(code, exact, [(code, exact)], np.zeros(3, bool), None).entries == 0


# --- balls ------------------------------------------------------------------------------------------------------------


def test_outcomes():
    with precision(200):
        third = arb(1) / 3
        assert outcome(third, third) is Outcome.EQUAL
        assert outcome(third, third + arb("1e-40")) is Outcome.DIFFERENT
        assert outcome(third, arb(third.mid(), 1e-20)) is Outcome.WIDE
        assert outcome(arb.nan(), third) is Outcome.OPEN
        assert outcome(arb.pos_inf(), arb.pos_inf()) is Outcome.EQUAL
        assert outcome(arb.pos_inf(), arb.neg_inf()) is Outcome.DIFFERENT
        assert outcome(arb.pos_inf(), third) is Outcome.DIFFERENT
        assert outcome(arb(0, "inf"), third) is Outcome.OPEN
        assert outcome("a", "a") is Outcome.EQUAL
        assert outcome("a", "b") is Outcome.DIFFERENT
        assert outcome("a", third) is Outcome.DIFFERENT


def test_a_nan_contains_no_zero():
    assert outcome(arb.nan(), arb.nan()) is Outcome.OPEN
    assert grid_outcome(np.array([1.0, math.nan]), np.array([1.0, math.nan]), None) is Outcome.OPEN


def test_exactly_is_asked_of_integers_alone():
    with precision(200):
        near = arb(5, "1e-50")
        assert outcome(5, near, exactly=True) is Outcome.EQUAL
        assert outcome(5, 5, exactly=True) is Outcome.EQUAL
        assert outcome(5, 6, exactly=True) is Outcome.DIFFERENT
        assert outcome(near, 5, exactly=True) is Outcome.WIDE


def test_the_bound_is_relative_to_large_values_and_absolute_to_small_ones():
    with precision(300):
        large = arb(10) ** 20
        assert outcome(large, arb(large, "1e-11")) is Outcome.EQUAL
        assert outcome(large, arb(large, "1e-9")) is Outcome.WIDE
        assert outcome(0, arb(0, "0.9e-30")) is Outcome.EQUAL
        assert outcome(0, arb(0, "1.1e-30")) is Outcome.WIDE


def test_the_worst_of_a_grid():
    assert grid_outcome([1.0, 2.0], [1.0, 3.0], None) is Outcome.DIFFERENT
    assert grid_outcome([1.0, 2.0], [1.0, 3.0], np.array([True, False])) is Outcome.EQUAL
    assert is_narrow([1.0, math.inf], [5.0, math.inf], None)
    assert not is_narrow([arb(1, 0.1)], [1.0], None)
    assert not is_narrow([math.nan], [1.0], None)


@pytest.mark.parametrize("value", [None, "text", object(), 1j, [1.0]])
def test_what_is_no_number_equals_nothing(value):
    assert as_ball(value).is_nan()
