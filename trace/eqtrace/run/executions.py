"""Executions of cited lines, and what runs of the code gave beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from eqtrace.model.finding import Fault
from eqtrace.run.needs import CALLS
from eqtrace.run.record import Event, Recording, Step
from eqtrace.run.ways import Ways, add


@dataclass(frozen=True, slots=True)
class Captured:
    """One execution of a cited line, and in words which run it was part of."""

    event: Event
    origin: str


@dataclass
class Executions:
    """All executions of an equation's cited lines, and what went wrong or was left out on the way."""

    by_anchor: dict[str, list[Captured]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    runs: list[tuple[str, list[Step]]] = field(default_factory=list)  # calls of followed functions, run by run
    ways: Ways = field(default_factory=dict)
    returned: dict[str, list[Captured]] = field(default_factory=dict)  # what calls gave, where the function did not

    def add(self, recording: Recording, origin: str) -> None:
        """Takes over what one run recorded."""
        for anchor, found in recording.events.items():
            self.by_anchor.setdefault(anchor, []).extend(Captured(event, origin) for event in found)
        for anchor, count in recording.executions.items():
            self.counts[anchor] = self.counts.get(anchor, 0) + count
        add(self.ways, recording.ways)
        if recording.steps:
            self.runs.append((origin, recording.steps))

    def evidence(self, anchors: Sequence[str]) -> object:
        """All that these runs gave at an anchor, in which order they gave something at several, or made calls."""
        if list(anchors) == [CALLS]:
            threads: dict[int, int] = {}  # numbered as they come: their own numbers change from run to run
            return [
                (origin, [(step.function, step.kind, threads.setdefault(step.thread, len(threads))) for step in steps])
                for origin, steps in self.runs
            ]
        if len(anchors) == 1:
            events = [(each.origin, *each.event.content) for each in self.by_anchor.get(anchors[0], ())]
            ways = [(number, taken) for (anchor, number), taken in sorted(self.ways.items()) if anchor == anchors[0]]
            return self.counts.get(anchors[0], 0), ways, events
        placed = ((each.event.order, name) for name in anchors for each in self.by_anchor.get(name, ()))
        return [name for _, name in sorted(placed)]
