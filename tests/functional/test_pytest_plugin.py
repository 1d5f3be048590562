"""The pytest plugin, on a copy of a small project."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
SHOP = Path(__file__).parent / "projects" / "shop"
UNITS = 14
PATHS = {  # relative ones would mean other folders in the runs
    name: os.pathsep.join(map(os.path.abspath, value.split(os.pathsep)))
    for name, value in os.environ.items()
    if name == "PYTHONPATH"
}
ALONE = ("-p", "no:eqtrace", "-p", "eqtrace.pytest_plugin", "-p", "no:cacheprovider")  # whether installed or not


@pytest.fixture(scope="module")
def verified(tmp_path_factory) -> Path:
    """The project with its cache, so that most runs are quick."""
    root = tmp_path_factory.mktemp("verified") / "shop"
    shutil.copytree(SHOP, root, ignore=shutil.ignore_patterns("__pycache__", ".eqtrace"))
    subprocess.run([sys.executable, "-m", "eqtrace", "verify"], cwd=root, env={**os.environ, **PATHS}, check=True)
    return root


@pytest.fixture
def shop(pytester, verified, monkeypatch) -> Path:
    for name, value in PATHS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # Hypothesis' plugin takes half a second
    shutil.copytree(verified, pytester.path, dirs_exist_ok=True)
    pytester.path.joinpath("pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = --import-mode=importlib\n")
    return pytester.path


@pytest.fixture
def run(pytester, shop):
    return lambda *arguments: pytester.runpytest_subprocess("-p", "xdist", *ALONE, *arguments)


def edit(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text()
    assert old in text
    (root / path).write_text(text.replace(old, new, 1))


def test_without_the_option_there_are_only_tests(run):
    run().assert_outcomes(passed=3)


def test_every_method_of_every_equation_is_an_item_beside_all_plugins(pytester, shop, monkeypatch):
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    done = pytester.runpytest_subprocess(*ALONE, "--eqtrace", "-v")
    done.assert_outcomes(passed=3 + 1 + UNITS)
    done.stdout.fnmatch_lines(["*eqtrace::specification::audit PASSED*", "*eqtrace::prices.relu::value PASSED*"])
    done.stdout.fnmatch_lines([f"eqtrace: {UNITS} methods of documented equations: 1 proved, 8 certified, *"])


def test_the_ini_file_switches_it_on(run, shop):
    (shop / "pytest.ini").write_text("[pytest]\npythonpath = .\neqtrace = true\naddopts = --import-mode=importlib\n")
    run().assert_outcomes(passed=3 + 1 + UNITS)


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (("-k", "vjp"), 2),
        (("-k", "prices and not relu"), 4),
        (("-m", "eqtrace"), 1 + UNITS),
        (("-m", "not eqtrace"), 3),
        (("eqtrace::prices.relu::value",), 1),
        (("eqtrace::prices.relu", "eqtrace::sums.total::value", "tests"), 5),
    ],
)
def test_items_are_chosen_by_name_keyword_and_marker(run, arguments, count):
    shown = run("--eqtrace", "--collect-only", "-q", *arguments).stdout
    assert sum("::" in line for line in shown.lines) == count


def test_an_unknown_item_is_a_usage_error(run):
    done = run("eqtrace::prices.nonsense::value")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*eqtrace::prices.nonsense::value is no documented equation*"])


def test_a_mismatch_fails_with_the_findings_of_the_text_report(run, shop):
    edit(shop, "lab/ops.py", "out = A @ v", "out = A @ v * 1.001")
    done = run("--eqtrace", "-k", "product")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "*EQ501*value-mismatch*",
            "*lab/ops.py:23:5: the cited statement",
            "*23 |     out = A @ v * 1.001",
            "sums.product: refuted*",
        ]
    )
    done.stdout.no_fnmatch_line("*Traceback*")


def test_what_cannot_run_is_skipped_with_its_reason_and_counted(run, shop):
    edit(
        shop,
        "spec/prices.yaml",
        "    sympy: 'Eq(y, x + 1/2)'\n",
        "    sympy: 'Eq(y, x + 1/2)'\n    method: [identity]\n",
    )
    done = run("--eqtrace", "-k", "shifted", "-rs")
    done.assert_outcomes(skipped=1)
    done.stdout.fnmatch_lines(
        ["eqtrace: 1 methods*1 not-checked", "SKIPPED*spec/prices.yaml:*not-checked: prices.shifted*"]
    )


def test_a_finding_of_no_equation_fails_an_item_of_its_own(run, shop):
    edit(shop, "pages.yaml", "[prices, ", "[nonsense, prices, ")
    done = run("--eqtrace", "-m", "eqtrace")
    done.assert_outcomes(passed=UNITS, failed=1)
    done.stdout.fnmatch_lines(["*pages.yaml*nonsense*", "FAILED eqtrace::specification::audit*"])


def test_xdist_runs_the_same_items_in_shares(run, shop):
    edit(shop, "lab/ops.py", "out = A @ v", "out = A @ v * 1.001")
    done = run("--eqtrace", "-n", "2", "-k", "sums or prices or vjp")
    outcomes = done.parseoutcomes()
    assert (outcomes["failed"], outcomes["passed"]) == (1, 10)
    done.stdout.fnmatch_lines(["*EQ501*value-mismatch*", "eqtrace: 11 methods of documented equations: *1 refuted"])


def test_a_configuration_that_is_not_there_is_a_usage_error(run, shop):
    (shop / "pyproject.toml").write_text("")
    done = run("--eqtrace")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*no pyproject.toml with a ?tool.eqtrace? table*"])


# --- the record ------------------------------------------------------------------------------------------------------


def test_the_record_says_which_tests_reach_which_functions(run, shop):
    run("--eqtrace-record", "reach.json").assert_outcomes(passed=3)
    record = json.loads((shop / "reach.json").read_text())
    assert record["schema"] == 1
    assert list(record["tests"]) == sorted(record["tests"])
    assert record["tests"]["tests/test_ops.py::test_tickets"] == ["lab/tickets.py::first"]
    assert "lab/rates.py::scaled" in record["tests"]["tests/test_ops.py::test_all"]


def test_the_record_is_the_same_every_time_and_under_xdist(run, shop):
    run("--eqtrace-record", "one.json")
    run("--eqtrace-record", "two.json", "-n", "2")
    assert (shop / "one.json").read_bytes() == (shop / "two.json").read_bytes()
    assert str(shop) not in (shop / "one.json").read_text()


def test_failing_tests_and_parameters_and_classes(run, shop):
    (shop / "tests" / "test_more.py").write_text(
        "import pytest, threading\nfrom lab import ops\n"
        "@pytest.fixture\ndef shifted():\n    return ops.shifted(1.0)\n"
        "class TestIt:\n"
        "    @pytest.mark.parametrize('x', [1.0, 2.0])\n    def test_x(self, x, shifted): ops.doubled(x)\n"
        "def test_wrong(): assert ops.relu(1.0) == 2\n"
        "def test_thread():\n    t = threading.Thread(target=ops.relu, args=(1.0,)); t.start(); t.join()\n"
    )
    run("--eqtrace-record", "reach.json")
    tests = json.loads((shop / "reach.json").read_text())["tests"]
    assert tests["tests/test_more.py::TestIt.test_x"] == [
        "lab/ops.py::doubled",
        "lab/ops.py::shifted",
        "lab/rates.py::scaled",
    ]
    assert tests["tests/test_more.py::test_thread"] == ["lab/ops.py::relu"]
    assert "tests/test_more.py::test_wrong" not in tests


@pytest.fixture
def hidden(shop):
    """A test whose call no reader of the source can see."""
    (shop / "tests" / "test_hidden.py").write_text(
        "import importlib\n\n\ndef test_hidden():\n"
        "    found = vars(importlib.import_module('lab.ops'))['re' + 'lu']\n    assert found(-1.0) == 0.0\n"
    )
    edit(
        shop,
        "spec/prices.yaml",
        "{role: tests, at: 'tests/test_ops.py:8', in: test_all, code: 'assert ops.relu(-1.0) == 0.0'}",
        "{role: tests, at: 'tests/test_hidden.py:6', in: test_hidden, code: 'assert found(-1.0) == 0.0'}",
    )
    edit(shop, "pyproject.toml", 'coverage = "off"', 'coverage = "off"\ntesters = "reach.json"')
    return shop


def audited(root: Path) -> list[str]:
    # In a process of its own: after each test pytester takes away the modules that were imported in it.
    command = [sys.executable, "-m", "eqtrace", "audit", "--format", "json"]
    done = subprocess.run(command, cwd=root, env={**os.environ, **PATHS}, check=False, capture_output=True, text=True)
    return [finding["name"] for finding in json.loads(done.stdout)["findings"] if finding["severity"] != "note"]


def test_a_recorded_reach_counts_where_the_source_shows_none(run, hidden):
    assert audited(hidden) == ["wrong-role"]
    run("--eqtrace-record", "reach.json")
    assert audited(hidden) == []


def test_a_record_of_a_function_that_is_gone_does_not(run, hidden):
    run("--eqtrace-record", "reach.json")
    record = json.loads((hidden / "reach.json").read_text())
    record["tests"]["tests/test_hidden.py::test_hidden"] = ["lab/ops.py::relu.gone", "lab/gone.py::relu"]
    (hidden / "reach.json").write_text(json.dumps(record))
    assert audited(hidden) == ["wrong-role"]


def test_a_project_below_the_root_of_pytest_is_verified_by_its_own_settings(pytester, monkeypatch):
    for name, value in PATHS.items():
        monkeypatch.setenv(name, value)
    pytester.makepyprojecttoml("[tool.pytest.ini_options]\n[tool.eqtrace]\nspec = ['other.yaml']\nsources = []\n")
    pytester.path.joinpath("other.yaml").write_text("below.py:\n  gone: {sympy: 'x'}\n")
    project = pytester.path / "project"
    project.mkdir()
    settings = "[tool.eqtrace]\nspec = ['eq.yaml']\nsources = ['half.py']\ncoverage = 'off'\n"
    project.joinpath("pyproject.toml").write_text(settings)
    project.joinpath("half.py").write_text("def half(x):\n    return x / 2\n")
    project.joinpath("eq.yaml").write_text("half.py:\n  half: {sympy: 'x/3'}\n")
    monkeypatch.chdir(project)
    done = pytester.runpytest_subprocess(*ALONE, "--eqtrace")
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(["eq.yaml:2:3: EQ501*", "*half: {sympy: 'x/3'}"])
