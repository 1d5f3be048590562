"""A module's syntax tree with parents, places in characters, scopes, and edits that keep every line number."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from eqtrace.code.source import SourceFile
from eqtrace.code.tree import FunctionNode, StatementNode

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_MARKS = (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)
_Node = TypeVar("_Node", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a node hangs in its parent."""

    parent: ast.AST
    field: str
    index: int | None


class Tree:
    """A parsed module that probes are put into."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self.module = file.tree
        self._slots: dict[int, Slot] = {}
        self._statements: dict[tuple[int, int], StatementNode] = {}
        waiting: list[ast.AST] = [file.tree]
        while waiting:
            parent = waiting.pop()
            for name, index, child in _children(parent):
                waiting.append(child)
                self._slots[id(child)] = Slot(parent, name, index)
                if isinstance(child, StatementNode):
                    for place in self._places(child):
                        self._statements.setdefault(place, child)

    def statement(self, line: int, column: int) -> StatementNode | None:
        """The statement that begins there; a decorated one at its `def` or at its first `@`."""
        return self._statements.get((line, column))

    def end(self, node: StatementNode) -> tuple[int, int]:
        """One past a statement's last character."""
        span = self._file.span(node)
        return span.end_line, span.end_column

    def _places(self, node: StatementNode) -> Iterator[tuple[int, int]]:
        if isinstance(node, ast.match_case):
            span = self._file.span(node)
            yield span.line, span.column
            return
        yield node.lineno, self._file.column(node.lineno, node.col_offset)
        if isinstance(node, FunctionNode | ast.ClassDef) and node.decorator_list:
            first = node.decorator_list[0]
            column = self._file.column(first.lineno, first.col_offset)
            yield first.lineno, column
            yield first.lineno, self._file.lines[first.lineno - 1].rfind("@", 0, column - 1) + 1

    def ancestors(self, node: ast.AST) -> Iterator[tuple[ast.AST, Slot]]:
        """A node's parents, innermost first, each with the slot that leads down from it."""
        while (slot := self._slots.get(id(node))) is not None:
            yield slot.parent, slot
            node = slot.parent

    def inner_scope(self, node: ast.expr, statement: StatementNode) -> ast.AST | None:
        """The comprehension, generator expression or lambda of `statement` in whose scope `node` is evaluated."""
        below: ast.AST = node
        for parent, slot in self.ancestors(node):
            if parent is statement:
                return None
            if isinstance(parent, ast.Lambda) and slot.field == "body":
                return parent
            if isinstance(parent, _COMPREHENSIONS) and not (
                slot.field == "generators" and slot.index == 0 and self._from_iterable(node, below)
            ):
                return parent
            below = parent
        return None

    def _from_iterable(self, node: ast.AST, generator: ast.AST) -> bool:
        """Whether `node` lies in a comprehension clause's iterable, which the scope outside evaluates for the first."""
        assert isinstance(generator, ast.comprehension)
        return node is generator.iter or any(parent is generator.iter for parent, _ in self.ancestors(node))

    def common(self, nodes: list[ast.expr], scope: ast.AST) -> ast.expr | None:
        """The smallest expression inside `scope` that holds all of `nodes`."""
        chains = []
        for node in nodes:
            chain: list[ast.AST] = [node]
            for parent, _ in self.ancestors(node):
                if parent is scope:
                    break
                chain.append(parent)
            chains.append(chain)
        shared = [node for node in chains[0] if all(any(node is other for other in chain) for chain in chains[1:])]
        for candidate in shared:
            if isinstance(candidate, ast.expr) and self.can_wrap(candidate):
                return candidate
        return None

    def can_wrap(self, node: ast.AST) -> bool:
        """Whether a call can stand for `node`: it is evaluated as a value of its own."""
        if not isinstance(node, ast.expr) or isinstance(node, (ast.Slice, ast.Starred, ast.FormattedValue)):
            return False
        if not isinstance(getattr(node, "ctx", None), (ast.Load, type(None))):
            return False
        slots = [self._slots[id(node)], *(slot for _, slot in self.ancestors(node))]
        if slots[0].field == "format_spec" or isinstance(slots[0].parent, ast.JoinedStr):
            return False
        return not any(slot.field in ("annotation", "returns", "type_params", "pattern") for slot in slots)

    def owner(self, node: ast.AST) -> str:
        """The name of the innermost class around `node`, which mangles private names; '' outside of classes."""
        return next((parent.name for parent, _ in self.ancestors(node) if isinstance(parent, ast.ClassDef)), "")

    def in_local_class(self, node: StatementNode) -> bool:
        """Whether a statement runs in the body of a class inside a function, whose names its frame does not show."""
        kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        around = [parent for parent, _ in self.ancestors(node) if isinstance(parent, kinds)]
        return bool(around) and isinstance(around[0], ast.ClassDef) and any(isinstance(p, FunctionNode) for p in around)

    def before(self, statement: StatementNode) -> list[ast.stmt]:
        """The statements that stand before one in its block."""
        slot = self._slots[id(statement)]
        block = getattr(slot.parent, slot.field)
        return list(block[: slot.index]) if isinstance(block, list) else []

    def wrap(self, node: ast.expr, make: Callable[[ast.expr], ast.expr]) -> None:
        """Puts an expression around `node` (and around what was put there before)."""
        slot = self._slots[id(node)]
        held = getattr(slot.parent, slot.field)
        if slot.index is None:
            setattr(slot.parent, slot.field, located(make(held), node))
        else:
            held[slot.index] = located(make(held[slot.index]), node)

    def insert(self, statement: StatementNode, before: list[ast.stmt], after: list[ast.stmt]) -> None:
        """Puts statements around `statement`; before an `except` or `case` clause nothing can stand."""
        slot = self._slots[id(statement)]
        body = getattr(slot.parent, slot.field)
        place = next(i for i, item in enumerate(body) if item is statement)
        body[place : place + 1] = [
            *(located(item, statement) for item in before),
            statement,
            *(located(item, statement) for item in after),
        ]


def located(new: _Node, place: ast.AST) -> _Node:
    """Gives those nodes of `new` that have no place yet the place of another."""
    waiting: list[ast.AST] = [new]
    while waiting:
        node = waiting.pop()
        if "lineno" in node._attributes:
            if hasattr(node, "lineno"):
                continue
            ast.copy_location(node, place)
        waiting.extend(child for _, _, child in _children(node))
    return new


def own_nodes(function: FunctionNode) -> Iterator[ast.AST]:
    """The nodes that run in a function's own frame: nested functions, classes and lambdas are left out."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting.extend(child for _, _, child in _children(node))


def _children(node: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    """The parts of a node; whether a name is read or written, and which operator stands somewhere, is none."""
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            if not isinstance(value, _MARKS):
                yield name, None, value
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield name, index, item
