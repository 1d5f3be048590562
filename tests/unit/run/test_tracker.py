"""What a unit's result rests on."""

import sys
import types
from dataclasses import replace

import pytest

from eqtrace.formula.prove import SECONDS, Proof
from eqtrace.model.equation import Equation
from eqtrace.model.span import Span
from eqtrace.model.verdict import Verdict
from eqtrace.run.needs import CALLS, EVERY, KeptProof, Needs
from eqtrace.run.probe import Probe
from eqtrace.run.proofs import kept
from eqtrace.run.record import Recorder
from eqtrace.run.tracker import Noted, Tracker, Untracked
from eqtrace.run.work import Work

EQUATION = Equation("a.b", "a", Span("s.yaml", 1))


@pytest.fixture
def tracker(tmp_path):
    made = Tracker(str(tmp_path), lambda file: False)
    forms = {"a.b": types.SimpleNamespace(functions={}), "a.c": types.SimpleNamespace(functions={"F": 1})}
    empty = dict.fromkeys(Work.__dataclass_fields__)
    given = {"equations": {"a.b": EQUATION}, "forms": forms, "sites": {}, "root": str(tmp_path), "draws": ()}
    made.noted = made.work(Work(**(empty | given)))
    made.begin()
    return made


def enter(tracker, *names):
    """Functions run."""
    for name in names:
        tracker.marks.enter(tracker.marks.number(("/p/m.py", name)))


def functions(needs: Needs):
    return {name for _, name in needs.functions}


def test_look_ups_are_noted_even_where_nothing_is_found():
    seen = []
    mapping = Noted({"a": 1}, seen.append)
    assert mapping["a"] == 1
    assert mapping.get("b") is None
    assert "c" not in mapping
    assert seen == ["a", "b", "c"]
    assert list(mapping) == ["a"]
    assert len(mapping) == 1
    assert set(seen[3:]) == {EVERY}


def test_functions_of_one_unit_are_not_another_s(tracker):
    enter(tracker, "f")
    assert functions(tracker.end(EQUATION)) == {"f"}
    tracker.begin()
    enter(tracker, "g")
    assert functions(tracker.end(EQUATION)) == {"g"}


def test_what_lasts_belongs_to_every_later_unit(tracker):
    tracker.lasting(lambda: enter(tracker, "imported"))
    enter(tracker, "f")
    assert functions(tracker.end(EQUATION)) == {"imported", "f"}
    tracker.begin()
    assert functions(tracker.end(EQUATION)) == {"imported"}


def test_what_scenarios_need_is_apart(tracker):
    enter(tracker, "before")
    with tracker.apart():
        enter(tracker, "scenario")
    enter(tracker, "after")
    assert functions(tracker.end(EQUATION)) == {"before", "after"}
    assert functions(tracker.scenarios) == {"scenario"}
    assert EVERY in tracker.scenarios.sites


def test_what_is_shared_belongs_to_each_that_uses_it(tracker):
    memo: dict[str, int] = {}
    for _ in range(2):
        tracker.begin()
        assert tracker.shared(memo, "k", lambda: enter(tracker, "made") or 3) == 3
        assert functions(tracker.end(EQUATION)) == {"made"}
    tracker.begin()
    assert functions(tracker.end(EQUATION)) == set()


def test_a_unit_that_leaves_something_behind_concerns_later_ones(tracker, tmp_path, monkeypatch):
    module = types.ModuleType("leaving")
    module.__file__ = str(tmp_path / "leaving.py")
    module.table = {}
    monkeypatch.setitem(sys.modules, "leaving", module)
    tracker.lasting(lambda: None)
    enter(tracker, "fills")
    module.table["a"] = 1
    tracker.end(EQUATION)
    tracker.begin()
    enter(tracker, "reads")
    needs = tracker.end(EQUATION)
    assert functions(needs) == {"fills", "reads"}
    assert {(name, marked) for name, _, marked in needs.modules} == {("leaving", False)}


@pytest.mark.parametrize("how", ["before scenarios", "before an import", "shared", "untold"])
def test_whoever_left_something_behind_concerns_later_ones(tracker, tmp_path, monkeypatch, how):
    module = types.ModuleType("leaving_too")
    module.__file__ = str(tmp_path / "leaving_too.py")
    module.table = {}
    monkeypatch.setitem(sys.modules, "leaving_too", module)
    tracker.lasting(lambda: None)

    def fill():
        enter(tracker, "fills")
        module.table["a"] = 1

    if how == "shared":
        tracker.shared({}, "k", fill)
    elif how == "untold":
        with tracker.untold():
            fill()
    else:
        fill()
        if how == "before an import":
            tracker.lasting(lambda: enter(tracker, "imported"))
        else:
            with tracker.apart():
                enter(tracker, "scenario")
    tracker.end(EQUATION)
    tracker.begin()
    enter(tracker, "reads")
    assert functions(tracker.end(EQUATION)) - {"imported"} == {"fills", "reads"}


def test_a_file_that_an_import_reads_concerns_later_units(tracker, tmp_path):
    (tmp_path / "data.txt").write_text("1")
    tracker.lasting(lambda: tracker.watch((tmp_path / "data.txt").read_text))
    tracker.end(EQUATION)
    tracker.begin()
    assert tracker.end(EQUATION).files == {str(tmp_path / "data.txt")}


def test_what_was_shared_in_vain_belongs_to_who_asked(tracker):
    def fail():
        enter(tracker, "fails")
        raise ValueError

    with pytest.raises(ValueError):
        tracker.shared({}, "k", fail)
    assert functions(tracker.end(EQUATION)) == {"fails"}


def test_what_scenarios_gave_is_hashed_where_it_is_looked_up(tracker):
    tracker.evidence(lambda anchors: (tuple(anchors), 1))
    runs = tracker.runs({"x": [1], "y": [2]})
    assert runs.get("x") == [1]
    assert set(tracker.end(EQUATION).runs) == {"x"}
    tracker.begin()
    assert runs["x"] is not None
    assert runs["y"] is not None
    assert set(tracker.end(EQUATION).runs) == {"x", "y", "x\ny"}


def test_values_that_cannot_be_hashed_are_unknowable(tracker):
    tracker.evidence(lambda anchors: (each for each in anchors))
    assert tracker.runs({"x": [1]})["x"] == [1]
    assert tracker.end(EQUATION).unknowable


def test_functions_are_hashed_by_what_they_do(tracker):
    def scaled(by):
        return lambda x: by * x

    def digest(value):
        tracker.evidence(lambda anchors: value)
        tracker._digests.clear()
        return tracker.run_digest("x")

    assert digest(scaled(2)) == digest(scaled(2)) != ""
    assert digest(scaled(2)) != digest(scaled(3))
    assert digest(lambda x: x + 1) != digest(lambda x: x * 1)
    assert digest(lambda x: x + 1) != digest(lambda x: x + 2)
    assert digest(lambda x: [x + y for y in (1, 2)]) != digest(lambda x: [x + y for y in (1, 3)])


def test_probes_in_a_function_do_not_count(tracker):
    """Each process has its own."""

    def with_probe() -> types.FunctionType:
        code = (lambda: "probe").__code__
        return types.FunctionType(code.replace(co_consts=(None, Probe(Recorder(), "m"))), {}, "f")

    kept = [with_probe(), with_probe()]
    tracker.evidence(lambda names: kept[int(names[0])])
    assert tracker.run_digest("0") == tracker.run_digest("1") != ""


def test_the_order_of_calls_is_a_need_where_it_is_asked_for(tracker):
    order = ["f", "g"]
    tracker.evidence(lambda anchors: [*order] if list(anchors) == [CALLS] else None)
    assert CALLS not in tracker.end(EQUATION).runs
    tracker.begin()
    tracker.calls()
    first = tracker.end(EQUATION).runs[CALLS]
    order.reverse()
    tracker._digests.clear()
    tracker.begin()
    tracker.calls()
    assert tracker.end(EQUATION).runs[CALLS] != first


def test_a_form_with_function_symbols_rests_on_every_equation(tracker):
    assert tracker.noted.forms["a.b"] is not None
    assert tracker.end(EQUATION).equations == {"a.b"}
    tracker.begin()
    assert tracker.noted.forms["a.c"] is not None
    assert tracker.end(EQUATION).equations == {"a.b", "a.c", EVERY}


PROOF = Proof(Verdict.PROVED, "over all sizes", 7, ("n > 0",), 3, 0.2, limits=("far",))


def test_a_proof_is_kept_with_what_it_was_made_of(tracker):
    made = tracker.proof(lambda: PROOF if tracker.noted.forms["a.c"] else None)
    assert made == PROOF
    assert tracker.end(EQUATION).equations == {"a.b", "a.c", EVERY}
    kept = tracker.new_proof
    assert kept.equations == {"a.c", EVERY}
    tracker.begin(kept)
    assert tracker.proof(lambda: 1 / 0) == replace(PROOF, seconds=0.0)
    assert tracker.end(EQUATION).equations == {"a.b", "a.c", EVERY}
    assert tracker.new_proof is None


@pytest.mark.parametrize(
    "data", [{}, {"verdict": "proved"}, {"verdict": "no such"}, {**kept(PROOF, frozenset()).data, "size": "7"}]
)
def test_a_kept_proof_that_is_damaged_is_made_again(tracker, data):
    tracker.begin(KeptProof(data, frozenset()))
    assert tracker.proof(lambda: PROOF) == PROOF
    assert tracker.new_proof is not None


def test_a_proof_that_rests_on_more_than_the_specification_is_not_kept(tracker):
    def make():
        enter(tracker, "f")
        return PROOF

    def late():
        return replace(PROOF, seconds=SECONDS)  # a slower machine may not get through

    for each in (make, late):
        tracker.begin()
        assert replace(tracker.proof(each), seconds=PROOF.seconds) == PROOF
        assert tracker.new_proof is None
    assert tracker.end(EQUATION).unknowable


def test_untracked_does_the_work_and_notes_nothing():
    nothing = Untracked()
    memo: dict[str, int] = {}
    assert nothing.watch(lambda: 1) == nothing.lasting(lambda: 1) == 1
    assert nothing.shared(memo, "k", lambda: 2) == nothing.shared(memo, "k", lambda: 3) == 2
    assert nothing.marked is None
    assert nothing.proof(lambda: PROOF) is PROOF
