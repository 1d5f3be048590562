"""What rests on what: the graph of equations and that of topics, laid out for drawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from eqtrace.model.equation import Equation
from eqtrace.report.graph import Layout, layered
from eqtrace.report.view.places import DEPENDENCIES
from eqtrace.report.view.topic import Site, verdict
from eqtrace.report.words import FUNCTION, GIVEN, Badge, badge

_WIDTH, _HEIGHT = 8, 26  # of a letter, and of a node, in the drawing's units
_GAP_X, _GAP_Y, _EDGE = 70, 10, 6

GRADIENT = "differentiates"


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node: its text, place and size, and where its link leads."""

    name: str
    text: str
    address: str
    badge: Badge
    x: float
    y: float
    width: float


@dataclass(frozen=True, slots=True)
class EdgeView:
    """An edge from what rests on something to that, as a path from the one's left to the other's right."""

    start: str
    end: str
    how: str
    path: str
    dashed: bool


@dataclass(frozen=True, slots=True)
class GraphView:
    """A drawing, and the same in words."""

    name: str
    title: str
    description: str
    width: float
    height: float
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]


@dataclass(frozen=True, slots=True)
class DependenciesView:
    """The page of dependencies; `alone` are the equations that rest on no other and that no other rests on."""

    topics: GraphView
    equations: GraphView
    alone: tuple[tuple[str, str, Badge], ...]


def equation_edges(equations: tuple[Equation, ...]) -> dict[tuple[str, str], str]:
    """The equations on which each rests, and how."""
    known = {equation.id for equation in equations}
    found: dict[tuple[str, str], str] = {}
    for equation in equations:
        for given in equation.given:
            found[equation.id, given.equation.value] = GIVEN
        for use in equation.functions.values():
            found[equation.id, use.equation.value] = FUNCTION
    return {pair: how for pair, how in found.items() if pair[1] in known and pair[0] != pair[1]}


def dependencies(site: Site) -> DependenciesView:
    """The view of the page."""
    specification = site.results.specification
    edges = equation_edges(specification.equations)
    joined = {name for pair in edges for name in pair}
    verdicts = {row.id: badge(row.verdict) for row in site.report.equations}
    addresses = {each.id: site.places.equation(each.id, DEPENDENCIES) or "" for each in specification.equations}
    nodes = {
        each.id: (each.id, addresses[each.id], verdicts.get(each.id, badge(None)))
        for each in specification.equations
        if each.id in joined
    }
    alone = tuple(
        (each.id, addresses[each.id], verdicts.get(each.id, badge(None)))
        for each in specification.equations
        if each.id not in joined
    )
    return DependenciesView(_topics(site, edges), _graph("equations", "Equations", nodes, edges), alone)


def _topics(site: Site, edges: Mapping[tuple[str, str], str]) -> GraphView:
    specification = site.results.specification
    owner = {equation.id: topic.id for topic in specification.topics for equation in topic.equations}
    found = {(owner[start], owner[end]): how for (start, end), how in edges.items() if owner[start] != owner[end]}
    for start, end in _differentiated(site):
        found[start, end] = GRADIENT
    joined = {name for pair in found for name in pair}
    nodes = {
        topic.id: (topic.title, site.places.topic(topic.id, DEPENDENCIES) or "", badge(verdict(topic, site.results)))
        for topic in specification.topics
        if topic.id in joined
    }
    return _graph("topics", "Topics", nodes, found)


def _differentiated(site: Site) -> Iterator[tuple[str, str]]:
    """Backward topics, and the topics that show the function that they differentiate."""
    shown: dict[str, list[str]] = {}
    topics = site.results.specification.topics
    for topic in topics:
        if topic.direction != "backward":
            for text in topic.functions:
                shown.setdefault(text.value, []).append(topic.id)
    for topic in topics:
        for equation in topic.equations:
            if equation.gradient is not None:
                for other in shown.get(equation.gradient.forward.value, ()):
                    if other != topic.id:
                        yield topic.id, other


def _graph(
    name: str, title: str, nodes: Mapping[str, tuple[str, str, Badge]], edges: Mapping[tuple[str, str], str]
) -> GraphView:
    layout = layered(list(nodes), edges)
    lefts, widths = _columns(nodes, layout)
    placed = {
        node: NodeView(
            node,
            text,
            address,
            badge,
            lefts[layout.places[node][0]],
            round(_GAP_Y + layout.places[node][1] * (_HEIGHT + _GAP_Y), 1),
            widths[layout.places[node][0]],
        )
        for node, (text, address, badge) in nodes.items()
    }
    found = tuple(
        EdgeView(nodes[start][0], nodes[end][0], how, _path(placed[start], placed[end]), how == GRADIENT)
        for (start, end), how in edges.items()
        if start in placed and end in placed
    )
    width = (lefts[-1] + widths[-1] + _EDGE) if lefts else 0
    height = layout.rows * (_HEIGHT + _GAP_Y) + _GAP_Y
    description = (
        f"{len(placed)} {title.lower()} and {len(found)} links between them, in {layout.layers} layers. Each stands "
        "right of everything that it rests on; the colour of a box and the word in its name are its verdict."
    )
    ordered = tuple(sorted(placed.values(), key=lambda node: (node.x, node.y)))  # as one tabs through them
    return GraphView(name, title, description, round(width, 1), height, ordered, found)


def _columns(nodes: Mapping[str, tuple[str, str, Badge]], layout: Layout) -> tuple[list[float], list[float]]:
    """The left edge and the width of each layer."""
    longest = [0] * layout.layers
    for node, (layer, _) in layout.places.items():
        longest[layer] = max(longest[layer], len(nodes[node][0]))
    widths = [36.0 + _WIDTH * length for length in longest]
    lefts = [float(_EDGE)]
    for width in widths[:-1]:
        lefts.append(lefts[-1] + width + _GAP_X)
    return (lefts if widths else []), widths


def _path(start: NodeView, end: NodeView) -> str:
    """From the left side of what rests on something to the right side of that."""
    x1, y1 = start.x, start.y + _HEIGHT / 2
    x2, y2 = end.x + end.width, end.y + _HEIGHT / 2
    bend = max(24.0, abs(x1 - x2) / 2)
    return f"M{x1:g} {y1:g}C{x1 - bend:g} {y1:g} {x2 + bend:g} {y2:g} {x2:g} {y2:g}"
