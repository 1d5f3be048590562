"""Conditions into closures: decided on the inputs as they are, only where they are wanted, from left to right."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from eqtrace.formula.arithmetic import Mask, anywhere, both
from eqtrace.formula.failures import Unsupported
from eqtrace.formula.grid import Run
from eqtrace.formula.term import And, ArrayShape, Compare, Eq, Flag, Implies, Node, Not, Or, Statement, Term, Truth

if TYPE_CHECKING:
    from eqtrace.formula.reductions import Evaluator
    from eqtrace.formula.translate import Scope, Translator


class Decisions:
    """Translates the conditions of one form."""

    def __init__(self, translator: Translator) -> None:
        self.translator = translator

    def condition(self, node: Statement, scope: Scope) -> Evaluator:
        """Where a condition holds."""
        match node:
            case Truth(value=value):
                return lambda run, mask: value
            case Flag(term=term):
                return self._compare("!=", term, None, scope)
            case Compare(operator=operator, left=left, right=right):
                return self._compare(operator, left, right, scope)
            case Eq(sides=sides):
                pairs = itertools.pairwise(sides)
                return self._all([self._compare("==", left, right, scope) for left, right in pairs])
            case And(parts=parts):
                return self._all([self.condition(part, scope) for part in parts])
            case Or(parts=parts):
                return self._any([self.condition(part, scope) for part in parts])
            case Not(part=part):
                holds = self.condition(part, scope)
                return lambda run, mask: np.logical_not(holds(run, mask))
            case Implies(premise=premise, conclusion=conclusion):
                return self._implied(self.condition(premise, scope), self.condition(conclusion, scope))
            case ArrayShape(symbol=symbol, sizes=sizes):
                return self._shape(symbol, sizes, scope)
        raise Unsupported(f"{type(node).__name__} is not decided as a condition")

    def _compare(self, operator: str, left: Node, right: Node | None, scope: Scope) -> Evaluator:
        first = self.translator.value(left, scope)
        second = self.translator.value(right, scope) if right is not None else (lambda run, mask: 0)

        def holds(run: Run, mask: Mask) -> Mask:
            plain = run.plain
            return run.operations.compare(operator, first(plain, mask), second(plain, mask), mask)

        return holds

    def _all(self, parts: list[Evaluator]) -> Evaluator:
        def holds(run: Run, mask: Mask) -> Mask:
            result: Mask = True
            for part in parts:
                wanted = both(mask, None if result is True else result)
                if not anywhere(wanted):
                    break
                result = np.logical_and(result, part(run, wanted)) if result is not True else part(run, wanted)
            return result

        return holds

    def _any(self, parts: list[Evaluator]) -> Evaluator:
        def holds(run: Run, mask: Mask) -> Mask:
            result: Mask = False
            for part in parts:
                wanted = both(mask, None if result is False else np.logical_not(result))
                if not anywhere(wanted):
                    break
                result = np.logical_or(result, part(run, wanted)) if result is not False else part(run, wanted)
            return result

        return holds

    def _implied(self, premise: Evaluator, conclusion: Evaluator) -> Evaluator:
        def holds(run: Run, mask: Mask) -> Mask:
            given = premise(run, mask)
            wanted = both(mask, given)
            return np.logical_or(np.logical_not(given), conclusion(run, wanted)) if anywhere(wanted) else True

        return holds

    def _shape(self, symbol: str, sizes: tuple[Term, ...], scope: Scope) -> Evaluator:
        lengths = [self.translator.term(size, scope) for size in sizes]

        def holds(run: Run, mask: Mask) -> Mask:
            found = run.shape(symbol)
            return len(found) == len(lengths) and all(
                length == expected(run, mask) for length, expected in zip(found, lengths, strict=True)
            )

        return holds
