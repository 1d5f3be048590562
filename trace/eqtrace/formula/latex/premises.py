"""The conditions and ranges of a claim, LaTeX's held against the form's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from eqtrace.formula.form import Form, Range
from eqtrace.formula.latex.align import Claimed, spread
from eqtrace.formula.latex.arrays import term_of
from eqtrace.formula.latex.canon import Canon
from eqtrace.formula.latex.cursor import Reading
from eqtrace.formula.latex.errors import Unread
from eqtrace.formula.latex.pairs import (
    Comparison,
    Pair,
    balance,
    key_of,
    parts_of,
    selects,
    shown,
)
from eqtrace.formula.latex.statements import Clause, Said, Says
from eqtrace.formula.term import (
    Add,
    And,
    Compare,
    Condition,
    Eq,
    Name,
    Neg,
    Node,
    Term,
    symbol_names,
)


class Premises:
    """Compares what a claim holds under."""

    form: Form
    reading: Reading
    said: Said
    out: Comparison
    claims: list[Claimed]

    def put(self, node: Node, names: Mapping[str, Term]) -> Node:
        """A node of LaTeX by the form's indices."""
        raise NotImplementedError

    def premises(
        self,
        clause: Clause,
        conditions: list[Clause],
        claim: Claimed,
        names: Mapping[str, Term],
        own: Mapping[str, Range],
    ) -> tuple[tuple[Condition, ...], Condition | None]:
        """The form's premises; what LaTeX says of them is compared. A condition of an update that stays is returned."""
        stated: list[tuple[Condition, Clause]] = []
        for each in conditions:
            stated += [(condition, each) for condition in self._conditions(each, names, own)]
        wanted = [premise for premise in claim.premises if not selects(premise, claim.node)]
        only: Condition | None = None
        held: list[Condition] = []
        for condition, place in stated:
            canon = Canon(claim.ranges)
            key = key_of(canon, condition)
            same = next((each for each in wanted if key_of(canon, each) == key), None)
            if same is not None:
                wanted.remove(same)
            elif self._is_known(key, canon):
                held.append(condition)
            elif wanted and len(stated) == len(wanted) == 1:
                self.condition(condition, wanted.pop(), {**claim.ranges, **own}, place)
            elif clause.update and only is None:
                only = condition
            else:
                self._stray(condition, place)
        if wanted and only is None:
            self.out.differs = self.out.differs or (
                f"it has no condition where the form says {shown(wanted[0])}",
                clause.offset,
                clause.length,
            )
        needed = tuple(each for each in claim.premises if not selects(each, claim.node))
        return (*needed, *held, *self._ranges(claim, names)), only

    def condition(self, latex: Condition, form: Condition, ranges: Mapping[str, Range], place: Clause) -> None:
        """Two conditions that are not alike: with the same difference of sides, another sign is another condition."""
        one, other = balance(latex), balance(form)
        if one is None or other is None:
            raise Unread(f"a condition that is not the form's {shown(form)}", place.offset, place.length)
        canon = Canon(ranges)
        if key_of(canon, one[1]) == key_of(canon, other[1]):
            message = f"the condition is {shown(latex)}, the form's {shown(form)}"
            self.out.differs = self.out.differs or (message, place.offset, place.length)
        elif one[0] == other[0]:
            difference = replace(one[1], offset=place.offset, length=place.length)
            self.out.pairs.append(Pair(difference, (other[1],), (), ranges, "the condition"))
        else:
            raise Unread(f"a condition that is not the form's {shown(form)}", place.offset, place.length)

    def _stray(self, condition: Condition, place: Clause) -> None:
        """A condition that the form does not state."""
        names = set(symbol_names(condition))
        named = (each.sides[1] for each in self.claims if len(each.sides) == 2 and isinstance(each.sides[1], Condition))
        for other in (*self.form.where, *named):
            if any(set(symbol_names(part)) == names for part in (*parts_of(other), other)):
                message = f"it holds where {shown(condition)}, the form where {shown(other)}"
                self.out.differs = self.out.differs or (message, place.offset, place.length)
                return
        raise Unread("a condition that the form does not state", place.offset, place.length)

    def _is_known(self, key: object, canon: Canon) -> bool:
        """Whether `where` says it, or a part of the form that only names a condition."""
        for condition in self.form.where:
            if key in {key_of(canon, each) for each in parts_of(condition)}:
                return True
        for claim in self.claims:
            named = claim.sides[1] if len(claim.sides) == 2 else None
            if isinstance(named, Condition) and key in {key_of(canon, each) for each in parts_of(named)}:
                self.out.met.add(claim.part)
                return True
        return False

    def _conditions(self, clause: Clause, names: Mapping[str, Term], of: Mapping[str, Range]) -> list[Condition]:
        if clause.says not in (Says.ORDER, Says.EQUAL):
            raise Unread("a condition that is not read", clause.offset, clause.length)
        nodes, own = spread(clause, self.reading.arrays)
        if len(own) > len(of) or any(side.dims for side in clause.sides):
            raise Unread("a condition on arrays", clause.offset, clause.length)
        # axes that the condition leaves out are those that the claim does
        same = {one: names.get(other, Name(other)) for one, other in zip(own, of, strict=False)}
        put = [self.put(node, {**names, **same}) for node in nodes]
        if clause.says is Says.EQUAL:
            return [Eq(tuple(term_of(each) for each in put))]
        return [
            Compare(sign, term_of(one), term_of(other))
            for sign, one, other in zip(clause.signs, put, put[1:], strict=False)
        ]

    def _ranges(self, claim: Claimed, names: Mapping[str, Term]) -> tuple[Condition, ...]:
        """LaTeX's own ranges of indices: the form's, or narrower where the form says nothing outside."""
        found: list[Condition] = []
        for name, ends in self.said.ranges.items():
            target = names.get(name, Name(name))
            own = claim.ranges.get(target.name) if isinstance(target, Name) else None
            offset, length = self.said.range_places[name]
            if own is None:
                raise Unread("the range of what is no index of the form", offset, length)
            canon = Canon(claim.ranges)
            if isinstance(target, Name) and target.name not in set(symbol_names(claim.node)):
                count = key_of(canon, Add(ends.stop, Neg(ends.start)))
                if count == key_of(canon, Add(own.stop, Neg(own.start))):
                    continue  # so many turns
                raise Unread("another number of turns than the form's index has", offset, length)
            start, stop = (self.put(end, names) for end in (ends.start, ends.stop))
            if key_of(canon, start) == key_of(canon, own.start) and key_of(canon, stop) == key_of(canon, own.stop):
                continue
            inside = (Compare(">=", target, term_of(start)), Compare("<", target, term_of(stop)))
            narrowed = [key_of(canon, each) for each in (*self.form.narrows(), *claim.premises)]
            if all(key_of(canon, each) in narrowed for each in inside):
                continue
            self._within(claim, own, start, stop, inside, (offset, length))
            found += inside
        return tuple(found)

    def _within(
        self, claim: Claimed, own: Range, start: Node, stop: Node, inside: tuple[Condition, ...], place: tuple[int, int]
    ) -> None:
        """LaTeX must not leave the form's range, and outside LaTeX's the form must be an identity."""
        from eqtrace.formula.term import Call, Not

        for name, one, other in (("Max", start, own.start), ("Min", stop, own.stop)):
            both = Call(name, (term_of(one), other))
            self.out.pairs.append(
                Pair(replace(one, offset=place[0], length=place[1]), (both,), (), claim.ranges, "the range")
            )
        outside = Not(And(inside))
        first = replace(claim.sides[0], offset=place[0], length=place[1])
        self.out.pairs += [
            Pair(first, (side,), (*claim.premises, outside), claim.ranges, "the range") for side in claim.sides[1:]
        ]
