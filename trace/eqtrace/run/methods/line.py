"""One cited line, held against its equation's form on every captured execution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from eqtrace.formula.ball import BallError, Undecided, lift
from eqtrace.formula.evaluate import Balls, Unsupported, holds, sides
from eqtrace.formula.form import Form, Shape
from eqtrace.formula.shape import solve
from eqtrace.model.anchor import Anchor
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.verdict import Verdict
from eqtrace.run.capture import Captured
from eqtrace.run.exact.replay import Replay
from eqtrace.run.methods.compare import Comparison, Outcome, float_comparison, grid_outcome, worst
from eqtrace.run.methods.counterexample import Counterexample, describe, shrink
from eqtrace.run.site import Site
from eqtrace.run.statement import CannotRun

if TYPE_CHECKING:
    from eqtrace.run.session import Session

BITS = (128, 256, 512, 1024, 2048)
CERTIFIED_POINTS = 64  # executions of a line that are replayed in balls; every one is checked in float64


@dataclass
class Line:
    """What was shown of one cited line, filled as its executions are checked."""

    anchor: Anchor
    site: Site
    points: int = 0
    certified: int = 0
    to_constants: int = 0
    kinks: int = 0
    undecided: int = 0
    worst_ulp: float = 0.0
    worst_at: str = ""
    why_sampled: str = ""
    faults: dict[str, Fault] = field(default_factory=dict)  # the first of each kind

    @property
    def verdict(self) -> Verdict:
        """The line's verdict; a line at which nothing could be compared is not checked."""
        if "value-mismatch" in self.faults:
            return Verdict.REFUTED
        if self.faults or not self.points:
            return Verdict.NOT_CHECKED
        if self.why_sampled or not self.certified + self.to_constants:
            return Verdict.SAMPLED
        return Verdict.CERTIFIED_TO_CONSTANTS if self.to_constants else Verdict.CERTIFIED


class LineCheck:
    """Checks one anchor's line on its captured executions."""

    def __init__(self, equation: Equation, anchor: Anchor, site: Site, session: Session) -> None:
        self._equation = equation
        self._session = session
        self._form = session.work.forms[equation.id]
        self._shapes = batched(self._form)
        self._parts = [
            part
            for part in range(len(self._form.parts))
            if anchor.part in (None, part) and site.outputs.keys() & set(self._form.left(part))
        ]
        self.line = Line(anchor, site)
        try:
            self._replay: Replay | None = Replay(site, session.shadows, session.exact_constants)
        except CannotRun as reason:
            self._replay, self.line.why_sampled = None, str(reason)

    def run(self, captured: list[Captured]) -> Line:
        """Checks every execution in float64, and a spread of them in balls."""
        chosen = _spread(len(captured), CERTIFIED_POINTS)
        for number, each in enumerate(captured):
            self._check(each, number in chosen)
            if "value-mismatch" in self.line.faults:
                break
        if not self.line.points and not self.line.faults and captured:
            self._fault("value-undecided", "nothing could be compared at any of its executions", "")
        return self.line

    def _check(self, each: Captured, replayed: bool) -> None:
        event = each.event
        if event.problem:
            self._fault("value-undecided", f"{event.problem} ({each.origin})", "read the value by another `bind`")
            return
        for symbol in event.changed:
            self._fault("argument-changed", f"the statement changes {symbol} in place ({each.origin})", "")
        values = {**event.inputs, **event.outputs}
        solved = solve(self._shapes, values)
        if solved.mismatches:
            what = "; ".join(map(str, solved.mismatches))
            self._fault("shape-mismatch", f"{what} ({each.origin})", "correct the shape or the bind")
            return
        try:
            if holds(self._form, values, solved.sizes) is False:
                return
            for part in self._parts:
                self._point(part, each, values, solved.sizes, replayed)
        except (Unsupported, BallError, IndexError, ValueError, TypeError) as error:
            self._fault("value-undecided", f"the form can't be evaluated: {error} ({each.origin})", "")

    def _point(self, part: int, each: Captured, values: Mapping[str, Any], sizes: Mapping[str, int], replayed: bool) -> None:
        undefined = self._form.undefined(part, sizes)
        if undefined:
            self._fault("entries-undefined", f"{undefined} ({each.origin})", "")
            return
        comparison, kinks = self._in_float64(part, each, values, sizes)
        line = self.line
        line.points += 1
        line.kinks += kinks
        if comparison.undecided == comparison.entries and comparison.entries:
            line.undecided += 1
            line.points -= 1
            return
        if comparison.mismatch is not None:
            self._refute(part, each, comparison)
            return
        if comparison.worst_ulp > line.worst_ulp:
            line.worst_ulp, line.worst_at = comparison.worst_ulp, each.origin
        if replayed and self._replay is not None and not line.why_sampled:
            self._in_balls(part, each, values, sizes)

    def _in_float64(
        self, part: int, each: Captured, values: Mapping[str, Any], sizes: Mapping[str, int]
    ) -> tuple[Comparison, bool]:
        """The float64 rule; the second value says whether a kink was met."""
        return compare_in_float64(self._form, part, values, each.event.outputs, sizes, self._equation.tolerance)

    def _in_balls(self, part: int, each: Captured, values: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        """Certifies one execution, or remembers why it can't be."""
        line, replay = self.line, self._replay
        assert replay is not None
        try:
            shown = self._difference(replay, part, each, values, sizes, exact_constants=False)
            if shown is Outcome.EQUAL:
                line.certified += 1
            elif shown is Outcome.WIDE:
                exactly = self._difference(replay, part, each, values, sizes, exact_constants=True)
                if exactly is Outcome.EQUAL:
                    line.to_constants += 1
                else:
                    line.why_sampled = "the difference of balls stays too wide at 2048 bits"
            elif shown is Outcome.OPEN:
                line.kinks += 1
            elif replay.loose(each.event):
                names = ", ".join(replay.loose(each.event))
                line.why_sampled = f"the statement reads {names}, rounded before it, which no symbol binds"
            else:
                self._refute(part, each, None)
        except Undecided:
            line.kinks += 1
        except CannotRun as reason:
            line.why_sampled = f"the statement does not run in balls: {reason}"

    def _difference(
        self,
        replay: Replay,
        part: int,
        each: Captured,
        values: Mapping[str, Any],
        sizes: Mapping[str, int],
        exact_constants: bool,
    ) -> Outcome:
        """What code minus form shows, at the first precision that is enough."""
        shown = Outcome.OPEN
        for bits in BITS:
            outputs = replay.run(each.event, bits, exact_constants)
            code, *forms = sides(self._form, part, {**values, **outputs}, sizes, Balls(bits))
            shown = worst(grid_outcome(code, form, is_exact_kind(each.event.outputs)) for form in forms)
            if shown is not Outcome.WIDE:
                break
        return shown

    def _refute(self, part: int, each: Captured, comparison: Comparison | None) -> None:
        found = Counterexample(each.event.inputs, comparison, each.origin)
        if comparison is not None:
            found = shrink(found, each, self.line.site, self._equation.symbols, lambda *values: self._again(part, *values))
        message, hint = describe(found, self._equation, self.line.site, self._session.work.seed)
        self._fault("value-mismatch", message, hint)

    def _again(self, part: int, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Comparison | None:
        """The comparison on other inputs; None where the form claims nothing of them."""
        values = {**inputs, **outputs}
        solved = solve(self._shapes, values)
        if solved.mismatches or holds(self._form, values, solved.sizes) is False:
            return None
        return compare_in_float64(self._form, part, values, outputs, solved.sizes, self._equation.tolerance)[0]

    def _fault(self, kind: str, message: str, hint: str) -> None:
        if kind in self.line.faults:
            return
        site = self.line.site
        place = Span(site.path, site.line, site.column, site.end_line, site.end_column)
        where = f"{site.path}:{site.line}: "
        self.line.faults[kind] = Fault(
            kind,
            where + message,
            self.line.anchor.span,
            hint,
            (Related(place, "the cited statement"),),
            self._equation.id,
            "value",
        )


def compare_in_float64(
    form: Form,
    part: int,
    values: Mapping[str, Any],
    outputs: Mapping[str, Any],
    sizes: Mapping[str, int],
    tolerance: Any,
) -> tuple[Comparison, bool]:
    """The float64 rule over one execution; the second value says whether a kink was met.

    The outputs are what is being judged, so they are taken as exact; only inputs are widened.
    """
    judged = {**values, **{name: lift(value) for name, value in outputs.items()}}
    widened = Balls(53, widen=True, kinks="low")
    code, *rounded = sides(form, part, judged, sizes, widened)
    met = widened.met > 0
    if met:
        rounded_high = sides(form, part, judged, sizes, Balls(53, widen=True, kinks="high"))[1:]
    comparisons = []
    try:
        exact = sides(form, part, values, sizes, Balls(BITS[0]))[1:]
    except Undecided:
        exact = rounded
    for number, low in enumerate(rounded):
        balls = (low, rounded_high[number]) if met else (low,)
        comparisons.append(float_comparison(code, exact[number], balls, met, tolerance))
    return max(comparisons, key=lambda each: (each.mismatch is not None, each.undecided, each.worst_ulp)), met


def batched(form: Form) -> Mapping[str, Shape | None]:
    """The declared shapes; of a form of scalars alone, arrays of any shape may stand for its symbols."""
    if form.indices or any(shape is not None and shape.dims for shape in form.shapes.values()):
        return form.shapes
    return {name: Shape(True, ()) for name in form.shapes}


def is_exact_kind(outputs: Mapping[str, Any]) -> bool:
    """Whether what was captured is of integers, truth values or strings, which compare exactly."""
    return all(np.asarray(value).dtype.kind in "iubU" for value in outputs.values())


def _spread(count: int, wanted: int) -> set[int]:
    if count <= wanted:
        return set(range(count))
    return {round(number * (count - 1) / (wanted - 1)) for number in range(wanted)}
