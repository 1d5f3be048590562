"""A site read into what its probes do: what to read before, what to capture, what to read after."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from eqtrace.code.bind import TARGET, parse_left, parse_right
from eqtrace.code.tree import FunctionNode, StatementNode, targets
from eqtrace.run import walk
from eqtrace.run.site import Site
from eqtrace.run.tree import own_nodes

RESULT = -1  # the key of a function's result; subexpressions count from 0
# Where a header's probes go: they must be part of its expression, as nothing can stand before `while` or `elif`.
HEADERS: dict[type[ast.AST], str] = {
    ast.match_case: "guard",
    ast.If: "test",
    ast.While: "test",
    ast.Match: "subject",
    ast.For: "iter",
    ast.AsyncFor: "iter",
}
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_VIEWS = frozenset({"T", "mT", "flat", "real", "imag"})


_Node = TypeVar("_Node", bound=ast.AST)


class SiteError(Exception):
    """A site that cannot be instrumented, and why."""


@dataclass(frozen=True, slots=True)
class Output:
    """A left side: a value captured where it is evaluated (`key`), or an expression read after the statement."""

    symbol: str
    key: int | None
    path: tuple[int | str, ...] = ()
    node: ast.expr | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A site as its probes need it; private names are mangled."""

    site: Site
    inputs: tuple[tuple[str, ast.expr], ...] = ()
    outputs: tuple[Output, ...] = ()
    names: frozenset[str] = frozenset()  # the namespace: names that occur in the statement
    watched: frozenset[str] = frozenset()  # input symbols that the statement has no business to change
    entries: Mapping[str, tuple[ast.expr, ...]] = field(default_factory=dict)  # names of which it uses entries alone
    collected: frozenset[str] = frozenset()  # names whose values are kept of each turn of a loop
    parameters: frozenset[str] = frozenset()  # of the function with that loop
    compared: frozenset[float] = frozenset()  # numbers in its conditions, and at which it cuts arrays
    ordered: tuple[str, ...] = field(init=False)  # the names, sorted
    inputs_read: frozenset[str] = field(init=False)  # names in the inputs
    read: frozenset[str] = field(init=False)  # all names that are looked up before the statement
    read_after: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        before = frozenset[str]().union(*(walk.names(node) for _, node in self.inputs))
        after = frozenset[str]().union(*(walk.names(o.node) for o in self.outputs if o.node is not None))
        object.__setattr__(self, "ordered", tuple(sorted(self.names)))
        object.__setattr__(self, "inputs_read", before)
        object.__setattr__(self, "read", before | self.names)
        object.__setattr__(self, "read_after", after)


def left_side(text: str, statement: StatementNode) -> tuple[ast.expr, tuple[int | str, ...], bool]:
    """A left side's node, the path into its value, and whether it is read after the statement (else captured)."""
    left = parse_left(text, statement)
    return left.node, left.path, left.kind == TARGET


def make_plan(
    site: Site,
    outputs: list[Output],
    names: frozenset[str],
    targets: list[ast.expr],
    owner: str,
    entries: Mapping[str, tuple[ast.expr, ...]] | None = None,
) -> Plan:
    """A site's plan; `targets` are what its statement assigns to."""
    inputs = tuple((symbol, mangled(parse_right(text), owner)) for symbol, text in site.inputs.items())
    changing = [mangled(target, owner) for target in targets]
    changing += [output.node for output in outputs if output.node is not None]
    bases = {ast.unparse(_base(target)) for target in changing}
    watched = frozenset(symbol for symbol, node in inputs if bases.isdisjoint(_spine(node)))
    return Plan(site, inputs, tuple(outputs), names, watched, entries or {})


def written(statement: StatementNode) -> list[ast.expr]:
    """What a statement itself writes to. What a call changes in place (`out=x`) it may change only as a left side."""
    deleted = statement.targets if isinstance(statement, ast.Delete) else []
    return [*targets(statement), *deleted]


def _base(target: ast.expr) -> ast.expr:
    """What a target changes in place: without its subscripts and its views."""
    while isinstance(target, ast.Subscript) or (isinstance(target, ast.Attribute) and target.attr in _VIEWS):
        target = target.value
    return target


def at_return(symbol: str, text: str, owner: str) -> Output:
    """A whole function's left side: its result, or an expression read when it returns."""
    node = parse_right(text)
    path = _result_path(node)
    return Output(symbol, None, (), mangled(node, owner)) if path is None else Output(symbol, RESULT, path)


def entries_in(nodes: Iterable[ast.AST], owner: str) -> dict[str, tuple[ast.expr, ...]]:
    """Names that a statement uses only as `name[index]`, with those indices: of a dictionary no more need be copied.

    Nothing is said of a statement with scopes of its own, in which an index may mean something else.
    """
    every = list(nodes)
    if any(isinstance(node, (*_SCOPES, ast.NamedExpr)) for node in every):
        return {}
    uses = Counter(node.id for node in every if isinstance(node, ast.Name))
    found: dict[str, list[ast.expr]] = {}
    for node in every:
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            found.setdefault(node.value.id, []).append(mangled(node.slice, owner))
    return {mangle(name, owner): tuple(indices) for name, indices in found.items() if len(indices) == uses[name]}


def turn_statement(function: FunctionNode, names: frozenset[str]) -> ast.Assign:
    """The assignment that gives what is collected of each turn of a loop.

    Raises:
        SiteError: there is none, or more than one.
    """
    found = [node for node in own_nodes(function) if isinstance(node, ast.Assign) and names & stored(node)]
    wanted = ", ".join(sorted(names))
    if not found:
        raise SiteError(f"no assignment in {function.name} gives {wanted}, of which each turn's value is to be read")
    if len(found) > 1 or not names <= stored(found[0]):
        raise SiteError(f"several statements of {function.name} give {wanted}, and one is wanted for each turn's value")
    return found[0]


def stored(statement: ast.Assign) -> frozenset[str]:
    """The names that an assignment gives values to."""
    nodes = (node for target in statement.targets for node in ast.walk(target))
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    """The names among some nodes."""
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _spine(node: ast.expr) -> set[str]:
    """An expression, and what it is a part of, as text."""
    found = {ast.unparse(node)}
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
        found.add(ast.unparse(node))
    return found


def _result_path(node: ast.expr) -> tuple[int | str, ...] | None:
    """The constant subscripts after `result`; None for another expression."""
    path: list[int | str] = []
    while isinstance(node, ast.Subscript):
        try:
            path.insert(0, ast.literal_eval(node.slice))
        except ValueError:
            return None
        node = node.value
    return tuple(path) if isinstance(node, ast.Name) and node.id == "result" else None


def mangled(node: _Node, owner: str) -> _Node:
    """A copy of a tree with private names as a class's methods see them."""
    twin = type(node).__new__(type(node))  # `copy.deepcopy` takes ten times as long
    for name, held in vars(node).items():
        value = held
        if isinstance(held, ast.AST):
            value = mangled(held, owner)
        elif isinstance(held, list):
            value = [mangled(each, owner) if isinstance(each, ast.AST) else each for each in held]
        setattr(twin, name, value)
    if isinstance(twin, ast.Name):
        twin.id = mangle(twin.id, owner)
    elif isinstance(twin, ast.Attribute):
        twin.attr = mangle(twin.attr, owner)
    return twin


def mangle(name: str, owner: str) -> str:
    """A name as it is inside the class `owner`."""
    private = name.startswith("__") and not name.endswith("__") and owner.strip("_")
    return f"_{owner.lstrip('_')}{name}" if private else name
