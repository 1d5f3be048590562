"""What binds a name in one scope: definitions, imports, assignments, parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from eqtrace.code.source import SourceFile
from eqtrace.code.tree import FunctionNode, StatementNode, walk


class Import(NamedTuple):
    """An import: of a module (`name` is empty) or of a name from it; `level` counts leading dots."""

    module: str
    name: str
    level: int


class Item(NamedTuple):
    """A value, or (by `position`) an element of it where a tuple is taken apart."""

    value: ast.expr
    position: int | None = None


class Parameter(NamedTuple):
    """A parameter of the function whose scope it is."""

    name: str
    position: int
    annotation: ast.expr | None
    default: ast.expr | None


Binding = str | Import | Item | Parameter  # a str is the qualified name of a definition


def bindings(file: SourceFile, function: str) -> dict[str, list[Binding]]:
    """Every binding in a function's, class's or (for '') the module's own scope; star imports under `*`."""
    found: dict[str, list[Binding]] = {}
    node = file.functions.get(function)
    if isinstance(node, FunctionNode):
        for parameter in parameters(node):
            found.setdefault(parameter.name, []).append(parameter)
    anywhere = node is None or _may_bind_within(file.text_of(node))
    for statement in file.nodes_in(function):
        if type(statement) not in _BINDING_NOTHING:
            for name, binding in _bound(statement, function):
                found.setdefault(name, []).append(binding)
        if anywhere and not isinstance(statement, _BINDING) and _may_bind_within(file.text_of(statement)):
            for name, binding in _within(statement):
                found.setdefault(name, []).append(binding)
    return found


_BINDING_NOTHING = frozenset({ast.Return, ast.Expr, ast.If, ast.Assert, ast.Raise, ast.AugAssign, ast.While})
_BINDING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def _may_bind_within(text: str) -> bool:
    """Whether statements may hold a comprehension or `:=`, by their text: most hold none, and walking takes long."""
    return "for" in text or ":=" in text


def parameters(node: FunctionNode) -> Iterator[Parameter]:
    """A function's parameters, in order; `*args` and `**kwargs` last."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    padding: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults = [*padding, *arguments.defaults, *arguments.kw_defaults]
    for position, argument in enumerate([*positional, *arguments.kwonlyargs]):
        yield Parameter(argument.arg, position, argument.annotation, defaults[position])
    for extra in (arguments.vararg, arguments.kwarg):
        if extra is not None:
            yield Parameter(extra.arg, -1, None, None)


def _bound(node: StatementNode, function: str) -> Iterator[tuple[str, Binding]]:
    if isinstance(node, ast.Assign):  # most of all
        for target in node.targets:
            yield from _taken_apart(target, node.value)
        return
    if isinstance(node, FunctionNode | ast.ClassDef):
        yield node.name, f"{function}.{node.name}" if function else node.name
        return
    if isinstance(node, ast.Import):
        for alias in node.names:
            module = alias.name if alias.asname else alias.name.split(".")[0]
            yield alias.asname or module, Import(module, "", 0)
        return
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield (
                alias.asname or alias.name,
                Import(node.module or "", "" if alias.name == "*" else alias.name, node.level),
            )
        return
    yield from _assigned(node)


def _assigned(node: StatementNode) -> Iterator[tuple[str, Binding]]:
    if isinstance(node, ast.For | ast.AsyncFor):
        yield from _elements(node.target, node.iter)
    elif isinstance(node, ast.With | ast.AsyncWith):
        for item in node.items:
            if item.optional_vars is not None:
                yield from _taken_apart(item.optional_vars, item.context_expr)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield from _taken_apart(node.target, node.value)


def _within(node: StatementNode) -> Iterator[tuple[str, Binding]]:
    for part in walk(node):
        if isinstance(part, ast.comprehension):
            yield from _elements(part.target, part.iter)
        elif isinstance(part, ast.NamedExpr):
            yield part.target.id, Item(part.value)


def _taken_apart(target: ast.expr, value: ast.expr, position: int | None = None) -> Iterator[tuple[str, Binding]]:
    if isinstance(target, ast.Name):
        yield target.id, Item(value, position)
    elif isinstance(target, ast.Starred):
        yield from _taken_apart(target.value, value)
    elif isinstance(target, ast.Tuple | ast.List):
        for place, element in enumerate(target.elts):
            yield from _taken_apart(element, value, place if position is None else None)


def _elements(target: ast.expr, source: ast.expr) -> Iterator[tuple[str, Binding]]:
    """A loop's targets: each displayed element in turn, or whatever the source stands for."""
    shown = source.elts if isinstance(source, ast.List | ast.Tuple | ast.Set) else [source]
    for element in shown:
        yield from _taken_apart(target, element)
