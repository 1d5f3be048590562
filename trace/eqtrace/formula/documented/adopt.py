"""A printed formula made the form of an equation that has none: `states` in short form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from eqtrace.formula.claims import free_names
from eqtrace.formula.documented.formula import Formula, plain_name
from eqtrace.formula.documented.reading import Documented, conditions_of
from eqtrace.formula.documented.text import text_of
from eqtrace.formula.form import RESULT, Form, Range
from eqtrace.formula.latex.align import renamed, spread
from eqtrace.formula.latex.arrays import ONE, shifted, term_of
from eqtrace.formula.latex.canon import Canon
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.latex.pairs import key_of
from eqtrace.formula.latex.statements import Says
from eqtrace.formula.term import (
    Add,
    Compare,
    Condition,
    Eq,
    Indexed,
    Name,
    Neg,
    Node,
    Reduction,
    Term,
    rebuilt,
    symbol_names,
    walk,
)
from eqtrace.model.equation import Equation

_LETTERS = "ijklmnpqrst"


@dataclass(frozen=True, slots=True)
class Adopted:
    """A formula as a form writes it: the statement, what it holds under, and the ranges of its indices."""

    statement: str
    conditions: tuple[str, ...]
    indices: Mapping[str, tuple[str, str]]  # by index, where it starts and the end behind it


def adopted(
    formula: Formula, beside: Iterable[Formula], conditions: Iterable[Formula], equation: Equation, form: Form
) -> Adopted:
    """The form that a formula is, by the names of an equation; `form` has its shapes and no statement.

    Of the conditions that stand behind it those are taken that can be read: any other leaves more to be tried.

    Raises:
        Unread: it is not read, or is no single equation.
    """
    others = tuple(beside)
    unknown = _unknown(formula, Documented(equation, form, (formula, *others)))
    documented = Documented(equation, form, (formula, *others), unknown)
    documented.define(others, but=formula.name)
    said = documented.said(formula)
    clauses = [each for each in said.clauses if each.says is not Says.ORDER]
    orders = [each for each in said.clauses if each.says is Says.ORDER]
    if len(clauses) != 1 or clauses[0].says is not Says.BARE or clauses[0].given or clauses[0].update:
        raise Unread("it is no one equation for what the function returns", 0, len(formula.printed.text))
    clause = clauses[0]
    nodes, own = spread(clause, documented.reading.arrays)
    used = [{name for name in symbol_names(node) if name in equation.symbols} for node in nodes]
    if any(each != used[0] for each in used):
        raise Unread(
            "its sides are of different parameters: which of them holds is not told", clause.offset, clause.length
        )
    said_of = [node for each in (*clause.conditions, *orders) for node in conditions_of(each)]
    held_under = [*said_of, *(node for each in conditions for node in documented.condition(each))]
    ranges = {**form.indices, **said.ranges}
    for name in map(plain_name, unknown):
        told = _told(name, held_under)
        if told is not None:
            ranges[name] = told
        elif name not in ranges and any(name in symbol_names(node) for node in nodes):
            raise Unread(f"{name} is neither a parameter nor an index whose range is told", *_place(nodes, name))
    names = _letters(own, nodes, equation, form)
    sides = tuple(term_of(_lettered(renamed(node, names), names)) for node in nodes)
    free = dict.fromkeys(name for node in nodes for name in free_names(node, ranges))
    subs = tuple(names[name] for name in own) or tuple(map(Name, free))
    left = Indexed(RESULT, subs) if subs else Name(RESULT)
    canon = Canon({})
    held = {key_of(canon, each) for name, ends in ranges.items() for each in _within(name, ends)}
    kept = (each for each in dict.fromkeys(held_under) if key_of(canon, each) not in held)
    new = {name: ends for name, ends in ranges.items() if name not in form.indices}
    new |= {term.name: own[name] for name, term in names.items() if name in own and isinstance(term, Name)}
    texts = {name: (text_of(ends.start), text_of(ends.stop)) for name, ends in new.items()}
    return Adopted(text_of(Eq((left, *sides))), tuple(map(text_of, kept)), texts)


def _unknown(formula: Formula, documented: Documented) -> tuple[str, ...]:
    """The arguments of a formula's left side that nothing declares: indices, if their ranges are told."""
    if documented.is_of_another(formula):
        return ()
    names = documented.reading.names
    known = documented.known()
    spelt = {key for pairs in names.table.values() for spelling, _ in pairs for key in ["".join(_keys(spelling))]}
    return tuple(each for each in formula.args or () if plain_name(each) not in known and each not in spelt)


def _keys(spelling: object) -> list[str]:
    found = list(getattr(spelling, "base", ()))
    sub = getattr(spelling, "sub", None)
    return [*found, "_", *sub] if sub else found


def _told(name: str, conditions: list[Condition]) -> Range | None:
    """The range of an index by conditions on it: `0 <= n <= M - 1`."""
    start: Term | None = None
    stop: Term | None = None
    for each in conditions:
        if not isinstance(each, Compare):
            continue
        left, right, sign = each.left, each.right, each.operator
        if right == Name(name):
            left, right, sign = right, left, {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(sign, sign)
        if left != Name(name):
            continue
        if sign in (">=", ">"):
            start = right if sign == ">=" else Add(right, ONE)
        elif sign in ("<=", "<"):
            stop = Add(right, ONE) if sign == "<=" else right
    return Range(start, _simple(stop)) if start is not None and stop is not None else None


def _simple(term: Term) -> Term:
    """`M - 1 + 1` as `M`."""
    if isinstance(term, Add) and term.right == ONE and isinstance(term.left, Add) and term.left.right == Neg(ONE):
        return term.left.left
    return term


def _within(name: str, ends: Range) -> list[Condition]:
    index = Name(name)
    below = Add(ends.stop, Neg(ONE))
    return [
        Compare(">=", index, ends.start), Compare("<=", ends.start, index), Compare("<", index, ends.stop),
        Compare(">", ends.stop, index), Compare("<=", index, below), Compare(">=", below, index),
        Compare("<=", index, _simple(below)),
    ]  # fmt: skip


def _letters(own: Mapping[str, Range], nodes: tuple[Node, ...], equation: Equation, form: Form) -> dict[str, Term]:
    """A letter for every index that the formula doesn't write: those that its sides have first."""
    bound = {each.index: None for node in nodes for each in walk(node) if isinstance(each, Reduction)}
    taken = {*equation.symbols, *form.sizes, *form.indices, *(name for node in nodes for name in symbol_names(node))}
    free = iter([letter for letter in _LETTERS if letter not in taken])
    return {name: Name(next(free, name)) for name in (*own, *(name for name in bound if name.startswith("_")))}


def _lettered(node: Node, names: Mapping[str, Term]) -> Node:
    """A node whose sums go over the letters."""

    def change(each: Node) -> Node:
        each = rebuilt(each, change)
        if isinstance(each, Reduction) and each.index in names:
            name = names[each.index]
            assert isinstance(name, Name)
            return replace(each, index=name.name, body=shifted(each.body, {each.index: name}))  # type: ignore[arg-type]
        return each

    return change(node)


def _place(nodes: tuple[Node, ...], name: str) -> tuple[int, int]:
    for node in nodes:
        for each in walk(node):
            if isinstance(each, Name) and each.name == name:
                return each.offset, each.length
    return 0, 1
