"""Why a function is no formula."""

from __future__ import annotations

import ast


class NotLifted(Exception):
    """Why a function is no formula, in words that follow its name."""

    def __init__(self, reason: str, node: ast.AST | None = None) -> None:
        super().__init__(reason)
        self.line = getattr(node, "lineno", 0)
