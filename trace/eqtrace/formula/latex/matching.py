"""Which claim of a form each clause of LaTeX is, and what must then be equal."""

from __future__ import annotations

from collections.abc import Mapping

from eqtrace.formula.form import Form, Range
from eqtrace.formula.latex.align import Claimed, distinct, from_zero, ranged, renamed, spread, unified
from eqtrace.formula.latex.arrays import term_of
from eqtrace.formula.latex.canon import Canon
from eqtrace.formula.latex.cursor import Reading
from eqtrace.formula.latex.errors import Misfit, Unread
from eqtrace.formula.latex.pairs import (
    Comparison,
    Pair,
    key_of,
    ordered,
    shown,
    turned,
)
from eqtrace.formula.latex.premises import Premises
from eqtrace.formula.latex.statements import Clause, Said, Says
from eqtrace.formula.term import (
    Apply,
    ArrayShape,
    Branch,
    Compare,
    Condition,
    Distributed,
    Indexed,
    Name,
    Node,
    Old,
    Piecewise,
    Statement,
    Term,
    Truth,
    changed,
    rebuilt,
    symbol_names,
    walk,
)
from eqtrace.model.equation import Equation


class Matching(Premises):
    """Finds for every clause the claim of the form that it must be."""

    def __init__(self, equation: Equation, form: Form, claims: list[Claimed], reading: Reading, said: Said) -> None:
        self.equation = equation
        self.form = form
        self.reading = reading
        self.said = said
        self.out = Comparison()
        self.taken: list[Claimed] = []  # the claims that a clause was found for
        self.free = set(form.indices) | reading.indices
        self.accumulated = self._accumulated()
        self.claims = [self._started(each) for each in claims]

    def _accumulated(self) -> set[str]:
        """The left sides that a gradient adds to: LaTeX shows their values from zero."""
        gradient = self.equation.gradient
        if gradient is None or gradient.accumulates is None:
            return set()
        return {name for part in range(len(self.form.parts)) for name in self.form.left(part)}

    def _started(self, claim: Claimed) -> Claimed:
        if not self.accumulated or not any(isinstance(node, Old) for node in walk(claim.node)):
            return claim
        note = "what is added to starts at 0"
        if note not in self.out.notes:
            self.out.notes.append(note)
        node = from_zero(claim.node, self.accumulated)
        assert isinstance(node, Statement)
        return changed(claim, node=node)

    def compared(self) -> Comparison:
        """The comparison of everything that is said.

        Raises:
            Unread: a clause is none of the form's.
        """
        claims = [clause for clause in self.said.clauses if clause.says is not Says.ORDER]
        orders = [clause for clause in self.said.clauses if clause.says is Says.ORDER]
        if not any(claim.sides for claim in self.claims):
            for clause in (each for each in claims if each.says is Says.EQUAL):
                raise Unread("an equation, where the form claims none", clause.offset, clause.length)
        given = list(dict.fromkeys(premise for clause in self.said.clauses for premise in clause.given))
        held = [premise for premise in given if self._claimed(premise)]
        conditions = [clause for clause in orders if not self._claimed(clause)]
        for clause in claims:
            outside = [*conditions, *(premise for premise in clause.given if premise not in held), *clause.conditions]
            self._clause(clause, outside)
        if not claims:
            for clause in conditions:
                raise Unread("a comparison that the form does not make", clause.offset, clause.length)
        return self.out

    # Claims

    def _claimed(self, clause: Clause) -> bool:
        """Whether the form itself says it, as a claim of its own; then it is compared as one."""
        if clause.says is Says.ORDER:
            return self._order(clause)
        if clause.says is Says.EQUAL:
            nodes, own = spread(clause, self.reading.arrays)
            if any(self._named(nodes[0], claim, own) is not None for claim in self.claims if not claim.premises):
                self._clause(clause, [])
                return True
            return False
        self._clause(clause, [])
        return True

    def _order(self, clause: Clause) -> bool:
        nodes, own = spread(clause, self.reading.arrays)
        for claim in self.claims:
            if isinstance(claim.node, Compare) and len(nodes) == 2:
                node = ranged(ordered(clause.signs[0], nodes), self.form.indices)
                names = unified(node, turned(claim.node, clause.signs[0]), {*own, *self.free})
                if names is not None:
                    self.out.met.add(claim.part)
                    return True
        return any(self._otherwise(clause, nodes, own, claim) for claim in self.claims if len(nodes) == 2)

    def _otherwise(self, clause: Clause, nodes: tuple[Node, ...], own: Mapping[str, Range], claim: Claimed) -> bool:
        """Whether a claim of the form compares the same names: then it is the one that is meant, and may differ."""
        if not isinstance(claim.node, Compare):
            return False
        theirs = [name for name in dict.fromkeys(symbol_names(claim.node)) if name in claim.ranges]
        node = ranged(ordered(clause.signs[0], nodes), self.form.indices)
        ours = {name for name in symbol_names(node) if name not in own and name not in claim.ranges}
        if len(theirs) != len(own) or ours != set(symbol_names(claim.node)) - set(theirs):
            return False
        put = renamed(node, dict(zip(own, map(Name, theirs), strict=True)))
        assert isinstance(put, Condition)
        self.condition(put, claim.node, claim.ranges, clause)
        self.out.met.add(claim.part)
        return True

    def _named(self, left: Node, claim: Claimed, own: Mapping[str, Range]) -> dict[str, Term] | None:
        left = ranged(left, self.form.indices)
        return unified(left, claim.sides[0], {*own, *self.free}) if claim.sides else None

    def _clause(self, clause: Clause, conditions: list[Clause]) -> None:
        match clause.says:
            case Says.EQUAL:
                self._equal(clause, conditions)
            case Says.BARE:
                self._bare(clause, conditions)
            case Says.ARRAY:
                self._array(clause)
            case Says.LAW:
                self._law(clause)
            case _:
                raise Unread("this is not read as a claim", clause.offset, clause.length)

    def _equal(self, clause: Clause, conditions: list[Clause]) -> None:
        nodes, own = spread(clause, self.reading.arrays)
        claim, names, skip = self._claim_for(nodes, own, clause)
        names = distinct(names, nodes, self.free, len(nodes))
        again = {term.name: self.form.indices[name] for name, term in names.items() if _is_new(name, term)}  # type: ignore[attr-defined]
        ranges = {**claim.ranges, **own, **again}
        pool = self._pool(claim) if len(nodes) > len(claim.sides) else list(claim.sides[1:])
        premises, only = self.premises(clause, conditions, claim, names, own)
        sides = [self.put(node, names) for node in nodes]
        if only is not None and clause.update:
            left = sides[0]
            assert isinstance(left, Name | Indexed)
            old = from_zero(Old(left), self.accumulated)
            sides = [
                left,
                *(Piecewise((Branch(term_of(each), only), Branch(term_of(old), Truth(True)))) for each in sides[1:]),
            ]
        elif only is not None:
            premises = (*premises, only)
        self.out.met.add(claim.part)
        for number, side in enumerate(sides):
            if number < skip:
                continue
            at = claim.sides[min(number, len(claim.sides) - 1)]
            forms = (at, *(each for each in pool if each is not at)) if skip else (at,)
            self.out.pairs.append(Pair(side, forms, premises, ranges))

    def put(self, node: Node, names: Mapping[str, Term]) -> Node:
        """A node of LaTeX by the form's indices, ranges and arguments written out."""
        return self._completed(renamed(ranged(node, self.form.indices), dict(names)))

    def _completed(self, node: Node) -> Node:
        """Applications with the arguments that LaTeX leaves out: those of the form's own."""
        if not self.equation.functions:
            return node
        node = rebuilt(node, self._completed)
        if not isinstance(node, Apply) or node.function not in self.equation.functions:
            return node
        every = (each for part in self.form.parts for each in walk(part.statement) if isinstance(each, Apply))
        for other in every:
            fewer = other.function == node.function and len(other.args) > len(node.args)
            if fewer and _among(node.args, other.args):
                left = ", ".join(shown(each) for each in other.args if each not in node.args)
                note = f"{node.function} without its arguments {left}"
                if note not in self.out.notes:
                    self.out.notes.append(note)
                return changed(node, args=other.args)
        return node

    def _claim_for(
        self, nodes: tuple[Node, ...], own: Mapping[str, Range], clause: Clause
    ) -> tuple[Claimed, dict[str, Term], int]:
        """The claim whose left side it has (sides from the second are compared), else the next (all are)."""
        equations = [claim for claim in self.claims if claim.sides]
        taken = {id(claim) for claim in self.taken}
        rest = [claim for claim in equations if id(claim) not in taken]
        for claim in rest:
            names = self._named(nodes[0], claim, own)
            if names is not None:
                self.taken.append(claim)
                return claim, names, 1
        if rest and (len(equations) == 1 or len(equations) == len(self.said.clauses)):
            self.taken.append(rest[0])
            return rest[0], self._by_axes(nodes[0], rest[0], own), 0
        raise Unread("the form claims nothing of this left side", clause.offset, clause.length)

    def _by_axes(self, node: Node, claim: Claimed, own: Mapping[str, Range]) -> dict[str, Term]:
        """Indices that LaTeX leaves out are the form's, in their order, where as many are left."""
        written = {each.name for each in walk(node) if isinstance(each, Name)}
        left = claim.sides[0]
        subs = left.subscripts if isinstance(left, Indexed) else ()
        free = [sub for sub in subs if not (isinstance(sub, Name) and sub.name in written - own.keys())]
        return dict(zip(own, free, strict=True)) if len(own) == len(free) else {}

    def _pool(self, claim: Claimed) -> list[Node]:
        """Every side that the form says to be equal to the claim's; its left side is none, which would say nothing."""
        canon = Canon(claim.ranges)
        found = list(claim.sides)
        keys = {key_of(canon, side) for side in found}
        for other in self.claims:
            if other is not claim and other.premises == claim.premises and other.sides:
                theirs = {key_of(canon, side) for side in other.sides}
                if keys & theirs:
                    found += other.sides
                    keys |= theirs
                    self.out.met.add(other.part)
        left = key_of(canon, claim.sides[0])
        return [side for side in found if key_of(canon, side) != left]

    def _bare(self, clause: Clause, conditions: list[Clause]) -> None:
        """A term alone, or several that are equal: the form's right side."""
        nodes, own = spread(clause, self.reading.arrays)
        claim = next((each for each in self.claims if each.sides), None)
        if claim is None:
            raise Unread("a term alone, where the form is no equation", clause.offset, clause.length)
        left = claim.sides[0]
        subs = left.subscripts if isinstance(left, Indexed) else ()
        if len(subs) != len(own) and not (not own and self._names_all(nodes, subs)):
            raise Misfit(
                "a term alone, of another number of axes than the form's left side", clause.offset, clause.length
            )
        names = dict(zip(own, subs, strict=False))
        premises, _ = self.premises(clause, conditions, claim, names, own)
        self.out.met.add(claim.part)
        for node in nodes:
            self.out.pairs.append(Pair(self.put(node, names), claim.sides[1:], premises, claim.ranges))

    def _names_all(self, nodes: tuple[Node, ...], subs: tuple[Term, ...]) -> bool:
        """Whether what is said names every index of the form's left side itself: `w(n) = ...`."""
        return all({*symbol_names(sub)} <= {name for node in nodes for name in symbol_names(node)} for sub in subs)

    def _array(self, clause: Clause) -> None:
        symbol = clause.sides[0]
        nodes, _ = spread(clause, self.reading.arrays)
        base = nodes[0].base if isinstance(nodes[0], Indexed) else ""
        for claim in self.claims:
            node = claim.node
            if isinstance(node, ArrayShape) and (node.symbol == base or not base):
                canon = Canon({})
                if not base:  # an expression: its own shape is held against the declared one
                    self._expression(clause, node)
                if [key_of(canon, each) for each in clause.sizes] != [key_of(canon, each) for each in node.sizes]:
                    raise Misfit("another shape than the form's", clause.offset, clause.length)
                for size, dim in zip(clause.sizes, symbol.dims, strict=False):
                    self.reading.arrays.same(size, dim, symbol, "its shape")
                self.out.met.add(claim.part)
                return
        raise Unread("the form says nothing of this shape", clause.offset, clause.length)

    def _expression(self, clause: Clause, node: ArrayShape) -> None:
        raise Unread("the shape of an expression", clause.offset, clause.length)

    def _law(self, clause: Clause) -> None:
        nodes, own = spread(changed(clause, sides=clause.sides[:1]), self.reading.arrays)
        for claim in self.claims:
            node = claim.node
            if isinstance(node, Distributed) and node.law == clause.law:
                names = unified(nodes[0], node.subject, {*own, *self.free})
                if names is None:
                    continue
                self.out.met.add(claim.part)
                for side, arg in zip(clause.sides[1:], node.args, strict=True):
                    self.out.pairs.append(Pair(self.put(side.term, names), (arg,), claim.premises, claim.ranges))
                return
        raise Unread("the form says nothing of this law", clause.offset, clause.length)


def _among(some: tuple[Node, ...], every: tuple[Node, ...]) -> bool:
    """Whether nodes stand among others, in their order."""
    rest = iter(every)
    return all(any(one == other for other in rest) for one in some)


def _is_new(name: str, term: Term) -> bool:
    return isinstance(term, Name) and term.name.startswith(f"{name}_")
