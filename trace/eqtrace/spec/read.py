"""Reads one file of the specification: a regular UTF-8 file inside the root, of bounded size, never blocking."""

from __future__ import annotations

import os
from pathlib import Path

from eqtrace.inputs import Inputs
from eqtrace.model.finding import Fault
from eqtrace.model.span import Span
from eqtrace.regular import regular

MAX_BYTES = 10_000_000


def read(root: Path, path: str, inputs: Inputs | None = None) -> str | Fault:
    """The text of `path` (relative to `root`, which has no links left), or the one fault that prevents reading it.

    `inputs` gets what was read.
    """
    content: bytes | None = None
    try:
        content = _opened(root, path)
    except _Unread as error:
        return error.fault
    finally:
        if inputs is not None:
            inputs.content(path, content)
    return decoded(path, content)


class _Unread(Exception):
    """A file that can't be read."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def _opened(root: Path, path: str) -> bytes:
    real = os.path.realpath(root / path)
    if not real.startswith(os.path.join(str(root), "")):
        raise _Unread(Fault("limit", f"`{path}` is a link to a place outside the project's folder", Span(path, 1)))
    try:
        content = regular(real, MAX_BYTES + 1)  # one byte more than is allowed tells that it is too large
    except FileNotFoundError:
        raise _Unread(Fault("unknown-reference", f"there is no file `{path}`", Span(path, 1))) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _Unread(Fault("limit", f"`{path}` can't be read: {reason}", Span(path, 1))) from None
    if content is None:
        raise _Unread(Fault("limit", f"`{path}` is not a regular file", Span(path, 1)))
    return content


def decoded(path: str, content: bytes) -> str | Fault:
    """The text of a file's bytes, or the one fault that prevents reading it."""
    if len(content) > MAX_BYTES:
        message = f"`{path}` is larger than {MAX_BYTES // 1_000_000} MB"
        return Fault("limit", message, Span(path, 1), "split it: one topic a file")
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        line = before[before.rfind(b"\n") + 1 :].decode("utf-8")
        message = f"`{path}` is not UTF-8: the byte 0x{error.object[error.start]:02x} can't be read"
        place = Span(path, before.count(b"\n") + 1, len(line) + 1)
        return Fault("limit", message, place, "save the file in the encoding UTF-8")
    if (offset := text.find("\0")) >= 0:
        place = Span(path, text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1)
        return Fault("limit", f"`{path}` holds a NUL character: it is no text file", place)
    return text
