"""Subscripts: which axes of a symbol they stand on, and what is left."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from eqtrace.formula.form import Form
from eqtrace.formula.latex.arrays import ONE, ZERO, Arrays, Subscripts, Value
from eqtrace.formula.latex.errors import Misfit, Unread
from eqtrace.formula.latex.names import Declared, Role
from eqtrace.formula.term import Indexed, Name, Node, Number, Old, Term


@dataclass(frozen=True, slots=True)
class Entries:
    """Subscripted symbols of one form."""

    form: Form
    arrays: Arrays
    length: Callable[[str], Term | None]  # of a plain index: its range's end, where that starts at 0

    def choose(self, candidates: list[Declared], subs: Subscripts, make: Callable[[Declared], Value]) -> Value:
        """The one declared name that fits a number of subscripts: exactly, else with some left out.

        Raises:
            Unread: none fits, or several do.
            Misfit: one would fit with its subscripts in another order.
        """
        exact = [each for each in candidates if len(subs) == len(each.dims or ())]
        for group in (exact, candidates):
            if len(group) == 1:
                return make(group[0])
            values = []
            for each in group:
                try:
                    values.append(make(each))
                except Unread:
                    continue
            if len(values) == 1:
                return values[0]
            if len(values) > 1:
                raise Unread(f"{' or '.join(each.name for each in group)}: the same spelling, and either fits")
        return make(candidates[0])

    def entry(self, declared: Declared, subs: Subscripts, old: bool) -> Value:
        """A symbol with subscripts; axes that are left out stay axes (in front: a batch), those of length 1 are at 0.

        Raises:
            Unread: it can't have these subscripts.
            Misfit: it could have them in another order.
        """
        dims = declared.dims
        if dims is None:
            raise Unread(f"{declared.name} has no declared shape")
        axes = self._axes(declared.name, dims, subs)
        first = axes[0] if axes else max(0, len(dims) - 2)
        batch = [axis for axis in range(first) if axis not in axes]
        free = [axis for axis in range(first, len(dims)) if axis not in axes and not (subs and dims[axis] == ONE)]

        def entry(outer: Subscripts, inner: Subscripts) -> Node:
            places: dict[int, Term] = dict(zip(axes, subs, strict=True))
            places |= dict(zip(batch, outer, strict=True)) | dict(zip(free, inner, strict=True))
            found = tuple(places.get(axis, ZERO) for axis in range(len(dims)))
            node = Indexed(declared.name, found) if dims else Name(declared.name)
            return Old(node) if old else node

        return Value(tuple(dims[axis] for axis in batch), tuple(dims[axis] for axis in free), entry)

    def _axes(self, name: str, dims: tuple[Term, ...], subs: Subscripts) -> tuple[int, ...]:
        if not subs:
            return ()
        wide = [axis for axis in range(len(dims)) if dims[axis] != ONE or len(subs) == len(dims)]
        if len(subs) > len(wide):
            raise Unread(f"{name} has {len(wide)} axes, and {len(subs)} subscripts")
        for fits in (self._fits, self._may):
            found = [
                axes
                for axes in itertools.combinations(wide, len(subs))
                if all(fits(sub, dims[axis]) for sub, axis in zip(subs, axes, strict=True))
                and not any(axes[0] < axis < axes[-1] for axis in wide if axis not in axes)
            ]
            if found:
                return found[0]  # what is left out is left out at the end, as in `x_t`, a row
        if any(
            all(self._fits(sub, dims[axis]) for sub, axis in zip(subs, axes, strict=True))
            for axes in itertools.permutations(wide, len(subs))
        ):
            raise Misfit(f"the subscripts of {name} stand in another order than its axes")
        raise Misfit(f"a subscript of {name} runs over another length than the axis that it stands on")

    def _fits(self, sub: Term, dim: Term) -> bool:
        stop = self.length(sub.name) if isinstance(sub, Name) else None
        return stop is None or self.arrays.fits(stop, dim)

    def _may(self, sub: Term, dim: Term) -> bool:
        """Whether a subscript runs over a length that `where` bounds by the axis's."""
        stop = self.length(sub.name) if isinstance(sub, Name) else None
        return stop is not None and any(bound == (stop, dim) for bound in self.bounds())

    def bounds(self) -> Iterator[tuple[Node, Node]]:
        """Pairs of lengths of which `where` says that the first is at most the second."""
        from eqtrace.formula.term import Compare

        for condition in self.form.where:
            if isinstance(condition, Compare) and condition.operator in ("<=", "<"):
                yield condition.left, condition.right
            elif isinstance(condition, Compare) and condition.operator in (">=", ">"):
                yield condition.right, condition.left


def is_index(declared: Declared) -> bool:
    """Whether a name is an index."""
    return declared.role is Role.INDEX


def number(value: int) -> Number:
    """A whole number."""
    from fractions import Fraction

    return Number(Fraction(value))
