import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from eqtrace.code.source import parse
from eqtrace.run.instrument import instrument
from eqtrace.run.record import Event, Recorder, Recording
from eqtrace.run.site import Site


@dataclass
class Captured:
    recorder: Recorder
    recording: Recording
    namespace: dict[str, Any]
    value: Any = None
    error: BaseException | None = None

    def events(self, anchor: str = "a") -> list[Event]:
        return self.recording.events.get(anchor, [])

    def both(self, anchor: str = "a") -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Inputs and outputs of each event; none may have had a problem."""
        assert not self.recorder.problems
        assert [event.problem for event in self.events(anchor)] == [""] * len(self.events(anchor))
        return [(event.inputs, event.outputs) for event in self.events(anchor)]


@pytest.fixture
def sites() -> Callable[..., list[Site]]:
    """Sites of cited statements.

    A cite is (first words of the statement, inputs, outputs) and, where needed, 'whole' or the number of the
    occurrence; the anchors are named a, b, c and so on.
    """

    def find(source: str, cites: Sequence[tuple[Any, ...]], file: str = "/project/mod.py") -> list[Site]:
        statements = sorted(parse(file, source.encode()).statements, key=lambda statement: statement.span)
        made = []
        for anchor, (text, inputs, outputs, *more) in zip("abcdefgh", cites, strict=False):
            number = next((option for option in more if isinstance(option, int)), 0)
            span = [s.span for s in statements if s.source.startswith(text)][number]
            place = span.line, span.column, span.end_line, span.end_column
            made.append(Site(anchor, "mod.py", file, *place, inputs=inputs, outputs=outputs, whole="whole" in more))
        return made

    return find


@pytest.fixture
def capture(sites: Callable[..., list[Site]]) -> Callable[..., Captured]:
    """Runs a source with sites, then a call in it, and gives what was recorded."""

    def run(source: str, *cites: tuple[Any, ...], call: str = "f()", recorder: Recorder | None = None) -> Captured:
        source = textwrap.dedent(source).lstrip("\n")
        recorder = recorder or Recorder()
        code = instrument(source.encode(), "/project/mod.py", "mod", sites(source, cites), recorder)
        with recorder.recording() as recording:
            captured = Captured(recorder, recording, {"__name__": "mod"})
            exec(code, captured.namespace)
            try:
                captured.value = eval(call, captured.namespace) if call else None
            except Exception as error:
                captured.error = error
        return captured

    return run
