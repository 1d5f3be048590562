"""Mutates every statement that equations cite, and asks whether verification notices."""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator

from eqtrace.cache import digest
from eqtrace.code.mutation.generate import mutants
from eqtrace.config import Config
from eqtrace.model.anchor import Role
from eqtrace.model.mutant import Judged, Mutant, Score, Status
from eqtrace.run.mutation import Mutating
from eqtrace.run.outcome import Crashed, Done
from eqtrace.run.present import base
from eqtrace.runner import Progress, Project, read_project, work_of
from eqtrace.spec import sizes

SESSION = "eqtrace.run.mutation:Mutations"
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
    config: Config,
    selected: frozenset[str] | None,
    jobs: int = 1,
    seed: int = 0,
    timeout: float = 10.0,
    progress: Progress | None = None,
    cache: bool = True,
) -> list[Judged]:
    """Judges every mutant of the statements that the selected equations cite, by all equations that cite them.

    With `cache`, what an earlier run over the same sources judged (also one that was interrupted) is not judged again.
    """
    project = read_project(config, None)
    wanted = [each for each in all_mutants(project) if selected is None or selected & set(each.equations)]
    record = Record(project, seed, timeout) if cache else None
    judged = record.read(wanted) if record is not None else {}
    waiting = [each for each in wanted if each.id not in judged]
    if waiting:
        for done, outcome in enumerate(_outcomes(project, waiting, jobs, seed, timeout), 1):
            judged[outcome.mutant.id] = outcome
            if record is not None:
                record.add(outcome)
            if progress is not None:
                progress(done, len(waiting), outcome.mutant.id)
    return [judged[each.id] for each in wanted]


def _outcomes(project: Project, waiting: list[Mutant], jobs: int, seed: int, timeout: float) -> Iterator[Judged]:
    from eqtrace.run.pool import Pool

    work = work_of(project, seed)
    root = str(project.index.root)
    payload = Mutating(work, timeout, {each.span.path: os.path.join(root, each.span.path) for each in waiting})
    # The worker's own limit is that of a child, twice over: the child is ended first.
    with Pool(min(jobs, len(waiting)), SESSION, payload, 3 * timeout, root, work.pythonpath) as pool:
        for outcome in pool.answer(waiting):
            if isinstance(outcome, Done):
                yield outcome.value
            else:
                why = outcome.traceback if isinstance(outcome, Crashed) else outcome.reason
                yield Judged(outcome.unit, Status.CRASH, "", f"the worker failed: {why}")


class Record:
    """What was judged of one state of specification and sources: a line for each mutant, written as it comes."""

    def __init__(self, project: Project, seed: int, timeout: float) -> None:
        self._folder = project.index.root / ".eqtrace" / "mutants"
        self._file = self._folder / f"{_state(project, seed, timeout)}.jsonl"

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


def _state(project: Project, seed: int, timeout: float) -> str:
    """A digest of all that a mutant's fate rests on."""
    config, root = project.config, project.index.root
    others = [name for name in (config.scenarios, config.references) if name]
    files = sorted({*project.index.sources(), *others, *(each.span.path for each in project.specification.equations)})
    content = [digest(path, (root / path).read_bytes()) for path in files]
    return digest(base(config, sizes.draws(config), seed), repr(timeout), *content)


def score(judged: Iterable[Judged]) -> Score:
    """How many there are of each fate."""
    counts = Counter(each.status for each in judged)
    return Score(*(counts[status] for status in Status))
