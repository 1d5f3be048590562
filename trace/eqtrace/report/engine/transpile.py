"""Steps as data that static/engine.js walks: nothing of a specification ever becomes JavaScript.

A number, true or a name stands for itself; everything else is `[word, offset, length, ...parts]`, the characters being
those of the step's text. What may stand in a step is held by `formula.steps.reader`, the whitelist.
"""

from __future__ import annotations

import math
from typing import Any

from eqtrace.formula.steps.functions import FUNCTIONS, Form
from eqtrace.formula.steps.tree import (
    Attribute,
    Binary,
    Call,
    Constant,
    Index,
    Name,
    NewAxis,
    Node,
    Rest,
    Sequence,
    Slice,
    Unary,
)

Data = Any  # JSON
_UNARY = {"-": "negative", "+": "positive", "~": "invert"}


class NotTranslated(Exception):
    """Why a step cannot be worked out in the page."""


def transpile(node: Node) -> Data:
    """A step's tree as data.

    Raises:
        NotTranslated: the page's arithmetic does not know it.
    """
    match node:
        case Constant(value=str()):
            raise NotTranslated("it holds texts")
        case Constant(value=float(value)) if not math.isfinite(value):
            if value < 0:
                return _word("negative", node, _word("constant", node, "inf"))
            return _word("constant", node, "nan" if math.isnan(value) else "inf")
        case Constant(value=value):
            return value
        case Name(name=name):
            return name
        case Unary(op=op, operand=operand):
            return _word(_UNARY[op], node, transpile(operand))
        case Binary(op=op, left=left, right=right):
            return _word(op, node, transpile(left), transpile(right))
        case Attribute(name=name, value=value):
            return _word(name, node, transpile(value))
        case Index(value=value, parts=parts):
            return _word("index", node, transpile(value), *map(transpile, parts))
        case Slice(start=start, stop=stop, step=step):
            return _word("slice", node, *(None if each is None else transpile(each) for each in (start, stop, step)))
        case NewAxis():
            return _word("newaxis", node)
        case Rest():
            return _word("rest", node)
        case Sequence(items=items):
            return _word("list", node, *map(transpile, items))
        case Call():
            return _call(node)
    raise NotTranslated(f"it holds a {type(node).__name__}")


def _call(node: Call) -> Data:
    function = FUNCTIONS[node.function]
    parts: list[Data] = []
    for operand, each in zip(function.operands, node.operands, strict=True):
        if operand.form is Form.ARRAYS and isinstance(each, Sequence):
            parts += map(transpile, each.items)
        else:
            parts.append(None if each is None else transpile(each))
    if function.options:
        parts.append({name: list(value) if isinstance(value, tuple) else value for name, value in node.options})
    return _word(node.function, node, *parts)


def _word(word: str, node: Node, *parts: Data) -> Data:
    return [word, node.offset, node.length, *parts]
