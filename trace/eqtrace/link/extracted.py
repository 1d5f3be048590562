"""Statements that were taken out of their function into another one of the same file, which it calls now."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from eqtrace.code.source import SourceFile, Statement
from eqtrace.code.tree import same, walk
from eqtrace.link.anchor_code import parse_code
from eqtrace.model.anchor import Anchor, Role

_TELLING = 5  # nodes of a statement that is known without another one that went along


def extracted(
    anchor: Anchor, file: SourceFile, function: str, wanted: ast.AST, anchors: Sequence[Anchor]
) -> Statement | None:
    """The statement in a function that its own one, which is still there, calls; None where that isn't certain.

    It must stand once in the whole file. A short one, of which there might have been another, must have kept its
    distance to another cited statement that went the same way.
    """
    if not function or function not in file.functions:
        return None
    held = [item for item in file.statements if same(item.node, wanted)]
    if len(held) != 1 or held[0].function.rpartition(".")[2] not in _called(file.statements_in(function)):
        return None
    telling = sum(1 for _ in walk(wanted)) >= _TELLING
    return held[0] if telling or _went_along(anchor, held[0], anchors) else None


def _called(statements: Sequence[Statement]) -> set[str]:
    """The names, without what stands before their last dot, of all that some statements call."""
    calls = (part.func for each in statements for part in walk(each.node) if isinstance(part, ast.Call))
    return {func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "") for func in calls}


def _went_along(anchor: Anchor, found: Statement, anchors: Sequence[Anchor]) -> bool:
    """Whether another statement that is cited of the same function is as far from where one is found as it was."""
    there = {item.line: item for item in found.file.statements_in(found.function)}
    for each in anchors:
        item = there.get(found.line + each.line - anchor.line)
        if item is None or item is found or each.role is Role.STATES or each.function != anchor.function:
            continue
        node = parse_code(each.code).node
        if node is not None and same(node, item.node):
            return True
    return False
