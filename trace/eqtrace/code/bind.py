"""The bind grammar: what an anchor may read before and after its statement."""

from __future__ import annotations

import ast
from dataclasses import dataclass


class BindError(Exception):
    """A bind that is outside the grammar or does not occur in its statement."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Left:
    """A left side: its kind (result, operand, target, subexpression), the path after `result`, its node."""

    kind: str
    path: tuple[int | str, ...]
    node: ast.expr | None


def parse_right(text: str) -> ast.expr:
    """An expression that is read before the statement."""
    return _parse(text)


def parse_left(text: str, statement: ast.stmt) -> Left:
    """A left side of `statement`."""
    node = _parse(text)
    path: list[int | str] = []
    base = node
    while isinstance(base, ast.Subscript) and isinstance(base.slice, ast.Constant):
        path.insert(0, base.slice.value)  # type: ignore[arg-type]
        base = base.value
    if isinstance(base, ast.Name) and base.id == "result":
        return Left("result", tuple(path), None)
    if isinstance(node, ast.Name) and node.id == "operand" and isinstance(statement, ast.AugAssign):
        return Left("operand", (), statement.value)
    wanted = _dump(node)
    for kind, nodes in (("target", _targets(statement)), ("subexpression", _expressions(statement))):
        for candidate in nodes:
            if _dump(candidate) == wanted:
                return Left(kind, (), candidate)
    raise BindError(f"{text} does not occur in the statement")


def _parse(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise BindError(str(error)) from None


def _dump(node: ast.AST) -> str:
    return ast.dump(node).replace("Store()", "Load()").replace("Del()", "Load()")


def _header(statement: ast.stmt) -> list[ast.AST]:
    bodies = ("body", "orelse", "finalbody", "handlers", "cases")
    found: list[ast.AST] = []
    for name, value in ast.iter_fields(statement):
        if name not in bodies:
            found += [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, ast.AST)]
    return found


def _expressions(statement: ast.stmt) -> list[ast.expr]:
    return [node for part in _header(statement) for node in ast.walk(part) if isinstance(node, ast.expr)]


def _targets(statement: ast.stmt) -> list[ast.expr]:
    found = [node for node in _expressions(statement) if isinstance(getattr(node, "ctx", None), ast.Store)]
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        found += call.args
        found += [keyword.value for keyword in call.keywords]
        if isinstance(call.func, ast.Attribute):
            found.append(call.func.value)
    return found
