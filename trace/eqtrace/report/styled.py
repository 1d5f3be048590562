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


def clean(text: str) -> str:
    """The text on one line, with control characters spelt out and tabs as four spaces."""
    spelt = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text.replace("\t", "    "))
    return spelt.replace("\n", " ")


def plain(lines: Iterable[Line]) -> str:
    """The lines as text, each ending in a newline."""
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)


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
