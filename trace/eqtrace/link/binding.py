"""Whether what `bind` names stands in the cited statement, and whether a left side is captured at all."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from eqtrace.code.bind import TARGET, BindError, is_result, parse_left, parse_right, turn_of
from eqtrace.code.source import Statement
from eqtrace.code.tree import names
from eqtrace.link.place import place
from eqtrace.model.anchor import Match
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Text

_COMPARED_METHODS = frozenset({"value", "vjp", "composition", "discrete"})


def check_bind(match: Match, equation: Equation, statement: Statement) -> Iterator[Fault]:
    """The faults of a computes or inline anchor's bind, each at its own text."""
    left_sides = left_symbols(equation, match.anchor.part)
    captured = False
    here = names(statement.node) if match.anchor.bind else set()
    several = match.anchor.part is None and len(equation.statements) > 1
    for symbol, text in match.anchor.bind.items():
        if not left_sides:  # of a claim about shapes, say, each symbol may be either
            fault = _right_fault(text, statement, here)
            if is_result(text.value) or (fault is not None and _left_fault(text, statement) is None):
                fault = _left_fault(text, statement)
        elif symbol in left_sides:
            fault = _left_fault(text, statement)
            captured = True  # a left side that does not occur is one fault, not two
            if fault is not None and several and _right_fault(text, statement, here) is None:
                fault = None  # another part's left side, read here
        else:
            fault = _right_fault(text, statement, here)
        if fault is not None:
            message, offset = fault
            related = (Related(statement.span, f"the statement: {statement.source}"),)
            span = text.at(offset) if offset else text.span
            yield Fault(
                "bind-not-in-statement", f"{symbol}: `{text.value}` {message}", span, _HINT, related, equation.id
            )
    if not captured and left_sides and not _named_in_code(match, equation, statement, left_sides):
        yield _unbound(match, equation, statement, left_sides)


_HINT = "a left side is `result`, `operand`, a target or a part of the statement; a right side names what occurs in it"


def _unbound(match: Match, equation: Equation, statement: Statement, left_sides: tuple[str, ...]) -> Fault:
    names_left = " or ".join(left_sides)
    message = f"the anchor captures no left side: nothing in `{statement.source}` is bound to {names_left}"
    related = (Related(statement.span, "the statement"),)
    hint = f"add `{left_sides[0]}: result` or a target of the statement to `bind`"
    return Fault("unbound-left-side", message, place(match.anchor), hint, related, equation.id)


def _left_fault(text: Text, statement: Statement) -> tuple[str, int] | None:
    try:
        parse_left(text.value, statement.node)
    except BindError as error:
        return error.message, error.offset
    return None


def _right_fault(text: Text, statement: Statement, here: set[str]) -> tuple[str, int] | None:
    """A right side may be any part of the statement that the grammar allows, or be read off names that occur in it.

    A part that the grammar leaves out is not read before the statement runs, and so can't be captured.
    """
    if text.value in here:
        return None
    try:
        tree = parse_right(text.value)
    except BindError as error:
        return f"is outside the bind grammar: {error.message}", error.offset
    if turn_of(tree) is not None:
        return None  # what it collects is assigned elsewhere in the function
    roots = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id != "len"}
    absent = sorted(roots - here)
    if absent:
        names_absent = "" if absent == [text.value] else f" ({', '.join(absent)} is not there)"
        return f"does not occur in the statement{names_absent}", 0
    return None


def _named_in_code(match: Match, equation: Equation, statement: Statement, left_sides: tuple[str, ...]) -> bool:
    """Whether a left side has a name in the code that the statement assigns or holds."""
    for symbol in left_sides:
        known = equation.symbols.get(symbol)
        name = known.code_name(match.function) if known else None
        if name is None:
            continue
        try:
            parse_left(name, statement.node)
        except BindError:
            continue
        return True
    return False


def writes_left_side(match: Match, equation: Equation, statement: Statement) -> bool:
    """Whether a statement that is a call is made for what it does to a left side, which lies in what it is given."""
    for symbol in left_symbols(equation, match.anchor.part):
        known = equation.symbols.get(symbol)
        bound = match.anchor.bind.get(symbol)
        text = bound.value if bound is not None else known.code_name(match.function) if known else None
        try:
            if text is not None and parse_left(text, statement.node).kind == TARGET:
                return True
        except BindError:
            continue
    return False


def left_symbols(equation: Equation, part: int | None) -> tuple[str, ...]:
    """The symbols that an equation's statements define: the first sides of its `Eq`s.

    Empty where nothing is compared: a constraint, a distribution, a form that cannot be read.
    """
    if not _COMPARED_METHODS.intersection(equation.methods):
        return ()
    statements = equation.statements
    if part is not None and 0 <= part < len(statements):
        statements = (statements[part],)
    return tuple(dict.fromkeys(symbol for text in statements for symbol in _left_of(text.value)))


@lru_cache(maxsize=16_384)
def _left_of(statement: str) -> tuple[str, ...]:
    try:
        return tuple(_defined(ast.parse(statement.strip(), mode="eval").body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _defined(tree: ast.expr) -> Iterator[str]:
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name) or not tree.args:
        return
    if tree.func.id == "Eq":
        side = tree.args[0]
        while isinstance(side, ast.Subscript):
            side = side.value
        if isinstance(side, ast.Name):
            yield side.id
    elif tree.func.id in ("ForAll", "Implies"):
        for argument in tree.args:
            yield from _defined(argument)
