"""Mutants judged: each in a process of its own, where the user's code is imported with the mutant in it.

A worker imports eqtrace and NumPy once and forks a child for each mutant. The child verifies the equations that cite
the changed statement, with little effort first; the first finding of a method ends it. Nothing is written to the disk.
"""

from __future__ import annotations

import ast
import contextlib
import math
import os
import pickle
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from eqtrace.code.bind import SUBEXPRESSION, BindError, parse_left
from eqtrace.code.mutation.generate import text_with
from eqtrace.code.source import SourceFile, parse
from eqtrace.model.mutant import Judged, Mutant, Status
from eqtrace.model.verdict import MethodResult, Verdict
from eqtrace.run import sources
from eqtrace.run.capture import SCENARIOS
from eqtrace.run.effort import Effort
from eqtrace.run.instrument import instrument
from eqtrace.run.outcome import Lost
from eqtrace.run.record import Recorder
from eqtrace.run.session import Prepared, Session
from eqtrace.run.site import Site
from eqtrace.run.work import EXECUTED, Unit, Work

ON_CODE = ("value", "constraint", "order", "composition", "structure", "vjp", "discrete", "distribution")  # quick first
_BY_VALUE = frozenset({"vjp"})  # methods that look at a line's value too, which is quicker by itself
_ROUNDS, _DRAWS, _POINTS = 1, 4, 6  # of the first, quick look


@dataclass(frozen=True, slots=True)
class Mutating:
    """What a worker needs to judge mutants."""

    work: Work
    limit: float  # seconds of processor time that a mutant may take
    sources: Mapping[str, str]  # path of a mutated file -> its absolute path


class Mutations:
    """Judges mutants; `pool.Pool` gives them one by one. The arguments are those of `Session`."""

    def __init__(self, payload: Mutating, activity: Callable[[str], None], poisoned: Mapping[str, Lost]) -> None:
        import hypothesis.extra.numpy  # noqa: F401  (every child would import these)
        import numpy.ma  # noqa: F401

        from eqtrace.formula import ball_operations, decide, entries, prove  # noqa: F401
        from eqtrace.run.gradient import gradients  # noqa: F401

        self._payload = payload
        self._prepared = _prepare(payload.work)
        self._activity = activity
        self._poisoned = poisoned
        self._reached: Reached | None = None

    def run(self, mutant: Mutant) -> Judged:
        """A mutant's fate."""
        if self._reached is None:
            found = _in_child(lambda: _reached(self._payload.work, self._prepared), self._payload.limit)
            self._reached = found if isinstance(found, Reached) else Reached()
        started = time.perf_counter()
        reached = self._reached
        found = _in_child(lambda: _judge(self._payload, mutant, self._prepared, reached), self._payload.limit)
        if not isinstance(found, Judged):
            found = Judged(mutant, Status.TIMEOUT if found == _OVER else Status.CRASH, "", str(found))
        return replace(found, seconds=time.perf_counter() - started)


_OVER = "it ran out of its time limit"
_WAITING = 6  # times as long on the clock as of processor time


def _in_child(work: Callable[[], Any], limit: float) -> Any:
    """What a forked child makes of `work`, or in words why it made nothing of it."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _become_silent()
        sys.dont_write_bytecode = True
        # Processor time, so that a busy machine times nothing out; code that only waits meets the other limit.
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 1))
        try:
            answer = pickle.dumps(work())
        except BaseException as error:
            answer = pickle.dumps(f"{type(error).__name__}: {error}")
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(answer)
        os._exit(0)
    os.close(writing)
    end, parts = time.monotonic() + _WAITING * limit, []
    try:
        while (left := end - time.monotonic()) > 0:
            if not select.select([reading], [], [], left)[0]:
                continue
            part = os.read(reading, 1 << 16)
            if not part:
                break
            parts.append(part)
        else:
            return _OVER
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if parts:
        return pickle.loads(b"".join(parts))
    signals = (signal.SIGXCPU, signal.SIGKILL)
    return _OVER if os.WIFSIGNALED(status) and os.WTERMSIG(status) in signals else f"it ended with status {status}"


def _become_silent() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)


def _prepare(work: Work) -> Prepared:
    """The user's modules instrumented, none of them imported: every child would do it."""
    recorder, codes = Recorder(), {}
    sites: dict[str, list[Site]] = {}
    for site in (*work.sites.values(), *work.followed.values()):
        sites.setdefault(site.file, []).append(site)
    modules = {**work.modules, **({work.scenarios: SCENARIOS} if work.scenarios else {})}
    for file, name in modules.items():
        with contextlib.suppress(OSError, SyntaxError):
            codes[file] = instrument(sources.read(file), file, name, sites.get(file, ()), recorder)
    return Prepared(recorder, codes)


@dataclass(frozen=True, slots=True)
class Reached:
    """Which scenarios reach which anchor, and how many executions of cited lines each makes in all."""

    by_anchor: Mapping[str, frozenset[str]] = field(default_factory=dict)
    cost: Mapping[str, int] = field(default_factory=dict)


def _reached(work: Work, prepared: Prepared) -> Reached:
    """What scenarios reach in one round."""
    session = Session(work, lambda name: None, {}, prepared=prepared)
    equation = next(iter(work.equations.values()))
    found: dict[str, set[str]] = {}
    cost: dict[str, int] = {}
    for name in session.captures.scenario_names:
        session.start_again(Effort(rounds=1, scenarios=frozenset({name})))
        counts = session.captures.scenarios(equation.span).counts
        cost[name] = sum(counts.values())
        for anchor, count in counts.items():
            if count:
                found.setdefault(anchor, set()).add(name)
    return Reached({anchor: frozenset(names) for anchor, names in found.items()}, cost)


def _judge(payload: Mutating, mutant: Mutant, prepared: Prepared, reached: Reached) -> Judged:
    file = payload.sources[mutant.span.path]
    before = sources.source(file)
    data = text_with(before, mutant).encode("utf-8")
    sources.mutate(file, data)
    work = moved(payload.work, file, before, parse(file, data), mutant)
    # The changed module is instrumented for the equations at hand alone, which takes a tenth of the time.
    own = frozenset(name for name in work.sites if name.partition("/")[0] in _concerned(work, mutant))
    sites = [site for name, site in work.sites.items() if site.file == file and name in own]
    sites += [site for site in work.followed.values() if site.file == file]
    codes = {each: code for each, code in prepared.codes.items() if each != file}
    if file in work.modules:
        codes[file] = instrument(data, file, work.modules[file], sites, prepared.recorder)
    session = Session(work, lambda name: None, {}, prepared=replace(prepared, codes=codes))
    here = [name for name in own if _stands_at(work.sites[name], mutant)]
    scenarios = frozenset(name for anchor in here for name in reached.by_anchor.get(anchor, ()))
    called = Effort(0, frozenset(), own, _DRAWS, _POINTS, exact=False, shrinks=False)
    reaching = Effort(_ROUNDS, _few(scenarios, reached.cost), own, 0, _POINTS, exact=False, shrinks=False)
    everything = Effort(only=own, shrinks=False)
    tried: list[str] = []
    counts: dict[str, int] = {}
    crash = ""
    for effort in (called, reaching, everything):
        session.start_again(effort)
        for unit in _units(work, mutant, quick=effort is not everything):
            result = session.method(unit)
            told = [each for each in result.faults if each.kind != "method-not-run"]
            telling = [each for each in told if each.kind != "user-code-failed"]
            if telling or result.verdict is Verdict.REFUTED:
                why = telling[0].message if telling else result.evidence.detail
                return Judged(mutant, Status.KILLED, unit.method, f"{unit.equation}: {why}")
            crash = crash or next((each.message for each in told), "")
            if crash and effort is not everything:
                break
            if effort is everything:
                tried.append(f"{unit.equation} ({unit.method}, {_shown(result)})")
                counts.update({anchor: count for anchor, count in result.executions.items() if count})
        if crash:
            return Judged(mutant, Status.CRASH, "", crash)
    missing = _unreached(counts, work, mutant)
    if missing:
        return Judged(mutant, Status.KILLED, "execution", f"no run executed {missing}")
    return Judged(mutant, Status.SURVIVED, "", "tried: " + "; ".join(tried))


def _concerned(work: Work, mutant: Mutant) -> frozenset[str]:
    """The equations that judge a mutant, and those whose lines tell what a structure's values start as."""
    topics = {entry.start.value for name in mutant.equations for entry in work.equations[name].structure}
    return frozenset(mutant.equations) | {name for name, each in work.equations.items() if each.topic in topics}


def _few(scenarios: frozenset[str], cost: Mapping[str, int]) -> frozenset[str]:
    """The two that execute the fewest lines."""
    return frozenset(sorted(scenarios, key=lambda name: (cost[name], name))[:2])


def _units(work: Work, mutant: Mutant, quick: bool) -> Iterator[Unit]:
    """The methods that run the code, of the equations that cite the statement; the quickest first."""
    wanted = [
        (_distance(name, work, mutant), ON_CODE.index(method), method, name)
        for name in mutant.equations
        for method in work.equations[name].methods
        if method in ON_CODE
    ]
    for _, _, method, name in sorted(wanted):
        if not quick:
            yield Unit(name, method)
        elif method in _BY_VALUE:
            yield Unit(name, "value")
        elif method not in ("discrete", "distribution"):
            yield Unit(name, method)


def _distance(name: str, work: Work, mutant: Mutant) -> int:
    """How far an equation is from a statement: it is computed there, or called, or only passes through."""
    found = [
        0 if anchor.computing else 1
        for anchor in work.equations[name].anchors
        if (site := work.sites.get(anchor.id)) is not None and _stands_at(site, mutant)
    ]
    return min(found, default=2)


def _stands_at(site: Site, mutant: Mutant) -> bool:
    span = mutant.span
    return (site.path, site.line, site.column) == (span.path, span.line, span.column)


def _shown(result: MethodResult) -> str:
    return f"{result.evidence.points} points, {result.verdict.value}"


def _unreached(counts: Mapping[str, int], work: Work, mutant: Mutant) -> str:
    """A cited line that ran before and never does now."""
    for name in mutant.equations:
        for anchor in work.equations[name].anchors:
            if anchor.role in EXECUTED and anchor.id in work.sites and not counts.get(anchor.id):
                site = work.sites[anchor.id]
                return f"{site.path}:{site.line}"
    return ""


# --- sites in the mutated file ---------------------------------------------------------------------------------------


def moved(work: Work, file: str, before: SourceFile, after: SourceFile, mutant: Mutant) -> Work:
    """The work with every site of the file where its statement stands now."""
    places = {
        (old.span.line, old.span.column): (old.node, new)
        for old, new in zip(before.statements, after.statements, strict=True)
    }

    def place(site: Site) -> Site:
        if site.file != file or (site.line, site.column) not in places:
            return site
        old, new = places[site.line, site.column]
        span = new.span
        outputs = site.outputs
        if (site.line, site.column) == (mutant.span.line, mutant.span.column):
            outputs = {symbol: _at_same_place(text, old, new.node) for symbol, text in outputs.items()}
        return replace(
            site, line=span.line, column=span.column, end_line=span.end_line, end_column=span.end_column,
            outputs=outputs,
        )  # fmt: skip

    return replace(
        work,
        sites={name: place(site) for name, site in work.sites.items()},
        beside={name: place(site) for name, site in work.beside.items()},
        followed={name: place(site) for name, site in work.followed.items()},
    )


def _at_same_place(text: str, old: Any, new: Any) -> str:
    """What stands in the mutated statement where a bound expression stood."""
    if not isinstance(old, ast.stmt):
        return text
    try:
        left = parse_left(text, old)
    except BindError:
        return text
    if left.kind != SUBEXPRESSION:
        return text
    path = _path_to(old, left.node)
    node: Any = new
    for name, index in path or ():
        node = getattr(node, name, None)
        if index is not None:
            node = node[index] if isinstance(node, list) and index < len(node) else None
    return ast.unparse(node) if path and isinstance(node, ast.expr) else text


def _path_to(root: ast.AST, wanted: ast.AST) -> list[tuple[str, int | None]] | None:
    if root is wanted:
        return []
    for name, value in ast.iter_fields(root):
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and (path := _path_to(child, wanted)) is not None:
                return [(name, index), *path]
    return None
