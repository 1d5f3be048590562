"""Subscripts: which axes of a symbol they stand on, and what is left."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from eqtrace.formula.form import Form
from eqtrace.formula.latex.arrays import ONE, ZERO, Arrays, Subscripts, Value, term_of
from eqtrace.formula.latex.errors import Misfit, Unread
from eqtrace.formula.latex.names import Declared
from eqtrace.formula.term import Compare, Indexed, Name, Node, Old, Term, symbol_names


@dataclass(frozen=True, slots=True)
class Entries:
    """Subscripted symbols of one form."""

    form: Form
    arrays: Arrays
    length: Callable[[str], Term | None]  # of a plain index: its range's end, where that starts at 0
    met: dict[str, list[Term]] = field(default_factory=dict)  # by index that is bound, the axes it stands on
    held: dict[str, Term] = field(default_factory=dict)  # the declared lengths of those

    def choose(self, candidates: list[Declared], subs: tuple[Value, ...], make: Callable[[Declared], Value]) -> Value:
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

    def entry(self, declared: Declared, subs: tuple[Value, ...], old: bool) -> Value:
        """A symbol with subscripts; axes that are left out stay axes (in front: a batch), those of length 1 are at 0.

        Raises:
            Unread: it can't have these subscripts.
            Misfit: it could have them in another order.
        """
        dims = declared.dims
        if dims is None:
            raise Unread(f"{declared.name} has no declared shape")
        axes = self._axes(declared.name, dims, subs)
        for sub, axis in zip(subs, axes, strict=True):
            name = _plain(sub)
            if name in self.met:
                self.met[name].append(dims[axis])
        first = axes[0] if axes else max(0, len(dims) - 2)
        batch = [axis for axis in range(first) if axis not in axes]
        free = [axis for axis in range(first, len(dims)) if axis not in axes and not (subs and dims[axis] == ONE)]
        outside = max((sub.batch for sub in subs), key=len, default=())
        gathered = max((sub.dims for sub in subs), key=len, default=())
        if gathered and (len(subs) > 1 or axes[0]):
            raise Unread(f"an array among several subscripts of {declared.name}")
        own = tuple(dims[axis] for axis in batch)
        if outside and own and not (len(outside) == len(own) and all(map(self.arrays.fits, outside, own))):
            raise Unread(f"{declared.name} and its subscripts leave out different axes")

        def entry(outer: Subscripts, inner: Subscripts) -> Node:
            taken, rest = inner[: len(gathered)], inner[len(gathered) :]
            found: dict[int, Term] = {}
            for sub, axis in zip(subs, axes, strict=True):
                found[axis] = term_of(sub.entry(outer[len(outer) - len(sub.batch) :], taken))
            found |= dict(zip(batch, outer[len(outer) - len(batch) :], strict=True))
            found |= dict(zip(free, rest, strict=True))
            places = tuple(found.get(axis, ZERO) for axis in range(len(dims)))
            node = Indexed(declared.name, places) if dims else Name(declared.name)
            return Old(node) if old else node

        whole = Name(declared.name) if not subs and not old else None
        shape = (*gathered, *(dims[axis] for axis in free))
        return Value(own or outside, shape, entry, whole=whole)

    def _axes(self, name: str, dims: tuple[Term, ...], subs: tuple[Value, ...]) -> tuple[int, ...]:
        if not subs:
            return ()
        wide = [axis for axis in range(len(dims)) if dims[axis] != ONE or len(subs) == len(dims)]
        if len(subs) > len(wide):
            raise Unread(f"{name} has {len(wide)} axes, and {len(subs)} subscripts")
        for fits in (self._as_declared, self._fits, lambda sub, dim: self._fits(sub, dim) or self._may(sub, dim)):
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

    def _as_declared(self, sub: Value, dim: Term) -> bool:
        """Whether an index runs over an axis; one that is bound, by its declared range."""
        own = self.held.get(_plain(sub))
        return self._fits(sub, dim) and (own is None or self.arrays.fits(own, dim))

    def _fits(self, sub: Value, dim: Term) -> bool:
        """Whether a plain index runs over an axis; of an expression, whether one of its indices does."""
        stops = [stop for name in _names(sub) if (stop := self.length(name)) is not None]
        return not stops or any(self.arrays.fits(stop, dim) for stop in stops)

    def _may(self, sub: Value, dim: Term) -> bool:
        """Whether a subscript is an expression, or runs over a length that `where` bounds by the axis's."""
        name = _plain(sub)
        stop = self.length(name) if name else None
        return not name or (stop is not None and any(bound == (stop, dim) for bound in self._bounds()))

    def _bounds(self) -> Iterator[tuple[Node, Node]]:
        """Pairs of lengths of which `where` says that the first is at most the second."""
        for condition in self.form.where:
            if isinstance(condition, Compare) and condition.operator in ("<=", "<"):
                yield condition.left, condition.right
            elif isinstance(condition, Compare) and condition.operator in (">=", ">"):
                yield condition.right, condition.left


def _plain(sub: Value) -> str:
    """The name of a subscript that is one; empty if it is none."""
    if sub.dims or sub.batch:
        return ""
    node = sub.entry((), ())
    return node.name if isinstance(node, Name) else ""


def _names(sub: Value) -> Iterator[str]:
    if not sub.dims and not sub.batch:
        yield from symbol_names(sub.entry((), ()))
    elif sub.batch:
        yield from symbol_names(sub.entry(tuple(Name("_") for _ in sub.batch), ()))
