"""Terms and statements of forms: frozen, picklable, and nothing is evaluated or rounded while they are built.

Every node keeps where it stands in its text; two nodes are equal if they say the same, wherever they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, TypeVar


@dataclass(frozen=True, slots=True)
class Node:
    """A term, a condition or a statement."""

    offset: int = field(default=0, compare=False, kw_only=True, repr=False)
    length: int = field(default=1, compare=False, kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Term(Node):
    """Something with a value."""


@dataclass(frozen=True, slots=True)
class Number(Term):
    """An exact rational: `0.1` is one tenth."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class String(Term):
    """A string constant; strings are only compared."""

    value: str


@dataclass(frozen=True, slots=True)
class Constant(Term):
    """`pi` or `oo`."""

    name: str


@dataclass(frozen=True, slots=True)
class Name(Term):
    """A symbol without subscripts, a size, an index or a helper name."""

    name: str


@dataclass(frozen=True, slots=True)
class Indexed(Term):
    """One entry of a symbol."""

    base: str
    subscripts: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Old(Term):
    """The value before an update."""

    target: Name | Indexed


@dataclass(frozen=True, slots=True)
class Dim(Term):
    """The length of an axis."""

    symbol: str
    axis: int


@dataclass(frozen=True, slots=True)
class Rank(Term):
    """The number of axes."""

    symbol: str


@dataclass(frozen=True, slots=True)
class Add(Term):
    """A sum of two; `a - b` is `Add(a, Neg(b))`."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Mul(Term):
    """A product of two."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Div(Term):
    """A quotient, exact for integers too."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Pow(Term):
    """A power."""

    base: Term
    exponent: Term


@dataclass(frozen=True, slots=True)
class Neg(Term):
    """The negative."""

    operand: Term


@dataclass(frozen=True, slots=True)
class Call(Term):
    """An elementary function of the vocabulary: exp, Max, floor, Mod, KroneckerDelta and so on."""

    function: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Apply(Term):
    """A declared function symbol, applied; with subscripts an entry of the array that it gives."""

    function: str
    args: tuple[Term, ...]
    subscripts: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Reduction(Term):
    """A term over an index, half-open from `start` to `stop`; None takes the index's own range."""

    body: Term
    index: str
    start: Term | None = None
    stop: Term | None = None


@dataclass(frozen=True, slots=True)
class Sum(Reduction):
    """The sum; 0 over an empty range."""


@dataclass(frozen=True, slots=True)
class Product(Reduction):
    """The product; 1 over an empty range."""


@dataclass(frozen=True, slots=True)
class MaxOver(Reduction):
    """The largest; -oo over an empty range."""


@dataclass(frozen=True, slots=True)
class MinOver(Reduction):
    """The smallest; oo over an empty range."""


@dataclass(frozen=True, slots=True)
class ArgMax(Reduction):
    """The first index at which the body is largest."""


@dataclass(frozen=True, slots=True)
class ArgMin(Reduction):
    """The first index at which the body is smallest."""


@dataclass(frozen=True, slots=True)
class Branch(Node):
    """One case of a Piecewise."""

    value: Term
    condition: Condition


@dataclass(frozen=True, slots=True)
class Piecewise(Term):
    """The value of the first branch whose condition holds."""

    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class Derivative(Term):
    """A partial derivative, by each of `by` in turn."""

    body: Term
    by: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Var(Term):
    """The variance of a random value."""

    operand: Term


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """Something that is claimed."""


@dataclass(frozen=True, slots=True)
class Condition(Statement):
    """Something that is true or false, also within a term."""


@dataclass(frozen=True, slots=True)
class Truth(Condition):
    """`True` or `False`."""

    value: bool


@dataclass(frozen=True, slots=True)
class Flag(Condition):
    """A term whose value is true or false."""

    term: Term


@dataclass(frozen=True, slots=True)
class Eq(Condition):
    """Two or more equal sides."""

    sides: tuple[Term | Condition, ...]


@dataclass(frozen=True, slots=True)
class Compare(Condition):
    """An order of two terms; `operator` is one of `< <= > >= !=`."""

    operator: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class And(Condition):
    """All hold. As a statement its parts may be any statements."""

    parts: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Or(Condition):
    """One holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not(Condition):
    """It does not hold."""

    part: Condition


@dataclass(frozen=True, slots=True)
class Implies(Statement):
    """Where the premise holds, so does the conclusion."""

    premise: Condition
    conclusion: Statement


@dataclass(frozen=True, slots=True)
class ForAll(Statement):
    """The body holds for every index from `start` to `stop` (half-open; None takes the index's own range)."""

    body: Statement
    index: str
    start: Term | None = None
    stop: Term | None = None


@dataclass(frozen=True, slots=True)
class Distributed(Statement):
    """A random subject; `law` is `Uniform` (of lo, hi) or `Categorical` (of the symbol of the probabilities)."""

    subject: Term
    law: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class ArrayShape(Condition):
    """A symbol is an array of these sizes."""

    symbol: str
    sizes: tuple[Term, ...]


class _Fields(dict[type, tuple[str, ...]]):
    """The names of a kind's fields, worked out once; those `without` are left out, by the types that they have."""

    def __init__(self, without: Collection[str] = ()) -> None:
        super().__init__()
        self._without = without

    def __missing__(self, kind: type) -> tuple[str, ...]:
        found = self[kind] = tuple(entry.name for entry in fields(kind) if entry.type not in self._without)
        return found


_FIELDS, _CHILD_FIELDS = _Fields(), _Fields(without=("Fraction", "bool", "int", "str"))  # such hold no node
Copied = TypeVar("Copied")


def changed(value: Copied, /, **changes: Any) -> Copied:
    """A dataclass's value with some fields changed: `dataclasses.replace` at a fifth of its time."""
    kind: Any = type(value)
    given = {name: getattr(value, name) for name in _FIELDS[kind] if name not in changes}
    found: Copied = kind(**given, **changes)
    return found


def children(node: Node) -> list[Node]:
    """The nodes directly below, in the order of the text."""
    found: list[Node] = []
    for name in _CHILD_FIELDS[type(node)]:
        value = getattr(node, name)
        if isinstance(value, Node):
            found.append(value)
        elif isinstance(value, tuple):
            found += [entry for entry in value if isinstance(entry, Node)]
    return found


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below, in the order of the text."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending += reversed(children(current))


def rebuilt(node: Node, change: Callable[[Node], Node]) -> Any:
    """The node with `change` applied to each node directly below; the very node if nothing changed."""
    new_fields: dict[str, Any] = {}
    for name in _CHILD_FIELDS[type(node)]:
        value = getattr(node, name)
        if isinstance(value, Node):
            new: Any = change(value)
            if new is not value:
                new_fields[name] = new
        elif isinstance(value, tuple) and any(isinstance(entry, Node) for entry in value):
            new = tuple(change(entry) if isinstance(entry, Node) else entry for entry in value)
            if any(one is not other for one, other in zip(new, value, strict=True)):
                new_fields[name] = new
    return changed(node, **new_fields) if new_fields else node


_NAMED_BY: dict[type[Node], str] = {
    Name: "name",
    Indexed: "base",
    Dim: "symbol",
    Rank: "symbol",
    ArrayShape: "symbol",
    Apply: "function",
}


def symbol_names(node: Node) -> Iterator[str]:
    """Every name in a node that can be a symbol's, `Old(x)` for values before an update; binders are not resolved."""
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, Old):
            target = current.target
            yield f"Old({target.name if isinstance(target, Name) else target.base})"
            pending += reversed(children(target))
            continue
        field = _NAMED_BY.get(type(current))
        if field is not None:
            yield getattr(current, field)
        pending += reversed(children(current))
