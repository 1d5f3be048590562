"""Comments, docstrings and string literals of code in any language, read by Pygments."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_MARKER = re.compile(
    r"^[ \t]*(?:#+!?:?|/{2,}!?<?|/\*+[!<]?|\*+/|\*+(?=\s|$)|--+(?:\[\[)?|;+|%+|<!--+|\(\*+|\"{3}|'{3})", re.M
)

_STRINGS = (("Literal", "String"), ("Literal", "Scalar"))


def prose(path: str, text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The prose of a source file, all else as spaces, and the places of its string literals (docstrings are prose)."""
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_for_filename(PurePosixPath(path).name)
    except ClassNotFound:
        return _by_hash(text), ()
    scalars = path.endswith((".yaml", ".yml"))
    pieces: list[str] = []
    strings: list[tuple[int, int]] = []
    at = 0
    for offset, kind, value in lexer.get_tokens_unprocessed(text):
        if offset < at:  # lexers within lexers may overlap
            continue
        comment = kind[:1] == ("Comment",) and kind[1:2] not in (("Preproc",), ("PreprocFile",))
        string = kind[:2] in _STRINGS or (scalars and kind[:2] == ("Name", "Constant"))
        if not comment and not string:
            continue
        said = comment or kind[2:3] == ("Doc",)
        pieces += [
            _blank(text[at:offset]),
            _MARKER.sub(_spaces, value) if said else value,
        ]
        at = offset + len(value)
        if not said:
            if strings and strings[-1][1] == offset:
                strings[-1] = (strings[-1][0], at)
            else:
                strings.append((offset, at))
    pieces.append(_blank(text[at:]))
    return "".join(pieces), tuple(strings)


def _spaces(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _by_hash(text: str) -> str:
    """Comments after `#`, for languages that Pygments doesn't know."""
    return "\n".join(
        _blank(line[: line.find("#") + 1]) + line[line.find("#") + 1 :] if "#" in line else _blank(line)
        for line in text.split("\n")
    )
