"""Names that a specification gives: symbols, indices, helpers, function symbols."""

from __future__ import annotations

import keyword
import unicodedata

from yaml.nodes import Node

from eqtrace.spec.document import Document, Entries, Place

_SPELT = (
    "exp expm1 log log1p log2 log10 sqrt cbrt Abs sign floor ceiling Mod sin cos tan asin acos atan atan2 sinh "
    "cosh tanh asinh acosh atanh erf erfc loggamma digamma factorial KroneckerDelta Max Min Sum Product MaxOver "
    "MinOver ArgMax ArgMin Piecewise Old Dim Rank Derivative Var Eq Ne Lt Le Gt Ge And Or Not Implies ForAll "
    "Uniform Categorical Array pi oo"
)
# The words that forms are made of and no symbol can have; formula/ gives them their meaning.
VOCABULARY = frozenset(_SPELT.split())


def check(document: Document, place: Place | None, what: str, words: frozenset[str] = VOCABULARY) -> None:
    """Adds a fault for each key of a mapping that can't be a name in a form."""
    if isinstance(place, Entries):
        for name, node in place.keys.items():
            _check(document, node, name, what, words)


def _check(document: Document, node: Node, name: str, what: str, words: frozenset[str]) -> None:
    if keyword.iskeyword(name):
        reason, hint = "it is a Python keyword", f"for example `{name}_`, with `latex:` for how it is shown"
    elif name in words:
        reason, hint = "it is a word of forms", f"for example `{name}_`, with `latex:` for how it is shown"
    elif not name.isidentifier():
        reason, hint = "a name in a form is a Python name", "letters, digits and `_`, not a digit first"
    elif not name.isascii() and unicodedata.normalize("NFKC", name) != name:
        usual = unicodedata.normalize("NFKC", name)
        reason, hint = f"Python reads it as `{usual}`", f"write `{usual}`"
    else:
        return
    document.fault("reserved-name", node, f"{what} can't be named `{name}`: {reason}", hint)
