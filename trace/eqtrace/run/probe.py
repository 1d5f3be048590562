"""Probes: what instrumented code calls before, in and after a cited statement."""

from __future__ import annotations

import ast
import sys
import threading
import types
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eqtrace.code.bind import turn_of
from eqtrace.model.ways import BOTH
from eqtrace.run import walk
from eqtrace.run.plan import RESULT, Output, Plan
from eqtrace.run.record import Event, Loops, Recorder, Recording, count
from eqtrace.run.site import FOLLOWED
from eqtrace.run.snapshot import Copier, equal
from eqtrace.run.ways import larger, way

_OPTIMIZED = 0x1
_SNAPSHOT_LOCALS = sys.version_info < (3, 13)  # before, f_locals is one dictionary per frame, refreshed when asked for
_UNSHARED = 3  # references to that dictionary while only the frame and `_locals` hold it


@dataclass(slots=True, eq=False)
class _Begun:
    """An execution between its begin and its end."""

    anchor: str
    inputs: dict[str, Any]
    live: dict[str, Any]
    namespace: dict[str, Any]
    notes: list[str]
    problems: list[str]
    values: dict[int, Any] = field(default_factory=dict)
    turns: tuple[Mapping[str, Any], ...] = ()


class _Busy(threading.local):
    """Set in a thread while a probe runs, so that user code called by it (properties) records nothing."""

    now = False


_busy = _Busy()


class Probe:
    """The probes of one instrumented module; `n` is a site's number among its `plans`."""

    def __init__(self, recorder: Recorder, module: str) -> None:
        self.plans: tuple[Plan, ...] = ()
        self.anchors: tuple[str, ...] = ()  # of the plans, which every probe asks for
        self.live: list[bool] = []  # whether anything is recorded at a site now: asked for in the code, before a call
        self.recorder = recorder
        self._module = module
        self._key = id(self)  # asked for once: each call passes through the audit hooks

    def __reduce__(self) -> str | tuple[Any, ...]:
        return (Silent, ())  # a function that is pickled by value takes no recorder along

    def begin(self, n: int, /, **outer: Callable[[], Any]) -> None:
        """The statement begins: counts it and reads its inputs. `outer` are names that its frame may not show."""
        recording = self.recorder.active
        if recording is not None and not _busy.now and self._wants(recording, n):
            self._begin(recording, n, sys._getframe(1), outer)

    def begin_inside(self, n: int, /, **names: Callable[[], Any]) -> None:
        """An expression in an inner scope begins. Frames of inlined comprehensions are not asked for their locals.

        Python 3.13 before 3.13.3 crashes when they are (cpython issue 128396).
        """
        recording = self.recorder.active
        if recording is not None and not _busy.now and self._wants(recording, n):
            self._begin(recording, n, sys._getframe(1), names, inside=True)

    def value(self, n: int, key: int, value: Any) -> Any:
        """A subexpression (or a function's result) was evaluated; returns it unchanged."""
        recording = self.recorder.active
        if recording is not None and recording.pending and not _busy.now:
            begun = recording.pending.get((id(sys._getframe(1)), self._key, n))
            if begun is not None:
                self._keep(begun, key, value)
        return value

    def end(self, n: int) -> None:
        """The statement came to its end."""
        recording = self.recorder.active
        if recording is not None and recording.pending and not _busy.now:
            self._end(recording, n, sys._getframe(1))

    def close(self, n: int, _: None, value: Any) -> Any:
        """The value that ends a statement, or a header or an inner expression, which begin just before it."""
        recording = self.recorder.active
        if recording is not None and recording.pending and not _busy.now:
            frame = sys._getframe(1)
            begun = recording.pending.get((id(frame), self._key, n))
            if begun is not None:
                if any(output.key == RESULT for output in self.plans[n].outputs):
                    self._keep(begun, RESULT, value)
                self._end(recording, n, frame)
        return value

    def branch(self, n: int, number: int, value: Any) -> Any:
        """A condition of the statement was evaluated; returns it unchanged."""
        recording = self.recorder.active
        if recording is not None and not _busy.now:
            key = (self.anchors[n], number)
            taken = recording.ways.get(key, 0)
            if taken != BOTH and self._wants(recording, n):
                recording.ways[key] = taken | way(value)
        return value

    def first(self, n: int, number: int, value: Any) -> Any:
        """The first operand of an extreme was evaluated; returns it unchanged."""
        recording = self.recorder.active
        if recording is not None and not _busy.now and self._wants(recording, n):
            recording.operands[threading.get_ident(), self._key, n, number] = value
        return value

    def second(self, n: int, number: int, value: Any) -> Any:
        """The second operand was; returns it unchanged."""
        recording = self.recorder.active
        if recording is not None and recording.operands and not _busy.now:
            other = recording.operands.pop((threading.get_ident(), self._key, n, number), None)
            key = (self.anchors[n], number)
            with np.errstate(all="ignore"), suppress(Exception):  # whatever is wrong with them, user code will tell
                recording.ways[key] = recording.ways.get(key, 0) | larger(other, value)
        return value

    def _wants(self, recording: Recording, n: int) -> bool:
        return recording.only is None or self.anchors[n] in recording.only

    def enter(self, n: int) -> None:
        """A function begins of whose loops the turns are read."""
        self._in_loop(n, lambda key, frame: self._enter(key, frame, self.plans[n]))

    def turn(self, n: int) -> None:
        """The assignment ended that gives what is read of each turn."""
        self._in_loop(n, lambda key, frame: self._turn(key, frame, self.plans[n]))

    def _in_loop(self, n: int, note: Callable[[tuple[int, int, int], types.FrameType], None]) -> None:
        recording = self.recorder.active
        if recording is None or _busy.now or not self._wants(recording, n):
            return
        frame = sys._getframe(2)
        _busy.now = True
        try:
            note((id(frame), self._key, n), frame)
        except Exception:  # what can't be copied is missed when the values are read
            recording.loops.pop((id(frame), self._key, n), None)
        finally:
            _busy.now = False

    def _enter(self, key: tuple[int, int, int], frame: types.FrameType, plan: Plan) -> None:
        assert self.recorder.active is not None
        copied = Copier(self.recorder.limit_bytes).copy(_locals(frame, plan.parameters))
        self.recorder.active.loops[key] = Loops(copied)

    def _turn(self, key: tuple[int, int, int], frame: types.FrameType, plan: Plan) -> None:
        loops = self.recorder.active.loops.get(key) if self.recorder.active is not None else None
        if loops is not None and len(loops.turns) < self.recorder.limit:
            loops.turns.append(Copier(self.recorder.limit_bytes).copy(_locals(frame, plan.collected)))

    def whole(self, n: int) -> AbstractContextManager[None]:
        """Around a function's body."""
        recording = self.recorder.active
        if self.plans[n].site.role == FOLLOWED:
            return _Followed(self.recorder, None if _busy.now else recording, self.plans[n].site.anchor)
        if recording is not None and not _busy.now and self._wants(recording, n):
            self._begin(recording, n, sys._getframe(1), {})
        return _Whole(self, recording, n)

    def _begin(
        self,
        recording: Recording,
        n: int,
        frame: types.FrameType,
        outer: Mapping[str, Callable[[], Any]],
        inside: bool = False,
    ) -> None:
        plan, key = self.plans[n], (id(frame), self._key, n)
        stale = recording.pending.pop(key, None)
        if stale is not None:
            count(recording.raised, stale.anchor)
        if not self.recorder.executed(recording, plan.site.anchor) or not plan.outputs:
            return
        _busy.now = True
        try:
            found = {} if inside else _locals(frame, plan.read)
            recording.pending[key] = self._read(plan, found, frame, outer, recording.loops.get(key))
        finally:
            _busy.now = False

    def _read(
        self,
        plan: Plan,
        found: dict[str, Any],
        frame: types.FrameType,
        outer: Mapping[str, Callable[[], Any]],
        loops: Loops | None,
    ) -> _Begun:
        for name, thunk in outer.items():
            if name not in found and thunk.__closure__:  # else it is global
                with suppress(NameError):
                    found[name] = thunk()
        copier = Copier(self.recorder.limit_bytes)
        begun = _Begun(plan.site.anchor, {}, {}, {}, copier.notes, [])
        names = _Names(found, frame)
        for symbol, node in plan.inputs:
            try:
                value = _read_input(node, names, loops)
                begun.inputs[symbol] = copier.copy(value)
            except Exception as error:
                begun.problems.append(f"{symbol} could not be read before the statement: {error}")
            else:
                begun.live[symbol] = value
        if loops is not None:
            begun.namespace |= loops.parameters
            begun.turns = tuple(loops.turns)
            return begun
        for name in plan.ordered:
            if name not in found:
                continue
            try:
                begun.namespace[name] = copier.copy(_used(found[name], plan.entries.get(name), names))
            except Exception as error:
                begun.notes.append(f"{name} could not be copied: {type(error).__name__}: {error}")
        return begun

    def _keep(self, begun: _Begun, key: int, value: Any) -> None:
        _busy.now = True
        try:
            copier = Copier(self.recorder.limit_bytes)
            begun.values[key] = copier.copy(value)
            begun.notes.extend(copier.notes)
        except Exception as error:
            begun.problems.append(f"a value could not be copied: {type(error).__name__}: {error}")
        finally:
            _busy.now = False

    def _end(self, recording: Recording, n: int, frame: types.FrameType) -> None:
        begun = recording.pending.pop((id(frame), self._key, n), None)
        if begun is None:
            return
        plan = self.plans[n]
        _busy.now = True
        try:
            outputs = self._outputs(plan, begun, frame)
            if outputs is None:
                return
            changed = tuple(name for name in begun.live if name in plan.watched and _differs(begun, name))
            event = Event(
                begun.anchor,
                begun.inputs,
                outputs,
                begun.namespace,
                self._module,
                changed,
                "; ".join(begun.problems),
                tuple(dict.fromkeys(begun.notes)),
                threading.get_ident(),
                self.recorder.next_order(),
                begun.turns,
            )
            self.recorder.add(recording, event)
        finally:
            _busy.now = False

    def _outputs(self, plan: Plan, begun: _Begun, frame: types.FrameType) -> dict[str, Any] | None:
        """The left sides' values; None where no captured subexpression was evaluated at all this time."""
        captured = [output for output in plan.outputs if output.key is not None]
        if captured and len(captured) == len(plan.outputs) and not any(o.key in begun.values for o in captured):
            return None
        copier = Copier(self.recorder.limit_bytes)
        names = _Names(_locals(frame, plan.read_after) if plan.read_after else {}, frame)
        outputs: dict[str, Any] = {}
        for output in plan.outputs:
            try:
                outputs[output.symbol] = _output(output, begun, names, copier)
            except Exception as error:
                begun.problems.append(f"{output.symbol} could not be read after the statement: {error}")
        begun.notes.extend(copier.notes)
        return outputs


class Silent:
    """Stands for a probe where nothing is recorded."""

    @property
    def live(self) -> Silent:
        """Flags of sites, none of which is recorded at."""
        return self

    def __getitem__(self, n: int) -> bool:
        return False

    def begin(self, n: int, /, **outer: Callable[[], Any]) -> None:
        """See `Probe`, as of the others."""

    begin_inside = begin

    def value(self, n: int, key: object, value: Any) -> Any:
        """The value, unchanged."""
        return value

    close = branch = first = second = value

    def whole(self, n: int) -> AbstractContextManager[None]:
        """Around a function's body."""
        return nullcontext()


class _Whole:
    """A function's body: its end is the event's, its last `result` the function's value."""

    def __init__(self, probe: Probe, recording: Recording | None, n: int) -> None:
        self._probe, self._recording, self._n = probe, recording, n

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        recording, probe, n = self._recording, self._probe, self._n
        if recording is None or recording is not probe.recorder.active or _busy.now:
            return
        frame = sys._getframe(1)
        begun = recording.pending.get((id(frame), probe._key, n))
        if begun is None:
            return
        if kind is not None:
            del recording.pending[id(frame), probe._key, n]
            count(recording.raised, begun.anchor)
            return
        begun.values.setdefault(RESULT, None)
        probe._end(recording, n, frame)


class _Followed:
    """The body of a function whose calls alone are of interest."""

    def __init__(self, recorder: Recorder, recording: Recording | None, function: str) -> None:
        self._recorder, self._recording, self._function = recorder, recording, function

    def __enter__(self) -> None:
        if self._recording is not None:
            self._recorder.step(self._recording, self._function, "begin")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._recording is not None:
            self._recorder.step(self._recording, self._function, "end" if kind is None else "raised")


class _Names(dict[str, Any]):
    """Names that were found in a frame, backed by its globals."""

    def __init__(self, found: Mapping[str, Any], frame: types.FrameType) -> None:
        super().__init__(found)
        self._globals = frame.f_globals

    def __missing__(self, name: str) -> Any:
        return self._globals[name]


def _read_input(node: ast.expr, names: Mapping[str, Any], loops: Loops | None) -> Any:
    """A symbol's value; what it was in each turn of a loop is stacked."""
    if type(node) is ast.Name and node.id in names:  # as most are
        return names[node.id]
    turn = turn_of(node)
    if turn is None:
        return walk.read(node, names)
    if loops is None:
        raise walk.WalkError("the turns of its loop could not be copied")
    return np.array([walk.read(turn, each) for each in loops.turns])


def _output(output: Output, begun: _Begun, names: Mapping[str, Any], copier: Copier) -> Any:
    if output.key is None:
        assert output.node is not None
        return copier.copy(walk.read(output.node, names))
    if output.key not in begun.values:
        raise walk.WalkError("it was not evaluated")
    value = begun.values[output.key]
    for index in output.path:
        value = value[index]
    return value


def _used(value: Any, indices: tuple[ast.expr, ...] | None, names: Mapping[str, Any]) -> Any:
    """Of a dictionary that the statement only looks entries up in, those entries; any other value as it is."""
    if indices is None or type(value) is not dict:
        return value
    try:
        keys = [walk.read(index, names) for index in indices]
    except walk.WalkError:
        return value
    return {key: value[key] for key in keys if key in value}


def _differs(begun: _Begun, symbol: str) -> bool:
    try:
        return not equal(begun.inputs[symbol], begun.live[symbol])
    except Exception:
        return False


def _locals(frame: types.FrameType, names: frozenset[str]) -> dict[str, Any]:
    """Those of `names` that are local to the frame or reached by its closure."""
    local = frame.f_locals
    found: dict[str, Any] = {}
    for name in names:
        try:
            found[name] = local[name]
        except KeyError:
            continue
    # The dictionary would keep what it holds alive for as long as the frame runs (ndarray.resize would then refuse).
    # Where user code called locals() the dictionary is the user's too.
    if _SNAPSHOT_LOCALS and frame.f_code.co_flags & _OPTIMIZED and sys.getrefcount(local) <= _UNSHARED:
        local.clear()
    return found
