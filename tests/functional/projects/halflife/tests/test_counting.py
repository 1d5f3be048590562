import math

import numpy as np
import pytest
from halflife.counting import (
    RunningMean,
    chi_square,
    count_rate,
    entropy,
    fill,
    interval,
    net_rate,
    sample_variance,
    smooth,
    spread,
    weighted_mean,
)


def test_count_rate():
    """Thirty counts in a minute."""
    assert count_rate(30.0, 60.0) == 0.5


def test_net_rate():
    rate, deviation = net_rate(100.0, 10.0, 36.0, 12.0)
    assert (rate, deviation) == (7.0, math.sqrt(1.25))


def test_fill_adds_where_a_channel_repeats():
    counts = np.zeros(3)
    fill(counts, np.array([0, 2, 0]), np.array([1.0, 2.0, 4.0]))
    assert counts.tolist() == [5.0, 0.0, 2.0]


def test_smooth_starts_at_the_first_value():
    assert list(smooth([2.0, 4.0], 0.5)) == [2.0, 3.0]


def test_interval_is_two_deviations_by_default():
    assert interval(10.0, 1.5) == (7.0, 13.0)


def test_spread():
    assert spread([1.0, 3.0], [2.0, 1.0], 2.0) == 3.0


def test_running_mean():
    mean = RunningMean()
    for value in (1.0, 2.0, 6.0):
        mean.add(value)
    assert mean.mean == 3.0


def test_weighted_mean_wants_a_weight_for_each_value():
    with pytest.raises(ValueError, match="2 values but 1 weights"):
        weighted_mean([1.0, 2.0], [1.0])


def test_averages():
    assert weighted_mean([1.0, 4.0], [2.0, 1.0]) == 2.0
    assert sample_variance([1.0, 3.0]) == 2.0
    assert chi_square([3.0, 5.0], [4.0, 4.0]) == 0.5
    assert entropy(np.array([0.5, 0.0, 0.5])) == math.log(2)
