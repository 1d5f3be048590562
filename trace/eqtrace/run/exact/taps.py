"""Taps: places in an exact twin where a value is changed, or kept, right where the user's statement makes it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from eqtrace.code.bind import TARGET, BindError, Left, parse_left
from eqtrace.code.source import SourceFile, decode
from eqtrace.code.tree import is_compound
from eqtrace.run.exact.looks import LOCALS, LOOK, Looks
from eqtrace.run.sources import read
from eqtrace.run.tree import Tree

TAP = "__eqtrace_tap__"

Action = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Tap:
    """A left side of a statement; lines and columns count from 1."""

    key: str
    file: str  # absolute
    line: int
    column: int
    left: str  # in the grammar of `bind`


class Taps:
    """Puts taps into the trees of twins; the twins' code calls it at each of them.

    Args:
        taps: the places.
        looks: statements whose values are kept, in the same twins.
    """

    def __init__(self, taps: Iterable[Tap], looks: Looks | None = None) -> None:
        self.looks = looks or Looks(())
        self.problems: dict[str, str] = {}  # by key: why there can't be a tap
        self._by_file: dict[str, list[Tap]] = {}
        self._paths: dict[str, tuple[int | str, ...]] = {}
        self._actions: Mapping[str, Action] = {}
        for tap in taps:
            self._by_file.setdefault(tap.file, []).append(tap)

    @contextmanager
    def acting(self, actions: Mapping[str, Action]) -> Iterator[None]:
        """Within the block a tap's value is what its action, by key, makes of it."""
        before, self._actions = self._actions, actions
        try:
            yield
        finally:
            self._actions = before

    def __call__(self, key: str, value: Any) -> Any:
        """A value passes a tap."""
        action = self._actions.get(key)
        return value if action is None else _at(self._paths.get(key, ()), value, action)

    @property
    def names(self) -> dict[str, Any]:
        """What the twins' code calls at taps and looks, by name."""
        return {TAP: self, LOOK: self.looks, LOCALS: locals}

    def edit(self, file: str, tree: ast.Module) -> None:
        """Puts a file's taps and looks into its tree; every line number stays."""
        taps = self._by_file.get(file, ())
        text = decode(read(file))
        editable = Tree(SourceFile(file, text, tree))
        edits = self.looks.edits(file, editable)
        for tap in taps:
            statement = editable.statement(tap.line, tap.column)
            if not isinstance(statement, ast.stmt) or is_compound(statement):
                self.problems[tap.key] = "no simple statement is there"
                continue
            try:
                left = parse_left(tap.left, statement)
            except BindError as error:
                self.problems[tap.key] = str(error)
                continue
            self._paths[tap.key] = left.path
            if left.kind != TARGET and not editable.can_wrap(left.node):
                self.problems[tap.key] = f"{tap.left} has no value of its own"
            else:
                edits.append(partial(_put, editable, tap.key, statement, left))
        for edit in edits:
            edit()


def _put(tree: Tree, key: str, statement: ast.stmt, left: Left) -> None:
    if left.kind == TARGET:
        target = ast.unparse(left.node)
        tree.insert(statement, [], [_unplaced(ast.parse(f"{target} = {TAP}({key!r}, {target})").body[0])])
    else:
        tree.wrap(left.node, lambda held: _call(key, held))


def _call(key: str, held: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(TAP, ast.Load()), [ast.Constant(key), held], [])


def _unplaced(statement: ast.stmt) -> ast.stmt:
    for node in ast.walk(statement):
        for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            if hasattr(node, name):
                delattr(node, name)
    return statement


def _at(path: tuple[int | str, ...], value: Any, action: Action) -> Any:
    """A value whose part at `path` is what the action makes of it."""
    if not path:
        return action(value)
    changed = _at(path[1:], value[path[0]], action)
    if isinstance(value, tuple):
        items: list[Any] = list(value)
        items[int(path[0])] = changed
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    copy = value.copy()
    copy[path[0]] = changed
    return copy
