"""Draws that aim at conditions which went one way only, in the form and in the cited lines.

The edge grid and the random draws come first and know nothing of the code; these here try what a condition may turn on:
the numbers that are compared with, from the form and from the cited lines, all that lies just beside them, for each
symbol a magnitude and a sign of its own, and arrays as long as the numbers that are compared with.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from eqtrace.formula.claims import free_names
from eqtrace.formula.evaluate import EvaluationError, Float64, holds, value_of
from eqtrace.formula.form import Form
from eqtrace.formula.shape import rational
from eqtrace.formula.term import Call, Compare, Number, Piecewise, symbol_names, walk
from eqtrace.model.symbol import Domain, Symbol
from eqtrace.model.ways import FALSE, TRUE
from eqtrace.run.sample import RANDOM, Draw, Fill, Generator, NoDraw, bound, drawn, is_number, whole_bounds, with_sizes

AIMED = 64  # draws that are tried at most
BESIDE = "a value beside what is compared with"
MOST_BESIDE = 32  # of such draws of each call
LENGTHS = 9  # lengths of arrays, about what the code compares with or cuts at, that are tried of each call
_LARGEST = 10_000  # integers may say how long code runs
_LONGEST = 40  # arrays are drawn with: exact runs of long ones take their time
_BEYOND = 200  # up to here a cut of the code is gone beyond once, where
_PAST = 2  # a length that is longer, and whose last index is larger, than a number
_SMALL = 5_000  # entries and terms of sums are no more than this
_FAR = 6  # magnitudes lie between 10**-6 and 10**6


class Questions:
    """What a form decides on symbols that are drawn, and which ways that went so far."""

    def __init__(self, form: Form, wanted: Iterable[str]) -> None:
        self._form = form
        known = {*wanted, *form.sizes} - set(form.functions)
        self._asked = [each for each in _decisions(form) if set(symbol_names(each)) <= known]
        self._ways = dict.fromkeys(range(len(self._asked)), 0)

    @property
    def numbers(self) -> set[float]:
        """The numbers that are compared with."""
        return {float(each.value) for asked in self._asked for each in walk(asked) if isinstance(each, Number)}

    @property
    def open(self) -> bool:
        """Whether one of them went one way only."""
        return any(way in (TRUE, FALSE) for way in self._ways.values())

    def asks(self, draw: Draw) -> bool:
        """Takes note of a draw; whether something goes another way with it than with all before."""
        news = False
        for number, condition in enumerate(self._asked):
            before = self._ways[number]
            if before != TRUE | FALSE:
                self._ways[number] = before | self._way(condition, draw)
                news |= self._ways[number] != before
        return news

    def _way(self, condition: Compare, draw: Draw) -> int:
        indices = tuple(free_names(condition, self._form.indices))
        try:
            found = value_of(self._form, [condition], draw.values, draw.sizes, Float64(), indices)
        except (EvaluationError, ArithmeticError, ValueError, TypeError, IndexError):
            return 0
        holds = found.sides[0] if found.mask is None else found.sides[0][found.mask]
        return TRUE * bool(np.any(holds)) | FALSE * (not np.all(holds))


def _decisions(form: Form) -> Iterator[Compare]:
    """The comparisons in conditions of cases, and between the operands of Max and Min."""
    for part in form.parts:
        for node in walk(part.statement):
            if isinstance(node, Piecewise):
                for branch in node.branches:
                    yield from (each for each in walk(branch.condition) if isinstance(each, Compare))
            elif isinstance(node, Call) and node.function in ("Max", "Min") and len(node.args) == 2:
                yield Compare(">", *node.args)


def aimed(
    form: Form, symbols: Mapping[str, Symbol], wanted: tuple[str, ...], compared: Iterable[float], rng: Generator
) -> Iterator[Draw]:
    """Draws of the symbols `wanted` about what is decided; `compared` are numbers that the cited lines compare with."""
    compared = tuple(compared)
    numbers = {float(node.value) for part in form.parts for node in walk(part.statement) if isinstance(node, Number)}
    pool = sorted({near for each in (*numbers, *compared) for near in _about(each)})
    lengths = with_sizes(form, wanted, lengths_about(compared))
    for number in range(AIMED):
        fill = (_one_sign, _constant(pool), _mixed(pool))[number % 3]
        try:
            given = _whole_numbers(symbols, wanted, pool, rng)
            long = lengths if number % 4 == 3 else []
            draw = drawn(form, symbols, wanted, rng, fill, "values aimed at a condition", given, long)
        except NoDraw:
            return
        if draw is not None:
            yield draw


def beside(
    form: Form, symbols: Mapping[str, Symbol], wanted: tuple[str, ...], numbers: Iterable[float], rng: Generator
) -> Iterator[Draw]:
    """Draws with one symbol at each of these numbers, right beside it, or halfway to the next.

    Of a condition that code and form decide at different numbers, only what lies between these shows the difference.
    Beside 0 the edge grid has been tried.
    """
    ordered = sorted({*numbers})
    places = {near for each in ordered if each for near in _about(each)[:1] + _about(each)[2:4]}
    places |= {(low + high) / 2 for low, high in pairwise(ordered)}
    numeric = [name for name in wanted if is_number(symbols[name]) and not symbols[name].domain.probability_row]
    tried = [(name, place) for place in sorted(places) for name in numeric]
    step = max(1, math.ceil(len(tried) / MOST_BESIDE))
    for name, place in tried[::step]:
        given: dict[str, Any] = {}
        apart: dict[str, Fill] = {name: _constant([place])}
        with suppress(NoDraw):
            domain = symbols[name].domain
            if domain.integer and (domain.distinct or not _within(domain, [round(place)])):
                continue
            if domain.integer and not symbols[name].shape:
                given, apart = {name: round(place)}, {}
            draw = drawn(form, symbols, wanted, rng, RANDOM[0][1], BESIDE, given, apart=apart)
            if draw is not None and domain.integer and symbols[name].shape:
                draw = _filled(form, draw, name, round(place))
            if draw is not None:
                yield draw


def _filled(form: Form, draw: Draw, name: str, number: int) -> Draw | None:
    """The same draw with one integer in all places of an array; None where `where` refuses that."""
    values = {**draw.values, name: np.full(np.shape(draw.values[name]), number)}
    return None if holds(form, values, draw.sizes) is False else replace(draw, values=values)


def lengths_about(compared: Iterable[float]) -> list[int]:
    """Lengths of arrays beside the numbers that are compared with or cut at: those beyond them and long ones first."""
    near = sorted({math.floor(each) for each in compared if 1 <= each < _LONGEST}, reverse=True)
    return [*dict.fromkeys(each + step for step in (_PAST, 0, -1) for each in near if each + step >= 1)]


def length_beyond(compared: Iterable[float]) -> list[int]:
    """A length beyond all numbers at which code may cut longer arrays than `lengths_about` has, if there are any."""
    far = [math.floor(each) for each in compared if _LONGEST <= each <= _BEYOND]
    return [max(far) + _PAST] if far else []


def is_small(form: Form, draw: Draw) -> bool:
    """Whether a form has few entries, and terms of sums, to be worked out for a draw."""
    sizes = {name: float(size) for name, size in draw.sizes.items()}
    longest = max(draw.sizes.values(), default=1)
    counts = [sum(np.size(value) for value in draw.values.values())]
    for part in range(len(form.parts)):
        lengths = []
        for name in form.used_indices(part):
            start, stop = rational(form.indices[name].start, sizes), rational(form.indices[name].stop, sizes)
            lengths.append(longest if start is None or stop is None else max(1, math.ceil(stop - start)))
        counts.append(math.prod(lengths))
    return max(counts) <= _SMALL


def _about(value: float) -> tuple[float, ...]:
    """A number, its neighbours, and numbers that are clearly more and clearly less."""
    beside = 1e-9 * max(1.0, abs(value))
    return value, -value, value - beside, value + beside, 2 * value + 1, value / 2 - 1


def _one_sign(rng: Generator, shape: tuple[int, ...]) -> np.ndarray:
    sign = -1.0 if rng.random() < 0.5 else 1.0
    return np.asarray(sign * np.abs(rng.standard_normal(shape)) * 10.0 ** rng.uniform(-_FAR, _FAR))


def _constant(pool: list[float]) -> Fill:
    return lambda rng, shape: np.full(shape, rng.choice(pool or [0.0]))


def _mixed(pool: list[float]) -> Fill:
    return lambda rng, shape: np.asarray(rng.choice(np.asarray(pool or [0.0]), shape))


def _whole_numbers(
    symbols: Mapping[str, Symbol], wanted: Iterable[str], pool: list[float], rng: Generator
) -> dict[str, Any]:
    """Integers beside what is compared with, for symbols of which only ten are drawn otherwise: an end is open."""
    found: dict[str, Any] = {}
    for name in wanted:
        domain = symbols[name].domain
        numeric = domain.integer and not (domain.one_of or domain.words or domain.letters)
        if symbols[name].shape or not numeric or (domain.minimum and domain.maximum) or rng.random() < 0.3:
            continue
        near = [math.floor(each) + step for each in pool if abs(each) <= _LARGEST for step in (0, 1)]
        try:
            fitting = _within(domain, near)
        except NoDraw:
            continue  # it depends on another symbol
        if fitting:
            found[name] = int(rng.choice(fitting))
    return found


def _within(domain: Domain, numbers: Iterable[int]) -> list[int]:
    """Those of some integers that a domain has.

    Raises:
        NoDraw: its bounds depend on another symbol.
    """
    low, high = bound(domain.minimum, {}), bound(domain.maximum, {})
    first, last = whole_bounds(domain, low, high)
    return [each for each in numbers if (low is None or each >= first) and (high is None or each <= last)]
