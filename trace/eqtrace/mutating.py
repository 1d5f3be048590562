"""Mutates every statement that equations cite, and asks whether verification notices."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from eqtrace.cache import digest
from eqtrace.checks.registry import BY_NAME
from eqtrace.code.mutation.equivalent import proof
from eqtrace.code.mutation.generate import mutants
from eqtrace.config import Config
from eqtrace.model.anchor import Role
from eqtrace.model.finding import Fault, Finding, Severity
from eqtrace.model.mutant import Judged, Mutant, Status
from eqtrace.model.results import Results
from eqtrace.model.verdict import Verdict
from eqtrace.run.mutation import Mutating
from eqtrace.run.outcome import Crashed, Done
from eqtrace.run.present import base
from eqtrace.runner import Project, Running, read_project, verify, work_of
from eqtrace.spec import sizes

SESSION = "eqtrace.run.mutation:Mutations"
_SHOWN = frozenset(Verdict) - {Verdict.REFUTED, Verdict.NOT_CHECKED}
_MUTATED = (Role.COMPUTES, Role.INLINE, Role.CALLS, Role.EXPLAINS)


def all_mutants(project: Project) -> list[Mutant]:
    """Every mutant of every statement that the selected equations cite, in the order of the sources."""
    cited: dict[tuple[str, int, int], set[str]] = {}
    for name in project.selected:
        for anchor in project.equations[name].anchors:
            match = project.linked.matches[anchor.id]
            if anchor.role in _MUTATED and match.span is not None and anchor.target is None:
                place = (match.span.path, match.span.line, match.span.column)
                cited.setdefault(place, set()).add(name)
    found: list[Mutant] = []
    for (path, line, column), equations in sorted(cited.items()):
        file = project.index.file(path)
        statement = file.statement_at(line, column) if file is not None else None
        if statement is not None:
            found += mutants(statement, tuple(name for name in project.selected if name in equations))
    return found


def mutate(
    config: Config, selected: frozenset[str] | None, how: Running, limit: float = 10.0, cache: bool = True
) -> Results:
    """Judges every mutant of the statements that the selected equations cite, by all equations that cite them.

    Equations that verification does not show to hold judge nothing: they would kill every mutant.

    Args:
        config: the project.
        selected: the ids of the equations; None is all.
        how: how units are run.
        limit: seconds of processor time that one mutant may take.
        cache: whether what an earlier run over the same sources judged (also one that was interrupted) is used.
    """
    started = time.perf_counter()
    verified = verify(config, None, how.jobs, how.seed, how.timeout, how.progress, cache)
    project = read_project(config, None)
    held = frozenset(name for name in project.selected if verified.verdict(name) in _SHOWN)
    wanted = [
        replace(each, equations=tuple(name for name in each.equations if name in held))
        for each in all_mutants(project)
        if selected is None or selected & set(each.equations)
    ]
    mutants = [each for each in wanted if each.equations]
    judged, kept = _judged(project, mutants, how, limit, cache)
    findings = [each for each in verified.findings if each.severity is Severity.ERROR]
    findings += [_finding(each) for each in judged if each.status is Status.SURVIVED]
    unheld = len(project.selected) - len(held)
    return replace(
        verified,
        command="mutate",
        selected=tuple(name for name in project.selected if selected is None or name in selected),
        findings=tuple(findings),
        mutants=tuple(judged),
        from_cache=kept,
        skipped=(f"{unheld} equations judged no mutant, as verification does not show them to hold",) if unheld else (),
        seconds=time.perf_counter() - started,
        exit=1 if findings else 0 if judged else 2,
    )


def _finding(judged: Judged) -> Finding:
    mutant = judged.mutant
    message = f"{', '.join(mutant.equations)}: verification does not notice\n- {mutant.old}\n+ {mutant.new}"
    fault = Fault("mutant-survived", message, mutant.span, judged.reason, equation=mutant.equations[0])
    return BY_NAME["mutant-survived"].finding(fault)


def _judged(
    project: Project, mutants: list[Mutant], how: Running, limit: float, cache: bool
) -> tuple[list[Judged], int]:
    """Every mutant's fate, and how many of them were known."""
    record = Record(project, how.seed, limit) if cache else None
    judged = record.read(mutants) if record is not None else {}
    kept = len(judged)
    waiting = [each for each in mutants if each.id not in judged]
    for done, outcome in enumerate(_outcomes(project, waiting, how, limit) if waiting else (), 1):
        outcome = _excused(outcome, project)
        judged[outcome.mutant.id] = outcome
        if record is not None:
            record.add(outcome)
        if how.progress is not None:
            how.progress(done, len(waiting), outcome.mutant.id)
    return [judged[each.id] for each in mutants], kept


def _excused(judged: Judged, project: Project) -> Judged:
    """A survivor that is proved to compute the same is none."""
    file = project.index.file(judged.mutant.span.path)
    shown = proof(judged.mutant, file) if judged.status is Status.SURVIVED and file is not None else ""
    return replace(judged, status=Status.EQUIVALENT, reason=shown) if shown else judged


def _outcomes(project: Project, waiting: list[Mutant], how: Running, limit: float) -> Iterator[Judged]:
    from eqtrace.run.pool import Pool

    work = work_of(project, how.seed)
    root = str(project.index.root)
    payload = Mutating(work, limit, {each.span.path: os.path.join(root, each.span.path) for each in waiting})
    # A worker ends its child by itself: its own time limit, which comes later, is for faults of eqtrace.
    with Pool(min(how.jobs, len(waiting)), SESSION, payload, 20 * limit, root, work.pythonpath) as pool:
        for outcome in pool.answer(waiting):
            if isinstance(outcome, Done):
                yield outcome.value
            else:
                why = outcome.traceback if isinstance(outcome, Crashed) else outcome.reason
                yield Judged(outcome.unit, Status.CRASH, "", f"the worker failed: {why}")


class Record:
    """What was judged of one state of specification and sources: a line for each mutant, written as it comes."""

    def __init__(self, project: Project, seed: int, limit: float) -> None:
        self._folder = project.index.root / ".eqtrace" / "mutants"
        self._file = self._folder / f"{_state(project, seed, limit)}.jsonl"

    def read(self, wanted: Iterable[Mutant]) -> dict[str, Judged]:
        """What is known of these mutants; a line that is damaged is as if it were not there."""
        mutants = {(each.id, each.new): each for each in wanted}
        found: dict[str, Judged] = {}
        try:
            lines = self._file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return found
        for line in lines:
            try:
                entry = json.loads(line)
                mutant = mutants.get((entry["id"], entry["new"]))
                if mutant is not None:
                    texts = str(entry["by"]), str(entry["reason"])
                    found[mutant.id] = Judged(mutant, Status(entry["status"]), *texts, float(entry["seconds"]))
            except (ValueError, KeyError, TypeError):
                continue
        return found

    def add(self, judged: Judged) -> None:
        """Keeps one more."""
        if not self._file.exists():
            self._begin()
        entry = {
            "id": judged.mutant.id,
            "new": judged.mutant.new,
            "status": judged.status.value,
            "by": judged.by,
            "reason": judged.reason,
            "seconds": round(judged.seconds, 3),
        }
        with contextlib.suppress(OSError), self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def _begin(self) -> None:
        """Of other states nothing is kept."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder.parent / ".gitignore").write_text("*\n", encoding="utf-8")
            for other in self._folder.glob("*.jsonl"):
                other.unlink()


def _state(project: Project, seed: int, limit: float) -> str:
    """A digest of all that a mutant's fate rests on."""
    config, root = project.config, project.index.root
    others = [name for name in (config.scenarios, config.references) if name]
    files = sorted({*project.index.sources(), *others, *(each.span.path for each in project.specification.equations)})
    content = [digest(path, (root / path).read_bytes()) for path in files]
    return digest(base(config, sizes.draws(config), seed), repr(limit), *content)
