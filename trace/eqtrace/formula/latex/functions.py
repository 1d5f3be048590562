r"""Functions by name, with the scripts that a name may have: `\sin^2 x`, `\log_2 x`, softmax, ReLU, mean, Var."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from eqtrace.formula.latex.arrays import ONE, ZERO, Subscripts, Value, call, scalar, term_of
from eqtrace.formula.latex.cursor import split
from eqtrace.formula.latex.errors import Misfit, Unread
from eqtrace.formula.latex.tokens import Kind
from eqtrace.formula.term import (
    Add,
    Call,
    Dim,
    Div,
    MaxOver,
    Mul,
    Name,
    Node,
    Number,
    Pow,
    Reduction,
    Sum,
    Term,
    Var,
    changed,
    symbol_names,
)

if TYPE_CHECKING:
    from eqtrace.formula.latex.parser import Parser

_NAMES = {
    "exp": "exp", "log": "log", "ln": "log", "sin": "sin", "cos": "cos", "tan": "tan",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
}  # fmt: skip
_WORDS = {
    "erf": "erf", "erfc": "erfc", "sign": "sign", "sgn": "sign", "asin": "asin", "acos": "acos", "atan": "atan",
    "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
    "arsinh": "asinh", "arcosh": "acosh", "artanh": "atanh",
}  # fmt: skip
_ONE_BY = {"cot": "tan", "sec": "cos", "csc": "sin", "coth": "tanh", "sech": "cosh", "csch": "sinh"}
FUNCTIONS = {
    **{f"\\{name}": function for name, function in _NAMES.items()},
    **{f'"{name}"': function for name, function in (_NAMES | _WORDS).items()},
}
RECIPROCALS = {key: name for word, name in _ONE_BY.items() for key in (f"\\{word}", f'"{word}"')}
_INVERSES = {name: f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}
_LOGARITHMS = {ten: f"log{ten}" for ten in (2, 10)}
_PLAIN = {"ReLU": lambda node: Call("Max", (ZERO, term_of(node)))}


def called(parser: Parser) -> Value:
    r"""A function of one argument: `\sin^2 x` is the square of `\sin x`, `\sin^{-1}` the inverse."""
    token = parser.take()
    function = FUNCTIONS.get(token.key) or RECIPROCALS[token.key]
    base: Value | None = None
    power: Value | None = None
    for mark, found in parser.scripts():
        keys = [each.key for each in found]
        if mark == "_" and token.text.removeprefix("\\") == "log":
            natural = keys == ["e"] and "e" not in parser.reading.names.declared
            base = None if natural else parser.inner(found)
        elif mark == "^" and keys == ["-", "1"] and function in _INVERSES and token.key in FUNCTIONS:
            function = _INVERSES[function]
        elif mark == "^" and keys == ["-", "1"]:
            raise Unread(f"{token.text}^{{-1}}: its inverse, or one by it?", token.offset, token.length)
        elif mark == "^" and keys[0] != "(" and found[0].kind is not Kind.PRIME:
            power = parser.inner(found)
        else:
            raise Unread(f"a script of {token.text} that is not read", token.offset, token.length)
    value = parser.argument()

    def apply(node: Node) -> Term:
        term: Term = Call(function, (term_of(node),)) if base is None else _logarithm(term_of(node), base.term)
        term = Div(ONE, term) if token.key in RECIPROCALS else term
        return term if power is None else Pow(term, power.term)

    return parser.arrays.each(apply, value)


def _logarithm(term: Term, base: Term) -> Term:
    known = _LOGARITHMS.get(int(base.value)) if isinstance(base, Number) and base.value.denominator == 1 else None
    return Call("log", (term, base)) if known is None else Call(known, (term,))


def norm(parser: Parser) -> Value:
    r"""`\|v\|` and `\|v\|_2`, `\|v\|_1`, `\|v\|_\infty` of a vector, `\|M\|_F` of a matrix."""
    value = parser.inner(parser.between(parser.key, "\\|" if parser.key == "\\|" else "\\rVert"))
    which = ""
    if parser.key == "_":
        parser.take()
        which = "".join(token.key for token in parser.group())
    if not value.dims and not which:
        declared = parser.reading.names.declared
        if any(name in declared and declared[name].dims is None for name in symbol_names(value.term)):
            raise Unread("a norm of what has no known shape", value.offset, value.length)
        return parser.arrays.each(call("Abs"), value)
    kinds = {1: ("", "1", "2", "\\infty"), 2: ("F",)}
    if which not in kinds.get(len(value.dims), ()):
        raise Unread("a norm that is not read", value.offset, value.length)
    entry, indices = value.entry, [parser.arrays.fresh() for _ in value.dims]

    def total(batch: Subscripts, subs: Subscripts) -> Node:
        found = term_of(entry(batch, tuple(map(Name, indices))))
        found = Call("Abs", (found,)) if which in ("1", "\\infty") else Pow(found, Number(Fraction(2)))
        over: type[Reduction] = MaxOver if which == "\\infty" else Sum
        for index, stop in reversed([*zip(indices, value.dims, strict=True)]):
            found = over(found, index, ZERO, stop)
        return found if which in ("1", "\\infty") else Call("sqrt", (found,))

    return changed(value, dims=(), entry=total, whole=None, turned=False)


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
