import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from impl.data import iterate_batches, make_windows, split_ids


def test_split_ids_cuts_at_the_floor():
    train, validation = split_ids(np.arange(11), 0.25)
    assert_array_equal(train, [0, 1, 2, 3, 4, 5, 6, 7])
    assert_array_equal(validation, [8, 9, 10])


def test_split_ids_of_nothing():
    train, validation = split_ids(np.array([], dtype=int), 0.1)
    assert len(train) == len(validation) == 0


def test_make_windows_by_hand():
    x, y = make_windows(np.array([10, 11, 12, 13, 14, 15, 16, 17]), 3, 2)
    assert_array_equal(x, [[10, 11, 12], [12, 13, 14], [14, 15, 16]])
    assert_array_equal(y, [[11, 12, 13], [13, 14, 15], [15, 16, 17]])


def test_make_windows_targets_are_the_inputs_moved_on(rng):
    x, y = make_windows(rng.integers(0, 50, 40), 6, 5)
    assert_array_equal(y[:, :-1], x[:, 1:])


@pytest.mark.parametrize("N", range(12))
@pytest.mark.parametrize("T", [1, 3])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_make_windows_starts_and_count(N, T, k):
    starts = []
    s = 0
    while s < N - T:
        starts.append(s)
        s += k
    x, y = make_windows(np.arange(N), T, k)
    assert x.shape == y.shape == (len(starts), T)
    assert x[:, 0].tolist() == starts
    if N > T:
        assert len(starts) == math.ceil((N - T) / k)


@pytest.mark.parametrize(("T", "k"), [(0, 1), (3, 0), (3, -1)])
def test_make_windows_refuses_no_length_and_no_stride(T, k):
    with pytest.raises(ValueError, match="at least 1"):
        make_windows(np.arange(10), T, k)


def test_iterate_batches_yields_every_window_once_and_a_short_last_batch(rng):
    x = np.arange(14).reshape(7, 2)
    batches = list(iterate_batches(x, x + 100, 3, rng))
    assert [len(xb) for xb, _ in batches] == [3, 3, 1]
    assert all(np.array_equal(yb, xb + 100) for xb, yb in batches)
    seen = np.concatenate([xb for xb, _ in batches])
    assert_array_equal(seen[np.argsort(seen[:, 0])], x)


def test_iterate_batches_shuffles_anew_each_time():
    x = np.arange(40).reshape(20, 2)
    rng = np.random.default_rng(0)
    first, second = (np.concatenate([xb for xb, _ in iterate_batches(x, x, 6, rng)]) for _ in range(2))
    again = np.concatenate([xb for xb, _ in iterate_batches(x, x, 6, np.random.default_rng(0))])
    assert not np.array_equal(first, second)
    assert_array_equal(first, again)


def test_iterate_batches_of_nothing(rng):
    assert list(iterate_batches(np.zeros((0, 4), dtype=int), np.zeros((0, 4), dtype=int), 3, rng)) == []
