"""Proofs that a mutant computes the same: only these excuse one that survives.

Two are known. The values have the same normal form, a polynomial over whatever is no arithmetic; or the mutant writes
over an array that the function made itself and never reads again.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from eqtrace.code.source import SourceFile
from eqtrace.code.tree import FunctionNode
from eqtrace.model.mutant import Mutant

_Monomial = tuple[tuple[str, int], ...]  # atoms and their exponents, sorted
_Polynomial = dict[_Monomial, Fraction]

_SYMMETRIC = frozenset({"maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or", "array_equal", "hypot"})
_FUNCTIONS = {"add": ast.Add, "subtract": ast.Sub, "multiply": ast.Mult, "divide": ast.Div}
_MIRRORED = {ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_LARGEST = 200  # monomials, before an expression is left as it is
_FRESH = frozenset(
    {"exp", "log", "sqrt", "zeros", "ones", "zeros_like", "empty_like", "ones_like", "maximum", "minimum"}
)


def proof(mutant: Mutant, file: SourceFile) -> str:
    """Why a mutant is equivalent, in words; '' where that was not shown."""
    old, new = _statement(mutant.old), _statement(mutant.new)
    if old is None or new is None:
        return ""
    if mutant.operator == "in-place":
        return _dead(mutant, file, new)
    shown = _same_statement(old, new)
    return f"both are {shown} in normal form" if shown else ""


def _statement(text: str) -> ast.stmt | None:
    try:
        return ast.parse(f"{text}\n    pass" if text.endswith(":") else text).body[0]
    except SyntaxError:
        return None


# --- normal form -----------------------------------------------------------------------------------------------------


def _same_statement(old: ast.stmt, new: ast.stmt) -> str:
    """The common normal form of two statements that differ in their values alone."""
    values = []
    for each in (old, new):
        value = getattr(each, "value", None) or getattr(each, "test", None)
        if not isinstance(value, ast.expr):
            return ""
        values.append(value)
    names = "value" if hasattr(old, "value") else "test"
    frames = [ast.dump(_framed(each, names)) for each in (old, new)]
    one, other = map(normal, values)
    # Terms that cancel would take the shapes of what they hold along: both sides must keep everything they read.
    kept = all(_names_read(value) == _names_kept(form) for value, form in zip(values, (one, other), strict=True))
    return _text(one).replace("`", "") if frames[0] == frames[1] and one == other and kept else ""


def _framed(statement: ast.stmt, field: str) -> ast.stmt:
    """A statement without its value."""
    import copy

    frame = copy.copy(statement)
    setattr(frame, field, ast.Constant(None))
    return frame


def normal(node: ast.expr) -> _Polynomial:
    """An expression as a polynomial over its atoms: sums and products in any order are the same."""
    match node:
        case ast.Constant(value=bool() | str() | None):
            return _atom(repr(node.value))
        case ast.Constant(value=int() | float() as value) if value == value and abs(value) != float("inf"):
            return {(): Fraction(value)} if value else {}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return {monomial: -factor for monomial, factor in normal(operand).items()}
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right) if not _joins(node):
            sign = 1 if isinstance(op, ast.Add) else -1
            return _sum(normal(left), {monomial: sign * factor for monomial, factor in normal(right).items()})
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _product(normal(left), normal(right), node)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _product(normal(left), _inverse(normal(right)), node)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as exponent)) if 0 < exponent < 9:
            found = normal(left)
            power = found
            for _ in range(exponent - 1):
                power = _product(power, found, node)
            return power
    return _atom(_atom_text(node))


def _atom(text: str) -> _Polynomial:
    return {((text, 1),): Fraction(1)}


def _atom_text(node: ast.AST) -> str:
    """What is no arithmetic, its own parts in normal form."""
    match node:
        case ast.Name(id=name):
            return f"`{name}`"
        case ast.Call(func=ast.Attribute(attr=name) as function, args=[one, other], keywords=[]) if name in _SYMMETRIC:
            parts = sorted((_text(normal(one)), _text(normal(other))))
            return f"{_text(normal(function))}({', '.join(parts)})"
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            sides = [_text(normal(left)), _text(normal(right))]
            if isinstance(op, ast.Eq | ast.NotEq):
                sides.sort()
            mirrored = _MIRRORED.get(type(op))
            if mirrored is not None:
                return f"({sides[1]} {mirrored.__name__} {sides[0]})"
            return f"({sides[0]} {type(op).__name__} {sides[1]})"
        case ast.expr():
            parts = []
            for name, value in ast.iter_fields(node):
                values = value if isinstance(value, list) else [value]
                shown = [
                    _text(normal(each))
                    if isinstance(each, ast.expr)
                    else _atom_text(each)
                    if isinstance(each, ast.AST)
                    else repr(each)
                    for each in values
                    if not isinstance(each, ast.expr_context)
                ]
                parts.append(f"{name}={','.join(shown)}")
            return f"{type(node).__name__}({'; '.join(parts)})"
    return ast.dump(node)


def _sum(one: _Polynomial, other: _Polynomial) -> _Polynomial:
    found = Counter(one)
    for monomial, factor in other.items():
        found[monomial] += factor  # type: ignore[assignment]
    return {monomial: Fraction(factor) for monomial, factor in found.items() if factor}


def _product(one: _Polynomial, other: _Polynomial, node: ast.expr) -> _Polynomial:
    if len(one) * len(other) > _LARGEST:
        return _atom(ast.dump(node))
    found: _Polynomial = {}
    for left, factor in one.items():
        for right, another in other.items():
            exponents = Counter(dict(left))
            for atom, exponent in right:
                exponents[atom] += exponent
            monomial = tuple(sorted((atom, exponent) for atom, exponent in exponents.items() if exponent))
            found = _sum(found, {monomial: factor * another})
    return found


def _inverse(found: _Polynomial) -> _Polynomial:
    if len(found) == 1:
        [(monomial, factor)] = found.items()
        return {tuple((atom, -exponent) for atom, exponent in monomial): 1 / factor}
    return {((f"({_text(found)})", -1),): Fraction(1)}


def _text(found: _Polynomial) -> str:
    terms = []
    for monomial, factor in sorted(found.items()):
        atoms = [atom if exponent == 1 else f"{atom}**{exponent}" for atom, exponent in monomial]
        terms.append("*".join([str(factor), *atoms] if factor != 1 or not atoms else atoms))
    return " + ".join(terms) or "0"


def _joins(node: ast.BinOp) -> bool:
    """Whether an addition may be of strings or lists, whose order matters."""
    return any(
        isinstance(each, ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp)
        or (isinstance(each, ast.Constant) and isinstance(each.value, str | bytes))
        for each in ast.walk(node)
    )


def _names_read(node: ast.expr) -> frozenset[str]:
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _names_kept(found: _Polynomial) -> frozenset[str]:
    return frozenset(re.findall(r"`(\w+)`", _text(found)))


# --- arrays that nobody reads again ----------------------------------------------------------------------------------


def _dead(mutant: Mutant, file: SourceFile, new: ast.stmt) -> str:
    """Whether what is written over was made in the function, and is read by nothing but arithmetic before."""
    written = next((each.value for each in ast.walk(new) if isinstance(each, ast.keyword) and each.arg == "out"), None)
    function = file.functions.get(mutant.function)
    if not isinstance(written, ast.Name) or not isinstance(function, FunctionNode) or _repeats(function):
        return ""
    name = written.id
    assigned = [getattr(each, "value", None) for each in ast.walk(function) if _assigns(each, name)]
    if len(assigned) != 1 or not _is_fresh(assigned[0]) or name in _parameters(function):
        return ""
    for place, reads in _reads(function, name):
        line = getattr(place, "lineno", 0)
        if line > mutant.span.end_line or (line < mutant.span.line and not reads):
            return ""
    return f"{name} is made in {mutant.function} and not read again"


def _repeats(function: ast.AST) -> bool:
    return any(isinstance(each, ast.For | ast.While | ast.comprehension | ast.Lambda) for each in ast.walk(function))


def _assigns(node: ast.AST, name: str) -> bool:
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and any(
        isinstance(each, ast.Name) and each.id == name for target in targets if target for each in ast.walk(target)
    )


def _is_fresh(value: ast.expr | None) -> bool:
    """Whether an expression's value is surely a new array."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr in _FRESH and not any(each.arg == "out" for each in value.keywords)
    return isinstance(value, ast.BinOp)


def _parameters(function: FunctionNode) -> set[str]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {each.arg for each in every if each is not None}


def _reads(function: ast.AST, name: str) -> Iterator[tuple[ast.AST, bool]]:
    """Every place that reads a name, and whether it only computes with it."""
    for parent in ast.walk(function):
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.Name) and child.id == name and isinstance(child.ctx, ast.Load):
                yield child, isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Compare)
