"""`-j dask`: the units of a run on a cluster, whose report is that of a run here, also when workers are lost."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    """Two workers on this machine."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
        yield made


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster, set_as_default=False) as made:
        yield made


@pytest.fixture
def address(cluster):
    return cluster.scheduler_address.replace("tcp://", "dask://")


def without_times(text):
    report = json.loads(text)
    report["summary"]["seconds"] = 0
    for mutant in report.get("mutants") or ():
        mutant.pop("seconds", None)
    return json.dumps(report)


@pytest.fixture(scope="module")
def here(copy_to, tmp_path_factory):
    """The project, and the report of a run without a cluster."""
    project = copy_to(tmp_path_factory.mktemp("cluster") / "halflife")
    return project, project.verify("-j", "2", "--no-cache")


def test_a_cluster_finds_the_same(here, address):
    project, local = here
    found = project.verify("-j", address, "--no-cache", timeout=120)
    assert (found.exit, found.stderr) == (local.exit, local.stderr)
    assert without_times(found.stdout) == without_times(local.stdout)
    assert len(found.verdicts) > 30


def test_a_cluster_that_is_started_for_the_run_finds_the_same(here):
    project, local = here
    found = project.verify("-j", "dask", timeout=120)
    assert without_times(found.stdout) == without_times(local.stdout)
    assert project.processes() == []


def test_findings_are_the_same(copy_to, tmp_path, address):
    project = copy_to(tmp_path / "halflife")
    project.edit("src/halflife/detector.py", "return self.efficiency * emitted", "return self.efficiency + emitted")
    project.edit("src/halflife/decay.py", "return 0.5 ** (t / half_life)", "while True: pass")
    project.edit("src/halflife/decay.py", "return halvings * half_life", "import os; os._exit(7)")
    runs = [project.verify("-j", jobs, "--no-cache", "--timeout", "2", timeout=120) for jobs in ("1", address)]
    assert runs[0].exit == runs[1].exit == 1
    assert {"EQ501", "EQ903"} <= set(runs[0].codes)
    assert without_times(runs[1].stdout) == without_times(runs[0].stdout)


def test_mutants_are_the_same(here, address):
    project, _ = here
    runs = [
        project.run(
            "mutate", "counting.rate", "counting.net", "-j", jobs, "--no-cache", "--format", "json", timeout=180
        )
        for jobs in ("2", address)
    ]
    assert without_times(runs[1].stdout) == without_times(runs[0].stdout)
    assert len(runs[0].report["mutants"]) > 5


def test_a_lost_worker_costs_no_result_and_doubles_none(here, address, client):
    project, local = here
    command = [sys.executable, "-m", "eqtrace", "verify", "-j", address, "--no-cache", "--format", "json"]
    path = os.pathsep.join(map(os.path.abspath, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
    environment = {**os.environ, "PYTHONPATH": path}
    pids = client.run(os.getpid)
    with subprocess.Popen(
        command, cwd=project.root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        killed = kill_busy(client, pids)
        output, errors = run.communicate(timeout=120)
    assert killed
    assert killed not in client.run(os.getpid).values()
    assert run.returncode == local.exit, errors.decode()
    assert without_times(output.decode()) == without_times(local.stdout)


def kill_busy(client, pids):
    """Kills the worker that works on a unit, once one has finished some; its process id."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        held = client.has_what()
        for worker, keys in client.processing().items():
            done = [key for key in held.get(worker, ()) if "answered" in str(key)]
            if worker in pids and done and any("answered" in str(key) for key in keys):
                os.kill(pids[worker], signal.SIGKILL)
                return pids[worker]
        time.sleep(0.02)
    return 0


def test_no_scheduler(here):
    project, _ = here
    found = project.verify("-j", "dask://127.0.0.1:9", timeout=60)
    assert found.exit == 2
    assert "no dask scheduler answers at dask://127.0.0.1:9" in found.stderr
    assert "dask scheduler" in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("jobs", ["dask://", "dask://host", "dask://host:0", "dask://host:99999", "0", "-1", "two"])
def test_what_is_no_cluster(here, jobs):
    found = here[0].verify("-j", jobs)
    assert found.exit == 2
    assert "dask://HOST:PORT" in found.stderr


def test_a_worker_without_the_project(here, address, tmp_path_factory, copy_to, monkeypatch):
    """Here a file differs between what the command compares and what the worker has: it is edited in between."""
    project = copy_to(tmp_path_factory.mktemp("elsewhere") / "halflife")
    (project.root / "sitecustomize.py").write_text(
        "import pathlib\n"
        "real = pathlib.Path.read_bytes\n"
        "def read(self):\n"
        "    return real(self) + (b'#' if self.name == 'decay.py' else b'')\n"
        "pathlib.Path.read_bytes = read\n"
    )
    path = os.pathsep.join(map(os.path.abspath, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(project.root), path]))
    found = project.verify("-j", address, "--no-cache", timeout=60)
    assert found.exit == 2
    assert "has other files than there are here, or none" in found.stderr
    assert "src/halflife/decay.py" in found.stderr
    assert "Traceback" not in found.stderr
