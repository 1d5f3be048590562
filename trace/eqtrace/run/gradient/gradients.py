"""All gradients of a session: read once, run once, and shared by the equations of their topics."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from eqtrace.model.equation import Equation
from eqtrace.model.span import Text
from eqtrace.run.aim import LENGTHS, lengths_about
from eqtrace.run.exact.looks import Looks
from eqtrace.run.exact.shadow import Constants, Shadows
from eqtrace.run.exact.taps import Taps
from eqtrace.run.failed import Failed
from eqtrace.run.gradient.exact_values import ExactValues
from eqtrace.run.gradient.floats import ENTRIES, FEW, Differenced, Floats
from eqtrace.run.gradient.identity import Identity, Point, Shown
from eqtrace.run.gradient.plan import Function, Plan, PlanError, make_plan
from eqtrace.run.gradient.products import Random
from eqtrace.run.sample import RANDOM, Draw, NoDraw, draws, draws_of_lengths, draws_of_one_zero
from eqtrace.run.statement import CannotRun, resolve

if TYPE_CHECKING:
    from eqtrace.run.session import Session

POINTS = 12  # random draws at which the identity is shown, beside the edge grid
EFFECTS = 6  # draws that side effects are looked for at
EXACT_RUNS = 8  # random draws at which values of the backward are seen in exact runs
DIFFERENCED = 3  # random draws that are differenced
_ORDINARY = frozenset(name for name, _ in RANDOM)


@dataclass
class Run:
    """What the runs of one gradient showed."""

    plan: Plan
    points: list[Point] = field(default_factory=list)
    effects: list[tuple[str, str]] = field(default_factory=list)
    differenced: list[tuple[Draw, dict[str, Differenced]]] = field(default_factory=list)
    undifferenced: str = ""  # why there are no central differences
    why_not: str = ""  # why the identity was not run everywhere
    problem: str = ""  # why nothing could be drawn
    failed: Failed | None = None


class Gradients:
    """Plans and runs, made as they are asked for."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._runs: dict[str, Run] = {}
        self._exact: dict[str, Sequence[ExactValues]] = {}
        self._made: dict[str, Plan | PlanError | Failed] = {}

    def plan(self, equation: Equation) -> Plan:
        """The gradient that an equation belongs to.

        Raises:
            PlanError: it can't be run.
            Failed: its modules can't be imported.
        """
        found = self._made_or_not(equation)
        if isinstance(found, Plan):
            return found
        raise found

    def identity(self, plan: Plan) -> Identity:
        """The adjoint identity of a gradient."""
        return Identity(plan, self._twins, self._taps)

    def run(self, plan: Plan) -> Run:
        """Everything that is run of a gradient, once a session."""
        return self._session.tracker.shared(self._runs, _key(plan.equation), lambda: self._run(plan))

    def exact_runs(self, plan: Plan) -> Sequence[ExactValues]:
        """Exact runs of forward and backward, which show the values at cited statements of the backward.

        Raises:
            NoDraw: no input was found.
        """
        return self._session.tracker.shared(self._exact, _key(plan.equation), lambda: self._exact_runs(plan))

    def _exact_runs(self, plan: Plan) -> Sequence[ExactValues]:
        rng = self._session.rng("exact values", plan.name)
        drawn = draws(plan.form, plan.equation.symbols, plan.symbols, rng)
        chosen = list(itertools.islice((each for each in drawn if each.origin in _ORDINARY), EXACT_RUNS))
        twins, tracker = self._twins[Constants.HALF_ULP], self._session.tracker
        return [ExactValues(each, Random(rng), plan, twins, self._taps, tracker) for each in chosen]

    def _run(self, plan: Plan) -> Run:
        found = Run(plan)
        try:
            self._draw(plan, found)
        except Failed as failed:
            found.failed = failed
        except NoDraw as error:
            found.problem = str(error)
        return found

    # --- plans

    def _made_or_not(self, equation: Equation) -> Plan | PlanError | Failed:
        """The plan that an equation shares with others of its topic: that of the first of them."""
        key = _key(equation)
        return self._session.tracker.shared(self._made, key, lambda: self._attempt(self._sharing[key]))

    def _attempt(self, equation: Equation) -> Plan | PlanError | Failed:
        try:
            return self._make(equation)
        except (PlanError, Failed) as error:
            return error

    @property
    def _sharing(self) -> Mapping[str, Equation]:
        """The first equation of each gradient."""
        work = self._session.work
        found: dict[str, Equation] = {}
        for equation in work.equations.values():
            if "vjp" in equation.methods and equation.gradient is not None and equation.id in work.forms:
                found.setdefault(_key(equation), equation)
        return found

    def _make(self, equation: Equation) -> Plan:
        work = self._session.work
        assert equation.gradient is not None
        forward = self._function(equation.gradient.forward, equation)
        backward = self._function(equation.gradient.backward, equation)
        places = {(each.file, each.qualname) for each in (forward, backward)}
        self._session.tracker.cited(places)
        sites = [
            (work.equations[site.anchor.partition("/")[0]], site)
            for site in work.beside.values()
            if (site.file, site.function) in places and site.outputs
        ]
        return make_plan(equation, work.forms[equation.id], forward, backward, sites)

    def _function(self, text: Text, equation: Equation) -> Function:
        path, _, qualname = text.value.partition("::")
        file = os.path.join(self._session.work.root, path)
        name = self._session.work.modules.get(file)
        if name is None:
            raise PlanError(f"`{text.value}`: no module is imported from {path}")
        module = self._session.module(name, text.span)
        try:
            return Function(file, qualname, resolve(name, qualname), module)
        except CannotRun as error:
            raise PlanError(f"`{text.value}`: {error}") from error

    @cached_property
    def _taps(self) -> Taps:
        with self._session.tracker.untold():  # what is tapped for other gradients changes nothing of one
            made = [self._made_or_not(each) for each in self._sharing.values()]
        plans = [each for each in made if isinstance(each, Plan)]
        taps = {tap.key: tap for plan in plans for entry in plan.entries for tap in (entry.start, entry.end) if tap}
        backwards = {(plan.backward.file, plan.backward.qualname) for plan in plans}
        sites = self._session.work.beside.values()
        return Taps(taps.values(), Looks(s for s in sites if s.outputs and (s.file, s.function) in backwards))

    @cached_property
    def _twins(self) -> dict[Constants, Shadows]:
        return {
            constants: Shadows(self._session.is_user_file, constants, self._taps, self._session.tracker)
            for constants in Constants
        }

    # --- runs

    def _draw(self, plan: Plan, found: Run) -> None:
        rng = self._session.rng("gradient", plan.name)
        identity, floats = self.identity(plan), Floats(plan)
        if not self._session.effort.exact:
            self._glance(plan, identity, floats, found)
            return
        shown = 0
        for number, draw in enumerate(draws(plan.form, plan.equation.symbols, plan.symbols, rng)):
            ordinary = draw.origin in _ORDINARY
            if number < EFFECTS or (ordinary and number % 8 == 0):
                effects = self._effects(plan, floats, draw, rng)
                found.effects += [each for each in effects if each not in found.effects]
            if not found.why_not and (shown < POINTS or not ordinary):
                try:
                    point = identity.at(draw, rng)
                except CannotRun as reason:
                    found.why_not = str(reason)
                else:
                    found.points.append(point)
                    shown += ordinary and any(each is not Shown.KINK for each in point.shown.values())
            if ordinary and len(found.differenced) < DIFFERENCED and not found.undifferenced:
                self._difference(plan, floats, draw, found)
            if shown >= POINTS and (len(found.differenced) >= DIFFERENCED or found.undifferenced):
                break
        for draw in self._aimed(plan):
            self._look(plan, identity, floats, draw, found)

    def _aimed(self, plan: Plan) -> Iterator[Draw]:
        """Draws of one zero among other numbers, and of lengths about what forward and backward compare with."""
        work = self._session.work
        sites = [site for each in (plan.forward, plan.backward) for site in work.sites_in(each.file, each.qualname)]
        numbers = self._session.recorder.numbers(each.anchor for each in sites)
        drawn = plan.form, plan.equation.symbols, plan.symbols
        with suppress(NoDraw):
            yield from draws_of_one_zero(*drawn, self._session.rng("gradient", plan.name, "one zero"))
            rng = self._session.rng("gradient", plan.name, "lengths")
            yield from draws_of_lengths(*drawn, lengths_about(numbers)[:LENGTHS], rng)

    def _look(self, plan: Plan, identity: Identity, floats: Floats, draw: Draw, found: Run) -> None:
        """Takes what contradicts the gradient at one more draw; what does not counts for nothing."""
        rng = self._session.rng("gradient", plan.name, draw.origin)
        if not found.why_not:
            with suppress(CannotRun):
                point = identity.at(draw, rng)
                found.points += [point] * (Shown.REFUTED in point.shown.values())
        elif not found.undifferenced:
            with suppress(Failed):
                differenced = self._perform(plan, lambda: floats.differences(draw, rng))
                found.differenced += [(draw, differenced)] * any(each.worst for each in differenced.values())

    def _glance(self, plan: Plan, identity: Identity, floats: Floats, found: Run) -> None:
        """A quick look, at one ordinary draw."""
        rng = self._session.rng("gradient", plan.name)
        drawn = draws(plan.form, plan.equation.symbols, plan.symbols, rng)
        draw = next((each for each in drawn if each.origin in _ORDINARY), None)
        if draw is not None:
            found.effects += self._effects(plan, floats, draw, rng)
            try:
                found.points.append(identity.glance(draw, rng))
            except CannotRun as reason:
                found.why_not = str(reason)

    def _effects(self, plan: Plan, floats: Floats, draw: Draw, rng: np.random.Generator) -> list[tuple[str, str]]:
        """Side effects; none are seen where the backward's arguments can't be made in floats."""
        try:
            found: list[tuple[str, str]] = self._perform(plan, lambda: floats.effects(draw, rng))
        except Failed as failed:
            if not isinstance(failed.__cause__, CannotRun):
                raise
            return []
        return found

    def _difference(self, plan: Plan, floats: Floats, draw: Draw, found: Run) -> None:
        rng = self._session.rng("differences", plan.name, str(len(found.differenced)))
        most = ENTRIES if found.why_not else FEW
        try:
            found.differenced.append((draw, self._perform(plan, lambda: floats.differences(draw, rng, most))))
        except Failed as failed:
            if not isinstance(failed.__cause__, CannotRun):
                raise
            found.undifferenced = str(failed.__cause__)

    def _perform(self, plan: Plan, work: Any) -> Any:
        place = plan.gradient.backward.span
        what = f"{plan.forward.qualname} and {plan.backward.qualname}"
        with np.errstate(all="ignore"):
            return self._session.perform(f"call of {what}", place, work)


def _key(equation: Equation) -> str:
    """Equations of a topic with the same gradient, conditions and call share their runs."""
    gradient, parts = equation.gradient, (equation.where, equation.call)
    shared = tuple(part.value if part else "" for part in parts)
    indices = {name: (each.start and each.start.value, each.stop.value) for name, each in equation.indices.items()}
    own = (gradient.forward.value, gradient.backward.value, gradient.wrt) if gradient else ()
    return repr((equation.topic, own, shared, indices))
