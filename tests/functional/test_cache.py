"""The cache through the installed command: what is taken from it, what is not, and what can't hurt it."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from eqtrace import runner
from eqtrace.config import load
from eqtrace.run.pool import Pool

SHOP = Path(__file__).parent / "projects" / "shop"
UNITS = 14
PYPROJECT = '[tool.eqtrace]\nspec = ["e.yaml"]\nsources = ["m.py"]\ncoverage = "off"\n'


@pytest.fixture(scope="module")
def warm(tmp_path_factory) -> Path:
    """A project that was verified once; not to be changed."""
    root = tmp_path_factory.mktemp("warm") / "shop"
    shutil.copytree(SHOP, root, ignore=shutil.ignore_patterns("__pycache__", ".eqtrace"))
    assert verify(root)[0] == 0
    return root


@pytest.fixture
def project(tmp_path, warm) -> Path:
    """A copy of it, its cache included."""
    shutil.copytree(warm, tmp_path / "shop")
    return tmp_path / "shop"


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ)
    if "PYTHONPATH" in environment:
        environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, environment["PYTHONPATH"].split(os.pathsep)))
    command = [sys.executable, "-m", "eqtrace", *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def verify(root: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """How many results came from the cache, and the report without that and the time."""
    done = run(root, "verify", "--format", "json", *arguments)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    report["summary"].pop("seconds")
    return report["summary"].pop("from_cache"), report


def edit(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text()
    assert old in text
    (root / path).write_text(text.replace(old, new, 1))


def test_warm_is_cold_whatever_the_number_of_workers(project):
    cold = verify(project, "--no-cache", "-j1")
    assert cold[0] == 0
    assert cold == verify(project, "--no-cache", "-j2")
    assert verify(project) == (UNITS, cold[1])
    shutil.rmtree(project / ".eqtrace")
    assert verify(project, "-j2") == cold
    assert verify(project, "-j1") == (UNITS, cold[1])


def test_workers_start_ahead_unless_nothing_changed(project, monkeypatch):
    started = []
    monkeypatch.setattr(Pool, "start", lambda self: started.append(True))
    config = load(project)

    def verified() -> tuple[int, int]:
        started.clear()
        from_cache = runner.verify(config, None, jobs=2).from_cache
        return from_cache, len(started)

    assert verified() == (UNITS, 0)
    later = time.time() + 5
    os.utime(next(project.rglob("*.py")), (later, later))
    assert verified() == (UNITS, 1)
    shutil.rmtree(project / ".eqtrace")
    assert verified() == (0, 1)


def test_a_project_that_cannot_be_read_leaves_no_worker(project, monkeypatch):
    shutil.rmtree(project / ".eqtrace")
    closed = []
    monkeypatch.setattr(Pool, "close", lambda self: closed.append(True))
    monkeypatch.setattr(Pool, "start", lambda self: None)
    monkeypatch.setattr(runner, "read", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        runner.verify(load(project), None)
    assert closed


def test_no_cache_reads_and_writes_none(project):
    before = sorted((project / ".eqtrace").rglob("*"))
    assert verify(project, "--no-cache")[0] == 0
    assert sorted((project / ".eqtrace").rglob("*")) == before


def test_the_text_says_how_many(project):
    assert f"from cache  {UNITS} results" in run(project, "verify").stdout
    assert "from cache  nothing" in run(project, "verify", "--no-cache").stdout


def test_another_seed_is_another_result(project):
    assert verify(project, "--seed", "3", "prices.relu")[0] == 0
    assert verify(project, "--seed", "3", "prices.relu")[0] == 1


def test_an_edited_line_rechecks_what_depends_on_it(project):
    edit(project, "lab/slopes.py", "q = v * v * v", "q = v * v * v + 0.0")
    edit(project, "spec/thirds.yaml", "code: 'q = v * v * v'", "code: 'q = v * v * v + 0.0'")
    reused, report = verify(project)
    assert report["exit"] == 0
    # The cube itself, and a composition, which may rest on any equation.
    assert reused == UNITS - 2


def test_of_a_line_that_calls_it_counts_only_how_often_it_runs(project):
    """`gain` calls `doubled`: what else it does is nothing to the equation of `doubled`."""
    edit(project, "lab/chain.py", "scale = 3.0", "scale = 1.0 + 2.0")
    reused, report = verify(project)
    assert report["exit"] == 0
    assert reused == UNITS - 1
    edit(
        project, "lab/chain.py", "    scale = 1.0 + 2.0", "    if k > 1:\n        return 5.0 * k\n    scale = 1.0 + 2.0"
    )
    reused, report = verify(project)
    counted = [row for each in report["equations"] for row in each["anchors"] if row["role"] == "calls"]
    assert reused == UNITS - 2
    _, without = verify(project, "--no-cache")
    assert counted == [row for each in without["equations"] for row in each["anchors"] if row["role"] == "calls"]


def test_refuted_results_are_kept_with_their_findings(project):
    edit(project, "lab/ops.py", "out = A @ v", "out = A @ v + 1e-3")
    edit(project, "spec/sums.yaml", "code: 'out = A @ v'", "code: 'out = A @ v + 1e-3'")
    (_, first), (reused, second) = verify(project), verify(project)
    assert first == second
    assert first["findings"]
    assert reused == UNITS


def test_failures_and_timeouts_are_tried_again(project):
    edit(project, "lab/ops.py", "out = A @ v", "out = missing @ v")
    edit(project, "spec/sums.yaml", "code: 'out = A @ v'", "code: 'out = missing @ v'")
    _, first = verify(project)
    reused, report = verify(project)
    assert first == report == verify(project, "--no-cache")[1]
    assert {each["code"] for each in report["findings"]} >= {"EQ903"}
    assert 0 < reused < UNITS  # the others rest on nothing that the failed scenario gave


def test_a_scenario_that_fails_takes_only_what_it_gave(project):
    """Every other result still holds, and the failure is told although no unit that holds has seen it."""
    last = "    chain.gain(None, None, k)\n"
    edit(project, "scenarios.py", last, f"{last}    raise OSError('no')\n")
    reused, report = verify(project)
    assert reused == UNITS - 2  # which look at the line that it reached once, and not in every round
    assert [each["equation"] for each in report["findings"] if each["code"] == "EQ903"] == [None]
    assert report == verify(project, "--no-cache")[1]


def test_damage_is_repaired(project):
    for number, file in enumerate(sorted((project / ".eqtrace" / "cache").glob("*.json"))):
        file.write_bytes((b"", b"{}", file.read_bytes()[:-9], b"\x80\x04.")[number % 4])
    reused, report = verify(project)
    assert (reused, report["exit"]) == (0, 0)
    assert verify(project) == (UNITS, report)


def test_a_folder_that_cannot_be_written_is_noted(project):
    shutil.rmtree(project / ".eqtrace")
    (project / ".eqtrace").write_text("")
    done = run(project, "verify")
    assert done.returncode == 0
    assert "note        results could not be kept in .eqtrace/cache" in done.stdout


def test_runs_at_once_share_it(project):
    shutil.rmtree(project / ".eqtrace")
    environment = dict(os.environ)
    if "PYTHONPATH" in environment:
        environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, environment["PYTHONPATH"].split(os.pathsep)))
    command = [sys.executable, "-m", "eqtrace", "verify", "-j1", "--format", "concise"]
    both = [subprocess.Popen(command, cwd=project, env=environment, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [each.wait() for each in both] == [0, 0]
    assert verify(project)[0] == UNITS


def test_the_code_is_not_the_cache_s_to_change(project):
    files = [path for path in project.rglob("*") if path.is_file() and ".eqtrace" not in path.parts]
    before = {path: path.read_bytes() for path in files}
    verify(project)
    assert {path: path.read_bytes() for path in before} == before
    assert (project / ".eqtrace" / "cache" / ".gitignore").read_text() == "*\n"


def test_code_that_runs_other_programs_is_run_again(project):
    edit(
        project,
        "lab/ops.py",
        "    y = np.maximum(x, FLOOR)\n",
        "    import subprocess\n    subprocess.run(['true'])\n    y = np.maximum(x, FLOOR)\n",
    )
    run(project, "fix")
    verify(project, "prices.relu")
    assert verify(project, "prices.relu")[0] == 0


SCALES = """
m:
  f: {sympy: '2*x'}
  g: {sympy: '2*x'}
"""
TWO = "def f(x):\n    return scale() * x\n\n\ndef g(x):\n    return scale() * x\n"
MEMO = "def two():\n    return 2\n\n\n" + TWO


@pytest.mark.parametrize(
    ("code", "beside", "path", "after"),
    [
        (
            "import pkgutil\n\nS = float(pkgutil.get_data('pk', 'a.txt'))\n",
            {"pk/__init__.py": "", "pk/a.txt": "2"},
            "pk/a.txt",
            "3",
        ),
        ("import os\n\nS = 3 if os.path.exists('over') else 2\n", {}, "over", ""),
        ("import os\n\nS = int(os.environ.get('EQTRACE_TEST_SCALE', 2))\n", {}, "", ""),
        ("import colorsys\n\nS = getattr(colorsys, 'S', 2)\n", {}, "colorsys.py", "S = 3\n"),
        ("import jinja2\n\nS = getattr(jinja2, 'S', 2)\n", {}, "jinja2/__init__.py", "S = 3\n"),
        ("try:\n    from local import S\nexcept ImportError:\n    S = 2\n", {}, "local.py", "S = 3\n"),
        ("import pk.c\n\nS = getattr(pk, 'S', 2)\n", {"pk/c.py": ""}, "pk/__init__.py", "S = 3\n"),
        ("S = float(open('a.txt').read())\n", {"a.txt": "2"}, "a.txt", "3"),
        (
            "from importlib import util\n\nspec = util.spec_from_file_location('c', 'code.py')\n"
            "module = util.module_from_spec(spec)\nspec.loader.exec_module(module)\nS = module.S\n",
            {"code.py": "S = 2\n"},
            "code.py",
            "S = 3.0\n",  # of another size, by which Python itself knows that its bytecode is old within a second
        ),
    ],
    ids=["data", "existence", "variable", "standard", "installed", "optional", "namespace", "file", "unnamed"],
)
def test_what_an_import_rests_on_concerns_every_result(tmp_path, monkeypatch, code, beside, path, after):
    files = {"pyproject.toml": PYPROJECT, "e.yaml": SCALES, "m.py": code + "\n\ndef scale():\n    return S\n\n\n" + TWO}
    for name, text in {**files, **beside}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert verify(tmp_path)[1]["exit"] == 0
    assert verify(tmp_path)[0] == 2
    if path:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(after)
    else:
        monkeypatch.setenv("EQTRACE_TEST_SCALE", "3")
    assert verify(tmp_path) == verify(tmp_path, "--no-cache")
    assert {each["verdict"] for each in verify(tmp_path)[1]["equations"]} == {"refuted"}


@pytest.mark.parametrize(
    "memo",
    [
        "T = {}\n\n\ndef scale():\n    return T[0] if T else T.setdefault(0, two())\n\n\n",
        "class Box:\n    __slots__ = ('s',)\n\n\nbox = Box()\n\n\ndef scale():\n"
        "    if not hasattr(box, 's'):\n        box.s = two()\n    return box.s\n\n\n",
    ],
    ids=["dictionary", "slots"],
)
def test_what_one_result_leaves_behind_concerns_the_next(tmp_path, memo):
    for name, text in {"pyproject.toml": PYPROJECT, "e.yaml": SCALES, "m.py": memo + MEMO}.items():
        (tmp_path / name).write_text(text)
    assert verify(tmp_path, "-j1")[1]["exit"] == 0
    edit(tmp_path, "m.py", "return 2", "return 3")
    reused, report = verify(tmp_path, "-j1")
    assert reused == 0
    assert {each["verdict"] for each in report["equations"]} == {"refuted"}
