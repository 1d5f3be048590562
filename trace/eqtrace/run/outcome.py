"""What becomes of a unit of work in a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Done:
    """A unit's result."""

    unit: Any
    value: Any


@dataclass(frozen=True, slots=True)
class Crashed:
    """A unit that ended in an exception (SystemExit and KeyboardInterrupt included)."""

    unit: Any
    traceback: str


@dataclass(frozen=True, slots=True)
class Lost:
    """A unit whose worker died or had to be ended."""

    unit: Any
    activity: str
    reason: str  # 'timed out after 10 s', 'exited with status 3', 'killed by signal SEGV'
    output: str = ""  # the end of what it printed
    traceback: str = ""  # where it was, if it could still tell
