"""What came of reading an equation's LaTeX back, and the formulas that documentation prints."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from eqtrace.model.span import Span


class ReadBack(StrEnum):
    """How a formula that was read and a form compare."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NOT_COMPARED = "not-compared"  # read; whether it agrees takes values, which `audit` does not work out
    NOT_READ = "not-read"
    IS_FORM = "is-form"  # of documentation: there is no other form


FORM = "form"


@dataclass(frozen=True, slots=True)
class Readback:
    """The comparison of one equation. `how` is `proof` or `values` where it agrees; `detail` says what, and why not.

    Of documentation that is not read and was to be the form, `how` is FORM.

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


@dataclass(frozen=True, slots=True)
class Stated:
    """A formula that documentation prints, held against a form, or made one.

    `span` is where what differs, or is not read, stands (else the formula); `place` is the anchor or the `states` key
    that names the documentation. `text` is the formula as it is printed, '' where none was found.
    """

    equation: str
    found: Readback
    span: Span
    place: Span
    text: str = ""
