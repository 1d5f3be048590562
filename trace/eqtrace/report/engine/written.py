"""One entry of a step written out in numbers: `Y[1, 0] = 0·1 + 1·(-1) + 0 = -1`; static/examples.js does the same.

Arithmetic, products of matrices, sums, means and elementwise functions are written out; what else a step holds stands
as the number that it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from eqtrace.formula.steps.tree import Binary, Call, Constant, Literal, Name, Node, Unary
from eqtrace.report.numbers import number
from eqtrace.run.example.arrays import Array
from eqtrace.run.example.evaluate import StepError, evaluate

DIGITS = 4
MOST_TERMS, LONGEST = 6, 120
# How tightly an operator binds; what binds no tighter than it goes into brackets.
_LEVELS = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2, "**": 4}
_LEVELS |= dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), 0)
_SIGNS = {"*": "·", "**": "**"}
_MINUS, _ATOM = 3, 5
_ELEMENTWISE = "exp expm1 log log1p log2 log10 sqrt sign floor ceil trunc round sin cos tan tanh"
_OF_ONE = frozenset(_ELEMENTWISE.split())
_OF_TWO = {"maximum": "max", "minimum": "min"}

Index = tuple[int, ...]
Entry = tuple[str, int]  # text, and how tightly it binds


def written(label: str, node: Node, values: Mapping[str, Array]) -> str:
    """The entry in the last row and first column of a step's value; `''` where there is nothing to write out."""
    try:
        value = evaluate(node, values)
        if not value.size:
            return ""
        index = tuple(length - 1 if axis < value.ndim - 1 else 0 for axis, length in enumerate(value.shape))
        text, _ = _entry(node, index, values)
    except (StepError, IndexError):
        return ""
    shown = _number(value[index])
    place = f"[{', '.join(map(str, index))}]" if index else ""
    found = f"{label}{place} = {text} = {shown}"
    return found if text != shown and len(found) <= LONGEST else ""


def _entry(node: Node, index: Index, values: Mapping[str, Array]) -> Entry:
    match node:
        case Unary(op="-", operand=operand) if not isinstance(operand, Constant):
            text, level = _entry(operand, index, values)
            return f"-{_within(text, level <= _MINUS)}", _MINUS
        case Binary(op="@", left=left, right=right):
            return _product(evaluate(left, values), evaluate(right, values), index)
        case Binary(op=op, left=left, right=right) if op in _LEVELS:
            return _binary(op, _part(left, index, values), _part(right, index, values))
        case Call(function="sum" | "mean" | "max" | "min", operands=(Node() as operand,)):
            return _reduced(node, operand, index, values)
        case Call(function="where", operands=(Node() as condition, Node() as one, Node() as other)):
            array = evaluate(condition, values)
            return _part(one if array[_stretched(array, index)] else other, index, values)
        case Call(function=name, operands=(Node() as operand,)) if name in _OF_ONE:
            return f"{name}({_part(operand, index, values)[0]})", _ATOM
        case Call(function="abs", operands=(Node() as operand,)):
            return f"|{_part(operand, index, values)[0]}|", _ATOM
        case Call(function=name, operands=(Node() as one, Node() as other)) if name in _OF_TWO:
            texts = (_part(each, index, values)[0] for each in (one, other))
            return f"{_OF_TWO[name]}({', '.join(texts)})", _ATOM
    return _plain(evaluate(node, values)[index])


def _part(node: Node, index: Index, values: Mapping[str, Array]) -> Entry:
    """An operand's entry, which may be stretched over the index."""
    if isinstance(node, Name | Constant):
        array = evaluate(node, values)
        return _plain(array[_stretched(array, index)])
    return _entry(node, _stretched(evaluate(node, values), index), values)


def _stretched(array: Array, index: Index) -> Index:
    own = index[len(index) - array.ndim :] if array.ndim else ()
    return tuple(0 if length == 1 else each for each, length in zip(own, array.shape, strict=True))


def _plain(value: object) -> Entry:
    text = _number(value)
    return text, _MINUS if text.startswith("-") else _ATOM


def _number(value: object) -> str:
    return number(np.asarray(value).item(), DIGITS)


def _within(text: str, brackets: bool) -> str:
    return f"({text})" if brackets else text


def _binary(op: str, left: Entry, right: Entry) -> Entry:
    level = _LEVELS[op]
    loose = op in "+*"
    one = _within(left[0], left[1] < level or (left[1] == _MINUS and level > 1) or (op == "**" and left[1] == level))
    other = _within(right[0], right[1] < level or (right[1] == level and not loose) or right[0].startswith("-"))
    return f"{one}{_SIGNS.get(op, f' {op} ')}{other}", level


def _product(left: Array, right: Array, index: Index) -> Entry:
    rows = left[None] if left.ndim == 1 else left
    columns = right[:, None] if right.ndim == 1 else right
    rest = list(index)
    column = rest.pop() if right.ndim > 1 else 0
    row = rest.pop() if left.ndim > 1 else 0
    one = rows[*_stretched(rows[..., 0, 0], tuple(rest)), row]
    other = columns[*_stretched(columns[..., 0, 0], tuple(rest))][:, column]
    return _sum([_binary("*", _plain(x), _plain(y)) for x, y in zip(one, other, strict=True)])


def _reduced(node: Call, operand: Node, index: Index, values: Mapping[str, Array]) -> Entry:
    array = evaluate(operand, values)
    terms = [_part(operand, each, values) for each in _along(array.shape, dict(node.options), index)]
    if node.function in ("max", "min"):
        return f"{node.function}({', '.join(text for text, _ in _cut(terms))})", _ATOM
    total = _sum(terms)
    if node.function == "sum":
        return total
    return f"{_within(total[0], total[1] < _LEVELS['/'])} / {len(terms)}", _LEVELS["/"]


def _along(shape: Sequence[int], options: Mapping[str, Literal], index: Index) -> Iterator[Index]:
    """The indices that a reduction runs over."""
    axis = options.get("axis")
    chosen = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    axes = {each % len(shape) for each in chosen}
    left = list(index)
    ranges: list[Sequence[int]] = []
    for each, length in enumerate(shape):
        place = left.pop(0) if each not in axes or options.get("keepdims") else 0
        ranges.append(range(length) if each in axes else (place,))
    return product(*ranges)


def _sum(terms: Sequence[Entry]) -> Entry:
    if not terms:
        return "0", _ATOM
    if len(terms) == 1:
        return terms[0]
    first, *rest = _cut(terms)
    return " + ".join([_within(first[0], first[1] < _LEVELS["+"]), *(_term(each) for each in rest)]), _LEVELS["+"]


def _term(entry: Entry) -> str:
    return _within(entry[0], entry[1] < _LEVELS["+"] or entry[0].startswith("-"))


def _cut(terms: Sequence[Entry]) -> list[Entry]:
    return [*terms[: MOST_TERMS - 2], ("…", _ATOM), terms[-1]] if len(terms) > MOST_TERMS else list(terms)
