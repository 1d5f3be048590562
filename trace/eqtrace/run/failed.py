"""User code that could not be run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eqtrace.model.finding import Fault

if TYPE_CHECKING:
    from eqtrace.run.record import Recording


class Failed(Exception):
    """Carries the fault that says what was run and how it failed, and what was recorded until then."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault
        self.recording: Recording | None = None
