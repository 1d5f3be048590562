"""Terms into the normal form. Symbols stay folded; definitions are put in where they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from eqtrace.formula import binders, guards, rebuilding
from eqtrace.formula.algebra import Algebra
from eqtrace.formula.branching import Branching, Case
from eqtrace.formula.derivative import Differentiator
from eqtrace.formula.facts import NOT_NEGATIVE, NOT_ZERO, POSITIVE, Facts, Unprovable
from eqtrace.formula.functions import FUNCTIONS
from eqtrace.formula.given import Problem
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
from eqtrace.formula.signs import Env, TermSigns
from eqtrace.formula.term import (
    Add,
    Call,
    Constant,
    Derivative,
    Div,
    Indexed,
    Mul,
    Name,
    Neg,
    Node,
    Number,
    Old,
    Piecewise,
    Pow,
    Product,
    Reduction,
    Sum,
    Term,
    Var,
    walk,
)
from eqtrace.formula.unfolding import Definitions
from eqtrace.formula.written import written, written_polynomial

LIMIT_UNROLLED = 4096
SHORT = 16  # a sum over so few known numbers is written out in any case


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
        bodies = (own.body for own in problem.definitions.values() if own.body is not None)
        patterns = (Indexed(own.symbol, own.pattern) for own in problem.definitions.values())
        self.widths = _widths((*nodes, *bodies, *patterns))
        self.held: frozenset[str] = frozenset()
        self._sizes_of: dict[str, tuple[Polynomial, ...]] = {}
        self.branching = Branching(self)
        self.definitions = Definitions(self)
        self.signs = self.own_signs = self.term_signs()
        self._depends = {name: problem.depends(name) for name in (*problem.definitions, *problem.opaque)}

    def term_signs(self) -> TermSigns:
        """Signs of terms, as far as they are known from here on."""
        return TermSigns(self.problem, self.facts, self.value, self.definitions.generic)

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
                return self._symbol(base, self.place(term, env))
            case Old(target=Name(name=name)):
                return self._symbol(f"Old({name})", ())
            case Old(target=Indexed(base=base) as target):
                return self._symbol(f"Old({base})", self.place(target, env))
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
                return self.joined(self.branching.cases(term, env))
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
        if self.definitions.is_put_in(name):
            return self.joined(self.definitions.instance(name, subscripts))
        return self.algebra.entry(name, subscripts)

    def place(self, entry: Indexed, env: Env) -> tuple[Polynomial, ...]:
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

    def joined(self, cases: list[Case]) -> Polynomial:
        """A value of several cases as one sum."""
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
        for case in self.branching.cases(term.body, inner):
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
                places = self.definitions.match(own, tuple(self.value(each, env) for each in subscripts))
                low, high = (self.value(each, places) for each in own.law.args)
                return scale(self.algebra.power(subtract(high, low), 2), Fraction(1, 12))
        raise Unprovable("the variance of what has no law here")

    # Functions

    def _call(self, function: str, args: tuple[Term, ...], env: Env) -> Polynomial:
        if function == "exp":
            return add(
                self.algebra.multiply(case.guard, self.exp(case, 1)) for case in self.branching.cases(args[0], env)
            )
        if function in ("floor", "ceiling"):
            return self._floor(args[0], env, up=function == "ceiling")
        if function == "sqrt":
            return self._power(args[0], Number(Fraction(1, 2)), env)
        if function == "log":
            self._require(POSITIVE, args[0], env)
            logs = [self.algebra.log(self.value(each, env)) for each in args]
            return self.algebra.divide(logs[0], logs[1]) if len(logs) > 1 else logs[0]
        values = [self.value(each, env) for each in args]
        made = FUNCTIONS.get(function)
        if made is not None:
            return made(self.algebra, *values)
        if function in ("Max", "Min"):
            return self._extreme(function, values)
        return of_atom(Atom(Kind.FUNCTION, function, tuple(values)))

    def exp(self, case: Case, exponent: Rational) -> Polynomial:
        """The exponential of a multiple of a case's value."""
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

    # Derivatives

    def _derivative(self, body: Term, by: tuple[Term, ...], env: Env) -> Polynomial:
        inner, last = (body, by[0]) if len(by) == 1 else (Derivative(body, by[:-1]), by[-1])
        if not isinstance(last, Name | Indexed):
            raise Unprovable(f"a derivative by {written(last)}, which is no symbol")
        name = last.base if isinstance(last, Indexed) else last.name
        subscripts = self.place(last, env) if isinstance(last, Indexed) else ()
        outer, self.held = self.held, self.held | {name}
        try:
            value = self.value(inner, env)
            found = self._differentiator(name, subscripts).polynomial(value)
        finally:
            self.held = outer
        if (
            name in found.symbols
            and name not in self.held
            and name in self.problem.definitions
            and self.definitions.inline(name)
        ):
            return self.definitions.unfold(found, name)
        return found

    def _differentiator(self, name: str, subscripts: tuple[Polynomial, ...]) -> Differentiator:
        def reaches(symbol: str) -> bool:
            return symbol == name or name in self._depends.get(symbol, ())

        def definition(atom: Atom) -> Polynomial:
            return self.joined(self.definitions.instance(atom.name, atom.args))

        opaque = {each: used for each, used in self.problem.opaque.items() if each not in self.problem.definitions}
        return Differentiator(
            self.algebra, Atom(Kind.ENTRY, name, subscripts), reaches, definition, opaque, self._shape
        )

    def _shape(self, name: str) -> tuple[Polynomial, ...]:
        if self.problem.shapes.get(name) is None:
            raise Unprovable(f"the shape of {name} is not declared")
        return self._stops(name)
