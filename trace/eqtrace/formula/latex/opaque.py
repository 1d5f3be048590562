"""Derivatives, variances and applied functions as symbols of their own, so that two sides can be compared as they are.

Two of them are one symbol where they are written alike but for their subscripts, which become its subscripts. Nothing
is differentiated: that a derivative has a value by the definitions is for proofs, not for reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from eqtrace.formula.form import Range
from eqtrace.formula.term import (
    Apply,
    Constant,
    Derivative,
    Dim,
    Indexed,
    Name,
    Node,
    Rank,
    Reduction,
    Term,
    Var,
    children,
    rebuilt,
)

INFINITY = "infinity"  # compared as a value of its own: nothing is worked out with it
OPAQUE = (Derivative, Var, Apply, Rank, Dim)


@dataclass
class Opaque:
    """Makes symbols of what is not looked into; `shapes` are those of the symbols made."""

    shapes: Mapping[str, tuple[Term, ...] | None]
    indices: Mapping[str, Range]
    made: dict[str, tuple[Term, ...]] = field(default_factory=dict)
    kinds: dict[str, type[Node]] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def closed(self, node: Node) -> Node:
        """A node without anything that is not looked into."""
        if isinstance(node, OPAQUE):
            return self._symbol(node)
        if node == Constant("oo"):
            self.made[INFINITY] = ()
            return Name(INFINITY)
        return rebuilt(node, self.closed)  # type: ignore[no-any-return]

    def _symbol(self, node: Node) -> Node:
        holes: list[tuple[Term, Term | None]] = []
        skeleton = self._skeleton(node, holes, {})
        name = self._names.setdefault(skeleton, f"opaque{len(self._names)}")
        if any(dim is None for _, dim in holes):
            raise ValueError("a derivative or a function of what has no known length")
        self.kinds[name] = type(node)
        self.made[name] = tuple(dim for _, dim in holes if dim is not None)
        places = tuple(hole for hole, _ in holes)
        return Indexed(name, places) if places else Name(name)

    def _skeleton(self, node: Node, holes: list[tuple[Term, Term | None]], bound: dict[str, str]) -> str:
        if isinstance(node, Indexed):
            dims = self.shapes.get(node.base) or (None,) * len(node.subscripts)
            parts = [self._subscript(sub, dim, holes, bound) for sub, dim in zip(node.subscripts, dims, strict=False)]
            return f"{node.base}[{','.join(parts)}]"
        if isinstance(node, Apply):
            parts = [self._skeleton(each, holes, bound) for each in node.args]
            subs = [self._skeleton(each, holes, bound) for each in node.subscripts]
            return f"{node.function}({','.join(parts)})[{','.join(subs)}]"
        if isinstance(node, Name):
            if node.name in bound:
                return bound[node.name]
            if node.name in self.indices:
                holes.append((node, self.indices[node.name].stop))
                return "@"
            return node.name
        if isinstance(node, Reduction):
            own = {**bound, node.index: f"#{len(bound)}"}
            ends = [end if end is not None else None for end in (node.start, node.stop)]
            shown = [self._skeleton(end, holes, bound) if end is not None else "" for end in ends]
            return f"{type(node).__name__}({self._skeleton(node.body, holes, own)},{','.join(shown)})"
        words = [
            str(getattr(node, name))
            for name in node.__dataclass_fields__
            if name not in ("offset", "length") and not isinstance(getattr(node, name), Node | tuple)
        ]
        parts = [self._skeleton(each, holes, bound) for each in children(node)]
        return f"{type(node).__name__}({','.join((*words, *parts))})"

    def _subscript(
        self, sub: Term, dim: Term | None, holes: list[tuple[Term, Term | None]], bound: dict[str, str]
    ) -> str:
        if isinstance(sub, Name) and sub.name in bound:
            return bound[sub.name]
        if any(name in bound for name in _names(sub)):
            return self._skeleton(sub, holes, bound)
        holes.append((sub, dim))
        return "@"


def _names(node: Node) -> set[str]:
    found = {node.name} if isinstance(node, Name) else set()
    for child in children(node):
        found |= _names(child)
    return found
