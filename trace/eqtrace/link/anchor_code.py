"""An anchor's `code`: parsed on its own, and refused where it is too weak to say which statement is meant."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from dataclasses import dataclass
from functools import lru_cache

from eqtrace.code.tree import StatementNode, is_compound

_LONGEST = 20_000  # characters
_BARE_CLAUSES = re.compile(r"(try|else|finally)\s*:\s*(#.*)?")


@dataclass(frozen=True, slots=True)
class Parsed:
    """The statement that a text is, or the reason why it can be no anchor."""

    node: StatementNode | None
    weakness: str = ""


@lru_cache(maxsize=65_536)
def parse_code(code: str) -> Parsed:
    """Parses an anchor's `code`: one whole simple statement, or the header of a compound one."""
    text = textwrap.dedent(code).strip()
    weakness = _weak_text(text)
    if weakness:
        return Parsed(None, weakness)
    try:
        body = _body(text)
    except (ValueError, RecursionError, MemoryError):
        return Parsed(None, "it cannot be parsed")
    if body is None:
        header = _header(text)
        return Parsed(header) if header else Parsed(None, "it is no statement")
    if not body:
        return Parsed(None, "it is a comment")
    if len(body) > 1:
        return Parsed(None, f"it is {len(body)} statements: cite one of them")
    weakness = _weak_node(body[0])
    return Parsed(None, weakness) if weakness else Parsed(body[0])


def _weak_text(text: str) -> str:
    if not text:
        return "it is empty"
    if len(text) > _LONGEST:
        return f"it is longer than {_LONGEST} characters"
    if _BARE_CLAUSES.fullmatch(text):
        return "every such line reads the same: cite a statement that computes"
    if text.startswith("@") and "\n" not in text:
        return "it is a decorator: cite the `def` line"
    return ""


def _weak_node(node: ast.stmt) -> str:
    if is_compound(node):
        return "it has a body: of a compound statement cite the header alone, up to its colon"
    match node:
        case ast.Pass() | ast.Break() | ast.Continue() | ast.Return(value=None | ast.Constant(value=None)):
            return "every such line reads the same: cite a statement that computes"
        case ast.Expr(value=ast.Constant()):
            return "it is a constant"
        case ast.Expr(value=ast.Name()):
            return "it is a bare name"
    return ""


def _body(text: str) -> list[ast.stmt] | None:
    """The statements of a text that is complete in itself."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text).body
    except SyntaxError:
        return None


def _header(text: str) -> StatementNode | None:
    """The statement whose header a text is; each kind is completed to what the parser takes."""
    completions = (f"{text}\n pass", f"{text}\n case _: pass")
    word = text.partition(" ")[0]
    if word == "elif":
        completions = (f"if 0: pass\n{text}\n pass", "")
    elif word.startswith("except"):
        completions = (f"try: pass\n{text}\n pass", "")
    elif word == "case":
        completions = (f"match 0:\n {text}\n  pass", "")
    for completed in completions:
        body = _body(completed)
        if body and len(body) == 1:
            return _inner(body[0], word)
    return None


def _inner(node: ast.stmt, word: str) -> StatementNode | None:
    if word == "elif" and isinstance(node, ast.If) and isinstance(node.orelse[0], ast.If):
        return node.orelse[0]
    if word.startswith("except") and isinstance(node, ast.Try | ast.TryStar):
        return node.handlers[0]
    if word == "case" and isinstance(node, ast.Match):
        return node.cases[0]
    return node if is_compound(node) else None
