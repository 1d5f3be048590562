"""Why LaTeX is not read, and why it cannot say what its form says."""

from __future__ import annotations


class Unread(Exception):
    """LaTeX that is not read: the reason, and where."""

    def __init__(self, message: str, offset: int = 0, length: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.length = length


class Misfit(Unread):
    """LaTeX that is read, and has no value: shapes that don't go together, subscripts on the wrong axes."""
