"""Which entries of a gradient's `wrt` an equation gives."""

from __future__ import annotations

import ast

from eqtrace.formula.form import Form
from eqtrace.model.anchor import Anchor
from eqtrace.model.equation import Equation
from eqtrace.run.gradient.plan import RESULT, Entry, Function, Plan, PlanError
from eqtrace.run.sources import source_tree
from eqtrace.run.tree import own_nodes
from eqtrace.run.work import COMPUTING


def own_entries(equation: Equation, form: Form, plan: Plan) -> tuple[Entry, ...]:
    """The entries whose gradient is the equation's left side.

    Those that it names; else dX for X, and the symbol that a value on the way names; else what the backward returns
    under the symbol's name; else what its line adds to; else the only entry there is.

    Raises:
        PlanError: none of these is one.
    """
    if equation.wrt:
        unknown = [name for name in equation.wrt if all(entry.name != name for entry in plan.entries)]
        if unknown:
            raise PlanError(f"`wrt` names {', '.join(unknown)}, which the gradient does not differentiate by")
        return tuple(entry for entry in plan.entries if entry.name in equation.wrt)
    left = {name for part in range(len(form.parts)) for name in form.left(part)}
    found = tuple(entry for entry in plan.entries if f"d{entry.name}" in left or entry.text in left)
    found = found or _returned(equation, left, plan) or _added_to(equation, plan)
    if found or len(plan.entries) == 1:
        return found or plan.entries
    what = f"the left side ({', '.join(sorted(left))}) is none of the gradients by {', '.join(plan.gradient.wrt)}"
    raise PlanError(what, "name what it is the gradient of in the equation: wrt: [X]")


def _returned(equation: Equation, left: set[str], plan: Plan) -> tuple[Entry, ...]:
    """Entries that the backward returns under the name of a left symbol."""
    node = _definition(plan.backward)
    returns = [each.value for each in own_nodes(node) if isinstance(each, ast.Return)] if node is not None else []
    if len(returns) != 1 or returns[0] is None:
        return ()
    names = {equation.symbols[name].code_name(plan.backward.qualname) for name in left if name in equation.symbols}
    return tuple(entry for entry in plan.entries if _name_at(entry, returns[0]) in names - {None})


def _name_at(entry: Entry, returned: ast.expr) -> str | None:
    match entry.place:
        case ast.Name(id=name) if name == RESULT:
            return returned.id if isinstance(returned, ast.Name) else None
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int() as index)) if name == RESULT:
            if isinstance(returned, ast.Tuple) and index < len(returned.elts):
                item = returned.elts[index]
                return item.id if isinstance(item, ast.Name) else None
    return None


def _definition(function: Function) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    tree, _ = source_tree(function.file)
    first = function.original.__code__.co_firstlineno
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if first in (node.lineno, *(each.lineno for each in node.decorator_list)):
            return node
    return None


def _added_to(equation: Equation, plan: Plan) -> tuple[Entry, ...]:
    """Entries that a cited line of the backward adds to (or assigns, which is wrong, and is to be shown)."""
    targets = {
        target
        for anchor in equation.anchors
        if anchor.role in COMPUTING and anchor.function == plan.backward.qualname
        for target in _targets(anchor)
    }
    return tuple(entry for entry in plan.entries if entry.place is not None and ast.unparse(entry.place) in targets)


def _targets(anchor: Anchor) -> list[str]:
    try:
        body = ast.parse(anchor.code).body
    except (SyntaxError, ValueError):
        return []
    written: list[ast.expr] = [each.target for each in body if isinstance(each, ast.AugAssign)]
    written += [target for each in body if isinstance(each, ast.Assign) for target in each.targets]
    return [ast.unparse(target) for target in written]
