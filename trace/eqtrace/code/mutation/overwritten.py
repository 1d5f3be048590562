"""Proof that a mutant which writes over an array changes nothing: the function made it, and nobody reads it again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from eqtrace.code.mutation.bound import holds, named
from eqtrace.code.mutation.kinds import FLOAT, INT, Kinds
from eqtrace.code.source import SourceFile
from eqtrace.code.tree import FunctionNode
from eqtrace.model.mutant import Mutant

_MAKING = {  # functions of NumPy that give a new array, and how many arguments they take before `out`
    **dict.fromkeys(["exp", "log", "sqrt", "sin", "cos", "tanh", "zeros", "ones", "zeros_like", "ones_like"], 1),
    **dict.fromkeys(["maximum", "minimum"], 2),
    "where": 3,
}
_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)  # may read a name later
_REFLECTING = frozenset({"locals", "vars", "eval", "exec"})
_REDUCING = frozenset({"sum", "mean", "max", "min", "var", "std"})  # methods that keep nothing of their array
_MEASURES = frozenset({"shape", "size", "ndim"})


def unread(mutant: Mutant, file: SourceFile, new: ast.stmt, kinds: Kinds) -> str:
    """In words, that what a mutant writes over was made just for it; '' where that was not shown.

    Shown is: a statement before it in the same block makes the array, under this name alone; until the mutant it is
    only computed with; after it the name stands for the result, or is never read. The result is of the array's type.
    """
    function = file.functions.get(mutant.function)
    statement = file.statement_at(mutant.span.line, mutant.span.column)
    call = getattr(new, "value", None)
    if not isinstance(function, FunctionNode) or statement is None or not isinstance(call, ast.Call):
        return ""
    written = next((each.value for each in call.keywords if each.arg == "out"), None)
    if not isinstance(written, ast.Name) or not _is_plain(function, written.id):
        return ""
    name = written.id
    if kinds.of(written).word != FLOAT or not all(kinds.of(each).word in (FLOAT, INT) for each in call.args):
        return ""  # the result could be of another type, which would then be rounded
    block = _block(function, statement.node)
    number = next(n for n, each in enumerate(block) if each is statement.node)
    made = next((n for n in range(number - 1, -1, -1) if holds(block[n], name)), None)
    if made is None or not _makes(block[made], name, kinds):
        return ""
    before = {id(each) for each in _walk(*block[made + 1 : number])}
    value = getattr(block[number], "value", None)
    before |= {id(each) for each in _walk(value)} if isinstance(value, ast.expr) else set()
    renewed = _assigns(block[number], name)
    for read, parents in _reads(function, name):
        if id(read) in before:
            if not _computes(parents, kinds):
                return ""
        elif not renewed:
            return ""
    return f"{name} is made in {mutant.function}, and not read again"


def _is_plain(function: FunctionNode, name: str) -> bool:
    """Whether only this function's own statements, in their order, can read or bind a name."""
    for node in ast.walk(function):
        if isinstance(node, ast.Try | ast.TryStar | ast.With | ast.AsyncWith):
            return False  # which could go on after half a statement
        if isinstance(node, ast.Global | ast.Nonlocal) and name in node.names:
            return False
        if isinstance(node, ast.Name) and node.id in _REFLECTING:
            return False
        if isinstance(node, _LATER) and node is not function and any(named(each, name) for each in ast.walk(node)):
            return False
    return True


def _block(function: FunctionNode, node: ast.AST) -> list[ast.stmt]:
    """The list of statements in which a statement stands."""
    for each in ast.walk(function):
        for value in vars(each).values():
            if isinstance(value, list) and any(item is node for item in value):
                return value
    return [node] if isinstance(node, ast.stmt) else []


def _assigns(statement: ast.stmt, name: str) -> bool:
    """Whether a statement assigns to the name, and to nothing else."""
    match statement:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return named(target, name)
    return False


def _makes(statement: ast.stmt, name: str, kinds: Kinds) -> bool:
    """Whether a statement gives the name an array that nothing else can stand for."""
    value = getattr(statement, "value", None)
    if not _assigns(statement, name) or any(isinstance(each, ast.NamedExpr) for each in ast.walk(statement)):
        return False
    if isinstance(value, ast.Call):
        known = len(value.args) <= _MAKING.get(kinds.known(value.func), -1)
        return known and not any(each.arg in ("out", None) for each in value.keywords)
    return isinstance(value, ast.BinOp) and kinds.number(value)


def _reads(function: ast.AST, name: str) -> Iterator[tuple[ast.Name, list[ast.AST]]]:
    """Every place that reads a name, with what it stands in, the innermost last."""

    def look(node: ast.AST, parents: list[ast.AST]) -> Iterator[tuple[ast.Name, list[ast.AST]]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Name) and child.id == name and isinstance(child.ctx, ast.Load):
                yield child, [*parents, node]
            yield from look(child, [*parents, node])

    yield from look(function, [])


def _computes(parents: list[ast.AST], kinds: Kinds) -> bool:
    """Whether a read only computes with an array: no name, container or view keeps it."""
    match parents[-1]:
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() as operation:
            return kinds.number(operation)
        case ast.Attribute(attr=name):
            called = isinstance(parents[-2], ast.Call) and parents[-2].func is parents[-1]
            return name in _MEASURES or (called and name in _REDUCING and kinds.pure(parents[-2]))
    return False


def _walk(*nodes: ast.AST) -> Iterator[ast.AST]:
    for node in nodes:
        yield from ast.walk(node)
