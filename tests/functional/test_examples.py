"""Worked examples of a small project: right, wrong, raising, hanging; kept in the cache; stored runs; on the site."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PYPROJECT = """
[tool.eqtrace]
spec = ["spec/*.yaml"]
sources = ["lab"]
waivers = "waivers.yaml"
scenarios = "scenarios.py"

[tool.eqtrace.sizes]
n = [2, 3, 5]
m = "n + 1"

[tool.eqtrace.site]
output = "site"

[tool.eqtrace.site.sizes]
n = 3
m = "n + 1"
"""
OPS = """
import numpy as np


def half(x):
    y = x * 0.5
    return y


def total(x):
    return x.sum()
"""
TOPIC = """
topic: {name}
title: {name}
page: all
status: implemented
direction: neither
functions: ['lab/ops.py::{name}']
what: For a test.
why: For a test.
symbols:
  x: {{shape: [n]}}
  y: {{shape: [{shape}], code: null}}
indices: {{i: n}}
equations:
  - id: {name}.{name}
    sympy: '{form}'
    anchors:
      - {{role: computes, at: 'lab/ops.py:{line}', in: {name}, code: '{code}', bind: {{y: {bind}}}}}
"""
SCENARIOS = """
from lab.ops import half, total


def rows(rng, sizes):
    values = half(rng.normal(size=sizes["m"]))
    return [{"entry": i, "half": float(value)} for i, value in enumerate(values)]
"""
HALF = TOPIC.format(name="half", shape="n", form="Eq(y[i], x[i]/2)", line=5, code="y = x * 0.5", bind="y")
TOTAL = TOPIC.format(name="total", shape="", form="Eq(y, Sum(x[i], i))", line=10, code="return x.sum()", bind="result")
STEPS = """
example:
  kind: {kind}
  source: hand-picked
  inputs: {{x: [1, 2, 4]}}
  steps:
    - {{label: y, code: '{code}'}}
  equals: 'lab/ops.py::{name}'
"""
STORED = """
example: {kind: stored, source: a run, run: rows, equals: 'lab/ops.py::half'}
"""


@pytest.fixture
def lab(tmp_path: Path, copy_to: Callable[[Path], object]):
    """A project with two topics; each has the example that is given for it."""
    project = copy_to(tmp_path / "unused")
    root = tmp_path / "lab-project"
    for name in ("spec", "lab"):
        (root / name).mkdir(parents=True)

    def make(half: str = "", total: str = ""):
        (root / "pyproject.toml").write_text(PYPROJECT)
        (root / "lab" / "ops.py").write_text(OPS.lstrip("\n"))
        (root / "scenarios.py").write_text(SCENARIOS)
        (root / "spec" / "half.yaml").write_text(HALF + half)
        (root / "spec" / "total.yaml").write_text(TOTAL + total)
        waivers = (f"- {{equation: {name}.{name}, lacks: test, reason: a test}}\n" for name in ("half", "total"))
        (root / "waivers.yaml").write_text("".join(waivers))
        project.root = root
        return project

    return make


def steps(name: str, code: str, kind: str = "steps") -> str:
    return STEPS.format(name=name, code=code, kind=kind)


def by_topic(run) -> dict:
    return {each["topic"]: each for each in run.report["examples"]}


def test_right_examples(lab) -> None:
    run = lab(steps("half", "x / 2"), steps("total", "x.sum()", "editable")).verify()
    assert (run.exit, run.codes) == (0, [])
    assert run.report["summary"]["examples"]["agrees"] == 2
    half = by_topic(run)["half"]
    assert half["outcome"] == "agrees"
    assert half["call"] == "half(x)"
    assert half["steps"][0]["value"] == {"shape": [3], "entries": [0.5, 1.0, 2.0]}
    assert half["compared"][0] | {"value": None} == {
        "label": "y",
        "part": "result",
        "value": None,
        "gap": 0.0,
        "agrees": True,
    }


def test_a_wrong_example_shows_both_values_and_the_function(lab) -> None:
    run = lab(steps("half", "x / 3"), steps("total", "x.sum()")).verify()
    assert run.exit == 1
    (finding,) = run.findings
    assert (finding["code"], finding["name"], finding["path"]) == ("EQ511", "example-mismatch", "spec/half.yaml")
    assert "[2]: step 1.3333333333333333, code 2.0" in finding["message"]
    assert [(each["path"], each["line"]) for each in finding["related"]] == [("lab/ops.py", 4)]
    assert {topic: each["outcome"] for topic, each in by_topic(run).items()} == {"half": "differs", "total": "agrees"}
    assert set(run.verdicts.values()) == {"certified"}


FAILING = {
    "raises": ("raise ValueError('too hot')", "example of half raised ValueError"),
    "exits": ("raise SystemExit(0)", "example of half raised SystemExit"),
    "hangs": ("while True: pass", "example of half timed out after 2 s"),
    "crashes": ("import ctypes; ctypes.string_at(0)", "example of half killed by signal SEGV"),
    "ends the process": ("import os; os._exit(0)", "example of half exited with status 0"),
}


@pytest.mark.parametrize("case", FAILING)
def test_an_example_that_fails_is_a_finding_and_the_rest_goes_on(lab, case: str) -> None:
    code, message = FAILING[case]
    project = lab(steps("half", "x / 2"), steps("total", "x.sum()"))
    only_here = f"    if x.tolist() == [1, 2, 4]:\n        {code}\n    y = x * 0.5"
    project.edit("lab/ops.py", "    y = x * 0.5", only_here)
    project.edit("spec/half.yaml", "ops.py:5", "ops.py:7")
    project.edit("spec/total.yaml", "ops.py:10", "ops.py:12")
    for _ in range(2):  # nothing of it is kept
        run = project.verify("--timeout", "2", "-j", "1")
        assert run.exit == 1
        assert run.codes == ["EQ512"], run.findings
        (finding,) = run.findings
        assert finding["name"] == "example-not-run"
        assert message in finding["message"]
        outcomes = {topic: each["outcome"] for topic, each in by_topic(run).items()}
        assert outcomes == {"half": "not-run", "total": "agrees"}
        assert set(run.verdicts.values()) == {"certified"}


def test_static_faults_are_found_by_audit_and_the_example_is_not_run(lab) -> None:
    project = lab(steps("half", "np.load(x)"), steps("total", "x.sum()"))
    for command in ("audit", "verify"):
        run = project.run(command, "--format", "json")
        assert run.exit == 1
        (finding,) = run.findings
        assert (finding["code"], finding["path"], finding["line"]) == ("EQ116", "spec/half.yaml", 25)
        assert by_topic(run)["half"]["outcome"] is None


def test_hostile_steps_run_nothing(lab, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    for code in (f'__import__("os").mkdir("{mark}")', f'x.tofile("{mark}")', f'np.savetxt("{mark}", x)'):
        run = lab(steps("half", code), steps("total", "9 ** 9 ** 9 ** 9 + np.zeros(1e12)")).verify()
        assert run.exit == 1
        assert sorted(run.codes) == ["EQ116", "EQ512"]
    assert not mark.exists()


def test_a_stored_run_has_the_sizes_of_the_site_and_the_same_rows_each_time(lab) -> None:
    project = lab(STORED)
    first, second = project.verify("--no-cache"), project.verify("--no-cache", "--seed", "5")
    assert (first.exit, first.codes) == (0, [])
    table = by_topic(first)["half"]["table"]
    assert table["columns"] == ["entry", "half"]
    assert len(table["rows"]) == 4
    assert table["sizes"] == {"m": 4}
    assert by_topic(second)["half"]["table"] == table


def test_results_are_kept_until_what_they_rest_on_changes(lab) -> None:
    project = lab(STORED, steps("total", "x.sum()"))
    units = project.verify().report["summary"]["equations"] + 2
    settled = project.verify().report
    assert settled["summary"]["from_cache"] == units

    def again() -> tuple[int, dict]:
        report = project.verify().report
        return units - report["summary"]["from_cache"], {each["topic"]: each for each in report["examples"]}

    project.edit("pyproject.toml", "n = 3\n", "n = 5\n")
    changed, examples = again()
    assert changed == 1
    assert len(examples["half"]["table"]["rows"]) == 6
    project.edit("spec/total.yaml", "x: [1, 2, 4]", "x: [1, 2, 5]")
    changed, examples = again()
    assert changed == 1
    assert examples["total"]["steps"][0]["value"]["entries"] == [8.0]
    project.edit("spec/total.yaml", "label: y", "label: sum")
    changed, examples = again()
    assert changed == 1
    assert examples["total"]["steps"][0]["label"] == "sum"
    project.edit("scenarios.py", "float(value)}", "float(value) * 2}")
    changed, _ = again()
    assert changed >= 1
    project.edit("lab/ops.py", "return x.sum()", "return x.sum() + 0 * x.max()")
    project.edit("spec/total.yaml", "code: 'return x.sum()'", "code: 'return x.sum() + 0 * x.max()'")
    changed, examples = again()
    assert changed >= 2
    assert examples["total"]["outcome"] == "agrees"


def test_only_topics_with_a_selected_equation_have_their_examples_run(lab) -> None:
    run = lab(steps("half", "x / 3"), steps("total", "x.sum()")).verify("total")
    assert run.exit == 0
    assert list(by_topic(run)) == ["total"]


def test_the_site_shows_them(lab) -> None:
    project = lab(STORED, steps("total", "x.sum() + 1"))
    run = project.run("site")
    assert run.exit == 1
    (page,) = (project.root / "site" / "pages").glob("*.html")
    text = page.read_text("utf-8")
    assert "✗</span> differs from the code" in text
    assert "x.sum() + 1" in text
    assert "A stored run" in text
    assert "at m = 4" in text
    assert "from a run of the code" in text
    quick = project.run("site", "--no-verify")
    assert quick.exit == 0
    assert "not worked out" in page.read_text("utf-8")


def test_user_code_runs_in_no_process_of_ours(lab) -> None:
    project = lab(steps("half", "x / 2"))
    project.edit(
        "lab/ops.py", "    y = x * 0.5", "    import os; open('pid', 'a').write(f'{os.getppid()}\\n')\n    y = x * 0.5"
    )
    project.edit("spec/half.yaml", "ops.py:5", "ops.py:6")
    project.edit("spec/total.yaml", "ops.py:10", "ops.py:11")
    project.verify("-j", "1", "--no-cache")
    parents = set((project.root / "pid").read_text().split())
    assert str(os.getpid()) not in parents
    assert len(parents) == 1


def test_the_pytest_plugin_fails_its_item_of_what_belongs_to_no_equation(lab) -> None:
    project = lab(steps("half", "x / 3"), steps("total", "x.sum()"))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:eqtrace",
        "-p",
        "eqtrace.pytest_plugin",
        "--eqtrace",
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(command, cwd=project.root, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "EQ511" in done.stdout
    assert "1 failed, 2 passed" in done.stdout


def test_an_editable_example_that_equals_the_code_at_the_start_alone_is_a_finding(lab) -> None:
    project = lab(steps("half", "x / 2", "editable"), steps("total", "x[0] + x[1] + 4", "editable"))
    run = project.verify()
    (finding,) = run.findings
    assert finding["name"] == "example-mismatch"
    assert "at the start, but not at a random edit" in finding["message"]
    assert "x = [" in finding["message"]
    half = by_topic(run)["half"]["edits"]
    assert half == {"tried": 20, "gap": 0.0, "refused": 0, "sizes": [[{"input": "x", "axis": 0}]]}
    again = project.verify()
    assert again.report["summary"]["from_cache"] > 0
    assert [each["message"] for each in again.findings] == [finding["message"]]
    assert by_topic(again)["half"]["edits"] == half
