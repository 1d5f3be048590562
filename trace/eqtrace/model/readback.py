"""What came of reading an equation's LaTeX back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ReadBack(StrEnum):
    """How LaTeX and form compare."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NOT_COMPARED = "not-compared"  # read; whether it agrees takes values, which `audit` does not work out
    NOT_READ = "not-read"


@dataclass(frozen=True, slots=True)
class Readback:
    """The comparison of one equation. `how` is `proof` or `values` where it agrees; `detail` says what, and why not.

    `offset` and `length` say where in the LaTeX a difference, or what is not read, stands.
    """

    equation: str
    status: ReadBack
    how: str = ""
    detail: str = ""
    offset: int = 0
    length: int = 1
    points: int = 0
    more: tuple[str, ...] = ()  # what the form says and the LaTeX does not, as the form writes it
