"""Which symbol a parameter is, where documentation says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BESIDE = re.compile(r"`{1,2}(?P<name>\w+)`{1,2}\s*\(:math:`(?P<latex>[^`=<>+*/,]+)`\)")
_TO = re.compile(r"`{1,2}(?P<name>\w+)`{1,2}\s+(?:(?:corresponds\s+)?to|for)\s+:math:`(?P<latex>[^`=<>+*/,]+)`")
_HEAD = re.compile(
    r"(?P<indent>\s*)(?::param\s+(?:\S+\s+)?)?(?P<name>[^\W\d]\w*)\s*(?:\([^()]*\))?\s*:(?!:)(?P<said>.*)"
)
_MATH = re.compile(r"(?P<before>\w+)?\W*?(?::math:`(?P<role>[^`]+)`|(?<![\\$\w])\$(?P<dollars>[^$\n]+)\$)")
_SYMBOL = re.compile(
    r"(?:\\[A-Za-z]+|[A-Za-z])(?:\s*\{?[A-Za-z]\}?)?(?:_(?:\w|\{[\w\\, ]+\}|\\text\{\w+\}|\\mathrm\{\w+\}))?"
)
# What stands behind these is something else: "smaller than :math:`R`"
_OTHER = frozenset(
    {"than", "of", "to", "from", "by", "in", "with", "as", "for", "where", "when", "if", "and", "or", "is", "are", "at",
     "on", "between", "over", "under", "per", "unit", "units", "like", "via", "using", "since", "because"}
)  # fmt: skip


def spellings(text: str) -> dict[str, str]:
    r"""Parameters with their LaTeX: "`center` (:math:`\mu`)", "`center` corresponds to :math:`\mu`", "`b` for ...".

    So does the one symbol in what a list of parameters says of one: "area : float", below it "Cross section :math:`A`".
    Of a parameter that has two, none.
    """
    found: dict[str, set[str]] = {}
    listed = dict(_listed(text))
    for pattern in (_BESIDE, _TO):
        for match in pattern.finditer(text):
            found.setdefault(match["name"], set()).add(" ".join(match["latex"].split()))
    taken = {name: next(iter(latex)) for name, latex in found.items() if len(latex) == 1}
    others = {name: latex for name, latex in listed.items() if name not in found and latex not in taken.values()}
    return taken | {name: latex for name, latex in others.items() if list(others.values()).count(latex) == 1}


def _listed(text: str) -> Iterator[tuple[str, str]]:
    """Parameters of lists, with the one symbol that is said of each."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        head = _HEAD.fullmatch(line)
        if head is None:
            continue
        deeper = len(head["indent"])
        said = [head["said"]]
        for following in lines[number + 1 :]:
            if not following.strip() or len(following) - len(following.lstrip()) <= deeper:
                break
            said.append(following)
        symbols = [
            symbol
            for match in _MATH.finditer(" ".join(said))
            if _SYMBOL.fullmatch(symbol := (match["role"] or match["dollars"]).strip())
            and (match["before"] or "").lower() not in _OTHER
        ]
        if len(symbols) == 1:
            yield head["name"], symbols[0]
