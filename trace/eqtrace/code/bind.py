"""The grammar of `bind`: what a symbol may be read from before a statement runs, and what is captured after it.

Texts are parsed, never compiled. The right side is a small language read by a walker; the left side names a part of
the statement itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from eqtrace.code.tree import StatementNode, assigned, dotted, same, targets, walk

_LONGEST = 500
_DEEPEST = 20

RESULT, OPERAND, TARGET, SUBEXPRESSION = "result", "operand", "target", "subexpression"

_ARRAY_METHODS = ("sort", "fill", "partition", "put", "itemset", "resize", "shuffle")
_CONTAINER_METHODS = ("append", "extend", "insert", "update", "setdefault", "add", "reverse")
_MUTATING_METHODS = frozenset(_ARRAY_METHODS + _CONTAINER_METHODS)
_MUTATING_FUNCTIONS = frozenset({"copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis", "shuffle"})


class BindError(ValueError):
    """A bind text outside the grammar: why, and at which character (from 0)."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Left:
    """What is captured of a statement.

    `result` and `result[i]` are the statement's value (`node`) with the indices in `path`; `operand` is an augmented
    assignment's right side; a `target` is read after the statement; a `subexpression` is captured where it is
    evaluated.
    """

    kind: str
    node: ast.expr
    path: tuple[int | str, ...] = ()


@lru_cache(maxsize=16_384)
def parse_right(text: str) -> ast.expr:
    """Parses what a symbol is read from before the statement.

    Allowed are names, constants, subscripts, attributes that are no dunder, `len()`, `+` and f-strings; around all of
    it, `[...]` for what it was in each turn of a loop before the statement.

    Raises:
        BindError: the text is no such expression.
    """
    tree = _expression(text)
    _check_right(turn_of(tree) or tree, text, 0)
    return tree


def turn_of(node: ast.expr) -> ast.expr | None:
    """What `[x]` collects: x as it was in each turn of a loop, on a leading axis; None for any other expression."""
    return node.elts[0] if isinstance(node, ast.List) and len(node.elts) == 1 else None


@lru_cache(maxsize=16_384)
def _expression(text: str) -> ast.expr:
    if not text.strip():
        raise BindError("empty")
    if len(text) > _LONGEST:
        raise BindError(f"longer than {_LONGEST} characters", _LONGEST)
    stripped = text.lstrip()
    try:
        return ast.parse(stripped, mode="eval").body
    except SyntaxError as error:
        offset = len(text) - len(stripped) + max((error.offset or 1) - 1, 0)
        raise BindError(f"no expression: {error.msg}", min(offset, len(text) - 1)) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise BindError(f"cannot be parsed: {error}") from None


def _check_right(node: ast.expr, text: str, depth: int) -> None:
    offset = len(text.lstrip().encode()[: node.col_offset].decode("utf-8", "ignore")) + len(text) - len(text.lstrip())
    if depth > _DEEPEST:
        raise BindError("nested too deeply", offset)
    for child in _right_children(node, offset):
        _check_right(child, text, depth + 1)


def _right_children(node: ast.expr, offset: int) -> Iterator[ast.expr]:
    """The parts of an allowed node that must be allowed too.

    Raises:
        BindError: the node itself is not allowed.
    """
    match node:
        case ast.Constant(value=value) if value is None or isinstance(value, bool | int | float | str):
            pass
        case ast.Name():
            if node.id.startswith("__"):
                raise BindError(f"`{node.id}` may not be read", offset)
        case ast.Attribute():
            if node.attr.startswith("__"):
                raise BindError(f"the attribute `{node.attr}` may not be read", offset)
            yield node.value
        case ast.Subscript():
            yield node.value
            yield from _subscript_children(node.slice)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            pass
        case ast.Call(func=ast.Name(id="len"), args=[argument], keywords=[]):
            yield argument
        case ast.BinOp(op=ast.Add()):
            yield node.left
            yield node.right
        case ast.JoinedStr():
            for part in node.values:
                if isinstance(part, ast.FormattedValue):
                    if part.conversion != -1 or part.format_spec is not None:
                        raise BindError("an f-string here takes no conversion or format", offset)
                    yield part.value
        case _:
            shown = type(node).__name__
            raise BindError(
                f"not allowed here ({shown}): only names, subscripts, attributes, len(), + and f-strings", offset
            )


def _subscript_children(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Tuple):
        for item in node.elts:
            yield from _subscript_children(item)
    elif isinstance(node, ast.Slice):
        yield from (part for part in (node.lower, node.upper, node.step) if part is not None)
    else:
        yield node


def is_result(text: str) -> bool:
    """Whether a bind text names what a statement gives, in whatever statement: `result`, `result[i]` or `operand`."""
    return text.strip().partition("[")[0].strip() in (RESULT, OPERAND)


def parse_left(text: str, statement: StatementNode) -> Left:
    """Finds what a bind text names in a statement.

    Raises:
        BindError: the statement holds no such part.
    """
    wanted = _expression(text)
    target = _target(wanted, statement)
    if target is not None:
        return Left(TARGET, target)
    found = _keyword(wanted, statement) or _subexpression(wanted, statement)
    if found is None:
        raise BindError("names no target and no part of the statement")
    return found


def _target(wanted: ast.expr, statement: StatementNode) -> ast.expr | None:
    """The target that a text names; the base of `Y[rows] = ...` is one too, for `Y` changes."""
    for node in assigned(statement):  # most often it is one of these, and then nothing need be looked through
        if same(node, wanted):
            return node
    written = [*targets(statement), *changed_in_place(statement)]
    for node in written:
        if same(node, wanted):
            return node
    for node in written:
        while isinstance(node, ast.Subscript | ast.Starred):
            node = node.value
            if same(node, wanted):
                return node
    return wanted if _root(wanted) in _given(statement) else None


def _given(statement: StatementNode) -> set[str]:
    """What a statement that is a call, of which nothing is kept, is given: it is called for what it does to them."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return set()
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return {node.id for node in given if isinstance(node, ast.Name)}


def _root(node: ast.expr) -> str:
    """The name of which a subscript is taken; '' of anything but a subscript."""
    found = isinstance(node, ast.Subscript)
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if found and isinstance(node, ast.Name) else ""


def _keyword(wanted: ast.expr, statement: StatementNode) -> Left | None:
    """`result`, `result[i]` and `operand`."""
    path: list[int | str] = []
    base = wanted
    while isinstance(base, ast.Subscript):
        index = _constant_index(base.slice)
        if index is None:
            return None
        path.append(index)
        base = base.value
    if not isinstance(base, ast.Name):
        return None
    if base.id == OPERAND and not path and isinstance(statement, ast.AugAssign):
        return Left(OPERAND, statement.value)
    if base.id != RESULT:
        return None
    value = value_of(statement)
    if value is None:
        raise BindError("this statement has no `result`")
    return Left(RESULT, value, tuple(reversed(path)))


def _constant_index(node: ast.expr) -> int | str | None:
    match node:
        case ast.Constant(value=int() | str() as index) if not isinstance(index, bool):
            return index
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as index)):
            return -index
    return None


def value_of(statement: StatementNode) -> ast.expr | None:
    """The expression whose value is a statement's `result`; None where it has none (`+=`, `def`)."""
    match statement:
        case ast.Return() | ast.Assign() | ast.AnnAssign():
            return statement.value
        case ast.Expr():
            value = statement.value
            return value.value if isinstance(value, ast.Yield) else value
        case ast.If() | ast.While() | ast.Assert():
            return statement.test
        case ast.For() | ast.AsyncFor():
            return statement.iter
        case ast.Match():
            return statement.subject
        case ast.match_case():
            return statement.guard
        case ast.With() | ast.AsyncWith() if len(statement.items) == 1:
            return statement.items[0].context_expr
    return None


def changed_in_place(statement: StatementNode) -> list[ast.expr]:
    """What a call changes in place: `x` of `x.sort()`, `np.add.at(x, ...)`, `np.copyto(x, ...)` and `f(..., out=x)`."""
    changed: list[ast.expr] = []
    for node in walk(statement):
        if not isinstance(node, ast.Call):
            continue
        changed.extend(keyword.value for keyword in node.keywords if keyword.arg == "out")
        if isinstance(statement, ast.Expr) and node is statement.value and isinstance(node.func, ast.Attribute):
            name = dotted(node.func) or ""
            library = name.startswith(("np.", "numpy."))
            by_function = node.func.attr in _MUTATING_FUNCTIONS and (library or node.func.attr == "shuffle")
            if (by_function or name.endswith(".at")) and node.args:
                changed.append(node.args[0])
            elif node.func.attr in _MUTATING_METHODS and not library:
                changed.append(node.func.value)
    return changed


def _subexpression(wanted: ast.expr, statement: StatementNode) -> Left | None:
    for node in walk(statement):
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store) and same(node, wanted):
            return Left(SUBEXPRESSION, node)
    return None
