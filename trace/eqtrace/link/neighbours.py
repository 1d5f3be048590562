"""Which of several equal statements an anchor means, by what else is cited of its function.

An `occurrence` counts equal statements, and the specification doesn't say how many there were: where git doesn't
either, one may have come or gone before the cited one. The distances to other cited statements tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eqtrace.code.source import SourceFile, Statement
from eqtrace.code.tree import same
from eqtrace.link.anchor_code import parse_code
from eqtrace.model.anchor import Anchor, Role

_ADJACENT = 3  # lines within which one statement alone tells of another


@dataclass(frozen=True, slots=True)
class _Neighbour:
    """Another cited statement: the line that its anchor claims, and where it stands now (None: nowhere any more)."""

    then: int
    now: int | None

    def expects(self, line: int) -> int:
        """Where what stood at a line stands now, if it went along."""
        return line + (self.now or self.then) - self.then


def which(
    anchor: Anchor, equal: Sequence[Statement], anchors: Sequence[Anchor], *, changed: bool = False
) -> Statement | None:
    """The one of equal statements of a function that an anchor with an occurrence means; None where nothing tells.

    Its order counts where nothing speaks against it: neither that one alone is left of several, nor that a statement
    right beside it is gone, nor that it would have come nearer to its neighbours, or gone from them, by more than the
    equal statements are apart. Where another one keeps the distance to a neighbour, order and distance contradict each
    other, and neither is believed. `changed`: their number is known to be another, so that the order says nothing.
    """
    occurrence = -1 if anchor.occurrence is None or changed else anchor.occurrence
    ordered = equal[occurrence] if 0 <= occurrence < len(equal) else None
    file, function = equal[0].file, equal[0].function
    known = [
        each
        for other in anchors
        if other.function == anchor.function and (each := _neighbour(anchor, other, file, function)) is not None
    ]
    beside = _placed(known, anchor.line)
    for each in beside:
        kept = next((item for item in equal if item.line == each.expects(anchor.line)), None)
        if kept is not None:
            adjacent = abs(each.then - anchor.line) <= _ADJACENT
            return kept if kept is ordered or (ordered is None and adjacent) else None
    rewritten = any(each.now is None and abs(each.then - anchor.line) <= _ADJACENT for each in known)
    if ordered is None or len(equal) == 1 or rewritten:
        return None
    if beside:
        return ordered if _nearest(ordered, equal, beside[0].expects(anchor.line), clearly=True) else None
    if known:  # what was cited beside it is gone: the function was rewritten
        others = (each for each in anchors if each.function != anchor.function)
        around = _placed([_neighbour(anchor, each, file, each.function) for each in others], anchor.line)
        line = around[0].expects(anchor.line) if around else anchor.line
        return ordered if _nearest(ordered, equal, line, clearly=False) else None
    return ordered


def _nearest(chosen: Statement, equal: Sequence[Statement], line: int, *, clearly: bool) -> bool:
    """Whether one statement is nearer to a line than its equals are (`clearly`: less than half as far)."""
    away = min(abs(item.line - line) for item in equal if item is not chosen)
    return (2 if clearly else 1) * abs(chosen.line - line) < away


def _placed(neighbours: Iterable[_Neighbour | None], line: int) -> list[_Neighbour]:
    """Those that stand somewhere, the ones first that were nearest to a line."""
    placed = (each for each in neighbours if each is not None and each.now is not None)
    return sorted(placed, key=lambda each: abs(each.then - line))


def _neighbour(anchor: Anchor, other: Anchor, file: SourceFile, function: str) -> _Neighbour | None:
    """What another anchor cites of a function; None where it stands several times, or tells nothing."""
    if other.target is not None or other.role is Role.STATES or other.occurrence is not None:
        return None
    node, wanted = parse_code(other.code).node, parse_code(anchor.code).node
    if node is None or wanted is None or same(node, wanted):
        return None
    found = file.equal_in(function, node)
    return _Neighbour(other.line, found[0].line if found else None) if len(found) <= 1 else None
