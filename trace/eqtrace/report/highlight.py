"""Python source as highlighted lines of HTML, with classes and without inline styles."""

from __future__ import annotations

from functools import cache

from markupsafe import Markup, escape
from pygments.lexers.python import PythonLexer
from pygments.token import STANDARD_TYPES, _TokenType


@cache
def lines(text: str) -> tuple[Markup, ...]:
    """The lines of a Python file, each a piece of HTML that stands alone."""
    pieces: list[list[Markup]] = [[]]
    for kind, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens(text):
        name = _class(kind)
        for number, part in enumerate(value.split("\n")):
            if number:
                pieces.append([])
            if part:
                pieces[-1].append(Markup('<span class="{}">{}</span>').format(name, part) if name else escape(part))
    return tuple(Markup("").join(line) for line in pieces)


def line(text: str) -> Markup:
    """A statement on one line; its own line breaks and indentation become single spaces."""
    return Markup(" ").join(piece for piece in lines("\n".join(part.strip() for part in text.split("\n"))))


def _class(kind: _TokenType) -> str:
    """Pygments' short class of a token, '' for those that need none."""
    while kind not in STANDARD_TYPES:
        assert kind.parent is not None
        kind = kind.parent
    name = STANDARD_TYPES[kind]
    return "" if name in ("n", "w", "p") else name
