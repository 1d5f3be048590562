"""Conditions of cited lines that went one way only, in all runs of an equation."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from eqtrace.code.conditions import Condition, is_clip, is_length, is_of_nothing, of_cited, rests_on
from eqtrace.code.index import Index
from eqtrace.code.source import SourceFile
from eqtrace.code.tree import FunctionNode
from eqtrace.model.anchor import Match
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.symbol import Domain
from eqtrace.model.ways import FALSE, TRUE, one_sided

KIND = "branch-not-reached"
_NAME = re.compile(r"[^\W\d]\w*")
Ways = Mapping[str, Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class OneWay:
    """A condition of an anchor's statement and what of it no run showed."""

    match: Match
    span: Span
    told: str
    claimed: bool  # whether the equation says something of the way that no run took


def merged(every: Iterable[Ways]) -> dict[str, dict[int, int]]:
    """The ways that several methods saw, taken together."""
    found: dict[str, dict[int, int]] = {}
    for ways in every:
        for anchor, numbers in ways.items():
            known = found.setdefault(anchor, {})
            for number, way in numbers.items():
                known[number] = known.get(number, 0) | way
    return found


def one_way(
    equation: Equation, symbols: Collection[str], matches: Mapping[str, Match], ways: Ways, index: Index
) -> Iterator[OneWay]:
    """The conditions of an equation's lines that went one way only, each place once.

    Args:
        equation: the equation.
        symbols: those that stand in its form.
        matches: where its anchors are.
        ways: by anchor and number of a condition: 1 for true somewhere, 2 for false somewhere, 3 for both.
        index: the code.
    """
    taken: dict[tuple[Span, Span | None], int] = {}
    found: dict[tuple[Span, Span | None], tuple[Match, Span, SourceFile, ast.AST, Condition]] = {}
    for anchor in equation.anchors:
        match = matches.get(anchor.id)
        file = index.file(match.span.path) if match and match.span and ways.get(anchor.id) else None
        if file is None or match is None or match.span is None:
            continue
        statement = file.statement_at(match.span.line, match.span.column)
        if statement is None:
            continue
        conditions = of_cited(statement.node, anchor.target is not None)
        for number, way in ways[anchor.id].items():
            if number < len(conditions):
                span, other = file.span(conditions[number].node), conditions[number].other
                key = (span, file.span(other) if other is not None else None)
                taken[key] = taken.get(key, 0) | way
                found.setdefault(key, (match, span, file, statement.node, conditions[number]))
    for key, (match, span, file, node, condition) in sorted(found.items(), key=lambda each: each[0][0]):
        if condition.of is not None and taken[key] == TRUE:
            continue  # a clause that all runs enter leaves nothing out
        if taken[key] in (TRUE, FALSE):
            claimed = match.anchor.target is None or _is_claimed(equation, symbols, match, node, condition)
            yield OneWay(match, span, _told(condition, taken[key], file), claimed)


def _is_claimed(
    equation: Equation, symbols: Collection[str], match: Match, node: ast.AST, condition: Condition
) -> bool:
    """Whether a condition of a whole function is decided by the formula's symbols alone, which may take any value.

    Of what other parameters decide, such as options, the formula says nothing, nor of what is beyond a domain.
    """
    function = getattr(node, "value", node)
    if condition.guard or not isinstance(function, FunctionNode | ast.Lambda):
        return False
    bind = match.anchor.bind
    limited = equation.where.value if equation.where is not None else ""
    held = {
        name: each
        for name, each in equation.symbols.items()
        if name in symbols and each.domain == Domain() and not re.search(rf"\b{name}\b", limited)
    }
    codes = [bind[name].value if name in bind else each.code_name(match.function) or "" for name, each in held.items()]
    known = {found.group() for code in codes if (found := _NAME.match(code))}
    if condition.other is None:
        read = frozenset[str]().union(*(rests_on(function, each) for each in condition.decided_by))
        nothing = any(is_of_nothing(function, each) for each in condition.decided_by)
        return bool(read) and read <= known and not nothing
    operands = (*condition.decided_by, condition.other)
    both = [rests_on(function, each) for each in operands]
    # A bound that is a number keeps values off what is not defined; of a length it leaves the rest out.
    return all(
        read <= known and (read or is_length(function, other)) for read, other in zip(both, operands[::-1], strict=True)
    )


def _told(condition: Condition, way: int, file: SourceFile) -> str:
    shown = " ".join(file.slice(file.span(condition.shown)).split())
    if condition.of is not None:
        return f"`{shown}` was entered in no run"
    if condition.other is None:
        return one_sided(shown, way)
    operands = [file.slice(file.span(each)) for each in (condition.node, condition.other)]
    larger, other = operands[::-1] if way == TRUE else operands
    if is_clip(condition.shown):  # of two bounds
        return f"`{shown}`: `{larger}` was larger than `{other}` in no run"
    return f"`{shown}`: `{larger}` was the larger one in no run"


def faults(equation: Equation, found: Iterable[OneWay]) -> Iterator[Fault]:
    """A fault for each condition of which the equation claims something; others are limits of the evidence alone."""
    for each in found:
        if each.claimed:
            related = (Related(each.span, "this condition"),)
            message = f"{each.span}: {each.told}"
            yield Fault(KIND, message, each.match.anchor.span, "", related, equation.id)


def limits(found: Iterable[OneWay]) -> tuple[str, ...]:
    """What the evidence of whole functions does not cover."""
    return tuple(f"{each.span}: {each.told}" for each in found if each.match.anchor.target is not None)
