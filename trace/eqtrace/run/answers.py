"""A session that says with each result what it rests on, and whether one that is kept already still holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eqtrace.run.needs import Answer, Asked, Needs
from eqtrace.run.outcome import Lost
from eqtrace.run.session import Session
from eqtrace.run.tracker import Tracker
from eqtrace.run.work import EXAMPLE, Unit, Work


class Answers:
    """See the module. The arguments are those of `Session`."""

    def __init__(self, work: Work, activity: Callable[[str], None], poisoned: Mapping[str, Lost]) -> None:
        self._work = work
        self._tracker = Tracker(work.root, lambda file: file in work.modules or file in work.user_files)
        self._session = Session(work, activity, poisoned, self._tracker)
        self._asked = Asked()
        self._told = False

    def load(self) -> None:
        """Imports the user's code."""
        self._session.load()

    def prepare(self, asked: Asked) -> None:
        """Runs the scenarios, if there are units that look at what they give."""
        self._asked = asked
        if asked.looks:
            self._session.prepare()

    def run(self, unit: Unit) -> Answer:
        """Answers a unit."""
        self._tracker.begin(self._asked.proofs.get(unit))
        if unit.method == EXAMPLE:
            result = self._session.run(unit)
            return Answer(result, -1, self._tracker.end_example(unit.equation), self._scenarios())
        equation = self._work.equations[unit.equation]
        kept = self._asked.kept.get(unit, ())
        if kept:
            faults = self._session.captures.scenarios.runs().faults
            runs = {name: self._tracker.run_digest(name) for each in kept for name in each}
            for number, wanted in enumerate(kept):
                if all(digest and runs[name] == digest for name, digest in wanted.items()):
                    return Answer(None, number, Needs(runs=runs), self._scenarios(), faults)
        result = self._session.run(unit)
        needs = self._tracker.end(equation)
        return Answer(result, -1, needs, self._scenarios(), proof=self._tracker.new_proof)

    def _scenarios(self) -> Needs | None:
        """What the scenarios rest on, once they have run without a fault; said once."""
        if self._told or not self._session.captures.scenarios.have_run:
            return None
        self._told = True
        return self._tracker.scenarios
