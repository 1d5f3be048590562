"""Method `distribution`: values drawn by the code follow the stated law, by tests whose error rates are bounds.

Every drawn value is mapped through the stated distribution function, which makes them uniform on [0, 1] if the law is
right. Their empirical distribution is held against that by the Dvoretzky-Kiefer-Wolfowitz inequality (Massart's
constant, The Annals of Probability 18(3), 1990), and neighbours against independence by Hoeffding's (JASA 58, 1963):
neither is an approximation. With `DRAWS` values the first refutes an error of scale of 2% with probability 0.999.
"""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eqtrace.formula.evaluate import Float64, value_of
from eqtrace.formula.families import laid_out
from eqtrace.formula.shape import solve
from eqtrace.formula.term import Distributed, Indexed, Name
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span
from eqtrace.model.verdict import Evidence, MethodResult, Verdict
from eqtrace.run.capture import Target
from eqtrace.run.executions import Executions
from eqtrace.run.record import Event, Recording
from eqtrace.run.sample import Draw, large_draw, skewed_draw
from eqtrace.run.site import Site
from eqtrace.run.snapshot import equal
from eqtrace.run.statement import CannotRun, Statement

if TYPE_CHECKING:
    from eqtrace.run.session import Session

DRAWS = 400_000  # of each cited line: a fault of one among several would be thinned out by the others
_CATEGORICAL_INPUTS = 3
_CATEGORICAL_CALLS = 400  # of each input, where the cited statements can also be run by themselves
_WHOLE_CALLS = 2_500  # where they can't
_REPEATS = 10_000  # of a statement by itself, on what it read in a call
CALLS = 20_000  # at most, where a call gives few values
SEEDS = 1_000  # at most, to see a discrete value change
FALSE_ALARM = 1e-9  # of all tests of one equation together
_TESTS = 5  # of one line


class _Mismatch(Exception):
    """What refutes the law, and at which line (None: at any)."""

    def __init__(self, message: str, site: Site | None = None) -> None:
        super().__init__(message)
        self.site = site


@dataclass(frozen=True, slots=True)
class _Law:
    """A law that a part of the form states, and the cited lines that are to draw from it."""

    claim: Distributed
    sites: tuple[Site, ...]

    @property
    def subject(self) -> str:
        """The symbol that is drawn."""
        subject = self.claim.subject
        assert isinstance(subject, Indexed | Name)
        return subject.base if isinstance(subject, Indexed) else subject.name

    @property
    def continuous(self) -> bool:
        """Whether no value comes twice."""
        return self.claim.law != "Categorical"


def verify(equation: Equation, session: Session) -> MethodResult:
    """Draws with the user's code and tests the law, its support and that the seed decides."""
    executions = Executions()
    targets = list(session.captures.targets(equation, executions))
    laws = _laws(equation, session)
    if not targets or not laws:
        what = "no function that draws can be called (give a `call`)" if laws else "the form states no distribution"
        fault = Fault("method-not-run", what, equation.span, "", (), equation.id, "distribution")
        faults = [*executions.faults] or [fault]
        return MethodResult(equation.id, "distribution", Verdict.NOT_CHECKED, Evidence(detail=what), tuple(faults))
    draws = _Draws(equation, targets[0], session)
    groups = sum(max(1, len(law.sites)) * (1 if law.continuous else _CATEGORICAL_INPUTS) for law in laws)
    alarm = FALSE_ALARM / (_TESTS * groups)
    distances, faults = list[tuple[float, float]](), []
    verdict = Verdict.TESTED
    try:
        for law in laws:
            distances += [_test(levels, law.continuous, alarm, site) for site, levels in draws.levels(law, alarm)]
            draws.follow_the_seed(law)
    except _Mismatch as mismatch:
        verdict = Verdict.REFUTED
        faults.append(_refuted(mismatch, equation, session))
    unseen = [site for law in laws for site in law.sites if site.anchor not in draws.counts]
    limits = (f"{site.path}:{site.line}: no drawn call reaches it, so its values were not tested" for site in unseen)
    off, bound = max(distances, default=(0.0, 0.0))
    detail = f"{draws.total} values of {len(distances)} lines; distribution functions {off:.2g} off (bound {bound:.2g})"
    evidence = Evidence(draws.total, seed=session.work.seed, detail=detail, limits=tuple(limits))
    counts = session.captures.counts(equation, draws.counts)
    return MethodResult(equation.id, "distribution", verdict, evidence, tuple(faults), counts)


def _statements(law: _Law) -> dict[str, Statement]:
    """The cited statements that can be run by themselves, by anchor."""
    found = {}
    for site in law.sites:
        if not site.whole:
            with contextlib.suppress(CannotRun):
                found[site.anchor] = Statement(site)
    return found


def _laws(equation: Equation, session: Session) -> list[_Law]:
    form = session.work.forms[equation.id]
    found = []
    for part in range(len(form.parts)):
        claim = form.statement(part)
        if isinstance(claim, Distributed):
            subject = _Law(claim, ()).subject
            sites = [
                site
                for anchor, site in session.work.sites_of(equation)
                if anchor.part in (None, part) and subject in site.outputs
            ]
            found.append(_Law(claim, tuple(sites)))
    return found


def _refuted(mismatch: _Mismatch, equation: Equation, session: Session) -> Fault:
    sites = [mismatch.site] if mismatch.site is not None else [site for _, site in session.work.sites_of(equation)]
    places = tuple(Related(Span(site.path, site.line, site.column), "drawn here") for site in sites)
    hint = f"seed {session.work.seed}; the tests' false-alarm probability is {FALSE_ALARM:g}"
    return Fault("distribution-mismatch", str(mismatch), equation.span, hint, places, equation.id, "distribution")


class _Draws:
    """Calls of the user's code that draw, and what they gave."""

    def __init__(self, equation: Equation, target: Target, session: Session) -> None:
        self._equation = equation
        self._target = target
        self._session = session
        self._form = session.work.forms[equation.id]
        self.counts: dict[str, int] = {}  # executions by anchor
        self.total = 0

    def levels(self, law: _Law, alarm: float) -> list[tuple[Site, np.ndarray]]:
        """Drawn values mapped through the stated distribution function, by line (and of categories, by input).

        Each is tested by itself: among those of other lines a wrong one would go under, and over many inputs categories
        that don't follow their probabilities come out even.
        """
        rng = self._session.rng(self._equation.id, "distribution")
        repeated = {} if law.continuous else _statements(law)
        seen: dict[tuple[str, int], Event] = {}
        found: dict[tuple[str, int], list[np.ndarray]] = {}  # by anchor and input
        sizes: dict[tuple[str, int], int] = {}
        calls = _CATEGORICAL_CALLS if len(repeated) == len(law.sites) else _WHOLE_CALLS
        for number, draw in self._inputs(law, rng, calls):
            recording = self._record(draw, rng)
            for site in law.sites:
                key = site.anchor, number
                seen.update((key, event) for event in recording.events.get(site.anchor, ()))
                enough = law.continuous and sizes.get(key, 0) >= DRAWS
                for event in recording.events.get(site.anchor, ()) if not enough else ():
                    level = self._level(law, event, rng, site).ravel()
                    found.setdefault(key, []).append(level)
                    sizes[key] = sizes.get(key, 0) + level.size
            if not found:
                raise _Mismatch(f"{self._target.name} never reached a line that draws")
            if law.continuous and min(sizes.values()) >= DRAWS:
                break
        sites = {site.anchor: site for site in law.sites}
        for key, event in seen.items():
            if key[0] in repeated:
                found[key].append(self._repeat(law, repeated[key[0]], event, rng, sites[key[0]], alarm))
        drawn = [(sites[anchor], np.concatenate(levels)) for (anchor, _), levels in found.items()]
        self.total += sum(levels.size for _, levels in drawn)
        return drawn

    def _repeat(
        self, law: _Law, statement: Statement, event: Event, rng: np.random.Generator, site: Site, alarm: float
    ) -> np.ndarray:
        """Levels of what a statement draws by itself, over and over: far faster than whole calls."""
        space = {**vars(sys.modules[event.module]), **event.namespace}
        draws = self._session.perform(
            f"statement of {self._target.name}",
            self._equation.span,
            lambda: [statement.run(space)[law.subject] for _ in range(_REPEATS)],
        )
        levels = _categorical_level(law.claim, event.inputs, np.ravel(draws), rng, site)
        p = np.asarray(event.inputs[_probabilities(law.claim)], dtype=float)
        _test_counts(np.bincount(np.ravel(draws).astype(int), minlength=p.size), p, alarm, site)
        return levels

    def _inputs(self, law: _Law, rng: np.random.Generator, calls: int) -> Iterator[tuple[int, Draw]]:
        """Inputs of one call after another: ever new and large ones, or for categories a few that stay."""
        form, symbols, wanted = self._form, self._equation.symbols, self._target.symbols
        if law.continuous:
            for _ in range(CALLS):
                yield 0, large_draw(form, symbols, wanted, rng)
            return
        for number in range(_CATEGORICAL_INPUTS):
            draw = skewed_draw(form, symbols, wanted, rng)
            for _ in range(calls):
                yield number, draw

    def _record(self, draw: Draw, rng: np.random.Generator) -> Recording:
        recording = self._session.captures.record(self._equation, self._target, draw, rng)
        for anchor in self._equation.anchors:
            if anchor.id in recording.executions:
                self.counts[anchor.id] = self.counts.get(anchor.id, 0) + recording.executions[anchor.id]
        return recording

    def _level(self, law: _Law, event: Event, rng: np.random.Generator, site: Site) -> np.ndarray:
        values = laid_out(self._form.shapes, {**event.inputs, **event.outputs})
        solved = solve(self._form.shapes, values)
        if solved.mismatches:
            raise _Mismatch("; ".join(map(str, solved.mismatches)), site)
        drawn = np.asarray(values[law.subject])
        if law.claim.law != "Uniform":
            return _categorical_level(law.claim, values, drawn, rng, site)
        low, high = value_of(self._form, law.claim.args, values, solved.sizes, Float64()).sides
        level = (drawn - low) / (high - low)
        if not (level.min() >= 0 and level.max() <= 1):
            worst = float(drawn.flat[int(np.argmax(np.abs(level - 0.5)))])
            support = f"[{float(low.min())!r}, {float(high.max())!r}]"
            raise _Mismatch(f"{worst!r} was drawn, outside the support {support}", site)
        return np.asarray(level)

    def follow_the_seed(self, law: _Law) -> None:
        """The same seed gives the same values, another seed others, at each line.

        Discrete values of another seed may well be the same: they are drawn until that is improbable.
        """
        rng = self._session.rng(self._equation.id, "seeds")
        draw = large_draw(self._form, self._equation.symbols, self._target.symbols, rng)
        first, again = self._drawn(law, draw, 1), self._drawn(law, draw, 1)
        for site in law.sites:
            if site.anchor in first and not equal(first[site.anchor], again.get(site.anchor)):
                raise _Mismatch("two runs from the same seed draw different values", site)
        waiting = [(site, 1.0) for site in law.sites if site.anchor in first]
        for seed in range(2, SEEDS):
            if not waiting:
                return
            other = self._drawn(law, draw, seed)
            waiting = [
                (site, chance * self._chance(law, first[site.anchor]))
                for site, chance in waiting
                if equal(first[site.anchor], other.get(site.anchor))
            ]
            for site, chance in waiting:
                if chance < FALSE_ALARM / _TESTS:
                    what = "runs from different seeds draw the same values: the generator is not used"
                    raise _Mismatch(what, site)

    def _drawn(self, law: _Law, draw: Draw, seed: int) -> dict[str, list[Mapping[str, Any]]]:
        recording = self._record(draw, np.random.default_rng(seed))
        return {
            site.anchor: [{**event.inputs, **event.outputs} for event in recording.events[site.anchor]]
            for site in law.sites
            if site.anchor in recording.events
        }

    def _chance(self, law: _Law, events: list[Mapping[str, Any]]) -> float:
        """The probability that a run gives just these values."""
        if law.continuous:
            return 0.0
        chance = 1.0
        for values in events:
            p = np.asarray(values[_probabilities(law.claim)], dtype=float)
            chance *= float(np.prod(p[np.atleast_1d(values[law.subject]).astype(int)]))
        return chance


def _probabilities(law: Distributed) -> str:
    """The symbol that holds a categorical law's probabilities."""
    argument = law.args[0]
    assert isinstance(argument, Name | Indexed)
    return argument.base if isinstance(argument, Indexed) else argument.name


def _categorical_level(
    law: Distributed, values: Mapping[str, Any], drawn: np.ndarray, rng: np.random.Generator, site: Site
) -> np.ndarray:
    """A category's place in the cumulative probabilities, spread evenly over its own probability."""
    p = np.asarray(values[_probabilities(law)], dtype=float)
    category = np.atleast_1d(drawn).astype(int)
    if category.min() < 0 or category.max() >= p.size or np.any(p[category] <= 0):
        raise _Mismatch(f"category {category.max()} was drawn, which has no probability", site)
    upper = np.cumsum(p)
    return np.asarray(upper[category] - p[category] * rng.random(category.shape))


def _test_counts(counts: np.ndarray, p: np.ndarray, alarm: float, site: Site) -> None:
    """Holds how often each category came against its probability, by Chernoff's bound: sharp also where that is small.

    Raises:
        _Mismatch: one came too often or too seldom.
    """
    n = int(counts.sum())
    limit = math.log(2 * p.size / alarm)
    for category, (count, probability) in enumerate(zip(counts / n, p, strict=True)):
        pairs = ((count, probability), (1 - count, 1 - probability))
        divergence = sum(
            each * math.log(each / stated) if stated > 0 else math.inf for each, stated in pairs if each > 0
        )
        if n * divergence > limit:
            what = f"category {category} was drawn {counts[category]} times of {n}, at probability {probability:.4g}"
            raise _Mismatch(what, site)


def _test(levels: np.ndarray, continuous: bool, alarm: float, site: Site | None = None) -> tuple[float, float]:
    """Holds mapped values against the uniform law; how far their distribution function is off, and may be by chance.

    Raises:
        _Mismatch: they are not uniform, or not independent of their neighbours.
    """
    n = levels.size
    bound = math.sqrt(math.log(2 / alarm) / (2 * n))
    ordered = np.sort(levels)
    steps = np.arange(1, n + 1) / n
    distance = float(max(np.max(steps - ordered), np.max(ordered - steps + 1 / n)))
    if distance > bound:
        at = float(ordered[int(np.argmax(np.abs(steps - ordered)))])
        raise _Mismatch(
            f"{n} drawn values do not follow the law: the distribution functions differ by {distance:.4g} "
            f"(at most {bound:.4g} by chance), most at level {at:.3g}",
            site,
        )
    pairs = (levels[: n - n % 2].reshape(-1, 2) - 0.5).prod(axis=1)
    correlated = abs(float(pairs.mean()))
    limit = math.sqrt(math.log(2 / alarm) / (8 * max(1, pairs.size)))
    if correlated > limit:
        raise _Mismatch(
            f"neighbouring values are not independent: mean product {correlated:.4g}, at most {limit:.4g} by chance",
            site,
        )
    repeated = n - np.unique(ordered).size
    if continuous and repeated > 2:  # three repeats among 4e5 floats: probability below 1e-14
        raise _Mismatch(f"{repeated} of {n} drawn values are repeats of others", site)
    return distance, bound
