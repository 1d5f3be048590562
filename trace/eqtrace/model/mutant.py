"""Mutants of cited statements, and what became of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from eqtrace.model.span import Span


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one statement that equations cite."""

    id: str  # path:line:column/operator/number
    operator: str
    span: Span  # the statement (of a compound statement its header)
    function: str
    old: str  # the statement as Python prints its tree
    new: str
    equations: tuple[str, ...]  # that cite the statement


class Status(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"  # a method's own finding tells of it
    EQUIVALENT = "equivalent"  # proved to compute the same
    SURVIVED = "survived"
    TIMEOUT = "timeout"  # it ran out of its time limit
    CRASH = "crash"  # the code failed: an exception, an exit, a fault of the interpreter


@dataclass(frozen=True, slots=True)
class Judged:
    """A mutant and its fate."""

    mutant: Mutant
    status: Status
    by: str = ""  # the method that killed it, 'execution' where a cited line was no longer reached
    reason: str = ""  # the finding; the proof; of a survivor, what was tried
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """So many mutants of each fate. Crashes and time-outs are counted apart: they say little of the methods."""

    killed: int = 0
    equivalent: int = 0
    survived: int = 0
    timeout: int = 0
    crash: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.killed + self.equivalent + self.survived + self.timeout + self.crash

    @property
    def share(self) -> float | None:
        """Killed, of those that were killed or survived; None where there were none."""
        judged = self.killed + self.survived
        return self.killed / judged if judged else None


def score(judged: Iterable[Judged]) -> Score:
    """How many there are of each fate."""
    counts = Counter(each.status for each in judged)
    return Score(**{status.value: counts[status] for status in Status})
