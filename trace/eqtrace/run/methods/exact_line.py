"""One cited line in exact runs of its equation's gradient: forms that reach further back than the statement itself.

`return dX` says nothing of how dX came about, and what a row of probabilities adds up to holds only up to rounding.
Where the whole run is exact, such a line can be held against its form all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eqtrace.formula.ball import BallError, Undecided
from eqtrace.formula.evaluate import Balls, EvaluationError, evaluate
from eqtrace.formula.families import laid_out
from eqtrace.formula.form import Form
from eqtrace.formula.shape import solve
from eqtrace.model.equation import Equation
from eqtrace.run.gradient.exact_values import ExactValues
from eqtrace.run.gradient.plan import Plan, PlanError
from eqtrace.run.methods.compare import Outcome, grid_outcome, worst
from eqtrace.run.sample import NoDraw
from eqtrace.run.site import Site
from eqtrace.run.statement import CannotRun

if TYPE_CHECKING:
    from eqtrace.run.exact.looks import Seen
    from eqtrace.run.session import Session

BITS = (128, 256, 512)


@dataclass
class Shown:
    """How many executions equal the form, and what is wrong with the first that does not."""

    equal: int = 0
    different: str = ""


class ExactLine:
    """See the module.

    Args:
        equation: one with a gradient.
        form: its form.
        parts: the statements of it that the line shows.
        session: what runs the gradient.
    """

    def __init__(self, equation: Equation, form: Form, parts: Sequence[int], session: Session) -> None:
        assert equation.gradient is not None
        self._equation = equation
        self._form = form
        self._parts = parts
        self._session = session
        self.function = equation.gradient.backward.value.partition("::")[2]

    def shown(self, anchor: str, site: Site) -> Shown:
        """What all executions of the line show.

        Raises:
            CannotRun: there are none.
        """
        try:
            plan: Plan = self._session.gradients.plan(self._equation)
            runs = self._session.gradients.exact_runs(plan)
        except (PlanError, NoDraw) as error:
            raise CannotRun(str(error)) from error
        if (site.file, site.function) != (plan.backward.file, plan.backward.qualname):
            raise CannotRun(f"the line is not in {plan.backward.qualname}")
        found = Shown()
        for run in runs:
            try:
                for number in range(len(run.at(anchor, BITS[0]))):
                    self._execution(run, anchor, number, found)
            except Undecided:
                continue  # a kink
            if found.different:
                break
        return found

    def _execution(self, run: ExactValues, anchor: str, number: int, found: Shown) -> None:
        for part in self._parts:
            outcome: Outcome | None = Outcome.WIDE
            for bits in BITS:
                outcome = self._outcome(part, run.at(anchor, bits)[number], bits)
                if outcome is not Outcome.WIDE:
                    break
            if outcome is Outcome.EQUAL:
                found.equal += 1
            elif outcome is Outcome.DIFFERENT:
                sizes = ", ".join(f"{name} = {size}" for name, size in sorted(run.draw.sizes.items()))
                found.different = (
                    f"in an exact run of {self.function} it differs from `{self._form.parts[part].text.value}`"
                    f" (at {sizes}; {run.draw.origin})"
                )

    def _outcome(self, part: int, seen: Seen, bits: int) -> Outcome | None:
        """What an execution shows; None where the form claims nothing of it."""
        values: Mapping[str, Any] = laid_out(self._form.shapes, {**seen.inputs, **seen.outputs})
        solved = solve(self._form.shapes, values)
        if solved.mismatches:
            return Outcome.DIFFERENT
        try:
            compared = evaluate(self._form, part, values, solved.sizes, Balls(bits))
            outcomes = [
                grid_outcome(equation.sides[0], side, equation.mask)
                for equation in compared
                if equation.mask is None or equation.mask.any()
                for side in equation.sides[1:]
            ]
        except (EvaluationError, BallError, IndexError, ValueError, TypeError) as error:
            raise CannotRun(f"the form can't be evaluated: {error}") from error
        return worst(outcomes) if outcomes else None
