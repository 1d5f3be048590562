"""The adjoint identity <dY, J dx> = <J^T dY, dx>, in dual balls.

J dx is the tangent of the code's own forward; J^T dY is what the code's own backward gives. Both sides are linear in
the cotangent dY and in the tangent dx, so where J^T is wrong anywhere, random ones of 64 bits tell with all but a
probability below 2^-62. Each entry of `wrt` is a direction of its own: one forward run serves them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from eqtrace.formula.ball import Undecided, no_floats, precision
from eqtrace.run.exact.dual import Kink, beside
from eqtrace.run.exact.shadow import Constants, Shadows
from eqtrace.run.exact.taps import Taps
from eqtrace.run.gradient.plan import Plan
from eqtrace.run.gradient.products import ExactRun, Outcome, Products, Random, outcome
from eqtrace.run.sample import Draw
from eqtrace.run.statement import CannotRun, reason

BITS = (128, 256, 512, 1024)
_FAR = 1e-6


class Shown(Enum):
    """What one point shows of one entry, best first."""

    CERTIFIED = "certified"
    TO_CONSTANTS = "certified to constants"
    KINK = "kink"  # the identity depends on the side that a case is taken from
    SINGULAR = "singular"  # a derivative is not finite here
    OFF_CONSTANT = "a constant"  # a constant differs by more than half an ulp, and no more than four
    WIDE = "wide"
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True)
class Point:
    """What one draw shows, by entry."""

    draw: Draw
    shown: Mapping[str, Shown]
    products: Mapping[str, Products]


class Identity:
    """Runs one gradient in balls.

    Args:
        plan: the gradient.
        twins: exact twins of the user's code, for each way to take constants.
        taps: the taps in those twins.
    """

    def __init__(self, plan: Plan, twins: Mapping[Constants, Shadows], taps: Taps) -> None:
        self._plan = plan
        self._twins = twins
        self._taps = taps

    def at(self, draw: Draw, rng: np.random.Generator) -> Point:
        """Holds the two sides against each other at one draw of the inputs.

        Raises:
            CannotRun: forward or backward does not run in balls.
        """
        random = Random(rng)
        try:
            products = self._exactly(draw, random, Constants.HALF_ULP)
        except Undecided:
            return self._beside(draw, random)
        shown = {name: _SHOWN.get(each.outcome) for name, each in products.items()}
        if None in shown.values():
            shown |= self._by_constants(draw, random, products)
        return Point(draw, {name: each or Shown.WIDE for name, each in shown.items()}, products)

    def glance(self, draw: Draw, rng: np.random.Generator) -> Point:
        """The same, for a refutation alone: sides that are so far apart that no rounding of a constant explains it.

        Raises:
            CannotRun: forward or backward does not run in balls.
        """
        try:
            products = self._exactly(draw, Random(rng), Constants.HALF_ULP)
        except Undecided:
            return Point(draw, {entry.name: Shown.KINK for entry in self._plan.entries}, {})
        shown = {name: Shown.REFUTED if _is_far(each) else Shown.WIDE for name, each in products.items()}
        return Point(draw, shown, products)

    def _beside(self, draw: Draw, random: Random) -> Point:
        """At a kink: what both sides of it show, where J dx is the same on both or the identity holds on both."""
        sides: list[Mapping[str, Products]] = []
        for side in (1, -1):
            try:
                with beside(side):
                    sides.append(self._exactly(draw, random, Constants.HALF_ULP))
            except Undecided:
                sides.append({})
        shown = {}
        for entry in self._plan.entries:
            found = [side[entry.name] for side in sides if entry.name in side]
            shown[entry.name] = _both(*found) if len(found) == len(sides) else Shown.KINK
        return Point(draw, shown, sides[0])

    def _by_constants(self, draw: Draw, random: Random, products: Mapping[str, Products]) -> dict[str, Shown | None]:
        """Whether the module's constants are all that keeps the sides apart or their difference wide."""
        found: dict[str, Shown | None] = {}
        fixed = self._exactly(draw, random, Constants.EXACT)
        rounded = self._exactly(draw, random, Constants.LITERALS, BITS[:1])
        near = self._exactly(draw, random, Constants.WIDE, BITS[:1])
        for name, each in products.items():
            within = each.outcome is Outcome.WIDE or rounded[name].outcome is Outcome.WIDE
            if each.problem:
                found[name] = Shown.REFUTED
            elif within and _is_narrow(fixed[name]):
                found[name] = Shown.TO_CONSTANTS
            elif each.outcome is Outcome.DIFFERENT:
                apart = near[name].outcome is Outcome.DIFFERENT
                found[name] = Shown.REFUTED if apart else Shown.OFF_CONSTANT
        return found

    def _exactly(
        self, draw: Draw, random: Random, constants: Constants, widths: tuple[int, ...] = BITS
    ) -> Mapping[str, Products]:
        """Both sides by entry, at the first precision at which none is too wide.

        Raises:
            Undecided: a comparison, at the highest precision that is worth a try.
        """
        for bits in widths:
            try:
                with precision(bits), np.errstate(all="ignore"), no_floats():
                    products = ExactRun(self._plan, self._twins[constants], self._taps, random).products(draw)
            except Kink:
                raise
            except Undecided:
                if bits == widths[-1]:
                    raise
                continue
            except CannotRun:
                raise
            except BaseException as error:
                raise CannotRun(reason(error)) from error
            if all(each.outcome is not Outcome.WIDE for each in products.values()):
                break
        return products


def _both(one: Products, other: Products) -> Shown:
    """What the two sides of a kink show together."""
    if one.outcome is other.outcome is Outcome.EQUAL:
        return Shown.CERTIFIED
    untouched = not one.problem and outcome(one.left, other.left) is Outcome.EQUAL
    return Shown.REFUTED if untouched and one.outcome is other.outcome is Outcome.DIFFERENT else Shown.KINK


def _is_far(products: Products) -> bool:
    """Whether an entry has no gradient, or one that is wrong by more than a millionth."""
    if products.problem:
        return True
    left, right = products.left, products.right
    if products.outcome is not Outcome.DIFFERENT or not (left.is_finite() and right.is_finite()):
        return False
    return bool(abs(left - right) > _FAR * (abs(left) + abs(right)))


def _is_narrow(products: Products) -> bool:
    return products.outcome in (Outcome.EQUAL, Outcome.DIFFERENT)


_SHOWN = {Outcome.EQUAL: Shown.CERTIFIED, Outcome.OPEN: Shown.SINGULAR}
