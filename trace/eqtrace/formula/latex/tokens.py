"""LaTeX as tokens with their places. Every character becomes part of a token, or the text is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

from eqtrace.formula.latex.errors import Unread

LIMIT_CHARACTERS = 4_000
LIMIT_DEPTH = 40


class Kind(StrEnum):
    """What a token is."""

    LETTER = "letter"
    NUMBER = "number"
    COMMAND = "command"
    WORD = "word"  # a group in a font: \text{ids}
    SYMBOL = "symbol"
    PRIME = "prime"
    GAP = "gap"  # \quad: space that separates
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    r"""A token. `text` is what it says: `\beta`, `x`, `12`, the words of a group; `font` is a group's command."""

    kind: Kind
    text: str
    offset: int
    length: int
    font: str = ""
    key: str = field(init=False)  # what is compared with spellings: upright fonts are one, bold ones their own

    def __post_init__(self) -> None:
        own = self.font if self.font in _OWN else ""
        object.__setattr__(self, "key", f'{own}"{self.text}"' if self.kind is Kind.WORD else self.text)

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.offset + self.length


_OWN = frozenset({"\\mathbf", "\\mathbb", "\\mathcal", "\\boldsymbol"})
_FONTS = (
    frozenset({"\\text", "\\mathrm", "\\operatorname", "\\operatorname*", "\\texttt", "\\mathit", "\\textrm"}) | _OWN
)
_SPACES = frozenset({"\\,", "\\;", "\\!", "\\:", "\\>", "\\ ", "~", "\\displaystyle"})
_GAPS = frozenset({"\\quad", "\\qquad"})
_SIZES = frozenset({"\\left", "\\right", "\\middle"}) | {
    f"\\{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")
}
_DELIMITERS = frozenset(
    {"(", ")", "[", "]", "|", "/", "\\{", "\\}", "\\|", "\\lfloor", "\\rfloor", "\\lceil", "\\rceil", "\\langle"}
) | {"\\rangle", "\\lvert", "\\rvert", "\\lVert", "\\rVert"}
_SIDED = {("|", "l"): "\\lvert", ("|", "r"): "\\rvert", ("\\|", "l"): "\\lVert", ("\\|", "r"): "\\rVert"}
_SAME = {"\\leq": "\\le", "\\geq": "\\ge", "\\ldots": "\\dots", "\\cdots": "\\dots"} | {
    "\\implies": "\\Rightarrow", "\\neq": "\\ne", "\\gets": "\\leftarrow", "\\tfrac": "\\frac", "\\dfrac": "\\frac",
    "\\lbrace": "\\{", "\\rbrace": "\\}", "\\lt": "<", "\\gt": ">", "<=": "\\le", ">=": "\\ge",
    "\\equiv": "=", "\\coloneqq": "=", "\\triangleq": "=", "\\doteq": "=", ":=": "=",
    "\\widehat": "\\hat", "\\widetilde": "\\tilde", "\\overline": "\\bar",
    "\\Vert": "\\|",
}  # fmt: skip
ESCAPED = "a backslash and a letter that Python reads as an escape"
_TAKING = {"^": "a superscript", "_": "a subscript", "\\sqrt": "a root"}
_SCAN = re.compile(
    r"(?P<space>[ \t\r\n]+)|(?P<command>\\(?:operatorname\*|[A-Za-z]+|[^A-Za-z\s\d]|[ ]))|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<letter>[A-Za-z])|(?P<prime>'+)|(?P<symbol>[<>:]=|[-+*/=<>()\[\]{}|_^&,.:;!~])",
    re.ASCII,
)
_GROUP = re.compile(r"[ ]*\{((?:[^{}\\]|\\[^A-Za-z]|\\,)*)\}")


def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a formula.

    Raises:
        Unread: a character or a group that is none.
    """
    if len(text) > LIMIT_CHARACTERS:
        raise Unread(f"{len(text)} characters; {LIMIT_CHARACTERS} are allowed")
    found: list[Token] = []
    place = 0
    sized = -1  # the end of a size command, behind which a delimiter must stand
    depth = 0
    while place < len(text):
        match = _SCAN.match(text, place)
        if match is None:
            raw = text[place] in "\x07\x08\x0b\x0c"  # what Python makes of `\alpha`, `\beta`, `\nu`... in a string
            hint = f": {ESCAPED}; write r before the string" * raw
            raise Unread(f"the character {text[place]!r} is not read{hint}", place)
        offset, place, read = place, match.end(), match.group()
        kind = Kind(match.lastgroup or "") if match.lastgroup != "space" else None
        if kind is None or read in _SPACES:
            continue
        read = _SAME.get(read, read)
        if sized >= 0:
            if read == ".":
                sized = -1
                continue
            if read not in _DELIMITERS:
                raise Unread(f"no bracket stands behind {text[sized:offset].strip()}", offset)
            command = text[sized:offset].strip()
            side = "l" if command == "\\left" else "r" if command == "\\right" else command[-1]
            read = _SIDED.get((read, side), read)
            sized = -1
        if read in _SIZES:
            sized = offset
            continue
        depth += read in ("{", "(", "[")
        if depth > LIMIT_DEPTH * 4:
            raise Unread("too many brackets", offset)
        if read in _FONTS:
            group = _GROUP.match(text, place)
            if group is None:
                raise Unread(f"{read} stands without a plain group", offset, len(read))
            place = group.end()
            found.append(Token(Kind.WORD, _said(group.group(1)), offset, place - offset, read))
        elif kind is Kind.PRIME:
            found.append(Token(kind, "'" * len(read), offset, len(read)))
        elif read in _GAPS:
            found.append(Token(Kind.GAP, read, offset, len(read)))
        else:
            found.append(Token(kind, read, offset, place - offset))
    if sized >= 0:
        raise Unread("a size command without a bracket", sized)
    return tuple(found)


def _said(group: str) -> str:
    """The words of a group."""
    return " ".join(group.replace("\\,", "").replace("\\_", "_").replace("\\ ", " ").split())


def bare(found: tuple[Token, ...]) -> tuple[Token, ...]:
    r"""Tokens without the braces around a single one, as `\hat{X}` and `\hat X` are the same.

    Raises:
        Unread: digits without braces of which TeX would take the first alone.
    """
    found = _parted(found)
    out: list[Token] = []
    place = 0
    while place < len(found):
        inner = found[place + 1 : place + 2]
        braced = found[place].text == "{" and any(each.text == "}" for each in found[place + 2 : place + 3])
        if braced and inner[0].text not in "{}":
            out.append(inner[0])
            place += 3
            continue
        out.append(found[place])
        place += 1
    return tuple(out)


def _parted(found: tuple[Token, ...]) -> tuple[Token, ...]:
    r"""The two digits of `\frac12`, one above the bar and one below it, as tokens by themselves.

    Raises:
        Unread: more digits than TeX takes there, so that the rest would stand behind: few mean that by `x^12`.
    """
    out: list[Token] = []
    taking: dict[int, tuple[str, int]] = {}  # by the place of an argument: what takes it, and how many digits it takes
    for place, token in enumerate(found):
        taker, count = taking.get(place, ("", 0))
        if token.text in _TAKING:
            taking[place + 1] = (_TAKING[token.text], 1)
        if token.text == "\\frac":
            behind = _behind(found, place + 1)
            one_digit = behind == place + 2 and found[place + 1].kind is Kind.NUMBER
            two = one_digit and len(found[place + 1].text) == 2
            taking[place + 1] = ("a fraction", 2 if two else 1)
            if not two:
                taking[behind] = ("a fraction", 1)
        if not taker or token.kind is not Kind.NUMBER or len(token.text) == 1:
            out.append(token)
        elif len(token.text) == count:
            out += [Token(Kind.NUMBER, each, token.offset + at, 1) for at, each in enumerate(token.text)]
        else:
            message = f"of {token.text}, {taker} takes the first digit alone: put it into braces"
            raise Unread(message, token.offset, token.length)
    return tuple(out)


def _behind(found: tuple[Token, ...], place: int) -> int:
    """The place behind a group in braces, or behind a token alone."""
    depth = 0
    for end in range(place, len(found)):
        depth += (found[end].text == "{") - (found[end].text == "}")
        if not depth:
            return end + 1
    return len(found)
