"""Which symbol a parameter is, where documentation says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BESIDE = re.compile(r"`{1,2}(?P<name>\w+)`{1,2}\s*\(:math:`(?P<latex>[^`=<>+*/,]+)`\)")
_TO = re.compile(r"`{1,2}(?P<name>\w+)`{1,2}\s+(?:(?:corresponds\s+)?to|for)\s+:math:`(?P<latex>[^`=<>+*/,]+)`")
_HEAD = re.compile(
    r"(?P<indent>\s*)(?::param\s+(?:[^\s:]+\s+)?)?(?P<name>[^\W\d]\w*)\s*(?:\([^()]*\))?\s*:(?!:)(?P<said>.*)"
)
_SUBSCRIPT = r"_(?:\w|\{[\w\\, ]+\}|\\text\{\w+\}|\\mathrm\{\w+\})"
_SYMBOL = rf"(?:\\[A-Za-z]+|[A-Za-z])(?:\s*\{{?[A-Za-z]\}}?)?(?:{_SUBSCRIPT})?"
# "Cross section :math:`A`.": a few words, and the symbol that they mean
_MEANT = re.compile(
    rf"(?P<words>(?:[A-Za-z][\w-]*\s+){{0,4}})(?::math:`(?P<role>{_SYMBOL})`|\$(?P<dollars>{_SYMBOL})\$)\s*(?:[.,;(\[]|$)"
)
# What stands behind these is something else: "smaller than :math:`R`"
_OTHER = frozenset(
    (  # noqa: SIM905 (as a list it is many lines)
        "than of to from by in with as for where when if and or is are at on between over under per unit units like "
        "via using since because not no half twice double log exceed exceeds below above sets gives giving called "
        "relative minus negative inverse divides must may should can before after without squared divided times "
        "within beyond equal equals defines determines controls"
    ).split()
)
_LETTER = re.compile(r"[A-Za-z]\d*")


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
    names = {head["name"] for line in text.split("\n") if (head := _HEAD.fullmatch(line)) is not None}
    others = {
        name: latex
        for name, latex in listed.items()
        # a letter is written as it is, and the name of another parameter is that one's
        if not (name in found or latex in taken.values() or latex in names or _LETTER.fullmatch(name))
    }
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
        meant = _MEANT.match(" ".join(" ".join(said).split()))
        if meant is not None and _OTHER.isdisjoint(meant["words"].lower().split()):
            yield head["name"], meant["role"] or meant["dollars"]
