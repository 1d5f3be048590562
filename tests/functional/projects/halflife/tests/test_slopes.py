import numpy as np
from halflife.slopes import chi_square_slope


def test_chi_square_is_least_where_counts_are_as_expected():
    assert chi_square_slope(np.array([4.0, 9.0]), np.array([4.0, 3.0])).tolist() == [0.0, -8.0]
