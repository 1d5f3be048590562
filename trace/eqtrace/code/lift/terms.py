"""Terms while they are read: made, looked at, and parts of them exchanged."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any


def entry_of(name: str, indices: tuple[str, ...]) -> ast.expr:
    """An entry of an array; decimal digits are an index that is a number."""
    names: list[ast.expr] = [ast.Constant(int(each)) if each.isdecimal() else ast.Name(each) for each in indices]
    return ast.Subscript(ast.Name(name), names[0] if len(names) == 1 else ast.Tuple(names))


def of_word(word: str, *arguments: ast.expr) -> ast.expr:
    """A call of a word of forms."""
    return ast.Call(ast.Name(word), list(arguments), [])


def has_names(node: ast.expr) -> bool:
    """Whether a term has names, so that it may be 0 or negative."""
    called = {id(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)}
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name) and id(each) not in called]
    return any(each.id != "pi" for each in names)


def is_positive(node: ast.expr) -> bool:
    """Whether a term is a largest of which one is a number above 0."""
    match node:
        case ast.Call(func=ast.Name(id="Max"), args=args):
            return any((number_of(each) or 0) > 0 for each in args)
    return False


def factors(node: ast.expr) -> Iterator[ast.expr]:
    """What a term is a product of, powers by their base."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            yield from factors(left)
            yield from factors(right)
        case ast.BinOp(left=left, op=ast.Pow(), right=right) if (number_of(right) or 0) > 0:
            yield from factors(left)
        case _:
            yield node


def number_of(node: ast.expr | None) -> float | None:
    """The number that a term is written as, else None."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -float(value)
    return None


def negated(node: ast.expr) -> list[str]:
    """What holds where a condition does not: several, where one of several parts must not hold."""
    opposite: dict[type[ast.cmpop], ast.cmpop] = {
        ast.Lt: ast.GtE(), ast.LtE: ast.Gt(), ast.Gt: ast.LtE(), ast.GtE: ast.Lt()
    }  # fmt: skip
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return [ast.unparse(ast.Compare(left, [opposite[type(op)]], [right]))]
        case ast.Call(func=ast.Name(id="Or"), args=parts):
            return [each for part in parts for each in negated(part)]
        case ast.Call(func=ast.Name(id="Eq"), args=parts):
            return [ast.unparse(of_word("Ne", *parts))]
    return [ast.unparse(of_word("Not", node))]


def names_in(node: ast.AST) -> list[ast.Name]:
    """All names of a term."""
    return [each for each in ast.walk(node) if isinstance(each, ast.Name)]


class Put(ast.NodeTransformer):
    """Puts terms in the places of names."""

    def __init__(self, terms: Mapping[str, ast.expr]) -> None:
        self._terms = terms

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The term of a name."""
        return self._terms.get(node.id, node)


class Named(ast.NodeTransformer):
    """Puts a name in the places of a term."""

    def __init__(self, term: str, name: str) -> None:
        self._wanted = ast.dump(ast.parse(term, mode="eval").body)
        self._name = name
        self.count = 0

    def within(self, text: str) -> str:
        """A text with the name in it."""
        return ast.unparse(self.visit(ast.parse(text, mode="eval").body))

    def visit(self, node: ast.AST) -> Any:
        """The name where the term stands."""
        if ast.dump(node) == self._wanted:
            self.count += 1
            return ast.Name(self._name)
        return super().visit(node)


def brief(node: ast.AST) -> str:
    """The first line of code, cut where it is long."""
    text = ast.unparse(node).split("\n")[0]
    return text if len(text) <= 60 else f"{text[:57]}..."
