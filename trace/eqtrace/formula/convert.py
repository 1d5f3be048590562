"""Terms into the normal form, symbols staying folded; definitions are put in where they are asked for.

A value that may be infinite (a masked score) is a list of cases, each with its condition; only exponentials and
comparisons take such a value in.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from eqtrace.formula import binders, guards, rebuilding
from eqtrace.formula.algebra import Algebra
from eqtrace.formula.derivative import Differentiator
from eqtrace.formula.facts import NOT_NEGATIVE, NOT_ZERO, POSITIVE, Facts, Unprovable
from eqtrace.formula.given import Definition, Problem, composite
from eqtrace.formula.polynomial import (
    ONE,
    ZERO,
    Atom,
    Kind,
    Polynomial,
    Rational,
    add,
    number,
    of_atom,
    scale,
    subtract,
    variable,
)
from eqtrace.formula.signs import TermSigns
from eqtrace.formula.term import (
    Add,
    And,
    Call,
    Compare,
    Condition,
    Constant,
    Derivative,
    Div,
    Eq,
    Flag,
    Indexed,
    Mul,
    Name,
    Neg,
    Node,
    Not,
    Number,
    Old,
    Or,
    Piecewise,
    Pow,
    Product,
    Reduction,
    Sum,
    Term,
    Truth,
    Var,
    walk,
)
from eqtrace.formula.written import written, written_polynomial

Env: TypeAlias = Mapping[str, Polynomial]
LIMIT_UNROLLED = 4096
SHORT = 16  # a sum over so few known numbers is written out in any case


@dataclass(frozen=True, slots=True)
class Case:
    """A value under a condition; `value` is None for an infinity, whose sign is `infinite`."""

    guard: Polynomial
    value: Polynomial | None
    infinite: int = 0


@dataclass(frozen=True, slots=True)
class Split:
    """An index as h*s + c, and the ranges of h and c."""

    value: Polynomial
    ranges: Mapping[str, tuple[Polynomial, Polynomial]]


def _widths(nodes: Iterable[Node]) -> set[str]:
    """The sizes s by which something is subscripted as h*s + c, floor(k/s) or Mod(k, s)."""
    found: set[str] = set()
    for node in (each for top in nodes for each in walk(top)):
        match node:
            case Indexed(subscripts=subscripts):
                for part in (each for subscript in subscripts for each in walk(subscript)):
                    if isinstance(part, Mul) and isinstance(part.right, Name):
                        found.add(part.right.name)
            case (
                Call(function="Mod", args=(_, Name(name=name)))
                | Call(function="floor", args=(Div(right=Name(name=name)),))
            ):
                found.add(name)
    return found


class Converter:
    """See the module. With `sizes`, sums over known ranges are written out."""

    def __init__(
        self, problem: Problem, facts: Facts, sizes: Mapping[str, int] | None = None, nodes: Iterable[Node] = ()
    ) -> None:
        self.problem = problem
        self.facts = facts
        self.algebra = Algebra(facts)
        self.sizes = dict(sizes or {})
        self.aliases = {} if sizes else problem.aliases()
        self.signs = self._own_signs = TermSigns(problem, facts, self.value, self.generic)
        bodies = (own.body for own in problem.definitions.values() if own.body is not None)
        patterns = (Indexed(own.symbol, own.pattern) for own in problem.definitions.values())
        self.widths = _widths((*nodes, *bodies, *patterns))
        self.held: frozenset[str] = frozenset()
        self._inline: dict[str, bool] = {}
        self._branch_starts: list[int] = []  # how many facts were known where each branch began
        self._sizes_of: dict[str, tuple[Polynomial, ...]] = {}
        self._branching: dict[tuple[int, frozenset[str]], tuple[Node, bool]] = {}  # by id of a node, which is held
        self._depends = {name: problem.depends(name) for name in (*problem.definitions, *problem.opaque)}

    # Values

    def value(self, term: Node, env: Env) -> Polynomial:
        """A term's normal form."""
        algebra = self.algebra
        match term:
            case Number(value=value):
                return number(value)
            case Constant(name="pi"):
                return of_atom(Atom(Kind.CONSTANT, "pi"))
            case Name(name=name):
                return self._name(name, env)
            case Indexed(base=base):
                return self._symbol(base, self._place(term, env))
            case Old(target=Name(name=name)):
                return self._symbol(f"Old({name})", ())
            case Old(target=Indexed(base=base) as target):
                return self._symbol(f"Old({base})", self._place(target, env))
            case Add(left=left, right=right):
                return add((self.value(left, env), self.value(right, env)))
            case Neg(operand=operand):
                return scale(self.value(operand, env), -1)
            case Mul(left=left, right=right):
                return algebra.multiply(self.value(left, env), self.value(right, env))
            case Div(left=left, right=right):
                self._require(NOT_ZERO, right, env)
                return algebra.divide(self.value(left, env), self.value(right, env))
            case Pow(base=base, exponent=exponent):
                return self._power(base, exponent, env)
            case Call(function=function, args=args):
                return self._call(function, args, env)
            case Piecewise():
                return self._joined(self.cases(term, env))
            case Reduction():
                return self._reduction(term, env)
            case Derivative(body=body, by=by):
                return self._derivative(body, by, env)
            case Var(operand=operand):
                return self._variance(operand, env)
        raise Unprovable(f"{type(term).__name__} has no normal form")

    def _name(self, name: str, env: Env) -> Polynomial:
        if name in env:
            return env[name]
        if name in self.sizes:
            return number(self.sizes[name])
        if name in self.aliases:
            return self.value(self.aliases[name], {})
        if name in self.facts.ranges or name in self.problem.sizes:
            return variable(name)
        if name in self.problem.indices:
            raise Unprovable(f"index {name} is free in a definition")
        return self._symbol(name, ())

    def _symbol(self, name: str, subscripts: tuple[Polynomial, ...]) -> Polynomial:
        if name in self.problem.definitions and name not in self.held and self.inline(name):
            return self._joined(self.instance(name, subscripts))
        return self.algebra.entry(name, subscripts)

    def _place(self, entry: Indexed, env: Env) -> tuple[Polynomial, ...]:
        """The subscripts of an entry, each held against its axis; where it is not seen to lie on it, that is assumed.

        Raises:
            Unprovable: a subscript lies outside its axis for certain, or may be no integer.
        """
        found = tuple(self.value(each, env) for each in entry.subscripts)
        for subscript, stop, node in zip(found, self._stops(entry.base), entry.subscripts, strict=False):
            if not self.facts.is_integer(subscript):
                raise Unprovable(f"the subscript {written(node)} of {entry.base} may be no integer")
            if self.facts.within(subscript, ZERO, stop):
                continue
            below = self.facts.not_negative(subtract(scale(subscript, -1), ONE))
            if below or self.facts.not_negative(subtract(subscript, stop)):
                raise Unprovable(f"{written(entry)} lies outside {entry.base}")
            self.facts.assume(f"0 <= {written(node)} < {written_polynomial(stop)}")
        return found

    def _stops(self, name: str) -> tuple[Polynomial, ...]:
        """The sizes of a symbol's axes; none where its shape is not declared."""
        if name not in self._sizes_of:
            self._sizes_of[name] = tuple(self.value(dim, {}) for dim in self.problem.shapes.get(name) or ())
        return self._sizes_of[name]

    def _joined(self, cases: list[Case]) -> Polynomial:
        parts: list[Polynomial] = []
        for case in cases:
            if case.value is None:
                raise Unprovable("an infinity stands where a number is needed")
            parts.append(self.algebra.multiply(case.guard, case.value))
        return add(parts)

    def _require(self, sign: int, term: Term, env: Env, value: Polynomial | None = None) -> None:
        """What a quotient, a root or a logarithm needs; assumed where it is not seen."""
        if self.signs.of(term, env) & sign == sign:
            return
        value = self.value(term, env) if value is None else value
        if self.facts.sign(value) & sign != sign:
            relation = {NOT_ZERO: "!=", NOT_NEGATIVE: ">=", POSITIVE: ">"}[sign]
            self.facts.assume(f"{written(term)} {relation} 0")

    def _power(self, base: Term, exponent: Term, env: Env) -> Polynomial:
        power = self.value(exponent, env)
        known = power.constant()
        if known is not None:
            if isinstance(known, Fraction) and known.denominator != 1:
                self._require(NOT_NEGATIVE if known > 0 else POSITIVE, base, env)
            elif known < 0:
                self._require(NOT_ZERO, base, env)
            return self.algebra.power(self.value(base, env), known)
        value = self.value(base, env)
        if self.signs.of(base, env) == POSITIVE or self.facts.sign(value) == POSITIVE:
            return self.algebra.exp(self.algebra.multiply(power, self.algebra.log(value)))
        return of_atom(Atom(Kind.FUNCTION, "power", (value, power)))

    def _reduction(self, term: Reduction, env: Env) -> Polynomial:
        if term.start is None or term.stop is None:
            raise Unprovable(f"index {term.index} has no range")
        start, stop = self.value(term.start, env), self.value(term.stop, env)
        first, last = start.constant(), stop.constant()
        if first is not None and last is not None and (self.sizes or last - first <= SHORT):
            return self._unrolled(term, int(first), int(last), env)
        parts = self.split(start, stop) if isinstance(term, Sum) else None
        if parts is not None:
            found = self.value(term.body, {**env, term.index: parts.value})
            for each, (low, high) in parts.ranges.items():
                found = self.algebra.sum_over(found, each, low, high)
            return found
        name = self.facts.fresh()
        self.facts.ranges[name] = (start, stop)
        inner = {**env, term.index: variable(name)}
        if isinstance(term, Sum):
            return self.algebra.sum_over(self.value(term.body, inner), name, start, stop)
        args = [start, stop]
        finite = False
        for case in self.cases(term.body, inner):
            infinity = Atom(Kind.CONSTANT, "oo" if case.infinite > 0 else "-oo")
            args += [case.guard, of_atom(infinity) if case.value is None else case.value]
            holds = rebuilding.put_in(self.algebra, case.guard, {name: start})
            finite = finite or (case.value is not None and holds == ONE)
        if not finite:
            self.facts.assume(f"{written(term)} is finite")
        return of_atom(binders.reduction(self.algebra, type(term).__name__, name, tuple(args)))

    def _unrolled(self, term: Reduction, first: int, last: int, env: Env) -> Polynomial:
        if last - first > LIMIT_UNROLLED:
            raise Unprovable("too long a range")
        values = (self.value(term.body, {**env, term.index: number(each)}) for each in range(first, last))
        if isinstance(term, Sum):
            return add(values)
        if isinstance(term, Product):
            return self.algebra.product(values)
        return of_atom(Atom(Kind.FUNCTION, type(term).__name__, tuple(values)))

    def split(self, start: Polynomial, stop: Polynomial, names: tuple[str, str] | None = None) -> Split | None:
        """An index below H*s as h*s + c with two new indices, where something is subscripted so by s."""
        single = stop.single()
        if start.terms or single is None or single[0] != 1 or len(single[1]) != 2:
            return None
        factors = [atom for atom, exponent in single[1] if exponent == 1 and atom.name in self.facts.sizes]
        widths = [atom for atom in factors if atom.name in self.widths]
        if len(factors) != 2 or len(widths) != 1:
            return None
        width = of_atom(widths[0])
        count = of_atom(factors[0] if factors[1] == widths[0] else factors[1])
        high, low = names or (self.facts.fresh(), self.facts.fresh())
        ranges = {high: (ZERO, count), low: (ZERO, width)}
        self.facts.ranges.update(ranges)
        return Split(add((self.algebra.multiply(variable(high), width), variable(low))), ranges)

    def _variance(self, operand: Term, env: Env) -> Polynomial:
        if isinstance(operand, Indexed | Name):
            name = operand.base if isinstance(operand, Indexed) else operand.name
            own = self.problem.definitions.get(name)
            if own is not None and own.law is not None and own.law.law == "Uniform":
                subscripts = operand.subscripts if isinstance(operand, Indexed) else ()
                places = self._match(own, tuple(self.value(each, env) for each in subscripts))
                low, high = (self.value(each, places) for each in own.law.args)
                return scale(self.algebra.power(subtract(high, low), 2), Fraction(1, 12))
        raise Unprovable("the variance of what has no law here")

    # Functions

    def _call(self, function: str, args: tuple[Term, ...], env: Env) -> Polynomial:
        if function == "exp":
            return add(self.algebra.multiply(case.guard, self._exp(case, 1)) for case in self.cases(args[0], env))
        if function in ("floor", "ceiling"):
            return self._floor(args[0], env, up=function == "ceiling")
        if function == "sqrt":
            return self._power(args[0], Number(Fraction(1, 2)), env)
        if function == "log":
            self._require(POSITIVE, args[0], env)
            logs = [self.algebra.log(self.value(each, env)) for each in args]
            return self.algebra.divide(logs[0], logs[1]) if len(logs) > 1 else logs[0]
        values = [self.value(each, env) for each in args]
        made = _FUNCTIONS.get(function)
        if made is not None:
            return made(self.algebra, *values)
        if function in ("Max", "Min"):
            return self._extreme(function, values)
        return of_atom(Atom(Kind.FUNCTION, function, tuple(values)))

    def _exp(self, case: Case, exponent: Rational) -> Polynomial:
        if case.value is not None:
            return self.algebra.exp(scale(case.value, exponent))
        if case.infinite * exponent < 0:
            return ZERO
        raise Unprovable("the exponential of infinity")

    def _extreme(self, function: str, values: list[Polynomial]) -> Polynomial:
        sign = 1 if function == "Max" else -1
        result = values[0]
        for value in values[1:]:
            more = subtract(value, result)
            result = add((result, self.algebra.multiply(guards.positive(self.algebra, scale(more, sign)), more)))
        return result

    def _floor(self, argument: Term, env: Env, *, up: bool) -> Polynomial:
        top, bottom = (argument.left, argument.right) if isinstance(argument, Div) else (argument, Number(Fraction(1)))
        sign = -1 if up else 1
        return scale(self.algebra.floor(scale(self.value(top, env), sign), self.value(bottom, env))[0], sign)

    # Conditions and cases

    def condition(self, node: Node, env: Env) -> Polynomial:
        """A condition as 1 or 0."""
        algebra = self.algebra
        match node:
            case Truth(value=value):
                return ONE if value else ZERO
            case Flag(term=term):
                return guards.opposite(algebra, guards.delta(algebra, self.value(term, env)))
            case Compare(operator=operator, left=left, right=right):
                more = subtract(self.value(left, env), self.value(right, env))
                match operator:
                    case "<":
                        return guards.positive(algebra, scale(more, -1))
                    case "<=":
                        return guards.not_negative(algebra, scale(more, -1))
                    case ">":
                        return guards.positive(algebra, more)
                    case ">=":
                        return guards.not_negative(algebra, more)
                return guards.opposite(algebra, guards.delta(algebra, more))
            case Eq(sides=sides) if all(isinstance(side, Term) for side in sides):
                values = [self.value(side, env) for side in sides]
                pairs = itertools.pairwise(values)
                return algebra.product(guards.delta(algebra, subtract(one, other)) for one, other in pairs)
            case And(parts=parts):
                return algebra.product(self.condition(part, env) for part in parts)
            case Or(parts=parts):
                none = (guards.opposite(algebra, self.condition(part, env)) for part in parts)
                return subtract(ONE, algebra.product(none))
            case Not(part=part):
                return guards.opposite(algebra, self.condition(part, env))
        raise Unprovable(f"{type(node).__name__} is not decided")

    def cases(self, term: Node, env: Env) -> list[Case]:
        """A term's value, case by case where it has branches or may be infinite."""
        if not self._may_branch(term):
            return [Case(ONE, self.value(term, env))]
        match term:
            case Constant(name="oo"):
                return [Case(ONE, None, 1)]
            case Neg(operand=operand):
                return [
                    Case(case.guard, None if case.value is None else scale(case.value, -1), -case.infinite)
                    for case in self.cases(operand, env)
                ]
            case Add(left=left, right=right):
                pairs = [(one, other) for one in self.cases(left, env) for other in self.cases(right, env)]
                return [found for one, other in pairs for found in self._sum_case(one, other)]
            case Piecewise(branches=branches):
                found: list[Case] = []
                rest = ONE
                for branch in branches:
                    holds = self.condition(branch.condition, env)
                    guard = self.algebra.multiply(rest, holds)
                    rest = self.algebra.multiply(rest, guards.opposite(self.algebra, holds))
                    if guard.terms:
                        found += [
                            Case(self.algebra.multiply(guard, case.guard), case.value, case.infinite)
                            for case in self._supposing(branch.condition, branch.value, env)
                        ]
                if rest.terms:
                    self.facts.assume(f"one branch of {written(term)} holds")
                return found
            case Indexed(base=base) if self._branches(term):
                return self.instance(base, self._place(term, env))
            case Name(name=name) if self._branches(term):
                return self.instance(name, ())
        return [Case(ONE, self.value(term, env))]

    def _supposing(self, condition: Condition, term: Node, env: Env) -> list[Case]:
        """A term's cases where a condition holds: what it says of indices is known in them."""
        before, signs = len(self.facts.known), self.signs
        self._branch_starts.append(before)
        self.signs = TermSigns(self.problem, self.facts, self.value, self.generic)
        for part in condition.parts if isinstance(condition, And) else (condition,):
            if isinstance(part, Compare):
                self.learn(part, env)
        try:
            return self.cases(term, env)
        finally:  # nothing that was seen under the condition stays
            del self.facts.known[before:]
            self.signs = signs
            self._branch_starts.pop()

    def _outside(self) -> list[tuple[Polynomial, int]]:
        """What is known outside all branches."""
        return self.facts.known[: self._branch_starts[0]] if self._branch_starts else self.facts.known

    def learn(self, condition: Compare, env: Env) -> None:
        """Note what a comparison says of a difference."""
        found = greater(condition)
        if found is None:
            return
        more = subtract(self.value(found[0], env), self.value(found[1], env))
        self.facts.known.append((more, found[2]))
        if found[2] == POSITIVE and self.facts.is_integer(more):
            self.facts.known.append((subtract(more, ONE), NOT_NEGATIVE))

    def _may_branch(self, term: Node) -> bool:
        key = id(term), self.held
        if key not in self._branching:
            self._branching[key] = term, any(self._branches(node) for node in walk(term))
        return self._branching[key][1]

    def _branches(self, node: Node) -> bool:
        if isinstance(node, Piecewise) or (isinstance(node, Constant) and node.name == "oo"):
            return True
        name = node.base if isinstance(node, Indexed) else node.name if isinstance(node, Name) else ""
        return name in self.problem.definitions and name not in self.held and self.inline(name)

    def _sum_case(self, one: Case, other: Case) -> Iterator[Case]:
        guard = self.algebra.multiply(one.guard, other.guard)
        if not guard.terms:
            return
        if one.value is not None and other.value is not None:
            yield Case(guard, add((one.value, other.value)))
        elif one.infinite * other.infinite < 0:
            raise Unprovable("a difference of infinities")
        else:
            yield Case(guard, None, one.infinite or other.infinite)

    # Definitions

    def inline(self, name: str) -> bool:
        """Whether a definition cannot stay folded: it may be infinite, or holds a maximum that should cancel first."""
        found = self._inline.get(name)
        if found is None:
            self._inline[name] = False
            own = self.problem.definitions[name]
            if own.body is not None:
                # apart from where it is asked: nothing is held, and no branch's condition is known
                before = self.held, self.facts.known, self.signs
                self.held, self.facts.known, self.signs = frozenset(), [*self._outside()], self._own_signs
                try:
                    cases = self.cases(own.body, self.generic(own))
                finally:
                    self.held, self.facts.known, self.signs = before
                parts = [part for case in cases for part in (case.guard, case.value) if part is not None]
                opaque = any(word in part.key for part in parts for word in ("MaxOver(", "MinOver("))
                self._inline[name] = opaque or any(case.value is None for case in cases)
        return self._inline[name]

    def generic(self, own: Definition) -> dict[str, Polynomial]:
        """A definition's indices, as names that stand nowhere else."""
        env: dict[str, Polynomial] = {}
        for index in own.indices:
            env[index] = variable(self.facts.fresh())
        for index, ends in own.indices.items():
            atom = env[index].atom()
            if atom is not None:
                self.facts.ranges[atom.name] = (self.value(ends.start, env), self.value(ends.stop, env))
        return env

    def instance(self, name: str, subscripts: tuple[Polynomial, ...]) -> list[Case]:
        """What a symbol's entry is defined as."""
        own = self.problem.definitions[name]
        if own.body is None:
            raise Unprovable(f"{name} is random")
        return self.cases(own.body, self._match(own, subscripts))

    def _match(self, own: Definition, subscripts: tuple[Polynomial, ...]) -> dict[str, Polynomial]:
        """The values of a definition's indices for these subscripts.

        Raises:
            Unprovable: the definition does not say what this entry is.
        """
        env: dict[str, Polynomial] = {}
        for pattern, value in zip(own.pattern, subscripts, strict=True):
            match pattern:
                case Name(name=name) if name in own.indices:
                    if env.setdefault(name, value) != value:
                        raise Unprovable(f"{own.symbol} is defined on a diagonal only")
                case _:
                    parts = composite(pattern, own.indices)
                    if parts is not None:
                        high, width, low = parts
                        env[high], env[low] = self.algebra.floor(value, self.value(width, {}))
                    elif self.value(pattern, {}) != value:
                        raise Unprovable(f"{own.symbol} is not defined at this entry")
        for name, ends in own.indices.items():
            if name not in env:
                raise Unprovable(f"index {name} of the definition of {own.symbol} is not on its left side")
            start, stop = self.value(ends.start, env), self.value(ends.stop, env)
            if not self.facts.within(env[name], start, stop):
                raise Unprovable(f"{own.symbol} may be used outside the range that it is defined for")
        return env

    def unfold(self, poly: Polynomial, name: str) -> Polynomial:
        """A polynomial with a symbol's definition put in for it."""
        known: dict[tuple[Polynomial, ...], list[Case]] = {}

        def cases(atom: Atom) -> list[Case]:
            if atom.args not in known:
                known[atom.args] = self.instance(name, atom.args)
            return known[atom.args]

        def change(atom: Atom) -> Polynomial | None:
            return self._joined(cases(atom)) if atom.kind is Kind.ENTRY and atom.name == name else None

        def exponential(atom: Atom, exponent: Rational) -> Polynomial | None:
            if atom.name != name:
                return None
            return add(self.algebra.multiply(case.guard, self._exp(case, exponent)) for case in cases(atom))

        touched = rebuilding.Rebuilding(self.algebra, lambda atom: name in atom.symbols, change, exponential)
        return touched.polynomial(poly)

    # Derivatives

    def _derivative(self, body: Term, by: tuple[Term, ...], env: Env) -> Polynomial:
        inner, last = (body, by[0]) if len(by) == 1 else (Derivative(body, by[:-1]), by[-1])
        if not isinstance(last, Name | Indexed):
            raise Unprovable(f"a derivative by {written(last)}, which is no symbol")
        name = last.base if isinstance(last, Indexed) else last.name
        subscripts = self._place(last, env) if isinstance(last, Indexed) else ()
        outer, self.held = self.held, self.held | {name}
        try:
            value = self.value(inner, env)
            found = self._differentiator(name, subscripts).polynomial(value)
        finally:
            self.held = outer
        if name in found.symbols and name not in self.held and name in self.problem.definitions and self.inline(name):
            return self.unfold(found, name)
        return found

    def _differentiator(self, name: str, subscripts: tuple[Polynomial, ...]) -> Differentiator:
        def reaches(symbol: str) -> bool:
            return symbol == name or name in self._depends.get(symbol, ())

        def definition(atom: Atom) -> Polynomial:
            return self._joined(self.instance(atom.name, atom.args))

        opaque = {each: used for each, used in self.problem.opaque.items() if each not in self.problem.definitions}
        return Differentiator(
            self.algebra, Atom(Kind.ENTRY, name, subscripts), reaches, definition, opaque, self._shape
        )

    def _shape(self, name: str) -> tuple[Polynomial, ...]:
        if self.problem.shapes.get(name) is None:
            raise Unprovable(f"the shape of {name} is not declared")
        return self._stops(name)


_SIGNS = {">": POSITIVE, ">=": NOT_NEGATIVE, "!=": NOT_ZERO}
_TURNED = {"<": ">", "<=": ">="}


def greater(condition: Compare) -> tuple[Term, Term, int] | None:
    """A comparison as (greater, smaller, sign of the difference)."""
    if condition.operator in _SIGNS:
        return condition.left, condition.right, _SIGNS[condition.operator]
    if condition.operator in _TURNED:
        return condition.right, condition.left, _SIGNS[_TURNED[condition.operator]]
    return None


def _absolute(algebra: Algebra, x: Polynomial) -> Polynomial:
    if algebra.facts.sign(x) & NOT_NEGATIVE:
        return x
    return subtract(scale(algebra.multiply(guards.positive(algebra, x), x), 2), x)


def _sign(algebra: Algebra, x: Polynomial) -> Polynomial:
    return subtract(add((scale(guards.positive(algebra, x), 2), guards.delta(algebra, x))), ONE)


def _over_log(algebra: Algebra, x: Polynomial, base: int) -> Polynomial:
    return algebra.divide(algebra.log(x), algebra.log(number(base)))


def _factorial(algebra: Algebra, x: Polynomial) -> Polynomial:
    return of_atom(Atom(Kind.FUNCTION, "gamma", (add((x, ONE)),)))


_FUNCTIONS: Mapping[str, Callable[..., Polynomial]] = {
    "expm1": lambda algebra, x: subtract(algebra.exp(x), ONE),
    "log1p": lambda algebra, x: algebra.log(add((x, ONE))),
    "log2": lambda algebra, x: _over_log(algebra, x, 2),
    "log10": lambda algebra, x: _over_log(algebra, x, 10),
    "Abs": _absolute,
    "sign": _sign,
    "Mod": lambda algebra, x, y: algebra.floor(x, y)[1],
    "KroneckerDelta": lambda algebra, x, y: guards.delta(algebra, subtract(x, y)),
    "factorial": _factorial,
}
