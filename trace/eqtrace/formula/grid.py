"""Values on the grid of a form's indices.

Every index has an axis of its own at the end of an array: free indices first, then bound ones by their depth. An array
therefore has the axes (batch..., grid...), and whatever does not depend on an index has length 1 there. Leading axes
that a shape leaves open (`...`) are the batch, and broadcast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eqtrace.formula.arithmetic import Mask, Operations, Value, both, is_array, is_integer
from eqtrace.formula.failures import EvaluationError, MissingValue, OutOfRange
from eqtrace.formula.shape import shape_of

LIMIT_ENTRIES = 50_000_000


class Carried:
    """A value of the arithmetic itself, worked out within the evaluation of another form.

    `value` is what the evaluation computes with. Decisions look at `plain`, worked out from inputs that are not
    widened; most forms decide nothing, so it is worked out when it is first asked for.
    """

    __slots__ = ("_plain", "_work", "value")

    def __init__(self, value: Value, plain: Callable[[], Value] | None = None) -> None:
        self.value = value
        self._plain = value if plain is None else None
        self._work = plain

    @property
    def plain(self) -> Value:
        """The value from inputs as they are."""
        if self._work is not None:
            self._plain, self._work = self._work(), None
        return self._plain

    @property
    def shape(self) -> tuple[int, ...]:
        """Its axes."""
        return self.value.shape if is_array(self.value) else ()

    def each(self, change: Callable[[Value], Value]) -> Carried:
        """The same change to both values."""
        return Carried(change(self.value), None if self._work is None else lambda: change(self.plain))

    def reshaped(self, shape: tuple[int, ...]) -> Carried:
        """The same entries with other axes; a number where there is none."""
        return self.each(lambda value: np.asarray(value).reshape(shape)[()])


@dataclass(frozen=True, slots=True)
class Place:
    """An index in scope: its slot in a Run and its axis among the grid's."""

    slot: int
    position: int


@dataclass(slots=True)
class Run:
    """One evaluation: its values, its operations, and the index ranges entered so far.

    `plain` is the same evaluation on inputs as they are; decisions are made there.
    """

    values: Mapping[str, object]
    sizes: Mapping[str, int]
    operations: Operations
    rank: int  # number of grid axes
    widen: bool
    grids: dict[int, Value] = field(default_factory=dict)  # by slot
    extents: dict[int, tuple[int, int]] = field(default_factory=dict)  # by slot: start and length
    lifted: dict[str, Value] = field(default_factory=dict)
    other: Run | None = None

    @property
    def plain(self) -> Run:
        """The evaluation that decides."""
        if not self.widen:
            return self
        if self.other is None:
            self.other = Run(
                self.values, self.sizes, self.operations, self.rank, False, self.grids, self.extents, {}, None
            )
        return self.other

    def symbol(self, name: str) -> Value:
        """A symbol's value, or a size."""
        value = self.lifted.get(name)
        if value is None:
            if name in self.values and self.values[name] is not None:
                held = self.values[name]
                if isinstance(held, Carried):
                    value = held.value if self.widen else held.plain
                else:
                    value = self.operations.lift(held, widen=self.widen)
            elif name in self.sizes:
                value = int(self.sizes[name])
            else:
                raise MissingValue(f"{name} has no value")
            self.lifted[name] = value
        return value

    def whole(self, name: str) -> Value:
        """A symbol without subscripts: every axis of it is batch."""
        value = self.symbol(name)
        return value.reshape(value.shape + (1,) * self.rank) if is_array(value) and self.rank else value

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a symbol's value."""
        if self.values.get(name) is None:
            raise MissingValue(f"{name} has no value")
        return shape_of(self.values[name])

    def enter(self, slot: int, position: int, start: Value, stop: Value) -> Mask:
        """Lay an index out on its axis; a mask where its range depends on other indices."""
        if not (is_integer(start) and is_integer(stop)):
            raise EvaluationError("the end of a range is no integer")
        if not is_array(start) and not is_array(stop):
            low, high, mask = start, stop, False
        else:
            if np.size(start) == 0 or np.size(stop) == 0:
                start = stop = 0
            low, high, mask = int(np.min(start)), int(np.max(stop)), True
        length = max(0, high - low)
        if length > LIMIT_ENTRIES:
            raise EvaluationError(f"a range of {length} is too long")
        grid = np.arange(low, low + length).reshape((length,) + (1,) * (self.rank - 1 - position))
        # Every grid has all axes, so that what is computed from it alone has them too.
        grid = grid.reshape((1,) * (self.rank - grid.ndim) + grid.shape)
        self.grids[slot] = grid
        self.extents[slot] = (low, length)
        return np.logical_and(grid >= start, grid < stop) if mask else None


def view(
    run: Run, name: str, value: Value, places: tuple[tuple[int, int], ...], count: int, mask: Mask
) -> Value | None:
    """A symbol subscripted by distinct plain indices, as a view; None where a range leaves its axes.

    `places` gives slot and position of each subscript.
    """
    lead = value.ndim - count
    if lead < 0:
        raise EvaluationError(f"{name} has {value.ndim} axes and {count} subscripts")
    shape = value.shape
    cut: list[slice] = []
    whole = True
    for axis, (slot, _) in enumerate(places):
        start, length = run.extents[slot]
        if start < 0 or start + length > shape[lead + axis]:
            return None
        whole = whole and start == 0 and length == shape[lead + axis]
        cut.append(slice(start, start + length))
    if not whole:
        value = value[(..., *cut)]
        shape = value.shape
    order = sorted(range(count), key=lambda axis: places[axis][1])
    grid = [1] * run.rank
    for axis, (_, position) in enumerate(places):
        grid[position] = shape[lead + axis]
    if order != list(range(count)):
        value = value.transpose((*range(lead), *(lead + axis for axis in order)))
    return value.reshape(shape[:lead] + tuple(grid))


def gather(run: Run, name: str, value: Value, subscripts: list[Value], mask: Mask) -> Value:
    """A symbol subscripted by computed integers, each held against its axis wherever a value is wanted."""
    count = len(subscripts)
    if not is_array(value) or value.ndim < count:
        raise EvaluationError(f"{name} has {getattr(value, 'ndim', 0)} axes and {count} subscripts")
    lead = value.ndim - count
    shape = value.shape[lead:]
    inside = [_inside(name, axis, subscript, shape[axis], mask) for axis, subscript in enumerate(subscripts)]
    if 0 in shape:
        return 0  # where a value is wanted the subscript was out of range; an integer may be a subscript in its turn
    batch = max((subscript.ndim - run.rank for subscript in inside if is_array(subscript)), default=0)
    if not any(is_array(subscript) for subscript in inside):
        entry = value[(..., *inside)]
        return entry.reshape(entry.shape + (1,) * run.rank) if lead else entry
    if not batch or not lead:
        return value[(..., *inside)]
    return _paired(run, value, lead, inside)


def _paired(run: Run, value: Value, lead: int, subscripts: list[Value]) -> Value:
    """Subscripts that have batch axes of their own meet the batch axes of the symbol one by one."""
    batch = [subscript.shape[: subscript.ndim - run.rank] for subscript in subscripts if is_array(subscript)]
    common = np.broadcast_shapes(value.shape[:lead], *batch)
    value = np.broadcast_to(value, common + value.shape[lead:])
    total = len(common) + run.rank
    leads = [np.arange(length).reshape((length,) + (1,) * (total - 1 - axis)) for axis, length in enumerate(common)]
    return value[(*leads, *subscripts)]


def _inside(name: str, axis: int, subscript: Value, length: int, mask: Mask) -> Value:
    if not is_integer(subscript):
        raise EvaluationError(f"a subscript of {name} is no integer")
    if not is_array(subscript):
        if 0 <= subscript < length:
            return subscript
        if mask is None or np.any(mask):
            raise OutOfRange(f"{name}: subscript {subscript} on axis {axis} of length {length}")
        return 0
    outside = (subscript < 0) | (subscript >= length)
    if outside.any():
        wanted = both(mask, outside)
        if np.any(wanted):
            worst = int(np.broadcast_to(subscript, np.shape(wanted))[wanted].ravel()[0])
            raise OutOfRange(f"{name}: subscript {worst} on axis {axis} of length {length}")
        subscript = np.where(outside, 0, subscript)
    return subscript


def on_grid(run: Run, value: Value, free: int, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """A value as an array with the axes (batch..., free indices), of the free indices' full lengths."""
    dtype = object if not isinstance(value, np.ndarray | np.generic | int | bool | str) else None
    array = np.asarray(value, dtype=dtype)
    batch = array.shape[: max(0, array.ndim - run.rank)]
    if array.ndim < run.rank:
        array = array.reshape((1,) * run.rank)
    array = array.reshape(batch + array.shape[len(batch) : len(batch) + free])
    return np.broadcast_to(array, batch + shape)
