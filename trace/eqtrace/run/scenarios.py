"""The scenarios of a session: run when they are first asked for, each line's executions recorded."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from eqtrace.model.finding import Fault
from eqtrace.model.span import Span
from eqtrace.run.executions import Captured, Executions
from eqtrace.run.failed import Failed
from eqtrace.run.record import Step
from eqtrace.run.ways import by_anchor as ways_by_anchor

if TYPE_CHECKING:
    from eqtrace.run.session import Session

SCENARIOS = "eqtrace_scenarios"  # the name that the scenarios' module gets
LEAST_ROUNDS = 1  # runs of each scenario at each draw of sizes
EXECUTIONS = 32  # of every line that scenarios reach, before they stop (design: at least 32 draws)
MOST_ROUNDS = 32


class _Sizes(dict[str, int]):
    """Sizes that know whether they were read."""

    read = False

    def __getitem__(self, key: str) -> int:
        self.read = True
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[str]:
        self.read = True
        return super().__iter__()

    def get(self, *arguments: Any) -> Any:
        """As of a dictionary."""
        self.read = True
        return super().get(*arguments)

    def items(self) -> Any:
        """As of a dictionary."""
        self.read = True
        return super().items()

    def values(self) -> Any:
        """As of a dictionary."""
        self.read = True
        return super().values()

    def keys(self) -> Any:
        """As of a dictionary."""
        self.read = True
        return super().keys()


@dataclass(frozen=True, slots=True)
class ScenarioRuns:
    """What all scenarios together executed, by anchor, how some failed, and the order of followed calls of each run."""

    by_anchor: Mapping[str, list[Captured]]
    counts: Mapping[str, int]
    faults: tuple[Fault, ...]
    runs: tuple[tuple[str, list[Step]], ...]
    ways: Mapping[str, Mapping[int, int]]  # by anchor and number of the condition


class Scenarios:
    """Runs the scenarios for a session, and remembers what they gave."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.told: ScenarioRuns | None = None  # what they gave, once they have run
        self.asked = False  # whether something looked at what they gave
        self._functions: dict[str, Callable[..., Any]] | Failed | None = None

    @property
    def failed(self) -> tuple[Fault, ...]:
        """Those that failed, where something looked at what they gave; they are no equation's own fault."""
        return tuple(self.told.faults) if self.told is not None and self.asked else ()

    @property
    def have_run(self) -> bool:
        """Whether they have run, all without a fault."""
        return self.told is not None and not self.told.faults

    def runs(self) -> ScenarioRuns:
        """What all scenarios together executed.

        All run in rounds over the size draws, `LEAST_ROUNDS` for each draw. After that, for each line with fewer than
        `EXECUTIONS` executions the cheapest scenario that reaches it goes on, up to `MOST_ROUNDS`, and records there.
        One that asks neither its sizes nor its generator for anything runs once.
        """
        self.asked = True
        if self.told is None:
            tracker = self._session.tracker
            found = Executions()
            with tracker.apart():
                self._run_all(found)
            tracker.evidence(found.evidence)
            by_anchor, counts = tracker.runs(found.by_anchor), tracker.runs(found.counts)
            ways = tracker.runs(ways_by_anchor(found.ways))
            self.told = ScenarioRuns(by_anchor, counts, tuple(found.faults), tuple(found.runs), ways)
        return self.told

    def _run_all(self, found: Executions) -> None:
        effort = self._session.effort
        if effort.rounds == 0:
            return  # not even an import of what they use
        try:
            waiting = self._all()
        except Failed as failed:
            found.faults.append(failed.fault)
            return
        reached: dict[str, set[str]] = {name: set() for name in waiting}
        cost: dict[str, int] = dict.fromkeys(waiting, 0)
        least = LEAST_ROUNDS * max(1, len(self._session.work.draws))
        for number in range(MOST_ROUNDS if effort.rounds is None else effort.rounds):
            for name in list(waiting):
                only = effort.only if number < least else _rare(name, found, reached, cost)
                if only is None or only:
                    try:
                        varies, counts = self._run_one(name, waiting[name], number, found, only)
                    except Failed as failed:
                        found.faults.append(failed.fault)
                        del waiting[name], reached[name]
                    else:
                        reached[name] |= {anchor for anchor in counts if self._session.work.sites[anchor].outputs}
                        cost[name] += sum(counts.values()) if only is None else 0
                        if not varies:
                            del waiting[name], reached[name]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the scenarios; none where they cannot be imported."""
        try:
            return tuple(self._all())
        except Failed:
            return ()

    def function(self, name: str, span: Span) -> Callable[..., Any]:
        """One scenario.

        Raises:
            Failed: the scenarios cannot be imported, or there is none of this name.
        """
        found = self._all()
        if name not in found:
            raise Failed(Fault("unknown-reference", f"there is no scenario `{name}`", span))
        return found[name]

    def _all(self) -> dict[str, Callable[..., Any]]:
        """All scenarios, by name.

        Raises:
            Failed: they cannot be imported.
        """
        if self._functions is None:
            try:
                self._functions = self._read()
            except Failed as failed:
                self._functions = failed
        if isinstance(self._functions, Failed):
            raise self._functions
        return dict(self._functions)

    def load(self) -> types.ModuleType | None:
        """The scenarios' module, imported once a session; None where there is none.

        Raises:
            Failed: it cannot be imported.
        """
        session = self._session
        file = session.work.scenarios
        if session.scenarios is not None:
            return session.scenarios
        if file is None:
            return None

        def load() -> types.ModuleType:
            spec = importlib.util.spec_from_file_location(SCENARIOS, file)
            assert spec is not None
            spec = session.finder.taken(spec)
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
            return module

        place = Span(session.relative(file), 1)
        session.scenarios = session.imported("import of the scenarios", place, load)
        return session.scenarios

    def _read(self) -> dict[str, Callable[..., Any]]:
        module, wanted = self.load(), self._session.effort.scenarios
        return {
            name: value
            for name, value in (vars(module).items() if module is not None else ())
            if inspect.isfunction(value) and not name.startswith("_") and value.__module__ == SCENARIOS
            if wanted is None or name in wanted
        }

    def _run_one(
        self, name: str, scenario: Callable[..., Any], number: int, found: Executions, only: frozenset[str] | None
    ) -> tuple[bool, Mapping[str, int]]:
        """One run of a scenario: whether another may differ, and how often it executed each cited line."""
        session = self._session
        place = Span(session.relative(scenario.__code__.co_filename), scenario.__code__.co_firstlineno)
        size_draws = session.work.draws or ({},)
        sizes = _Sizes(size_draws[number % len(size_draws)])
        rng = session.rng("scenario", name, str(number))
        state = rng.bit_generator.state
        had = {anchor: len(events) for anchor, events in found.by_anchor.items()}
        with session.recorder.recording(EXECUTIONS, only, had) as recording:
            try:
                session.perform(f"scenario {name}", place, partial(scenario, rng, sizes))
            finally:
                varies = sizes.read or rng.bit_generator.state != state
                shown = ", ".join(f"{key}={value}" for key, value in sizes.items())
                found.add(recording, f"scenario {name}, run {number}{f' ({shown})' if shown else ''}")
        return varies, recording.executions


def _rare(name: str, found: Executions, reached: Mapping[str, set[str]], cost: Mapping[str, int]) -> frozenset[str]:
    """The lines with too few executions that no cheaper scenario reaches."""
    return frozenset(
        anchor
        for anchor in reached[name]
        if found.counts[anchor] < EXECUTIONS
        and name
        == min((other for other in reached if anchor in reached[other]), key=lambda other: (cost[other], other))
    )
