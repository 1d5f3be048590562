"""Functions that LaTeX writes as words: softmax, ReLU, mean, Var; all others are not read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from eqtrace.formula.latex.arrays import ZERO, Subscripts, Value, scalar, term_of
from eqtrace.formula.latex.cursor import split
from eqtrace.formula.latex.errors import Misfit, Unread
from eqtrace.formula.term import Add, Call, Dim, Div, Mul, Name, Node, Sum, Term, Var

if TYPE_CHECKING:
    from eqtrace.formula.latex.parser import Parser

_PLAIN = {"ReLU": lambda node: Call("Max", (ZERO, term_of(node)))}


def applied(parser: Parser) -> Value:
    """A word and its arguments.

    Raises:
        Unread: it is no word that is known.
    """
    token = parser.take()
    word = token.text
    if word == "mean" and parser.key == "_":
        return _mean(parser)
    if word == "number of rows of":
        value = parser.factor()
        if not isinstance(value.whole, Name):
            raise Unread("the rows of what is no symbol", token.offset, token.length)
        return scalar(Dim(value.whole.name, 0))
    if word in ("split", "merge") and parser.key == "(":
        parts = [parser.inner(part) for part in split(parser.between("(", ")"), (",",))]
        return _split(parser, parts) if word == "split" else _merge(parser, parts)
    if word in ("softmax", "ReLU", "Var") and parser.key == "(":
        value = parser.inner(parser.between("(", ")"))
        if word == "Var":
            return scalar(Var(value.term))
        return _softmax(parser, value) if word == "softmax" else parser.arrays.each(_PLAIN[word], value)
    raise Unread(f"{word} is not declared", token.offset, token.length)


def _mean(parser: Parser) -> Value:
    """The mean over indices."""
    parser.take()
    start = parser.here()
    binders = parser.indices(parser.group())
    value, ranges = parser.bound(binders, parser.argument)
    for index in binders:
        length = ranges[index] or parser.reading.lengths.get(index)
        if length is None:
            raise Unread("a mean over an index that does not run from 0", start)
        value = parser.arrays.each(_averaged(index, length), value)
    return value


def _averaged(index: str, length: Term) -> Callable[[Node], Node]:
    return lambda node: Div(Sum(term_of(node), index, ZERO, length), length)


def _split(parser: Parser, parts: list[Value]) -> Value:
    """`split(M, H)`: the columns of a matrix in H blocks of one width, which its place gives."""
    if len(parts) != 2 or len(parts[0].dims) != 2 or parts[0].batch:
        raise parser.unread("split takes a matrix and how many blocks")
    entry, count = parts[0].entry, parts[1].term

    def blocks(by: Value) -> Value:
        if len(by.dims) != 2 or len(by.batch) != 1:
            raise Misfit("blocks of columns beside what is none", parts[0].offset, parts[0].length)
        parser.arrays.same(count, by.batch[0], by, "blocks of columns")
        parser.arrays.same(parts[0].dims[0], by.dims[0], by, "blocks of columns")
        width = by.dims[1]

        def each(batch: Subscripts, subs: Subscripts) -> Node:
            return entry((), (subs[0], Add(Mul(batch[0], width), subs[1])))

        return Value(by.batch, by.dims, each, offset=parts[0].offset, length=parts[0].length)

    return Value((), (), parts[0].entry, loose=2, shaped=blocks)


def _merge(parser: Parser, parts: list[Value]) -> Value:
    """`merge(M)`: the blocks of a batch side by side."""
    if len(parts) != 1 or len(parts[0].dims) != 2 or len(parts[0].batch) != 1:
        raise parser.unread("merge takes one array of blocks")
    (value,) = parts
    entry, width = value.entry, value.dims[1]

    def joined(by: Value) -> Value:
        parser.arrays.same(value.dims[0], by.dims[0], by, "blocks side by side")

        def each(batch: Subscripts, subs: Subscripts) -> Node:
            column = subs[1]
            if isinstance(column, Add) and isinstance(column.left, Mul) and column.left.right == width:
                return entry((column.left.left,), (subs[0], column.right))  # h*w + c, as the form writes it
            return entry((Call("floor", (Div(column, width),)),), (subs[0], Call("Mod", (column, width))))

        return Value((), by.dims, each, offset=value.offset, length=value.length)

    return Value((), (), entry, loose=2, shaped=joined)


def _softmax(parser: Parser, value: Value) -> Value:
    """Over the last axis."""
    if not value.dims:
        raise Unread("softmax of a number", value.offset, value.length)
    stop, entry, index = value.dims[-1], value.entry, parser.arrays.fresh()

    def each(batch: Subscripts, subs: Subscripts) -> Node:
        above = Call("exp", (term_of(entry(batch, subs)),))
        below = Call("exp", (term_of(entry(batch, (*subs[:-1], Name(index)))),))
        return Div(above, Sum(below, index, ZERO, stop))

    return replace(value, entry=each)
