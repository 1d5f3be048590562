"""Syntax trees as eqtrace compares them: positions, contexts and the bodies of compound statements left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeVar

_Node = TypeVar("_Node", bound=ast.AST)
StatementNode = ast.stmt | ast.excepthandler | ast.match_case
"""What can be cited: a statement, an `except` clause or a `case` clause."""

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
ScopeNode = ast.Module | ast.ClassDef | FunctionNode

_BODIES = frozenset({"body", "orelse", "handlers", "finalbody", "cases"})
_UNCOMPARED = frozenset({"ctx", "kind", "type_comment"})
_COMPOUND = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Match,
    ast.match_case,
    ast.ExceptHandler,
    ast.Try,
    ast.TryStar,
)

_fields: dict[type[ast.AST], tuple[str, ...]] = {}
_header_fields: dict[type[ast.AST], tuple[str, ...]] = {
    kind: tuple(name for name in kind._fields if name not in _BODIES | _UNCOMPARED) for kind in _COMPOUND
}


def is_compound(node: ast.AST) -> bool:
    """Whether a statement has a body, so that only its header is cited."""
    return type(node) in _header_fields


def same(left: ast.AST, right: ast.AST) -> bool:
    """Whether two statements (of compound ones, the headers) or expressions are the same syntax tree.

    Decorators count only where both have them, so that a citation of `def f(x):` needs not repeat them.
    """
    kind = type(left)
    if kind is not type(right):
        return False
    names = compared(left)
    if "decorator_list" in names and not (getattr(left, "decorator_list", ()) and getattr(right, "decorator_list", ())):
        names = tuple(name for name in names if name != "decorator_list")
    pending: list[tuple[object, object]] = [(getattr(left, name, None), getattr(right, name, None)) for name in names]
    while pending:
        one, other = pending.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, ast.AST):
            pending.extend((getattr(one, name, None), getattr(other, name, None)) for name in _compared(type(one)))
        elif isinstance(one, list):
            assert isinstance(other, list)
            if len(one) != len(other):
                return False
            pending.extend(zip(one, other, strict=True))
        elif one != other:
            return False
    return True


def renaming(left: ast.AST, right: ast.AST) -> dict[str, str] | None:
    """The names that tell two statements apart, each changed into another everywhere; None where more tells them apart.

    Only plain names are renamed: attributes, keywords and constants say what is done.
    """
    known: dict[str, str] = {}
    pending: list[tuple[object, object]] = [(left, right)]
    whole = True  # of the statements themselves only what is compared; a compound one's body is left out
    while pending:
        one, other = pending.pop()
        if type(one) is not type(other):
            return None
        if isinstance(one, ast.Name):
            assert isinstance(other, ast.Name)
            if known.setdefault(one.id, other.id) != other.id:
                return None
        elif isinstance(one, ast.AST):
            fields = compared(one) if whole else _compared(type(one))
            pending.extend((getattr(one, name, None), getattr(other, name, None)) for name in fields)
        elif isinstance(one, list):
            assert isinstance(other, list)
            if len(one) != len(other):
                return None
            pending.extend(zip(one, other, strict=True))
        elif one != other:
            return None
        whole = False
    one_to_one = len(set(known.values())) == len(known)
    return {old: new for old, new in known.items() if old != new} if one_to_one else None


def _compared(kind: type[ast.AST]) -> tuple[str, ...]:
    names = _fields.get(kind)
    if names is None:
        names = _fields[kind] = tuple(name for name in kind._fields if name not in _UNCOMPARED)
    return names


def compared(node: ast.AST) -> tuple[str, ...]:
    """The fields of a statement (of a compound one, of its header) or an expression that make it what it is."""
    return _header_fields.get(type(node)) or _compared(type(node))


def parts(node: ast.AST) -> list[ast.AST]:
    """The direct children of a statement that belong to it: of a compound one, those of its header."""
    children: list[ast.AST] = []
    fields = _entered.get(type(node))
    for name in _enter(type(node)) if fields is None else fields:
        value = getattr(node, name, None)
        if type(value) is list:
            children += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            children.append(value)
    return children


# Fields that hold no part: how a name is used, which operator it is, or plain text and numbers.
_NO_PARTS = frozenset(
    {"ctx", "op", "id", "attr", "kind", "type_comment", "asname", "module", "level", "conversion", "simple", "is_async"}
)
_entered: dict[type[ast.AST], tuple[str, ...]] = {}


def _enter(kind: type[ast.AST]) -> tuple[str, ...]:
    fields = _header_fields.get(kind) or kind._fields
    _entered[kind] = tuple(name for name in fields if name not in _NO_PARTS)
    return _entered[kind]


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A statement's nodes, itself first, parents before children; a compound statement's body is not entered."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        if type(current) is not ast.Name and type(current) is not ast.Constant:
            found = parts(current)
            found.reverse()
            pending += found


def unplaced(node: _Node) -> _Node:
    """A statement that stands in no file, without the places that its own text gave it.

    They would be taken for places of the file that it is looked at in, and so for that file's text.
    """
    for each in ast.walk(node):
        for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            vars(each).pop(name, None)
    return node


def names(node: ast.AST) -> set[str]:
    """Every name, attribute and argument name that occurs in a statement or expression."""
    found: set[str] = set()
    for part in walk(node):
        if isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, ast.Attribute):
            found.add(part.attr)
        elif isinstance(part, ast.arg | ast.keyword) and part.arg:
            found.add(part.arg)
    return found


def dotted(node: ast.AST) -> str | None:
    """`a.b.c` of a chain of attributes on a name, else None."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(attributes)])


def targets(node: ast.AST) -> list[ast.expr]:
    """What a statement assigns to, tuples and stars taken apart, `:=` within it included."""
    return [*assigned(node), *(part.target for part in walk(node) if isinstance(part, ast.NamedExpr))]


def assigned(node: ast.AST) -> list[ast.expr]:
    """The same without `:=`."""
    found: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        found.extend(node.targets)
    elif isinstance(node, ast.AugAssign | ast.For | ast.AsyncFor) or (isinstance(node, ast.AnnAssign) and node.value):
        found.append(node.target)
    elif isinstance(node, ast.With | ast.AsyncWith):
        found.extend(item.optional_vars for item in node.items if item.optional_vars)
    flat: list[ast.expr] = []
    while found:
        target = found.pop(0)
        if isinstance(target, ast.Tuple | ast.List):
            found[:0] = target.elts
        else:
            flat.append(target.value if isinstance(target, ast.Starred) else target)
    return flat
