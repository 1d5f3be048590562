"""Proofs that a mutant computes the same: only these excuse one that survives.

Three are known. The values have the same normal form (`normal`); the function that is called gives the same with two of
its arguments exchanged (`exchanged`); or the mutant writes over an array that the function made itself and never reads
again (`overwritten`).
"""

from __future__ import annotations

import ast
import copy

from eqtrace.code.mutation.exchanged import exchanged
from eqtrace.code.mutation.kinds import Find, kinds_in
from eqtrace.code.mutation.normal import Normal
from eqtrace.code.mutation.overwritten import unread
from eqtrace.code.source import SourceFile
from eqtrace.model.mutant import Mutant


def _nowhere(module: str) -> None:
    """Of a file by itself, no other module is known."""


def proof(mutant: Mutant, file: SourceFile, find: Find = _nowhere, numbers: frozenset[str] = frozenset()) -> str:
    """Why a mutant is equivalent, in words; '' where that was not shown.

    Args:
        mutant: the mutant.
        file: the file in which it stands.
        find: gives the user's modules by their dotted names, for the annotations that the file imports.
        numbers: expressions of the statement that are known to be numbers, or arrays of numbers.
    """
    old, new = _statement(mutant.old), _statement(mutant.new)
    if old is None or new is None:
        return ""
    kinds = kinds_in(file, mutant.function, find, numbers)
    if mutant.operator == "in-place":
        return unread(mutant, file, new, kinds)
    shown = _same(old, new, Normal(kinds))
    if shown:
        return f"both are {shown} in normal form"
    return exchanged(old, new, kinds, find) if mutant.operator == "swapped-arguments" else ""


def _statement(text: str) -> ast.stmt | None:
    try:
        return ast.parse(f"{text}\n    pass" if text.endswith(":") else text).body[0]
    except SyntaxError:
        return None


def _same(old: ast.stmt, new: ast.stmt, normal: Normal) -> str:
    """The common normal form of two statements that differ in one value alone."""
    for name in ("value", "test", "iter"):
        one, other = getattr(old, name, None), getattr(new, name, None)
        if isinstance(one, ast.expr) and isinstance(other, ast.expr):
            text = normal.text(one)
            framed = ast.dump(_without(old, name)) == ast.dump(_without(new, name))
            return text if framed and text == normal.text(other) else ""
    return ""


def _without(statement: ast.stmt, name: str) -> ast.stmt:
    frame = copy.copy(statement)
    setattr(frame, name, ast.Constant(None))
    return frame
