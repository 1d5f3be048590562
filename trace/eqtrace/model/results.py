"""Everything a command found out, ready to be reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from eqtrace.model.anchor import Match
from eqtrace.model.example import ExampleResult
from eqtrace.model.finding import Finding
from eqtrace.model.mutant import Judged
from eqtrace.model.readback import Readback, Stated
from eqtrace.model.span import Span
from eqtrace.model.topic import Specification
from eqtrace.model.verdict import MethodResult, Verdict, weakest


@dataclass(frozen=True, slots=True)
class Unclaimed:
    """An arithmetic statement that no equation claims and no waiver excuses."""

    span: Span
    function: str
    source: str


@dataclass(frozen=True, slots=True)
class Tally:
    """So many of a kind covered, of how many, and so many waived."""

    covered: int = 0
    total: int = 0
    waived: int = 0


@dataclass(frozen=True, slots=True)
class Coverage:
    """Coverage both ways: equations that have code and a test, arithmetic statements that have an equation."""

    equations: Tally = Tally()
    statements: Tally = Tally()
    unclaimed: tuple[Unclaimed, ...] = ()


@dataclass(frozen=True, slots=True)
class Reviews:
    """The links of the equations that were looked at, held against the ledger of reviews.

    The last three are what `review --accept` did; None where it was not asked to.
    """

    ledger: str  # its path
    links: int
    reviewed: int
    suspect: int
    recorded: int | None = None
    removed: int | None = None
    refused: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Results:
    """The results of one command. `methods` is empty for `audit`, which runs none; `executions` are then None too."""

    command: str
    specification: Specification
    selected: tuple[str, ...]  # ids of the equations that were looked at
    matches: Mapping[str, Match]  # by anchor id
    waivers: tuple[Match, ...] = ()  # of waivers that name a statement
    renamed: Mapping[str, str] = field(default_factory=dict)  # functions ('path::name') that were found elsewhere
    findings: tuple[Finding, ...] = ()
    methods: Mapping[str, tuple[MethodResult, ...]] = field(default_factory=dict)  # by equation id
    executions: Mapping[str, int] | None = None  # by anchor id; tests and states anchors are not in it
    examples: Mapping[str, ExampleResult] = field(default_factory=dict)  # by topic; empty for `audit`
    coverage: Coverage | None = None
    reviews: Reviews | None = None  # None where there is no ledger
    readbacks: Mapping[str, Readback] = field(default_factory=dict)  # by equation id: its LaTeX read back
    states: Mapping[str, Stated] = field(default_factory=dict)  # by anchor id, or the id of a short-form equation
    seed: int = 0
    seconds: float = 0.0
    from_cache: int = 0
    skipped: tuple[str, ...] = ()  # what was not looked at and why, a sentence each
    notes: tuple[str, ...] = ()  # what else a reader should know of the run, a sentence each
    mutants: tuple[Judged, ...] | None = None  # None where none were made
    exit: int = 0

    def verdict(self, equation: str) -> Verdict | None:
        """An equation's verdict, the weakest of its methods'; None where no method was run at all."""
        results = self.methods.get(equation)
        return weakest(result.verdict for result in results) if results else None
