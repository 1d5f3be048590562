"""Findings, and the faults that the stages hand to the checks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from eqtrace.model.span import Span


class Severity(StrEnum):
    """How much a finding weighs; only errors fail a run."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that belongs to a finding."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Something a stage saw that a check may report; `kind` is that check's name."""

    kind: str
    message: str
    span: Span
    hint: str = ""
    related: tuple[Related, ...] = ()
    equation: str | None = None
    method: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What a user reads: a fault with its check's code, name and severity."""

    code: str
    name: str
    severity: Severity
    message: str
    span: Span
    hint: str = ""
    related: tuple[Related, ...] = ()
    equation: str | None = None
    method: str | None = None
