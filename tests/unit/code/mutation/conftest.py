from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from eqtrace.code.mutation.generate import mutants
from eqtrace.code.source import SourceFile, parse
from eqtrace.model.mutant import Mutant


@pytest.fixture
def source() -> Callable[[str], SourceFile]:
    """Parses a text as the file `ops.py`."""
    return lambda text: parse("ops.py", textwrap.dedent(text).lstrip("\n").encode())


@pytest.fixture
def mutated(source: Callable[[str], SourceFile]) -> Callable[..., list[Mutant]]:
    """The mutants of a text's last statement, or of the one that begins so."""

    def find(text: str, start: str = "") -> list[Mutant]:
        file = source(text)
        statements = [each for each in file.statements if each.source.startswith(start)]
        return list(mutants(max(statements, key=lambda each: each.span), ("a.b",)))

    return find
