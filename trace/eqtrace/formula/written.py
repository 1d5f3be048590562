"""Terms, conditions and polynomials as people write them, for assumptions and counter-examples."""

from __future__ import annotations

import re

from eqtrace.formula.polynomial import Atom, Kind, Monomial, Polynomial
from eqtrace.formula.term import (
    Add,
    And,
    Apply,
    Call,
    Compare,
    Constant,
    Derivative,
    Div,
    Eq,
    Flag,
    Implies,
    Indexed,
    Mul,
    Name,
    Neg,
    Node,
    Not,
    Number,
    Old,
    Or,
    Piecewise,
    Pow,
    Reduction,
    Truth,
    Var,
)

_SUM, _PRODUCT, _POWER, _ATOM = range(4)


def written(node: Node, level: int = 0) -> str:
    """A term or a condition; `level` is how tightly what stands around it binds."""
    text, own = _written(node)
    return text if own >= level else f"({text})"


def _written(node: Node) -> tuple[str, int]:
    match node:
        case Number(value=value):
            return str(value), _ATOM if value.denominator == 1 and value >= 0 else _PRODUCT
        case Constant(name=name) | Name(name=name):
            return name, _ATOM
        case Indexed(base=base, subscripts=subscripts):
            return f"{base}[{', '.join(map(written, subscripts))}]", _ATOM
        case Old(target=target):
            return f"Old({written(target)})", _ATOM
        case Add(left=left, right=Neg(operand=operand)):
            return f"{written(left)} - {written(operand, _PRODUCT)}", _SUM
        case Add(left=left, right=right):
            return f"{written(left)} + {written(right, _PRODUCT)}", _SUM
        case Mul(left=left, right=right):
            return f"{written(left, _PRODUCT)}*{written(right, _POWER)}", _PRODUCT
        case Div(left=left, right=right):
            return f"{written(left, _PRODUCT)}/{written(right, _POWER)}", _PRODUCT
        case Neg(operand=operand):
            return f"-{written(operand, _PRODUCT)}", _SUM
        case Pow(base=base, exponent=exponent):
            return f"{written(base, _ATOM)}**{written(exponent, _ATOM)}", _POWER
        case Apply(function=function, args=args, subscripts=subscripts):
            entry = f"[{', '.join(map(written, subscripts))}]" if subscripts else ""
            return f"{function}({', '.join(map(written, args))}){entry}", _ATOM
        case Call(function=function, args=args):
            return f"{function}({', '.join(map(written, args))})", _ATOM
        case Reduction(body=body, index=index, start=start, stop=stop):
            ends = f", {written(start)} <= {index} < {written(stop)}" if start and stop else f", {index}"
            return f"{type(node).__name__}({written(body)}{ends})", _ATOM
        case Derivative(body=body, by=by):
            return f"Derivative({', '.join(map(written, (body, *by)))})", _ATOM
        case Var(operand=operand):
            return f"Var({written(operand)})", _ATOM
        case Piecewise(branches=branches):
            shown = ", ".join(f"({written(each.value)}, {written(each.condition)})" for each in branches)
            return f"Piecewise({shown})", _ATOM
    return _condition(node), _SUM


def _condition(node: Node) -> str:
    match node:
        case Truth(value=value):
            return str(value)
        case Flag(term=term):
            return written(term)
        case Eq(sides=sides):
            return " == ".join(map(written, sides))
        case Compare(operator=operator, left=left, right=right):
            return f"{written(left)} {operator} {written(right)}"
        case And(parts=parts):
            return " and ".join(map(written, parts))
        case Or(parts=parts):
            return " or ".join(map(written, parts))
        case Not(part=part):
            return f"not {written(part, _ATOM)}"
        case Implies(premise=premise, conclusion=conclusion):
            return f"{written(premise)} => {written(conclusion)}"
    return type(node).__name__


def written_polynomial(poly: Polynomial) -> str:
    """A polynomial of the normal form; bound names are shown as k, l, m and so on."""
    text = _polynomial(poly)
    for number, name in enumerate(dict.fromkeys(_BOUND.findall(text))):
        text = re.sub(re.escape(name) + r"(?![\d.])", "klmnpqrs"[number % 8] + "'" * (number // 8), text)
    return text


_BOUND = re.compile(r"~~?[\d.]+")


def _polynomial(poly: Polynomial) -> str:
    if not poly.terms:
        return "0"
    parts = []
    for monomial, value in sorted(poly.terms.items(), key=lambda term: str(term[0])):
        product = _product(monomial)
        parts.append(str(value) if not product else product if value == 1 else f"{value}*{product}")
    return " + ".join(parts).replace("+ -", "- ")


def _product(monomial: Monomial) -> str:
    parts = []
    for atom, exponent in monomial:
        text = _atom(atom)
        parts.append(
            text
            if exponent == 1
            else f"{text}**{exponent}"
            if exponent == abs(int(exponent))
            else f"{text}**({exponent})"
        )
    return "*".join(parts)


def _atom(atom: Atom) -> str:
    args = ", ".join(map(_polynomial, atom.args))
    match atom.kind:
        case Kind.VARIABLE | Kind.NUMBER | Kind.CONSTANT:
            return atom.name
        case Kind.ENTRY:
            return f"{atom.name}[{args}]" if args else atom.name
        case Kind.EXP:
            return f"exp({args})"
        case Kind.BASE:
            return f"({args})"
        case Kind.SUM:
            return f"Sum({_product(atom.factors) or '1'}, {', '.join(atom.bound)})"
        case Kind.REDUCTION:
            return f"{atom.name}(..., {atom.bound[0]})"
        case Kind.FUNCTION:
            return f"{atom.name}({args})"
        case Kind.PARTIAL:
            return f"Derivative({atom.name}; {args})"
    sign = {Kind.DELTA: "== 0", Kind.NOT_ZERO: "!= 0", Kind.POSITIVE: "> 0", Kind.NOT_NEGATIVE: ">= 0"}[atom.kind]
    return f"[{args} {sign}]"
