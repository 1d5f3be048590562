"""Drawn inputs: within their domains, at distinct sizes, edges first."""

import itertools
import math

import numpy as np
import pytest

from eqtrace.formula.form import read
from eqtrace.model.equation import Equation
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Domain, Symbol
from eqtrace.run.sample import DRAWS, EDGES, Draw, NoDraw, draws, large_draw, random_sizes, skewed_draw, value_of

SPAN = Span("spec.yaml", 1)


def text(value):
    return None if value is None else Text(str(value), SPAN)


def equation(statement, where=None, indices=None, **symbols):
    """An equation whose symbols are pairs of shape and domain."""
    made = {
        name: Symbol(name, SPAN, shape=tuple(map(text, shape)), domain=Domain(**domain))
        for name, (shape, domain) in symbols.items()
    }
    from eqtrace.model.equation import IndexRange

    ranges = {name: IndexRange(None, text(size)) for name, size in (indices or {}).items()}
    return Equation("e", "t", SPAN, statements=(text(statement),), where=text(where), symbols=made, indices=ranges)


def drawn(given, *wanted, seed=0):
    form, faults = read(given)
    assert faults == ()
    return list(draws(form, given.symbols, wanted or tuple(given.symbols), np.random.default_rng(seed)))


def scalars(domain, where=None, **more):
    given = equation("Eq(y, x)", where, x=((), domain), y=((), {}))
    return [draw.values["x"] for draw in drawn(given, "x", **more)]


def test_edges_come_first_and_enough_random_draws_after_them():
    found = drawn(equation("Eq(y, x)", x=((), {}), y=((), {})), "x")
    assert [draw.origin for draw in found[: len(EDGES)]] == [name for name, _ in EDGES]
    assert len(found) == len(EDGES) + DRAWS >= 40
    values = [draw.values["x"] for draw in found]
    assert math.copysign(1, values[1]) == -1
    for edge in (0.0, 1.0):
        assert edge in values
    assert {abs(value) for value in values} >= {1e-12, 1e3}
    assert all(type(value) is float for value in values)


def test_the_numbers_that_a_form_compares_with_are_tried():
    found = drawn(equation("Eq(y, Piecewise((0, x < 2.5), (x, x > 7), (1, True)))", x=((), {}), y=((), {})), "x")
    values = {draw.values["x"] for draw in found}
    assert any(abs(value - 2.5) <= 2e-12 for value in values)
    assert any(abs(value - 7) <= 2e-12 for value in values)


BOUNDS = [
    {"minimum": text(0)},
    {"minimum": text(0), "open": frozenset({"min"})},
    {"maximum": text("-1.5")},
    {"maximum": text(0), "open": frozenset({"max"})},
    {"minimum": text(-1), "maximum": text(1)},
    {"minimum": text(0), "maximum": text(1), "open": frozenset({"min", "max"})},
    {"minimum": text("0.999999"), "maximum": text(1), "open": frozenset({"max"})},
    {"minimum": text(5000)},
    {"minimum": text("1e-300"), "maximum": text("2e-300")},
]


@pytest.mark.parametrize("domain", BOUNDS)
@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold(domain, seed):
    low = float(domain["minimum"].value) if "minimum" in domain else -math.inf
    high = float(domain["maximum"].value) if "maximum" in domain else math.inf
    values = scalars(domain, seed=seed)
    assert all(low <= value <= high for value in values)
    for bound, name in ((low, "min"), (high, "max")):
        if name in domain.get("open", ()):
            assert bound not in values
    assert len(set(values)) > 25


def test_a_closed_bound_itself_is_tried_where_an_edge_lies_on_it():
    assert 0.0 in scalars({"minimum": text(0)})
    assert 1.0 in scalars({"minimum": text(0), "maximum": text(1)})


@pytest.mark.parametrize(
    ("domain", "allowed"),
    [
        ({"integer": True}, range(-5, 5)),
        ({"integer": True, "minimum": text(3)}, range(3, 13)),
        ({"integer": True, "minimum": text(0), "maximum": text(2)}, range(3)),
        ({"integer": True, "minimum": text(0), "maximum": text(3), "open": frozenset({"min", "max"})}, (1, 2)),
        ({"integer": True, "maximum": text(-7)}, range(-16, -6)),
        ({"integer": True, "maximum": text(9)}, range(-5, 10)),
        ({"integer": True, "minimum": text("0.5"), "maximum": text("2.5"), "open": frozenset({"min", "max"})}, (1, 2)),
        ({"integer": True, "minimum": text(4), "maximum": text(4)}, (4,)),
        ({"integer": True, "minimum": text("0.5"), "maximum": text("2.5")}, (1, 2)),
        ({"one_of": (0.5, 3.0)}, (0.5, 3.0)),
    ],
)
def test_integers_and_choices(domain, allowed):
    values = scalars(domain)
    assert set(values) <= set(allowed)
    assert len(set(values)) >= min(len(allowed), 2)
    assert all(type(value) is (float if "one_of" in domain else int) for value in values)


def test_bounds_over_sizes():
    given = equation(
        "Eq(y[t], x[i[t]])", indices={"t": "T"},
        x=(["V"], {}), y=(["T"], {}), i=(["T"], {"integer": True, "minimum": text(0), "maximum": text("V - 1")}),
    )  # fmt: skip
    highest = set()
    for draw in drawn(given, "x", "i"):
        assert draw.values["i"].min() >= 0
        assert draw.values["i"].max() < draw.sizes["V"]
        highest.add(draw.values["i"].max() == draw.sizes["V"] - 1)
    assert highest == {True, False}


def test_bounds_over_symbols_whatever_their_order():
    given = equation(
        "Eq(y, k + n + z)", y=((), {}), k=((), {"integer": True, "minimum": text(0), "maximum": text("n")}),
        n=((), {"integer": True, "minimum": text(1), "maximum": text(9)}),
        z=((), {"minimum": text("n/2"), "maximum": text("n + k")}),
    )  # fmt: skip
    for draw in drawn(given, "z", "k", "n"):
        assert list(draw.values) == ["z", "k", "n"]
        z, k, n = draw.values.values()
        assert 0 <= k <= n
        assert n / 2 <= z <= n + k or n / 2 > n + k


@pytest.mark.parametrize("bound", ["m", "sqrt(2)", "x", "y", "1 +"])
def test_a_bound_that_cannot_be_worked_out_is_an_error_and_not_ignored(bound):
    given = equation("Eq(y, x)", x=((), {"maximum": text(bound)}), y=((), {}))
    with pytest.raises(NoDraw, match="can't be worked out"):
        drawn(given, "x")


def test_arrays_of_every_kind():
    given = equation(
        "Eq(y, Sum(p[k]*q[k], k))", indices={"k": "n"}, y=((), {}),
        p=(["n"], {"probability_row": True}), q=(["n"], {"permutation": True}),
        r=(["n"], {"integer": True, "distinct": True, "minimum": text(0), "maximum": text("n + 2")}),
    )  # fmt: skip
    for draw in drawn(given, "p", "q", "r"):
        p, q, r = (draw.values[name] for name in "pqr")
        assert math.isclose(p.sum(), 1)
        assert p.min() >= 0
        assert sorted(q) == list(range(draw.sizes["n"]))
        assert len(set(r.tolist())) == draw.sizes["n"]
        assert 0 <= r.min() <= r.max() <= draw.sizes["n"] + 2


def test_sizes_are_small_and_pairwise_distinct_and_at_times_1():
    given = equation(
        "Eq(Y[t, j], Sum(X[t, k]*W[k, j], k))", indices={"t": "T", "k": "a", "j": "c"},
        X=(["T", "a"], {}), W=(["a", "c"], {}), Y=(["T", "c"], {}),
    )  # fmt: skip
    seen = []
    for draw in drawn(given, "X", "W"):
        sizes = draw.sizes
        assert draw.values["X"].shape == (sizes["T"], sizes["a"])
        assert draw.values["W"].shape == (sizes["a"], sizes["c"])
        assert len(set(sizes.values())) == 3
        assert max(sizes.values()) <= 7
        seen.append(min(sizes.values()))
    assert 1 in seen
    assert len({tuple(draw.sizes.items()) for draw in drawn(given, "X", "W")}) > 10


def test_expressions_of_sizes_are_distinct_too():
    given = equation(
        "Eq(y[i], x[i])", indices={"i": "d"},
        x=(["d"], {}), y=(["d"], {}), z=(["H*dh", "d"], {}), u=(["d + 1"], {}),
    )  # fmt: skip
    form, _ = read(given)
    rng = np.random.default_rng(0)
    for _ in range(200):
        sizes = random_sizes(form, ("x", "z", "u"), rng)
        if sizes is not None:
            lengths = [sizes["d"], sizes["H"] * sizes["dh"], sizes["d"] + 1]
            assert len(set(lengths)) == 3


def test_many_sizes():
    names = [f"n{number}" for number in range(12)]
    given = equation("Eq(y, 1)", y=((), {}), **{f"x{name}": ([name], {}) for name in names})
    for draw in drawn(given, *(f"x{name}" for name in names)):
        assert len(set(draw.sizes.values())) >= 11


def test_leading_axes():
    form, _ = read(equation("Eq(y[i], x[i])", indices={"i": "n"}, x=(["...", "n"], {}), y=(["...", "n"], {})))
    symbol = Symbol("x", SPAN, shape=(text("..."), text("n")))
    rng = np.random.default_rng(0)
    ranks = {np.ndim(value_of(form, symbol, {"n": 3}, rng, EDGES[0][1])) for _ in range(40)}
    assert ranks == {1, 2, 3}


def test_where_rejects_draws():
    assert all(value > 2 for value in scalars({}, "x > 2"))
    given = equation("Eq(z, x + y)", "x < y, x + y > 0", x=((), {}), y=((), {}), z=((), {}))
    found = drawn(given, "x", "y")
    assert len(found) > DRAWS // 2
    assert all(draw.values["x"] < draw.values["y"] and draw.values["x"] + draw.values["y"] > 0 for draw in found)


def test_where_that_nothing_meets_is_an_error_and_no_empty_pass():
    with pytest.raises(NoDraw):
        scalars({}, "x > 1, x < 0")


def test_where_over_sizes():
    given = equation("Eq(y, Sum(x[i], i)/(n - 1))", "n >= 3", {"i": "n"}, x=(["n"], {}), y=((), {}))
    assert all(draw.sizes["n"] >= 3 for draw in drawn(given, "x"))


def test_the_same_seed_draws_the_same():
    given = equation("Eq(y, x)", x=((), {}), y=((), {}))
    runs = [[draw.values["x"] for draw in drawn(given, "x", seed=seed)] for seed in (3, 3, 4)]
    assert runs[0] == runs[1] != runs[2]


def test_large_draws():
    given = equation(
        "Eq(y, n)",
        y=((), {}),
        n=((), {"integer": True, "minimum": text(1)}),
        m=((), {"integer": True, "maximum": text(3)}),
    )
    form, _ = read(given)
    rng = np.random.default_rng(0)
    alone = [large_draw(form, given.symbols, ("n",), rng).values["n"] for _ in range(20)]
    assert min(alone) > 500
    both = large_draw(form, given.symbols, ("n", "m"), rng).values
    assert both["m"] <= 3
    two = equation("Eq(y, n)", y=((), {}), n=((), {"integer": True}), m=((), {"integer": True}))
    values = large_draw(read(two)[0], two.symbols, ("n", "m"), rng).values
    assert 5_000 < values["n"] * values["m"] < 80_000


def test_skewed_draws_are_far_from_even():
    given = equation("Eq(y, Sum(p[k], k))", indices={"k": "n"}, y=((), {}), p=(["n"], {"probability_row": True}))
    form, _ = read(given)
    rng = np.random.default_rng(0)
    rows = [skewed_draw(form, given.symbols, ("p",), rng).values["p"] for _ in range(50)]
    uneven = [np.abs(np.cumsum(row) - np.cumsum(np.full(row.size, 1 / row.size))).max() for row in rows if row.size > 1]
    assert np.median(uneven) > 0.2


def test_every_edge_fill_has_its_shape():
    rng = np.random.default_rng(0)
    for (name, fill), shape in itertools.product(EDGES, [(), (3,), (2, 3)]):
        assert np.shape(fill(rng, shape)) == shape, name
    assert isinstance(drawn(equation("Eq(y, x)", x=((), {}), y=((), {})), "x")[0], Draw)


def test_sizes_that_where_makes_of_others():
    given = equation(
        "Eq(Y[t, c], X[t, c])",
        "Eq(d, H*dh)",
        {"t": "T", "c": "d"},
        X=(["T", "d"], {}),
        Y=(["T", "d"], {}),
        Q=(["H", "dh"], {}),
    )
    for draw in drawn(given, "X"):
        assert draw.sizes["d"] == draw.sizes["H"] * draw.sizes["dh"]
        assert draw.values["X"].shape == (draw.sizes["T"], draw.sizes["d"])
        assert draw.sizes["T"] != draw.sizes["d"] <= 10
    form, _ = read(given)
    sizes = large_draw(form, given.symbols, ("X",), np.random.default_rng(0)).sizes
    assert sizes["d"] == sizes["H"] * sizes["dh"]


def test_a_family_is_drawn_as_a_dictionary_of_arrays():
    given = equation(
        "Eq(s, Sum(Sum(g[k, i], i), k))",
        indices={"k": "K", "i": "n[k]"},
        g=(("K", "n[k]"), {"minimum": text(0)}),
        n=(("K",), {"integer": True}),
        s=((), {}),
    )
    found = [draw.values["g"] for draw in drawn(given, "g")]
    assert all(isinstance(each, dict) and all(np.min(member) >= 0 for member in each.values()) for each in found)
    assert {member.ndim for each in found for member in each.values()} == {1, 2, 3}
    assert len({len(each) for each in found}) > 2


def test_texts_are_made_of_their_letters():
    values = scalars({"letters": "aé 低"})
    assert all(type(value) is str and set(value) <= set("aé 低") for value in values)
    assert {len(value) for value in values} >= {0, 24} or max(map(len, values)) > 12
    rows = [draw.values["x"] for draw in drawn(equation("Eq(y, 1)", x=(("n",), {"letters": "ab"}), y=((), {})), "x")]
    assert all(row.dtype.kind == "U" and row.ndim == 1 for row in rows)
