"""One cited line, held against its equation's form on every captured execution."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb

from eqtrace.formula.arithmetic import Ways
from eqtrace.formula.ball import BallError, Undecided
from eqtrace.formula.claims import claims, left_sides
from eqtrace.formula.entries import implied
from eqtrace.formula.evaluate import Balls, Evaluation, EvaluationError, evaluate, holds
from eqtrace.formula.families import laid_out
from eqtrace.formula.form import RESULT, Form, Shape
from eqtrace.formula.shape import Sizes, Solver, integer, shape_of, written
from eqtrace.formula.term import Name
from eqtrace.model.anchor import Anchor
from eqtrace.model.equation import Equation, Tolerance
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.verdict import Verdict
from eqtrace.run.exact.replay import Replay
from eqtrace.run.exact.shadow import Constants
from eqtrace.run.executions import Captured
from eqtrace.run.methods.compare import (
    Comparison,
    Outcome,
    clearly_close,
    float_comparison,
    grid_differences,
    grid_outcome,
    is_narrow,
    worst,
)
from eqtrace.run.methods.counterexample import Compare, Counterexample, brief, describe, shrink, told
from eqtrace.run.methods.exact_line import ExactLine
from eqtrace.run.methods.kind import breach, has_kind
from eqtrace.run.methods.steady import is_steady
from eqtrace.run.record import Event
from eqtrace.run.site import Site
from eqtrace.run.statement import CannotRun
from eqtrace.run.work import is_scalar, used_symbols

if TYPE_CHECKING:
    from eqtrace.run.session import Session

BITS = (128, 256, 512, 1024, 2048)
LEAST = 8  # executions in exact runs that certify a line
_REFUTING = frozenset({"value-mismatch", "ulps-exceeded", "argument-changed"})
_OUTSIDE = "a call gives something else than the function itself returns (a decorator, or another function of its name)"
_OF_RESULT = "correct the code, or the shape that the specification gives; `bind` reads a part of what is returned"
CERTIFIED_POINTS = 32  # executions of a line that are replayed in balls; every one is checked in float64


@dataclass(frozen=True, slots=True)
class Found:
    """What the comparison of one execution with one statement of the form gave."""

    part: int
    captured: Captured
    comparison: Comparison


@dataclass
class Line:
    """What was shown of one cited line, filled as its executions are checked."""

    anchor: Anchor
    site: Site
    points: int = 0
    certified: int = 0
    to_constants: int = 0
    in_exact_runs: int = 0  # executions in exact runs of a gradient, where a replay sees what was rounded before
    kinks: int = 0
    undecided: int = 0
    outside: int = 0  # executions that `where` leaves out
    unclaimed: int = 0  # executions of which a statement claims nothing, as its premise holds for no entry
    worst: Found | None = None  # the largest error of what passes
    why_sampled: str = ""
    rounded_before: bool = False  # whether that is because of what was rounded before the statement
    refuted: bool = False  # by a result of another shape
    faults: dict[str, Fault] = field(default_factory=dict)  # the first of each kind
    outside_domain: dict[str, Fault] = field(default_factory=dict)  # the first of each symbol; the line is checked yet

    @property
    def verdict(self) -> Verdict:
        """The line's verdict; a line at which nothing could be compared is not checked."""
        if self.refuted or not _REFUTING.isdisjoint(self.faults):
            return Verdict.REFUTED
        if self.faults or not self.points:
            return Verdict.NOT_CHECKED
        if self.why_sampled or not self.certified + self.to_constants + self.in_exact_runs:
            return Verdict.SAMPLED
        return Verdict.CERTIFIED_TO_CONSTANTS if self.to_constants else Verdict.CERTIFIED

    @property
    def worst_ulp(self) -> float:
        """The largest error in ulps."""
        return 0.0 if self.worst is None else self.worst.comparison.worst_ulp

    @property
    def worst_at(self) -> str:
        """Where the largest error is: the entry, both values, the inputs and where these come from."""
        entry = None if self.worst is None else self.worst.comparison.furthest
        if self.worst is None or entry is None:
            return ""
        captured = self.worst.captured
        values = told(entry, next(iter(self.site.outputs), "the result"))
        return f"{self.site.path}:{self.site.line}, {values}, with {brief(captured.event.inputs)}, in {captured.origin}"


class LineCheck:
    """Checks one anchor's line on its captured executions."""

    def __init__(self, equation: Equation, anchor: Anchor, site: Site, session: Session) -> None:
        self._equation = equation
        self._session = session
        self._form = session.work.forms[equation.id]
        self._implied = implied(self._form)
        self._shapes = {**batched(self._form), **self._implied}
        lefts = {side for part in self._form.parts for claim, _ in claims(part.statement) for side in left_sides(claim)}
        self._gives_number = lefts == {Name(RESULT)} and RESULT not in equation.symbols and not self._form.functions
        self._sizes = Solver(self._shapes)
        self._parts = [
            part
            for part in range(len(self._form.parts))
            if anchor.part in (None, part) and site.outputs.keys() & set(self._form.left(part))
        ]
        self.line = Line(anchor, site)
        self._kinds = [name for name, symbol in equation.symbols.items() if has_kind(symbol.domain)]
        self.ways: Ways = {}  # that the conditions of the form's cases went
        self._furthest: dict[int, float] = {}  # by statement: the most ulps that code and form were apart
        self._loose = ""  # why the statement alone can't be told apart from the form
        self._replay: Replay | None = None
        try:
            if session.effort.exact:
                self._replay = Replay(site, session.twins)
        except CannotRun as reason:
            self.line.why_sampled = str(reason)

    @property
    def parts(self) -> tuple[int, ...]:
        """The statements of the form that the line's left sides belong to."""
        return tuple(self._parts)

    def run(self, captured: list[Captured], executed: int) -> Line:
        """Checks every execution in float64, and a spread of them in balls.

        Args:
            captured: the executions whose values were seen.
            executed: how many there were.
        """
        points = self._session.effort.points
        if points is not None:
            captured = [captured[number] for number in sorted(_spread(len(captured), points))]
        chosen = _spread(len(captured), CERTIFIED_POINTS if self._session.effort.exact else 0)
        for number, each in enumerate(captured):
            self._check(each, number in chosen)
            if "value-mismatch" in self.line.faults:
                break
        self._hold_bound()
        if self.line.rounded_before and not self.line.faults:
            self._in_exact_runs()
        if not self.line.points and not self.line.faults and (captured or executed):
            problem = self._session.recorder.problems.get(self.line.anchor.id)
            what, hint = f"its values can't be captured: {problem}", "correct the bind"
            if not problem:
                what, hint = _why_nothing(captured, executed, tuple(self._equation.defaults))
            self._fault("value-undecided", what, hint)
        return self.line

    def hold_returned(self, returned: list[Captured]) -> None:
        """Holds what calls gave, where that is not what the function itself returned, against the form too."""
        for each in returned:
            inputs, outputs = each.event.inputs, each.event.outputs
            try:
                given = self._sizes.solve(laid_out(self._shapes, inputs))
                values = laid_out(self._shapes, {**inputs, **outputs})
                wrong = self._misshapen(values, self._sizes.solve(values), given)
                found = [self._again(part, inputs, outputs) for part in self._parts]
            except (EvaluationError, BallError, IndexError, ValueError, TypeError):
                continue  # no number, such as one with a unit: the function's own value was compared
            if wrong and not given.mismatches:
                self.line.refuted = True
                self._fault("shape-mismatch", f"{_OUTSIDE}: {wrong} ({each.origin})", _OF_RESULT)
            for comparison in found:
                if comparison is not None and comparison.mismatch is not None:
                    message, hint = self._told(each, comparison, lambda *_: None)
                    self._fault("value-mismatch", f"{_OUTSIDE}: {message}", hint)

    def _check(self, each: Captured, replayed: bool) -> None:
        event = each.event
        if event.problem:
            self._fault("value-undecided", f"{event.problem} ({each.origin})", "read the value by another `bind`")
            return
        for symbol in event.changed:
            hint = "compute into a new array, or bind the changed name as a left side if that is the formula"
            self._fault("argument-changed", f"the statement changes {symbol} in place ({each.origin})", hint)
        values = laid_out(self._shapes, {**event.inputs, **event.outputs})
        solved = self._sizes.solve(values)
        if solved.mismatches or self._gives_number:
            given = self._sizes.solve(laid_out(self._shapes, event.inputs))
            if wrong := self._misshapen(values, solved, given):
                self._fault("shape-mismatch", f"{wrong} ({each.origin})", "" if given.mismatches else _OF_RESULT)
                self.line.refuted |= not given.mismatches  # the inputs fit, the result does not
                return
        try:
            if holds(self._form, values, solved.sizes) is False:
                self.line.outside += 1
                return
            self._hold_kinds(each)
            for part in self._parts:
                self._point(part, each, values, solved.sizes, replayed)
        except (EvaluationError, BallError, IndexError, ValueError, TypeError) as error:
            self._fault("value-undecided", f"the form can't be evaluated: {error} ({each.origin})", "")

    def _misshapen(self, values: Mapping[str, Any], solved: Sizes, given: Sizes) -> str:
        """How the shapes of an execution differ from the declared ones, and from those that the form gives; '' if not.

        `given` are the sizes by the inputs alone. A result of one entry may have axes where the form gives a number.
        """
        told = [str(each) for each in solved.mismatches if each.symbol not in self._implied]
        for name in dict.fromkeys(each.symbol for each in solved.mismatches if each.symbol in self._implied):
            dims = [integer(dim, {**solved.sizes, **given.sizes}) or written(dim) for dim in self._implied[name].dims]
            lead = "..., " if self._implied[name].batch else ""
            expected = f"({lead}{', '.join(map(str, dims))}{',' * (len(dims) == 1)})"
            told.append(f"{name} {_shaped(values[name])}, the form gives {expected}")
        found = shape_of(values.get(RESULT, 0)) if self._gives_number else ()
        if not told and math.prod(given.batch) == 1 and math.prod(found) > 1:
            told.append(f"{RESULT} has shape {found}, the form gives a number")
        return "; ".join(told)

    def _point(
        self, part: int, each: Captured, values: Mapping[str, Any], sizes: Mapping[str, int], replayed: bool
    ) -> None:
        undefined = self._form.undefined(part, sizes, values)
        if undefined:
            self._fault("entries-undefined", f"{undefined} ({each.origin})", "")
            return
        # What a stated bound is about is worked out exactly each time.
        line, seen = self.line, self._furthest.get(part, -1.0) if self._equation.ulps is None else -1.0
        tolerance = self._equation.tolerance
        comparison, kinks = compare_in_float64(self._form, part, values, sizes, tolerance, seen, self.ways)
        self._furthest[part] = max(comparison.apart, seen)
        if comparison.mismatch is not None:
            line.points += 1
            self._refute(part, each, comparison)
            return
        if not comparison.entries and not comparison.undecided:
            line.unclaimed += 1
            return
        if comparison.undecided:
            line.undecided += 1
            return
        line.points += 1
        line.kinks += kinks
        if comparison.worst_ulp > line.worst_ulp:
            line.worst = Found(part, each, comparison)
        if replayed and self._replay is not None and not line.why_sampled:
            self._in_balls(part, each, values, sizes)

    def _in_balls(self, part: int, each: Captured, values: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        """Certifies one execution, or remembers why it can't be."""
        line = self.line
        assert self._replay is not None
        try:
            for bits in BITS:
                shown = self._difference(part, each, values, sizes, bits, Constants.HALF_ULP)
                if shown is not Outcome.WIDE:
                    break
            if shown is Outcome.EQUAL:
                line.certified += 1
            elif shown is Outcome.OPEN:
                line.kinks += 1
            elif not self._loose and self._takes_earlier(self._replay.loose(each.event)):
                self._in_balls(part, each, values, sizes)
            elif shown is Outcome.WIDE and self._is_wide_by_constants(part, each, values, sizes):
                line.to_constants += 1
            elif shown is Outcome.WIDE:
                line.why_sampled = f"the difference of balls stays too wide at {BITS[-1]} bits"
            elif loose := self._loose or self._replay.loose(each.event):
                line.why_sampled, line.rounded_before = loose, True
            elif self._equation.tolerance is not None:
                line.why_sampled = "within the declared tolerance, and exactly another value"
            elif self._differs_by_literals(part, each, values, sizes):
                line.to_constants += 1
            elif self._difference(part, each, values, sizes, BITS[0], Constants.WIDE) is not Outcome.DIFFERENT:
                line.why_sampled = "a constant in the code is more than half an ulp off what the form says"
            elif not each.event.turns and not self._is_steady(part, each, values, sizes):
                line.why_sampled = "it equals the form as far as the values that it reads are not rounded"
                line.rounded_before = True
            else:
                self._refute(part, each, None)
        except Undecided:
            line.kinks += 1
        except CannotRun as reason:
            line.why_sampled = self._loose or f"the statement does not run in balls: {reason}"
            line.rounded_before = bool(self._loose)

    def _takes_earlier(self, loose: str) -> bool:
        """Whether from now on the statements before the cited one are replayed with it: it is loose, and some are."""
        if not loose:
            return False
        replay = Replay(self.line.site, self._session.twins, with_earlier=True)
        if not replay.has_earlier:
            return False
        self._replay, self._loose = replay, loose
        return True

    def _in_exact_runs(self) -> None:
        """Certifies the line where nothing was rounded before it: in exact runs of the equation's gradient."""
        if self._equation.gradient is None:
            return
        line, values = self.line, ExactLine(self._equation, self._form, self._parts, self._session)
        try:
            shown = values.shown(line.anchor.id, line.site)
        except CannotRun as reason:
            line.why_sampled += f"; in exact runs of {values.function}: {reason}"
            return
        if shown.different and self._equation.tolerance is None:
            self._fault("value-mismatch", shown.different, "the values are of an exact run, so that no rounding counts")
        elif shown.equal >= LEAST and not shown.different:
            line.in_exact_runs, line.why_sampled = shown.equal, ""
        else:
            line.why_sampled += f"; {shown.equal} executions in exact runs of {values.function} show it"

    def _difference(
        self,
        part: int,
        each: Captured,
        values: Mapping[str, Any],
        sizes: Mapping[str, int],
        bits: int,
        constants: Constants,
    ) -> Outcome:
        """What code minus form shows at a precision."""
        exactly = is_exact_kind(each.event.outputs)
        return worst(
            grid_outcome(equation.sides[0], side, equation.mask, exactly)
            for equation in self._replayed(part, each, values, sizes, bits, constants)
            for side in equation.sides[1:]
        )

    def _is_steady(self, part: int, each: Captured, values: Mapping[str, Any], sizes: Mapping[str, int]) -> bool:
        """Whether code and form differ by themselves, and not by the rounding of what they read."""

        def differences(event: Event) -> list[arb]:
            moved = replace(each, event=event)
            shown = self._replayed(part, moved, {**values, **event.inputs}, sizes, BITS[0], Constants.HALF_ULP)
            return [
                difference
                for equation in shown
                for side in equation.sides[1:]
                for difference in grid_differences(equation.sides[0], side, equation.mask)
            ]

        return is_steady(differences, each.event, self.line.site)

    def _differs_by_literals(
        self, part: int, each: Captured, values: Mapping[str, Any], sizes: Mapping[str, int]
    ) -> bool:
        """Whether literals of full length, each within half an ulp, are all that tells code and form apart."""
        shown = self._difference(part, each, values, sizes, BITS[0], Constants.LITERALS)
        return shown is not Outcome.DIFFERENT and self._is_wide_by_constants(part, each, values, sizes)

    def _is_wide_by_constants(
        self, part: int, each: Captured, values: Mapping[str, Any], sizes: Mapping[str, int]
    ) -> bool:
        """Whether the difference is close once constants have no radius: then its radius comes from them alone."""
        return any(
            all(
                is_narrow(equation.sides[0], side, equation.mask)
                for equation in self._replayed(part, each, values, sizes, bits, Constants.EXACT)
                for side in equation.sides[1:]
            )
            for bits in BITS
        )

    def _replayed(
        self,
        part: int,
        each: Captured,
        values: Mapping[str, Any],
        sizes: Mapping[str, int],
        bits: int,
        constants: Constants,
    ) -> tuple[Evaluation, ...]:
        assert self._replay is not None
        outputs = self._replay.run(each.event, bits, constants)
        return evaluate(self._form, part, laid_out(self._shapes, {**values, **outputs}), sizes, Balls(bits))

    def _refute(self, part: int, each: Captured, comparison: Comparison | None) -> None:
        message, hint = self._told(each, comparison, lambda *values: self._again(part, *values))
        self._fault("value-mismatch", message, hint)

    def _again(self, part: int, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Comparison | None:
        """The comparison on other inputs; None where the form claims nothing of them."""
        values = laid_out(self._shapes, {**inputs, **outputs})
        solved = self._sizes.solve(values)
        if solved.mismatches or holds(self._form, values, solved.sizes) is False:
            return None
        return compare_in_float64(self._form, part, values, solved.sizes, self._equation.tolerance)[0]

    def _hold_kinds(self, each: Captured) -> None:
        """Holds captured inputs against what their domains say that they are."""
        for name in self._kinds:
            if name in each.event.inputs and name not in self.line.outside_domain:
                broken = breach(self._equation.symbols[name], each.event.inputs[name])
                if broken:
                    message = f"{name} holds {broken}, and its domain says otherwise ({each.origin})"
                    self.line.outside_domain[name] = self._made("outside-domain", message, "")

    def _hold_bound(self) -> None:
        """Holds the largest error against the bound that the specification states."""
        bound, worst = self._equation.ulps, self.line.worst
        if bound is None or worst is None or "value-mismatch" in self.line.faults:
            return
        if worst.comparison.worst_ulp > bound.maximum:
            entry = worst.comparison.furthest
            broken = replace(worst.comparison, mismatch=entry)
            again = _beyond(bound.maximum, lambda *values: self._again(worst.part, *values))
            message, hint = self._told(worst.captured, broken, again)
            furthest = f"{worst.comparison.worst_ulp:.3g} ulps at worst"
            stated = f"{furthest}, and at most {bound.maximum:g} ulps are stated: {bound.reason.rstrip('.')}"
            self._fault("ulps-exceeded", f"{message}; {stated}", hint)

    def _told(self, each: Captured, comparison: Comparison | None, again: Compare) -> tuple[str, str]:
        """The message and the hint of a refutation, its inputs made as simple as they can be."""
        found = Counterexample(each.event.inputs, comparison, each.origin)
        if comparison is not None and self._session.effort.shrinks:
            found = shrink(found, each, self.line.site, self._equation.symbols, again)
        site, read = self.line.site, {*self.line.site.inputs.values(), "self"}
        unnamed = {name: value for name, value in each.event.namespace.items() if site.whole and name not in read}
        return describe(found, unnamed, site, self._session.work.seed)

    def _fault(self, kind: str, message: str, hint: str) -> None:
        if kind not in self.line.faults:
            self.line.faults[kind] = self._made(kind, message, hint)

    def _made(self, kind: str, message: str, hint: str) -> Fault:
        site = self.line.site
        place = Span(site.path, site.line, site.column, site.end_line, site.end_column)
        related = (Related(place, "the cited statement"),)
        message = f"{site.path}:{site.line}: {message}"
        return Fault(kind, message, self.line.anchor.span, hint, related, self._equation.id, "value")


def compare_in_float64(
    form: Form,
    part: int,
    values: Mapping[str, Any],
    sizes: Mapping[str, int],
    tolerance: Tolerance | None,
    seen: float = -1.0,
    ways: Ways | None = None,
) -> tuple[Comparison, bool]:
    """The float64 rule over one execution; the second value says whether a kink was met.

    The left side is what is being judged, so it is taken as it is; only inputs are widened.

    `seen` is the most ulps (`Comparison.apart`) that code and form were apart before. What is clearly close, and not
    further apart, is not worked out exactly: its comparison tells no ulps. Which ways the conditions of the form's
    cases went is noted in `ways`.
    """
    rounded = [evaluate(form, part, values, sizes, Balls(53, widen=True, kinks="low", ways=ways))]
    if any(each.kinks for each in rounded[0]):
        rounded.append(evaluate(form, part, values, sizes, Balls(53, widen=True, kinks="high")))
    apart, entries = _clearly(rounded[0]) if len(rounded) == 1 else (None, 0)
    if apart is not None and entries and apart <= seen:
        return Comparison(entries=entries, apart=apart), False
    try:
        exact = evaluate(form, part, values, sizes, Balls(BITS[0]))
    except Undecided:
        exact = rounded[0]
    found = []
    for number, equation in enumerate(exact):
        code, *forms = equation.sides
        for side, form_side in enumerate(forms, 1):
            balls = [(each[number].sides[0], each[number].sides[side]) for each in rounded]
            found.append(float_comparison(code, form_side, balls, equation.mask, tolerance))
    if not found:
        raise EvaluationError("the statement holds no equation")
    return replace(max(found, key=_weight), apart=apart or 0.0), len(rounded) > 1


def _beyond(maximum: float, compare: Compare) -> Compare:
    """The same comparison, in which an error beyond a bound counts as a mismatch."""

    def compared(*values: Mapping[str, Any]) -> Comparison | None:
        found = compare(*values)
        if found is None or found.mismatch is not None or found.worst_ulp <= maximum:
            return found
        return replace(found, mismatch=found.furthest)

    return compared


def _clearly(equations: tuple[Evaluation, ...]) -> tuple[float | None, int]:
    """How far apart the sides of clearly close equations are in ulps (None: not clear), and how many entries they have.

    Entries are those of the equation that has fewest.
    """
    furthest, entries = 0.0, [0] if not equations else []
    for equation in equations:
        left, *others = equation.sides
        entries.append(left.size if equation.mask is None else int(equation.mask.sum()))
        for side in others:
            apart = clearly_close(left, side, equation.mask)
            if apart is None:
                return None, 0
            furthest = max(furthest, apart)
    return furthest, min(entries)


def _weight(comparison: Comparison) -> tuple[bool, bool, float]:
    """Of several equations in a statement, the one that says least for it weighs most."""
    undecided = comparison.undecided > 0 or not comparison.entries
    return comparison.mismatch is not None, undecided, comparison.worst_ulp


def batched(form: Form) -> Mapping[str, Shape | None]:
    """The declared shapes; of a form of scalars alone, arrays of any shape may stand for its symbols."""
    if not is_scalar(form):
        return form.shapes
    return {**form.shapes, **{name: Shape(True, ()) for name in used_symbols(form)}}


def _shaped(value: Any) -> str:
    """The shape of a value in words; of what has none, what it is."""
    shape = shape_of(value)
    number = isinstance(value, int | float | complex | np.number | np.ndarray)
    return f"has shape {shape}" if shape else "is a number" if number else f"is of type {type(value).__name__}"


def is_exact_kind(outputs: Mapping[str, Any]) -> bool:
    """Whether what was captured is of integers, truth values or strings, which compare exactly."""
    return all(np.asarray(value).dtype.kind in "iubU" for value in outputs.values())


def _why_nothing(captured: list[Captured], executed: int, defaults: tuple[str, ...]) -> tuple[str, str]:
    """Why no execution was compared, and what to do; `defaults` are the parameters that keep theirs."""
    if not captured and defaults:
        what = f"none of its {executed} executions came to its end with the defaults of {', '.join(defaults)}"
        return what, f"run it with them, or name what is given in the entry (`domain: {{{defaults[0]}: ...}}`)"
    if not captured:
        return f"none of its {executed} executions gave the value that is bound (it raised, or was not evaluated)", ""
    return "nothing could be compared at any of its executions", ""


def _spread(count: int, wanted: int) -> set[int]:
    if count <= wanted:
        return set(range(count))
    return {round(number * (count - 1) / (wanted - 1)) for number in range(wanted)}
