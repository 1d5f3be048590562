"""What both commands share: UTF-8 streams, and an error as one line."""

import io
import os
import sys

UNUSABLE = 2
STOPPED = 130


def use_utf8() -> None:
    """Read and write the standard streams as UTF-8, whatever the locale; input that is not UTF-8 is an error."""
    for stream, errors in ((sys.stdin, "strict"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)


def fail(program: str, error: Exception) -> int:
    """Say in one line on stderr what is wrong, and return the exit code 2; 1, silently, where nobody reads on."""
    if isinstance(error, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    what = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)
    print(f"{program}: error: {' '.join(what.split())}", file=sys.stderr)
    return UNUSABLE
