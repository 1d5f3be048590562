from __future__ import annotations

from eqtrace.report.graph import layered


def test_each_node_stands_right_of_what_it_rests_on() -> None:
    edges = [("c", "b"), ("b", "a"), ("c", "a"), ("d", "a")]
    found = layered(["a", "b", "c", "d"], edges)
    assert {node: layer for node, (layer, _) in found.places.items()} == {"a": 0, "b": 1, "c": 2, "d": 1}
    assert (found.layers, found.rows) == (3, 2)


def test_no_two_nodes_share_a_place() -> None:
    nodes = [str(number) for number in range(40)]
    edges = [(str(number), str(number // 3)) for number in range(1, 40)]
    found = layered(nodes, edges)
    assert len(set(found.places.values())) == 40


def test_neighbours_are_put_beside_each_other() -> None:
    found = layered(["a", "b", "y", "x"], [("x", "a"), ("y", "b")])
    assert found.places["a"][1] == found.places["x"][1]
    assert found.places["b"][1] == found.places["y"][1]


def test_circles_and_strange_edges_are_no_trouble() -> None:
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "a"), ("a", "nobody")]
    found = layered(["a", "b", "c"], edges)
    assert sorted(layer for layer, _ in found.places.values()) == [0, 1, 2]


def test_long_chains_need_no_recursion() -> None:
    nodes = [str(number) for number in range(5000)]
    found = layered(nodes, list(zip(nodes[1:], nodes, strict=False)))
    assert found.places["4999"] == (4999, 0)


def test_nothing() -> None:
    assert layered([], []).places == {}
