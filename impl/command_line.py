"""What both commands share: UTF-8 streams, exit codes, and an error as one line."""

import io
import os
import sys
from collections.abc import Callable
from typing import NoReturn

FAILED = 1
UNUSABLE = 2
STOPPED = 130


def run(main: Callable[[], int]) -> NoReturn:
    """Run a command, and exit with its code; with 1, silently, where nobody reads its output to the end.

    Standard input and output are UTF-8 whatever the locale; input that is not UTF-8 is an error.
    """
    for stream, errors in ((sys.stdin, "strict"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = FAILED
    sys.exit(code)


def fail(program: str, error: Exception) -> int:
    """Say in one line on stderr what is wrong, and return the exit code 2; a broken pipe is passed on."""
    if isinstance(error, BrokenPipeError):
        raise error
    what = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)
    print(f"{program}: error: {' '.join(what.split())}", file=sys.stderr)
    return UNUSABLE
