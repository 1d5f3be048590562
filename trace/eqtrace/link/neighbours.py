"""Which of several equal statements an anchor means, by what else is cited of its function.

An `occurrence` counts equal statements, and the specification doesn't say how many there were: where git doesn't
either, one may have come or gone before the cited one. The distances to other cited statements tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eqtrace.code.source import SourceFile, Statement
from eqtrace.code.tree import same
from eqtrace.link.anchor_code import parse_code
from eqtrace.model.anchor import Anchor, Role

_ADJACENT = 3  # lines within which a distance alone tells


@dataclass(frozen=True, slots=True)
class _Neighbour:
    """Another cited statement: the line that its anchor claims, and where it stands now (None: nowhere any more)."""

    then: int
    now: int | None
    beside: bool  # in the same function

    def expects(self, line: int) -> int:
        """Where what stood at a line stands now, if it went along."""
        return line + (self.now or self.then) - self.then


def which(
    anchor: Anchor, equal: Sequence[Statement], anchors: Sequence[Anchor], *, changed: bool = False
) -> Statement | None:
    """The one of equal statements of a function that an anchor with an occurrence means; None where nothing tells.

    Its order counts where nothing speaks against it: neither that one alone is left of several, nor that it would have
    come nearer to, or gone from, its neighbours by more than the equal statements are apart. Where another one keeps
    the distance to a neighbour, order and distance contradict each other, and neither is believed. `changed`: their
    number is known to be another, so that the order says nothing.
    """
    occurrence = -1 if anchor.occurrence is None or changed else anchor.occurrence
    ordered = equal[occurrence] if 0 <= occurrence < len(equal) else None
    known = list(_neighbours(anchor, anchors, equal[0].file, equal[0].function))
    placed = sorted((each for each in known if each.now is not None), key=lambda each: abs(each.then - anchor.line))
    beside = [each for each in placed if each.beside]
    for each in beside:
        kept = next((item for item in equal if item.line == each.expects(anchor.line)), None)
        if kept is not None:
            adjacent = abs(each.then - anchor.line) <= _ADJACENT
            return kept if kept is ordered or (ordered is None and adjacent) else None
    if ordered is None or len(equal) == 1:
        return None
    if beside:
        return ordered if _nearest(ordered, equal, beside[0].expects(anchor.line), clearly=True) else None
    if any(each.beside for each in known):  # what was cited beside it is gone: the function was rewritten
        line = placed[0].expects(anchor.line) if placed else anchor.line
        return ordered if _nearest(ordered, equal, line, clearly=False) else None
    return ordered


def _nearest(chosen: Statement, equal: Sequence[Statement], line: int, *, clearly: bool) -> bool:
    """Whether one statement is nearer to a line than its equals are (`clearly`: less than half as far)."""
    away = min(abs(item.line - line) for item in equal if item is not chosen)
    return (2 if clearly else 1) * abs(chosen.line - line) < away


def _neighbours(anchor: Anchor, anchors: Sequence[Anchor], file: SourceFile, function: str) -> Iterator[_Neighbour]:
    """The other statements that are cited of a file, those alone that stand once in their function, or nowhere."""
    wanted = parse_code(anchor.code).node
    for each in anchors:
        if each.target is not None or each.role is Role.STATES or each.occurrence is not None:
            continue
        node = parse_code(each.code).node
        if node is None or wanted is None or same(node, wanted):
            continue
        beside = each.function == anchor.function
        found = [item for item in file.statements_in(function if beside else each.function) if same(item.node, node)]
        if len(found) <= 1:
            yield _Neighbour(each.line, found[0].line if found else None, beside)
