"""Code as one text that spacing, quotes, comments and brackets do not change, nor the version of Python."""

from __future__ import annotations

import ast
import textwrap
import warnings
from functools import lru_cache

from eqtrace.code.tree import FunctionNode, compared, is_compound


def statement(node: ast.AST) -> str:
    """A statement; of a compound one its header, without decorators, as it is cited."""
    return _written(node, tuple(name for name in compared(node) if name != "decorator_list"))


def function(node: FunctionNode) -> str:
    """A whole function without its docstring."""
    body = _without_docstring(node)
    names = [name for name in node._fields if name not in ("body", "type_comment")]
    return f"{_written(node, names)}\n" + "\n".join(_whole(each) for each in body)


def shown_statement(node: ast.AST) -> str:
    """A statement, or a header, as a reader wants it; on one line where it can be."""
    if is_compound(node):
        node = _bodiless(node)
    return ast.unparse(node).strip()


def shown_function(node: FunctionNode) -> str:
    """A whole function as a reader wants it, without its docstring and decorators."""
    body = "\n".join(ast.unparse(each) for each in _without_docstring(node))
    return f"{shown_statement(node)}\n{textwrap.indent(body, '    ')}"


@lru_cache(maxsize=65_536)
def expression(text: str) -> str:
    """An expression's text; what is none has its spaces made one."""
    node = _parsed(text)
    try:
        return " ".join(text.split()) if node is None else _whole(node)
    except RecursionError:
        return " ".join(text.split())


def shown_expression(text: str) -> str:
    """An expression as a reader wants it, on one line."""
    node = _parsed(text)
    try:
        return " ".join(text.split()) if node is None else ast.unparse(node)
    except RecursionError:
        return " ".join(text.split())


def _parsed(text: str) -> ast.expr | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(f"({text}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _without_docstring(node: FunctionNode) -> list[ast.stmt]:
    first = node.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str)
    return node.body[1:] if documented else node.body


def _bodiless(node: ast.AST) -> ast.AST:
    """A compound statement's header, as a statement of its own."""
    parts: dict[str, object] = {name: getattr(node, name, None) for name in compared(node)}
    bodies = [name for name in node._fields if name == "decorator_list" or name not in parts]
    parts |= {name: None if name == "type_comment" else [] for name in bodies}
    return ast.copy_location(type(node)(**parts), node)


def _whole(value: object) -> str:
    """A tree with everything that it holds. What is empty is left out: so new fields of later versions don't count."""
    if isinstance(value, ast.AST):
        return _written(value, value._fields)
    if isinstance(value, list):
        return f"[{', '.join([_whole(each) for each in value])}]"
    if type(value) is int:
        return hex(value)  # decimals have a limit
    return ascii(value)


def _written(node: ast.AST, names: tuple[str, ...] | list[str]) -> str:
    found = []
    for name in names:
        value = getattr(node, name, None)
        if isinstance(node, ast.JoinedStr) and isinstance(value, list):
            value = [each for each in value if getattr(each, "value", None) != ""]  # Python 3.12.0 and 3.12.1 add them
        if value is not None and value != [] and name not in ("ctx", "kind", "type_comment"):
            found.append(f"{name}={_whole(value)}")
    return f"{type(node).__name__}({', '.join(found)})"
