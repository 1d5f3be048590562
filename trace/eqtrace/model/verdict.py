"""Verdicts and the evidence behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from eqtrace.model.finding import Fault


class Verdict(StrEnum):
    """What was shown of an equation, best first (the order of definition)."""

    PROVED = "proved"
    PROVED_AT_SIZES = "proved-at-sizes"
    CERTIFIED = "certified"
    CERTIFIED_TO_CONSTANTS = "certified-to-constants"
    TESTED = "tested"
    SAMPLED = "sampled"
    NOT_CHECKED = "not-checked"
    REFUTED = "refuted"


_RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}


def weakest(verdicts: Iterable[Verdict]) -> Verdict:
    """The weakest of several verdicts; nothing at all is not-checked."""
    return max(verdicts, key=_RANK.__getitem__, default=Verdict.NOT_CHECKED)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What stands behind a verdict: how much was tried, how far off the worst was, and in words how it was shown."""

    points: int = 0  # captured executions (value), draws (distribution), runs (constraint, structure)
    certified: int = 0  # of these, shown in exact balls
    seed: int = 0
    worst_ulp: float | None = None
    worst_at: str = ""  # the line and the input that gave the worst error
    detail: str = ""
    limits: tuple[str, ...] = ()  # what the evidence does not cover, a sentence each
    proof_size: int | None = None  # products formed on the way of a proof; None where nothing was proved


@dataclass(frozen=True, slots=True)
class MethodResult:
    """The result of one unit of work, (equation, method)."""

    equation: str
    method: str
    verdict: Verdict
    evidence: Evidence = field(default_factory=Evidence)
    faults: tuple[Fault, ...] = ()
    executions: Mapping[str, int] = field(default_factory=dict)  # by anchor id
    # By anchor id and number of a condition in its statement: 1 for true somewhere, 2 for false somewhere, 3 for both.
    ways: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    seconds: float = 0.0
