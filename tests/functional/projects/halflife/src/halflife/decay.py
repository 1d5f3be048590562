"""Radioactive decay: rates, populations and chains of two."""

import math

LN2 = math.log(2.0)


def decay_constant(half_life: float) -> float:
    """The probability of decay in a unit of time."""
    if half_life <= 0:
        raise ValueError(f"a half-life is positive, not {half_life}")
    return LN2 / half_life


def activity(n0: float, half_life: float, t: float) -> float:
    """Decays in a unit of time, at time t after a sample held n0 nuclei."""
    rate = decay_constant(half_life)
    exponent = -rate * t
    remaining = n0 * math.exp(exponent)
    return rate * remaining


def surviving_fraction(t: float, *, half_life: float = 1.0) -> float:
    """The fraction of nuclei that are left after t."""
    return 0.5 ** (t / half_life)


def age(ratio: float, /, half_life: float) -> float:
    """The age of a sample from the ratio of its activity to that of a fresh one."""
    halvings = -math.log2(ratio)
    return halvings * half_life


def daughter_population(n0: float, k1: float, k2: float, t: float) -> float:
    """Daughter nuclei at time t from n0 parents (Bateman, 1910, for a chain of two)."""
    if k1 == k2:
        return k1 * n0 * t * math.exp(-k1 * t)
    gain = n0 * k1 / (k2 - k1)
    return gain * (math.exp(-k1 * t) - math.exp(-k2 * t))


class Nuclide:
    """A nuclide, known by its half-life."""

    def __init__(self, half_life: float) -> None:
        if half_life <= 0:
            raise ValueError(f"a half-life is positive, not {half_life}")
        self.half_life = half_life
        self.mean_life = half_life / LN2

    @classmethod
    def from_decay_constant(cls, rate: float) -> "Nuclide":
        """A nuclide by its decay constant."""
        return cls(LN2 / rate)

    @property
    def decay_constant(self) -> float:
        """The probability of decay in a unit of time."""
        return 1.0 / self.mean_life

    def population(self, n0: float, t: float) -> float:
        """Nuclei that are left of n0 after t."""
        halvings = t / self.half_life
        return n0 * 2.0**-halvings

    @staticmethod
    def specific_activity(half_life: float, molar_mass: float) -> float:
        """Decays of one gram in a unit of time."""
        atoms = 6.02214076e23 / molar_mass
        return LN2 / half_life * atoms
