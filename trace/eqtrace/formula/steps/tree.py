"""The tree of a step. Each node knows where it stands in the text: offset and length in characters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Literal = bool | int | tuple[int, ...] | None
"""What an option such as `axis` or `keepdims` is: it is written out, never computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A part of an expression."""

    offset: int = 0
    length: int = 1


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """A number (also np.pi, np.e, np.inf, np.nan), true or false, or a text."""

    value: float | bool | str


@dataclass(frozen=True, slots=True)
class Name(Node):
    """An input or an earlier step."""

    name: str


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """`-x`, `+x`, `~x`."""

    op: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """`+ - * / // % ** @`, comparisons, and `& | ^` of conditions."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Attribute(Node):
    """`.T`, `.shape`, `.size`, `.ndim`."""

    name: str
    value: Node


@dataclass(frozen=True, slots=True)
class NewAxis(Node):
    """`None` among indices."""


@dataclass(frozen=True, slots=True)
class Rest(Node):
    """`...` among indices."""


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """`start:stop:step` among indices."""

    start: Node | None
    stop: Node | None
    step: Node | None


@dataclass(frozen=True, slots=True)
class Index(Node):
    """`value[parts]`; numbers among the parts are whole numbers, conditions are masks."""

    value: Node
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    """A list or a tuple."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function of `functions.FUNCTIONS`: its operands in that table's order (None: left out), and its options."""

    function: str
    operands: tuple[Node | None, ...]
    options: tuple[tuple[str, Literal], ...] = ()


def children(node: Node) -> Iterator[Node]:
    """The parts of a node."""
    match node:
        case Unary(operand=operand):
            yield operand
        case Binary(left=left, right=right):
            yield left
            yield right
        case Attribute(value=value):
            yield value
        case Index(value=value, parts=parts):
            yield value
            yield from parts
        case Slice(start=start, stop=stop, step=step):
            yield from (each for each in (start, stop, step) if each is not None)
        case Sequence(items=items):
            yield from items
        case Call(operands=operands):
            yield from (each for each in operands if each is not None)


def names(node: Node) -> Iterator[Name]:
    """The names that an expression reads, in the order of the text."""
    if isinstance(node, Name):
        yield node
    for each in children(node):
        yield from names(each)
