"""Symbols found in formulas, so that a page can light up a symbol, its row and its name in code together.

Each symbol's spelling is converted like the formula, and looked for in its tree: `dX` is two letters side by side,
`W_q` a letter with an index, also where it carries an exponent as well. Longer spellings go first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from xml.etree import ElementTree

from eqtrace.model.symbol import Symbol
from eqtrace.report.mathml import LatexUnreadable, convert
from eqtrace.report.words import latex_of

_SCRIPTS = frozenset({"msub", "msup", "msubsup", "munder", "mover", "munderover"})
_PLACES = {"msub": (0, 1), "msup": (0, 2)}  # of their children in `msubsup`
_ROWS = frozenset({"math", "mrow", "mtd", "mstyle", "msqrt", "mpadded"})

_Element = ElementTree.Element
_Pattern = tuple[tuple[_Element, ...], str]


def spellings(symbol: Symbol) -> tuple[str, ...]:
    """The LaTeX of a symbol, as declared, else by its name."""
    return symbol.latex or (latex_of(symbol.name),)


def mark(markup: str, symbols: Mapping[str, Symbol]) -> str:
    """The formula, with `data-s` at each element that stands for a symbol."""
    root = ElementTree.fromstring(markup)
    patterns = [
        (pattern, symbol.name)
        for symbol in symbols.values()
        for spelling in spellings(symbol)
        if (pattern := _pattern(spelling))
    ]
    _search(root, sorted(patterns, key=lambda each: -_size(each[0])))
    return ElementTree.tostring(root, encoding="unicode")


@cache
def _pattern(spelling: str) -> tuple[_Element, ...]:
    try:
        root = ElementTree.fromstring(convert(spelling, display=False).markup)
    except LatexUnreadable:
        return ()
    found = [each for each in root if each.tag != "mspace"]
    while len(found) == 1 and found[0].tag == "mrow":
        found = [each for each in found[0] if each.tag != "mspace"]
    return tuple(found)


def _size(pattern: Sequence[_Element]) -> int:
    return sum(1 for each in pattern for _ in each.iter())


def _search(parent: _Element, patterns: Sequence[_Pattern]) -> None:
    children = list(parent)
    at = 0
    while at < len(children):
        for pattern, symbol in patterns:
            if len(pattern) > 1 and parent.tag not in _ROWS:
                continue
            if found := _match(children[at : at + len(pattern)], pattern):
                for each in found:
                    each.set("data-s", symbol)
                if not (rest := children[at + len(pattern) - 1]).get("data-s"):
                    _search(rest, patterns)  # the indices and exponents around it
                at += len(pattern)
                break
        else:
            if not children[at].get("data-s"):
                _search(children[at], patterns)
            at += 1


def _match(elements: Sequence[_Element], pattern: Sequence[_Element]) -> tuple[_Element, ...]:
    """The elements that stand for the symbol; () where it is not spelled here."""
    if len(elements) < len(pattern) or any(map(_differ, elements[:-1], pattern[:-1])):
        return ()
    last, wanted = elements[-1], pattern[-1]
    if not _differ(last, wanted):
        return tuple(elements)
    return next(((*elements[:-1], *found) for found in _within(last, wanted, len(pattern) > 1)), ())


def _within(last: _Element, wanted: _Element, several: bool) -> Iterator[tuple[_Element, ...]]:
    """The parts of an element with scripts that are the wanted one: its base, or that with one script of two."""
    if last.tag not in _SCRIPTS:
        return
    if several and not _differ(last[0], wanted):
        yield (last[0],)
    if last.tag == "msubsup" and wanted.tag in _PLACES:
        parts = [last[place] for place in _PLACES[wanted.tag]]
        if not any(map(_differ, parts, wanted)):
            yield tuple(parts)


def _differ(one: _Element, other: _Element) -> bool:
    return (
        one.tag != other.tag
        or bool(one.get("data-s"))
        or (one.text or "") != (other.text or "")
        or len(one) != len(other)
        or any(map(_differ, one, other))
    )
