"""Sums, products, largest and first entries along an index's axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from eqtrace.formula.arithmetic import Mask, Value, both, choose, is_array
from eqtrace.formula.failures import EvaluationError
from eqtrace.formula.grid import Place, Run
from eqtrace.formula.term import ArgMax, ArgMin, MaxOver, MinOver, Node, Product, Sum

Evaluator: TypeAlias = Callable[[Run, Mask], Value]


def sum_of_products(enter: Evaluator, factors: tuple[Evaluator, Evaluator], place: Place) -> Evaluator:
    """A sum of a product, contracted at once where that is a gain."""
    first, second = factors

    def summed(run: Run, mask: Mask) -> Value:
        within = enter(run, mask)
        if not run.extents[place.slot][1]:
            return 0
        left, right = first(run, both(mask, within)), second(run, both(mask, within))
        axis = place.position - run.rank
        if within is None and is_array(left) and is_array(right) and max(left.shape[axis], right.shape[axis]) > 1:
            contracted = run.operations.contract(left, right, axis)
            if contracted is not None:
                return contracted
        return _sum(run, run.operations.multiply(left, right), place, within, mask)

    return summed


def _spread(value: Value, run: Run, place: Place) -> np.ndarray[Any, Any]:
    """A value with the index's full length on its axis."""
    length = run.extents[place.slot][1]
    axis = place.position - run.rank
    array = value if is_array(value) else np.full((1,) * run.rank, value, dtype=None if _plain(value) else object)
    if array.shape[axis] == length:
        return array
    shape = list(array.shape)
    shape[axis] = length
    return np.broadcast_to(array, shape)


def _plain(value: Value) -> bool:
    return isinstance(value, int | np.generic)


def _sum(run: Run, value: Value, place: Place, within: Mask, mask: Mask) -> Value:
    length = run.extents[place.slot][1]
    if not length:
        return 0
    axis = place.position - run.rank
    if within is not None:
        value = run.operations.choose(within, value, 0)
    elif not is_array(value) or value.shape[axis] == 1:
        return run.operations.multiply(value, length)
    return run.operations.sum_over(_spread(value, run, place), axis)


def _product(run: Run, value: Value, place: Place, within: Mask, mask: Mask) -> Value:
    if not run.extents[place.slot][1]:
        return 1
    if within is not None:
        value = run.operations.choose(within, value, 1)
    return run.operations.product_over(_spread(value, run, place), place.position - run.rank)


def _largest(name: str) -> Callable[[Run, Value, Place, Mask, Mask], Value]:
    def largest(run: Run, value: Value, place: Place, within: Mask, mask: Mask) -> Value:
        operations = run.operations
        nothing = operations.constant("oo") if name == "Min" else operations.negate(operations.constant("oo"))
        if not run.extents[place.slot][1]:
            return nothing
        if within is not None:
            value = choose(within, operations.real(value), nothing)
        return operations.largest(name, _spread(value, run, place), place.position - run.rank)

    return largest


def _first(name: str) -> Callable[[Run, Value, Place, Mask, Mask], Value]:
    def first(run: Run, value: Value, place: Place, within: Mask, mask: Mask) -> Value:
        start, length = run.extents[place.slot]
        if not length:
            raise EvaluationError("an ArgMax or ArgMin over nothing")
        wanted = True if within is None else within
        axis = place.position - run.rank
        return start + run.operations.first_extreme(name, _spread(value, run, place), axis, wanted)

    return first


REDUCE: dict[type[Node], Callable[[Run, Value, Place, Mask, Mask], Value]] = {
    Sum: _sum,
    Product: _product,
    MaxOver: _largest("Max"),
    MinOver: _largest("Min"),
    ArgMax: _first("Max"),
    ArgMin: _first("Min"),
}
