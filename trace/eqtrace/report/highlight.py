"""Python source as highlighted lines of HTML, with classes and without inline styles; names of symbols are marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from markupsafe import Markup, escape
from pygments.lexers.python import PythonLexer
from pygments.token import STANDARD_TYPES, _TokenType

Token = tuple[str, str]
"""Pygments' short class of a piece of source ('' for those that need none), and the piece."""

Names = Mapping[str, str]
"""By an expression of the code, the symbol that it stands for."""


@cache
def tokens(text: str) -> tuple[tuple[Token, ...], ...]:
    """The lines of a Python file, as tokens."""
    found: list[list[Token]] = [[]]
    for kind, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens(text):
        name = _class(kind)
        for number, part in enumerate(value.split("\n")):
            if number:
                found.append([])
            if part:
                found[-1].append((name, part))
    return tuple(map(tuple, found))


@cache
def lines(text: str) -> tuple[Markup, ...]:
    """The lines of a Python file, each a piece of HTML that stands alone."""
    return tuple(Markup("").join(map(_piece, each)) for each in tokens(text))


def line(text: str, names: Names | None = None) -> Markup:
    """A statement on one line; its own line breaks and indentation become single spaces."""
    parts = tokens("\n".join(part.strip() for part in text.split("\n")))
    return Markup(" ").join(marked(part, names or {}) for part in parts)


def marked(line: Sequence[Token], names: Names) -> Markup:
    """One line, in which the expressions of `names` carry their symbol (`data-s`), the longest where several begin."""
    wanted = [(_words(code), symbol) for code, symbol in names.items()]
    wanted = sorted((each for each in wanted if each[0]), key=lambda each: -len(each[0]))
    return Markup("").join(_marked(line, wanted))


def _marked(line: Sequence[Token], wanted: Sequence[tuple[tuple[str, ...], str]]) -> Iterator[Markup]:
    at = 0
    while at < len(line):
        for words, symbol in wanted:
            if end := _end(line, at, words):
                inner = Markup("").join(map(_piece, line[at:end]))
                yield Markup('<span data-s="{}">{}</span>').format(symbol, inner)
                at = end
                break
        else:
            yield _piece(line[at])
            at += 1


def _end(line: Sequence[Token], start: int, words: tuple[str, ...]) -> int:
    """Where the expression ends that begins at `start`; 0 where it does not stand there.

    An attribute of something else is not meant, nor the name of an argument.
    """
    at = start
    for word in words:
        while at > start and at < len(line) and line[at][1].isspace():
            at += 1
        if at == len(line) or _plain(line[at]) != word:
            return 0
        at += 1
    before = line[start - 1][1] if start else ""
    after = line[at][1] if at < len(line) else ""
    return 0 if before == "." or after == "=" else at


@cache
def _words(code: str) -> tuple[str, ...]:
    return tuple(_plain(each) for part in tokens(code) for each in part if not each[1].isspace())


def _plain(token: Token) -> str:
    return '"' if token[1] == "'" else token[1]


def _piece(token: Token) -> Markup:
    name, text = token
    return Markup('<span class="{}">{}</span>').format(name, text) if name else escape(text)


def _class(kind: _TokenType) -> str:
    """Pygments' short class of a token, '' for those that need none."""
    while kind not in STANDARD_TYPES:
        assert kind.parent is not None
        kind = kind.parent
    name = STANDARD_TYPES[kind]
    return "" if name in ("n", "w", "p") else name
