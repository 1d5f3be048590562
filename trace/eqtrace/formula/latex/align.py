"""Which claim of a form a claim of LaTeX is, and under which names of indices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from eqtrace.formula.claims import claims, quantifiers
from eqtrace.formula.form import Form, Range
from eqtrace.formula.latex.arrays import ZERO, Arrays, Value
from eqtrace.formula.latex.errors import Misfit
from eqtrace.formula.latex.statements import Clause
from eqtrace.formula.term import (
    Condition,
    Eq,
    ForAll,
    Name,
    Node,
    Old,
    Reduction,
    Statement,
    Term,
    changed,
    children,
    rebuilt,
)

Renaming = dict[str, Term]


@dataclass(frozen=True, slots=True)
class Claimed:
    """One claim of a form."""

    part: int
    node: Statement
    premises: tuple[Condition, ...]
    ranges: Mapping[str, Range]

    @property
    def sides(self) -> tuple[Node, ...]:
        """The sides of an equation."""
        return self.node.sides if isinstance(self.node, Eq) else ()


def claimed(form: Form) -> list[Claimed]:
    """The claims of a form, in their order."""
    found = []
    for part in range(len(form.parts)):
        statement = form.statement(part)
        for node, premises in claims(statement):
            ranges = dict(form.indices)
            for each in quantifiers(statement, node):
                ranges[each.index] = _range(each, form)
            said = ranged(node, form.indices)
            assert isinstance(said, Statement)
            found.append(Claimed(part, said, tuple(ranged(each, form.indices) for each in premises), ranges))  # type: ignore[misc]
    return found


def ranged(node: Node, indices: Mapping[str, Range]) -> Node:
    """A node with the range of every bound index written out."""

    def change(each: Node) -> Node:
        if isinstance(each, Reduction) and each.stop is None and each.index in indices:
            own = indices[each.index]
            each = changed(each, start=own.start, stop=own.stop)
        return rebuilt(each, change)  # type: ignore[no-any-return]

    return change(node)


def _range(node: ForAll, form: Form) -> Range:
    if node.start is None or node.stop is None:
        return form.indices[node.index]
    return Range(node.start, node.stop)


def spread(clause: Clause, arrays: Arrays) -> tuple[tuple[Node, ...], dict[str, Range]]:
    """The sides of a clause entry by entry, and the ranges of the indices that LaTeX leaves out.

    Raises:
        Misfit: the sides have different shapes.
    """
    longest = max(clause.sides, key=lambda side: (len(side.dims), len(side.batch)))
    values = [_like(side, longest, arrays, first=not number) for number, side in enumerate(clause.sides)]
    batch = max((value.batch for value in values), key=len)
    names = [arrays.fresh() for _ in (*batch, *longest.dims)]
    subs = tuple(map(Name, names))
    outer, inner = subs[: len(batch)], subs[len(batch) :]
    nodes = tuple(value.entry(outer[len(batch) - len(value.batch) :], inner) for value in values)
    ranges = {name: Range(ZERO, dim) for name, dim in zip(names, (*batch, *longest.dims), strict=True)}
    return nodes, ranges


def _like(side: Value, longest: Value, arrays: Arrays, *, first: bool) -> Value:
    side = arrays.sized(side, longest)
    if (side.dims and len(side.dims) != len(longest.dims)) or (first and longest.dims and not side.dims):
        raise Misfit("the sides have different numbers of axes", side.offset, side.length)
    if len(side.dims) == 1 and side.turned != longest.turned:
        raise Misfit("a row on one side, a column on the other", side.offset, side.length)
    return arrays.pairs(lambda one, other: other, longest, side, "the sides")


def unified(latex: Node, form: Node, free: set[str]) -> Renaming | None:
    """What LaTeX's indices are in the form, so that both nodes are the same; None where nothing makes them so."""
    found: Renaming = {}
    if not _unify(latex, form, free, found, {}):
        return None
    values = list(found.values())
    return found if all(one != other for n, one in enumerate(values) for other in values[:n]) else None


def distinct(names: Renaming, nodes: Iterable[Node], free: set[str], count: int) -> Renaming:
    """The renaming, and new names for LaTeX's free indices that would be taken for what another one becomes."""
    images = {term.name for term in names.values() if isinstance(term, Name)}
    found = dict(names)
    for name in dict.fromkeys(each for node in nodes for each in _free(node, frozenset())):
        if name in free and name not in names and name in images:
            found[name] = Name(f"{name}_{count}")
    return found


def _free(node: Node, bound: frozenset[str]) -> Iterator[str]:
    if isinstance(node, Name) and node.name not in bound:
        yield node.name
    if isinstance(node, Reduction):
        for end in (node.start, node.stop):
            if end is not None:
                yield from _free(end, bound)
        yield from _free(node.body, bound | {node.index})
        return
    for child in children(node):
        yield from _free(child, bound)


def _unify(latex: Node, form: Node, free: set[str], found: Renaming, bound: dict[str, str]) -> bool:
    if isinstance(latex, Name) and latex.name in bound:
        return isinstance(form, Name) and form.name == bound[latex.name]
    if isinstance(latex, Name) and latex.name in free:
        if not isinstance(form, Term):
            return False
        return found.setdefault(latex.name, form) == form
    if type(latex) is not type(form):
        return False
    for name in latex.__dataclass_fields__:
        one, other = getattr(latex, name), getattr(form, name)
        if name not in ("offset", "length", "index") and isinstance(one, str | int) and one != other:
            return False
    if isinstance(latex, Reduction) and isinstance(form, Reduction):
        bound = {**bound, latex.index: form.index}
    parts, others = list(children(latex)), list(children(form))
    return len(parts) == len(others) and all(
        _unify(one, other, free, found, bound) for one, other in zip(parts, others, strict=True)
    )


def renamed(node: Node, names: Renaming) -> Node:
    """A node with indices put in. Bound ones are their own, and none is caught: forms name every index once."""

    def change(each: Node, hidden: frozenset[str] = frozenset()) -> Node:
        if isinstance(each, Name):
            return each if each.name in hidden else names.get(each.name, each)
        if isinstance(each, Reduction):
            taken = {name for term in names.values() for name in _names(term)}
            if each.index in taken:
                fresh = f"{each.index}'"
                body = _put(each.body, each.index, Name(fresh))
                each = changed(each, body=body, index=fresh)
            hidden = hidden | {each.index}
        return rebuilt(each, lambda child: change(child, hidden))  # type: ignore[no-any-return]

    return change(node)


def _put(node: Node, name: str, new: Term) -> Node:
    def change(each: Node) -> Node:
        if isinstance(each, Name):
            return new if each.name == name else each
        if isinstance(each, Reduction) and each.index == name:
            return each
        return rebuilt(each, change)  # type: ignore[no-any-return]

    return change(node)


def _names(node: Node) -> Iterator[str]:
    if isinstance(node, Name):
        yield node.name
    for child in children(node):
        yield from _names(child)


def from_zero(node: Node, symbols: set[str]) -> Node:
    """A node in which the values before of some symbols are 0."""

    def change(each: Node) -> Node:
        if isinstance(each, Old):
            target = each.target
            return ZERO if (target.name if isinstance(target, Name) else target.base) in symbols else each
        return rebuilt(each, change)  # type: ignore[no-any-return]

    return change(node)
