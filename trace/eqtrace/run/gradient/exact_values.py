"""One exact run of a forward and its backward, and the values at cited statements in it, at any precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from eqtrace.formula.ball import Undecided, no_floats, precision
from eqtrace.run.exact.looks import Seen
from eqtrace.run.exact.shadow import Shadows
from eqtrace.run.exact.taps import Taps
from eqtrace.run.gradient.plan import Plan
from eqtrace.run.gradient.products import ExactRun, Random
from eqtrace.run.sample import Draw
from eqtrace.run.statement import CannotRun, reason
from eqtrace.run.tracker import Untracked


class ExactValues:
    """See the module.

    Args:
        draw: the forward's inputs.
        random: the cotangent, the same at every precision.
        plan: the gradient.
        twins: exact twins of the user's code.
        taps: the taps and looks in those.
        tracker: records what the runs rest on.
    """

    def __init__(self, draw: Draw, random: Random, plan: Plan, twins: Shadows, taps: Taps, tracker: Untracked) -> None:
        self.draw = draw
        self._random = random
        self._plan = plan
        self._twins = twins
        self._taps = taps
        self._tracker = tracker
        self._seen: dict[str, Mapping[str, Sequence[Seen]]] = {}

    def at(self, anchor: str, bits: int) -> Sequence[Seen]:
        """Every execution of an anchor's statement.

        Raises:
            CannotRun: the code does not run in balls, or nothing is seen there.
            Undecided: the draw lies on a kink.
        """
        seen = self._tracker.shared(self._seen, f"{bits} bits", lambda: self._run(bits))
        if anchor in self._taps.looks.problems:
            raise CannotRun(self._taps.looks.problems[anchor])
        return seen.get(anchor, ())

    def _run(self, bits: int) -> Mapping[str, Sequence[Seen]]:
        with precision(bits), np.errstate(all="ignore"), no_floats(), self._taps.looks.keeping() as kept:
            try:
                ExactRun(self._plan, self._twins, self._taps, self._random).products(self.draw)
            except (CannotRun, Undecided):
                raise
            except BaseException as error:
                raise CannotRun(reason(error)) from error
        return dict(kept)
