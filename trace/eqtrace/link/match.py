"""Anchors held against the code: exact by syntax tree, in the function they name."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from eqtrace.code.index import Index
from eqtrace.code.source import SourceFile, Statement
from eqtrace.code.tree import names, renaming, same
from eqtrace.link.anchor_code import parse_code
from eqtrace.link.extracted import extracted
from eqtrace.link.nearest import elsewhere, functions_like, replacement
from eqtrace.link.neighbours import which
from eqtrace.link.passage import match_passage
from eqtrace.link.relocate import Homes
from eqtrace.link.target import resolve_target
from eqtrace.model.anchor import Anchor, Candidate, Match, Role, Status


def match(anchor: Anchor, index: Index, homes: Homes | None = None) -> Match:
    """Finds an anchor's statement.

    Exact means: the same syntax tree within the named function, or where that is gone, in the function that `homes`
    says it is now. Where several are equal, `occurrence` chooses (from 0) unless their number or their neighbours speak
    against it, else the claimed line does. Nothing that is merely alike is ever called moved.
    """
    if anchor.target is not None:
        return _match_target(anchor, index)
    if anchor.role is Role.STATES:
        return match_passage(anchor, index)
    file, function = index.file(anchor.path), plain_name(anchor.function)
    home = homes.of(anchor.path, function) if homes is not None else None
    if home is not None:
        file, function = index.file(home.path), home.function
    if file is None:
        return Match(anchor, Status.MISSING, None)
    verbatim = _verbatim(anchor, file, function)
    if verbatim is not None:
        return found(anchor, verbatim, Status.OK if home is None else Status.MOVED)
    parsed = parse_code(anchor.code)
    if parsed.node is None:
        return Match(anchor, Status.MISSING, None)
    equal = [item for item in _within(file, function, parsed.node) if same(item.node, parsed.node)]
    if equal:
        chosen = _choose(anchor, equal, moved=home is not None)
        counted = anchor.occurrence is not None and chosen.status in (Status.MOVED, Status.MISSING)
        return _recounted(chosen, equal, parsed.node, homes) if counted and homes is not None else chosen
    return _not_found(anchor, file, function, parsed.node, index, homes)


def _within(file: SourceFile, function: str, wanted: ast.AST) -> Sequence[Statement]:
    """The statements of a function; its own header counts as its own too, as people cite it."""
    statements = file.statements_in(function)
    if function and isinstance(wanted, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        own = file.definitions.get(function, ())
        outer = file.statements_in(function.rpartition(".")[0])
        return (*(item for item in outer if item.node in own), *statements)
    return statements


def plain_name(function: str) -> str:
    """A qualified name as anchors write it, without the interpreter's `<locals>`."""
    return function.replace(".<locals>.", ".") if "<" in function else function


def found(anchor: Anchor, statement: Statement, status: Status, difference: str = "") -> Match:
    """A match that resolves to a statement."""
    return Match(anchor, status, statement.span, statement.function, statement.source, difference)


def _verbatim(anchor: Anchor, file: SourceFile, function: str) -> Statement | None:
    """The statement at the claimed line where it stands there word for word: the common case, without parsing `code`.

    An occurrence needs the other equal statements to be counted, and weak code must be refused, so both are left to the
    comparison by tree.
    """
    if anchor.occurrence is not None:
        return None
    there = file.statements_on(anchor.line, function)
    if len(there) != 1 or there[0].source != anchor.code or isinstance(there[0].node, _POSSIBLY_WEAK):
        return None
    return there[0]


_POSSIBLY_WEAK = (ast.Pass, ast.Break, ast.Continue, ast.Return, ast.Expr)


def _choose(anchor: Anchor, equal: Sequence[Statement], *, moved: bool) -> Match:
    """One of the statements that equal the anchor's; where the function `moved`, the claimed line says nothing."""
    if anchor.occurrence is not None:
        if not 0 <= anchor.occurrence < len(equal):
            return Match(anchor, Status.MISSING, None, candidates=_counted(equal))
        equal = [equal[anchor.occurrence]]
    claimed = [item for item in equal if item.line == anchor.line] if not moved else []
    if len(claimed) == 1:
        return found(anchor, claimed[0], Status.OK)
    if len(equal) == 1:
        return found(anchor, equal[0], Status.MOVED)
    return Match(anchor, Status.AMBIGUOUS, None, candidates=_counted(equal))


def _recounted(chosen: Match, equal: Sequence[Statement], wanted: ast.AST, homes: Homes) -> Match:
    """The same where as many equal statements are known to have been there; else what the neighbours tell."""
    anchor, first = chosen.anchor, equal[0]
    before = homes.count(anchor, wanted)
    if before == (len(equal), len(first.file.definitions.get(first.function, ()))):
        return chosen
    meant = which(anchor, equal, homes.citing(anchor.path), changed=before is not None)
    if meant is not None:
        return _renumbered(found(anchor, meant, Status.MOVED), equal.index(meant))
    return Match(anchor, Status.AMBIGUOUS, None, candidates=_counted(equal)) if chosen.span is not None else chosen


def _renumbered(match: Match, occurrence: int) -> Match:
    """With which one of several the statement is now, where the anchor says another one."""
    said = match.anchor.occurrence
    return match if said is None or said == occurrence else replace(match, occurrence=occurrence)


def _counted(equal: Sequence[Statement]) -> tuple[Candidate, ...]:
    return tuple(Candidate(item.span, f"occurrence {number} in its function") for number, item in enumerate(equal))


def _not_found(
    anchor: Anchor, file: SourceFile, function: str, wanted: ast.AST, index: Index, homes: Homes | None
) -> Match:
    """What stands in the statement's place, or where else something like it is."""
    renamed = _renamed(file.statements_in(function), wanted)
    if renamed is not None:
        item, said = renamed
        difference = f"- {anchor.code.strip()}\n+ {item.source}\nthe same but for names: {said}"
        return found(anchor, item, Status.CHANGED, difference)
    statement = replacement(anchor, file.statements_in(function), wanted)
    if statement is not None:
        return found(anchor, statement, Status.CHANGED, f"- {anchor.code.strip()}\n+ {statement.source}")
    taken = extracted(anchor, file, function, wanted, homes.citing(anchor.path)) if homes is not None else None
    if homes is not None and taken is not None and not homes.held(anchor, wanted, taken.function):
        return _renumbered(found(anchor, taken, Status.MOVED), 0)
    candidates = elsewhere(anchor, file, function, wanted, index)
    if function not in file.definitions:
        candidates = (*candidates, *functions_like(file, function))
    elif (file.path, function) != (anchor.path, plain_name(anchor.function)):
        candidates = (Candidate(file.span(file.definitions[function][-1]), "its function is here now"), *candidates)
    return Match(anchor, Status.MISSING, None, candidates=candidates)


def _renamed(statements: Sequence[Statement], wanted: ast.AST) -> tuple[Statement, str] | None:
    """The one statement that is the same but for names, and the names, all of which are gone from the function."""
    alike = [(item, changed) for item in statements if (changed := renaming(wanted, item.node))]
    if len(alike) != 1:
        return None
    item, changed = alike[0]
    if any(changed.keys() & names(each.node) for each in statements):
        return None  # another statement of the same shape, on other values
    return item, ", ".join(f"{old} is {new}" for old, new in sorted(changed.items()))


def _match_target(anchor: Anchor, index: Index) -> Match:
    """A whole-function anchor: its statement is the `def`, through re-exports and base classes."""
    resolved = resolve_target(anchor.target or "", index)
    if isinstance(resolved, Statement):
        return found(anchor, resolved, Status.OK)
    return Match(anchor, Status.MISSING, None, candidates=resolved)
