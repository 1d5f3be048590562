"""Which names a piece of code binds, and to what."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator


def assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """What a node assigns to, and the value; None where that is another one in each turn, or only declared."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AnnAssign(target=target):
            yield target, None
        case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
            yield target, ast.BinOp(ast.Name(name, ast.Load()), op, value)
        case ast.AugAssign(target=target):
            yield target, None
        case (
            ast.For(target=ast.Tuple(elts=[_, target]), iter=ast.Call(ast.Attribute(held, "items"), [], []))
            | ast.comprehension(target=ast.Tuple(elts=[_, target]), iter=ast.Call(ast.Attribute(held, "items"), [], []))
        ):
            yield target, ast.Subscript(held, ast.Name("", ast.Load()), ast.Load())
            yield node.target.elts[0], None  # type: ignore[attr-defined]
        case ast.For(target=target, iter=turns) | ast.AsyncFor(target=target, iter=turns):
            counts = isinstance(node, ast.For) and isinstance(turns, ast.Call) and named(turns.func, "range")
            yield target, ast.Call(ast.Name("len", ast.Load()), [], []) if counts else None
        case ast.comprehension(target=target):
            yield target, None


def named(node: ast.AST, name: str) -> bool:
    """Whether a node is that name."""
    return isinstance(node, ast.Name) and node.id == name


def holds(node: ast.AST, name: str) -> bool:
    """Whether something in a node binds a name."""
    return any(name in binds(each) for each in ast.walk(node))


def bound_in(root: ast.AST) -> Counter[str]:
    """How many nodes in a tree bind each name."""
    return Counter(name for node in ast.walk(root) for name in binds(node))


def binds(node: ast.AST) -> Iterable[str]:
    """The names that a node itself binds."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.arg(arg=name):
            return (name,)
        case ast.Import(names=names):
            return [alias.asname or alias.name.partition(".")[0] for alias in names]
        case ast.ImportFrom(names=names):
            return [alias.asname or alias.name for alias in names]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
        case (
            ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name)
        ):
            return (name,)
        case ast.MatchMapping(rest=str() as name):
            return (name,)
    return ()
