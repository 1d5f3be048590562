"""Hashes of what runs: each function by itself, and the code of a module without the bodies of its functions.

Functions within functions belong to the outermost one. A function that another compiler takes over (Numba's) can't
tell when it is entered, so its body counts as module code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eqtrace.cache import digest
from eqtrace.code.tree import FunctionNode

_COMPILERS = frozenset({"jit", "njit", "vectorize", "guvectorize", "generated_jit", "cfunc", "stencil", "overload"})
_BODIES = ("body", "handlers", "orelse", "finalbody", "cases")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The hashes of one file: by qualified name each outermost function's, with its place, and the module code's."""

    functions: dict[str, str]
    module: str


def fingerprint(text: str, tree: ast.Module) -> Fingerprint:
    """The hashes of a source."""
    lines = text.encode("utf-8", "surrogatepass").split(b"\n")
    functions: dict[str, list[bytes]] = {}
    module = digest(*_pieces(tree.body, "", lines, functions))
    return Fingerprint({name: digest(*parts) for name, parts in functions.items()}, module)


def is_marked(node: ast.AST) -> bool:
    """Whether a function can tell when it is entered."""
    return isinstance(node, FunctionNode) and not any(_compiles(each) for each in node.decorator_list)


def outermost(qualname: str) -> str:
    """The outermost function of a code object's qualified name."""
    return qualname.partition(".<locals>")[0]


def _compiles(decorator: ast.expr) -> bool:
    names = [node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "") for node in ast.walk(decorator)]
    return not _COMPILERS.isdisjoint(names)


def _pieces(
    body: Sequence[ast.AST], prefix: str, lines: list[bytes], functions: dict[str, list[bytes]]
) -> Iterator[bytes]:
    """The module code, piece by piece; functions that are met are put apart."""
    for node in body:
        if isinstance(node, FunctionNode) and is_marked(node):
            start = _start(node)
            whole = _segment(lines, start, _end(node))
            functions.setdefault(prefix + node.name, []).extend((str(start).encode(), whole))
            yield from _header(node, node.name, lines)
        elif isinstance(node, ast.ClassDef):
            yield from _header(node, node.name, lines)
            yield from _pieces(node.body, f"{prefix}{node.name}.", lines, functions)
        elif _has_functions(node):
            yield from _compound(node, prefix, lines, functions)
        else:
            yield _segment(lines, _start(node), _end(node))


def _header(node: FunctionNode | ast.ClassDef, name: str, lines: list[bytes]) -> Iterator[bytes]:
    """What of a definition runs where it stands: decorators, defaults, annotations, bases; and its name."""
    yield f"{type(node).__name__} {name}".encode()
    if isinstance(node, FunctionNode):
        found = node.args
        counts = (len(found.posonlyargs), len(found.args), bool(found.vararg), len(found.kwonlyargs), bool(found.kwarg))
        yield str(counts).encode()  # where `/` and `*` stand
    outside = [each for each in ast.iter_child_nodes(node) if each not in node.body]
    parts = [part for each in outside for part in ([each] if hasattr(each, "lineno") else ast.iter_child_nodes(each))]
    for part in parts:
        yield _segment(lines, _start(part), _end(part))


def _compound(node: ast.AST, prefix: str, lines: list[bytes], functions: dict[str, list[bytes]]) -> Iterator[bytes]:
    first = node.body[0] if getattr(node, "body", None) else node.cases[0]  # type: ignore[attr-defined]
    yield _segment(lines, _start(node), _start(first))
    for name in _BODIES:
        part = getattr(node, name, ())
        if part:
            yield name.encode()
            yield from _pieces(part, prefix, lines, functions)


def _has_functions(node: ast.AST) -> bool:
    simple = not any(getattr(node, name, None) for name in _BODIES) or isinstance(node, ast.expr)
    return not simple and any(isinstance(each, FunctionNode | ast.ClassDef) for each in ast.walk(node))


def _start(node: ast.AST) -> tuple[int, int]:
    """Where a node begins (a match case has no place of its own: where its pattern does)."""
    if isinstance(node, ast.match_case):
        node = node.pattern
    nodes = (node, *getattr(node, "decorator_list", ()))
    places = [(each.lineno, each.col_offset) for each in nodes]
    return min(places)


def _end(node: ast.AST) -> tuple[int, int]:
    if isinstance(node, ast.match_case):
        node = node.body[-1]
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def _segment(lines: list[bytes], start: tuple[int, int], end: tuple[int, int]) -> bytes:
    (first, left), (last, right) = start, end
    if first == last:
        return lines[first - 1][left:right]
    return b"\n".join([lines[first - 1][left:], *lines[first : last - 1], lines[last - 1][:right]])
