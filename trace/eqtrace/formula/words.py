"""Calls of the vocabulary's words."""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from eqtrace.formula.term import (
    Add,
    And,
    Apply,
    ArgMax,
    ArgMin,
    ArrayShape,
    Branch,
    Call,
    Compare,
    Condition,
    Derivative,
    Dim,
    Distributed,
    Eq,
    ForAll,
    Implies,
    Indexed,
    MaxOver,
    MinOver,
    Name,
    Not,
    Number,
    Old,
    Or,
    Piecewise,
    Product,
    Rank,
    Reduction,
    Statement,
    Sum,
    Term,
    Truth,
    Var,
)
from eqtrace.formula.vocabulary import VOCABULARY, Kind

if TYPE_CHECKING:
    from eqtrace.formula.reader import Reader

_COMPARE = {"Lt": "<", "Le": "<=", "Gt": ">", "Ge": ">=", "Ne": "!="}
_OVER: dict[str, type[Reduction]] = {
    "Sum": Sum,
    "Product": Product,
    "MaxOver": MaxOver,
    "MinOver": MinOver,
    "ArgMax": ArgMax,
    "ArgMin": ArgMin,
}
_ONE = Number(Fraction(1))
_RANGE = "write the index, or (index, first, last)"

_Binder: TypeAlias = tuple[str, Term | None, Term | None]


def name(node: ast.Call) -> str:
    """The name that is called; empty if something else is."""
    return node.func.id if isinstance(node.func, ast.Name) else ""


def kind(node: ast.Call) -> Kind | None:
    """What the called word builds; None if it is none of the vocabulary's."""
    word = VOCABULARY.get(name(node))
    return word.kind if word else None


def term(reader: Reader, node: ast.Call) -> Term:
    """A call as a term."""
    called = name(node)
    if not called:
        return reader.error(node.func, "only words of the vocabulary and function symbols can be called")
    word = VOCABULARY.get(called)
    if word is None:
        arguments = tuple(reader.term(argument) for argument in reader.arguments(node))
        return Apply(called, arguments, **reader.place(node))
    if not _counted(reader, node):
        return reader.error(node, f"{called} takes other arguments", f"write {word.signature}")
    if word.kind is Kind.FUNCTION:
        return Call(called, tuple(reader.term(argument) for argument in reader.arguments(node)), **reader.place(node))
    if word.kind is Kind.OVER:
        return _over(reader, node, _OVER[called])
    if word.kind is Kind.TERM:
        return _special(reader, node, called)
    if word.kind is Kind.CONSTANT:
        return reader.error(node, f"{called} is a constant and cannot be called")
    return reader.error(
        node,
        "a condition stands where a number is needed",
        "a condition counts as a number by Piecewise((1, condition), (0, True))",
    )


def _counted(reader: Reader, node: ast.Call) -> bool:
    word = VOCABULARY[name(node)]
    count = len(reader.arguments(node))
    return count >= word.least and (word.most is None or count <= word.most)


def _over(reader: Reader, node: ast.Call, cls: type[Reduction]) -> Term:
    body, *binders = reader.arguments(node)
    result = reader.term(body)
    for binder in binders:
        index, start, stop = _binder(reader, binder)
        result = cls(result, index, start, stop, **reader.place(node))
    return result


def _binder(reader: Reader, node: ast.expr) -> _Binder:
    """An index, or (index, first, last) with both ends in the range, as LaTeX and sympy write it."""
    if isinstance(node, ast.Name):
        return node.id, None, None
    if isinstance(node, ast.Tuple) and len(node.elts) == 3 and isinstance(node.elts[0], ast.Name):
        first, last = reader.term(node.elts[1]), reader.term(node.elts[2])
        return node.elts[0].id, first, Add(last, _ONE, offset=last.offset, length=last.length)
    reader.error(node, "an index is needed here", _RANGE)
    return "", None, None


def _special(reader: Reader, node: ast.Call, called: str) -> Term:
    place = reader.place(node)
    arguments = reader.arguments(node)
    if called == "Piecewise":
        return Piecewise(tuple(_branch(reader, argument) for argument in arguments), **place)
    if called == "Derivative":
        body, *by = (reader.term(argument) for argument in arguments)
        return Derivative(body, tuple(by), **place)
    if called == "Var":
        return Var(reader.term(arguments[0]), **place)
    if called == "Old":
        target = reader.term(arguments[0])
        if isinstance(target, Name | Indexed):
            return Old(target, **place)
        return reader.error(arguments[0], "Old takes a symbol", "write Old(x) or Old(x[i])")
    if not isinstance(arguments[0], ast.Name):
        return reader.error(arguments[0], f"{called} takes a symbol", f"write {VOCABULARY[called].signature}")
    symbol = arguments[0].id
    if called == "Rank":
        return Rank(symbol, **place)
    axis = reader.term(arguments[1])
    if isinstance(axis, Number) and axis.value.denominator == 1 and axis.value < 64:
        return Dim(symbol, int(axis.value), **place)
    return reader.error(arguments[1], "an axis is a number from 0", "write Dim(X, 0)")


def _branch(reader: Reader, node: ast.expr) -> Branch:
    if isinstance(node, ast.Tuple) and len(node.elts) == 2:
        value, condition = node.elts
        return Branch(reader.term(value), reader.condition(condition), **reader.place(node))
    reader.error(node, "a branch is a pair of value and condition", "write Piecewise((e, condition), (e, True))")
    return Branch(_ONE, Truth(True))


def condition(reader: Reader, node: ast.Call) -> Condition:
    """A call of a word that makes something true or false."""
    called, place = name(node), reader.place(node)
    if not _counted(reader, node):
        reader.error(node, f"{called} takes other arguments", f"write {VOCABULARY[called].signature}")
        return Truth(True)
    arguments = reader.arguments(node)
    if called == "Eq":
        return Eq(tuple(reader.side(argument) for argument in arguments), **place)
    if called in _COMPARE:
        return Compare(_COMPARE[called], reader.operand(arguments[0]), reader.operand(arguments[1]), **place)
    if called == "Not":
        return Not(reader.condition(arguments[0]), **place)
    if called == "Array":
        if not isinstance(arguments[0], ast.Name):
            reader.error(arguments[0], "Array takes a symbol first", "write Array(X, T, a)")
            return Truth(True)
        return ArrayShape(arguments[0].id, tuple(reader.term(size) for size in arguments[1:]), **place)
    parts = tuple(reader.condition(argument) for argument in arguments)
    return And(parts, **place) if called == "And" else Or(parts, **place)


def statement(reader: Reader, node: ast.Call) -> Statement:
    """A call of a word that is a whole statement."""
    called, place = name(node), reader.place(node)
    if not _counted(reader, node):
        reader.error(node, f"{called} takes other arguments", f"write {VOCABULARY[called].signature}")
        return Truth(True)
    arguments = reader.arguments(node)
    if called == "Implies":
        return Implies(reader.condition(arguments[0]), reader.whole(arguments[1]), **place)
    if called == "ForAll":
        result = reader.whole(arguments[0])
        for binder in arguments[1:]:
            result = ForAll(result, *_binder(reader, binder), **place)
        return result
    subject, *rest = (reader.term(argument) for argument in arguments)
    return Distributed(subject, called, tuple(rest), **place)
