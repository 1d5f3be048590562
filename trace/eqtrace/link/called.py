"""The numbers that matter in functions which cited lines call: such that those compare with, or cut arrays at."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from eqtrace.code.conditions import constants, numbers
from eqtrace.code.entity import FUNCTION, FunctionRef, Scope
from eqtrace.code.index import Index
from eqtrace.code.names import Names
from eqtrace.code.source import SourceFile, Statement
from eqtrace.code.tree import FunctionNode, walk
from eqtrace.model.anchor import Match


class Called:
    """Looks one call deep, into functions of the sources that names lead to."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._names = Names(index)
        self._sources = frozenset(index.sources())
        self._numbers: dict[FunctionRef, frozenset[float]] = {}
        self._constants: dict[str, dict[str, object]] = {}

    def numbers(self, match: Match) -> tuple[float, ...]:
        """The numbers of all functions that a cited line, or the whole function that is meant, calls by itself."""
        file = self._index.file(match.span.path) if match.span is not None and match.anchor.computing else None
        if file is None or match.span is None:
            return ()
        if match.anchor.target is not None:
            statements = list(_within(file, match.function))
        else:
            cited = file.statement_at(match.span.line, match.span.column, match.function)
            statements = [cited] if cited is not None else []
        called = {ref for each in statements for ref in self._called(each)}
        return tuple(sorted({number for ref in called for number in self._of(ref)}))

    def _called(self, statement: Statement) -> Iterator[FunctionRef]:
        if isinstance(statement.node, FunctionNode | ast.ClassDef) or "(" not in statement.file.text_of(statement.node):
            return
        scope = Scope(statement.file.path, statement.function)
        for node in walk(statement.node):
            if isinstance(node, ast.Call):
                try:
                    found = self._names.resolve(node.func, scope)
                except RecursionError:
                    continue  # an expression nested beyond what people write
                yield from (entity.ref for entity in found if entity.kind == FUNCTION)

    def _of(self, ref: FunctionRef) -> frozenset[float]:
        found = self._numbers.get(ref)
        if found is None:
            found = self._numbers[ref] = self._read(ref)
        return found

    def _read(self, ref: FunctionRef) -> frozenset[float]:
        file = self._index.file(ref.path) if ref.path in self._sources else None
        node = file.functions.get(ref.qualname) if file is not None else None
        if file is None or not isinstance(node, FunctionNode):
            return frozenset()
        if ref.path not in self._constants:
            self._constants[ref.path] = constants(file.tree)
        return numbers(node, self._constants[ref.path], whole=True)


def _within(file: SourceFile, function: str) -> Iterator[Statement]:
    """The statements of a function, and of functions within it."""
    for name in file.functions:
        if name == function or name.startswith(f"{function}."):
            yield from file.statements_in(name)
