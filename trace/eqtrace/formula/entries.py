"""Which entries the left sides of statements define, and so how long an array of no declared shape has to be.

Every entry is defined exactly once, counted on index grids. A statement that is a single Implies says itself that it
speaks of some entries only; it may leave out the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from eqtrace.formula.claims import claims, free_names, left_sides
from eqtrace.formula.evaluate import EvaluationError, Float64, MissingValue, value_of
from eqtrace.formula.form import Form, Shape
from eqtrace.formula.shape import integer
from eqtrace.formula.term import Condition, Distributed, Eq, Implies, Indexed, Name, Node, Number, Term, symbol_names


def implied(form: Form) -> dict[str, Shape]:
    """The shapes of arrays that declare none and of which a form gives all entries: as its indices run over them.

    Only what a statement by itself gives at plain indices, none of them narrowed, is as long as their ranges.
    """
    narrowed = {name for condition in form.narrows() for name in free_names(condition, form.indices)}
    batch = any(shape is not None and shape.batch for shape in form.shapes.values())
    found: dict[str, set[Shape | None]] = {}
    for part in form.parts:
        for claim, _ in claims(part.statement):
            for side in left_sides(claim):
                dims = _ranges(form, side, narrowed) if isinstance(part.statement, Eq) else None
                for name in symbol_names(side):
                    found.setdefault(name, set()).add(None if dims is None else Shape(batch, dims))
    undeclared = {name: shapes for name, shapes in found.items() if form.shapes.get(name, ()) is None}
    return {name: shape for name, (shape, *others) in undeclared.items() if shape is not None and not others}


def _ranges(form: Form, side: Node, narrowed: set[str]) -> tuple[Term, ...] | None:
    """How far the indices of a left side run; None where they are no plain ones, or don't all run from 0 to a size."""
    if not isinstance(side, Indexed):
        return None
    names = [each.name for each in side.subscripts if isinstance(each, Name) and each.name in form.indices]
    if len(set(names)) != len(side.subscripts) or not narrowed.isdisjoint(names):
        return None
    ranges = [form.indices[name] for name in names]
    if any(each.start != Number(Fraction(0)) or any(free_names(each.stop, form.indices)) for each in ranges):
        return None
    return tuple(each.stop for each in ranges)


def undefined(form: Form, part: int, sizes: Mapping[str, int], values: Mapping[str, object]) -> str:
    """What is defined not at all or more than once; empty if nothing, or if a shape or a subscript is not known."""
    if not _by_sizes_alone(form, part, sizes):
        return _undefined(form, part, sizes, values)
    key = ("undefined", part, tuple(sorted(sizes.items())))
    found: str | None = form.kept(key)
    if found is None:
        found = _undefined(form, part, sizes, values)
        form.keep(key, found)
    return found


def _by_sizes_alone(form: Form, part: int, sizes: Mapping[str, int]) -> bool:
    """Whether no value has a say in which entries are defined: what says it names indices and known sizes alone."""
    names: frozenset[str] | None = form.kept(("defined by", part))
    if names is None:
        nodes: list[Node] = list(form.narrows())
        for claim, premises in claims(form.statement(part)):
            nodes += premises
            for side in left_sides(claim):
                nodes += side.subscripts if isinstance(side, Indexed) else ()
        for index in form.indices.values():
            nodes += (index.start, index.stop)
        names = frozenset(name for node in nodes for name in symbol_names(node)) - set(form.indices)
        form.keep(("defined by", part), names)
    return names <= sizes.keys()


def _undefined(form: Form, part: int, sizes: Mapping[str, int], values: Mapping[str, object]) -> str:
    counts: dict[str, np.ndarray[Any, Any]] = {}
    for claim, premises in claims(form.statement(part)):
        if not isinstance(claim, Eq | Distributed):
            continue
        for side in left_sides(claim):
            shape = _shape(form, side.base, sizes) if isinstance(side, Indexed) else None
            if not isinstance(side, Indexed) or shape is None:
                continue
            count = counts.setdefault(side.base, np.zeros(shape, dtype=np.int64))
            try:
                _count(form, side, premises, count, sizes, values)
            except MissingValue:
                return ""
            except EvaluationError as error:
                return str(error)
    partial = isinstance(form.statement(part), Implies)
    return "; ".join(message for name, count in counts.items() if (message := _message(name, count, partial)))


def _shape(form: Form, name: str, sizes: Mapping[str, int]) -> tuple[int, ...] | None:
    shape = form.shapes.get(name)
    if shape is None:
        return None
    lengths = [integer(dim, sizes) for dim in shape.dims]
    known = tuple(length for length in lengths if length is not None)
    return known if len(known) == len(lengths) else None


def _count(
    form: Form,
    left: Indexed,
    premises: tuple[Condition, ...],
    count: np.ndarray[Any, Any],
    sizes: Mapping[str, int],
    values: Mapping[str, object],
) -> None:
    indices = tuple(dict.fromkeys(free_names(left, form.indices)))
    ours = [one for one in premises if set(free_names(one, form.indices)) <= set(indices)]
    found = value_of(form, [*left.subscripts, *ours], values, sizes, Float64(), indices)
    places, conditions = found.sides[: len(left.subscripts)], found.sides[len(left.subscripts) :]
    wanted = np.ones(found.sides[0].shape, dtype=bool) if found.mask is None else found.mask
    for condition in conditions:
        wanted = wanted & (condition != 0)
    chosen = tuple(place[wanted] for place in places)
    for axis, place in enumerate(chosen):
        if place.size and not (place.min() >= 0 and place.max() < count.shape[axis]):
            worst = int(place.min()) if place.min() < 0 else int(place.max())
            message = f"{left.base} is defined at {worst} on axis {axis} of length {count.shape[axis]}"
            raise EvaluationError(message)
    np.add.at(count, chosen, 1)


def _message(name: str, count: np.ndarray[Any, Any], partial: bool) -> str:
    for bad, what in (((count == 0) & (not partial), "is not defined"), (count > 1, "is defined more than once")):
        if bad.any():
            first = ", ".join(str(int(place)) for place in np.argwhere(bad)[0])
            return f"{name}[{first}] {what} ({int(bad.sum())} of {count.size} entries)"
    return ""
