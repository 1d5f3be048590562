"""How close two balls must be to count as equal."""

from __future__ import annotations

from flint import arb

RADIUS = arb("1e-30")  # relative to max(1, abs(value))


def bound(value: arb) -> arb:
    """The largest radius that the difference of a ball to `value` may have."""
    size = abs(value).upper()
    return RADIUS * (size if size > 1 else 1)
