"""What an earlier `mutate` found out, kept in `.eqtrace/mutants`: every mutant as it comes, and the scores of all."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from eqtrace.cache import digest
from eqtrace.code.index import Index
from eqtrace.config import Config
from eqtrace.model.mutant import Judged, Mutant, Status
from eqtrace.model.results import Results
from eqtrace.model.topic import Specification
from eqtrace.regular import content
from eqtrace.report import atomic
from eqtrace.report.mutants import Mutation, document, read_scores
from eqtrace.run.present import base
from eqtrace.spec import sizes

if TYPE_CHECKING:
    from eqtrace.project import Project

_SCORES = "scores.json"


class Record:
    """What was judged of one state of specification and sources: a line for each mutant, written as it comes."""

    def __init__(self, project: Project, seed: int, limit: float) -> None:
        state = state_of(project, seed)
        self._folder = _folder(project.index.root)
        self._file = self._folder / f"{digest(state, repr(limit))}.jsonl"
        self._whole = True  # whether its last line is finished

    def read(self, wanted: Iterable[Mutant]) -> dict[str, Judged]:
        """What is known of these mutants; a line that is damaged is as if it were not there."""
        mutants = {(each.id, each.new): each for each in wanted}
        found: dict[str, Judged] = {}
        try:
            text = content(self._file).decode("utf-8", "replace")
        except OSError:
            return found
        self._whole = not text or text.endswith("\n")
        for line in text.splitlines():
            try:
                entry = json.loads(line)
                mutant = mutants.get((entry["id"], entry["new"]))
                if mutant is not None:
                    texts = str(entry["by"]), str(entry["reason"])
                    found[mutant.id] = Judged(mutant, Status(entry["status"]), *texts, float(entry["seconds"]))
            except (ValueError, KeyError, TypeError, RecursionError):
                continue
        return found

    def add(self, judged: Judged) -> None:
        """Keeps one more."""
        if not self._file.exists():
            self._begin()
        elif not self._whole:
            with contextlib.suppress(OSError), self._file.open("a", encoding="utf-8") as file:
                file.write("\n")
        self._whole = True
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
            _make(self._folder)
            for other in self._folder.glob("*.jsonl"):
                other.unlink()


def state_of(project: Project, seed: int) -> str:
    """A digest of all that the fates of a project's mutants rest on, but for their time limit."""
    return _state(project.config, project.index, project.specification, seed)


def keep_scores(project: Project, state: str, seed: int, judged: Iterable[Judged]) -> None:
    """Keeps the scores of a run over everything, for the site; `state` is that of the run's beginning."""
    entry = {"state": state, "seed": seed, "scores": document(tuple(judged))[1]}
    folder = _folder(project.index.root)
    with contextlib.suppress(OSError):
        _make(folder)
        atomic.write(folder / _SCORES, (json.dumps(entry, indent=1) + "\n").encode())


def stored_scores(config: Config, results: Results) -> Mutation | None:
    """The scores of a run over these sources and this specification; None where none is stored, or it is of others."""
    index = Index(config)
    try:
        entry = json.loads(content(_folder(index.root) / _SCORES))
        if entry["state"] == _state(config, index, results.specification, entry["seed"]):
            return read_scores(entry["scores"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return None


def _folder(root: Path) -> Path:
    return root / ".eqtrace" / "mutants"


def _make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    atomic.write(folder / ".gitignore", b"*\n")


def _state(config: Config, index: Index, specification: Specification, seed: int) -> str:
    others = [name for name in (config.scenarios, config.references) if name]
    files = sorted({*index.sources(), *others, *(each.span.path for each in specification.equations)})
    content = [digest(path, (index.root / path).read_bytes()) for path in files]
    return digest(base(config, sizes.draws(config), seed), *content)
