"""Lines of styled pieces, and how they are written: plain everywhere, in colour on a terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from typing import TextIO

Line = list[tuple[str, str]]
"""Pieces of one line, each a text and a style (a style of rich, or '')."""

# Escape sequences of a terminal, from somebody's source or YAML, must not reach it.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


# Neither must what services take for a command to themselves: `##[group]` anywhere, `::error::` at a line's beginning.
_MARKED = re.compile(r"##(?=\w*\[)")
_COMMAND = re.compile(r"^(\s*):(?=:)")


def clean(text: str) -> str:
    """The text on one line, with control characters spelt out, tabs as four spaces, and no command to a service."""
    spelt = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text.replace("\t", "    "))
    return _MARKED.sub("# #", spelt.replace("\n", " "))


def lines(text: str) -> str:
    """A text of several lines, each of them clean and none a command to a service."""
    return "\n".join(_COMMAND.sub(r"\1: ", clean(line)) for line in text.split("\n"))


def plain(written: Iterable[Line]) -> str:
    """The lines as text, each ending in a newline."""
    joined = ("".join(text for text, _ in line).rstrip() for line in written)
    return "".join(_COMMAND.sub(r"\1: ", line) + "\n" for line in joined)


def colourful(stream: TextIO, environment: Mapping[str, str] | None = None) -> bool:
    """Whether `stream` is a terminal on which colour is welcome (https://no-color.org)."""
    values = os.environ if environment is None else environment
    return stream.isatty() and not values.get("NO_COLOR") and values.get("TERM") != "dumb"


def write(lines: Iterable[Line], stream: TextIO | None = None) -> None:
    """Writes the lines to `stream` (standard output), in colour where that is welcome."""
    stream = sys.stdout if stream is None else stream
    if not colourful(stream):
        stream.write(plain(lines))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*line))
