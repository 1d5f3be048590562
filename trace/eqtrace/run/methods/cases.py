"""The conditions of a form's cases that all executions met alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eqtrace.formula.arithmetic import Ways
from eqtrace.formula.form import Form
from eqtrace.formula.parse import parse_term
from eqtrace.formula.term import Compare, Node, Piecewise, children, walk
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault
from eqtrace.model.span import Span, Text
from eqtrace.model.ways import FALSE, TRUE, one_sided


def one_sided_cases(equation: Equation, form: Form, seen: Iterable[Ways]) -> Iterator[Fault]:
    """A fault for each condition of the form's cases that was true, or false, at all executions of all lines.

    What a cited guard shows of the same condition (`Eq(over, t > t_total)`) counts as well.
    """
    taken: dict[object, int] = {}
    for ways in seen:
        for condition, way in ways.values():
            taken[condition] = taken.get(condition, 0) | way
    told: set[Node] = set()
    for part in form.parts:
        for node, own in _conditions(part.statement, True):
            way = taken.get(node, 0)
            if way not in (TRUE, FALSE) or node in told or not any(isinstance(each, Compare) for each in walk(node)):
                continue
            told.add(node)
            place, shown = _place(equation, part.text, node, own)
            message = f"{equation.id}: in the form, {one_sided(shown, way)}"
            yield Fault("branch-not-reached", message, place, "", (), equation.id, "value")


def _conditions(node: Node, own: bool) -> Iterator[tuple[Node, bool]]:
    """The conditions of all cases, with whether they stand in the text itself and came with no helper."""
    for child in children(node):
        # What a helper put in keeps its place in the helper's own text, which lies within its parent's by chance only.
        inside = own and node.offset <= child.offset and child.offset + child.length <= node.offset + node.length
        yield from _conditions(child, inside)
        if isinstance(node, Piecewise):
            yield from ((each.condition, inside) for each in node.branches if each is child)


def _place(equation: Equation, text: Text, node: Node, own: bool) -> tuple[Span, str]:
    """Where a condition stands, and its text."""
    for helper in () if own else equation.let.values():
        term = parse_term(helper.value)[0]
        # It may hold helpers itself, so that the nodes are not equal.
        if term is not None and any(_alike(each, node) for each in walk(term)):
            return _part(helper, node)
    return _part(text, node) if own else (text.span, text.value)


def _alike(node: Node, other: Node) -> bool:
    return type(node) is type(other) and (node.offset, node.length) == (other.offset, other.length)


def _part(text: Text, node: Node) -> tuple[Span, str]:
    return text.at(node.offset, node.length), text.value[node.offset : node.offset + node.length]
