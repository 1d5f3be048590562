import math

import pytest
from halflife.decay import Nuclide, activity, age, daughter_population, decay_constant, surviving_fraction


def test_decay_constant():
    assert decay_constant(math.log(2)) == 1.0
    with pytest.raises(ValueError, match="a half-life is positive"):
        decay_constant(0.0)


def test_a_half_life_halves():
    assert surviving_fraction(3.0, half_life=1.5) == 0.25
    assert age(0.25, 1.5) == 3.0
    assert activity(8.0, 2.0, 2.0) == pytest.approx(4.0 * decay_constant(2.0))
    assert Nuclide(2.0).population(8.0, 4.0) == 2.0


def test_equal_constants_are_the_limit_of_unequal_ones():
    limit = daughter_population(1.0, 2.0, 2.0, 0.5)
    assert daughter_population(1.0, 2.0, 2.0 + 1e-7, 0.5) == pytest.approx(limit, rel=1e-6)
    assert daughter_population(1.0, 2.0, 3.0, 0.0) == 0.0


def test_mean_life():
    nuclide = Nuclide(2.0)
    assert nuclide.mean_life == pytest.approx(1 / nuclide.decay_constant)


def test_nuclide_from_its_decay_constant():
    assert Nuclide.from_decay_constant(math.log(2)).half_life == 1.0
    assert Nuclide.specific_activity(1.0, 1.0) == pytest.approx(math.log(2) * 6.02214076e23)
