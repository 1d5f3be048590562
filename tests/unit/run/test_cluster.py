"""What a cluster is asked, what a task does, and what is said where there is none."""

import builtins
import pickle
import time
from dataclasses import replace

import pytest

from eqtrace.errors import EqtraceError
from eqtrace.run import cluster
from eqtrace.run.jobs import address, executor, is_dask
from eqtrace.run.outcome import Crashed, Done, Lost
from eqtrace.run.pool import Pool

distributed = pytest.importorskip("distributed")

SESSION = """
import os

class Session:
    def __init__(self, payload, activity, poisoned):
        self.payload, self.runs, self.activity, self.poisoned = payload, 0, activity, poisoned

    def run(self, unit):
        self.runs += 1
        if unit == "fail":
            raise ValueError("no")
        if unit == "leave":
            if "leaving" in self.poisoned:
                return "left"
            self.activity("leaving")
            os._exit(3)
        return self.payload, unit, self.runs, os.getpid()
"""


@pytest.fixture
def root(tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "worked.py").write_text(SESSION)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "own"))
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def here():
    """A cluster whose workers are threads of this process."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, protocol="tcp"
    ) as made:
        yield made
    cluster._HELD.drop(lambda *_: True)


@pytest.fixture
def connect(root, here):
    made = []

    def connected(to=None):
        found = executor((to or here.scheduler_address).replace("tcp://", "dask://"), "worked:Session", 20, root, ["."])
        made.append(found)
        return found

    yield connected
    for each in made:
        each.close()


def test_names_of_clusters():
    assert is_dask("dask")
    assert is_dask("dask://host.example:8786")
    assert not any(
        map(is_dask, ("dask:", "dask://h", "dask://h:0", "dask://h:70000", "tcp://h:1", "dask://a b:1", "2"))
    )
    assert address("dask://h:1") == "tcp://h:1"
    assert address("dask") == ""
    assert isinstance(executor(2, "x:y", 1, ".", []), Pool)


def test_each_unit_has_one_result_and_groups_one_session(connect, root):
    (root / "a.py").write_text("")
    with connect() as made:
        made.open("given", [str(root / "a.py")])
        units = [f"{group} {number}" for number in range(3) for group in "abcd"]
        outcomes = list(made.answer(units, lambda unit: unit[0]))
        assert sorted(each.unit for each in outcomes) == sorted(units)
        assert all(isinstance(each, Done) and each.value[:2] == ("given", each.unit) for each in outcomes)
        for group in "abcd":
            assert len({each.value[3] for each in outcomes if each.unit[0] == group}) == 1
        assert len(list(made.answer(["again"]))) == 1


def test_what_user_code_does_is_what_it_does_here(connect):
    with connect() as made:
        made.open(None, [])
        found = {each.unit: each for each in made.answer(["fail", "leave", "fine"])}
    assert isinstance(found["fail"], Crashed)
    assert "ValueError: no" in found["fail"].traceback
    assert found["leave"] == Done("leave", "left")
    assert isinstance(found["fine"], Done)


def test_processes_end_with_their_run(connect):
    made = connect()
    made.open(None, [])
    list(made.answer(["one"]))
    assert [name for name, _, _ in cluster._HELD.idle] == [made._run.id]
    made.close()
    assert cluster._HELD.idle == []


def test_processes_whose_run_is_forgotten_end_with_time(connect, monkeypatch):
    monkeypatch.setattr(cluster, "_IDLE", 0.0)
    made = connect()
    made.open(None, [])
    list(made.answer(["one"]))
    time.sleep(0.01)
    list(made.answer(["two"]))
    assert len(cluster._HELD.idle) <= 1


@pytest.mark.parametrize("name", ["Python", "eqtrace", "numpy", "python-flint", "hypothesis"])
def test_another_version_is_named(connect, monkeypatch, name):
    made = connect()
    made._run = replace(made._run, tools={**made._run.tools, name: "0.1"})
    with pytest.raises(EqtraceError, match=rf"worker .* has {name} .*, and 0\.1 is wanted"):
        made.start()


def test_other_files_are_named(connect, root, monkeypatch):
    files = [root / f"f{number}.py" for number in range(8)]
    for file in files:
        file.write_text("")
    monkeypatch.setattr(cluster, "_hashes", lambda paths: dict.fromkeys(sorted(paths), "other"))
    made = connect()
    with pytest.raises(EqtraceError, match=r"f0\.py, f1\.py, f2\.py, f3\.py, f4\.py and 3 more"):
        made.open(None, map(str, files))


def test_a_missing_project_is_named(connect):
    made = connect()
    made._run = replace(made._run, root="/nowhere/at/all")
    with pytest.raises(EqtraceError, match="has no /nowhere/at/all: the project must be there at the same path"):
        made.start()


def test_a_worker_that_comes_later_is_asked_too(connect, monkeypatch):
    made = connect()
    made.open(None, [])
    monkeypatch.setattr(cluster, "mismatch", lambda run: "has no eyes")
    with pytest.raises(EqtraceError, match="a worker that came later has no eyes"):
        list(made.answer(["one"]))


def test_files_and_tools_that_fit(root):
    (root / "a.py").write_text("x = 1\n")
    run = cluster.Run("id", "t", 1, str(root), (), cluster.tools(), cluster._hashes([str(root / "a.py")]))
    assert cluster.mismatch(run) == ""
    (root / "a.py").write_text("x = 2\n")
    assert "other files" in cluster.mismatch(run)
    (root / "a.py").unlink()
    assert "a.py" in cluster.mismatch(run)


def test_without_the_extra(root, monkeypatch):
    real = builtins.__import__

    def refuse(name, *arguments, **named):
        if name.partition(".")[0] == "distributed":
            raise ModuleNotFoundError("No module named 'distributed'")
        return real(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(EqtraceError, match="No module named 'distributed'") as raised:
        executor("dask", "x:y", 1, root, []).start()
    assert "eqtrace[dask]" in raised.value.hint


def test_a_cluster_without_workers(root, monkeypatch):
    monkeypatch.setattr(cluster, "_WITHOUT_WORKERS", 0.3)
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None, protocol="tcp") as empty:
        made = executor(empty.scheduler_address.replace("tcp://", "dask://"), "worked:Session", 20, root, ["."])
        with made, pytest.raises(EqtraceError, match="it has no workers"):
            made.start()


def test_workers_that_are_gone(connect, here, monkeypatch):
    monkeypatch.setattr(cluster, "_WITHOUT_WORKERS", 0.5)
    monkeypatch.setattr(cluster, "_TICK", 0.1)
    made = connect()
    made.open(None, [])
    here.scale(0)
    while here.scheduler.workers:
        time.sleep(0.01)
    with pytest.raises(EqtraceError, match="its workers are gone"):
        list(made.answer(["one"]))


def test_a_scheduler_that_is_gone(connect, here, monkeypatch):
    monkeypatch.setattr(cluster, "_TICK", 0.1)
    made = connect()
    made.open(None, [])
    waiting = made.answer(["one", "two", "three"])
    next(waiting)
    here.close()
    with pytest.raises(EqtraceError, match=r"its scheduler is gone|it cancelled the work"):
        list(made.answer(["four"]))


def test_a_unit_that_costs_every_worker_is_given_up(connect, monkeypatch):
    from distributed.scheduler import KilledWorker

    class Last:
        address = "tcp://there:1"

    class Gone:
        def result(self):
            raise KilledWorker("answered", Last(), 3)

    made = connect()
    made.open(None, [])
    (found,) = made._outcomes(Gone(), ["one"])
    assert isinstance(found, Lost)
    assert "lost every worker that ran it, the last at tcp://there:1" in found.reason


def test_payloads_are_bytes_to_dask(connect):
    made = connect()
    made.open({"a": 1}, [])
    assert pickle.loads(made._payload.result()) == {"a": 1}
