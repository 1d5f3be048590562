"""Terms evaluated at one point, with derivatives: entry by entry on the tree, by a path of its own.

Nothing here goes through the normal form. A symbol with a definition is computed by it; `Derivative` is forward-mode
differentiation (see `dual`).
"""

from __future__ import annotations

import itertools
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import floor
from typing import TypeAlias

from flint import arb, fmpq

from eqtrace.formula import arbs, dual
from eqtrace.formula.dual import Dual, Num, Place
from eqtrace.formula.failures import EvaluationError, Undecided, Unsupported
from eqtrace.formula.given import Definition, Problem, composite
from eqtrace.formula.term import (
    Add,
    And,
    ArgMax,
    ArgMin,
    Call,
    Compare,
    Constant,
    Derivative,
    Div,
    Eq,
    Flag,
    Implies,
    Indexed,
    MaxOver,
    MinOver,
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
    Truth,
    Var,
    symbol_names,
)

Env: TypeAlias = Mapping[str, int]
Places: TypeAlias = tuple[tuple[str, int], ...]  # values of indices
Seeds: TypeAlias = tuple[tuple[str, int], ...]  # symbols differentiated by, each with its tag


@dataclass
class Point:
    """Sizes and values: of a symbol without a definition, by entry."""

    problem: Problem
    sizes: Mapping[str, int]
    values: Mapping[str, Mapping[Place, Num]]
    deadline: float | None = None
    _known: dict[tuple[str, Place, Seeds], Num] = field(default_factory=dict)
    _gradients: dict[tuple[int, str, Places, Seeds], tuple[Node, Num]] = field(default_factory=dict)
    _names: dict[int, tuple[Node, frozenset[str]]] = field(default_factory=dict)  # by id of a node, which is held
    _depends: dict[str, frozenset[str]] = field(default_factory=dict)
    _tags: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def value(self, node: Node, env: Env, seeds: Seeds = ()) -> Num:
        """A term's value.

        Raises:
            EvaluationError: it has none here, or cannot be evaluated.
            Undecided: balls leave a condition open, or a kink was hit.
        """
        match node:
            case Indexed(base=base, subscripts=subscripts):
                return self._entry(base, tuple(self._integer(each, env) for each in subscripts), seeds)
            case Name(name=name):
                if name in env:
                    return env[name]
                return self.sizes[name] if name in self.sizes else self._entry(name, (), seeds)
            case Number(value=value):
                return dual.exact(value)
            case Constant(name=name):
                return arb.pi() if name == "pi" else arbs.INFINITY
            case Old(target=Name(name=name)):
                return self._entry(f"Old({name})", (), seeds)
            case Old(target=Indexed(base=base, subscripts=subscripts)):
                return self._entry(f"Old({base})", tuple(self._integer(each, env) for each in subscripts), seeds)
            case Add(left=left, right=right):
                return dual.add(self.value(left, env, seeds), self.value(right, env, seeds))
            case Mul(left=left, right=right):
                return dual.multiply(self.value(left, env, seeds), self.value(right, env, seeds))
            case Div(left=left, right=right):
                return dual.multiply(self.value(left, env, seeds), dual.inverse(self.value(right, env, seeds)))
            case Neg(operand=operand):
                return dual.negate(self.value(operand, env, seeds))
            case Pow(base=base, exponent=exponent):
                return dual.power(self.value(base, env, seeds), self.value(exponent, env, seeds))
            case Call(function=function, args=args):
                return self._call(function, [self.value(each, env, seeds) for each in args])
            case Piecewise(branches=branches):
                for branch in branches:
                    if self.holds(branch.condition, env, seeds):
                        return self.value(branch.value, env, seeds)
                raise EvaluationError("no branch holds")
            case Reduction():
                return self._reduction(node, env, seeds)
            case Derivative(body=body, by=by):
                return self._derivative(body, by, env, seeds)
            case Var(operand=operand):
                return self._variance(operand, env)
        raise Unsupported(f"{type(node).__name__} is not evaluated at a point")

    def holds(self, node: Node, env: Env, seeds: Seeds = ()) -> bool:
        """Whether a condition holds."""
        match node:
            case Truth(value=value):
                return value
            case Flag(term=term):
                return dual.plain_order(self.value(term, env, seeds), 0) != 0
            case Compare(operator=operator, left=left, right=right):
                order = dual.plain_order(self.value(left, env, seeds), self.value(right, env, seeds))
                return _ORDERS[operator](order)
            case Eq(sides=sides):
                values = [self.value(each, env, seeds) for each in sides]
                return all(dual.plain_order(one, other) == 0 for one, other in itertools.pairwise(values))
            case And(parts=parts):
                return all(self.holds(part, env, seeds) for part in parts)
            case Or(parts=parts):
                return any(self.holds(part, env, seeds) for part in parts)
            case Not(part=part):
                return not self.holds(part, env, seeds)
            case Implies(premise=premise, conclusion=conclusion):
                return not self.holds(premise, env, seeds) or self.holds(conclusion, env, seeds)
        raise Unsupported(f"{type(node).__name__} is not decided at a point")

    # Symbols

    def _integer(self, node: Node, env: Env) -> int:
        if isinstance(node, Name) and node.name in env:
            return env[node.name]
        if isinstance(node, Number) and node.value.denominator == 1:
            return int(node.value)
        found = dual.plain(self.value(node, env))
        if isinstance(found, arb) or dual.fraction(found).denominator != 1:
            raise EvaluationError("a subscript is no integer")
        return int(dual.fraction(found))

    def _entry(self, name: str, place: Place, seeds: Seeds) -> Num:
        # what does not depend on the symbol that is differentiated by is the same without that
        while seeds and seeds[-1][0] not in self._reach(name):
            seeds = seeds[:-1]
        key = (name, place, seeds)
        if key not in self._known:
            self._known[key] = self._found(name, place, seeds)
        return self._known[key]

    def _reach(self, name: str) -> frozenset[str]:
        if name not in self._depends:
            self._depends[name] = self.problem.depends(name)
        return self._depends[name]

    def _found(self, name: str, place: Place, seeds: Seeds) -> Num:
        if self.deadline is not None and time.process_time() > self.deadline:
            raise EvaluationError("the time limit has passed")
        if seeds and seeds[-1][0] == name:
            return Dual(seeds[-1][1], self._entry(name, place, seeds[:-1]), {place: 1})
        own = self.problem.definitions.get(name)
        if own is not None and own.body is not None:
            return self.value(own.body, self.match(own, place), seeds)
        found = self.values.get(name, {}).get(place)
        if found is None:
            raise EvaluationError(f"{name}{list(place)} has no value")
        for other in sorted(self.problem.opaque.get(name, ())):
            for at in self.values.get(other, {}):
                # a symbol that depends on another in an unsaid way: some function of it, with slopes of its own
                slope = fmpq(zlib.crc32(f"{name}{place}{other}{at}".encode()) % 13 - 6, 5)
                found = dual.add(found, dual.multiply(slope, self._entry(other, at, seeds)))
        return found

    def match(self, own: Definition, place: Place) -> dict[str, int]:
        """The values of a definition's indices for an entry."""
        env: dict[str, int] = {}
        for pattern, number in zip(own.pattern, place, strict=True):
            match pattern:
                case Name(name=name) if name in own.indices:
                    if env.setdefault(name, number) != number:
                        raise EvaluationError(f"{own.symbol} is defined on a diagonal only")
                case _:
                    parts = composite(pattern, own.indices)
                    if parts is not None:
                        high, width, low = parts
                        env[high], env[low] = divmod(number, self._integer(width, {}))
                    elif self._integer(pattern, {}) != number:
                        raise EvaluationError(f"{own.symbol} is not defined at {list(place)}")
        for name, ends in own.indices.items():
            if name not in env or not self._integer(ends.start, env) <= env[name] < self._integer(ends.stop, env):
                raise EvaluationError(f"{own.symbol} is not defined at {list(place)}")
        return env

    # Sums, derivatives

    def range(self, node: Reduction, env: Env) -> range:
        """The values of a bound index."""
        if node.start is None or node.stop is None:
            raise Unsupported(f"index {node.index} has no range")
        return range(self._integer(node.start, env), self._integer(node.stop, env))

    def _reduction(self, node: Reduction, env: Env, seeds: Seeds) -> Num:
        places = self.range(node, env)
        values = [self.value(node.body, {**env, node.index: each}, seeds) for each in places]
        if isinstance(node, Sum | Product):
            result: Num = 0 if isinstance(node, Sum) else 1
            for value in values:
                result = dual.add(result, value) if isinstance(node, Sum) else dual.multiply(result, value)
            return result
        if not values:
            raise EvaluationError("an extreme over nothing")
        sign = 1 if isinstance(node, MaxOver | ArgMax) else -1
        best = 0
        for number, value in enumerate(values[1:], 1):
            order = dual.plain_order(value, values[best]) * sign
            if order == 0 and seeds and isinstance(node, MaxOver | MinOver):
                raise Undecided("a tie")
            best = number if order > 0 else best
        return places[best] if isinstance(node, ArgMax | ArgMin) else values[best]

    def _derivative(self, body: Node, by: tuple[Node, ...], env: Env, seeds: Seeds) -> Num:
        inner, last = (body, by[0]) if len(by) == 1 else (Derivative(body, by[:-1]), by[-1])  # type: ignore[arg-type]
        if not isinstance(last, Name | Indexed):
            raise Unsupported("a derivative by what is no symbol")
        name = last.base if isinstance(last, Indexed) else last.name
        place = tuple(self._integer(each, env) for each in last.subscripts) if isinstance(last, Indexed) else ()
        if id(inner) not in self._names:
            self._names[id(inner)] = inner, frozenset(symbol_names(inner))
        own = tuple(sorted((index, at) for index, at in env.items() if index in self._names[id(inner)][1]))
        key = (id(inner), name, own, seeds)
        if key not in self._gradients:
            tag = next(self._tags)
            found = self.value(inner, env, (*seeds, (name, tag)))
            gradient = found.gradient if isinstance(found, Dual) and found.tag == tag else {}
            self._gradients[key] = inner, gradient
        return self._gradients[key][1].get(place, 0)

    def _variance(self, operand: Node, env: Env) -> Num:
        """Of a uniform law: the mean of squares less the square of the mean, from the moments of the interval."""
        name = operand.base if isinstance(operand, Indexed) else operand.name if isinstance(operand, Name) else ""
        own = self.problem.definitions.get(name)
        if own is None or own.law is None or own.law.law != "Uniform":
            raise Unsupported("the variance of what has no law here")
        subscripts = operand.subscripts if isinstance(operand, Indexed) else ()
        places = self.match(own, tuple(self._integer(each, env) for each in subscripts))
        low, high = (self.value(each, places) for each in own.law.args)
        mean = dual.multiply(fmpq(1, 2), dual.add(low, high))
        products = (dual.multiply(low, low), dual.multiply(low, high), dual.multiply(high, high))
        squares = dual.multiply(fmpq(1, 3), dual.add(dual.add(products[0], products[1]), products[2]))
        return dual.add(squares, dual.negate(dual.multiply(mean, mean)))

    # Functions

    def _call(self, function: str, values: list[Num]) -> Num:
        match function:
            case "Max" | "Min":
                sign = 1 if function == "Max" else -1
                best = values[0]
                for value in values[1:]:
                    order = dual.plain_order(value, best) * sign
                    if order == 0 and any(isinstance(each, Dual) for each in values):
                        raise Undecided("a kink")
                    best = value if order > 0 else best
                return best
            case "KroneckerDelta":
                return int(dual.plain_order(*values) == 0)
            case "sign":
                return dual.plain_order(values[0], 0)
            case "floor" | "ceiling" | "Mod":
                return _rounded(function, values)
            case "log" if len(values) == 2:
                return dual.multiply(dual.apply("log", values[0]), dual.inverse(dual.apply("log", values[1])))
            case "Abs":
                return values[0] if dual.plain_order(values[0], 0) >= 0 else dual.negate(values[0])
            case "factorial":
                return dual.apply("gamma", dual.add(values[0], 1))
        if len(values) != 1 or function not in arbs.FUNCTIONS:
            raise Unsupported(f"{function} is not evaluated at a point")
        return dual.apply(function, values[0])


def _rounded(function: str, values: list[Num]) -> Num:
    number = dual.plain(values[0])
    if function == "Mod":
        quotient = _floor(dual.plain(dual.multiply(number, dual.inverse(dual.plain(values[1])))))
        return dual.add(values[0], dual.negate(dual.multiply(values[1], quotient)))
    return _floor(number) if function == "floor" else -_floor(dual.negate(number))


def _floor(number: Num) -> int:
    if not isinstance(number, arb):
        return floor(dual.fraction(number))
    found = arbs.floor(number)
    if found is None:
        raise Undecided("a floor that balls do not decide")
    return found


_ORDERS: Mapping[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
    "!=": lambda order: order != 0,
}
