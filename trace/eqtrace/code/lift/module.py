"""What the names of a module stand for, as far as its text alone says."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from eqtrace.code.lift.words import LIBRARIES, PLAIN
from eqtrace.code.source import SourceFile


class Module:
    """The names of one module.

    `imported` are names of modules, or what of a module they are; `bound` are the values that plain names are given.
    """

    def __init__(self, source: SourceFile) -> None:
        self.functions = source.functions
        self.imported = dict(_imports(source.tree))
        self.bound = _assigned(source.tree)

    def is_library(self, name: str) -> bool:
        """Whether a name is that of a numerical library."""
        return self.imported.get(name, ("", ""))[0] in LIBRARIES

    def named(self, node: ast.expr, lent: Collection[str] = ()) -> str | None:
        """The name of a function of a numerical library (by names that are `lent` too), or of Python's own."""
        if isinstance(node, ast.Name) and node.id in lent:
            return node.id
        if isinstance(node, ast.Name):
            module, name = self.imported.get(node.id, ("", node.id))
            if module in LIBRARIES:
                return name
            plain = node.id in PLAIN | {"float"} and node.id not in self.imported and node.id not in self.bound
            return node.id if plain and node.id not in self.functions else None
        if isinstance(node, ast.Attribute):
            module, name = self.imported.get(ast.unparse(node.value), ("", ""))
            whole = f"{module}.{name}".strip(".")
            if whole in LIBRARIES:
                return node.attr
        return None

    def chosen(self, table: str, key: ast.expr) -> ast.expr | None:
        """The value of a dictionary of the module at a constant."""
        match self.bound.get(table):
            case [ast.Dict(keys=keys, values=found)]:
                wanted = ast.dump(key)
                return next(
                    (value for each, value in zip(keys, found, strict=True) if each and ast.dump(each) == wanted), None
                )
        return None

    def made(self, name: str) -> tuple[ast.Call, ast.FunctionDef] | None:
        """The call by which the module makes a function of that name, and the function that it returns."""
        match self.bound.get(name):
            case [ast.Call(func=ast.Name(id=factory)) as call]:
                outer = self.functions.get(factory)
                inner = [each for each in getattr(outer, "body", ()) if isinstance(each, ast.FunctionDef)]
                match getattr(outer, "body", [None])[-1]:
                    case ast.Return(value=ast.Name(id=returned)):
                        return next(((call, each) for each in inner if each.name == returned), None)
        return None


def _imports(tree: ast.AST) -> Iterator[tuple[str, tuple[str, str]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                yield each.asname or each.name, (each.name, "")
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for each in node.names:
                yield each.asname or each.name, (node.module, each.name)


def _assigned(tree: ast.Module) -> dict[str, list[ast.expr]]:
    """The values of a module's names."""
    found: dict[str, list[ast.expr]] = {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(node, ast.Assign):
                found.setdefault(target.id, []).append(node.value)
    return found
