"""How much a session tries before it answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """Verification tries everything. A mutant is looked at with little first, as most are found out at once."""

    rounds: int | None = None  # of the scenarios; None is as many as lines need
    scenarios: frozenset[str] | None = None  # which of them run; None is all
    only: frozenset[str] | None = None  # the anchors that scenarios are recorded at; None is all
    draws: int | None = None  # of a called function's inputs; None is all that there are
    points: int | None = None  # of a line's executions that are looked at; None is all
    exact: bool = True  # whether executions are replayed in balls
    shrinks: bool = True  # whether a counter-example is made simpler


FULL = Effort()
