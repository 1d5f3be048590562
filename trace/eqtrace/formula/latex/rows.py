r"""A display of several rows as one line: `\begin{align} y &= a \\ &= b \end{align}` as `y = a = b`."""

from __future__ import annotations

import re
from itertools import dropwhile

from eqtrace.formula.latex.cursor import RELATIONS, Run, outer, split, unspaced
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.latex.tokens import Kind, Token, bare, tokens

_DISPLAYS = frozenset(
    {"align", "aligned", "split", "gather", "gathered", "equation", "eqnarray", "multline", "alignat"}
)
_TITLE = re.compile(r"\\(?:nonumber|notag)\b|\\(?:label|tag\*?)\s*\{[^{}]*\}")
_SIGNS = frozenset({"+", "-", "*", "/", "\\cdot", "\\times"})
_OTHERS = frozenset({"\\approx", "\\in", "\\leftarrow", "\\sim", "\\propto", "\\Rightarrow"})


def read(text: str) -> Run:
    """The tokens of a formula, in one row.

    Raises:
        Unread: a character or a group that is none, a row that is none by itself, or a congruence.
    """
    if "\\equiv" in text and "mod" in text:
        raise Unread("a congruence", text.index("\\equiv"), len("\\equiv"))
    found = bare(tokens(_TITLE.sub(lambda match: " " * len(match.group()), text)))
    while (inner := _inner(found)) is not None:
        found = inner
    rows = _rows(found)
    out: list[Token] = list(rows[0]) if rows else []
    for row in rows[1:]:
        related = any(token.key in RELATIONS or token.key in _OTHERS for token in outer(row))
        goes_on = row[0].key in RELATIONS or row[0].key in _OTHERS or (row[0].key in _SIGNS and not related)
        if not goes_on:
            if not related and not any(token.kind is Kind.WORD for token in row):
                raise Unread("a row that neither goes on with a sign nor says something by itself", row[0].offset)
            out.append(Token(Kind.GAP, "\\quad", row[0].offset, 0))
        out += row
    return tuple(out)


def _rows(found: Run) -> list[Run]:
    """The rows, without what sets them apart: marks of columns, extra space, and space before them."""
    first, *others = split(found, ("\\\\",))
    rows = [tuple(token for cell in split(row, ("&",)) for token in cell) for row in (first, *map(unspaced, others))]
    return [tuple(dropwhile(lambda token: token.kind is Kind.GAP, row)) for row in rows if row]


def _inner(found: Run) -> Run | None:
    """What stands in a display's environment, if all of it does."""
    heads = [place for place, token in enumerate(found) if token.key in ("\\begin", "\\end")]
    if not heads or heads[0] or len(heads) < 2:
        return None
    name, first = _name(found, 0)
    if found[first : first + 1] and found[first].key == "[":  # `\\begin{aligned}[t]`
        first = next((at + 1 for at in range(first, len(found)) if found[at].key == "]"), first)
    last, end = _name(found, heads[-1])
    depth = 0
    for place in heads[:-1]:
        depth += 1 if found[place].key == "\\begin" else -1
        if not depth:
            return None  # it is closed before the end
    if name not in _DISPLAYS or last != name or end < len(found):
        return None
    return found[first : heads[-1]]


def _name(found: Run, place: int) -> tuple[str, int]:
    """The name of an environment that begins or ends at a place, and the place behind it."""
    end = next((at for at in range(place, len(found)) if found[at].key == "}"), place)
    return "".join(token.text for token in found[place + 2 : end]).removesuffix("*"), end + 1
