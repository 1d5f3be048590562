"""Conditions as 1 or 0, and values case by case: of branches, and of what may be infinite.

A value that may be infinite (a masked score) is a list of cases, each with its condition; only exponentials and
maxima take such a value in.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eqtrace.formula import guards
from eqtrace.formula.facts import NOT_NEGATIVE, NOT_ZERO, POSITIVE, Unprovable
from eqtrace.formula.polynomial import ONE, ZERO, Polynomial, add, scale, subtract
from eqtrace.formula.signs import Env
from eqtrace.formula.term import (
    Add,
    And,
    Compare,
    Condition,
    Constant,
    Eq,
    Flag,
    Indexed,
    Name,
    Neg,
    Node,
    Not,
    Or,
    Piecewise,
    Term,
    Truth,
    walk,
)
from eqtrace.formula.written import written

if TYPE_CHECKING:
    from eqtrace.formula.convert import Converter

_SIGNS = {">": POSITIVE, ">=": NOT_NEGATIVE, "!=": NOT_ZERO}
_TURNED = {"<": ">", "<=": ">="}


def greater(condition: Compare) -> tuple[Term, Term, int] | None:
    """A comparison as (greater, smaller, sign of the difference)."""
    if condition.operator in _SIGNS:
        return condition.left, condition.right, _SIGNS[condition.operator]
    if condition.operator in _TURNED:
        return condition.right, condition.left, _SIGNS[_TURNED[condition.operator]]
    return None


@dataclass(frozen=True, slots=True)
class Case:
    """A value under a condition; `value` is None for an infinity, whose sign is `infinite`."""

    guard: Polynomial
    value: Polynomial | None
    infinite: int = 0


class Branching:
    """The conditions and cases of one converter."""

    def __init__(self, converter: Converter) -> None:
        self._converter = converter
        self._algebra = converter.algebra
        self._facts = converter.facts
        self._branch_starts: list[int] = []  # how many facts were known where each branch began
        self._branching: dict[tuple[int, frozenset[str]], tuple[Node, bool]] = {}  # by id of a node, which is held

    def condition(self, node: Node, env: Env) -> Polynomial:
        """A condition as 1 or 0."""
        algebra = self._algebra
        match node:
            case Truth(value=value):
                return ONE if value else ZERO
            case Flag(term=term):
                return guards.opposite(algebra, guards.delta(algebra, self._converter.value(term, env)))
            case Compare(operator=operator, left=left, right=right):
                more = subtract(self._converter.value(left, env), self._converter.value(right, env))
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
                values = [self._converter.value(side, env) for side in sides]
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
            return [Case(ONE, self._converter.value(term, env))]
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
                    guard = self._algebra.multiply(rest, holds)
                    rest = self._algebra.multiply(rest, guards.opposite(self._algebra, holds))
                    if guard.terms:
                        found += [
                            Case(self._algebra.multiply(guard, case.guard), case.value, case.infinite)
                            for case in self._supposing(branch.condition, branch.value, env)
                        ]
                if rest.terms:
                    self._facts.assume(f"one branch of {written(term)} holds")
                return found
            case Indexed(base=base) if self._branches(term):
                return self._converter.definitions.instance(base, self._converter.place(term, env))
            case Name(name=name) if self._branches(term):
                return self._converter.definitions.instance(name, ())
        return [Case(ONE, self._converter.value(term, env))]

    def _supposing(self, condition: Condition, term: Node, env: Env) -> list[Case]:
        """A term's cases where a condition holds: what it says of indices is known in them."""
        before, signs = len(self._facts.known), self._converter.signs
        self._branch_starts.append(before)
        self._converter.signs = self._converter.term_signs()
        for part in condition.parts if isinstance(condition, And) else (condition,):
            if isinstance(part, Compare):
                self.learn(part, env)
        try:
            return self.cases(term, env)
        finally:  # nothing that was seen under the condition stays
            del self._facts.known[before:]
            self._converter.signs = signs
            self._branch_starts.pop()

    def outside(self) -> list[tuple[Polynomial, int]]:
        """What is known outside all branches."""
        return self._facts.known[: self._branch_starts[0]] if self._branch_starts else self._facts.known

    def learn(self, condition: Compare, env: Env) -> None:
        """Note what a comparison says of a difference."""
        found = greater(condition)
        if found is None:
            return
        more = subtract(self._converter.value(found[0], env), self._converter.value(found[1], env))
        self._facts.known.append((more, found[2]))
        if found[2] == POSITIVE and self._facts.is_integer(more):
            self._facts.known.append((subtract(more, ONE), NOT_NEGATIVE))

    def _may_branch(self, term: Node) -> bool:
        key = id(term), self._converter.held
        if key not in self._branching:
            self._branching[key] = term, any(self._branches(node) for node in walk(term))
        return self._branching[key][1]

    def _branches(self, node: Node) -> bool:
        if isinstance(node, Piecewise) or (isinstance(node, Constant) and node.name == "oo"):
            return True
        name = node.base if isinstance(node, Indexed) else node.name if isinstance(node, Name) else ""
        return self._converter.definitions.is_put_in(name)

    def _sum_case(self, one: Case, other: Case) -> Iterator[Case]:
        guard = self._algebra.multiply(one.guard, other.guard)
        if not guard.terms:
            return
        if one.value is not None and other.value is not None:
            yield Case(guard, add((one.value, other.value)))
        elif one.infinite * other.infinite < 0:
            raise Unprovable("a difference of infinities")
        else:
            yield Case(guard, None, one.infinite or other.infinite)
