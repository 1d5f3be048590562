"""The statements before a cited one, in its block, that work out what it reads and no symbol binds.

Run together with it on exact values, they leave no rounding between the symbols and the result.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache

from eqtrace.code.bind import parse_right
from eqtrace.code.tree import FunctionNode, StatementNode, is_compound, targets, walk
from eqtrace.run.site import Site
from eqtrace.run.tree import Tree

_SUSPENDING = (ast.Yield, ast.YieldFrom, ast.Await)


def earlier(tree: Tree, statement: StatementNode, site: Site) -> tuple[ast.stmt, ...]:
    """Plain assignments to names, in the order of the code; they end at the symbols' names.

    What only a loop, a branch or an update in place gives stays as it was captured. So does what a statement that is
    left out may have changed in place, as the values are those from right before the cited statement.
    """
    bound = {root(parse_right(text)) for text in site.inputs.values()}
    before = tree.before(statement)
    needed = reads(statement) - bound
    if not any(names & needed for names in map(assigned, before)):
        return ()
    function = next((each for each, _ in tree.ancestors(statement) if isinstance(each, FunctionNode)), None)
    own = assigned(function if function is not None else ast.Module(before, []))  # modules and the like are left out
    found: list[ast.stmt] = []
    changed: set[str] = set()
    for each in reversed(before):
        names = assigned(each)
        if not names & (needed | bound):
            changed |= changeable(each) & own
            continue
        if names & bound or not _is_plain(each) or changed & (names | reads(each)):
            break
        found.insert(0, each)
        needed = (needed - names) | (reads(each) - bound)
    return tuple(found)


@lru_cache(maxsize=1024)  # each statement is asked of for every cited one after it
def reads(node: ast.AST) -> frozenset[str]:
    """The names whose values a statement reads; of a compound one, in its header."""
    found = {each.id for each in walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}
    target = node.target if isinstance(node, ast.AugAssign) else None
    return frozenset(found | ({target.id} if isinstance(target, ast.Name) else set()))


@lru_cache(maxsize=1024)
def assigned(node: ast.AST) -> frozenset[str]:
    """The names that a statement, or anything within it, gives another value; parameters are among them."""
    found = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
    return frozenset(found | {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)})


@lru_cache(maxsize=1024)
def changeable(node: ast.AST) -> frozenset[str]:
    """The names whose values a statement may change in place: what it stores into, and what its calls are given."""
    places = [each for each in ast.walk(node) if isinstance(each, ast.Subscript | ast.Attribute)]
    found = {root(each) for each in places if not isinstance(each.ctx, ast.Load)}
    found |= {root(each.func.value) for each in _calls(node) if isinstance(each.func, ast.Attribute)}
    given = [given for each in _calls(node) for given in (*each.args, *(keyword.value for keyword in each.keywords))]
    return frozenset(found | {each.id for part in given for each in ast.walk(part) if isinstance(each, ast.Name)})


def _calls(node: ast.AST) -> list[ast.Call]:
    return [each for each in ast.walk(node) if isinstance(each, ast.Call)]


def outer_names(statements: Iterable[ast.stmt]) -> set[str]:
    """The names that statements read before one of them assigns them."""
    made: set[str] = set()
    found: set[str] = set()
    for each in statements:
        found |= reads(each) - made
        made |= assigned(each)
    return found


def root(node: ast.expr) -> str:
    """The name that a right side begins with."""
    names = (child.id for child in ast.walk(node) if isinstance(child, ast.Name) and child.id != "len")
    return next(names, "")


def _is_plain(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Assign | ast.AnnAssign)
        and not is_compound(node)
        and all(isinstance(target, ast.Name) for target in targets(node))
        and not any(isinstance(each, _SUSPENDING) for each in ast.walk(node))
    )
