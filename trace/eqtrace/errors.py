"""Errors that end a command (exit code 2), apart from findings, which never do."""


class EqtraceError(Exception):
    """Unusable input: what is wrong, and a hint how to mend it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
