"""Which user functions run: each has a mark at its beginning, put there when its module is imported.

A mark costs one addition to a set. It sees every thread and whatever calls the function, and needs no profiler, which
user code may want for itself.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Iterable, Iterator

from eqtrace.code.fingerprint import is_marked
from eqtrace.code.tree import FunctionNode

Place = tuple[str, str]  # absolute file, qualified name of the outermost function


class Marks:
    """The functions that were entered since they were last taken."""

    def __init__(self) -> None:
        self._entered: set[int] = set()
        self._places: dict[int, Place] = {}
        self.enter = self._entered.add
        self.without: set[str] = set()  # files that could not be marked

    def number(self, place: Place) -> int:
        """The number that stands for a function: the same in every process, as it is part of the function's code."""
        number = int.from_bytes(hashlib.sha256("\0".join(place).encode("utf-8", "surrogatepass")).digest()[:7])
        self._places[number] = place
        return number

    def take(self) -> frozenset[Place]:
        """What was entered since this was last asked."""
        found = frozenset(self._places[number] for number in tuple(self._entered))
        self._entered.clear()
        return found


def functions(tree: ast.Module) -> list[tuple[FunctionNode, str]]:
    """The functions that can be marked, each with the qualified name of the outermost one around it."""
    return list(_functions(tree.body, "", ""))


def put_in(found: Iterable[tuple[FunctionNode, str]], file: str, marks: Marks, target: ast.expr) -> None:
    """Has every function begin with a call of `enter` of `target`, which becomes `marks`; a docstring stays first."""
    for node, name in found:
        place = 1 if ast.get_docstring(node, clean=False) is not None else 0
        enter = ast.Attribute(copy.copy(target), "enter", ast.Load())
        mark = ast.Expr(ast.Call(enter, [ast.Constant(marks.number((file, name)))], []))
        for each in ast.walk(mark):
            if isinstance(each, ast.expr | ast.stmt):
                ast.copy_location(each, node.body[min(place, len(node.body) - 1)])
        node.body.insert(place, mark)


def _functions(body: Iterable[ast.AST], prefix: str, outer: str) -> Iterator[tuple[FunctionNode, str]]:
    for node in body:
        if isinstance(node, FunctionNode):
            if outer or is_marked(node):
                yield node, outer or prefix + node.name
                yield from _functions(node.body, "", outer or prefix + node.name)
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, prefix if outer else f"{prefix}{node.name}.", outer)
        else:
            yield from _functions(_statements(node), prefix, outer)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    return (
        each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt | ast.excepthandler | ast.match_case)
    )
