"""What a check is: a code, a name and a severity for one kind of fault, and the text that explains it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from eqtrace.model.finding import Fault, Finding, Severity


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `name` is the kind of the faults that it reports."""

    code: str
    name: str
    severity: Severity
    docstring: str | None

    @property
    def documentation(self) -> str:
        """The check's file's docstring, which `explain` prints and the documentation holds."""
        return inspect.cleandoc(self.docstring or "")

    @property
    def mend(self) -> str:
        """How such a fault is mended in general: the documentation's last paragraph, in one line."""
        return " ".join(self.documentation.partition("\nMend: ")[2].split()).removesuffix(".")

    def finding(self, fault: Fault, severity: Severity | None = None) -> Finding:
        """The finding that a user reads; one that brings no hint of its own gets the check's."""
        return Finding(
            self.code,
            self.name,
            severity or self.severity,
            fault.message,
            fault.span,
            fault.hint or self.mend,
            fault.related,
            fault.equation,
            fault.method,
        )
