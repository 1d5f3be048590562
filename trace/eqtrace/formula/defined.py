"""What a term needs to be defined on real numbers: no division by 0, no logarithm of what is not above 0."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from eqtrace.formula.claims import free_names
from eqtrace.formula.term import (
    Call,
    Compare,
    Condition,
    Constant,
    Div,
    Name,
    Neg,
    Node,
    Number,
    Piecewise,
    Pow,
    Term,
    children,
)

_ZERO, _ONE = Number(Fraction(0)), Number(Fraction(1))
_ABOVE = frozenset({"log", "log2", "log10", "loggamma", "digamma", "gamma"})
_WITHIN = frozenset({"asin", "acos"})


def needs(node: Node, indices: frozenset[str] = frozenset()) -> Iterator[Condition]:
    """The conditions, in the order in which they are met; none of parts with an index, or of a case's branches."""
    if isinstance(node, Piecewise):
        return
    for child in children(node):
        yield from needs(child, indices)
    match node:
        case Div(right=term):
            yield from _of(term, indices, Compare("!=", term, _ZERO))
        case Pow(base=base, exponent=Neg(operand=Number(value=value))) if value.denominator == 1:
            yield from _of(base, indices, Compare("!=", base, _ZERO))
        case Pow(exponent=Number(value=value)) if value.denominator == 1:
            pass
        case Pow(base=base):
            yield from _of(base, indices, Compare(">", base, _ZERO))
        case Call(function="sqrt", args=(term,)):
            yield from _of(term, indices, Compare(">=", term, _ZERO))
        case Call(function=name, args=(term, *others)) if name in _ABOVE:
            yield from _of(term, indices, Compare(">", term, _ZERO))
            for base in others:
                yield from _of(base, indices, Compare(">", base, _ZERO))
                yield from _of(base, indices, Compare("!=", base, _ONE))
        case Call(function="factorial", args=(term,)) if not isinstance(term, Name):
            yield from _of(term, indices, Compare(">=", term, _ZERO))
        case Call(function=name, args=(term,)) if name in _WITHIN:
            yield from _of(term, indices, Compare("<=", Call("Abs", (term,)), _ONE))


def _of(term: Term, indices: frozenset[str], condition: Condition) -> Iterator[Condition]:
    if isinstance(term, Number | Constant) or any(free_names(term, indices)):
        return
    yield condition
