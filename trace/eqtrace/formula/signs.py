"""Signs of terms, seen before they are multiplied out: a sum of squares is not negative."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from eqtrace.formula.facts import NOT_NEGATIVE, NOT_ZERO, POSITIVE, Facts
from eqtrace.formula.given import Definition, Problem
from eqtrace.formula.polynomial import ONE, Polynomial, subtract
from eqtrace.formula.term import (
    Add,
    Call,
    Constant,
    Div,
    Indexed,
    Mul,
    Name,
    Neg,
    Node,
    Number,
    Piecewise,
    Pow,
    Reduction,
    Sum,
)

Env: TypeAlias = Mapping[str, Polynomial]


class TermSigns:
    """What is known of the signs of terms, wherever they are defined."""

    def __init__(
        self,
        problem: Problem,
        facts: Facts,
        value: Callable[[Node, Env], Polynomial],
        generic: Callable[[Definition], Env],
    ) -> None:
        self._problem = problem
        self._facts = facts
        self._value = value
        self._generic = generic
        self._known: dict[str, int] = {}

    def of(self, term: Node, env: Env) -> int:
        """The sign bits of a term."""
        match term:
            case Number(value=value):
                return POSITIVE if value > 0 else NOT_NEGATIVE if value == 0 else NOT_ZERO
            case Constant():
                return POSITIVE
            case Name(name=name):
                if name in env:
                    return self._facts.sign(env[name])
                if name in self._problem.sizes:
                    return POSITIVE
                return self._symbol(name)
            case Indexed(base=base):
                return self._symbol(base)
            case Neg(operand=operand):
                return self.of(operand, env) & NOT_ZERO
            case Add(left=left, right=right):
                one, other = self.of(left, env), self.of(right, env)
                return NOT_NEGATIVE | (one | other) & NOT_ZERO if one & other & NOT_NEGATIVE else 0
            case Mul(left=left, right=right):
                if left == right:
                    return NOT_NEGATIVE | self.of(left, env) & NOT_ZERO
                return self.of(left, env) & self.of(right, env)
            case Div(left=left, right=right):
                return self.of(left, env) & (self.of(right, env) | NOT_ZERO)
            case Pow(base=base, exponent=exponent):
                return self._power(base, exponent, env)
            case Sum():
                bits = self.of(term.body, env)
                return POSITIVE if bits == POSITIVE and self._full(term, env) else bits & NOT_NEGATIVE
            case Piecewise(branches=branches):
                bits = POSITIVE
                for branch in branches:
                    bits &= self.of(branch.value, env)
                return bits
            case Call(function=function, args=args):
                return self._call(function, [self.of(each, env) for each in args])
        return 0

    def _symbol(self, name: str) -> int:
        found = self._known.get(name)
        if found is None:
            self._known[name] = 0  # a definition that comes back to itself says nothing
            own = self._problem.definitions.get(name)
            found = self._facts.signs.get(name, 0)
            if own is not None and own.body is not None:
                found |= self.of(own.body, self._generic(own))
            self._known[name] = found
        return found

    def _power(self, base: Node, exponent: Node, env: Env) -> int:
        bits = self.of(base, env)
        value = exponent.operand if isinstance(exponent, Neg) else exponent
        negative = isinstance(exponent, Neg)
        if isinstance(value, Div) and isinstance(value.left, Number) and isinstance(value.right, Number):
            whole = value.left.value / value.right.value if value.right.value else None
        else:
            whole = value.value if isinstance(value, Number) else None
        if whole is None:
            return POSITIVE if bits == POSITIVE else 0
        if whole == 0:
            return POSITIVE
        if negative or whole < 0:
            bits |= NOT_ZERO
        if whole.denominator != 1 or whole % 2 == 0:
            bits |= NOT_NEGATIVE
        return bits

    def _full(self, term: Reduction, env: Env) -> bool:
        """Whether a range surely holds something."""
        if term.start is None or term.stop is None:
            return False
        start, stop = self._value(term.start, env), self._value(term.stop, env)
        return self._facts.not_negative(subtract(subtract(stop, start), ONE))

    def _call(self, function: str, bits: list[int]) -> int:
        match function:
            case "exp" | "cosh" | "erfc":
                return POSITIVE
            case "Abs":
                return NOT_NEGATIVE | bits[0] & NOT_ZERO
            case "sqrt":
                return NOT_NEGATIVE | bits[0] & NOT_ZERO
            case "KroneckerDelta":
                return NOT_NEGATIVE
            case "Max":
                return NOT_NEGATIVE if any(each & NOT_NEGATIVE for each in bits) else 0
            case "Min":
                return NOT_NEGATIVE if all(each & NOT_NEGATIVE for each in bits) else 0
        return 0
