from __future__ import annotations

from eqtrace.formula.vocabulary import VOCABULARY as WORDS
from eqtrace.spec.names import VOCABULARY


def test_the_words_are_those_of_forms() -> None:
    assert frozenset(name for name, word in WORDS.items() if word.reserved) == VOCABULARY
