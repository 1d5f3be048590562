"""Inputs as Hypothesis strategies, by the symbols' shapes and domains: small sizes, ties and empty arrays included."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from eqtrace.formula.evaluate import holds
from eqtrace.formula.form import Form
from eqtrace.formula.shape import integer
from eqtrace.formula.term import Number
from eqtrace.model.symbol import Domain, Symbol
from eqtrace.run.sample import Draw, bound, in_order, size_names, whole_bounds

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

LARGEST = 6  # of a size
LONGEST = 24  # characters of a text
_TIES = (0.0, 1.0, -1.0, 2.0, 0.5, -0.0)


def inputs(
    form: Form, symbols: Mapping[str, Symbol], wanted: tuple[str, ...], distinct: bool = False
) -> SearchStrategy[Draw]:
    """Draws of the symbols `wanted` that `where` allows.

    With `distinct`, no two sizes are equal, none is 0, and axes that shapes leave open are alike and shorter.
    """
    import hypothesis
    from hypothesis import strategies

    @strategies.composite
    def drawn(draw: DrawFn) -> Draw:
        if distinct:
            sizes = _distinct_sizes(draw, form, wanted)
        else:
            sizes = {name: draw(strategies.integers(0, LARGEST)) for name in size_names(form, wanted)}
        values: dict[str, Any] = {}
        lead = draw(strategies.lists(strategies.integers(1, 2), max_size=2)) if distinct else None
        for name in in_order(symbols, wanted):
            known = {**sizes, **{each: value for each, value in values.items() if isinstance(value, int | float)}}
            values[name] = _value(draw, form, symbols[name], sizes, known, lead)
        hypothesis.assume(holds(form, values, sizes) is not False)
        return Draw({name: values[name] for name in wanted}, sizes, "drawn by Hypothesis")

    return drawn()


def _distinct_sizes(draw: DrawFn, form: Form, wanted: tuple[str, ...]) -> dict[str, int]:
    import hypothesis
    from hypothesis import strategies

    names = size_names(form, wanted)
    lengths = range(3, 3 + max(LARGEST, len(names)))
    sizes = dict(zip(names, draw(strategies.permutations(lengths)), strict=False))
    shapes = (form.shapes.get(name) for name in wanted)
    dims = {dim for shape in shapes if shape is not None for dim in shape.dims if not isinstance(dim, Number)}
    hypothesis.assume(len({integer(dim, sizes) for dim in dims}) == len(dims))
    return sizes


def _value(
    draw: DrawFn,
    form: Form,
    symbol: Symbol,
    sizes: Mapping[str, int],
    known: Mapping[str, float],
    lead: list[int] | None = None,
) -> Any:
    """A symbol's value; `lead` are the axes that shapes leave open, where all symbols are to have the same."""
    import hypothesis
    from hypothesis import strategies

    shape = form.shapes.get(symbol.name)
    lengths = [integer(dim, sizes) for dim in shape.dims] if shape is not None else []
    hypothesis.assume(all(length is not None and length >= 0 for length in lengths))
    leading: list[int] = []
    if shape is not None and shape.batch:
        leading = lead if lead is not None else draw(strategies.lists(strategies.integers(1, 2), max_size=1))
    whole = (*leading, *(int(length or 0) for length in lengths))
    domain = symbol.domain
    if not whole:
        return draw(_entry(domain, known))
    rows, last = math.prod(whole[:-1]), whole[-1]
    if domain.probability_row:
        hypothesis.assume(last > 0 or not rows)
        flat = [_probabilities(draw, last) for _ in range(rows)]
    elif domain.permutation:
        flat = [draw(strategies.permutations(range(last))) for _ in range(rows)]
    else:
        flat = [
            draw(strategies.lists(_entry(domain, known), min_size=last, max_size=last, unique=domain.distinct))
            for _ in range(rows)
        ]
    texts = bool(domain.words or domain.letters)
    kind = "U8" if texts and not rows * last else None
    if kind is None and not texts:
        kind = "int64" if domain.integer or domain.permutation else "float64"
    return np.array(flat, dtype=kind).reshape(whole)


def _entry(domain: Domain, known: Mapping[str, float]) -> SearchStrategy[Any]:
    """One value."""
    import hypothesis
    from hypothesis import strategies

    if domain.words:
        return strategies.sampled_from(domain.words)
    if domain.letters:
        return strategies.text(strategies.sampled_from(domain.letters), max_size=LONGEST)
    if domain.one_of:
        kind = int if domain.integer else float
        return strategies.sampled_from([kind(each) for each in domain.one_of])
    low, high = bound(domain.minimum, known), bound(domain.maximum, known)
    if domain.integer:
        first, last = whole_bounds(domain, low, high)
        hypothesis.assume(first <= last)
        return strategies.integers(first, last)
    hypothesis.assume(low is None or high is None or low <= high)
    left, right = -1e3 if low is None else low, 1e3 if high is None else high
    left, right = min(left, right), max(left, right)
    below, above = "min" in domain.open and low is not None, "max" in domain.open and high is not None
    ties = [each for each in _TIES if (left < each or (each == left and not below))]
    ties = [each for each in ties if (each < right or (each == right and not above))]
    hypothesis.assume(left < right or not (below or above))
    reals = strategies.floats(left, right, exclude_min=below, exclude_max=above, allow_nan=False)
    return strategies.sampled_from(ties) | reals if ties else reals


def _probabilities(draw: DrawFn, count: int) -> list[float]:
    """A row of probabilities: small whole weights give ties, zeros, and sums that rounding leaves next to 1."""
    import hypothesis
    from hypothesis import strategies

    weights = draw(
        strategies.lists(strategies.integers(0, 4) | strategies.integers(0, 1000), min_size=count, max_size=count)
    )
    total = sum(weights)
    hypothesis.assume(total > 0)
    return [weight / total for weight in weights]
