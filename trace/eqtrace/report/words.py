"""The words that pages use for what the model calls by its own names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from eqtrace.model.anchor import Role
from eqtrace.model.verdict import Verdict

ROLES = {
    Role.COMPUTES: "Computes it",
    Role.INLINE: "Written inline",
    Role.CALLS: "Calls it",
    Role.TESTS: "Tests it",
    Role.EXPLAINS: "Explains it",
    Role.STATES: "States it",
}

DIRECTIONS = {"forward": "Forward", "backward": "Backward", "neither": "Neither differentiated"}
STATUSES = {"implemented": "Implemented", "derived": "Derived from the implementation"}

GIVEN, FUNCTION = "takes as known", "applies"
"""How an equation rests on another."""

_GREEK = re.compile(
    "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|upsilon|phi|chi|psi|"
    "omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega"
)


@dataclass(frozen=True, slots=True)
class Badge:
    """How a verdict looks: a class, a sign that does without colour, the word, and what it means."""

    name: str
    sign: str
    word: str
    meaning: str


BADGES = {
    Verdict.PROVED: Badge("proved", "✓", "proved", "Proved from the forms, for all sizes."),
    Verdict.PROVED_AT_SIZES: Badge("proved", "✓", "proved at sizes", "Shown exactly, at the small sizes tried."),
    Verdict.CERTIFIED: Badge("certified", "✓", "certified", "Shown in exact balls, at the points tried."),
    Verdict.CERTIFIED_TO_CONSTANTS: Badge(
        "certified", "✓", "certified to constants", "Shown in exact balls, up to the rounding of constants in the code."
    ),
    Verdict.TESTED: Badge(
        "tested", "●", "tested", "Shown by references, statistics, constraints, the order of calls or structure."
    ),
    Verdict.SAMPLED: Badge("tested", "●", "sampled", "Shown in float64 only, at the points tried."),
    Verdict.NOT_CHECKED: Badge("unchecked", "?", "not checked", "Nothing was shown."),
    Verdict.REFUTED: Badge("refuted", "✗", "refuted", "The code does not compute the formula."),
}
NOT_RUN = Badge("unchecked", "?", "not verified", "No method was run, so nothing was shown.")


def badge(verdict: str | None) -> Badge:
    """The badge of a verdict; None is that of a run without methods."""
    return NOT_RUN if verdict is None else BADGES[Verdict(verdict)]


def slug(text: str) -> str:
    """The text as part of a file's name or an id."""
    return re.sub(r"[^\w.:-]+", "-", text).strip("-.") or "-"


def latex_of(symbol: str) -> str:
    """LaTeX of a symbol that the specification gives no spelling: Greek letters and trailing indices are known."""
    found = re.fullmatch(r"(d?)([A-Za-z]+?)(?:_?(\d+)|_([A-Za-z]\w*))?", symbol)
    if found is None:
        return rf"\mathrm{{{symbol}}}".replace("_", r"\_")
    prefix, stem, digits, index = found.groups()
    if prefix and len(stem) > 1 and not _GREEK.fullmatch(stem) and not stem[0].isupper():
        prefix, stem = "", prefix + stem
    body = rf"\{stem}" if _GREEK.fullmatch(stem) else stem if len(stem) == 1 else rf"\mathrm{{{stem}}}"
    below = digits or (rf"\mathrm{{{index}}}".replace("_", r"\_") if index and len(index) > 1 else index)
    return prefix + (rf"{body}_{{{below}}}" if below else body)
