"""The scores of a whole run are kept, and given back for the same sources alone."""

import json
import textwrap
from pathlib import Path

import pytest

from eqtrace import auditing, config
from eqtrace.judged import keep_scores, state_of, stored_scores
from eqtrace.model.mutant import Judged, Score, Status
from eqtrace.model.results import Results
from eqtrace.mutating import all_mutants
from eqtrace.project import read_project

FILES = {
    "pyproject.toml": """
        [tool.eqtrace]
        spec = ["spec.yaml"]
        sources = ["lab"]
        coverage = "off"
    """,
    "lab/ops.py": """
        def twice(x):
            y = x + x
            return y
    """,
    "spec.yaml": """
        topic: twice
        title: Twice
        page: all
        status: implemented
        direction: neither
        functions: ['lab/ops.py::twice']
        what: A test.
        why: A test.
        symbols: {x: {shape: []}, y: {shape: [], code: null}}
        equations:
          - id: twice.twice
            sympy: 'Eq(y, 2*x)'
            anchors:
              - {role: computes, at: 'lab/ops.py:2', in: twice, code: 'y = x + x', bind: {y: y}}
    """,
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"))
    project = read_project(config.load(tmp_path), None)
    fates = [Status.KILLED, Status.SURVIVED, Status.CRASH]
    judged = [Judged(each, fate, "value") for each, fate in zip(all_mutants(project), fates, strict=False)]
    assert len(judged) == 3
    keep_scores(project, state_of(project, 0), 0, judged)
    return tmp_path


def results(root: Path) -> Results:
    return auditing.audit(config.load(root), None)


def test_scores_are_given_back(root: Path) -> None:
    found = stored_scores(config.load(root), results(root))
    assert found is not None
    score = Score(killed=1, survived=1, crash=1)
    assert (found.score, found.topics, found.equations) == (score, {"twice": score}, {"twice.twice": score})
    assert found.methods == {"value": 1}


@pytest.mark.parametrize("name", ["lab/ops.py", "spec.yaml"])
def test_of_other_sources_or_another_specification_there_are_none(root: Path, name: str) -> None:
    (root / name).write_text((root / name).read_text() + "\n")
    assert stored_scores(config.load(root), results(root)) is None


@pytest.mark.parametrize("damage", ["", "{", "[]", "3", '{"state": 1}', '{"seed": 0, "state": "", "scores": 5}'])
def test_damaged_scores_are_none(root: Path, damage: str) -> None:
    (root / ".eqtrace" / "mutants" / "scores.json").write_text(damage)
    assert stored_scores(config.load(root), results(root)) is None


def test_scores_with_other_words_are_none(root: Path) -> None:
    file = root / ".eqtrace" / "mutants" / "scores.json"
    entry = json.loads(file.read_text())
    for damaged in ({}, {**entry["scores"], "topics": [1]}, {**entry["scores"], "score": {"killed": "many"}}):
        file.write_text(json.dumps({**entry, "scores": damaged}))
        assert stored_scores(config.load(root), results(root)) is None
