"""Mutants judged in forked processes: an unchanged statement survives whatever is tried first, and nothing stays."""

import sys
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from eqtrace import config
from eqtrace.model.mutant import Judged, Mutant, Status
from eqtrace.mutating import all_mutants
from eqtrace.run import mutation, sources
from eqtrace.run.mutation import Mutating, Mutations
from eqtrace.runner import read_project, work_of

FILES = {
    "pyproject.toml": """
        [tool.eqtrace]
        spec = ["spec.yaml"]
        sources = ["shed"]
        scenarios = "scenarios.py"
        coverage = "off"

        [tool.eqtrace.sizes]
        n = [2, 3]
    """,
    "shed/__init__.py": "",
    "shed/tools.py": """
        import numpy as np


        def scaled(
            x, c
        ):
            y = (
                c * x
            ); z = y + 0.0
            for k in range(len(x)):
                z[k] += 1.0
            x *= 2.0
            return z


        def mean(x):
            total = x.sum(axis=0)
            return total / len(x)
    """,
    "scenarios.py": """
        import shed.tools


        def use(rng, sizes):
            shed.tools.mean(rng.normal(size=(sizes["n"], 4)))
    """,
    "spec.yaml": """
        topic: shed
        title: Shed
        page: all
        status: implemented
        direction: neither
        functions: ['shed/tools.py::scaled', 'shed/tools.py::mean']
        what: A test.
        why: A test.
        symbols:
          x: {shape: [n]}
          c: {shape: []}
          y: {shape: [n], code: null}
          M: {shape: [n, m], code: x}
          total: {shape: [m], code: null}
          mean: {shape: [m], code: null}
          N: {shape: [], code: null, domain: {integer: true, min: 1}}
        indices: {i: n, j: m}
        equations:
          - id: shed.scaled
            sympy: 'Eq(y[i], c*x[i])'
            anchors:
              - {role: computes, at: 'shed/tools.py:7', in: scaled, code: 'y = (c * x)', bind: {y: y}}
          - id: shed.doubled
            sympy: 'Eq(x[i], 2*Old(x[i]))'
            anchors:
              - {role: computes, at: 'shed/tools.py:12', in: scaled, code: 'x *= 2.0', bind: {x: x}}
          - id: shed.total
            sympy: 'Eq(total[j], Sum(M[i, j], i))'
            anchors:
              - {role: computes, at: 'shed/tools.py:17', in: mean, code: 'total = x.sum(axis=0)', bind: {total: total}}
          - id: shed.mean
            sympy: 'Eq(mean[j], total[j]/N)'
            anchors:
              - {role: computes, at: 'shed/tools.py:18', in: mean, code: 'return total / len(x)',
                 bind: {mean: result, total: total, N: len(x)}}
    """,
}


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Mutant], Judged]:
    root = tmp_path_factory.mktemp("shed")
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"))
    project = read_project(config.load(root), None)
    found = all_mutants(project)
    files = {each.span.path: str(root / each.span.path) for each in found}
    mutations = Mutations(Mutating(work_of(project, 0), 5.0, files), lambda name: None, {})

    def run(mutant: Mutant) -> Judged:
        return mutations.run(mutant)

    run.mutants = found  # type: ignore[attr-defined]
    run.root = root  # type: ignore[attr-defined]
    return run


def test_statements_that_stay_as_they_are_survive(judge) -> None:
    places = {each.span: each for each in judge.mutants}
    assert [span.line for span in places] == [7, 12, 17, 18]
    for mutant in places.values():
        judged = judge(replace(mutant, new=mutant.old))
        assert judged.status is Status.SURVIVED, judged.reason
        assert judged.reason.startswith("tried: ")


def test_slips_are_killed(judge) -> None:
    fates = {each.new: judge(each) for each in judge.mutants}
    survived = {new for new, each in fates.items() if each.status not in (Status.KILLED, Status.CRASH)}
    assert survived == {"y = x * c"}  # which is proved elsewhere
    assert fates["y = c / x"].by == "value"
    assert "shed.scaled: shed/tools.py:7: y[" in fates["y = c / x"].reason
    assert fates["x = 2.0"].status is Status.KILLED
    assert fates["total = x.sum(axis=-1)"].status is Status.KILLED


def test_nothing_of_it_stays_in_the_process_that_forks(judge) -> None:
    before = {name: (judge.root / name).read_bytes() for name in FILES}
    modules = set(sys.modules)
    mutant = judge.mutants[0]
    assert judge(mutant).status is Status.KILLED
    assert sources.read(str(judge.root / "shed/tools.py")) == before["shed/tools.py"]
    assert not [name for name in set(sys.modules) - modules if name.partition(".")[0] == "shed"]
    assert "shed.tools" not in sys.modules
    assert {name: (judge.root / name).read_bytes() for name in FILES} == before
    assert not list(Path(judge.root).rglob("*.pyc"))


def test_the_first_looks_are_quick_and_the_last_one_is_whole(judge, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    told = tmp_path / "efforts"
    plain = mutation.Session.start_again

    def start_again(self, effort) -> None:
        with told.open("a") as file:
            file.write(f"{effort.rounds} {effort.draws} {effort.points} {effort.exact} {'shed.tools' in sys.modules}\n")
        plain(self, effort)

    monkeypatch.setattr(mutation.Session, "start_again", start_again)
    mutant = next(each for each in judge.mutants if each.span.line == 17)
    judge(replace(mutant, new=mutant.old))
    assert told.read_text().split("\n") == ["0 4 6 False False", "1 0 6 False True", "None None None True True", ""]


def test_a_worker_that_cannot_say_what_happened_is_a_crash(judge, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: object) -> None:
        raise RuntimeError("kaputt")

    monkeypatch.setattr(mutation, "_judge", failing)
    judged = judge(judge.mutants[0])
    assert (judged.status, judged.reason) == (Status.CRASH, "RuntimeError: kaputt")
