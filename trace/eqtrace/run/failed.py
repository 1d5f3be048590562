"""User code that could not be run."""

from eqtrace.model.finding import Fault


class Failed(Exception):
    """Carries the fault that says what was run and how it failed."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault
