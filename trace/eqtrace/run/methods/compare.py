"""Holds what code computed against what a form says: the float64 rule, and the difference of balls.

The float64 rule: `abs(code - exact)` is at most eight times the radius of the form evaluated in 53-bit balls on inputs
widened by half an ulp (and of half an ulp at least: a result is rounded where that radius is 0 too). A fixed number of
ulps would refute correct code where terms cancel and pass wrong code where they don't; the radius grows and shrinks
with the formula's own conditioning. Ulps are reported, never the rule.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from flint import arb

from eqtrace.formula.ball import as_arb
from eqtrace.model.equation import Tolerance
from eqtrace.run.exact.radius import bound

FACTOR = 8
_SURELY = 6.9  # below seven, for the middles and radii are rounded to floats here
_HUGE, _SMALL = 1e300, 1e-290  # past these the rule looks at overflow, and at numbers that lose digits
_MIDDLE = np.frompyfunc(lambda ball: float(ball.mid()), 1, 1)
_RADIUS = np.frompyfunc(lambda ball: float(ball.rad()), 1, 1)
_LARGEST = arb(float(np.finfo(float).max))
_NORMAL = float(np.finfo(float).tiny)  # below it floats have fewer than 53 bits
_SMALLEST = arb(float(np.finfo(float).smallest_subnormal))

Index = tuple[int, ...]


class Outcome(Enum):
    """What a comparison of balls shows."""

    EQUAL = "equal"
    DIFFERENT = "different"
    WIDE = "wide"  # contains zero, but too wide to say equal
    OPEN = "open"  # not finite: nothing can be said


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of both sides, and how far apart they are."""

    index: Index
    code: float
    form: float
    ulps: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The float64 comparison of one execution."""

    furthest: Entry | None = None  # of the entries that pass off every kink, the one with the largest error
    mismatch: Entry | None = None  # the worst of those that don't pass
    undecided: int = 0
    entries: int = 0
    apart: float = 0.0  # about how many ulps, by the middles of 53-bit balls; 0 where those don't tell

    @property
    def worst_ulp(self) -> float:
        """The largest error of what passes, in ulps."""
        return 0.0 if self.furthest is None else self.furthest.ulps


def as_ball(value: Any) -> arb:
    """A number of any kind as a raw ball, exactly; what is no number is NaN, which nothing equals."""
    number = as_arb(value)
    return arb.nan() if number is None else number


def same_infinity(left: arb, right: arb) -> bool:
    """Whether both are the same exact infinity."""
    return any(left == infinity and right == infinity for infinity in (arb.pos_inf(), arb.neg_inf()))


def outcome(left: Any, right: Any, exactly: bool = False) -> Outcome:
    """What the difference of two balls shows; `exactly` wants radius 0 (integers, strings, indexing)."""
    if isinstance(left, str) or isinstance(right, str):
        return Outcome.EQUAL if left == right else Outcome.DIFFERENT
    a, b = as_ball(left), as_ball(right)
    exactly = exactly and _is_whole(right)
    if not (a.is_finite() and b.is_finite()):
        if same_infinity(a, b):
            return Outcome.EQUAL
        one_finite = (a.is_finite() and not a.is_nan() and _is_infinite(b)) or (b.is_finite() and _is_infinite(a))
        return Outcome.DIFFERENT if one_finite or (_is_infinite(a) and _is_infinite(b)) else Outcome.OPEN
    difference = a - b
    if not difference.contains(0):
        return Outcome.DIFFERENT
    return Outcome.EQUAL if difference.rad() <= (arb(0) if exactly else bound(b)) else Outcome.WIDE


def _is_whole(value: Any) -> bool:
    """Whether a value was worked out among integers; in real arithmetic an integer is a float or a small ball."""
    return isinstance(value, int | np.integer | np.bool_)


def is_narrow(left: Any, right: Any, mask: Any) -> bool:
    """Whether the differences of two arrays are known as closely as equality asks for, whatever they are."""
    return all(
        same_infinity(a, b) or ((a - b).is_finite() and (a - b).rad() <= bound(b))
        for a, b in ((as_ball(x), as_ball(y)) for _, x, y in _entries(mask, left, right))
    )


def _is_infinite(ball: arb) -> bool:
    return bool(ball == arb.pos_inf() or ball == arb.neg_inf())


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """The outcome of a whole array."""
    order = (Outcome.EQUAL, Outcome.WIDE, Outcome.OPEN, Outcome.DIFFERENT)
    return max(outcomes, key=order.index, default=Outcome.EQUAL)


def grid_outcome(left: Any, right: Any, mask: Any, exactly: bool = False) -> Outcome:
    """The outcome over two arrays on one grid, where `mask` (None: everywhere) says that entries mean anything."""
    return worst(outcome(x, y, exactly) for _, x, y in _entries(mask, left, right))


def grid_differences(left: Any, right: Any, mask: Any) -> list[arb]:
    """The differences of two arrays on one grid, where entries mean anything."""
    return [as_ball(x) - as_ball(y) for _, x, y in _entries(mask, left, right)]


def _entries(mask: Any, *arrays: Any) -> Iterator[tuple[Any, ...]]:
    """Indices and the entries of several arrays on one grid."""
    spread = np.broadcast_arrays(*(np.asarray(each, dtype=object) for each in arrays))
    for index in np.ndindex(spread[0].shape):
        if mask is None or mask[index]:
            yield (index, *(each[index] for each in spread))


def float_comparison(
    code: Any, exact: Any, rounded: Sequence[tuple[Any, Any]], mask: Any, tolerance: Tolerance | None
) -> Comparison:
    """The float64 rule over one execution.

    Args:
        code: the captured values.
        exact: the form's values at high precision.
        rounded: both sides in 53-bit balls on widened inputs; at a kink for each branch, and either's value is right.
            The left one has a radius only where it is more than a captured value (a sum of them, say).
        mask: where entries mean anything; None is everywhere.
        tolerance: a declared bound that is accepted as well.
    """
    undecided, entries = 0, 0
    furthest: Entry | None = None
    mismatch: Entry | None = None
    kinks = len(rounded) > 1
    flat = [side for sides in rounded for side in sides]
    for index, got, want, *balls in _entries(mask, code, exact, *flat):
        entries += 1
        branching = False
        if isinstance(got, str) or isinstance(want, str):
            passes, ulps = got == want, 0.0 if got == want else math.inf
        else:
            pairs = [(as_ball(left), as_ball(right)) for left, right in zip(balls[::2], balls[1::2], strict=True)]
            passes, ulps = _entry(got, as_ball(want), pairs, kinks, tolerance)
            branching = kinks and not _agree(pairs, as_ball(want))
        if passes is None:
            undecided += 1
        elif not passes and (mismatch is None or not ulps <= mismatch.ulps):
            mismatch = Entry(index, nearest(as_ball(got)), nearest(as_ball(want)), ulps)
        elif passes and (0.0 if furthest is None else furthest.ulps) < ulps < math.inf and not branching:
            furthest = Entry(index, nearest(as_ball(got)), nearest(as_ball(want)), ulps)
    return Comparison(furthest, mismatch, undecided, entries)


def _agree(balls: list[tuple[arb, arb]], want: arb) -> bool:
    """Whether an entry is the same whichever way the kinks of its array are taken, and its exact value is known."""
    (_, first), *others = balls
    same = all(bool(first.mid() == ball.mid() and first.rad() == ball.rad()) for _, ball in others)
    return same and bool(first.is_exact() or want.rad() < first.rad())


def clearly_close(left: Any, right: Any, mask: Any) -> float | None:
    """Whether two sides in 53-bit balls pass the float64 rule wherever their exact values lie in them.

    Those lie within a radius of the middles, so a distance of middles of less than seven radii is one of less than
    eight from the exact value. It is far quicker than the rule, and leaves what it can't tell to it.

    Returns:
        About how many ulps the middles are apart where they are furthest; None if the rule has to be asked.
    """
    if mask is not None:
        left, right = np.asarray(left)[mask], np.asarray(right)[mask]
    kinds = left.dtype.kind + right.dtype.kind
    if kinds in ("ii", "UU"):
        return 0.0 if bool((left == right).all()) else None
    if kinds != "OO":
        return None
    try:
        middles = np.asarray([_MIDDLE(side) for side in (left, right)], dtype=np.float64)
        radii = np.asarray([_RADIUS(side) for side in (left, right)], dtype=np.float64)
    except (AttributeError, TypeError):
        return None  # strings, or integers among balls
    apart = np.abs(middles[0] - middles[1])
    size = np.abs(middles).max(axis=0)
    # A quarter of an ulp, and not half: the exact value may lie where ulps are half as long.
    close = apart <= _SURELY * (radii.sum(axis=0) + np.spacing(np.abs(middles[1])) / 4)
    with np.errstate(invalid="ignore"):
        ordinary = (size < _HUGE) & ((np.abs(middles[1]) > _SMALL) | (apart == 0)) & np.isfinite(radii).all(axis=0)
    if not bool((close & ordinary).all()):
        return None
    return float((apart / np.spacing(np.maximum(size, _SMALL))).max(initial=0.0))


def _entry(
    value: Any, want: arb, balls: list[tuple[arb, arb]], kinks: bool, tolerance: Tolerance | None
) -> tuple[bool | None, float]:
    """Whether one entry passes (None: can't be decided), and its error in ulps."""
    got = as_ball(value)
    code = nearest(got)
    if math.isnan(code):
        return (None if want.is_nan() else False), math.inf
    if not want.is_finite():
        if not _is_infinite(want):
            return None, 0.0
        same = same_infinity(arb(code), want)
        return same, 0.0 if same else math.inf
    if math.isinf(code):
        overflow = abs(want) > _LARGEST and (want > 0) == (code > 0)
        return bool(overflow), math.inf
    error = abs(got - want)
    # Of the larger of the two: an ulp of a result that cancelled to 0 would say nothing.
    size = max(abs(code), abs(nearest(want)), _NORMAL)
    ulps = float((error / arb(math.ulp(size))).mid())
    if tolerance is not None and error <= arb(tolerance.atol) + arb(tolerance.rtol) * abs(want):
        return True, ulps
    finite = [(left, ball) for left, ball in balls if ball.is_finite() and left.is_finite()]
    if not finite:
        return None, ulps
    # What integers, zeros and halves alone give has no radius, and a float that comes near it was rounded all the same.
    least = _SMALLEST if _is_whole(value) else arb(math.ulp(nearest(want))) / 2
    for left, ball in finite:
        centre = ball.mid() if kinks else want
        if abs(got - centre) <= FACTOR * (left.rad() + ball.rad() + least):
            return True, ulps
    if abs(code) < _NORMAL and abs(want) < _NORMAL:
        return None, ulps  # what led here lost digits that no ball of 53 bits knows of
    return False, ulps


def nearest(ball: arb) -> float:
    """The float nearest to a ball's centre."""
    return float(ball.mid()) if ball.is_finite() else float(ball)
