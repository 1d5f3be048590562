"""The whitelist: which syntax a form may hold, and the terms and conditions that it becomes."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from fractions import Fraction
from typing import TypedDict

from eqtrace.formula import words
from eqtrace.formula.syntax import LIMIT_DIGITS, LIMIT_POWER, FormError, Tree
from eqtrace.formula.term import (
    Add,
    And,
    Apply,
    Call,
    Compare,
    Condition,
    Constant,
    Div,
    Eq,
    Flag,
    Indexed,
    Mul,
    Name,
    Neg,
    Not,
    Number,
    Or,
    Pow,
    Statement,
    String,
    Term,
    Truth,
    walk,
)
from eqtrace.formula.vocabulary import VOCABULARY, Kind

_COMPARE: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.NotEq: "!="}
_DECIMAL = re.compile(r"(\d+\.?\d*|\.\d+)(?:e([+-]?\d+))?", re.ASCII)
_BOOLEAN_NODES = (ast.Compare, ast.BoolOp)

# What stands for something that could not be read: never seen outside, for then there is an error.
_NOTHING = Number(Fraction(0))


class Place(TypedDict):
    """Where a node stands."""

    offset: int
    length: int


class Reader:
    """Reads one syntax tree; errors collect, so that one text shows all of its own."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.errors: list[FormError] = []

    def place(self, node: ast.AST) -> Place:
        """Where a node stands in the text."""
        offset, length = self.tree.at(node)
        return {"offset": offset, "length": length}

    def error(self, node: ast.AST, message: str, hint: str = "") -> Number:
        """Note an error at a node, and go on with nothing."""
        self.errors.append(FormError(*self.tree.at(node), message, hint))
        return _NOTHING

    # Statements and conditions

    def statement(self, node: ast.expr, *, bare: bool = False) -> Statement | Term:
        """A statement; with `bare`, also a term alone."""
        if isinstance(node, ast.Call) and words.kind(node) is Kind.STATEMENT:
            return words.statement(self, node)
        if isinstance(node, ast.Call) and words.name(node) == "And":
            return And(tuple(self.whole(part) for part in self.arguments(node)), **self.place(node))
        if bare and not self.is_condition(node):
            return self.term(node)
        return self.condition(node)

    def whole(self, node: ast.expr) -> Statement:
        """A statement that is a part of another."""
        read = self.statement(node)
        return read if isinstance(read, Statement) else Truth(True)

    def is_condition(self, node: ast.expr) -> bool:
        """Whether a node is written as something true or false."""
        if isinstance(node, ast.Call):
            return words.kind(node) in (Kind.CONDITION, Kind.STATEMENT)
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, ast.BitAnd | ast.BitOr)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Not | ast.Invert)
        return isinstance(node, _BOOLEAN_NODES) or (isinstance(node, ast.Constant) and isinstance(node.value, bool))

    def side(self, node: ast.expr) -> Term | Condition:
        """A side of an equation: a term, or something true or false."""
        return self.condition(node) if self.is_condition(node) else self.term(node)

    def condition(self, node: ast.expr) -> Condition:
        """Something true or false."""
        match node:
            case ast.Compare():
                return self._chain(node)
            case ast.BoolOp(op=ast.And(), values=values):
                return And(tuple(self.condition(value) for value in values), **self.place(node))
            case ast.BoolOp(op=ast.Or(), values=values):
                return Or(tuple(self.condition(value) for value in values), **self.place(node))
            case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=operand):
                return Not(self.condition(operand), **self.place(node))
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr(), left=left, right=right):
                parts = (self.condition(left), self.condition(right))
                return (And if isinstance(node.op, ast.BitAnd) else Or)(parts, **self.place(node))
            case ast.Constant(value=bool() as value):
                return Truth(value, **self.place(node))
            case ast.Call() if words.kind(node) is Kind.CONDITION:
                return words.condition(self, node)
            case ast.Name() | ast.Subscript():
                return Flag(self.term(node), **self.place(node))
            case ast.Call() if words.kind(node) is Kind.STATEMENT:
                self.error(node, f"{words.name(node)} is a whole statement; it cannot stand here")
            case _:
                self.error(node, "a condition is needed here", "compare with < <= > >= == !=, or write Eq(left, right)")
        return Truth(True)

    def _chain(self, node: ast.Compare) -> Condition:
        sides = [node.left, *node.comparators]
        links: list[Condition] = []
        for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
            first, second = self.tree.at(left)[0], sum(self.tree.at(right))
            place: Place = {"offset": first, "length": second - first}
            if isinstance(operator, ast.Eq):
                links.append(Eq((self.side(left), self.side(right)), **place))
            elif type(operator) in _COMPARE:
                links.append(Compare(_COMPARE[type(operator)], self.operand(left), self.operand(right), **place))
            else:
                self.error(right, "in, is and not in cannot stand in a form", "write the equations, joined by `or`")
        if not links:
            return Truth(True)
        return links[0] if len(links) == 1 else And(tuple(links), **self.place(node))

    def operand(self, node: ast.expr) -> Term:
        """What is compared; `x > 0 & y > 0` is caught here, where Python reads `0 & y`."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
            return self.error(node, "& and | bind tighter than comparisons", "write `and`, `or`, or brackets")
        return self.term(node)

    # Terms

    def term(self, node: ast.expr) -> Term:
        """Something with a value."""
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.BinOp():
                return self._binary(node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Neg(self.term(operand), **self.place(node))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.term(operand)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Call():
                return words.term(self, node)
        return self.error(node, *_refusal(node))

    def _name(self, node: ast.expr, name: str) -> Term:
        word = VOCABULARY.get(name)
        if word and word.kind is Kind.CONSTANT:
            return Constant(name, **self.place(node))
        if word and word.reserved:
            return self.error(node, f"{name} is a word of forms and wants its arguments", f"write {word.signature}")
        return Name(name, **self.place(node))

    def _constant(self, node: ast.Constant) -> Term:
        if isinstance(node.value, str):
            return String(node.value, **self.place(node))
        if isinstance(node.value, bool):
            return self.error(node, f"{node.value} is no number", "write Piecewise((1, condition), (0, True))")
        if not isinstance(node.value, int | float):
            return self.error(node, f"{self.tree.source(node)} is no real number")
        text = self.tree.source(node).replace("_", "").lower()
        if len(text) > LIMIT_DIGITS:
            return self.error(node, f"a number of more than {LIMIT_DIGITS} digits")
        if isinstance(node.value, int):
            return Number(Fraction(node.value), **self.place(node))
        decimal = _DECIMAL.fullmatch(text)
        if not decimal or abs(int(decimal[2] or 0)) > LIMIT_POWER:
            return self.error(node, f"{text} is too large or too small a number")
        return Number(Fraction(text), **self.place(node))

    def _binary(self, node: ast.BinOp) -> Term:
        place = self.place(node)
        if isinstance(node.op, ast.BitXor):
            self.error(node, "^ is no power in a form", "write x**y")
        elif isinstance(node.op, ast.MatMult):
            self.error(node, "@ cannot stand in a form", "write Sum(X[t, k]*W[k, j], k)")
        if self.is_condition(node):
            return self.error(node, "a condition stands where a number is needed", _BRACKET)
        left, right = self.term(node.left), self.term(node.right)
        match node.op:
            case ast.Add():
                return Add(left, right, **place)
            case ast.Sub():
                return Add(left, Neg(right, **self.place(node.right)), **place)
            case ast.Mult():
                return Mul(left, right, **place)
            case ast.Div():
                return Div(left, right, **place)
            case ast.FloorDiv():
                return Call("floor", (Div(left, right, **place),), **place)
            case ast.Mod():
                return Call("Mod", (left, right), **place)
            case ast.Pow():
                return self._power(node, left, right)
            case ast.BitXor() | ast.MatMult():
                return _NOTHING
        return self.error(node, "this operator cannot stand in a form")

    def _power(self, node: ast.BinOp, base: Term, exponent: Term) -> Term:
        value = exponent.operand if isinstance(exponent, Neg) else exponent
        if isinstance(value, Number) and value.value > LIMIT_POWER:
            return self.error(node.right, f"an exponent above {LIMIT_POWER}")
        if any(isinstance(part, Pow) for part in walk(exponent)) and not _has_names(exponent):
            return self.error(node.right, "a power of constants in an exponent")
        return Pow(base, exponent, **self.place(node))

    def _subscript(self, node: ast.Subscript) -> Term:
        inner = node.value
        if isinstance(inner, ast.Subscript):
            return self.error(node, "two subscripts in a row", "write X[t, k] for X[t][k]")
        if isinstance(inner, ast.Call) and words.name(inner) and words.kind(inner) is None:
            applied, parts = words.term(self, inner), self._parts(node)
            if isinstance(applied, Apply):
                return replace(applied, subscripts=tuple(self.term(part) for part in parts), **self.place(node))
        if not isinstance(inner, ast.Name):
            return self.error(inner, "only a symbol can be subscripted")
        word = VOCABULARY.get(inner.id)
        if word and word.reserved:
            return self.error(
                inner, f"{inner.id} is a word of forms and takes no subscripts", f"write {word.signature}"
            )
        parts = self._parts(node)
        if not parts:
            return self.error(node, "no subscript")
        return Indexed(inner.id, tuple(self.term(part) for part in parts), **self.place(node))

    def _parts(self, node: ast.Subscript) -> list[ast.expr]:
        return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]

    def arguments(self, node: ast.Call) -> list[ast.expr]:
        """A call's arguments; keywords and stars are errors."""
        for keyword in node.keywords:
            self.error(keyword.value, "keyword arguments cannot stand in a form")
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                self.error(argument, "a star cannot stand in a form")
        return [argument for argument in node.args if not isinstance(argument, ast.Starred)]


_BRACKET = "a condition counts as a number by Piecewise((1, condition), (0, True))"


def _has_names(term: Term) -> bool:
    return any(isinstance(part, Name | Indexed) for part in walk(term))


def _refusal(node: ast.expr) -> tuple[str, str]:
    """Why a syntax that is not on the whitelist is refused, and what to write."""
    match node:
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp():
            return "a condition stands where a number is needed", _BRACKET
        case ast.Attribute():
            return "attributes cannot stand in a form", "bind the value to a symbol"
        case ast.Tuple():
            return "a tuple stands where a number is needed", "one statement has one left side; write several"
        case ast.IfExp():
            return "if and else cannot stand in a form", "write Piecewise((e, condition), (e, True))"
        case ast.Slice():
            return "a slice cannot stand in a form", "write an index"
        case ast.Lambda():
            return "lambda is a keyword of Python", "name the symbol lam, with a latex spelling of its own"
        case ast.List() | ast.Set() | ast.Dict():
            return "a collection cannot stand in a form", ""
        case ast.JoinedStr():
            return "an f-string cannot stand in a form", ""
        case ast.NamedExpr():
            return "an assignment cannot stand in a form", "write an equation as Eq(left, right)"
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return "a comprehension cannot stand in a form", "write Sum(e, k) over an index"
    return "this syntax cannot stand in a form", ""
