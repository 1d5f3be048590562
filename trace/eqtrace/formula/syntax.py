"""From hostile text to a bounded syntax tree with character positions. Nothing here raises on any text."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

LIMIT_CHARACTERS = 8_000
LIMIT_NODES = 4_000
LIMIT_DEPTH = 90
LIMIT_DIGITS = 60
LIMIT_POWER = 1_000  # of a literal exponent

_PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class FormError:
    """What is wrong with a text, and where."""

    offset: int
    length: int
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Tree:
    """A syntax tree of one text; `at` gives a node's (offset, length) in characters of the text."""

    root: ast.expr
    text: str
    _line: str
    _shift: int

    def at(self, node: ast.AST) -> tuple[int, int]:
        """Where a node stands: offset and length in characters."""
        # A tuple without brackets of its own has those that the text was read within.
        start = max(0, self._character(getattr(node, "col_offset", 0)))
        end = min(len(self.text), self._character(getattr(node, "end_col_offset", 0)))
        return start, max(1, end - start)

    def source(self, node: ast.AST) -> str:
        """The characters of a node."""
        offset, length = self.at(node)
        return self.text[offset : offset + length]

    def _character(self, byte: int) -> int:
        if self._line.isascii():
            return byte - self._shift
        return len(self._line.encode()[:byte].decode(errors="replace")) - self._shift


def read_tree(text: str, noun: str = "form") -> Tree | FormError:
    """The syntax tree of an expression, or why there is none; `noun` is what errors call the text."""
    error = _refused(text, noun)
    if error:
        return error
    line = "(" + "".join(" " if character in "\r\n\t\f" else character for character in text) + ")"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            root = ast.parse(line, mode="eval").body
    except SyntaxError as broken:
        return _explained(broken, line, text, _HINTS if noun == "form" else ())
    except (ValueError, RecursionError, MemoryError, OverflowError):
        return FormError(0, len(text), "this cannot be read as an expression")
    tree = Tree(root, text, line, 1)
    return _oversized(tree, noun) or tree


def _refused(text: str, noun: str) -> FormError | None:
    if len(text) > LIMIT_CHARACTERS:
        return FormError(0, 1, f"a {noun} of {len(text)} characters; {LIMIT_CHARACTERS} are allowed")
    if not text.strip():
        return FormError(0, 1, f"an empty {noun}")
    for offset, character in enumerate(text):
        if character in "#\\" or not (character.isprintable() or character in "\r\n\t"):
            return FormError(offset, 1, f"the character {character!r} cannot stand in a {noun}")
    return _unbalanced(text)


def _unbalanced(text: str) -> FormError | None:
    """Brackets that do not match or nest too deep: the form is read within brackets, so they must be its own."""
    open_at: list[int] = []
    quote = ""
    for offset, character in enumerate(text):
        if quote or character in "'\"":
            quote = "" if character == quote else (quote or character)
        elif character in _PAIRS:
            open_at.append(offset)
            if len(open_at) > LIMIT_DEPTH:
                return FormError(offset, 1, f"brackets nested deeper than {LIMIT_DEPTH}")
        elif character in _PAIRS.values() and (not open_at or _PAIRS[text[open_at.pop()]] != character):
            return FormError(offset, 1, f"{character} closes nothing")
    return FormError(open_at[-1], 1, f"{text[open_at[-1]]} is never closed") if open_at else None


_HINTS = (
    ("lambda", "lambda is a keyword of Python: name the symbol lam, with a latex spelling of its own"),
    ("=", "an equation is written Eq(left, right)"),
    (":", "a slice cannot stand in a form: write an index"),
    ("{", "subscripts are written X[t, k]"),
)


def _explained(broken: SyntaxError, line: str, text: str, hints: tuple[tuple[str, str], ...]) -> FormError:
    column = broken.offset or 1  # in characters, from 1
    offset = min(max(column - 2, 0), max(len(text) - 1, 0))
    message = (broken.msg or "invalid syntax").removesuffix(" Perhaps you forgot a comma?")
    bare = line.replace("==", "").replace("<=", "").replace(">=", "").replace("!=", "")
    hint = next((hint for part, hint in hints if part in bare), "")
    return FormError(offset, 1, f"this cannot be read: {message}", hint)


def _oversized(tree: Tree, noun: str) -> FormError | None:
    for count, (node, depth) in enumerate(_nodes(tree.root)):
        if depth > LIMIT_DEPTH:
            return FormError(*tree.at(node), f"nested deeper than {LIMIT_DEPTH}")
        if count >= LIMIT_NODES:
            return FormError(0, 1, f"a {noun} of more than {LIMIT_NODES} parts")
    return None


def _nodes(root: ast.expr) -> Iterator[tuple[ast.AST, int]]:
    """Every node with its depth, without recursion; contexts and operators are left out."""
    stack: list[tuple[ast.AST, int]] = [(root, 1)]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        if depth <= LIMIT_DEPTH:
            stack.extend((child, depth + 1) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
