"""Draws inputs within their domains: the edge grid first, then random ones, at small and distinct sizes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from eqtrace.formula.evaluate import holds
from eqtrace.formula.families import lengths_symbol
from eqtrace.formula.form import Form
from eqtrace.formula.parse import parse_term
from eqtrace.formula.shape import integer, rational
from eqtrace.formula.term import Compare, Eq, Indexed, Name, Node, Number, Term, walk
from eqtrace.model.span import Text
from eqtrace.model.symbol import Domain, Symbol

DRAWS = 32  # random draws beside the edge grid (design: at least 32)
_TRIES = 200  # attempts at one draw before `where` is called unsatisfiable
_ALONE = 6  # symbols that are drawn zero while others are not
_FEW_TRIES = 10  # of a draw that need not succeed
_POOL = (2, 3, 4, 5, 6, 7)
_LARGEST_MADE = 10  # of sizes that are products of others: exact runs take their time

Generator = np.random.Generator
Fill = Callable[[Generator, tuple[int, ...]], np.ndarray]


@dataclass(frozen=True, slots=True)
class Draw:
    """One set of inputs: values by symbol, sizes by name, and in words where they come from."""

    values: Mapping[str, Any]
    sizes: Mapping[str, int]
    origin: str


class NoDraw(Exception):
    """No input that the domains and `where` allow was found."""


def _constant(value: float) -> Fill:
    return lambda rng, shape: np.full(shape, value)


def _alternating(value: float) -> Fill:
    return lambda rng, shape: value * np.where(rng.random(shape) < 0.5, -1.0, 1.0)


def _choice(values: tuple[float, ...]) -> Fill:
    return lambda rng, shape: rng.choice(np.asarray(values), shape)


EDGES: tuple[tuple[str, Fill], ...] = (
    ("zeros", _constant(0.0)),
    ("negative zeros", _constant(-0.0)),
    ("all equal", _constant(1.0)),
    ("+-1e-12", _alternating(1e-12)),
    ("+-1e3", _alternating(1e3)),
    ("ties", _choice((-1.0, 0.0, 1.0, 2.0))),
    ("near ties", lambda rng, shape: 1.0 + rng.choice(np.asarray((0.0, 1e-12, -1e-12)), shape)),
    ("mixed edges", _choice((0.0, -0.0, 1e-12, -1e-12, 1.0, -1.0, 1e3, -1e3))),
)
RANDOM: tuple[tuple[str, Fill], ...] = (
    ("normal", lambda rng, shape: rng.standard_normal(shape)),
    ("wide", lambda rng, shape: rng.standard_normal(shape) * 10.0 ** rng.uniform(-3, 2)),
    ("normal", lambda rng, shape: rng.standard_normal(shape)),
    ("uniform", lambda rng, shape: rng.uniform(-3, 3, shape)),
)


def draws(form: Form, symbols: Mapping[str, Symbol], wanted: tuple[str, ...], rng: Generator) -> Iterator[Draw]:
    """The edge grid, then `DRAWS` random draws, of the symbols `wanted`.

    Raises:
        NoDraw: `where` or a domain refuses everything that was tried.
    """
    fills = itertools.chain(EDGES, _kinks(form), itertools.islice(itertools.cycle(RANDOM), DRAWS))
    made = 0
    for name, fill in fills:
        draw = drawn(form, symbols, wanted, rng, fill, name)
        if draw is not None:
            made += 1
            yield draw
    if not made:
        raise NoDraw("no input within the domains satisfies `where`")


def draws_of_one_zero(
    form: Form, symbols: Mapping[str, Symbol], wanted: tuple[str, ...], rng: Generator
) -> Iterator[Draw]:
    """Draws in which one symbol is zero and the others are not: what is zero everywhere hides what it is added to."""
    real = [each for each in wanted if is_number(symbols[each]) and not symbols[each].domain.integer]
    for each in real[:_ALONE] if len(real) > 1 else ():
        apart = {each: _constant(0.0)}
        draw = drawn(form, symbols, wanted, rng, RANDOM[0][1], f"{each} alone zero", apart=apart)
        if draw is not None:
            yield draw


def draws_of_lengths(
    form: Form, symbols: Mapping[str, Symbol], wanted: tuple[str, ...], lengths: Sequence[int], rng: Generator
) -> Iterator[Draw]:
    """Draws in which each of the sizes in turn is of each of these lengths."""
    for name, length in with_sizes(form, wanted, lengths):
        draw = drawn(form, symbols, wanted, rng, RANDOM[0][1], f"{name} = {length}", lengths=((name, length),))
        if draw is not None:
            yield draw


def with_sizes(form: Form, wanted: tuple[str, ...], lengths: Sequence[int]) -> list[tuple[str, int]]:
    """Each of these lengths for each of the sizes that are drawn."""
    free = [name for name in size_names(form, wanted) if name not in _made_sizes(form)]
    return [(name, length) for length in lengths for name in free]


def is_number(symbol: Symbol) -> bool:
    """Whether a symbol is of numbers, any of them within bounds: no choice, no text, no permutation, no function."""
    domain = symbol.domain
    return not (domain.one_of or domain.words or domain.letters or domain.permutation or domain.function)


def _kinks(form: Form) -> list[tuple[str, Fill]]:
    """Values at and about the numbers that a form compares with."""
    numbers = {
        float(side.value)
        for part in form.parts
        for node in walk(part.statement)
        if isinstance(node, Compare)
        for side in (node.left, node.right)
        if isinstance(side, Number)
    }
    return [(f"about {value:g}", _choice((value, value + 1e-12, value - 1e-12))) for value in sorted(numbers - {0.0})]


def large_draw(form: Form, symbols: Mapping[str, Symbol], wanted: tuple[str, ...], rng: Generator) -> Draw:
    """One draw at large sizes, for statistics that need many entries at once; unbounded integers are large too.

    Raises:
        NoDraw: `where` refuses everything that was tried.
    """
    names = size_names(form, wanted)
    counts = {each for each in wanted if _is_unbounded_count(symbols[each])}
    # About 3e4 entries of the array with most axes; a single size stays so small that its square fits into memory.
    ranks = [len(shape.dims) for shape in form.shapes.values() if shape is not None and shape.dims]
    middle = min(1500.0, 3e4 ** (1 / max(ranks, default=max(1, len(names) + len(counts)))))
    low, high = int(0.5 * middle) + 1, int(1.5 * middle) + 2
    for _ in range(_TRIES):
        sizes = _complete(form, {name: int(rng.integers(low, high)) for name in names})
        given = {each: int(rng.integers(low, high)) for each in wanted if each in counts}
        values = values_of(form, symbols, wanted, sizes, rng, RANDOM[0][1], given)
        if holds(form, values, sizes) is not False:
            return Draw(values, sizes, "large sizes")
    raise NoDraw("no large input satisfies `where`")


def _is_unbounded_count(symbol: Symbol) -> bool:
    return symbol.domain.integer and symbol.domain.maximum is None and not symbol.shape


def skewed_draw(form: Form, symbols: Mapping[str, Symbol], wanted: tuple[str, ...], rng: Generator) -> Draw:
    """One draw at small sizes whose entries differ widely: its probability rows are far from even.

    Raises:
        NoDraw: `where` refuses everything that was tried.
    """
    draw = drawn(form, symbols, wanted, rng, lambda rng, shape: rng.exponential(size=shape) ** 2, "skewed")
    if draw is None:
        raise NoDraw("no skewed input satisfies `where`")
    return draw


def drawn(
    form: Form,
    symbols: Mapping[str, Symbol],
    wanted: tuple[str, ...],
    rng: Generator,
    fill: Fill,
    name: str,
    given: Mapping[str, Any] = {},
    lengths: Sequence[tuple[str, int]] = (),
    apart: Mapping[str, Fill] = {},
) -> Draw | None:
    """One draw at small sizes with some values given; None where `where` refuses everything that was tried.

    One of `lengths`, if there are any, is a size and what it is. What is in `apart` has a fill of its own.
    """
    for _ in range(_TRIES if not (given or lengths or apart) else _FEW_TRIES):
        sizes = random_sizes(form, wanted, rng, lengths)
        if sizes is None:
            continue
        values = values_of(form, symbols, wanted, sizes, rng, fill, given, apart)
        if holds(form, values, sizes) is not False:
            return Draw(values, sizes, name)
    return None


def _dims(form: Form, wanted: tuple[str, ...]) -> list[Term]:
    shapes = (form.shapes.get(each) for each in wanted)
    return [dim for shape in shapes if shape is not None for dim in shape.dims if not isinstance(dim, Indexed)]


def size_names(form: Form, wanted: tuple[str, ...]) -> list[str]:
    """The names of the sizes in the shapes of these symbols, and of those that `where` makes them of."""
    found = {name for dim in _dims(form, wanted) for name in _names(dim)}
    found |= {name for made, term in _made_sizes(form).items() if made in found for name in _names(term)}
    return sorted(found)


def _names(term: Node) -> set[str]:
    return {node.name for node in walk(term) if isinstance(node, Name)}


def _made_sizes(form: Form) -> dict[str, Node]:
    """Sizes that `where` makes of others, as `Eq(d, H*dh)` does."""
    found: dict[str, Node] = {}
    free = form.sizes - form.shapes.keys()
    for condition in form.where:
        if isinstance(condition, Eq) and isinstance(condition.sides[0], Name):
            name, term = condition.sides[0].name, condition.sides[1]
            if {name, *_names(term)} <= free - found.keys() and name not in _names(term):
                found[name] = term
    return found


def _complete(form: Form, sizes: Mapping[str, int]) -> dict[str, int]:
    """Sizes, those that are made of others worked out."""
    found = dict(sizes)
    for name, term in _made_sizes(form).items():
        made = integer(term, found) if name in found else None
        found |= {} if made is None else {name: made}
    return found


def random_sizes(
    form: Form, wanted: tuple[str, ...], rng: Generator, lengths: Sequence[tuple[str, int]] = ()
) -> dict[str, int] | None:
    """Small sizes, pairwise distinct, for every name in the shapes (at times one of them is 1); None if they clash.

    One of them is given by one of `lengths`, if there are any.
    """
    names = size_names(form, wanted)
    made = [name for name in names if name in _made_sizes(form)]
    free = [name for name in names if name not in made]
    small = _POOL[: len(free) + 1] if made else _POOL  # products of sizes grow fast
    pool = rng.permutation(small if len(free) <= len(small) else np.arange(2, len(free) + 4))
    sizes = {name: int(size) for name, size in zip(free, pool, strict=False)}
    if lengths:
        name, length = lengths[int(rng.integers(len(lengths)))]
        sizes[name] = length
    elif free and rng.random() < 0.15:
        sizes[str(rng.choice(free))] = 1
    sizes = _complete(form, {**sizes, **dict.fromkeys(made, 0)})
    if any(sizes[name] > _LARGEST_MADE for name in made):
        return None
    every = {dim: integer(dim, sizes) for dim in _dims(form, wanted) if not isinstance(dim, Number)}
    return sizes if len(set(every.values())) == len(every) else None


def values_of(
    form: Form,
    symbols: Mapping[str, Symbol],
    wanted: tuple[str, ...],
    sizes: Mapping[str, int],
    rng: Generator,
    fill: Fill,
    given: Mapping[str, Any] = {},
    apart: Mapping[str, Fill] = {},
) -> dict[str, Any]:
    """Values of several symbols. Those that stand in another's bounds are drawn before it.

    Raises:
        NoDraw: a bound can't be worked out.
    """
    values = dict(given)
    for name in in_order(symbols, [name for name in wanted if name not in given]):
        known = {**sizes, **{each: value for each, value in values.items() if isinstance(value, int | float)}}
        values[name] = value_of(form, symbols[name], sizes, rng, apart.get(name, fill), known)
    return {name: values[name] for name in wanted}


def in_order(symbols: Mapping[str, Symbol], wanted: Iterable[str]) -> Iterator[str]:
    """Symbols, those that stand in another's bounds before it."""
    waiting = list(wanted)
    while waiting:
        name = next((name for name in waiting if _bound_names(symbols[name]).isdisjoint(waiting)), waiting[0])
        waiting.remove(name)
        yield name


def value_of(
    form: Form,
    symbol: Symbol,
    sizes: Mapping[str, int],
    rng: Generator,
    fill: Fill,
    known: Mapping[str, float] | None = None,
) -> Any:
    """A value of the symbol's shape and domain; a scalar symbol gets a Python number.

    `known` are the names that its bounds may use, sizes if it is not given.

    Raises:
        NoDraw: a bound can't be worked out.
    """
    declared = form.shapes.get(symbol.name)
    if lengths_symbol(declared):
        return _family(form, symbol, sizes, rng, fill, known)
    lengths = [integer(dim, sizes) or 0 for dim in declared.dims] if declared is not None else []
    leading = rng.integers(1, 3, rng.integers(0, 3)) if declared is not None and declared.batch else ()
    shape = (*map(int, leading), *lengths)
    value = _within(symbol.domain, sizes if known is None else known, rng, fill, shape)
    if shape:
        return value
    if symbol.domain.words or symbol.domain.letters:
        return str(value)
    return int(value) if symbol.domain.integer else float(value)


def _family(
    form: Form,
    symbol: Symbol,
    sizes: Mapping[str, int],
    rng: Generator,
    fill: Fill,
    known: Mapping[str, float] | None,
) -> dict[str, np.ndarray]:
    """Arrays of one to three axes by name, as code that takes a family most often has them."""
    count = integer(form.shapes[symbol.name].dims[0], sizes) or 0  # type: ignore[union-attr]
    shapes = [tuple(map(int, rng.integers(1, 4, rng.integers(1, 4)))) for _ in range(count)]
    limits = sizes if known is None else known
    return {f"a{number}": _within(symbol.domain, limits, rng, fill, shape) for number, shape in enumerate(shapes)}


@lru_cache(maxsize=4096)
def _term(text: str) -> Term | None:
    return parse_term(text)[0]


def _bound_names(symbol: Symbol) -> set[str]:
    terms = [_term(text.value) for text in (symbol.domain.minimum, symbol.domain.maximum) if text is not None]
    return {node.name for term in terms if term is not None for node in walk(term) if isinstance(node, Name)}


def bound(text: Text | None, known: Mapping[str, float]) -> float | None:
    """A bound's value.

    Raises:
        NoDraw: it can't be worked out.
    """
    if text is None:
        return None
    try:
        return float(text.value)
    except ValueError:
        term = _term(text.value)
        value = None if term is None else rational(term, known)
        if value is None:
            hint = "it may hold numbers, sizes and scalar symbols that are drawn"
            raise NoDraw(f"the bound `{text.value}` can't be worked out: {hint}") from None
        return float(value)


def _within(
    domain: Domain, sizes: Mapping[str, float], rng: Generator, fill: Fill, shape: tuple[int, ...]
) -> np.ndarray:
    if domain.words:
        return rng.choice(np.asarray(domain.words), shape)
    if domain.letters:
        return _texts(domain.letters, rng, shape)
    if domain.one_of:
        return rng.choice(np.asarray(domain.one_of), shape)
    if domain.permutation:
        return rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape).copy(), axis=-1)
    low, high = bound(domain.minimum, sizes), bound(domain.maximum, sizes)
    if domain.integer:
        return _integers(domain, low, high, rng, shape)
    values = np.asarray(fill(rng, shape), dtype=float)
    if domain.probability_row:
        weights = np.abs(values) + (np.abs(values).sum(axis=-1, keepdims=True) == 0)
        return np.asarray(weights / weights.sum(axis=-1, keepdims=True))
    return _bounded(values, low, high, domain.open, rng)


def _texts(letters: str, rng: Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Texts of 0 to 24 characters."""
    texts = ["".join(rng.choice(list(letters), rng.integers(0, 25))) for _ in range(math.prod(shape))]
    return np.array(texts, dtype=str).reshape(shape)


def _integers(
    domain: Domain, low: float | None, high: float | None, rng: Generator, shape: tuple[int, ...]
) -> np.ndarray:
    first, last = whole_bounds(domain, low, high)
    if domain.distinct and shape:
        count = int(np.prod(shape))
        return rng.permutation(np.arange(first, max(last + 1, first + count)))[:count].reshape(shape)
    return rng.integers(first, max(first, last) + 1, shape)


def whole_bounds(domain: Domain, low: float | None, high: float | None) -> tuple[int, int]:
    """The first and the last integer that a domain allows; ten of them where it leaves an end open."""
    first = None if low is None else math.floor(low) + 1 if "min" in domain.open else math.ceil(low)
    last = None if high is None else math.ceil(high) - 1 if "max" in domain.open else math.floor(high)
    if first is None:
        first = -5 if last is None else min(-5, last - 9)
    return first, first + 9 if last is None else last


def _bounded(
    values: np.ndarray, low: float | None, high: float | None, excluded: frozenset[str], rng: Generator
) -> np.ndarray:
    """Folds values into their bounds, so that the magnitudes of the fill stay; a bound itself is kept where allowed."""
    if low is not None and high is not None:
        inside = (values >= low) & (values <= high)
        values = np.where(inside, values, low + (high - low) * rng.random(values.shape))
    elif low is not None:
        values = np.where(values < low, low + np.abs(values - low), values)
    elif high is not None:
        values = np.where(values > high, high - np.abs(values - high), values)
    for name, bound, inward in (("min", low, 1.0), ("max", high, -1.0)):
        if name in excluded and bound is not None:
            width = 1.0 if low is None or high is None else (high - low) / 2
            values = np.where(values == bound, bound + inward * width * (1e-6 + 0.9 * rng.random(values.shape)), values)
    return values
