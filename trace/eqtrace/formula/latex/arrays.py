"""Values as LaTeX writes them: an entry by itself, a row, a matrix; leading axes that are left out are a batch.

A vector is what its place makes it: a row left of a matrix, a column right of one. Products are those of matrices;
a scalar multiplies every entry; a vector is added to every row. Where shapes allow two readings, there is none.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from eqtrace.formula.latex.errors import Misfit, Unread
from eqtrace.formula.term import Add, Call, Div, Mul, Name, Neg, Node, Number, Sum, Term, changed, rebuilt

Subscripts = tuple[Term, ...]
Entry = Callable[[Subscripts, Subscripts], Node]

ZERO = Number(Fraction(0))
ONE = Number(Fraction(1))


@dataclass(frozen=True, slots=True)
class Value:
    """An array of terms or conditions; `entry` takes batch subscripts and subscripts."""

    batch: tuple[Term, ...]
    dims: tuple[Term, ...]
    entry: Entry
    turned: bool = False  # a vector that was transposed: a row
    ones: bool = False  # all ones, or all zeros, of a length that its place gives
    unit: bool = False  # the identity, of a size that its place gives
    loose: int = 0  # so many axes, of lengths that its place gives
    shaped: Callable[[Value], Value] | None = None  # what it is beside a value that gives it its shape
    whole: Term | None = None  # a symbol or an application as a whole, where it is one
    offset: int = 0
    length: int = 1

    @property
    def term(self) -> Term:
        """The term of a value without axes.

        Raises:
            Unread: it has some, or is a condition.
        """
        if self.dims or self.batch:
            raise Unread("an entry is needed here, not an array", self.offset, self.length)
        found = self.entry((), ())
        if not isinstance(found, Term):
            raise Unread("a number is needed here, not a condition", self.offset, self.length)
        return found

    def at(self, offset: int, length: int) -> Value:
        """The same value, standing at a place, which the nodes that have none yet get too."""
        entry = self.entry
        alone: list[Node] = []  # the one entry of a value without axes, which is asked for again and again

        def placed(batch: Subscripts, subs: Subscripts) -> Node:
            if alone and not (batch or subs):
                return alone[0]
            node = entry(batch, subs)
            if (node.offset, node.length) == (0, 1):
                node = changed(node, offset=offset, length=length)
            if not (batch or subs):
                alone.append(node)
            return node

        shape = self.batch, self.dims, placed, self.turned, self.ones, self.unit, self.loose, self.shaped, self.whole
        return Value(*shape, offset, length)  # made of every part that is read


def scalar(node: Node, offset: int = 0, length: int = 1) -> Value:
    """A value without axes."""
    return Value((), (), lambda batch, subs: node, offset=offset, length=length)


class Arrays:
    """Operations on values. Indices that products sum over get names that no formula can hold."""

    def __init__(self, same: Callable[[Term, Term], bool | None]) -> None:
        self._same = same
        self._count = itertools.count()

    def fresh(self) -> str:
        """A name for an index that LaTeX doesn't write."""
        return f"_{next(self._count)}"

    def same(self, one: Term, other: Term, place: Value, what: str) -> None:
        """Two lengths must be one.

        Raises:
            Misfit: they are two different ones.
            Unread: nothing says whether they are the same.
        """
        found = self._same(one, other)
        if found is None:
            raise Unread(f"{what}: nothing says whether the lengths are the same", place.offset, place.length)
        if not found:
            raise Misfit(f"{what}: the shapes don't go together", place.offset, place.length)

    def fits(self, one: Term, other: Term) -> bool:
        """Whether two lengths are known to be one."""
        return self._same(one, other) is True

    # Entry by entry

    def each(self, make: Callable[[Node], Node], value: Value) -> Value:
        """A function of every entry."""
        entry = value.entry
        if value.shaped is not None or value.unit:
            later: Callable[[Value], Value] = lambda by: self.each(make, self.sized(value, by))  # noqa: E731
            return changed(value, shaped=later, unit=False, ones=False, whole=None)
        return changed(value, entry=lambda batch, subs: make(entry(batch, subs)), ones=False, unit=False, whole=None)

    def pairs(self, make: Callable[[Node, Node], Node], one: Value, other: Value, what: str) -> Value:
        """A function of the entries of two arrays that go together entry by entry, or of which one has no axes."""
        one, other = self.sized(one, other), self.sized(other, one)
        dims, first, second = self._spread(one, other, what)
        batch, left, right = self._batches(one, other, what)
        a, b = one.entry, other.entry

        def entry(outer: Subscripts, subs: Subscripts) -> Node:
            return make(a(left(outer), first(subs)), b(right(outer), second(subs)))

        turned = one.turned if one.dims else other.turned
        start, end = min(one.offset, other.offset), max(one.offset + one.length, other.offset + other.length)
        return Value(batch, dims, entry, turned, offset=start, length=end - start)

    def add(self, one: Value, other: Value, minus: int | None = None) -> Value:
        """A sum; a difference, where a minus stands at an offset."""
        end = other.offset + other.length

        def make(a: Node, b: Node) -> Node:
            if minus is None:
                return Add(_term(a), _term(b))
            return Add(_term(a), Neg(_term(b), offset=minus, length=max(1, end - minus)))

        return self.pairs(make, one, other, "a sum")

    def sized(self, value: Value, by: Value) -> Value:
        """Ones, zeros and the identity get their sizes from what they are put together with."""
        if value.unit and len(by.dims) in (2, 4):
            return changed(value, dims=by.dims, unit=False)
        if value.shaped is not None and by.dims:
            return value.shaped(by)
        if value.loose and value.loose == len(by.dims):
            return changed(value, dims=by.dims, batch=value.batch or by.batch, loose=0)
        if value.ones and by.dims and not value.dims:
            return changed(value, dims=by.dims)
        return value

    def entrywise(self, one: Value, other: Value) -> Value:
        """The product of entries."""
        return self.pairs(lambda a, b: Mul(_term(a), _term(b)), one, other, "an entrywise product")

    def divide(self, one: Value, other: Value) -> Value:
        """A quotient: by a number, or of two rows entry by entry."""
        if len(other.dims) > 1:
            raise Unread("division by a matrix", other.offset, other.length)
        return self.pairs(lambda a, b: Div(_term(a), _term(b)), one, other, "a quotient")

    # Products

    def multiply(self, one: Value, other: Value) -> Value:
        """The product of two values that stand side by side."""
        if (one.unit or other.unit) and not (one.shaped or other.shaped):
            return other if one.unit else one
        if one.loose or other.loose or one.shaped or other.shaped:
            raise Unread("a product with what has no known shape", one.offset, one.length)
        if one.ones or other.ones:
            return self._by_ones(one, other)
        if not one.dims or not other.dims:
            found = self.pairs(lambda a, b: Mul(_term(a), _term(b)), one, other, "a product")
            return changed(found, turned=one.turned or other.turned)
        ranks = len(one.dims), len(other.dims)
        if ranks == (1, 1):
            if other.turned and not one.turned:
                return self._outer(one, other)
            if not one.turned:
                raise Unread("a product of two vectors: of entries, or their sum?", other.offset, other.length)
        elif (ranks[0] == 2 and ranks[1] == 1 and other.turned) or max(ranks) > 2:
            raise Misfit("a product: a row stands right of a matrix", other.offset, other.length)
        return self._contract(one, other)

    def _contract(self, one: Value, other: Value) -> Value:
        """The sum over the last axis of one and the first of the other."""
        self.same(one.dims[-1], other.dims[0], _together(one, other), "a product")
        batch, left, right = self._batches(one, other, "a product")
        count = len(one.dims) - 1
        index = self.fresh()
        stop, a, b = one.dims[-1], one.entry, other.entry

        def entry(outer: Subscripts, subs: Subscripts) -> Node:
            first = a(left(outer), (*subs[:count], Name(index)))
            second = b(right(outer), (Name(index), *subs[count:]))
            return Sum(Mul(_term(first), _term(second)), index, ZERO, stop)

        length = other.offset + other.length - one.offset
        return Value(batch, (*one.dims[:-1], *other.dims[1:]), entry, offset=one.offset, length=length)

    def _outer(self, one: Value, other: Value) -> Value:
        batch, left, right = self._batches(one, other, "a product")
        a, b = one.entry, other.entry

        def entry(outer: Subscripts, subs: Subscripts) -> Node:
            return Mul(_term(a(left(outer), subs[:1])), _term(b(right(outer), subs[1:])))

        return Value(batch, (*one.dims, *other.dims), entry, offset=one.offset)

    def _by_ones(self, one: Value, other: Value) -> Value:
        """`1 b^T`: b in every row. `1^T M`: the sum of the rows."""
        if one.ones and not one.turned and len(other.dims) == 1 and other.turned:
            return changed(other, turned=False, offset=one.offset)  # added to a matrix, it stands in every row
        if one.ones and one.turned and len(other.dims) == 2:
            index, stop, entry = self.fresh(), other.dims[0], other.entry
            summed: Entry = lambda batch, subs: Sum(_term(entry(batch, (Name(index), *subs))), index, ZERO, stop)  # noqa: E731
            return Value(other.batch, other.dims[1:], summed, offset=one.offset)
        raise Misfit("a product with a vector of ones that no shape allows", one.offset, one.length)

    def transpose(self, value: Value) -> Value:
        """The transpose of a matrix, or of a vector."""
        if value.ones or len(value.dims) == 1:
            return changed(value, turned=not value.turned)
        if len(value.dims) != 2:
            raise Misfit("the transpose of what is no matrix", value.offset, value.length)
        entry = value.entry
        return changed(value, dims=value.dims[::-1], entry=lambda batch, subs: entry(batch, subs[::-1]), whole=None)

    # Shapes

    def _spread(self, one: Value, other: Value, what: str) -> tuple[tuple[Term, ...], Picking, Picking]:
        """The common axes, and which of them each of two values takes; a vector stands in every row."""
        if one.loose or other.loose or one.shaped or other.shaped or one.unit or other.unit:
            raise Unread(f"{what} with what has no known shape", other.offset, other.length)
        if not one.dims or not other.dims:
            dims = one.dims or other.dims
            return (
                dims,
                _pick(len(dims) if one.dims else 0, one.dims),
                _pick(len(dims) if other.dims else 0, other.dims),
            )
        if len(one.dims) == 1 == len(other.dims) and one.turned != other.turned:
            raise Misfit(f"{what}: a row and a column", other.offset, other.length)
        dims = one.dims if len(one.dims) >= len(other.dims) else other.dims
        found: list[Term] = list(dims)
        for number in range(1, min(len(one.dims), len(other.dims)) + 1):
            first, second = one.dims[-number], other.dims[-number]
            if first == ONE or second == ONE:
                found[-number] = second if first == ONE else first
            else:
                self.same(first, second, other, what)
        return tuple(found), _pick(len(one.dims), one.dims), _pick(len(other.dims), other.dims)

    def _batches(self, one: Value, other: Value, what: str) -> tuple[tuple[Term, ...], Picking, Picking]:
        """The common batch axes; those of one value alone are those of both."""
        shorter, longer = sorted((one.batch, other.batch), key=len)
        for first, second in zip(reversed(shorter), reversed(longer), strict=False):
            self.same(first, second, other, what)
        return longer, _pick(len(one.batch), ()), _pick(len(other.batch), ())


Picking = Callable[[Subscripts], Subscripts]


def _pick(count: int, dims: tuple[Term, ...]) -> Picking:
    """The last `count` subscripts, 0 on axes of length 1."""

    def pick(subs: Subscripts) -> Subscripts:
        if not count:
            return ()
        taken = subs[len(subs) - count :]
        return tuple(ZERO if dims and dim == ONE else each for each, dim in zip(taken, dims or taken, strict=True))

    return pick


def _term(node: Node) -> Term:
    if not isinstance(node, Term):
        raise Unread("a number is needed, not a condition", node.offset, node.length)
    return node


def _together(one: Value, other: Value) -> Value:
    """Where two values stand."""
    return changed(other, offset=one.offset, length=max(1, other.offset + other.length - one.offset))


def term_of(node: Node) -> Term:
    """A node that must be a term.

    Raises:
        Unread: it is a condition.
    """
    return _term(node)


def call(function: str) -> Callable[[Node], Node]:
    """A function of the vocabulary, of one entry."""
    return lambda node: Call(function, (_term(node),))


def shifted(node: Node, names: dict[str, Term]) -> Node:
    """A node with free names put in; bound ones keep theirs."""

    def change(each: Node) -> Node:
        if isinstance(each, Name):
            return names.get(each.name, each)
        return rebuilt(each, change)  # type: ignore[no-any-return]

    return change(node)
