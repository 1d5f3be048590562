"""Mutants judged in forked processes: an unchanged statement survives whatever is tried first, and nothing stays."""

import gc
import importlib
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from eqtrace import config
from eqtrace.model.mutant import Judged, Mutant, Status
from eqtrace.mutating import all_mutants
from eqtrace.project import read_project
from eqtrace.run import mutation, sources
from eqtrace.run.forked import in_child
from eqtrace.run.mutation import Mutating, Mutations
from eqtrace.working import work_of

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
    "shed/early.py": """
        from shed.tools import mean

        UNIT = 2.0 + 0.5


        def half(x):
            h = x / 2.0
            return h


        class Box:
            def __init__(self, side):
                self.side = side

            def area(self, x):
                a = self.side * x
                return a


        def adder(step):
            def add(x):
                s = x + step
                return s
            return add


        HALF = half(1.0)
        ADD = adder(3.0)
        OTHER = adder(4.0)
        PAIR = [lambda x: x, lambda x: -x]
    """,
    "shed/late.py": """
        from shed.early import half


        def later(x):
            d = half(x)
            return d
    """,
    "scenarios.py": """
        import shed.late
        import shed.tools


        def hold(rng, sizes):
            if shed.late.later(2.0) != 1.0:
                raise RuntimeError("that is not half of 2")


        def use(rng, sizes):
            shed.tools.mean(rng.normal(size=(sizes["n"], 4)))
    """,
    "spec.yaml": """
        topic: shed
        title: Shed
        page: all
        status: implemented
        direction: neither
        functions: ['shed/tools.py::scaled', 'shed/tools.py::mean', 'shed/early.py::half']
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
          k: {shape: [], code: null}
          h: {shape: [], code: null}
          side: {shape: [], code: null}
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
          - id: shed.unit
            sympy: 'Eq(h, 5/2)'
            anchors:
              - {role: computes, at: 'shed/early.py:3', in: '', code: 'UNIT = 2.0 + 0.5', bind: {h: UNIT}}
          - id: shed.half
            sympy: 'Eq(h, k/2)'
            anchors:
              - {role: computes, at: 'shed/early.py:7', in: half, code: 'h = x / 2.0', bind: {h: h, k: x}}
              - {role: calls, at: 'shed/late.py:5', in: later, code: 'd = half(x)'}
          - id: shed.area
            sympy: 'Eq(h, side*k)'
            anchors:
              - {role: computes, at: 'shed/early.py:16', in: Box.area, code: 'a = self.side * x',
                 bind: {h: a, side: self.side, k: x}}
          - id: shed.add
            sympy: 'Eq(h, k + side)'
            anchors:
              - {role: computes, at: 'shed/early.py:22', in: adder.add, code: 's = x + step',
                 bind: {h: s, side: step, k: x}}
    """,
}


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Mutant], Judged]]:
    folders, finders = list(sys.path), list(sys.meta_path)
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
    run.mutations = mutations  # type: ignore[attr-defined]
    yield run
    sys.path[:], sys.meta_path[:] = folders, finders
    for name in [each for each in sys.modules if each.partition(".")[0] in ("shed", "eqtrace_scenarios")]:
        del sys.modules[name]
    gc.unfreeze()


def test_statements_that_stay_as_they_are_survive(judge) -> None:
    places = {each.span: each for each in judge.mutants if each.span.path == "shed/tools.py"}
    assert [span.line for span in places] == [7, 12, 17, 18]
    for mutant in places.values():
        judged = judge(replace(mutant, new=mutant.old))
        assert judged.status is Status.SURVIVED, judged.reason
        assert judged.reason.startswith("tried: ")


def test_slips_are_killed(judge) -> None:
    fates = {each.new: judge(each) for each in judge.mutants if each.span.path == "shed/tools.py"}
    survived = {new for new, each in fates.items() if each.status not in (Status.KILLED, Status.CRASH)}
    assert survived == {"y = x * c"}  # which is proved elsewhere
    assert fates["y = c / x"].by == "value"
    assert "shed.scaled: shed/tools.py:7: y[" in fates["y = c / x"].reason
    assert fates["x = 2.0"].status is Status.KILLED
    assert fates["total = x.sum(axis=-1)"].status is Status.KILLED


def test_what_a_scenario_itself_finds_wrong_is_no_crash(judge) -> None:
    (fate,) = [judge(each) for each in judge.mutants if each.new == "d = -half(x)"]
    assert (fate.status, fate.by) == (Status.KILLED, "scenario")
    assert fate.reason.endswith("RuntimeError: that is not half of 2")


def test_a_left_side_that_can_be_bound_no_more_is_noticed(judge) -> None:
    mutant = next(each for each in judge.mutants if each.new == "x = 2.0")
    lost = judge(replace(mutant, new="pass"))
    assert (lost.status, lost.by) == (Status.KILLED, "bind")
    assert "its values can't be captured" in lost.reason


def test_nothing_of_it_stays_in_the_process_that_forks(judge) -> None:
    before = {name: (judge.root / name).read_bytes() for name in FILES}
    modules, compiled = set(sys.modules), set(Path(judge.root).rglob("*.pyc"))
    code = sys.modules["shed.tools"].scaled.__code__
    mutant = next(each for each in judge.mutants if each.span.path == "shed/tools.py")
    assert judge(mutant).status is Status.KILLED
    assert sources.read(str(judge.root / "shed/tools.py")) == before["shed/tools.py"]
    assert set(sys.modules) == modules
    assert sys.modules["shed.tools"].scaled.__code__ is code
    assert {name: (judge.root / name).read_bytes() for name in FILES} == before
    assert set(Path(judge.root).rglob("*.pyc")) == compiled


def seen(judge, line: int, new: str, show: Callable[[], object]) -> object:
    """What `show` gives in a child with a mutant of a line of early.py in it."""
    mutant = next(each for each in judge.mutants if (each.span.path, each.span.line) == ("shed/early.py", line))
    return in_child(lambda: (judge.mutations.judge_of(replace(mutant, new=new))._put(), show())[1], 10)


def early() -> ModuleType:
    return importlib.import_module("shed.early")


def test_functions_that_are_there_get_the_code(judge) -> None:
    box, before = early().Box(3.0), early()
    assert seen(judge, 16, "a = self.side - x", lambda: (box.area(2.0), early() is before)) == (1.0, True)
    assert box.area(2.0) == 6.0


def test_every_function_of_one_code_gets_it(judge) -> None:
    assert seen(judge, 22, "s = x - step", lambda: (early().ADD(1.0), early().OTHER(1.0))) == (-2.0, -3.0)


def test_a_function_with_other_variables_around_it_is_imported_anew(judge) -> None:
    before = early()
    assert seen(judge, 22, "s = x + 1.0", lambda: (early().ADD(1.0), early() is before)) == (2.0, False)


def test_what_an_import_left_behind_is_made_anew(judge) -> None:
    before = early()
    tools = sys.modules["shed.tools"]
    assert seen(judge, 7, "h = x * 2.0", lambda: (early().HALF, early() is before)) == (2.0, False)
    assert seen(judge, 3, "UNIT = 2.0 - 0.5", lambda: early().UNIT) == 1.5
    assert seen(judge, 7, "h = x * 2.0", lambda: importlib.import_module("shed.tools") is tools) is False
    assert (before.HALF, before.UNIT) == (0.5, 2.5)


def test_the_first_looks_are_quick_and_the_last_one_is_whole(judge, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    told = tmp_path / "efforts"
    plain = mutation.Session.start_again

    def start_again(self, effort, work=None) -> None:
        with told.open("a") as file:
            file.write(f"{effort.rounds} {effort.draws} {effort.points} {effort.exact}\n")
        plain(self, effort, work)

    monkeypatch.setattr(mutation.Session, "start_again", start_again)
    mutant = next(each for each in judge.mutants if each.span.line == 17)
    judge(replace(mutant, new=mutant.old))
    assert told.read_text().split("\n") == ["0 4 6 False", "1 0 6 False", "0 16 6 False", "None None None True", ""]


def test_a_worker_that_cannot_say_what_happened_is_a_crash(judge, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: object) -> None:
        raise RuntimeError("kaputt")

    monkeypatch.setattr(mutation.Judge, "judge", failing)
    judged = judge(judge.mutants[0])
    assert (judged.status, judged.reason) == (Status.CRASH, "RuntimeError: kaputt")
