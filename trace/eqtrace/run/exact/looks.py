"""Looks: the values at cited statements of an exact twin, kept while it runs.

A statement replayed by itself sees what was rounded before it. In an exact run nothing was, so that there a statement
can be held against a form that reaches further back than the statement itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from eqtrace.code.bind import TARGET, BindError, Left, parse_left, parse_right
from eqtrace.code.tree import is_compound
from eqtrace.run import walk
from eqtrace.run.site import Site
from eqtrace.run.tree import Tree

LOOK = "__eqtrace_look__"
LOCALS = "__eqtrace_locals__"


@dataclass(frozen=True, slots=True)
class Seen:
    """One execution of a statement: values by symbol, before it and after."""

    inputs: dict[str, Any] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)


class Looks:
    """Puts looks around the statements of sites; the twins' code calls it there.

    Args:
        sites: the cited statements.
    """

    def __init__(self, sites: Iterable[Site]) -> None:
        self.problems: dict[str, str] = {}  # by anchor: why nothing is seen there
        self._sites = {site.anchor: site for site in sites if not site.whole}
        self._lefts: dict[str, dict[str, Left]] = {}
        self._kept: dict[str, list[Seen]] | None = None

    @contextmanager
    def keeping(self) -> Iterator[Mapping[str, list[Seen]]]:
        """Within the block what is seen is kept, by anchor."""
        before, self._kept = self._kept, {}
        try:
            yield self._kept
        finally:
            self._kept = before

    def __call__(self, anchor: str, moment: str, value: Any) -> Any:
        """A statement begins or ends (with its names' values), or a left side that is no target has a value."""
        if self._kept is None or anchor in self.problems:
            return value
        try:
            self._see(anchor, moment, value)
        except walk.WalkError as error:
            self.problems[anchor] = str(error)
        return value

    def _see(self, anchor: str, moment: str, value: Any) -> None:
        assert self._kept is not None
        found = self._kept.setdefault(anchor, [])
        if moment == "before":
            inputs = self._sites[anchor].inputs.items()
            found.append(Seen({symbol: _copy(walk.read(parse_right(text), value)) for symbol, text in inputs}))
            return
        lefts = self._lefts[anchor]
        names = [symbol for symbol, left in lefts.items() if left.kind == TARGET] if moment == "after" else [moment]
        for symbol in names:
            left = lefts[symbol]
            held = walk.read(left.node, value) if moment == "after" else value
            found[-1].outputs[symbol] = _copy(reduce(lambda each, index: each[index], left.path, held))

    def edits(self, file: str, tree: Tree) -> list[Callable[[], None]]:
        """What puts the looks at a file's sites into its tree, every one found before the first is put in."""
        found: list[Callable[[], None]] = []
        for site in self._sites.values():
            if site.file == file:
                problem = self._find(site, tree, found)
                self.problems |= {site.anchor: problem} if problem else {}
        return found

    def _find(self, site: Site, tree: Tree, found: list[Callable[[], None]]) -> str:
        statement = tree.statement(site.line, site.column)
        if not isinstance(statement, ast.stmt) or is_compound(statement):
            return "no simple statement is there"
        try:
            lefts = {symbol: parse_left(text, statement) for symbol, text in site.outputs.items()}
        except BindError as error:
            return str(error)
        inner = {symbol: left.node for symbol, left in lefts.items() if left.kind != TARGET}
        if not all(tree.can_wrap(node) for node in inner.values()):
            return "a left side has no value of its own"
        self._lefts[site.anchor] = lefts

        def edit() -> None:
            for symbol, node in inner.items():
                tree.wrap(node, lambda held, symbol=symbol: _call(site.anchor, symbol, held))  # type: ignore[misc]
            after = [_line(site.anchor, "after")] if len(inner) < len(lefts) else []
            tree.insert(statement, [_line(site.anchor, "before")], after)

        found.append(edit)
        return ""


def _call(anchor: str, moment: str, held: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(LOOK, ast.Load()), [ast.Constant(anchor), ast.Constant(moment), held], [])


def _line(anchor: str, moment: str) -> ast.stmt:
    return ast.Expr(_call(anchor, moment, ast.Call(ast.Name(LOCALS, ast.Load()), [], [])))


def _copy(value: Any) -> Any:
    """A value that later statements leave as it is; numbers never change."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list | tuple):
        return type(value)(map(_copy, value)) if not hasattr(value, "_fields") else value
    return value
