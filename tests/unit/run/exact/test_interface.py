"""What stands for the functions with which packages look at arrays, and when it refuses."""

import numpy as np
import pytest

from eqtrace.formula.ball import Ball, BallError, lift, precision
from eqtrace.run.exact.proxies import ARRAYS, INTERFACE, NUMPY

BALLS = lift(np.array([[0.5, 1.5], [2.5, 0.1]]))


def test_arrays_are_given_on_as_they_are():
    with precision(100):
        for name in ("array_namespace", "_asarray", "xp_promote"):
            assert ("scipy", name) in INTERFACE
        assert INTERFACE["scipy", "array_namespace"](BALLS) is ARRAYS
        assert INTERFACE["scipy", "_asarray"](BALLS, check_finite=True) is BALLS
        assert INTERFACE["scipy", "is_numpy"](ARRAYS)
        assert not INTERFACE["scipy", "is_numpy"](np)
        assert INTERFACE["sklearn", "check_array"](BALLS, dtype="numeric") is BALLS
        assert INTERFACE["sklearn", "check_array"](BALLS, copy=True) is not BALLS
        assert INTERFACE["sklearn", "move_to"](BALLS, xp=ARRAYS, device=None) is BALLS
        assert INTERFACE["sklearn", "move_to"](BALLS, None, xp=ARRAYS, device=None) == (BALLS, None)
        assert INTERFACE["sklearn", "check_pairwise_arrays"](BALLS, None) == (BALLS, BALLS)
        with pytest.raises(ValueError, match="2D"):
            INTERFACE["sklearn", "check_array"](BALLS[0])


def test_arrays_of_whole_numbers_become_balls_where_floats_are_asked_for():
    with precision(100):
        (first, second) = INTERFACE["scipy", "xp_promote"](np.array([1, 2]), BALLS, force_floating=True, xp=None)
        assert isinstance(first[0], Ball)
        assert (second == BALLS).all()


def test_averages():
    with precision(100):
        mean = INTERFACE["sklearn", "_average"]
        assert mean(BALLS, axis=0)[0] == 1.5
        assert mean(BALLS[0], weights=BALLS[0], normalize=False) == 2.5
        assert mean(BALLS[0], normalize=False) == 2


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0.5, 1.5], "continuous"),
        ([1.0, 2.0], "binary"),
        ([1.0, 2.0, 3.0], "multiclass"),
        ([[0.5, 1.5]], "continuous-multioutput"),
        ([[1.0, 2.0]], "multilabel-indicator"),
        ([[1.0, 2.0, 3.0]], "multiclass-multioutput"),
    ],
)
def test_kinds_of_targets_are_those_of_floats(values, kind):
    with precision(100):
        kinds = INTERFACE["sklearn", "type_of_target"]
        assert kinds(lift(np.array(values))) == kind
        multiclass = pytest.importorskip("sklearn.utils.multiclass")
        assert multiclass.type_of_target(np.array(values)) == kind


def test_values_without_order_are_those_of_the_interface():
    assert ARRAYS.unique_values(np.array([2, 1, 2])).tolist() == [1, 2]
    assert ARRAYS.exp is not None
    with pytest.raises(AttributeError):
        NUMPY.nothing_of_this_name


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cityblock"])
def test_distances_are_those_of_scipy(metric):
    distance = pytest.importorskip("scipy.spatial.distance")
    points, others = np.array([[0.5, 1.5], [2.5, 0.1], [1.0, 1.0]]), np.array([[0.25, 2.0]])
    with precision(100):
        for name, given in (("cdist", (points, others)), ("pdist", (points,))):
            found = INTERFACE["scipy", name](*map(lift, given), metric=metric)
            wanted = getattr(distance, name)(*given, metric=metric)
            assert found.shape == wanted.shape
            assert np.allclose([each.midpoint for each in found.flat], wanted.ravel(), rtol=1e-14)
        pairs = INTERFACE["scipy", "pdist"](lift(points), metric)
        square = INTERFACE["scipy", "squareform"](pairs)
        assert [each.midpoint for each in square.flat] == distance.squareform(
            [each.midpoint for each in pairs]
        ).ravel().tolist()
        assert all(a is b for a, b in zip(INTERFACE["scipy", "squareform"](square), pairs, strict=True))


def test_other_distances_are_not_known():
    with precision(100), pytest.raises(BallError, match="chebyshev"):
        INTERFACE["scipy", "cdist"](BALLS, BALLS, "chebyshev")
    with precision(100), pytest.raises(BallError):
        INTERFACE["scipy", "cdist"](BALLS, BALLS, "euclidean", w=[1, 2])
