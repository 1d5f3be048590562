"""Every mutant of a statement, and a file's text with a mutant in it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import lru_cache

from eqtrace.code.mutation.kinds import Find, kinds_in
from eqtrace.code.mutation.operators import OPERATORS, Surroundings, looked_after
from eqtrace.code.source import SourceFile, Statement
from eqtrace.code.tree import is_compound
from eqtrace.model.mutant import Mutant

_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
_SILENT = (ast.Raise, ast.Import, ast.ImportFrom, ast.Assert, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def mutants(
    statement: Statement,
    equations: tuple[str, ...],
    within: Collection[ast.AST] | None = None,
    find: Find = lambda module: None,
) -> Iterator[Mutant]:
    """Every mutant of a statement, no two of them alike, in the order of the operators.

    Args:
        statement: the statement.
        equations: those that cite it.
        within: the calls for which alone it is cited: they are changed, and what is done with their values, nothing
            beside them.
        find: gives the user's modules by their dotted names, for the annotations that the file imports.
    """
    node = statement.node
    if isinstance(node, (*_SILENT, ast.match_case, ast.ExceptHandler)):
        return
    header = _header(node)
    kinds = kinds_in(statement.file, statement.function, find)
    around = replace(surroundings(statement.file), spans=looked_after(header), kinds=kinds)
    old = _text(header)
    seen = {old}
    span = statement.span
    for name, operator in OPERATORS:
        number = 0
        for place in _places(header):
            if within is not None and not _touches(place, within):
                continue
            for changed in operator(place, around):
                new = _text(_with(header, place, changed))
                if new in seen or not _parses(new):
                    continue
                seen.add(new)
                identity = f"{span.path}:{span.line}:{span.column}/{name}/{number}"
                yield Mutant(identity, name, span, statement.function, old, new, equations)
                number += 1


def text_with(file: SourceFile, mutant: Mutant) -> str:
    """The file's text with the mutant in the statement's place; every other line keeps its number."""
    span = mutant.span
    lines = file.lines
    before, after = lines[span.line - 1][: span.column - 1], lines[span.end_line - 1][span.end_column - 1 :]
    place = [before + mutant.new + after, *[""] * (span.end_line - span.line)]
    return "\n".join([*lines[: span.line - 1], *place, *lines[span.end_line :]])


@lru_cache(maxsize=256)
def surroundings(file: SourceFile) -> Surroundings:
    """What operators may know of a file."""
    modules: set[str] = set()
    keys: dict[str, set[str]] = {}
    for node in ast.walk(file.tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name | ast.Attribute):
            found = {
                each.value
                for each in ast.walk(node.slice)
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            }
            keys.setdefault(ast.unparse(node.value), set()).update(found)
    return Surroundings(frozenset(modules), {name: tuple(sorted(found)) for name, found in keys.items()})


def _header(node: ast.AST) -> ast.AST:
    """A statement without the statements in it. Its expressions are the file's own."""
    if not is_compound(node):
        return node
    header = copy.copy(node)
    for field in _BODIES:
        if hasattr(header, field):
            setattr(header, field, [ast.Pass()] if field == "body" else [])
    return header


def _places(header: ast.AST) -> Iterator[ast.AST]:
    """The nodes that operators look at: all but annotations, f-strings and what is only assigned to."""
    yield header
    waiting = list(_parts(header))
    while waiting:
        node = waiting.pop(0)
        yield node
        waiting[:0] = _parts(node)


def _touches(place: ast.AST, calls: Collection[ast.AST]) -> bool:
    """Whether a node is a part of one of the calls, or has one as a part."""
    inside = {id(part) for call in calls for part in ast.walk(call)}
    return id(place) in inside or any(part is call for part in ast.walk(place) for call in calls)


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name == "annotation" or isinstance(value, ast.JoinedStr):
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST) and not isinstance(each, ast.JoinedStr | ast.Pass | ast.expr_context):
                yield each


def _with(header: ast.AST, place: ast.AST, changed: ast.AST) -> ast.AST:
    return changed if place is header else copy.deepcopy(header, {id(place): changed})


def _text(header: ast.AST) -> str:
    text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(header)))
    return text.removesuffix("\n    pass") if is_compound(header) else text


def _parses(text: str) -> bool:
    try:
        ast.parse(f"{text}\n    pass" if text.endswith(":") else text)
    except SyntaxError as error:
        return "outside" in str(error)  # return, yield and break stand in a function or a loop
    return True
