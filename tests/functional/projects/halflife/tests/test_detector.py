import numpy as np
import pytest
from halflife.detector import (
    Detector,
    Peak,
    binomial,
    calibrated,
    channel,
    dither,
    huber_loss,
    legendre,
    new_calibration,
    peak_width,
    phase,
    tallest,
    trapezoid,
)


def test_shapes():
    assert [trapezoid(t, 2.0, 1.0) for t in (-1.0, 1.0, 2.5, 4.0, 6.0)] == [0.0, 0.5, 1.0, 0.5, 0.0]
    assert channel(1.3, 0.0, 0.5) == 2
    assert phase(7.0, 3.0) == 1.0
    assert calibrated([1.0, 2.0, 3.0], 2.0) == 17.0
    assert (legendre(3, 2.0), binomial(5, 2)) == (17.0, 10)
    assert huber_loss(np.array([1.0, -4.0]), 2.0).tolist() == [0.5, 6.0]


def test_true_rate():
    assert Detector(0.25).true_rate(2.0) == 4.0


def test_a_rate_beyond_the_dead_time_is_refused():
    with pytest.raises(ValueError, match="more than one event"):
        Detector(0.5).true_rate(2.0)


def test_tallest():
    broad, narrow = Peak(6.0, 3.0), Peak(4.0, 1.0)
    assert tallest([broad, narrow]) is narrow


def test_dither_stays_within_half_a_step():
    noise = dither(1000, 0.25, np.random.default_rng(3))
    assert abs(noise).max() <= 0.125


def test_new_calibration():
    table = new_calibration(2, 3)
    assert table["detector1.gain"].tolist() == [1.0, 1.0, 1.0]


def test_the_other_rates():
    assert Detector.paralysable_rate(0.0, 1.0) == 0.0
    assert Detector(0.0, efficiency=0.5).detected(8.0) == 4.0
    assert peak_width(1.0, 9.0, 4.0) == pytest.approx(5 * 2.3548200450309493)
