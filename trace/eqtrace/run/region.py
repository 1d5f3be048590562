"""The top-level function or class of a file in which a mutant stands, and the sites there once the mutant is in it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from eqtrace.code.bind import SUBEXPRESSION, BindError, parse_left
from eqtrace.code.mutation.generate import text_with
from eqtrace.code.source import SourceFile, parse
from eqtrace.code.tree import FunctionNode
from eqtrace.model.mutant import Mutant
from eqtrace.run.site import Site
from eqtrace.run.work import Work


@dataclass(frozen=True)
class Region:
    """Some lines of a file, which alone are compiled again; all of the file where nothing less will do.

    `text` is the file with every other line empty, so that each statement keeps its line.
    """

    file: str  # absolute
    first: int
    last: int
    whole: bool
    text: SourceFile

    def holds(self, site: Site) -> bool:
        """Whether a site lies in it."""
        return site.file == self.file and self.first <= site.line <= self.last


def region(file: str, source: SourceFile, mutant: Mutant) -> Region:
    """What has to be compiled again for a mutant: the function (or class) at the module's top level around it.

    A statement that runs while the module is imported concerns all of it.
    """
    line = mutant.span.line
    function = source.functions.get(mutant.function)
    for node in source.tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        last = node.end_lineno or node.lineno
        if first <= line <= last and isinstance(function, FunctionNode):
            text = _only(source, first, last)
            return Region(file, first, last, False, parse(file, text.encode("utf-8")))
    return whole(file, source)


def whole(file: str, source: SourceFile) -> Region:
    """All of a file."""
    return Region(file, 1, len(source.lines), True, source)


def _only(source: SourceFile, first: int, last: int) -> str:
    """The file's text, without the lines outside; what it takes from the future holds for the compiler everywhere."""
    kept = set(range(first, last + 1))
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            kept |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return "\n".join(line if number in kept else "" for number, line in enumerate(source.lines, 1))


def mutated(where: Region, mutant: Mutant) -> bytes:
    """The region's text with a mutant in it."""
    return text_with(where.text, mutant).encode("utf-8")


def moved(work: Work, where: Region, data: bytes, mutant: Mutant) -> Work:
    """The work with every site of the region where its statement stands in the mutated text."""
    after = parse(where.file, data)
    places = {
        (old.span.line, old.span.column): (old.node, new)
        for old, new in zip(where.text.statements, after.statements, strict=True)
    }

    def place(site: Site) -> Site:
        if (site.line, site.column) not in places:
            return site
        old, new = places[site.line, site.column]
        span = new.span
        outputs = site.outputs
        if (site.line, site.column) == (mutant.span.line, mutant.span.column):
            outputs = {symbol: _at_same_place(text, old, new.node) for symbol, text in outputs.items()}
        return replace(
            site, line=span.line, column=span.column, end_line=span.end_line, end_column=span.end_column,
            outputs=outputs,
        )  # fmt: skip

    def placed(sites: Mapping[str, Site]) -> dict[str, Site]:
        return {**sites, **{name: place(site) for name, site in sites.items() if where.holds(site)}}

    return replace(work, sites=placed(work.sites), beside=placed(work.beside), followed=placed(work.followed))


def _at_same_place(text: str, old: Any, new: Any) -> str:
    """What stands in the mutated statement where a bound expression stood."""
    if not isinstance(old, ast.stmt):
        return text
    try:
        left = parse_left(text, old)
    except BindError:
        return text
    if left.kind != SUBEXPRESSION:
        return text
    path = _path_to(old, left.node)
    node: Any = new
    for name, index in path or ():
        node = getattr(node, name, None)
        if index is not None:
            node = node[index] if isinstance(node, list) and index < len(node) else None
    return ast.unparse(node) if path and isinstance(node, ast.expr) else text


def _path_to(root: ast.AST, wanted: ast.AST) -> list[tuple[str, int | None]] | None:
    if root is wanted:
        return []
    for name, value in ast.iter_fields(root):
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and (path := _path_to(child, wanted)) is not None:
                return [(name, index), *path]
    return None
