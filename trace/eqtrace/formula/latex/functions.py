"""Functions that LaTeX writes as words: softmax, ReLU, mean, Var; all others are not read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from eqtrace.formula.latex.arrays import ZERO, Subscripts, Value, scalar, term_of
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.term import Call, Div, Name, Node, Sum, Term, Var

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
    value = parser.argument()
    for index in binders:
        length = parser.reading.lengths.get(index)
        if length is None:
            raise Unread("a mean over an index that does not run from 0", start)
        value = parser.arrays.each(_averaged(index, length), value)
    return value


def _averaged(index: str, length: Term) -> Callable[[Node], Node]:
    return lambda node: Div(Sum(term_of(node), index), length)


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
