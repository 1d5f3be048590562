"""Terms as text that forms are written in."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from eqtrace.formula.latex.arrays import ONE
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.parse import parse_conditions, parse_statement
from eqtrace.formula.term import (
    Add,
    Call,
    Compare,
    Condition,
    Constant,
    Div,
    Eq,
    Indexed,
    Mul,
    Name,
    Neg,
    Node,
    Number,
    Piecewise,
    Pow,
    Reduction,
    Term,
    Truth,
    rebuilt,
)

_SUM, _PRODUCT, _POWER, _ATOM = range(4)


def text_of(node: Node) -> str:
    """A term or a condition as a form writes it.

    Raises:
        Unread: forms cannot say it so that it reads back as the same.
    """
    text, _ = _text(node)
    if isinstance(node, Condition) and not isinstance(node, Eq):
        found, errors = parse_conditions(text)
        same = len(found) == 1 and _settled(found[0]) == _settled(node)
    else:
        read, errors = parse_statement(text)
        same = read is not None and _settled(read) == _settled(node)
    if errors or not same:
        raise Unread("it holds what a form cannot say", node.offset, node.length)
    return text


def _settled(node: Node) -> Node:
    """A node in which the last turns of sums are written one way: forms say which is the last, terms which is none."""
    node = rebuilt(node, _settled)
    if isinstance(node, Reduction) and node.stop is not None:
        return replace(node, stop=_behind(last_of(node.stop)))
    return node


def last_of(stop: Term) -> Term:
    """The last turn of a sum, of the end behind it."""
    return stop.left if isinstance(stop, Add) and stop.right == ONE else Add(stop, Neg(ONE))


def _behind(last: Term) -> Term:
    return last.left if isinstance(last, Add) and last.right == Neg(ONE) else Add(last, ONE)


def _at(node: Node, level: int) -> str:
    text, own = _text(node)
    return text if own >= level else f"({text})"


def _text(node: Node) -> tuple[str, int]:
    match node:
        case Number(value=value):
            return _number(value)
        case Constant(name=name) | Name(name=name):
            return name, _ATOM
        case Indexed(base=base, subscripts=subscripts):
            return f"{base}[{', '.join(_at(each, _SUM) for each in subscripts)}]", _ATOM
        case Add(left=left, right=Neg(operand=operand)):
            return f"{_at(left, _SUM)} - {_at(operand, _PRODUCT)}", _SUM
        case Add(left=left, right=right):
            return f"{_at(left, _SUM)} + {_at(right, _PRODUCT)}", _SUM
        case Mul(left=left, right=right):
            return f"{_at(left, _PRODUCT)}*{_at(right, _POWER)}", _PRODUCT
        case Div(left=left, right=right):
            return f"{_at(left, _PRODUCT)}/{_at(right, _POWER)}", _PRODUCT
        case Neg(operand=operand):
            return f"-{_at(operand, _POWER)}", _SUM
        case Pow(base=base, exponent=exponent):
            return f"{_at(base, _ATOM)}**{_at(exponent, _ATOM)}", _POWER
        case Call(function=function, args=args):
            return f"{function}({', '.join(_at(each, _SUM) for each in args)})", _ATOM
        case Reduction(body=body, index=index, start=start, stop=stop) if start is not None and stop is not None:
            last = last_of(stop)
            return f"{type(node).__name__}({_at(body, _SUM)}, ({index}, {_at(start, _SUM)}, {_at(last, _SUM)}))", _ATOM
        case Reduction(body=body, index=index, start=None, stop=None):
            return f"{type(node).__name__}({_at(body, _SUM)}, {index})", _ATOM
        case Piecewise(branches=branches):
            shown = ", ".join(f"({_at(each.value, _SUM)}, {_at(each.condition, _SUM)})" for each in branches)
            return f"Piecewise({shown})", _ATOM
        case Truth(value=value):
            return str(value), _ATOM
        case Eq(sides=sides):
            return f"Eq({', '.join(_at(each, _SUM) for each in sides)})", _ATOM
        case Compare(operator=operator, left=left, right=right):
            return f"{_at(left, _SUM)} {operator} {_at(right, _SUM)}", _SUM
    raise Unread("it holds what a form cannot say", node.offset, node.length)


def _number(value: Fraction) -> tuple[str, int]:
    """A number as a decimal where it is one: that is how forms read it."""
    if value.denominator == 1:
        return str(value.numerator), _ATOM if value >= 0 else _SUM
    rest, digits = value.denominator, 0
    while rest % 10 == 0 or rest % 5 == 0 or rest % 2 == 0:
        rest //= 10 if rest % 10 == 0 else 5 if rest % 5 == 0 else 2
        digits += 1
    if rest == 1:
        scaled = value * 10**digits
        whole = f"{abs(scaled.numerator):0{digits + 1}d}"
        return f"{whole[:-digits]}.{whole[-digits:]}", _ATOM
    return str(value), _PRODUCT
