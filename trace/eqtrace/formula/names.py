"""Names of a form held against what is declared: symbols and their subscripts, indices and their ranges, functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from eqtrace.formula.claims import claims, free_names, left_sides, right_sides
from eqtrace.formula.form import Range, Shape
from eqtrace.formula.helpers import Helpers
from eqtrace.formula.term import (
    Apply,
    ArrayShape,
    Call,
    Derivative,
    Dim,
    Distributed,
    Eq,
    ForAll,
    Indexed,
    Name,
    Node,
    Rank,
    Reduction,
    Statement,
    Var,
    children,
)
from eqtrace.formula.vocabulary import VOCABULARY, Kind, nearest

Found: TypeAlias = tuple[str, Node, str, str]  # kind of fault, node, message, hint
_CALLED = [word.name for word in VOCABULARY.values() if word.kind is not Kind.CONSTANT]


@dataclass(slots=True)
class Names:
    """What an equation declares.

    With `any_name` every name that is not declared counts as a symbol of unknown shape; `met` collects them.
    """

    shapes: Mapping[str, Shape | None]
    sizes: frozenset[str]
    indices: Mapping[str, Range | None]
    let: tuple[str, ...]
    functions: tuple[str, ...]
    any_name: bool = False
    met: set[str] = field(default_factory=set)

    def check(self, node: Node) -> list[Found]:
        """Every name that is not declared, and every symbol that is subscripted another way than it is declared."""
        return list(self._check(node, frozenset()))

    def unbound(self, statement: Statement, helpers: Helpers) -> Iterator[Found]:
        """Indices of a right side that no Sum binds and that do not stand on the left."""
        bound_outside = frozenset(node.index for node in _quantifiers(statement))
        for claim, premises in claims(statement):
            if not isinstance(claim, Eq | Distributed):
                continue
            allowed = {*bound_outside}
            for node in (*left_sides(claim), *premises):
                allowed.update(helpers.free(node))
            for node in right_sides(claim):
                for name in dict.fromkeys(helpers.free(node)):
                    if name not in allowed:
                        place = next((use for use in _uses(node, name)), node)
                        hint = f"bind it, as Sum(e, {name}), or let it stand on the left side"
                        yield "form-syntax", place, f"index {name} is free here but not on the left side", hint

    def _check(self, node: Node, local: frozenset[str], *, whole: bool = False) -> Iterator[Found]:
        match node:
            case Name(name=name):
                yield from self._name(node, name, local, whole=whole)
                return
            case Indexed(base=base):
                yield from self._indexed(node, base, local)
            case Reduction() | ForAll():
                yield from self._binder(node, local)
                return
            case Apply(function=function, args=args, subscripts=subscripts):
                yield from self._apply(node, function)
                for argument in args:
                    yield from self._check(argument, local, whole=True)
                for subscript in subscripts:
                    yield from self._check(subscript, local)
                return
            case Call(function=function) if function in self.shapes:
                hint = f"write {function}*(...)"
                yield "form-syntax", node, f"{function} is a symbol here and cannot be called", hint
            case Dim(symbol=symbol) | Rank(symbol=symbol) | ArrayShape(symbol=symbol):
                yield from self._symbol(node, symbol)
        whole = isinstance(node, Var | Derivative | Distributed)
        for child in children(node):
            yield from self._check(child, local, whole=whole)

    def _name(self, node: Node, name: str, local: frozenset[str], *, whole: bool) -> Iterator[Found]:
        if name in local or name in self.indices or name in self.let:
            return
        if name not in self.shapes:
            if name not in self.sizes:
                yield from self._unknown(node, name)
            return
        shape = self.shapes[name]
        if shape is not None and shape.dims and not whole and name not in self.sizes:
            hint = f"write {name}[{', '.join('ijklmn'[: len(shape.dims)])}], with indices of its axes"
            yield "form-syntax", node, f"{name} has {_axes(shape)} and stands without subscripts", hint

    def _indexed(self, node: Indexed, base: str, local: frozenset[str]) -> Iterator[Found]:
        if base not in self.shapes:
            if base in self.let or base in self.indices or base in self.sizes or base in local:
                yield "form-syntax", node, f"{base} takes no subscripts", "only symbols do"
            else:
                yield from self._unknown(node, base, length=len(base))
            return
        shape = self.shapes[base]
        if shape is not None and len(shape.dims) != len(node.subscripts):
            hint = "axes under ... are not written" if shape.batch else ""
            message = f"{base} has {_axes(shape)} but {len(node.subscripts)} subscripts"
            yield "form-syntax", node, message, hint

    def _binder(self, node: Reduction | ForAll, local: frozenset[str]) -> Iterator[Found]:
        if node.stop is None and node.index not in self.indices and node.index not in local:
            known = [*self.indices]
            hint = nearest(node.index, known) or f"declare it under indices, or write ({node.index}, first, last)"
            yield "unknown-symbol", node, f"index {node.index} has no range", hint
        if node.index in self.shapes or node.index in self.sizes:
            yield "form-syntax", node, f"{node.index} is a symbol or a size and cannot be an index", ""
        for end in (node.start, node.stop):
            if end is not None:
                yield from self._check(end, local)
        yield from self._check(node.body, local | {node.index})

    def _apply(self, node: Apply, function: str) -> Iterator[Found]:
        if function in self.functions:
            return
        if function in self.shapes or function in self.let or function in self.sizes:
            yield "form-syntax", node, f"{function} is no function", f"write {function}*(...) or {function}[...]"
            return
        hint = nearest(function, [*self.functions, *_CALLED])
        short = _cut(node, len(function))
        yield "unknown-symbol", short, f"{function} is neither a word of forms nor a declared function symbol", hint

    def _symbol(self, node: Node, name: str) -> Iterator[Found]:
        if name not in self.shapes:
            yield from self._unknown(node, name)

    def _unknown(self, node: Node, name: str, length: int = 0) -> Iterator[Found]:
        if self.any_name:
            self.met.add(name)
            return
        known = [*self.shapes, *self.sizes, *self.indices, *self.let, *self.functions]
        place = _cut(node, length) if length else node
        yield (
            "unknown-symbol",
            place,
            f"{name} is no symbol, size, index or helper of this equation",
            nearest(name, known),
        )


def _axes(shape: Shape) -> str:
    count = len(shape.dims)
    return f"{'... and ' if shape.batch else ''}{count} {'axis' if count == 1 else 'axes'}"


def _cut(node: Node, length: int) -> Node:
    return Name("", offset=node.offset, length=length)


def _quantifiers(node: Node) -> Iterator[ForAll]:
    if isinstance(node, ForAll):
        yield node
    if isinstance(node, Statement):
        for child in children(node):
            yield from _quantifiers(child)


def _uses(node: Node, name: str) -> Iterator[Node]:
    if isinstance(node, Name) and name in free_names(node, [name]):
        yield node
    elif not (isinstance(node, Reduction) and node.index == name):
        for child in children(node):
            yield from _uses(child, name)
