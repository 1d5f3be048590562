import numpy as np

from lab import chain, ops, slopes, tickets


def test_all():
    assert ops.doubled(1.0) == 2.0
    assert ops.relu(-1.0) == 0.0
    assert ops.product(np.eye(2), np.ones(2)).tolist() == [1.0, 1.0]
    assert ops.rated(2.0) == 3.0
    assert ops.shifted(1.0) == 1.5
    assert chain.chain(np.eye(2), np.ones(2)) == 2.0
    assert chain.gain(None, None, 1.0) == 5.0


def test_slopes():
    assert slopes.weighed(2.0, 3.0) == 6.0
    assert slopes.weighed_back(2.0, 3.0, 1.0) == (3.0, 2.0)
    assert slopes.cubed(2.0) == 8.0
    assert slopes.cubed_back(2.0, 1.0) == 12.0


def test_tickets():
    assert tickets.first(np.array([1, 2])) == 1
