"""What an example's inputs may be changed to: the values that its equations are stated for, and which axes go together.

Both come from what the topic says of its symbols: `domain`, `where` and `shape`. Each limit is a step whose value is
true where it is kept, so that whatever evaluates steps can hold inputs against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from eqtrace.formula.steps.reader import read_step
from eqtrace.formula.steps.tree import Attribute, Binary, Constant, Index, Name, Node, Sequence, Unary
from eqtrace.model.example import UNIFORM_NAME, Example
from eqtrace.model.symbol import Symbol

Axis = tuple[str, int]  # an input, and the number of one of its axes
_TOLERANCE = "0.000000001"  # of sums that are to be 1
_ANY = "..."
_UNIFORM = (("numbers of at least 0", f"{UNIFORM_NAME} >= 0"), ("numbers below 1", f"{UNIFORM_NAME} < 1"))


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit: of an input (`''`: of several), in words that follow "is stated for", as a step."""

    name: str
    words: str
    tree: Node


@dataclass(frozen=True, slots=True)
class Size:
    """Axes of inputs that have one size: its letter (`''` where none is stated), and the axes."""

    letter: str
    axes: tuple[Axis, ...]


def shape_of(value: object) -> tuple[int, ...] | None:
    """The shape of nested tuples; None where their rows differ in length."""
    if not isinstance(value, tuple):
        return ()
    inner = {shape_of(each) for each in value}
    if len(inner) > 1 or None in inner:
        return None
    return (len(value), *(next(iter(inner), None) or ()))


def sizes(example: Example) -> tuple[Size, ...]:
    """The sizes of an example's inputs; axes that nothing is stated of stand alone."""
    found: dict[str, list[Axis]] = {}
    for name, value in example.inputs.items():
        shape = shape_of(value)
        symbol = _symbol(example, name)
        for axis, dim in enumerate(_dims(symbol, shape or ())):
            found.setdefault(dim or f" {name} {axis}", []).append((name, axis))
    return tuple(Size("" if key[0] == " " else key, tuple(axes)) for key, axes in found.items())


def limits(example: Example) -> tuple[Limit, ...]:
    """The limits of an example's inputs, whatever its start values are."""
    names = _names(example)
    found = []
    for name in example.inputs:
        symbol = _symbol(example, name)
        if symbol is not None and name.isidentifier():
            found += [Limit(name, words, tree) for words, tree in _domain(name, symbol, example, names)]
        if name == UNIFORM_NAME:
            found += [Limit(name, words, _step(text)) for words, text in _UNIFORM]
    for text in example.where:
        tree, _ = read_step(text.value)
        for each in tree.items if isinstance(tree, Sequence) else (tree,):
            condition = None if each is None else _resolved(each, names)
            if condition is not None and isinstance(condition, Binary):
                words = text.value[condition.offset : condition.offset + condition.length]
                found.append(Limit("", words, condition))
    return tuple(found)


def _symbol(example: Example, name: str) -> Symbol | None:
    function = example.equals.value.partition("::")[2] if example.equals is not None else ""
    return example.symbol(name, function)


def _dims(symbol: Symbol | None, shape: tuple[int, ...]) -> list[str]:
    """The stated size of each axis, `''` where there is none."""
    stated = [dim.value for dim in symbol.shape or ()] if symbol is not None else []
    if stated[:1] == [_ANY]:
        rest = stated[1:]
        leading = len(shape) - len(rest)
        stated = [f"{_ANY}{leading - axis}" for axis in range(leading)] + rest if leading >= 0 else []
    return stated if len(stated) == len(shape) else [""] * len(shape)


def _names(example: Example) -> dict[str, Node]:
    """What the names in domains and conditions stand for: inputs, by any of their names, and sizes of inputs."""
    found: dict[str, Node] = {}
    for size in sizes(example):
        if size.letter.isidentifier():
            name, axis = size.axes[0]
            found[size.letter] = Index(Attribute("shape", Name(name)), (Constant(float(axis)),))
    for name in example.inputs:
        symbol = _symbol(example, name)
        found[name] = Name(name)
        if symbol is not None:
            found[symbol.name] = Name(name)
    return found


def _resolved(node: Node, names: Mapping[str, Node]) -> Node | None:
    """An expression with the names replaced; None where one stands for nothing that inputs tell."""
    match node:
        case Name(name=name):
            held = names.get(name)
            return None if held is None else replace(held, offset=node.offset, length=node.length)
        case Unary(operand=operand):
            inner = _resolved(operand, names)
            return None if inner is None else replace(node, operand=inner)
        case Binary(left=left, right=right):
            one, other = _resolved(left, names), _resolved(right, names)
            return None if one is None or other is None else replace(node, left=one, right=other)
        case Constant():
            return node
    return None


def _domain(name: str, symbol: Symbol, example: Example, names: Mapping[str, Node]) -> Iterator[tuple[str, Node]]:
    domain = symbol.domain
    shape = shape_of(example.inputs[name])
    if not shape_of_numbers(example.inputs[name]) or shape is None:
        return
    if domain.integer or domain.permutation:
        yield "whole numbers" if shape else "a whole number", _step(f"np.floor({name}) == {name}")
    for text, kind, op, words in (
        (domain.minimum, "min", ">=", "numbers of at least"),
        (domain.maximum, "max", "<=", "numbers of at most"),
    ):
        tree = None if text is None else read_step(text.value)[0]
        bound = None if tree is None else _resolved(tree, names)
        if text is not None and bound is not None:
            open_ = kind in domain.open
            words = {"min": "numbers above", "max": "numbers below"}[kind] if open_ else words
            yield f"{words} {text.value}", Binary(op.rstrip("=") if open_ else op, Name(name), bound)
    if domain.one_of:
        texts = [repr(float(each)) for each in domain.one_of]
        shown = " or ".join(f"{each:g}" for each in domain.one_of)
        yield shown, _step(" | ".join(f"({name} == {text})" for text in texts))
    if not shape:
        return
    if domain.probability_row:
        yield "numbers that are not negative", _step(f"{name} >= 0")
        yield "rows that sum to 1", _step(f"np.abs({name}.sum(axis=-1) - 1) < {_TOLERANCE}")
    if domain.permutation:
        yield "an order of the numbers from 0 on", _step(f"np.sort({name}) == np.arange({name}.shape[-1])")
    if domain.distinct:
        yield "numbers that differ", _step(f"np.sort({name})[..., 1:] != np.sort({name})[..., :-1]")


def shape_of_numbers(value: object) -> bool:
    """Whether nested tuples hold numbers only."""
    if isinstance(value, tuple):
        return all(map(shape_of_numbers, value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _step(text: str) -> Node:
    tree, errors = read_step(text)
    assert tree is not None, errors
    return tree
