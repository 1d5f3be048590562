"""Method `structure`: the keys, shapes and starting values of a real run's dictionary, in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from eqtrace.formula.parse import parse_term
from eqtrace.formula.shape import integer
from eqtrace.model.equation import Equation, ParameterStart
from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span, Text
from eqtrace.model.verdict import Evidence, MethodResult, Verdict
from eqtrace.run.executions import Executions
from eqtrace.run.record import Recording
from eqtrace.run.sample import Draw, draws

if TYPE_CHECKING:
    from eqtrace.run.session import Session

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
RUNS = 8


class _Mismatch(Exception):
    """What is wrong, where the table says so and, of one entry, its value."""

    def __init__(self, message: str, span: Span, value: np.ndarray | None = None) -> None:
        super().__init__(message)
        self.span = span
        self.value = value


def verify(equation: Equation, session: Session) -> MethodResult:
    """Runs the code that builds the dictionary at several sizes and holds it against the table."""
    executions = Executions()
    target = next(session.captures.targets(equation, executions), None)
    if target is None or not equation.structure:
        what = "no function can be called (give a `call`)" if equation.structure else "the equation has no `structure`"
        fault = Fault("method-not-run", what, equation.span, "", (), equation.id, "structure")
        faults = tuple(executions.faults) or (fault,)
        return MethodResult(equation.id, "structure", Verdict.NOT_CHECKED, Evidence(detail=what), faults)
    rng = session.rng(equation.id, "structure")
    form = session.work.forms[equation.id]
    counts: dict[str, int] = {}
    made = 0
    try:
        for draw, _ in zip(draws(form, equation.symbols, target.symbols, rng), range(RUNS), strict=False):
            recording = session.captures.record(equation, target, draw, rng, everywhere=True)
            _count(equation, recording, counts)
            _hold(equation, draw, recording, session)
            made += 1
    except _Mismatch as mismatch:
        sites = session.work.sites_of(equation)
        makers = _makers(mismatch.value, recording)
        shown = [site for anchor, site in sites if anchor.id in makers] or [site for _, site in sites]
        places = tuple(Related(Span(site.path, site.line, site.column), "built here") for site in shown)
        fault = Fault("structure-mismatch", str(mismatch), mismatch.span, "", places, equation.id, "structure")
        evidence = Evidence(made + 1, seed=session.work.seed)
        return MethodResult(
            equation.id, "structure", Verdict.REFUTED, evidence, (fault,), session.captures.counts(equation, counts)
        )
    detail = f"keys in order, shapes and starting values of {made} runs at different sizes"
    return MethodResult(
        equation.id,
        "structure",
        Verdict.TESTED,
        Evidence(made, seed=session.work.seed, detail=detail),
        (),
        session.captures.counts(equation, counts),
    )


def _makers(value: np.ndarray | None, recording: Recording) -> set[str]:
    """The anchors whose lines gave a value in this run."""
    if value is None:
        return set()
    return {
        anchor
        for anchor, events in recording.events.items()
        for event in events
        for each in event.outputs.values()
        if isinstance(each, np.ndarray) and each.shape == value.shape and each.tobytes() == value.tobytes()
    }


def _count(equation: Equation, recording: Recording, counts: dict[str, int]) -> None:
    for anchor in equation.anchors:
        if anchor.id in recording.executions:
            counts[anchor.id] = counts.get(anchor.id, 0) + recording.executions[anchor.id]


def _hold(equation: Equation, draw: Draw, recording: Recording, session: Session) -> None:
    built = _dictionary(equation, recording)
    sizes = {**draw.sizes, **{name: value for name, value in draw.values.items() if isinstance(value, int)}}
    expected = list(_expanded(equation.structure, sizes, equation))
    keys = [key for key, _ in expected]
    if list(built) != keys:
        raise _Mismatch(_key_difference(list(built), keys), equation.structure[0].key.span)
    starts = _starts(recording, session)
    for key, entry in expected:
        _hold_entry(key, entry, np.asarray(built[key]), sizes, starts)


def _dictionary(equation: Equation, recording: Recording) -> Mapping[str, Any]:
    for anchor in equation.anchors:
        for event in recording.events.get(anchor.id, ()):
            for value in event.outputs.values():
                if isinstance(value, Mapping):
                    return value
    raise _Mismatch("no cited line gave a dictionary (bind it as a left side)", equation.span)


def _expanded(
    structure: Sequence[ParameterStart], sizes: Mapping[str, int], equation: Equation
) -> Iterator[tuple[str, ParameterStart]]:
    """Keys in order: neighbouring entries with the same placeholder repeat together for each of its values."""
    for placeholder, group in groupby(structure, key=lambda entry: _placeholder(entry.key.value)):
        entries = list(group)
        if not placeholder:
            yield from ((entry.key.value, entry) for entry in entries)
            continue
        if placeholder not in equation.indices:
            raise _Mismatch(f"`{placeholder}` in a key has no range under `indices`", entries[0].key.span)
        for number in range(_size(equation.indices[placeholder].stop, sizes)):
            yield from ((entry.key.value.replace(f"{{{placeholder}}}", str(number)), entry) for entry in entries)


def _size(text: Text, sizes: Mapping[str, int]) -> int:
    term = parse_term(text.value)[0]
    size = None if term is None else integer(term, sizes)
    if size is None:
        raise _Mismatch(f"`{text.value}` is no size that the run gives", text.span)
    return size


def _placeholder(key: str) -> str:
    found = _PLACEHOLDER.search(key)
    return found[1] if found else ""


def _key_difference(found: list[str], expected: list[str]) -> str:
    missing = [key for key in expected if key not in found]
    extra = [key for key in found if key not in expected]
    if missing or extra:
        parts = [
            f"missing: {', '.join(missing)}" * bool(missing),
            f"not in the table: {', '.join(extra)}" * bool(extra),
        ]
        return "the keys differ; " + "; ".join(part for part in parts if part)
    place = next(number for number, (a, b) in enumerate(zip(found, expected, strict=True)) if a != b)
    return f"the keys stand in another order: number {place + 1} is {found[place]}, the table says {expected[place]}"


def _hold_entry(
    key: str, entry: ParameterStart, value: np.ndarray, sizes: Mapping[str, int], starts: Mapping[str, set[bytes]]
) -> None:
    shape = tuple(_size(dim, sizes) for dim in entry.shape)
    if value.shape != shape:
        raise _Mismatch(f"{key} has shape {value.shape}, the table says {shape}", entry.key.span, value)
    start = entry.start.value
    if start in ("zeros", "ones"):
        if not np.all(value == (start == "ones")):
            raise _Mismatch(f"{key} does not start as {start}", entry.start.span, value)
    elif start not in starts:
        raise _Mismatch(f"`{start}` is neither zeros, ones nor a topic whose cited lines ran", entry.start.span)
    elif value.tobytes() not in starts[start]:
        raise _Mismatch(f"{key} was not drawn by a line of topic {start}", entry.start.span, value)


def _starts(recording: Recording, session: Session) -> dict[str, set[bytes]]:
    """What the lines of each topic gave in this run, by topic."""
    found: dict[str, set[bytes]] = {}
    for anchor_id, events in recording.events.items():
        topic = session.work.equations[anchor_id.partition("/")[0]].topic
        for event in events:
            found.setdefault(topic, set()).update(
                np.asarray(each).tobytes() for each in event.outputs.values() if isinstance(each, np.ndarray)
            )
    return found
