"""Symbols of a topic: meaning, name in code, shape, and the values they may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from eqtrace.model.span import Span, Text


@dataclass(frozen=True, slots=True)
class Domain:
    """The values that a symbol may take. Bounds are expressions over sizes and symbols."""

    minimum: Text | None = None
    maximum: Text | None = None
    open: frozenset[str] = frozenset()  # 'min', 'max': the bound itself is left out
    integer: bool = False
    one_of: tuple[float, ...] = ()
    words: tuple[str, ...] = ()  # the only values, where these are strings
    letters: str = ""  # of a text: the characters that it is made of
    probability_row: bool = False
    permutation: bool = False
    distinct: bool = False
    function: bool = False  # a function of the code, opaque to forms


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol. `code` maps a function's qualified name to the name the code gives it, `''` holding for all others.

    A name of None says that the code gives it none. `shape` holds dimensions as expressions (`'T'`, `'H*dh'`), `'...'`
    only first; None is unknown, `()` a scalar.
    """

    name: str
    span: Span
    meaning: str = ""
    code: Mapping[str, str | None] = field(default_factory=dict)
    shape: tuple[Text, ...] | None = None
    parameter: bool = False
    latex: tuple[str, ...] = ()
    domain: Domain = Domain()

    def code_name(self, function: str) -> str | None:
        """The symbol's name in `function`; None where the code gives it none."""
        return self.code.get(function, self.code.get(""))
