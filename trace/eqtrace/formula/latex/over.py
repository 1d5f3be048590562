"""Sums, products, largest and smallest over indices, and the ranges below them."""

from __future__ import annotations

from collections.abc import Callable

from eqtrace.formula.latex.arrays import ONE, ZERO, Value, term_of
from eqtrace.formula.latex.conditions import Conditions
from eqtrace.formula.latex.cursor import RELATIONS, Run, split
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.latex.names import Role
from eqtrace.formula.latex.tokens import Kind
from eqtrace.formula.term import (
    Add,
    ArgMax,
    ArgMin,
    Branch,
    Call,
    Condition,
    Indexed,
    MaxOver,
    MinOver,
    Name,
    Node,
    Piecewise,
    Product,
    Reduction,
    Sum,
    Term,
    Truth,
    children,
    walk,
)

OVER: dict[str, type[Reduction]] = {
    "\\sum": Sum, "\\prod": Product, "\\max": MaxOver, "\\min": MinOver, '"argmax"': ArgMax, '"argmin"': ArgMin
}  # fmt: skip


class Over(Conditions):
    """Reads what stands over indices."""

    def over(self) -> Value:
        """A sum, a product, a largest or a smallest."""
        start = self.take()
        key = start.key
        if key == "\\arg":
            name = self.take().key
            if name not in ("\\max", "\\min"):
                raise self.unread("\\arg of what?")
            key = '"argmax"' if name == "\\max" else '"argmin"'
        marks = dict(self.scripts())
        if key in ("\\max", "\\min") and "_" not in marks and not marks:
            return self._largest(key)
        if "_" not in marks:
            raise self.unread(f"{start.text} over which index?")
        binders = self._binders(marks["_"], marks.get("^"))
        body, ranges = self.bound(
            [index for index, *_ in binders], self.product if key in ("\\sum", "\\prod") else self.argument
        )
        for index, first, stop, condition in reversed(binders):
            last = stop if stop is not None else ranges[index]
            begin = ZERO if stop is None and last is not None else first
            if (first, stop) == (ONE, ONE):
                begin, last = ZERO, self.reading.form.indices[index].stop
                self._counts_from_one(body, index)
            body = self._reduced(OVER[key], body, index, begin, last, condition)
        return body

    def bound(self, names: list[str], parse: Callable[[], Value]) -> tuple[Value, dict[str, Term | None]]:
        """What stands under indices; one whose declared range is not its axes' runs over these (given back)."""
        reading = self.reading
        held = {name: reading.lengths.pop(name) for name in names if name in reading.lengths}
        before = {name: reading.met.get(name) for name in names}
        outside = dict(reading.held)
        reading.held |= held
        reading.met |= {name: [] for name in names}
        try:
            body = parse()
        finally:
            met = {name: reading.met.pop(name) for name in names}
            reading.met |= {name: axes for name, axes in before.items() if axes is not None}
            reading.lengths |= held
            reading.held = outside
        ranges: dict[str, Term | None] = dict.fromkeys(names)
        for name, axes in met.items():
            for dim in axes[1:]:
                self.arrays.same(axes[0], dim, body, f"index {name}")
            own = held.get(name)
            if axes and (own is None or not self.arrays.fits(own, axes[0])) and name in held:
                ranges[name] = axes[0]
        return body, ranges

    def _counts_from_one(self, body: Value, index: str) -> None:
        """`i = 1, ..., B` over an axis of length B counts its entries from 1; then i may stand in subscripts alone."""
        node = body.entry(tuple(map(Name, "_" * len(body.batch))), tuple(map(Name, "_" * len(body.dims))))
        if not _in_subscripts(node, index):
            raise self.unread(f"{index} counts from 1, and is more than a subscript")

    def _reduced(
        self,
        kind: type[Reduction],
        body: Value,
        index: str,
        first: Term | None,
        stop: Term | None,
        only: Condition | None,
    ) -> Value:
        if only is not None and kind is not Sum:
            raise self.unread("a condition under what is no sum")

        def make(node: Node) -> Node:
            term = term_of(node)
            if only is not None:
                term = Piecewise((Branch(term, only), Branch(ZERO, Truth(True))))
            return kind(term, index, first, stop)

        return self.arrays.each(make, body)

    def _binders(self, below: Run, above: Run | None) -> list[tuple[str, Term | None, Term | None, Condition | None]]:
        r"""Indices below a sum, with their ranges: `k`, `j=0` with the last above, `j \le i`, `t : condition`."""
        reading = self.reading
        pieces = split(below, (":",))
        if len(pieces) == 2 and above is None:
            name = self.binder_name(pieces[0])
            return [(name, None, None, self.conditions(pieces[1]))]
        if len(pieces) > 1:
            raise self.unread("what stands below is not read")
        relation = next((place for place, token in enumerate(below) if token.key in RELATIONS), None)
        if relation is None:
            if above is not None:
                raise self.unread("a last index without a first")
            return [(self.binder_name(piece), None, None, None) for piece in split(below, (",",))]
        name = self.binder_name(below[:relation])
        end = self.inner(below[relation + 1 :]).term
        key = RELATIONS[below[relation].key]
        own = reading.form.indices.get(name)
        if key == "=" and above is not None and end == ONE and own is not None and own.start == ZERO:
            if self.inner(above).term != own.stop:
                raise self.unread("a range that counts from 1 and does not end with the axis")
            return [(name, ONE, ONE, None)]
        if key == "=" and above is not None:
            return [(name, end, _next(self.inner(above).term), None)]
        if above is None and own is not None and key in ("<", "<="):
            return [(name, own.start, end if key == "<" else _next(end), None)]
        if above is None and own is not None and key in (">", ">="):
            return [(name, end if key == ">=" else _next(end), own.stop, None)]
        raise self.unread("the range below is not read")

    def indices(self, found: Run) -> list[str]:
        """Indices side by side, or between commas."""
        return [self.binder_name(piece) for piece in split(found, (",",))]

    def binder_name(self, found: Run) -> str:
        """An index that stands alone."""
        if len(found) == 1:
            for spelling, declared in self.reading.names.at(0, found):
                if declared.role is Role.INDEX and spelling.base == (found[0].key,):
                    return declared.name
        raise self._no_index(found)

    def _no_index(self, found: Run) -> Unread:
        """Why something is no index, and what makes it one."""
        if not found:
            return Unread("an index is missing", self.here())
        text = "".join(token.text for token in found)
        if len(found) > 1:
            message = f"{text} is no index by itself: several stand between commas"
        elif found[0].kind not in (Kind.LETTER, Kind.COMMAND):
            message = f"{text} is no index"
        elif any(spelling.base == (found[0].key,) for spelling, _ in self.reading.names.at(0, found)):
            message = f"{text} is declared, but as no index"
        else:
            name = text.removeprefix("\\")
            message = f"the index {name} is not declared: write `indices: {{{name}: LENGTH}}`"
        return Unread(message, found[0].offset, found[-1].end - found[0].offset)

    def _largest(self, key: str) -> Value:
        """`max(a, b)`, entry by entry."""
        if self.key != "(":
            raise self.unread(f"{key} of what?")
        parts = [self.inner(piece) for piece in split(self.between("(", ")"), (",",))]
        if len(parts) < 2:
            raise self.unread(f"{key} of one thing")
        name = "Max" if key == "\\max" else "Min"
        value = parts[0]
        for other in parts[1:]:
            value = self.arrays.pairs(lambda a, b: Call(name, _args(name, a, b)), value, other, "a maximum")
        return value

    def scripts(self) -> list[tuple[str, Run]]:
        """The scripts that stand here."""
        raise NotImplementedError


def _args(name: str, one: Node, other: Node) -> tuple[Term, ...]:
    first = one.args if isinstance(one, Call) and one.function == name else (term_of(one),)
    return (*first, term_of(other))


def _next(term: Term) -> Term:
    return Add(term, ONE)


def _in_subscripts(node: Node, index: str) -> bool:
    """Whether an index stands as a plain subscript wherever it stands."""
    if isinstance(node, Name):
        return node.name != index
    if isinstance(node, Indexed):
        return all(each == Name(index) or not _mentions(each, index) for each in node.subscripts)
    return all(_in_subscripts(child, index) for child in children(node))


def _mentions(node: Node, name: str) -> bool:
    return any(isinstance(each, Name) and each.name == name for each in walk(node))
