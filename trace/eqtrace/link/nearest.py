"""What comes nearest to a statement that is not there. Only shown: nothing here is ever proposed as a fix."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Sequence

from eqtrace.code.index import Index
from eqtrace.code.source import SourceFile, Statement
from eqtrace.code.tree import names, same, targets
from eqtrace.model.anchor import Anchor, Candidate

_ALIKE = 0.6  # of difflib's ratio: below this two statements have little but their operators in common
_ALIKE_IN_PLACE = 0.35  # at the claimed line itself a rewrite may leave less
_AS_SHIFTED = 0.15  # how much more alike a statement elsewhere must be than the one at the claimed line
_SHOWN = 3


def replacement(anchor: Anchor, statements: Sequence[Statement], wanted: ast.AST) -> Statement | None:
    """The statement that stands in a changed one's place: at its line, or by far the most alike of the function."""
    plausible = [item for item in statements if _plausible(anchor, item, wanted)]
    aim = _target_texts(wanted)
    if aim and any(_target_texts(item.node) == aim for item in plausible):  # what gives another name is another one
        plausible = [item for item in plausible if _target_texts(item.node) == aim]
    if not plausible:
        return None
    rows = [(likeness(anchor.code, item), item.line == anchor.line, item) for item in plausible]
    alike, in_place, best = max(rows, key=lambda row: (row[0] + _AS_SHIFTED * row[1], -abs(row[2].line - anchor.line)))
    if in_place:
        return best if alike >= _ALIKE_IN_PLACE or _same_shape(best.node, wanted) else None
    return best if alike >= _ALIKE else None


def likeness(code: str, statement: Statement) -> float:
    """How alike two statements are as text, from 0 to 1."""
    other = statement.source
    if len(code) > 2000 or len(other) > 2000:  # difflib is quadratic
        return float(code == other)
    return difflib.SequenceMatcher(None, " ".join(code.split()), " ".join(other.split()), autojunk=False).ratio()


def _plausible(anchor: Anchor, statement: Statement, wanted: ast.AST) -> bool:
    """Whether a method could still run on a statement: what `bind` reads of the old one is mostly there."""
    in_place = statement.line == anchor.line
    kind, old = type(statement.node), type(wanted)
    if kind is not old and not (kind in _ASSIGNING and old in _ASSIGNING) and not (in_place and {kind, old} <= _VALUED):
        return False
    if not anchor.bind:
        return in_place or _target_texts(wanted) == _target_texts(statement.node)
    bound = {text.value.strip() for text in anchor.bind.values()}
    if _target_texts(wanted) & bound - _target_texts(statement.node):
        return False
    needed = names(wanted) & {name for text in bound for name in _words(text)}
    return 2 * len(needed & names(statement.node)) >= len(needed)


_ASSIGNING: frozenset[type[ast.AST]] = frozenset({ast.Assign, ast.AugAssign, ast.AnnAssign})
_VALUED: frozenset[type[ast.AST]] = _ASSIGNING | {ast.Return, ast.Expr}


def _same_shape(one: ast.AST, other: ast.AST) -> bool:
    return type(one) is type(other) and _target_texts(one) == _target_texts(other)


def _target_texts(node: ast.AST) -> set[str]:
    try:
        return {ast.unparse(target) for target in targets(node)}
    except RecursionError:
        return set()


def _words(text: str) -> Iterable[str]:
    try:
        return names(ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def elsewhere(anchor: Anchor, file: SourceFile, function: str, wanted: ast.AST, index: Index) -> tuple[Candidate, ...]:
    """Equal statements in other functions and files, then those most alike in the function or the file."""
    equal = [
        Candidate(item.span, f"equal, but in {_shown(item.function)}, not in {_shown(function)}")
        for item in file.statements
        if item.function != function and same(item.node, wanted)
    ]
    for path in (*index.sources(), *index.tests()):
        if len(equal) >= _SHOWN:
            break
        other = index.file(path) if path != anchor.path else None
        equal.extend(
            Candidate(item.span, f"equal, but in another file ({_shown(item.function)})")
            for item in (other.statements if other else ())
            if same(item.node, wanted)
        )
    if equal:
        return tuple(equal[:_SHOWN])
    return _alike(anchor, file.statements_in(function) or tuple(file.statements))


def _alike(anchor: Anchor, statements: Iterable[Statement]) -> tuple[Candidate, ...]:
    scored = sorted(
        ((likeness(anchor.code, item), item.line, item) for item in statements), key=lambda row: (-row[0], row[1])
    )
    return tuple(
        Candidate(item.span, f"{score:.0%} alike, but not equal: {_short(item.source)}")
        for score, _, item in scored[:_SHOWN]
        if score >= _ALIKE
    )


def functions_like(file: SourceFile, function: str) -> tuple[Candidate, ...]:
    """What a file has that comes near a function that is not there: a name of another kind, and functions."""
    outer, _, last = function.rpartition(".")
    assigned = [
        Candidate(each.span, f"`{function}` is assigned here; an entry names what a `def` defines")
        for each in file.statements_in(outer)
        if any(isinstance(target, ast.Name) and target.id == last for target in targets(each.node))
    ]
    if assigned:
        return tuple(assigned[-1:])
    defined = [name for name in file.definitions if name]
    near = difflib.get_close_matches(function, defined, n=2)
    near += [name for name in defined if name.rpartition(".")[2] == last and name not in near]
    return tuple(Candidate(file.span(file.definitions[name][-1]), f"a function `{name}`") for name in near[:_SHOWN])


def _shown(function: str) -> str:
    return f"`{function}`" if function else "the module's top level"


def _short(source: str) -> str:
    text = " ".join(source.split())
    return text if len(text) <= 80 else text[:77] + "..."
