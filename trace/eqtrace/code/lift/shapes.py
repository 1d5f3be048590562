"""Shapes of parameters: as annotations and documentation say, or as a function that adds an array up needs them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from eqtrace.code.lift.ranges import arguments, sections
from eqtrace.code.tree import FunctionNode

_JAXTYPING = frozenset({"Float", "Float16", "Float32", "Float64", "Real", "Num", "Shaped", "Inexact"})
_ADDING = frozenset({"sum", "mean", "dot"})
_ARRAY = re.compile(r"\b(?:nd)?array|\bNDArray\b|\barray[-_ ]like\b", re.IGNORECASE)
_SHAPE = re.compile(r"[\[(]\s*(\w+(?:\s*,\s*\w+)*)\s*,?\s*[\])]")
_SHAPED = re.compile(r"(?:\bof )?\bshape\b\W{0,4}$|^\s*$")  # what stands before the brackets
_SYMBOLIC = re.compile(r"[^\W\d]\w*")


def annotated(function: FunctionNode) -> dict[str, tuple[str, ...]]:
    """Shapes by jaxtyping (`Float[Array, "n d"]`) of named axes, and by `Annotated[NDArray, "n d"]`."""
    found: dict[str, tuple[str, ...]] = {}
    for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
        dims = _dims(each.annotation)
        if dims:
            found[each.arg] = dims
    return found


def documented(function: FunctionNode) -> dict[str, tuple[str, ...]]:
    """Shapes that a docstring says, as NumPy's and Google's do: `ndarray of shape (n, d)`, `(N,) array_like`."""
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    found: dict[str, tuple[str, ...]] = {}
    text = ast.get_docstring(function) or ""
    for name, kind, said in (*sections(text), *arguments(text)):
        if name in names and (dims := _said(kind) or (_said(said) if _ARRAY.search(kind) else ())):
            found[name] = dims
    return {name: dims for name, dims in found.items() if {*names}.isdisjoint(dims)}  # a size is no parameter


def _said(text: str) -> tuple[str, ...]:
    for shape in _SHAPE.finditer(text):
        before, behind = text[: shape.start()], text[shape.end() :]
        plain = not before.strip() and _ARRAY.match(behind.strip()) is not None
        if plain or (before.strip() and _SHAPED.search(before) is not None):
            dims = tuple(each.strip() for each in shape[1].split(","))
            if all(map(_SYMBOLIC.fullmatch, dims)):
                return dims
    return ()


def _dims(node: ast.expr | None) -> tuple[str, ...]:
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Tuple) or len(node.slice.elts) != 2:
        return ()
    name = ast.unparse(node.value).rpartition(".")[2]
    said = node.slice.elts[1]
    if name not in _JAXTYPING | {"Annotated"} or not isinstance(said, ast.Constant) or not isinstance(said.value, str):
        return ()
    dims = tuple(said.value.split())
    return dims if all(each.isidentifier() for each in dims) else ()


def assumed(function: FunctionNode, known: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """One axis for each parameter without a default that is in what a sum, a mean or a product of arrays takes."""
    arguments = function.args
    optional = {each.arg for each in arguments.args[len(arguments.args) - len(arguments.defaults) :]}
    names = {each.arg for each in (*arguments.posonlyargs, *arguments.args)} - optional
    taken = {"n", *names}
    size = next(each for each in ("n", "m", "N", "size0") if each not in taken or (each == "n" and "n" not in names))
    reached = {name for node in ast.walk(function) for name in _added(node)}
    for node in reversed(list(ast.walk(function))):  # what is added up may have been worked out above
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in reached for t in node.targets):
            reached |= {each.id for each in ast.walk(node.value) if isinstance(each, ast.Name)}
    found = {name: (size,) for name in sorted(names & reached) if name not in known}
    return {**found, **{name: dims for name, dims in _unpacked(function).items() if name in names - known.keys()}}


def _unpacked(function: FunctionNode) -> dict[str, tuple[str, ...]]:
    """How many entries names have that are unpacked, or of which single entries are read."""
    found: dict[str, int] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Name(id=name)) if not any(
                isinstance(each, ast.Starred) for each in parts
            ):
                found[name] = len(parts)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int() as place)) if place >= 0:
                found[name] = max(found.get(name, 0), place + 1)
    return {name: (str(count),) for name, count in found.items()}


def _added(node: ast.AST) -> Iterator[str]:
    parts: list[ast.expr] = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ADDING:
        parts = [*node.args, node.func.value]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        parts = [node.left, node.right]
    for part in parts:
        yield from (each.id for each in ast.walk(part) if isinstance(each, ast.Name))
