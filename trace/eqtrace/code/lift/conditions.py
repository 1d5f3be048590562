"""Where a form holds: what it needs to be defined, gathered while a function is read, and the indices that it uses."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from eqtrace.code.lift.terms import factors, has_names, is_positive
from eqtrace.code.lift.value import Value

_LETTERS = ("i", "j", "l", "m", "p", "q", "r", "s", "t")
_SUMMED = ("k", "h", "u", "v", "w")
# `e` is left out: readers take it for a number
_OVER = re.compile(r"\\(?:sum|prod|max|min)(?:\\limits)?\s*_\s*(?:([a-df-z])|\{\s*([a-df-z])(?![A-Za-z]))")


class Conditions:
    """See the module. Names that are `taken` are no indices; sums have the letters of those that a docstring prints."""

    def __init__(self, taken: Collection[str], docstring: str = "") -> None:
        printed = dict.fromkeys(one or other for one, other in _OVER.findall(docstring))
        self._printed = tuple(each for each in printed if each not in taken)
        self.letters = tuple(each for each in _LETTERS if each not in taken and each not in self._printed)
        self.where: list[str] = []
        self.indices: dict[str, str] = {}  # that are summed over, and their sizes
        self.branch: list[Value] = []  # the negations of what holds where one reads
        self._summed = next((each for each in _SUMMED if each not in taken and each not in self._printed), "k")

    def letter(self, size: str) -> str:
        """Another index to sum over a size."""
        count = len(self.indices)
        name = self._printed[count] if count < len(self._printed) else f"{self._summed}{count or ''}"
        self.indices[name] = size
        return name

    def needs(self, value: Value, condition: str) -> None:
        """What a form needs to be defined, in a branch where that is taken."""
        if any(each.dims for each in (value, *self.branch)) and (self.branch or len(value.dims) > 1):
            return
        term = value.at(self.letters[: len(value.dims)])
        if any(isinstance(each, ast.Name) and each.id in self.indices for each in ast.walk(term)) or not has_names(
            term
        ):
            return
        for each in factors(term) if condition.startswith("Ne") else [term]:
            if has_names(each) and not is_positive(each):
                self.needed(condition.format(ast.unparse(each)))

    def needed(self, condition: str) -> None:
        """Notes what must hold where one reads."""
        others = [ast.unparse(way.at(())) for way in self.branch]
        self.where.append(f"Or({', '.join((*others, condition))})" if others else condition)

    @contextmanager
    def where_not(self, condition: Value) -> Iterator[None]:
        """For what is read where a condition does not hold."""
        self.branch.append(condition)
        try:
            yield
        finally:
            self.branch.pop()
