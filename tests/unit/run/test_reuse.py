"""Which results are kept, and which of them still hold."""

import time

import pytest

from eqtrace.cache import Cache
from eqtrace.code.index import Index
from eqtrace.config import Config
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault
from eqtrace.model.span import Span, Text
from eqtrace.model.verdict import MethodResult, Verdict
from eqtrace.run.needs import Answer, KeptProof, Needs
from eqtrace.run.present import Present
from eqtrace.run.reuse import Reuse
from eqtrace.run.work import Unit

UNIT = Unit("a.b", "value")
SOURCE = "import data\nK = 1\n\ndef f(x):\n    return x\n\ndef g(x):\n    return x\n"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "lab.py").write_text(SOURCE)
    (tmp_path / "d.txt").write_text("1")
    (tmp_path / "s.yaml").write_text("a")
    return tmp_path


def reuse(root, equation=None, started=None, base="base"):
    equation = equation or Equation("a.b", "a", Span("s.yaml", 1), statements=(Text("Eq(y, x)", Span("s.yaml", 2)),))
    config = Config(root, sources=("lab.py",))
    present = Present(Index(config), config, {"a.b": equation}, lambda: ({}, {}), frozenset())
    time.sleep(0.01)  # file times are coarse
    return Reuse(Cache(root), base, present, time.time_ns() if started is None else started)


def needs(root, **more):
    given = {"functions": {(f"{root}/lab.py", "f")}, "modules": {("lab", f"{root}/lab.py", True)}, "equations": {"a.b"}}
    return Needs(**(given | more))


def keep(root, faults=(), scenarios=None, **more):
    kept = reuse(root)
    kept.find([UNIT])
    result = MethodResult("a.b", "value", Verdict.CERTIFIED, faults=tuple(faults))
    assert kept.take(UNIT, Answer(result, -1, needs(root, **more), scenarios)) == (result, False)
    return kept.close()


def found(root, *arguments, **options):
    return bool(reuse(root, *arguments, **options).find([UNIT]))


def edit(root, path, old, new):
    text = (root / path).read_text()
    assert old in text
    (root / path).write_text(text.replace(old, new, 1))


def test_a_result_holds_while_nothing_changes(project):
    assert not found(project)
    assert keep(project) == ""
    assert found(project)
    assert not found(project, base="another seed")


@pytest.mark.parametrize(
    ("old", "new", "holds"),
    [
        ("def f(x):\n    return x", "def f(x):\n    return 2 * x", False),
        ("def g(x):\n    return x", "def g(x):\n    return 2 * x", True),
        ("K = 1", "K = 2", False),
        ("K = 1", "K = 1  # one", True),
        ("def g(x)", "def g(x=K)", False),
        ("\ndef f", "\n\ndef f", False),
        ("    return x\n\ndef g", "    return x\n\n\ndef g", True),
    ],
)
def test_code_that_it_rests_on_ends_it(project, old, new, holds):
    keep(project)
    edit(project, "lab.py", old, new)
    assert found(project) == holds


def test_files_and_folders_that_were_read_end_it(project):
    keep(project, files={f"{project}/d.txt", f"{project}/none.txt"})
    assert found(project)
    (project / "none.txt").write_text("")
    assert not found(project)
    (project / "none.txt").unlink()
    edit(project, "d.txt", "1", "2")
    assert not found(project)


def test_a_module_of_the_same_name_elsewhere_ends_it(project):
    keep(project)
    (project / "lab").mkdir()
    (project / "lab" / "__init__.py").write_text(SOURCE)
    assert not found(project)


def test_an_equation_s_content_counts_and_its_place_only_with_findings(project):
    moved = Equation("a.b", "a", Span("s.yaml", 7), statements=(Text("Eq(y, x)", Span("s.yaml", 8)),))
    other = Equation("a.b", "a", Span("s.yaml", 1), statements=(Text("Eq(y, 2*x)", Span("s.yaml", 2)),))
    keep(project)
    edit(project, "s.yaml", "a", "b")
    assert found(project, moved)
    assert not found(project, other)
    keep(project, faults=[Fault("value-mismatch", "m", Span("s.yaml", 1))])
    edit(project, "s.yaml", "b", "c")
    newest = reuse(project, moved).find([UNIT])
    assert not newest or not newest[UNIT].faults


@pytest.mark.parametrize("kind", ["user-code-failed", "internal-error"])
def test_failures_are_not_kept(project, kind):
    keep(project, faults=[Fault(kind, "m", Span("s.yaml", 1))])
    assert not found(project)


def test_what_is_unknowable_is_not_kept(project):
    keep(project, unknowable="it used the network")
    assert not found(project)


def test_special_files_are_not_kept(project):
    keep(project, files={"/dev/zero"})
    assert not found(project)


def test_a_file_that_changed_during_the_run_is_not_kept(project):
    kept = reuse(project, started=time.time_ns())
    kept.find([UNIT])
    time.sleep(0.01)
    (project / "lab.py").write_text(SOURCE)
    result = MethodResult("a.b", "value", Verdict.CERTIFIED)
    kept.take(UNIT, Answer(result, -1, needs(project), None))
    kept.close()
    assert not found(project)


def test_without_a_run_of_the_scenarios_it_is_wanted_to_know_what_they_give(project):
    keep(project, runs={"anchor": "1"})
    later = reuse(project)
    assert later.find([UNIT]) == {}
    assert later.wanted == {UNIT: ({"anchor": "1"},)}
    answer = Answer(None, 0, Needs(runs={"anchor": "1"}), needs(project))
    result, kept = later.take(UNIT, answer)
    assert kept
    assert result.verdict is Verdict.CERTIFIED
    later.close()
    assert found(project)  # now it is known


def test_scenarios_that_give_something_else_end_it(project):
    keep(project, runs={"anchor": "1"}, scenarios=needs(project))
    assert found(project)
    other = reuse(project)
    other.find([UNIT])
    other.take(UNIT, Answer(MethodResult("a.b", "value", Verdict.SAMPLED), -1, needs(project), None))
    edit(project, "lab.py", "return x", "return 3 * x")
    keep(project, runs={"anchor": "2"}, scenarios=needs(project))
    edit(project, "lab.py", "return 3 * x", "return x")
    assert found(project)


def test_workers_that_saw_different_things_keep_nothing(project):
    kept = reuse(project)
    kept.find([UNIT])
    result = MethodResult("a.b", "value", Verdict.CERTIFIED)
    kept.take(UNIT, Answer(result, -1, needs(project, runs={"anchor": "1"}), needs(project)))
    kept.take(UNIT, Answer(result, -1, needs(project, runs={"anchor": "2"}), needs(project)))
    kept.close()
    assert not found(project)


def test_a_proof_outlives_an_edit_of_the_code_and_not_one_of_what_it_was_made_of(project):
    kept = reuse(project)
    kept.find([UNIT])
    proof = KeptProof({"verdict": "proved"}, frozenset({"a.b"}))
    result = MethodResult("a.b", "value", Verdict.CERTIFIED)
    kept.take(UNIT, Answer(result, -1, needs(project), None, proof=proof))
    kept.close()
    again = reuse(project)
    assert UNIT in again.find([UNIT])
    assert again.proofs == {}
    edit(project, "lab.py", "def f(x):\n    return x", "def f(x):\n    return 2 * x")
    again = reuse(project)
    assert again.find([UNIT]) == {}
    assert again.proofs == {UNIT: proof}
    edit(project, "s.yaml", "a", "b")
    other = Equation("a.b", "a", Span("s.yaml", 1), statements=(Text("Eq(y, 2*x)", Span("s.yaml", 2)),))
    again = reuse(project, other)
    assert again.find([UNIT]) == {}
    assert again.proofs == {}


def test_what_took_long_goes_first_and_what_never_ran_before_all(project):
    names = ["quick", "slow", "middle"]
    kept = reuse(project)
    for name, seconds in zip(names, (0.02, 3.0, 0.3), strict=True):
        unit = Unit("a.b", name)
        kept.find([unit])
        kept.take(unit, Answer(MethodResult("a.b", name, Verdict.CERTIFIED, seconds=seconds), -1, needs(project), None))
    kept.close()
    edit(project, "lab.py", "def f(x):\n    return x", "def f(x):\n    return 2 * x")
    again = reuse(project)
    units = [Unit("a.b", name) for name in (*names, "new")]
    assert again.find(units) == {}
    assert [unit.method for unit in again.slowest_first(units)] == ["new", "slow", "middle", "quick"]
