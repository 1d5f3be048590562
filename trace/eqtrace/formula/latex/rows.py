r"""A display of several rows as one line: `\begin{align} y &= a \\ &= b \end{align}` as `y = a = b`."""

from __future__ import annotations

from eqtrace.formula.latex.cursor import RELATIONS, Run, outer
from eqtrace.formula.latex.tokens import Kind, Token, bare, tokens

_DISPLAYS = frozenset(
    {"align", "aligned", "split", "gather", "gathered", "equation", "eqnarray", "multline", "alignat"}
)
_UNSEEN = frozenset({"\\nonumber", "\\notag"})
_TITLED = frozenset({"\\label", "\\tag"})
_ON = RELATIONS.keys() | {"+", "-", "*", "/", "\\cdot", "\\times", "\\approx"}  # a row that begins so goes on


def read(text: str) -> Run:
    """The tokens of a formula, in one row.

    Raises:
        Unread: a character or a group that is none.
    """
    found = _untitled(bare(tokens(text)))
    while (inner := _inner(found)) is not None:
        found = inner
    level = {id(token) for token in outer(found)}
    out: list[Token] = []
    breaks = False
    for token in found:
        if id(token) in level and token.key in ("&", "\\\\"):
            breaks |= token.key == "\\\\"
            continue
        if breaks and token.kind is Kind.GAP:
            continue
        if breaks and out and token.key not in _ON:
            out.append(Token(Kind.GAP, "\\quad", token.offset, 0))
        out.append(token)
        breaks = False
    return tuple(out)


def _untitled(found: Run) -> Run:
    """Tokens without the numbers and labels of displays."""
    out: list[Token] = []
    waiting = list(found)
    while waiting:
        token = waiting.pop(0)
        if token.key in _TITLED and waiting:
            depth = 0
            while waiting:
                each = waiting.pop(0)
                depth += (each.key == "{") - (each.key == "}")
                if not depth:
                    break
        elif token.key not in _UNSEEN:
            out.append(token)
    return tuple(out)


def _inner(found: Run) -> Run | None:
    """What stands in a display's environment, if all of it does."""
    heads = [place for place, token in enumerate(found) if token.key in ("\\begin", "\\end")]
    if not heads or heads[0] or len(heads) < 2:
        return None
    name, first = _name(found, 0)
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
