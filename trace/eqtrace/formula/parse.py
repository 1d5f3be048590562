"""Texts of forms, conditions and dimensions, read through a whitelist into terms; every error of a text at once."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from eqtrace.formula.reader import Reader
from eqtrace.formula.syntax import FormError, read_tree
from eqtrace.formula.term import Condition, Statement, Term

Errors = tuple[FormError, ...]
Found = TypeVar("Found")


def parse_statement(text: str) -> tuple[Statement | Term | None, Errors]:
    """A form: a statement, or (short form) a bare term."""
    return _parse(text, lambda reader, node: reader.statement(node, bare=True))


@lru_cache(maxsize=4096)  # the same lengths and ends of ranges stand in many equations
def parse_term(text: str) -> tuple[Term | None, Errors]:
    """A term: a helper's, a dimension, an end of a range."""
    return _parse(text, lambda reader, node: reader.term(node))


def parse_conditions(text: str) -> tuple[tuple[Condition, ...], Errors]:
    """A `where`: conditions, a comma being `and`; an empty text has none."""
    if not text.strip():
        return (), ()

    def conditions(reader: Reader, node: ast.expr) -> tuple[Condition, ...]:
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        return tuple(reader.condition(part) for part in parts)

    found, errors = _parse(text, conditions)
    return found or (), errors


def _parse(text: str, read: Callable[[Reader, ast.expr], Found]) -> tuple[Found | None, Errors]:
    tree = read_tree(text)
    if isinstance(tree, FormError):
        return None, (tree,)
    reader = Reader(tree)
    found = read(reader, tree.root)
    return (None, tuple(dict.fromkeys(reader.errors))) if reader.errors else (found, ())
