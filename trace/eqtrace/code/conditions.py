"""The conditions of a statement: what is decided in it, for a whole array or entry by entry.

Tests of headers, of conditional expressions and of comprehensions count, taken apart at `and`, `or` and `not`; every
comparison; what decides which operand `and` and `or` give; the mask of `where`; which of two operands `maximum` and
its kin take, and where `clip` does; of a whole function also its `case` and `except` clauses, and functions within it.
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
UNKNOWN = "?"  # stands among parameters for what the text does not tell
_BOUNDS = frozenset({"a_min", "a_max", "min", "max"})
_USUAL = 4  # arrays of more are drawn anyway
_FOLDED: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
_NARROW = {  # kinds of integers by each name that NumPy has for them: the first number that is too large
    name: float(2 ** (8 * size - signed))
    for size, word in ((1, "byte"), (2, "short"), (4, "intc"))
    for signed, u, i in ((True, "", "i"), (False, "u", "u"))
    for name in (f"{u}int{8 * size}", f"{u}{word}", f"{i}{size}")
}
OVERFLOWS = frozenset(near for limit in _NARROW.values() for near in (limit - 1, limit))
_LARGEST = 10**9
_DEEPEST = 8  # parts of a constant expression
_UNTESTED = ast.Assert | ast.ClassDef | FunctionNode  # an assertion that fails ends the run


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression that is true or false; of an extreme its first operand, true where it is larger than the `other`.

    `shown` is the expression that a reader knows it by. A `guard` tells arguments that are refused or of another kind.
    A clause is true where it is entered, and false where the statement `of` which it is one is executed.
    """

    node: ast.expr | ast.match_case | ast.ExceptHandler
    other: ast.expr | None
    shown: ast.expr | ast.match_case | ast.ExceptHandler
    guard: bool = False
    of: ast.Match | ast.Try | ast.TryStar | None = None

    @property
    def decided_by(self) -> tuple[ast.expr, ...]:
        """The expressions whose values decide it; of an exception there are none."""
        if isinstance(self.node, ast.match_case):
            subject = (self.of.subject,) if isinstance(self.of, ast.Match) else ()
            return (*subject, *filter(None, (self.node.guard,)))
        return () if isinstance(self.node, ast.ExceptHandler) else (self.node,)


def of_cited(statement: StatementNode, whole: bool = False) -> list[Condition]:
    """The conditions of a statement (of a compound one, of its header), or of the `whole` function that it defines.

    They come in the order of the text.
    """
    return _among(_nodes(statement, whole), whole)


def constants(module: ast.Module) -> dict[str, object]:
    """What a module calls constants, by name."""
    found: dict[str, object] = {}
    for each in module.body:
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                held = _kind(value) or (value.value if isinstance(value, ast.Constant) else _number(value, found))
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
    return frozenset([*_compared(_among(nodes, whole)), *_cuts((*nodes, *defaults), known), *_limits(nodes, named)])


def _limits(nodes: Iterable[ast.AST], named: Mapping[str, object]) -> Iterator[float]:
    """The largest numbers of the narrow kinds of integers that nodes name, and what is just too large."""
    for node in nodes:
        limit = _NARROW.get(_kind(node) or str(named.get(node.id) if isinstance(node, ast.Name) else ""))
        yield from (limit - 1, limit) if limit is not None else ()


def _kind(node: ast.AST) -> str:
    """The narrow kind of integers that a node names, '' for none: `np.int8`, 'int8', '<i1'."""
    name = node.attr if isinstance(node, ast.Attribute) else node.value if isinstance(node, ast.Constant) else ""
    bare = name.lstrip("<>=|") if isinstance(name, str) else ""
    return bare if bare in _NARROW else ""


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


def _among(nodes: Iterable[ast.AST], whole: bool) -> list[Condition]:
    found: dict[tuple[int, int], Condition] = {}
    guards: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.If) and any(
            isinstance(each[-1], ast.Raise) for each in (node.body, node.orelse) if each
        ):
            guards.update(map(id, ast.walk(node.test)))
        for each in (*_of(node), *(_clauses(node) if whole else ())):
            found.setdefault((id(each.node), id(each.other)), each)
    marked = (
        replace(each, guard=each.guard or id(each.node) in guards or any(map(_is_of_kinds, each.decided_by)))
        for each in found.values()
    )
    return sorted(marked, key=_place)


def _place(condition: Condition) -> tuple[int, ...]:
    """Where it stands in the text, the operands of one call in their order."""
    node, other = condition.node, condition.other
    first = node.pattern if isinstance(node, ast.match_case) else node
    behind = (0, 0) if other is None else (other.lineno, other.col_offset)
    return first.lineno, first.col_offset, other is None, *behind


def _clauses(node: ast.AST) -> Iterator[Condition]:
    """The clauses of a statement. What patterns other than literals ask for is of what kind a value is."""
    match node:
        case ast.Match(cases=cases):
            for case in cases:
                patterns = [each for each in ast.walk(case.pattern) if isinstance(each, ast.pattern)]
                refused = isinstance(case.body[-1], ast.Raise)
                if case.guard is None or not _takes_all(case.pattern):  # else the guard tells
                    yield Condition(case, None, case, refused or not all(map(_is_plain, patterns)), node)
        case ast.Try(handlers=handlers) | ast.TryStar(handlers=handlers):
            for handler in handlers:
                yield Condition(handler, None, handler, True, node)


def _takes_all(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def _is_plain(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchValue | ast.MatchSingleton | ast.MatchOr | ast.MatchAs)


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


def is_clip(node: ast.AST) -> bool:
    """Whether an expression keeps values between bounds."""
    function = node.func if isinstance(node, ast.Call) else None
    return (isinstance(function, ast.Attribute) and function.attr == "clip") or _is_named(function, "clip")


def _is_named(node: ast.AST | None, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


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
    """The parameters of a function that an expression in it rests on, also by way of local names; maybe `UNKNOWN`."""
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
    for name, read in _given(function):
        made.setdefault(name, set()).update(read)
    found, waiting = set[str](), [*_names(node, ast.Load)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(made.get(name, ()))
    return frozenset(found & {*_parameters(function), UNKNOWN})


def _given(function: FunctionNode | ast.Lambda) -> Iterator[tuple[str, set[str]]]:
    """What functions within one are given for their parameters where they are called by name; else it is unknown."""
    nodes = list(ast.walk(function))
    named = {id(each.value): target.id for each in nodes if isinstance(each, ast.Assign)
             for target in each.targets if isinstance(target, ast.Name)}  # fmt: skip
    for inner in nodes:
        if inner is function or not isinstance(inner, FunctionNode | ast.Lambda):
            continue
        name = inner.name if isinstance(inner, FunctionNode) else named.get(id(inner))
        read = [each for each in nodes if isinstance(each, ast.Name) and each.id == name]
        calls = [each for each in nodes if isinstance(each, ast.Call) and each.func in read]
        known = bool(calls) and len(calls) == sum(isinstance(each.ctx, ast.Load) for each in read)
        for number, parameter in enumerate(_parameters(inner)):
            if not known:
                yield parameter, {UNKNOWN}
            for call in calls:
                values = [*call.args[number : number + 1]]
                values += [each.value for each in call.keywords if each.arg == parameter]
                yield parameter, set[str]().union(*(_names(each, ast.Load) for each in values)) if values else {UNKNOWN}


def _parameters(function: FunctionNode | ast.Lambda) -> list[str]:
    arguments = function.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    return [each.arg for each in every if each is not None]


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
        case ast.match_case(guard=ast.expr() as guard):
            yield from _atoms(guard)
        case ast.Call(func=function, args=arguments) if is_clip(node):
            given = [*arguments, *(each.value for each in node.keywords if each.arg in _BOUNDS)]
            if isinstance(function, ast.Attribute) and len(given) < 3:  # the method of an array
                given.insert(0, function.value)
            for each in given[1:3]:
                if not (isinstance(each, ast.Constant) and each.value is None):
                    yield Condition(given[0], each, node)
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
        parts: list[ast.AST] = [*each.decided_by, *([each.other] if each.other is not None else [])]
        if isinstance(each.node, ast.match_case):
            parts.append(each.node.pattern)
        elif each.other is None and parts and not isinstance(each.node, ast.Compare | ast.Call):
            yield 0.0
        for part in parts:
            for node in ast.walk(part):
                if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
                    yield float(node.value)
