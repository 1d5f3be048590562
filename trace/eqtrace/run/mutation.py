"""Mutants judged: each in a forked child of a process that has imported the user's code.

The child puts the mutant's code in the place of the statement's function and verifies the equations that cite the
statement, with little effort first; the first finding of a method ends it. Nothing is written to the disk.
"""

from __future__ import annotations

import contextlib
import gc
import re
import time
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from eqtrace.code.mutation.generate import text_with
from eqtrace.model.finding import Fault
from eqtrace.model.mutant import Judged, Mutant, Status
from eqtrace.model.verdict import MethodResult, Verdict
from eqtrace.run import sources
from eqtrace.run.effort import Effort
from eqtrace.run.forked import OVER, in_child
from eqtrace.run.instrument import instrument
from eqtrace.run.loaded import Loaded
from eqtrace.run.methods.value import accepting
from eqtrace.run.outcome import Lost
from eqtrace.run.record import Recorder
from eqtrace.run.region import Region, moved, mutated, region, whole
from eqtrace.run.scenarios import SCENARIOS
from eqtrace.run.session import Prepared, Session
from eqtrace.run.site import Site
from eqtrace.run.work import EXECUTED, Unit, Work

ON_CODE = ("value", "constraint", "order", "composition", "structure", "vjp", "discrete", "distribution")  # quick first
_ROUNDS, _SCENARIOS, _DRAWS, _POINTS, _EXAMPLES = 1, 2, 4, 6, 16  # of quick looks
_FAR = 2  # of an equation that does not cite the statement
_TELL_NOTHING = frozenset({"user-code-failed", "method-not-run"})
_RAISED = re.compile(r'^  File "(.+)", line \d+, in .+\n(?:    ((?:raise|assert)\b).*)?', re.MULTILINE)
_FRAME = re.compile(r'^  File "(.+)", line (\d+), in ', re.MULTILINE)  # as a fault of user code shows it


@dataclass(frozen=True, slots=True)
class Mutating:
    """What a worker needs to judge mutants."""

    work: Work
    limit: float  # seconds of processor time that a mutant may take
    sources: Mapping[str, str]  # path of a mutated file -> its absolute path


@dataclass(frozen=True, slots=True)
class Reached:
    """Which scenarios reach which anchor, and how many executions of cited lines each makes in all."""

    by_anchor: Mapping[str, frozenset[str]] = field(default_factory=dict)
    cost: Mapping[str, int] = field(default_factory=dict)


class Mutations:
    """Judges mutants; `pool.Pool` gives them one by one. The arguments are those of `Session`."""

    def __init__(self, payload: Mutating, activity: Callable[[str], None], poisoned: Mapping[str, Lost]) -> None:
        import numpy.ma  # noqa: F401  (every child would import these)

        from eqtrace.formula import ball_operations, decide, entries, prove  # noqa: F401
        from eqtrace.run.gradient import gradients  # noqa: F401

        self._limit = payload.limit
        self._sources = payload.sources
        recorder, codes = _instrumented(payload.work)
        self._session = Session(payload.work, activity, poisoned, prepared=Prepared(recorder, codes))
        self._loaded = Loaded(self._session, codes)
        self._regions: dict[str, Region] = {}  # of the mutated file, by function
        self._called: dict[str, frozenset[str]] = {}  # by equation: the functions that are called with drawn inputs
        found = in_child(lambda: _reached(self._session), self._limit)
        self._reached = found if isinstance(found, Reached) else Reached()
        gc.collect()
        gc.freeze()  # what is here stays in memory that all children share

    def run(self, mutant: Mutant) -> Judged:
        """A mutant's fate."""
        started = time.perf_counter()
        self._draw_ahead(mutant)
        found = in_child(self.judge_of(mutant).judge, self._limit)
        if not isinstance(found, Judged):
            found = Judged(mutant, Status.TIMEOUT if found == OVER else Status.CRASH, "", str(found))
        return replace(found, seconds=time.perf_counter() - started)

    def judge_of(self, mutant: Mutant) -> Judge:
        """What judges a mutant, in a child."""
        return Judge(mutant, self._region(mutant), self._session, self._loaded, self._reached, self._called)

    def _region(self, mutant: Mutant) -> Region:
        file = self._sources[mutant.span.path]
        key = f"{file}::{mutant.function}"
        if key not in self._regions:
            self._regions[key] = region(file, sources.source(file), mutant)
        return self._regions[key]

    def _draw_ahead(self, mutant: Mutant) -> None:
        """Draws here what all mutants of these equations are called with."""
        work = self._session.work
        for name in mutant.equations:
            if name not in self._called:
                equation = work.equations[name]
                accept = accepting(equation, work.forms[name])
                self._called[name] = self._session.captures.draw_ahead(equation, accept)


def _instrumented(work: Work) -> tuple[Recorder, dict[str, types.CodeType]]:
    """The user's modules instrumented, by file, none of them imported."""
    recorder, codes = Recorder(), dict[str, types.CodeType]()
    sites: dict[str, list[Site]] = {}
    for site in (*work.sites.values(), *work.followed.values()):
        sites.setdefault(site.file, []).append(site)
    modules = {**work.modules, **({work.scenarios: SCENARIOS} if work.scenarios else {})}
    for file, name in modules.items():
        with contextlib.suppress(OSError, SyntaxError):
            codes[file] = instrument(sources.read(file), file, name, sites.get(file, ()), recorder)
    return recorder, codes


def _reached(session: Session) -> Reached:
    """What scenarios reach in one round."""
    found: dict[str, set[str]] = {}
    cost: dict[str, int] = {}
    for name in session.captures.scenarios.names:
        session.start_again(Effort(rounds=1, scenarios=frozenset({name})))
        counts = session.captures.scenarios.runs().counts
        cost[name] = sum(counts.values())
        for anchor, count in counts.items():
            if count:
                found.setdefault(anchor, set()).add(name)
    return Reached({anchor: frozenset(names) for anchor, names in found.items()}, cost)


class Judge:
    """Judges one mutant, in a child."""

    def __init__(
        self,
        mutant: Mutant,
        where: Region,
        session: Session,
        loaded: Loaded,
        reached: Reached,
        called: Mapping[str, frozenset[str]],
    ) -> None:
        self._mutant = mutant
        self._where = where
        self._session = session
        self._loaded = loaded
        self._reached = reached
        self._called = called
        self._own = self._concerned()
        self._crash = ""  # how the user's code failed
        self._noticed = ""  # what a scenario of its own found wrong
        self._fallen = False  # whether it failed in the mutated statement

    def judge(self) -> Judged:
        """The mutant's fate."""
        work = self._put()
        for effort, units in self._looks(work):
            self._session.start_again(effort, work)
            killed = next(filter(None, map(self._look, units)), None)
            if killed is not None:
                return killed
            if effort.rounds and not units:
                self._session.captures.scenarios.runs()
            for fault in self._session.captures.scenarios.failed:
                self._note(fault.message)
            if self._noticed:
                return Judged(self._mutant, Status.KILLED, "scenario", self._noticed)
            if self._fallen:
                return Judged(self._mutant, Status.CRASH, "", self._crash)
        if self._crash:
            return Judged(self._mutant, Status.CRASH, "", self._crash)
        lost = self._lost(work)
        if lost:
            return Judged(self._mutant, Status.KILLED, "bind", lost)
        return self._thoroughly(work)

    # --- the code

    def _put(self) -> Work:
        """The work at the mutated code, once that is in place."""
        mutant, work, file = self._mutant, self._session.work, self._where.file
        source = sources.source(file)
        here = [name for name, site in work.sites.items() if _stands_at(site, mutant)]
        sources.mutate(file, text_with(source, mutant).encode("utf-8"))
        if not self._where.whole and self._loaded.has_functions_only(here):
            there, code = self._compiled(self._where, work)
            if code is None or self._loaded.swap(self._where, code):
                return there
        there, code = self._compiled(whole(file, source), work)
        self._loaded.import_anew(file, code)
        return there

    def _compiled(self, where: Region, work: Work) -> tuple[Work, types.CodeType | None]:
        """The work at a region with the mutant in it, and the region's code; None where no site is in its module."""
        data = mutated(where, self._mutant)
        there = moved(work, where, data, self._mutant)
        if where.file not in work.modules:
            return there, None
        # It is instrumented for the equations at hand alone, which takes a tenth of the time.
        sites = [site for name in sorted(self._own) if where.holds(site := there.sites[name])]
        sites += [site for site in there.followed.values() if where.holds(site)]
        return there, instrument(data, where.file, work.modules[where.file], sites, self._session.recorder)

    def _concerned(self) -> frozenset[str]:
        """The anchors of the equations that judge, and of those whose lines tell what a structure's values start as."""
        work, judges = self._session.work, self._mutant.equations
        topics = {entry.start.value for name in judges for entry in work.equations[name].structure}
        names = {*judges, *(name for name, each in work.equations.items() if topics and each.topic in topics)}
        anchors = (anchor.id for name in names for anchor in work.equations[name].anchors)
        return frozenset(anchor for anchor in anchors if anchor in work.sites)

    # --- quick looks

    def _looks(self, work: Work) -> Iterator[tuple[Effort, list[Unit]]]:
        """Quick looks: calls with drawn inputs, the cheapest scenarios that reach the statement, gradients."""
        here = [name for name in self._own if _stands_at(work.sites[name], self._mutant)]
        scenarios = {name for anchor in here for name in self._reached.by_anchor.get(anchor, ())}
        units = self._units(work)
        near = [unit for unit in units if self._distance(unit.equation, work) < _FAR]
        called = Effort(0, frozenset(), self._own, _DRAWS, _POINTS, exact=False, shrinks=False)
        yield called, [unit for unit in _by_value(near) if self._is_called(unit, work)]
        few = sorted(scenarios, key=lambda name: (self._reached.cost[name], name))[:_SCENARIOS]
        for number, name in enumerate(few, 1):
            effort = replace(called, rounds=_ROUNDS, scenarios=frozenset({name}), draws=0)
            yield effort, list(_by_value(units if number == len(few) else near, ("discrete",)))
        slower = [unit for unit in units if unit.method in ("vjp", "discrete")]
        yield replace(called, draws=_EXAMPLES), slower

    def _units(self, work: Work) -> list[Unit]:
        """The methods that run the code, of the equations that cite the statement; the quickest first."""
        wanted = [
            (self._distance(name, work), ON_CODE.index(method), name, method)
            for name in self._mutant.equations
            for method in work.equations[name].methods
            if method in ON_CODE
        ]
        return [Unit(name, method) for _, _, name, method in sorted(wanted)]

    def _distance(self, name: str, work: Work) -> int:
        """How far an equation is from the statement: it is computed there, or called, or only passes through."""
        found = [
            0 if anchor.computing else 1
            for anchor in work.equations[name].anchors
            if (site := work.sites.get(anchor.id)) is not None and _stands_at(site, self._mutant)
        ]
        return min(found, default=_FAR)

    def _is_called(self, unit: Unit, work: Work) -> bool:
        """Whether calls with drawn inputs may come to the statement."""
        called = work.equations[unit.equation].call is not None
        return called or self._mutant.function in self._called.get(unit.equation, ())

    def _look(self, unit: Unit) -> Judged | None:
        """The fate where a quick look at one method refutes the code; None leaves it open."""
        result = self._session.method(unit)
        # That little was seen is no finding here.
        told = _told(result, also=frozenset({"value-undecided"}))
        if told or result.verdict is Verdict.REFUTED:
            return self._killed(unit, told, result)
        self._note(_failed(result))
        return None

    def _note(self, failure: str) -> None:
        """Remembers how the user's code failed; one that failed in the statement gave no value that could be wrong."""
        if self._is_of_scenario(failure):
            self._noticed = self._noticed or failure
            return
        if failure and self._is_in_statement(failure):
            self._fallen, self._crash = True, failure
        self._crash = self._crash or failure

    def _killed(self, unit: Unit, told: list[Fault], result: MethodResult) -> Judged:
        why = told[0].message if told else result.evidence.detail
        return Judged(self._mutant, Status.KILLED, unit.method, f"{unit.equation}: {why}")

    def _is_in_statement(self, failure: str) -> bool:
        """Whether the statement raised, or what it called."""
        span = self._mutant.span
        return any((file, int(line)) == (span.path, span.line) for file, line in _FRAME.findall(failure))

    def _is_of_scenario(self, failure: str) -> bool:
        """Whether a scenario says itself that something is wrong: the code did not fail, it gave a wrong value."""
        file, frames = self._session.work.scenarios, list(_RAISED.finditer(failure))
        return bool(file and frames) and frames[-1][1] == self._session.relative(str(file)) and bool(frames[-1][2])

    def _lost(self, work: Work) -> str:
        """A left side that can be bound no more: the audit would refuse the statement."""
        problems = self._session.recorder.problems
        for anchor, site in work.sites.items():
            judges = anchor.partition("/")[0] in self._mutant.equations
            if judges and anchor in problems and _stands_at(site, self._mutant):
                return f"{anchor}: {site.path}:{site.line}: its values can't be captured: {problems[anchor]}"
        return ""

    # --- with all effort

    def _thoroughly(self, work: Work) -> Judged:
        """What verification finds with all that it has, but for exact replays of what is wrong anyway."""
        self._session.start_again(Effort(only=self._own, shrinks=False), work)
        tried: list[str] = []
        counts: dict[str, int] = {}
        for unit in self._units(work):
            result = self._session.method(unit)
            told = _told(result)
            if told or result.verdict is Verdict.REFUTED:
                return self._killed(unit, told, result)
            self._note(_failed(result))
            tried.append(f"{unit.equation} ({unit.method}, {_shown(result)})")
            counts.update({anchor: count for anchor, count in result.executions.items() if count})
        if self._noticed:
            return Judged(self._mutant, Status.KILLED, "scenario", self._noticed)
        if self._crash:
            return Judged(self._mutant, Status.CRASH, "", self._crash)
        missing = self._unreached(counts, work)
        if missing:
            return Judged(self._mutant, Status.KILLED, "execution", f"no run executed {missing}")
        return Judged(self._mutant, Status.SURVIVED, "", "tried: " + "; ".join(tried))

    def _unreached(self, counts: Mapping[str, int], work: Work) -> str:
        """A cited line that ran before and never does now."""
        for name in self._mutant.equations:
            for anchor in work.equations[name].anchors:
                if anchor.role in EXECUTED and anchor.id in work.sites and not counts.get(anchor.id):
                    site = work.sites[anchor.id]
                    return f"{site.path}:{site.line}"
        return ""


def _by_value(units: list[Unit], also: tuple[str, ...] = ()) -> Iterator[Unit]:
    """Units, those of methods that take long left out; of a gradient the value at its line, which is quicker."""
    for unit in units:
        if unit.method == "vjp":
            yield Unit(unit.equation, "value")
        elif unit.method in also or unit.method not in ("discrete", "distribution"):
            yield unit


def _told(result: MethodResult, also: frozenset[str] = frozenset()) -> list[Fault]:
    """A result's own findings, failures of the user's code left out."""
    return [each for each in result.faults if each.kind not in _TELL_NOTHING | also]


def _failed(result: MethodResult) -> str:
    """How the user's code failed; '' where it did not."""
    return next((each.message for each in result.faults if each.kind == "user-code-failed"), "")


def _stands_at(site: Site, mutant: Mutant) -> bool:
    span = mutant.span
    return (site.path, site.line, site.column) == (span.path, span.line, span.column)


def _shown(result: MethodResult) -> str:
    return f"{result.evidence.points} points, {result.verdict.value}"
