"""Graphs laid out in layers, after Sugiyama, Tagawa and Toda (1981), doi:10.1109/TSMC.1981.4308636.

Each node stands right of everything that it rests on; within a layer nodes are put near their neighbours by repeated
barycentres. Edges that close a circle are drawn, and left out of the layering.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

_SWEEPS = 12


@dataclass(frozen=True, slots=True)
class Layout:
    """Nodes by (layer, row), rows being whole or half numbers, and the size of the whole."""

    places: Mapping[str, tuple[int, float]]
    layers: int
    rows: int


def layered(nodes: Collection[str], edges: Iterable[tuple[str, str]]) -> Layout:
    """Places for nodes whose edges lead from what rests on something to that on which it rests."""
    below: dict[str, list[str]] = {node: [] for node in nodes}
    above: dict[str, list[str]] = {node: [] for node in nodes}
    for start, end in dict.fromkeys(edges):
        if start in below and end in below and start != end:
            below[start].append(end)
            above[end].append(start)
    layer = _layers(below)
    columns: list[list[str]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for node in nodes:
        columns[layer[node]].append(node)
    for sweep in range(_SWEEPS):
        _order(columns, (below, above)[sweep % 2], backward=bool(sweep % 2))
    rows = max(map(len, columns), default=0)
    places = {
        node: (number, position + (rows - len(column)) / 2)
        for number, column in enumerate(columns)
        for position, node in enumerate(column)
    }
    return Layout(places, len(columns), rows)


def _layers(below: Mapping[str, list[str]]) -> dict[str, int]:
    """The longest way from each node down; without recursion, as chains may be long."""
    found: dict[str, int] = {}
    for root in below:
        open_: dict[str, int] = {root: 0}  # the way down, and the next child of each node on it
        while open_:
            node, position = next(reversed(open_.items()))
            children = below[node]
            if node in found or position == len(children):
                found.setdefault(node, 1 + max((found.get(each, -1) for each in children if each in found), default=-1))
                del open_[node]
                continue
            open_[node] = position + 1
            child = children[position]
            if child not in found and child not in open_:
                open_[child] = 0
    return found


def _order(columns: list[list[str]], neighbours: Mapping[str, list[str]], backward: bool) -> None:
    """Sorts each layer by the mean place of its nodes' neighbours, from one side to the other."""
    place = {
        node: position - len(column) / 2 for column in columns for position, node in enumerate(column)
    }  # from the middle of its layer
    for column in reversed(columns) if backward else columns:
        means = {
            node: sum(place[each] for each in neighbours[node]) / len(neighbours[node])
            if neighbours[node]
            else place[node]
            for node in column
        }
        column.sort(key=lambda node: means[node])
        place |= {node: position - len(column) / 2 for position, node in enumerate(column)}
