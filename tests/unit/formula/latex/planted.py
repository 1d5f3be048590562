"""Errors planted into LaTeX: each as (what, the LaTeX with it)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from eqtrace.formula.latex.tokens import Kind, Token, tokens

_TURNED = {"\\le": "<", "<": "\\le ", "\\ge": ">", ">": "\\ge "}
_OPEN, _CLOSE = {"{", "(", "["}, {"}", ")", "]"}


def planted(latex: str) -> Iterator[tuple[str, str]]:
    """Everything that is planted into one formula, each once at every place where it can be."""
    seen = {latex}
    for what, text in _planted(latex):
        if text not in seen:
            seen.add(text)
            yield what, text


def _planted(latex: str) -> Iterator[tuple[str, str]]:
    found = tokens(latex)
    for place, token in enumerate(found):
        behind = found[place + 1] if place + 1 < len(found) else None
        if token.text == "^" and behind is not None:
            end = _group_end(found, place + 1)
            said = latex[behind.offset : found[end].end].strip("{} ")
            if said == "\\top":
                yield "a lost transpose", _without(latex, token.offset, found[end].end)
            elif said == "2":
                yield "a missing square", _without(latex, token.offset, found[end].end)
        if token.text in ("+", "-") and token.kind is Kind.SYMBOL and place:
            other = "-" if token.text == "+" else "+"
            yield "a flipped sign", latex[: token.offset] + other + latex[token.end :]
        if token.text in _TURNED and token.text in ("<", ">", "\\le", "\\ge"):
            yield "a bound", latex[: token.offset] + _TURNED[token.text] + latex[token.end :]
        if token.text == "=" and token.kind is Kind.SYMBOL:
            rest = latex[token.end :].lstrip()
            if not rest.startswith(("-", "0", "\\mathbf{0}")):
                yield "a flipped sign", f"{latex[: token.end]} -{latex[token.end :]}"
    yield from _swapped(latex)
    yield from _conditions(latex)
    yield from _dropped(latex, found)


def _swapped(latex: str) -> Iterator[tuple[str, str]]:
    """Two subscripts exchanged: `_{ti}`, `_{t, i}`."""
    for match in re.finditer(r"_\{(\\?[a-z]+?|[a-z])(,?\s*)([a-z])\}", latex):
        one, between, other = match.groups()
        if len(one) == 1 and one != other:
            swapped = f"_{{{other}{between}{one}}}"
            yield "a swapped index", latex[: match.start()] + swapped + latex[match.end() :]


def _conditions(latex: str) -> Iterator[tuple[str, str]]:
    for match in re.finditer(r"\\begin\{cases\}(.*?)&.*?\\end\{cases\}", latex):
        yield "a dropped case", latex[: match.start()] + match.group(1) + latex[match.end() :]
    for match in re.finditer(r"(\\odot )?\\math(bf|bb)\{1\}\[[^\]]*\]", latex):
        yield "a dropped condition", latex[: match.start()] + latex[match.end() :]
    for match in re.finditer(r"\s*\\text\{ ?(for|where) \}.*$", latex):
        yield "a dropped condition", latex[: match.start()]


def _dropped(latex: str, found: tuple[Token, ...]) -> Iterator[tuple[str, str]]:
    """A term without which a sum still is one; a factor in front of another."""
    skipped: set[int] = set()
    for place, token in enumerate(found):
        if token.text not in ("+", "-") or not place:
            continue
        end = _term_end(found, place + 1)
        if end > place + 1:
            yield "a dropped term", _without(latex, token.offset, found[end - 1].end)
    for place in range(len(found) - 1):
        if found[place].text == "{" and place and found[place - 1].text in ("_", "\\begin", "\\end"):
            inner = _group_end(found, place)
            skipped |= set(range(place, inner + 1))
        factor = 0 if place in skipped else _factor_end(found, place)
        if factor and factor < len(found) and _starts(found[factor]) and (not place or _free(found[place - 1])):
            yield "a dropped factor", _without(latex, found[place].offset, found[factor - 1].end)


def _starts(token: Token) -> bool:
    return token.kind in (Kind.LETTER, Kind.WORD) or token.text in ("\\hat", "\\frac", "\\sum")


def _free(token: Token) -> bool:
    return token.text in ("=", "+", "-", "{", "(")


def _factor_end(found: tuple[Token, ...], place: int) -> int:
    """The place behind a letter (or a fraction) and its scripts; 0 where none stands."""
    token = found[place]
    if token.text == "\\frac":
        return _group_end(found, _group_end(found, place + 1) + 1) + 1
    if token.kind is not Kind.LETTER and token.kind is not Kind.NUMBER:
        return 0
    place += 1
    while place + 1 < len(found) and found[place].text in ("^", "_"):
        place = _group_end(found, place + 1) + 1
    return place


def _term_end(found: tuple[Token, ...], place: int) -> int:
    depth = 0
    while place < len(found):
        text = found[place].text
        if not depth and (text in ("+", "-", "=", ",", "&", "\\\\") or text in _CLOSE or found[place].kind is Kind.GAP):
            break
        if not depth and text.startswith("\\") and text in ("\\Rightarrow", "\\le", "\\ge", "\\rfloor", "\\rceil"):
            break
        depth += (text in _OPEN) - (text in _CLOSE)
        place += 1
    return place


def _group_end(found: tuple[Token, ...], place: int) -> int:
    """The place of a group's last token."""
    if place >= len(found) or found[place].text != "{":
        return min(place, len(found) - 1)
    depth = 0
    while place < len(found):
        depth += (found[place].text == "{") - (found[place].text == "}")
        if not depth:
            return place
        place += 1
    return len(found) - 1


def _without(latex: str, start: int, end: int) -> str:
    return f"{latex[:start]} {latex[end:]}"
