"""Random terms and their mutants, and the value of a normal form at a point: what the prover is tested on.

Loaded by `conftest` (tests are no package). Names: T and d are sizes; t, u, s run over T, and i, j, k, l over d.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from flint import arb

from eqtrace.formula import dual
from eqtrace.formula.dual import Num
from eqtrace.formula.form import Range
from eqtrace.formula.given import Bounds, Problem
from eqtrace.formula.pointwise import Point
from eqtrace.formula.polynomial import GUARDS, Atom, Kind, Monomial, Polynomial
from eqtrace.formula.term import (
    Add,
    Branch,
    Call,
    Compare,
    Condition,
    Derivative,
    Div,
    Eq,
    Indexed,
    MaxOver,
    Mul,
    Name,
    Neg,
    Node,
    Number,
    Piecewise,
    Pow,
    Sum,
    Term,
    Truth,
    children,
    rebuilt,
)

T, D = Name("T"), Name("d")
SHAPES: dict[str, tuple[Term, ...] | None] = {
    "X": (T, D), "Y": (T, D), "M": (D, D), "v": (D,), "w": (T,), "a": (), "p": (), "q": (D,), "y": (T,),
}  # fmt: skip
SIZES = {"t": "T", "u": "T", "s": "T", "i": "d", "j": "d", "k": "d", "l": "d"}
FREE = ("t", "i", "j")


def number(value: Fraction | int) -> Number:
    return Number(Fraction(value))


def problem() -> Problem:
    """p, q are positive, y holds integers below d, everything else any reals."""
    found = Problem()
    found.dims = {"T", "d"}
    found.shapes = dict(SHAPES)
    positive = Bounds(number(0), open=frozenset(["min"]))
    found.bounds = {"p": positive, "q": positive, "y": Bounds(number(0), Add(D, number(-1)), integer=True)}
    found.indices = {name: Range(number(0), Name(size)) for name, size in SIZES.items()}
    return found


class Terms:
    """Random terms of a depth."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def real(self, depth: int, scope: Sequence[str] = FREE, *, smooth: bool = False) -> Term:
        """Any term; a smooth one holds nothing that has a kink but branches."""
        rng = self.rng
        if depth <= 0:
            return self._leaf(scope)
        less = depth - 1
        kinds = (
            "add",
            "subtract",
            "multiply",
            "negative",
            "power",
            "divide",
            "positive",
            "log",
            "sum",
            "branch",
            "kink",
        )
        match rng.choices(kinds, (20, 6, 20, 4, 5, 7, 4, 3, 17, 5, 9))[0]:
            case "add":
                return Add(self.real(less, scope, smooth=smooth), self.real(less, scope, smooth=smooth))
            case "subtract":
                return Add(self.real(less, scope, smooth=smooth), Neg(self.real(less, scope, smooth=smooth)))
            case "multiply":
                return Mul(self.real(less, scope, smooth=smooth), self.real(less, scope, smooth=smooth))
            case "negative":
                return Neg(self.real(less, scope, smooth=smooth))
            case "power":
                return Pow(self.real(less, scope, smooth=smooth), number(rng.choice((2, 2, 3))))
            case "divide":
                return Div(self.real(less, scope, smooth=smooth), self.positive(less, scope, smooth=smooth))
            case "positive":
                return self.positive(depth, scope, smooth=smooth)
            case "log":
                return Call("log", (self.positive(less, scope, smooth=smooth),))
            case "sum":
                return self._sum(depth, scope, smooth=smooth)
            case "branch":
                first, second = (self.real(less, scope, smooth=smooth) for _ in range(2))
                return Piecewise((Branch(first, self._condition(scope)), Branch(second, Truth(True))))
        return self._entry("Xvw", scope) if smooth else self._kink(less, scope)

    def positive(self, depth: int, scope: Sequence[str], *, smooth: bool) -> Term:
        """A term that is surely positive."""
        rng, less = self.rng, depth - 1
        if depth <= 0:
            return self._entry("pq", scope)
        kinds = ("entry", "exp", "root", "power", "multiply", "add", "root of a square", "sum")
        match rng.choices(kinds, (20, 20, 15, 7, 8, 8, 5, 17))[0]:
            case "entry":
                return self._entry("pq", scope)
            case "exp":
                return Call("exp", (self.real(min(less, 1), scope, smooth=True),))
            case "root":
                square = Pow(self.real(less, scope, smooth=smooth), number(2))
                return Call("sqrt", (Add(square, self.positive(0, scope, smooth=smooth)),))
            case "power":
                exponent = rng.choice((Fraction(-1), Fraction(1, 2), Fraction(-3, 2), Fraction(2), Fraction(-2)))
                return Pow(self.positive(less, scope, smooth=smooth), number(exponent))
            case "multiply":
                return Mul(self.positive(less, scope, smooth=smooth), self.positive(less, scope, smooth=smooth))
            case "add":
                square = Pow(self.real(less, scope, smooth=smooth), number(2))
                return Add(self.positive(less, scope, smooth=smooth), square)
            case "root of a square":
                return Call("sqrt", (Pow(self.positive(less, scope, smooth=smooth), number(2)),))
        index = rng.choice(list(SIZES))
        inner = [*(name for name in scope if name != index), index]
        return Sum(self.positive(less, inner, smooth=smooth), index, number(0), Name(SIZES[index]))

    def _leaf(self, scope: Sequence[str]) -> Term:
        kind = self.rng.random()
        if kind < 0.15:
            return number(self.rng.choice((1, 2, 3, -1, Fraction(1, 2))))
        if kind < 0.22:
            return Name(self.rng.choice("Td"))
        if kind < 0.34:
            one, other = self._index("d", scope), self._index("d", scope)
            if one and other:
                return Call("KroneckerDelta", (one, other))
        return self._entry("XYMvwapq", scope)

    def _index(self, size: str, scope: Sequence[str]) -> Term | None:
        names = [name for name in scope if SIZES[name] == size]
        rows = [name for name in scope if SIZES[name] == "T"]
        if size == "d" and rows and self.rng.random() < 0.12:
            return Indexed("y", (Name(self.rng.choice(rows)),))
        return Name(self.rng.choice(names)) if names else None

    def _entry(self, symbols: str, scope: Sequence[str]) -> Term:
        symbol = self.rng.choice(symbols)
        subscripts = [self._index(str(dim.name), scope) for dim in SHAPES[symbol] or () if isinstance(dim, Name)]
        found = tuple(each for each in subscripts if each is not None)
        if len(found) < len(subscripts):
            return number(self.rng.randint(1, 3))
        return Indexed(symbol, found) if found else Name(symbol)

    def _sum(self, depth: int, scope: Sequence[str], *, smooth: bool) -> Term:
        """A sum, often over a part of a range; its index may hide one of the same name."""
        rng = self.rng
        index = rng.choice(list(SIZES))
        start: Term = number(0)
        stop: Term = Name(SIZES[index])
        others = [name for name in scope if SIZES[name] == SIZES[index]]
        if others and rng.random() < 0.3:
            other = Name(rng.choice(others))
            ends = ((start, Add(other, number(1))), (start, other), (other, stop), (Add(other, number(1)), stop))
            start, stop = rng.choice(ends)
        inner = [*(name for name in scope if name != index), index]
        return Sum(self.real(depth - 1, inner, smooth=smooth), index, start, stop)

    def _kink(self, depth: int, scope: Sequence[str]) -> Term:
        kind = self.rng.random()
        if kind < 0.3:
            return Call(self.rng.choice(("Max", "Min")), (number(0), self.real(depth, scope)))
        if kind < 0.5:
            return Call(self.rng.choice(("Abs", "sign")), (self.real(depth, scope),))
        by = self._entry("Xvwqa", scope)
        return by if isinstance(by, Number) else Derivative(self.real(depth, scope, smooth=True), (by,))

    def _condition(self, scope: Sequence[str]) -> Condition:
        rng = self.rng
        size = rng.choice("Td")
        one, other = self._index(size, scope), self._index(size, scope)
        if one is None or other is None or one == other:
            return Compare(rng.choice((">", "<=", ">=", "<")), self._entry("Xva", scope), number(0))
        compared = Compare(rng.choice(("<", "<=", ">", ">=", "!=")), one, other)
        return rng.choice((compared, Eq((one, other)), Compare(rng.choice(("<", "<=")), one, Add(other, number(1)))))


# Mutants


def mutants(node: Node, problem: Problem, indices: Mapping[str, Range]) -> Iterator[Node]:
    """A node with one thing changed: a sign, a factor, an exponent, a term or a sum dropped, an index, a symbol."""
    yield from _changed(node, problem, indices)
    for place, child in enumerate(children(node)):
        for new in mutants(child, problem, indices):
            yield _with_child(node, place, new)


def _with_child(node: Node, place: int, new: Node) -> Node:
    count = iter(range(10**6))
    found: Node = rebuilt(node, lambda each: new if next(count) == place else each)
    return found


def _changed(node: Node, problem: Problem, indices: Mapping[str, Range]) -> Iterator[Node]:
    one = number(1)
    match node:
        case Add(left=left, right=right):
            yield left
            yield right
            yield Add(left, right.operand if isinstance(right, Neg) else Neg(right))
        case Mul(left=left, right=right):
            yield Mul(number(2), node)
            yield Add(left, right)
            yield left
            yield right
        case Div(left=left, right=right):
            yield Mul(left, right)
            yield left
        case Neg(operand=operand):
            yield operand
        case Pow(base=base, exponent=exponent):
            yield base
            yield Pow(base, Add(exponent, one))
            yield Neg(node)
        case Number(value=value):
            yield number(value + 1)
            yield number(value / 2 if value else 1)
            yield number(-value)
        case Sum(body=body, index=index, start=start, stop=stop) if start is not None and stop is not None:
            yield body
            yield Sum(body, index, Add(start, one), stop)
            yield Sum(body, index, start, Add(stop, number(-1)))
        case MaxOver(body=body) | Derivative(body=body):
            yield body
        case Call(function="KroneckerDelta", args=(first, second)):
            yield number(1)
            yield number(0)
            yield Call("KroneckerDelta", (first, Add(second, one)))
        case Call(function=function, args=(argument,)):
            yield argument
            yield Call(function, (Mul(number(2), argument),))
        case Branch(value=value, condition=Compare() as condition):
            for operator in ("<", "<=", ">", ">="):
                yield Branch(value, replace(condition, operator=operator))
        case Indexed():
            yield from _other_entries(node, problem, indices)


def _other_entries(node: Indexed, problem: Problem, indices: Mapping[str, Range]) -> Iterator[Node]:
    shape = problem.shapes.get(node.base)
    if shape is not None and len(shape) > 1 and shape[0] == shape[1]:
        yield Indexed(node.base, (node.subscripts[1], node.subscripts[0], *node.subscripts[2:]))
    for other, dims in problem.shapes.items():
        if other != node.base and dims is not None and dims == shape:
            yield Indexed(other, node.subscripts)
    for place, subscript in enumerate(node.subscripts):
        for other, ends in indices.items():
            if isinstance(subscript, Name) and other != subscript.name and ends == indices.get(subscript.name):
                yield Indexed(node.base, (*node.subscripts[:place], Name(other), *node.subscripts[place + 1 :]))


# Values of normal forms


def value_of(poly: Polynomial, point: Point, env: Mapping[str, int]) -> Num:
    """The value of a normal form: sums in loops, conditions first."""
    total: Num = 0
    for monomial, coefficient in poly.terms.items():
        total = dual.add(total, dual.multiply(dual.exact(Fraction(coefficient)), _product(monomial, point, env)))
    return total


def _product(monomial: Monomial, point: Point, env: Mapping[str, int]) -> Num:
    if not all(_holds(atom, point, env) for atom, _ in monomial if atom.kind in GUARDS):
        return 0
    result: Num = 1
    for atom, exponent in monomial:
        if atom.kind not in GUARDS:
            result = dual.multiply(result, dual.power(_atom(atom, point, env), dual.exact(Fraction(exponent))))
    return result


def _holds(atom: Atom, point: Point, env: Mapping[str, int]) -> bool:
    order = dual.plain_order(value_of(atom.args[0], point, env), 0)
    return {Kind.DELTA: order == 0, Kind.NOT_ZERO: order != 0, Kind.POSITIVE: order > 0}.get(atom.kind, order >= 0)


def _integer(poly: Polynomial, point: Point, env: Mapping[str, int]) -> int:
    return int(dual.fraction(value_of(poly, point, env)))


def _atom(atom: Atom, point: Point, env: Mapping[str, int]) -> Num:
    match atom.kind:
        case Kind.VARIABLE:
            return env[atom.name] if atom.name in env else point.sizes[atom.name]
        case Kind.ENTRY:
            places = tuple(Number(Fraction(_integer(each, point, env))) for each in atom.args)
            return point.value(Indexed(atom.name, places) if places else Name(atom.name), {})
        case Kind.NUMBER:
            return int(atom.name)
        case Kind.CONSTANT:
            return arb.pi()
        case Kind.EXP:
            return dual.apply("exp", value_of(atom.args[0], point, env))
        case Kind.BASE:
            return value_of(atom.args[0], point, env)
        case Kind.FUNCTION:
            return dual.apply(atom.name, value_of(atom.args[0], point, env))
        case Kind.SUM:
            total: Num = 0
            for inner in _loops(atom.bound, atom.args, point, env):
                total = dual.add(total, _product(atom.factors, point, inner))
            return total
    raise NotImplementedError(atom.kind)


def _loops(
    bound: tuple[str, ...], ends: tuple[Polynomial, ...], point: Point, env: Mapping[str, int]
) -> Iterator[Mapping[str, int]]:
    """Values of bound names, those first whose range holds no other."""
    if not bound:
        yield env
        return
    place = next(n for n in range(len(bound)) if not (ends[2 * n].free | ends[2 * n + 1].free) & set(bound))
    for value in range(_integer(ends[2 * place], point, env), _integer(ends[2 * place + 1], point, env)):
        rest = (*bound[:place], *bound[place + 1 :]), (*ends[: 2 * place], *ends[2 * place + 2 :])
        yield from _loops(*rest, point, {**env, bound[place]: value})
