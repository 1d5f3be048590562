"""The single claims of a statement, their sides, and the names that are free in them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from eqtrace.formula.term import (
    And,
    ArrayShape,
    Compare,
    Condition,
    Distributed,
    Eq,
    ForAll,
    Implies,
    Indexed,
    Name,
    Node,
    Not,
    Or,
    Reduction,
    Statement,
    children,
    symbol_names,
)


def claims(
    statement: Statement, premises: tuple[Condition, ...] = ()
) -> Iterator[tuple[Statement, tuple[Condition, ...]]]:
    """The single claims of a statement, each with the conditions under which it is made."""
    if isinstance(statement, And):
        for part in statement.parts:
            yield from claims(part, premises)
    elif isinstance(statement, Implies):
        yield from claims(statement.conclusion, (*premises, statement.premise))
    elif isinstance(statement, ForAll):
        yield from claims(statement.body, premises)
    else:
        yield statement, premises


def quantifiers(statement: Statement, claim: Statement) -> tuple[ForAll, ...]:
    """The ForAll nodes around a single claim of a statement, outermost first."""
    if isinstance(statement, ForAll):
        inner = quantifiers(statement.body, claim)
        return (statement, *inner) if any(found is claim for found, _ in claims(statement.body)) else ()
    if isinstance(statement, And | Implies):
        parts = statement.parts if isinstance(statement, And) else (statement.conclusion,)
        return next((found for part in parts if (found := quantifiers(part, claim))), ())
    return ()


def left_sides(claim: Statement) -> tuple[Node, ...]:
    """What stands on the left of a single claim."""
    if isinstance(claim, Eq):
        return (claim.sides[0],)
    if isinstance(claim, Distributed):
        return (claim.subject,)
    if isinstance(claim, Compare):
        return (claim.left,)
    if isinstance(claim, ArrayShape):
        return (claim,)
    if isinstance(claim, Or):
        return tuple(side for part in claim.parts for side in left_sides(part))
    if isinstance(claim, Not):
        return left_sides(claim.part)
    return ()


def right_sides(claim: Statement) -> tuple[Node, ...]:
    """What stands on the right of a single claim."""
    if isinstance(claim, Eq):
        return claim.sides[1:]
    if isinstance(claim, Distributed):
        return claim.args
    if isinstance(claim, ArrayShape):
        return claim.sizes
    return (claim,)


def left_names(side: Node) -> Iterator[str]:
    """The symbol whose entry a left side is, or every symbol in it."""
    if isinstance(side, Indexed):
        yield side.base
    elif isinstance(side, Name):
        yield side.name
    elif isinstance(side, ArrayShape):
        yield side.symbol
    else:
        yield from (name for name in symbol_names(side) if not name.startswith("Old("))


def free_names(node: Node, names: Collection[str], helpers: Mapping[str, tuple[str, ...]] = {}) -> Iterator[str]:
    """Those of `names` that occur in a node and that no Sum, ForAll or the like within it binds.

    `helpers` gives the free names of helper names, which count where those stand.
    """
    if isinstance(node, Name):
        if node.name in names:
            yield node.name
        yield from helpers.get(node.name, ())
        return
    if isinstance(node, Reduction | ForAll):
        for end in (node.start, node.stop):
            if end is not None:
                yield from free_names(end, names, helpers)
        yield from (name for name in free_names(node.body, names, helpers) if name != node.index)
        return
    for child in children(node):
        yield from free_names(child, names, helpers)


def index_names(node: Node, indices: Collection[str]) -> Iterator[str]:
    """Indices that are free in a node, or bound in it over their own range."""
    own = ""
    if isinstance(node, Name) and node.name in indices:
        yield node.name
    if isinstance(node, Reduction | ForAll):
        if node.stop is None:
            yield node.index
        else:
            own = node.index
    for child in children(node):
        yield from (name for name in index_names(child, indices) if name != own)
