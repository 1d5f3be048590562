"""The conditions of a statement: what is decided in it, for a whole array or entry by entry.

Tests of headers, of conditional expressions and of comprehensions count, taken apart at `and`, `or` and `not`; every
comparison; what decides which operand `and` and `or` give; the mask of `where`; and which of two operands `maximum` and
its kin take.
"""

from __future__ import annotations

import ast
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from eqtrace.code.tree import FunctionNode, StatementNode, dotted, walk

_EXTREMES = frozenset({"maximum", "minimum", "fmax", "fmin", "max", "min"})
_OF_KIND = frozenset({"ndim", "dtype", "flags"})
_OF_KINDS = frozenset(
    {"isinstance", "issubclass", "hasattr", "callable", "type", "ndim", "isscalar", "iscomplexobj", "isrealobj",
     "issubdtype", "is_masked", "shares_memory", "may_share_memory", "isnan", "isinf", "isfinite"}
)  # fmt: skip
_USUAL = 4  # arrays of more are drawn anyway
_FOLDED: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
_LARGEST = 10**9
_DEEPEST = 8  # parts of a constant expression
_UNTESTED = ast.Assert | ast.ClassDef | FunctionNode  # an assertion that fails ends the run


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression that is true or false; of an extreme its first operand, true where it is larger than the `other`.

    `shown` is the expression that a reader knows it by. A `guard` tells arguments that are refused or of another kind.
    """

    node: ast.expr
    other: ast.expr | None
    shown: ast.expr
    guard: bool = False


def of_cited(statement: StatementNode, whole: bool = False) -> list[Condition]:
    """The conditions of a statement (of a compound one, of its header), or of the `whole` function that it defines.

    They come in the order of the text.
    """
    return _among(_nodes(statement, whole))


def constants(module: ast.Module) -> dict[str, object]:
    """What a module calls constants, by name."""
    found: dict[str, object] = {}
    for each in module.body:
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                held = value.value if isinstance(value, ast.Constant) else _number(value, found)
                if held is not None:
                    found[name] = held
    return found


def numbers(statement: StatementNode, named: Mapping[str, object], whole: bool = False) -> frozenset[float]:
    """The numbers that a statement compares with, and the whole ones at which it may cut arrays.

    `named` are constants of its module; see `of_cited`.
    """
    nodes = list(_nodes(statement, whole))
    known = {**named, **_local(nodes, named)}
    arguments = getattr(getattr(statement, "value", statement), "args", None) if whole else None
    defaults = (*arguments.defaults, *filter(None, arguments.kw_defaults)) if arguments is not None else ()
    return frozenset([*_compared(_among(nodes)), *_cuts((*nodes, *defaults), known)])


def _cuts(nodes: Iterable[ast.AST], named: Mapping[str, object]) -> Iterator[float]:
    """The whole numbers among some nodes, and of constants that they name; exponents cut none."""
    exponents: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            exponents.add(id(node.right))
        if isinstance(node, ast.Constant | ast.Name | ast.BinOp | ast.Call) and id(node) not in exponents:
            held = _number(node, named)
            if type(held) is int and held >= _USUAL:
                yield float(held)


def _local(nodes: Iterable[ast.AST], named: Mapping[str, object]) -> dict[str, object]:
    """The numbers that names stand for within a function which gives them a value once."""
    stored = Counter(each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))
    found: dict[str, object] = {}
    for node in sorted((each for each in nodes if isinstance(each, ast.Assign)), key=lambda each: each.lineno):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if stored[name] == 1:
                if (held := _number(value, {**named, **found})) is not None:
                    found[name] = held
    return found


def _number(node: ast.expr, named: Mapping[str, object], depth: int = 0) -> int | float | None:
    """The value of an expression of numbers and of names that stand for some; None of any other."""
    match node:
        case ast.Constant(value=int() | float() as held):
            return None if isinstance(held, bool) else held
        case ast.Name(id=name):
            value = named.get(name)
            return value if isinstance(value, int | float) and not isinstance(value, bool) else None
        case ast.Call(func=ast.Name(id="int"), args=[argument], keywords=[]) if depth < _DEEPEST:
            inner = _number(argument, named, depth + 1)
            return None if inner is None or not math.isfinite(inner) else int(inner)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _FOLDED and depth < _DEEPEST:
            # The right one first: long sums go down on the left.
            second = _number(right, named, depth + 1)
            first = None if second is None else _number(left, named, depth + 1)
            if first is None or second is None or max(abs(first), abs(second)) > _LARGEST:
                return None
            with suppress(ArithmeticError):
                return _FOLDED[type(op)](first, second)
    return None


def _nodes(statement: StatementNode, whole: bool) -> Iterator[ast.AST]:
    if whole:
        yield from _inside(getattr(statement, "value", statement))
    elif not isinstance(statement, _UNTESTED):
        yield from walk(statement)


def _inside(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function's body, and of functions within it."""
    body = getattr(function, "body", [])
    waiting = [*body] if isinstance(body, list) else [body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.Assert | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def _among(nodes: Iterable[ast.AST]) -> list[Condition]:
    found: dict[int, Condition] = {}
    guards: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.If) and any(
            isinstance(each[-1], ast.Raise) for each in (node.body, node.orelse) if each
        ):
            guards.update(map(id, ast.walk(node.test)))
        for each in _of(node):
            found.setdefault(id(each.node), each)
    marked = (replace(each, guard=id(each.node) in guards or _is_of_kinds(each.node)) for each in found.values())
    return sorted(marked, key=lambda each: (each.node.lineno, each.node.col_offset, each.other is None))


def _is_of_kinds(node: ast.expr) -> bool:
    """Whether an expression asks what a value is, whether it is finite, or whether there is anything in it."""
    if isinstance(node, ast.Compare) and all(isinstance(each, ast.Is | ast.IsNot) for each in node.ops):
        return True
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and each.attr in _OF_KIND:
            return True
        if isinstance(each, ast.Call) and (dotted(each.func) or "").rpartition(".")[2] in _OF_KINDS:
            return True
    match node:
        case ast.Compare(left=ast.Call(func=ast.Name(id="len"), args=[ast.Attribute(attr="shape")])):
            return True
        case ast.Compare(left=ast.Attribute(attr="shape"), comparators=[ast.Tuple(elts=[])]):
            return True
    return False


def is_of_nothing(function: FunctionNode | ast.Lambda, node: ast.expr) -> bool:
    """Whether an expression tells empty arrays from others."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=0 | 1 as value)]):
            at = (ast.Eq, ast.NotEq, ast.Gt, ast.LtE) if value == 0 else (ast.Lt, ast.GtE)
            return isinstance(op, at) and is_length(function, left)
    return is_length(function, node)


def is_length(function: FunctionNode | ast.Lambda, node: ast.expr) -> bool:
    """Whether an expression is a length of an array, as it stands or by a local name."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[_]) | ast.Attribute(attr="size"):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Name(id=name):
            found = [
                each.value
                for each in ast.walk(function)
                if isinstance(each, ast.Assign)
                and any(isinstance(target, ast.Name) and target.id == name for target in each.targets)
            ]
            return len(found) == 1 and not isinstance(found[0], ast.Name) and is_length(function, found[0])
    return False


def rests_on(function: FunctionNode | ast.Lambda, node: ast.expr) -> frozenset[str]:
    """The parameters of a function that an expression in it rests on, also by way of local names."""
    made: dict[str, set[str]] = {}
    for statement in ast.walk(function):
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and statement.value:
            read = _names(statement.value, ast.Load)
            for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                for name in _names(target, ast.Store):
                    made.setdefault(name, set()).update(read)
        elif isinstance(statement, ast.For | ast.comprehension):
            for name in _names(statement.target, ast.Store):
                made.setdefault(name, set()).update(_names(statement.iter, ast.Load))
    found, waiting = set[str](), [*_names(node, ast.Load)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(made.get(name, ()))
    arguments = function.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    return frozenset(found & {each.arg for each in every if each is not None})


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, context)}


def _of(node: ast.AST) -> Iterator[Condition]:
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield from _atoms(test)
        case ast.comprehension(ifs=tests):
            for test in tests:
                yield from _atoms(test)
        case ast.BoolOp(values=[*values, _]):  # the last one is what it gives, and decides nothing
            for value in values:
                yield from _atoms(value)
        case ast.Compare():
            yield Condition(node, None, node)
        case ast.Call(func=function, args=[first, *others], keywords=[]):
            name = (dotted(function) or "").rpartition(".")[2]
            if name == "where" and len(others) == 2:
                yield from _atoms(first)
            elif name in _EXTREMES and len(others) == 1:
                yield Condition(first, others[0], node)


def _atoms(test: ast.expr) -> Iterator[Condition]:
    """The conditions that a test is put together of; a constant decides nothing."""
    match test:
        case ast.BoolOp(values=values):
            for value in values:
                yield from _atoms(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _atoms(operand)
        case ast.Constant():
            return
        case _:
            yield Condition(test, None, test)


def _compared(conditions: Iterable[Condition]) -> Iterator[float]:
    """The numbers that conditions compare with, as written; what is true or false by itself compares with 0."""
    for each in conditions:
        if each.other is None and not isinstance(each.node, ast.Compare | ast.Call):
            yield 0.0
        for operand in (each.node, each.other):
            for node in ast.walk(operand) if operand is not None else ():
                if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
                    yield float(node.value)
