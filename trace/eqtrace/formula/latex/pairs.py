"""What must be shown for LaTeX and form to agree, and small questions about conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from eqtrace.formula.form import Range
from eqtrace.formula.latex.arrays import term_of
from eqtrace.formula.latex.canon import Canon, TooLarge
from eqtrace.formula.term import (
    Add,
    And,
    Compare,
    Condition,
    Eq,
    Name,
    Neg,
    Node,
    Number,
    String,
    Term,
    symbol_names,
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A node of LaTeX, and the nodes of the form with one of which it must agree; the first is its partner."""

    latex: Node
    forms: tuple[Node, ...]
    premises: tuple[Condition, ...]
    ranges: Mapping[str, Range]
    what: str = ""


@dataclass
class Comparison:
    """What is to be shown for LaTeX and form to agree."""

    pairs: list[Pair] = field(default_factory=list)
    met: set[int] = field(default_factory=set)  # parts of the form
    notes: list[str] = field(default_factory=list)
    differs: tuple[str, int, int] | None = None


def ordered(sign: str, nodes: tuple[Node, ...]) -> Compare:
    """A comparison of two nodes."""
    return Compare(sign, term_of(nodes[0]), term_of(nodes[1]))


OTHER = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def balance(condition: Condition) -> tuple[str, Term] | None:
    """A comparison as the sign that a difference has."""
    if isinstance(condition, Eq) and len(condition.sides) == 2:
        one, other = condition.sides
        return ("=", Add(term_of(one), Neg(term_of(other))))
    if isinstance(condition, Compare):
        if condition.operator in (">", ">="):
            return OTHER[condition.operator], Add(condition.right, Neg(condition.left))
        return condition.operator, Add(condition.left, Neg(condition.right))
    return None


def turned(node: Compare, sign: str) -> Compare:
    """A comparison with its sides exchanged, where that gives it a sign."""
    return Compare(sign, node.right, node.left) if OTHER.get(node.operator) == sign else node


def selects(premise: Condition, claim: Node) -> bool:
    """Whether a premise only picks one of several claims: a symbol that the claim does not name has a given value."""
    if not isinstance(premise, Eq) or len(premise.sides) != 2:
        return False
    one, other = premise.sides
    return isinstance(one, Name) and isinstance(other, String | Number) and one.name not in set(symbol_names(claim))


def parts_of(condition: Condition) -> list[Condition]:
    """A condition and what it is made of by `and`."""
    found = [condition]
    if isinstance(condition, And):
        found += [part for part in condition.parts if isinstance(part, Condition)]
    return found


def key_of(canon: Canon, node: Node) -> object:
    """A node's key; one of its own, where it is too large for one."""
    try:
        return canon.key(node)
    except TooLarge:
        return ("too large", id(node))


def shown(node: Node) -> str:
    """A node as people write it."""
    from eqtrace.formula.written import written

    return written(node)
