"""The prose of Jupyter notebooks, each character where it stands in the JSON."""

from __future__ import annotations

import re

# A string that nothing closes goes on to the end: else each quote in it would be tried as the beginning of one.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z|\\\Z)|[{}\[\]:,]', re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")


def prose(text: str) -> str:
    """Markdown cells, and comments of code cells; all else as spaces. As long as `text`.

    An escaped line end becomes a space and a line end: offsets stay, line numbers must be taken from `text`.
    """
    pieces: list[str] = []
    at = 0
    for start, end, markdown in _sources(text):
        body = _ESCAPE.sub(_plain, text[start:end])
        if not markdown:
            body = _comments(body)
        pieces += [re.sub(r"[^\n]", " ", text[at:start]), body]
        at = end
    pieces.append(re.sub(r"[^\n]", " ", text[at:]))
    return "".join(pieces)


def _plain(found: re.Match[str]) -> str:
    escape = found[1]
    plain = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/"}.get(escape, " ")
    return plain.rjust(len(found[0]))


def _comments(body: str) -> str:
    found = re.match(r"(?:[^#'\"]|'[^']*'|\"[^\"]*\")*#", body)
    return " " * len(body) if found is None else " " * found.end() + body[found.end() :]


def _sources(text: str) -> list[tuple[int, int, bool]]:
    """The strings of every cell's `source`, without their quotes, and whether the cell is Markdown.

    A cell's `cell_type` may stand after its `source`, so strings are kept until their cell ends.
    """
    found: list[tuple[int, int, bool]] = []
    stack: list[str | None] = []  # the key that each open object or list stands under
    key: str | None = None
    last: tuple[int, int] | None = None
    cell: list[tuple[int, int]] = []
    kind = ""
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "{[":
            stack.append(key)
            key = None
        elif mark in "}]":
            if stack:
                stack.pop()
            if mark == "}" and stack == [None, "cells"]:
                found += [(start, end, kind == "markdown") for start, end in cell if kind in ("markdown", "code")]
                cell, kind = [], ""
            key = None
        elif mark == ":":
            key = None if last is None else text[last[0] : last[1]]
        elif mark == ",":
            key = None
        else:
            last = (token.start() + 1, token.end() - 1)
            if stack == [None, "cells", None] and key == "cell_type":
                kind = text[last[0] : last[1]]
            elif stack in ([None, "cells", None, "source"],) or (stack == [None, "cells", None] and key == "source"):
                cell.append(last)
    return found
