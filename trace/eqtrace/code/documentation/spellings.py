"""Which symbol a parameter is, where documentation says so."""

from __future__ import annotations

import re

_BESIDE = re.compile(r"`{1,2}(?P<name>\w+)`{1,2}\s*\(:math:`(?P<latex>[^`=<>+*/,]+)`\)")
_TO = re.compile(r"`{1,2}(?P<name>\w+)`{1,2}\s+(?:(?:corresponds\s+)?to|for)\s+:math:`(?P<latex>[^`=<>+*/,]+)`")


def spellings(text: str) -> dict[str, str]:
    r"""Parameters with their LaTeX: "`center` (:math:`\mu`)", "`center` corresponds to :math:`\mu`", "`b` for ...".

    Of a parameter that has two, none.
    """
    found: dict[str, set[str]] = {}
    for pattern in (_BESIDE, _TO):
        for match in pattern.finditer(text):
            found.setdefault(match["name"], set()).add(" ".join(match["latex"].split()))
    return {name: next(iter(latex)) for name, latex in found.items() if len(latex) == 1}
