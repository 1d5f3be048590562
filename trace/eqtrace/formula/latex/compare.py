"""An equation's LaTeX read back and held against its form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from eqtrace.formula.form import Form, Range
from eqtrace.formula.latex.align import Claimed, claimed, distinct, from_zero, ranged, renamed, spread, unified
from eqtrace.formula.latex.arrays import ZERO, Arrays
from eqtrace.formula.latex.canon import Canon, TooLarge
from eqtrace.formula.latex.cursor import Reading
from eqtrace.formula.latex.errors import Misfit, Unread
from eqtrace.formula.latex.names import Names, Role, names_of
from eqtrace.formula.latex.statements import Clause, Said, Says, Statements
from eqtrace.formula.latex.tokens import Kind, bare, tokens
from eqtrace.formula.term import (
    Add,
    And,
    Apply,
    ArrayShape,
    Branch,
    Compare,
    Condition,
    Distributed,
    Eq,
    Indexed,
    Name,
    Neg,
    Node,
    Number,
    Old,
    Piecewise,
    Statement,
    String,
    Term,
    Truth,
    rebuilt,
    symbol_names,
    walk,
)
from eqtrace.model.equation import Equation
from eqtrace.model.readback import ReadBack, Readback


@dataclass(frozen=True, slots=True)
class Pair:
    """A node of LaTeX, and the nodes of the form with one of which it must agree; the first is its partner."""

    latex: Node
    forms: tuple[Node, ...]
    premises: tuple[Condition, ...]
    ranges: Mapping[str, Range]
    what: str = ""


@dataclass
class Comparison:
    """What is to be shown for LaTeX and form to agree."""

    pairs: list[Pair] = field(default_factory=list)
    met: set[int] = field(default_factory=set)  # parts of the form
    notes: list[str] = field(default_factory=list)
    differs: tuple[str, int, int] | None = None


def read_back(equation: Equation, form: Form) -> tuple[Readback, Comparison | None]:
    """Read an equation's LaTeX and compare what can be compared by the cheap normal form.

    Pairs that it leaves open are in the comparison: see `settle`.
    """
    assert equation.latex is not None
    text = equation.latex.value
    try:
        comparison = _comparison(equation, form, text)
    except Misfit as error:
        return Readback(equation.id, ReadBack.DIFFERS, "", error.message, error.offset, error.length), None
    except Unread as error:
        return Readback(equation.id, ReadBack.NOT_READ, "", error.message, error.offset, error.length), None
    except RecursionError:
        return Readback(equation.id, ReadBack.NOT_READ, "", "nested too deep", 0, len(text)), None
    notes = "; ".join(comparison.notes)
    more = tuple(part.text.value for number, part in enumerate(form.parts) if number not in comparison.met)
    if comparison.differs is not None:
        message, offset, length = comparison.differs
        return Readback(equation.id, ReadBack.DIFFERS, "", message, offset, length, more=more), None
    open_ = [pair for pair in comparison.pairs if not _alike(pair)]
    if open_:
        comparison.pairs = open_
        return Readback(equation.id, ReadBack.NOT_COMPARED, "", notes, more=more), comparison
    return Readback(equation.id, ReadBack.AGREES, "proof", notes, more=more), None


def _alike(pair: Pair) -> bool:
    """Whether the normal forms are the same."""
    canon = Canon(pair.ranges)
    try:
        key = canon.key(pair.latex)
    except (TooLarge, RecursionError):
        return False
    for each in pair.forms:
        try:
            if canon.key(each) == key:
                return True
        except (TooLarge, RecursionError):
            continue
    return False


def reading_of(equation: Equation, form: Form, lefts: set[str]) -> Reading:
    """What the reader of an equation knows."""
    names = names_of(equation, form)
    arrays = Arrays(_same(form))
    lengths = {name: ends.stop for name, ends in form.indices.items() if ends.start == ZERO}
    return Reading(names, form, arrays, lengths, set(form.indices), _step(names, form), lefts=lefts)


def _step(names: Names, form: Form) -> str:
    """The symbol that counts steps: an integer without axes, `t`, that the form never puts into a subscript."""
    declared = names.declared.get("t")
    if declared is None or declared.role is not Role.SYMBOL or declared.dims != ():
        return ""
    inside = {
        name
        for part in form.parts
        for node in walk(part.statement)
        if isinstance(node, Indexed)
        for sub in node.subscripts
        for name in symbol_names(sub)
    }
    return "" if "t" in inside else "t"


def _same(form: Form):  # type: ignore[no-untyped-def]
    """Whether two lengths are one: None where they are neither alike nor two different sizes."""
    canon = Canon({})
    equal = {
        frozenset(map(canon.key, condition.sides)): True
        for condition in form.where
        if isinstance(condition, Eq) and len(condition.sides) == 2
    }
    tied = [set(symbol_names(condition)) for condition in form.where if isinstance(condition, Eq)]

    def same(one: Term, other: Term) -> bool | None:
        first, second = canon.key(one), canon.key(other)
        if first == second or frozenset((first, second)) in equal:
            return True
        plain = all(isinstance(each, Name | Number) for each in (one, other))
        together = {*symbol_names(one), *symbol_names(other)}
        return False if plain and not any(together <= names for names in tied) else None

    return same


def _comparison(equation: Equation, form: Form, text: str) -> Comparison:
    claims = claimed(form)
    lefts = {name for part in range(len(form.parts)) for name in form.left(part)}
    reading = reading_of(equation, form, lefts)
    found = bare(tokens(text))
    while found and found[-1].kind is Kind.GAP:
        found = found[:-1]
    said = Statements(reading, found).read()
    return Matching(equation, form, claims, reading, said).compared()


class Matching:
    """Finds for every clause the claim of the form that it must be."""

    def __init__(self, equation: Equation, form: Form, claims: list[Claimed], reading: Reading, said: Said) -> None:
        self.equation = equation
        self.form = form
        self.reading = reading
        self.said = said
        self.out = Comparison()
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
        return replace(claim, node=node)

    def compared(self) -> Comparison:
        """The comparison of everything that is said.

        Raises:
            Unread: a clause is none of the form's.
        """
        claims = [clause for clause in self.said.clauses if clause.says is not Says.ORDER]
        orders = [clause for clause in self.said.clauses if clause.says is Says.ORDER]
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
                node = ranged(_ordered(clause.signs[0], nodes), self.form.indices)
                names = unified(node, _turned(claim.node, clause.signs[0]), {*own, *self.free})
                if names is not None:
                    self.out.met.add(claim.part)
                    return True
        return any(self._otherwise(clause, nodes, own, claim) for claim in self.claims if len(nodes) == 2)

    def _otherwise(self, clause: Clause, nodes: tuple[Node, ...], own: Mapping[str, Range], claim: Claimed) -> bool:
        """Whether a claim of the form compares the same names: then it is the one that is meant, and may differ."""
        if not isinstance(claim.node, Compare):
            return False
        theirs = [name for name in dict.fromkeys(symbol_names(claim.node)) if name in claim.ranges]
        node = ranged(_ordered(clause.signs[0], nodes), self.form.indices)
        ours = {name for name in symbol_names(node) if name not in own and name not in claim.ranges}
        if len(theirs) != len(own) or ours != set(symbol_names(claim.node)) - set(theirs):
            return False
        put = renamed(node, dict(zip(own, map(Name, theirs), strict=True)))
        assert isinstance(put, Condition)
        self._condition(put, claim.node, claim.ranges, clause)
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
                self._bare(clause)
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
        premises, only = self._premises(clause, conditions, claim, names, own)
        sides = [self._put(node, names) for node in nodes]
        if only is not None and clause.update:
            left = sides[0]
            assert isinstance(left, Name | Indexed)
            old = from_zero(Old(left), self.accumulated)
            sides = [
                left,
                *(Piecewise((Branch(_term(each), only), Branch(_term(old), Truth(True)))) for each in sides[1:]),
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

    def _put(self, node: Node, names: Mapping[str, Term]) -> Node:
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
                left = ", ".join(_shown(each) for each in other.args if each not in node.args)
                note = f"{node.function} without its arguments {left}"
                if note not in self.out.notes:
                    self.out.notes.append(note)
                return replace(node, args=other.args)
        return node

    def _claim_for(
        self, nodes: tuple[Node, ...], own: Mapping[str, Range], clause: Clause
    ) -> tuple[Claimed, dict[str, Term], int]:
        """The claim whose left side it has (sides from the second are compared), else the next (all are)."""
        equations = [claim for claim in self.claims if claim.sides]
        for fresh in (True, False):
            for claim in equations:
                if fresh and claim.part in self.out.met and len(equations) > 1:
                    continue
                names = self._named(nodes[0], claim, own)
                if names is not None:
                    return claim, names, 1
        rest = [claim for claim in equations if claim.part not in self.out.met] or equations
        if len(equations) == 1 or len(equations) == len(self.said.clauses):
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
        keys = {_key(canon, side) for side in found}
        for other in self.claims:
            if other is not claim and other.premises == claim.premises and other.sides:
                theirs = {_key(canon, side) for side in other.sides}
                if keys & theirs:
                    found += other.sides
                    keys |= theirs
                    self.out.met.add(other.part)
        left = _key(canon, claim.sides[0])
        return [side for side in found if _key(canon, side) != left]

    def _premises(
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
        wanted = [premise for premise in claim.premises if not _selects(premise, claim.node)]
        only: Condition | None = None
        held: list[Condition] = []
        for condition, place in stated:
            canon = Canon(claim.ranges)
            key = _key(canon, condition)
            same = next((each for each in wanted if _key(canon, each) == key), None)
            if same is not None:
                wanted.remove(same)
            elif self._is_known(key, canon):
                held.append(condition)
            elif wanted and len(stated) == len(wanted) == 1:
                self._condition(condition, wanted.pop(), {**claim.ranges, **own}, place)
            elif clause.update and only is None:
                only = condition
            else:
                self._stray(condition, place)
        if wanted and only is None:
            self.out.differs = self.out.differs or (
                f"it has no condition where the form says {_shown(wanted[0])}",
                clause.offset,
                clause.length,
            )
        needed = tuple(each for each in claim.premises if not _selects(each, claim.node))
        return (*needed, *held, *self._ranges(claim, names)), only

    def _condition(self, latex: Condition, form: Condition, ranges: Mapping[str, Range], place: Clause) -> None:
        """Two conditions that are not alike: with the same difference of sides, another sign is another condition."""
        one, other = _balance(latex), _balance(form)
        if one is None or other is None:
            raise Unread(f"a condition that is not the form's {_shown(form)}", place.offset, place.length)
        canon = Canon(ranges)
        if _key(canon, one[1]) == _key(canon, other[1]):
            message = f"the condition is {_shown(latex)}, the form's {_shown(form)}"
            self.out.differs = self.out.differs or (message, place.offset, place.length)
        elif one[0] == other[0]:
            difference = replace(one[1], offset=place.offset, length=place.length)
            self.out.pairs.append(Pair(difference, (other[1],), (), ranges, "the condition"))
        else:
            raise Unread(f"a condition that is not the form's {_shown(form)}", place.offset, place.length)

    def _stray(self, condition: Condition, place: Clause) -> None:
        """A condition that the form does not state."""
        names = set(symbol_names(condition))
        named = (each.sides[1] for each in self.claims if len(each.sides) == 2 and isinstance(each.sides[1], Condition))
        for other in (*self.form.where, *named):
            if any(set(symbol_names(part)) == names for part in (*_parts(other), other)):
                message = f"it holds where {_shown(condition)}, the form where {_shown(other)}"
                self.out.differs = self.out.differs or (message, place.offset, place.length)
                return
        raise Unread("a condition that the form does not state", place.offset, place.length)

    def _is_known(self, key: object, canon: Canon) -> bool:
        """Whether `where` says it, or a part of the form that only names a condition."""
        for condition in self.form.where:
            if key in {_key(canon, each) for each in _parts(condition)}:
                return True
        for claim in self.claims:
            named = claim.sides[1] if len(claim.sides) == 2 else None
            if isinstance(named, Condition) and key in {_key(canon, each) for each in _parts(named)}:
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
        put = [self._put(node, {**names, **same}) for node in nodes]
        if clause.says is Says.EQUAL:
            return [Eq(tuple(_term(each) for each in put))]
        return [
            Compare(sign, _term(one), _term(other))
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
                count = _key(canon, Add(ends.stop, Neg(ends.start)))
                if count == _key(canon, Add(own.stop, Neg(own.start))):
                    continue  # so many turns
                raise Unread("another number of turns than the form's index has", offset, length)
            start, stop = (self._put(end, names) for end in (ends.start, ends.stop))
            if _key(canon, start) == _key(canon, own.start) and _key(canon, stop) == _key(canon, own.stop):
                continue
            inside = (Compare(">=", target, _term(start)), Compare("<", target, _term(stop)))
            narrowed = [_key(canon, each) for each in (*self.form.narrows(), *claim.premises)]
            if all(_key(canon, each) in narrowed for each in inside):
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
            both = Call(name, (_term(one), other))
            self.out.pairs.append(
                Pair(replace(one, offset=place[0], length=place[1]), (both,), (), claim.ranges, "the range")
            )
        outside = Not(And(inside))
        first = replace(claim.sides[0], offset=place[0], length=place[1])
        self.out.pairs += [
            Pair(first, (side,), (*claim.premises, outside), claim.ranges, "the range") for side in claim.sides[1:]
        ]

    def _bare(self, clause: Clause) -> None:
        """A term alone: the form's right side."""
        nodes, own = spread(clause, self.reading.arrays)
        claim = next((each for each in self.claims if each.sides), None)
        if claim is None:
            raise Unread("a term alone, where the form is no equation", clause.offset, clause.length)
        left = claim.sides[0]
        subs = left.subscripts if isinstance(left, Indexed) else ()
        if len(subs) != len(own):
            raise Misfit(
                "a term alone, of another number of axes than the form's left side", clause.offset, clause.length
            )
        names = dict(zip(own, subs, strict=True))
        self.out.met.add(claim.part)
        self.out.pairs.append(Pair(self._put(nodes[0], names), claim.sides[1:], claim.premises, claim.ranges))

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
                if [_key(canon, each) for each in clause.sizes] != [_key(canon, each) for each in node.sizes]:
                    raise Misfit("another shape than the form's", clause.offset, clause.length)
                for size, dim in zip(clause.sizes, symbol.dims, strict=False):
                    self.reading.arrays.same(size, dim, symbol, "its shape")
                self.out.met.add(claim.part)
                return
        raise Unread("the form says nothing of this shape", clause.offset, clause.length)

    def _expression(self, clause: Clause, node: ArrayShape) -> None:
        raise Unread("the shape of an expression", clause.offset, clause.length)

    def _law(self, clause: Clause) -> None:
        nodes, own = spread(replace(clause, sides=clause.sides[:1]), self.reading.arrays)
        for claim in self.claims:
            node = claim.node
            if isinstance(node, Distributed) and node.law == clause.law:
                names = unified(nodes[0], node.subject, {*own, *self.free})
                if names is None:
                    continue
                self.out.met.add(claim.part)
                for side, arg in zip(clause.sides[1:], node.args, strict=True):
                    self.out.pairs.append(Pair(self._put(side.term, names), (arg,), claim.premises, claim.ranges))
                return
        raise Unread("the form says nothing of this law", clause.offset, clause.length)


def _among(some: tuple[Node, ...], every: tuple[Node, ...]) -> bool:
    """Whether nodes stand among others, in their order."""
    rest = iter(every)
    return all(any(one == other for other in rest) for one in some)


def _ordered(sign: str, nodes: tuple[Node, ...]) -> Compare:
    return Compare(sign, _term(nodes[0]), _term(nodes[1]))


_OTHER = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def _is_new(name: str, term: Term) -> bool:
    return isinstance(term, Name) and term.name.startswith(f"{name}_")


def _balance(condition: Condition) -> tuple[str, Term] | None:
    """A comparison as the sign that a difference has."""
    if isinstance(condition, Eq) and len(condition.sides) == 2:
        one, other = condition.sides
        return ("=", Add(_term(one), Neg(_term(other))))
    if isinstance(condition, Compare):
        if condition.operator in (">", ">="):
            return _OTHER[condition.operator], Add(condition.right, Neg(condition.left))
        return condition.operator, Add(condition.left, Neg(condition.right))
    return None


def _turned(node: Compare, sign: str) -> Compare:
    return Compare(sign, node.right, node.left) if _OTHER.get(node.operator) == sign else node


def _selects(premise: Condition, claim: Node) -> bool:
    """Whether a premise only picks one of several claims: a symbol that the claim does not name has a given value."""
    if not isinstance(premise, Eq) or len(premise.sides) != 2:
        return False
    one, other = premise.sides
    return isinstance(one, Name) and isinstance(other, String | Number) and one.name not in set(symbol_names(claim))


def _parts(condition: Condition) -> list[Condition]:
    """A condition and what it is made of by `and`."""
    found = [condition]
    if isinstance(condition, And):
        found += [part for part in condition.parts if isinstance(part, Condition)]
    return found


def _key(canon: Canon, node: Node) -> object:
    try:
        return canon.key(node)
    except TooLarge:
        return ("too large", id(node))


def _term(node: Node) -> Term:
    if not isinstance(node, Term):
        raise Unread("a number is needed, not a condition", node.offset, node.length)
    return node


def _shown(node: Node) -> str:
    from eqtrace.formula.written import written

    return written(node)
