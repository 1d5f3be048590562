"""Results of earlier runs that still hold: found before a run, and kept after it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from eqtrace.cache import Cache, Unreadable, decode, digest, encode
from eqtrace.model.example import ExampleResult
from eqtrace.model.verdict import MethodResult
from eqtrace.run.example import codec
from eqtrace.run.needs import EVERY, Answer, KeptProof, Needs, Runs
from eqtrace.run.outside import is_installed
from eqtrace.run.present import STATED, Present
from eqtrace.run.work import EXAMPLE, Unit

# What happened to user code or to eqtrace, not what was found out: the next run may fare better.
_PASSING = frozenset({"user-code-failed", "internal-error", "limit", "example-not-run"})
_PROOF = "proof"  # the last part of a key
_UNKNOWN_EFFORT = 8  # a unit that never ran may take long
_LEAST_EFFORT = 0.01  # seconds

Result = MethodResult | ExampleResult


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept result and what the scenarios gave where it looked."""

    result: Result
    runs: Runs
    number: int  # among the entries of its unit


class Reuse:
    """The cache as a run sees it.

    Args:
        cache: the entries on disk.
        base: a hash of what all results rest on.
        present: what names stand for now.
        started: when the run began to read files, in nanoseconds; what changed later is not kept.
    """

    def __init__(self, cache: Cache, base: str, present: Present, started: int) -> None:
        self.cache = cache
        self._base = base
        self._present = present
        self._started = started
        self._candidates: dict[Unit, tuple[Kept, ...]] = {}
        self._effort: dict[Unit, int] = {}  # of units in an earlier run, see `_effort_of`
        self._new: list[tuple[str, Needs, Runs, dict[str, Any]]] = []
        self.proofs: dict[Unit, KeptProof] = {}  # that hold, of units without a result so far
        self._scenarios: Needs | None = None
        self._runs, self._runs_known = self._kept_runs()
        self._stable = True
        self._seen: dict[str, str] = {}

    def find(self, units: Iterable[Unit]) -> dict[Unit, Result]:
        """The results that hold. Of others it may turn out once the scenarios have run: see `wanted`."""
        found = {}
        for unit in units:
            kept = tuple(self._kept(unit))
            hit = next((each for each in kept if all(self._runs.get(k) == v for k, v in each.runs.items())), None)
            if hit is not None:
                found[unit] = hit.result
                self.cache.used(self._key(unit.equation, unit.method), hit.number)
            else:
                open_ = (each for each in kept if not self._runs_known or not each.runs.keys() <= self._runs.keys())
                self._candidates[unit] = tuple(open_)
                if (proof := self._kept_proof(unit)) is not None:
                    self.proofs[unit] = proof
        return found

    @property
    def wanted(self) -> dict[Unit, tuple[Runs, ...]]:
        """For units without a result so far: what the scenarios would have to give for a kept one to hold."""
        return {unit: tuple(each.runs for each in kept) for unit, kept in self._candidates.items() if kept}

    def slowest_first(self, units: Iterable[Unit]) -> list[Unit]:
        """Units in the order that lets workers end at one time, as far as earlier runs tell."""
        return sorted(units, key=lambda unit: -self._effort.get(unit, _UNKNOWN_EFFORT))

    def take(self, unit: Unit, answer: Answer) -> tuple[Result, bool]:
        """A unit's result, and whether it is a kept one; a new one is noted to be kept."""
        self._note_runs(answer.needs.runs)
        if answer.scenarios is not None and not answer.scenarios.unknowable:
            if self._scenarios is not None:
                answer.scenarios.add(self._scenarios)
            self._scenarios = answer.scenarios
        if answer.result is None:
            kept = self._candidates[unit][answer.kept]
            self.cache.used(self._key(unit.equation, unit.method), kept.number)
            return replace(kept.result, faults=(*answer.faults, *kept.result.faults)), True
        kinds = {fault.kind for fault in answer.result.faults}
        if not kinds & _PASSING and not answer.needs.unknowable:
            body = {"result": _encoded(answer.result), "effort": _effort_of(answer.result)}
            self._new.append((self._key(unit.equation, unit.method), answer.needs, answer.needs.runs, body))
        if answer.proof is not None:
            needs = Needs(equations=set(answer.proof.equations))
            self._new.append((self._key(unit.equation, unit.method, _PROOF), needs, {}, {"proof": answer.proof.data}))
        return answer.result, False

    def close(self) -> str:
        """Writes what is new; why it could not, if so."""
        if self._scenarios is not None and self._stable:
            self._write(self._key("scenarios"), self._scenarios, {**self._runs, **self._seen}, {}, bare=True)
        for key, needs, runs, body in self._new:
            if self._stable:
                self._write(key, needs, runs, body)
        if self._new:
            self.cache.tidy()
        return self.cache.note

    # --- reading -------------------------------------------------------------------------------------------------

    def _key(self, *parts: str) -> str:
        return digest(self._base, *parts)

    def _kept_runs(self) -> tuple[Runs, bool]:
        """What the scenarios give now, where that is known from a run on the same code."""
        found: dict[str, str] = {}
        known = False
        for number, entry in self.cache.entries(self._key("scenarios")):
            if self._holds(entry.get("needs")) and _is_texts(entry.get("runs")):
                found |= entry["runs"]
                known = True
                self.cache.used(self._key("scenarios"), number)
        return found, known

    def _kept(self, unit: Unit) -> Iterator[Kept]:
        for number, entry in self.cache.entries(self._key(unit.equation, unit.method)):
            runs: Any = entry.get("runs")
            if isinstance(effort := entry.get("effort"), int):
                self._effort[unit] = max(effort, self._effort.get(unit, effort))
            if not self._holds(entry.get("needs")) or not _is_texts(runs):
                continue
            try:
                result = _decoded(entry.get("result"), unit)
            except Unreadable:
                continue
            if _unit(result) == unit:
                yield Kept(result, runs, number)

    def _kept_proof(self, unit: Unit) -> KeptProof | None:
        for number, entry in self.cache.entries(self._key(unit.equation, unit.method, _PROOF)):
            needs: Any = entry.get("needs")
            data = entry.get("proof")
            if self._holds(needs) and isinstance(data, dict):
                self.cache.used(self._key(unit.equation, unit.method, _PROOF), number)
                kinds = (name.partition(" ") for name in needs)
                return KeptProof(data, frozenset(EVERY if kind == "equations" else name for kind, _, name in kinds))
        return None

    def _holds(self, needs: Any) -> bool:
        if not isinstance(needs, dict) or not needs:
            return False
        return all(self._present.holds(name, value) for name, value in needs.items())

    # --- writing -------------------------------------------------------------------------------------------------

    def _note_runs(self, runs: Runs) -> None:
        """Two workers that saw different things ran code that isn't determined: nothing of it is kept."""
        for name, value in runs.items():
            if self._seen.setdefault(name, value) != value:
                self._stable = False

    def _write(self, key: str, needs: Needs, runs: Runs, body: Mapping[str, Any], bare: bool = False) -> None:
        files: set[str] = set()
        names = self._names(needs, bare, files)
        if any(self._changed(file) for file in files):
            return
        found = {name: self._present.of(name) for name in names}
        if any(value == "special" for value in found.values()):
            return
        if body and not body.get("result", {}).get(
            "faults"
        ):  # without findings, where things stand in the YAML shows nowhere
            for name in found:
                if name.partition(" ")[0] in STATED:
                    found[name] = [*found[name][:2], ""]
        self.cache.put(key, {"needs": found, "runs": dict(runs), **body})

    def _names(self, needs: Needs, bare: bool, files: set[str]) -> set[str]:
        """The names of all needs; `files` gets the files that they are read from."""
        present = self._present
        names = {"sites "} if EVERY in needs.sites else {f"site {each}" for each in needs.sites}
        names |= {"equations "} if EVERY in needs.equations else {f"equation {each}" for each in needs.equations}
        names |= {f"cited {present.relative(file)}::{function}" for file, function in needs.cited}
        names |= {f"example {each}" for each in needs.examples}
        names |= {f"package {each}" for each in needs.packages}
        names |= {f"folder {present.relative(each)}" for each in needs.folders}
        modules = set()
        for name, file, marked in needs.modules:
            path = present.relative(file)
            files.add(file)
            known = marked and present.code(path) is not None
            if known:
                modules.add(file)
            names.add(f"{'module' if known else 'whole-module'} {name} {path}")
        whole = {file for _, file, _ in needs.modules} - modules
        kind = "code" if bare else "function"
        for file, qualname in needs.functions:
            if not os.path.isabs(file) or file in whole:
                continue
            path = present.relative(file)
            code = present.code(path) if file in modules or not is_installed(file) else None
            if code is not None and qualname in code.functions:
                names.add(f"{kind} {path}::{qualname}")
            elif file not in modules and not is_installed(file):
                names.add(f"file {path}")
            files.add(file)
        for file in needs.files:
            names.add(f"file {present.relative(file)}")
            files.add(file)
        for file in needs.asked:
            names.add(f"asked {present.relative(file)}")
            files.add(file)
        names |= {f"variable {each}" for each in needs.variables}
        names |= {f"place {present.relative(each)}" for each in needs.places}
        return names

    def _changed(self, file: str) -> bool:
        """Whether a file changed since the run began: what ran may be another version than what was read."""
        try:
            status = os.stat(file)
        except OSError:
            return False
        return max(status.st_mtime_ns, status.st_ctime_ns) >= self._started


def _effort_of(result: Result) -> int:
    """How long it took, by powers of two: a result that took about as long is the same entry."""
    return math.frexp(max(result.seconds, _LEAST_EFFORT))[1]


def _encoded(result: Result) -> dict[str, Any]:
    return codec.encode(result) if isinstance(result, ExampleResult) else encode(result)


def _decoded(data: Any, unit: Unit) -> Result:
    return codec.decode(data) if unit.method == EXAMPLE else decode(data)


def _unit(result: Result) -> Unit:
    if isinstance(result, ExampleResult):
        return Unit(result.topic, EXAMPLE)
    return Unit(result.equation, result.method)


def _is_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())
