"""`eqtrace mutate` on a small project: what survives, what is killed, and runs that hang, exit or are interrupted."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

PYPROJECT = """
[tool.eqtrace]
spec = ["spec/*.yaml"]
sources = ["lab"]
waivers = "waivers.yaml"

[tool.eqtrace.sizes]
n = [2, 3, 5]
"""
OPS = """\
import os

import numpy as np


def ramp(x):
    y = np.maximum(x, 0.0)
    return y


def steps(m):
    while m > 0:
        m = m - 1
    return m


def shift(z):
    w = z + 1.0
    if w < -5.0:
        os._exit(3)
    if w < 0.0:
        raise ValueError("below zero")
    return w


def double(x):
    y = x + x
    return y
"""
TOPIC = """
topic: {topic}
title: {topic}
page: all
status: implemented
direction: neither
functions: ['lab/ops.py::{topic}']
what: For a test.
why: For a test.
symbols: {symbols}
indices: {{i: n}}
equations:
  - id: {topic}.{topic}
    sympy: '{form}'
    anchors:
      - {{role: computes, at: 'lab/ops.py:{line}', in: {topic}, code: '{code}', bind: {bind}}}
"""
RAMP = TOPIC.format(
    topic="ramp",
    symbols="{x: {shape: [n], domain: {min: 2}}, y: {shape: [n], code: null}}",
    form="Eq(y[i], Max(x[i], 0))",
    line=7,
    code="y = np.maximum(x, 0.0)",
    bind="{y: y}",
)
STEPS = TOPIC.format(
    topic="steps",
    symbols="{m: {shape: [], domain: {integer: true, min: 0, max: 4}}, r: {shape: [], code: null}}",
    form="Eq(r, m - 1)",
    line=13,
    code="m = m - 1",
    bind="{r: m}",
)
SHIFT = TOPIC.format(
    topic="shift",
    symbols="{z: {shape: [], domain: {min: 10, max: 20}}, w: {shape: [], code: null}}",
    form="Eq(w, z + 1)",
    line=18,
    code="w = z + 1.0",
    bind="{w: w}",
)
DOUBLE = TOPIC.format(
    topic="double",
    symbols="{x: {shape: [n]}, y: {shape: [n], code: null}}",
    form="Eq(y[i], 2*x[i])",
    line=27,
    code="y = x + x",
    bind="{y: y}",
)
WEAK = ", domain: {min: 2}"


@pytest.fixture
def lab(tmp_path: Path, opened: Callable[[Path], object]):
    """A project with these topics, written by their names."""
    root = tmp_path / "lab-project"

    def make(**topics: str):
        for name in ("spec", "lab"):
            (root / name).mkdir(parents=True)
        (root / "pyproject.toml").write_text(PYPROJECT)
        (root / "lab" / "ops.py").write_text(OPS)
        for name, text in topics.items():
            (root / "spec" / f"{name}.yaml").write_text(text)
        waivers = (f"- {{equation: {name}.{name}, lacks: test, reason: a test}}\n" for name in topics)
        lines = (
            f"- {{at: 'lab/ops.py:{line}', in: {name}, code: '{code}', reason: a test}}\n"
            for name, line, code in (
                ("ramp", 7, "y = np.maximum(x, 0.0)"),
                ("steps", 13, "m = m - 1"),
                ("shift", 18, "w = z + 1.0"),
                ("double", 27, "y = x + x"),
            )
            if name not in topics
        )
        (root / "waivers.yaml").write_text("".join([*waivers, *lines]))
        return opened(root)

    return make


def mutate(project, *arguments: str, timeout: float = 120):
    return project.run("mutate", *arguments, "-j1", "--format", "json", timeout=timeout)


def fates(run) -> dict[str, str]:
    """The status of each mutant, by its text."""
    return {each["diff"].partition("\n+ ")[2]: each["status"] for each in run.report["mutants"]}


def told(run) -> list:
    """All that a report says of the mutants, without how long it took."""
    assert run.report["summary"]["mutation"]
    return [run.exit, run.report["mutants"], run.report["findings"], run.report["summary"]["mutation"]]


def record(project) -> Path:
    (file,) = (project.root / ".eqtrace" / "mutants").glob("*.jsonl")
    return file


def test_a_weak_specification_has_survivors_and_a_strong_one_has_none(lab) -> None:
    project = lab(ramp=RAMP)
    before = project.hashes()
    run = mutate(project)
    assert run.exit == 1
    assert fates(run) == {
        "y = np.maximum(x, 1.0)": "survived",
        "y = -np.maximum(x, 0.0)": "killed",
        "y = np.maximum(0.0, x)": "equivalent",
        "y = x": "survived",
    }
    assert {(each["code"], each["path"], each["line"], each["column"]) for each in run.findings} == {
        ("EQ801", "lab/ops.py", 7, 5)
    }
    assert len(run.findings) == 2
    assert "verification does not notice\n- y = np.maximum(x, 0.0)\n+ y = x" in run.findings[1]["message"]
    assert "tried: ramp.ramp (value, " in run.findings[0]["hint"]
    for each in run.report["mutants"]:
        assert (each["by"] == "value") is (each["status"] == "killed")
        assert each["reason"]
        assert each["equations"] == ["ramp.ramp"]
    shown = project.run("mutate").stdout
    assert "Failed: 2 mutants survived; score 33.3%" in shown
    assert "lab/ops.py:7:5: EQ801 [mutant-survived]" in shown
    assert project.hashes() == before

    project.edit("spec/ramp.yaml", WEAK, "")
    run = mutate(project)
    assert (run.exit, run.findings) == (0, [])
    assert set(fates(run).values()) == {"killed", "equivalent"}
    assert run.report["summary"]["mutation"]["score"]["share"] == 1.0
    assert project.run("mutate").stdout.rstrip().endswith("that are not proved equivalent).")


def test_nothing_is_left_behind_that_a_later_run_could_take_for_the_code(lab) -> None:
    project = lab(ramp=RAMP, double=DOUBLE)
    before = project.hashes()
    mutate(project)
    assert project.hashes() == before
    assert project.processes() == []
    ran = "from lab.ops import double, ramp; import numpy as np; print(ramp(np.array([-3.0, 3.0])), double(2.0))"
    done = subprocess.run([sys.executable, "-c", ran], cwd=project.root, capture_output=True, text=True, check=True)
    assert done.stdout == "[0. 3.] 4.0\n"
    assert set(project.verify("--no-cache").verdicts.values()) == {"certified"}


def test_a_mutant_that_loops_for_ever_is_a_time_out(lab) -> None:
    run = mutate(lab(steps=STEPS), "--limit", "1")
    found = fates(run)
    assert found["m = m + 1"] == "timeout"
    assert found["m = m - 0"] == "timeout"
    assert found["m = m - 2"] == "killed"
    assert run.report["summary"]["mutation"]["score"]["timeout"] >= 2
    reasons = {each["reason"] for each in run.report["mutants"] if each["status"] == "timeout"}
    assert reasons == {"it ran out of its time limit"}


def test_one_that_waits_for_ever_is_too(lab) -> None:
    project = lab(steps=STEPS)
    project.edit("lab/ops.py", "    return m\n", "    if m:\n        import time; time.sleep(999)\n    return m\n")
    run = mutate(project, "--limit", "1")
    assert fates(run)["m = m - 2"] == "timeout"


def test_one_that_exits_or_raises_is_a_crash(lab) -> None:
    run = mutate(lab(shift=SHIFT))
    found = fates(run)
    assert found["w = -(z + 1.0)"] == "crash"
    assert found["w = z - 1.0"] == "killed"
    (reason,) = [each["reason"] for each in run.report["mutants"] if each["diff"].endswith("w = -(z + 1.0)")]
    assert "status" in reason
    assert run.report["summary"]["mutation"]["score"]["crash"] >= 1
    assert run.exit == 0


def test_an_exception_is_a_crash(lab) -> None:
    code = "y = np.ones(len(x)) + x"
    topic = DOUBLE.replace("y = x + x", code).replace("2*x[i]", "x[i] + 1")
    project = lab(double=topic)
    project.edit("lab/ops.py", "y = x + x", code)
    run = mutate(project)
    (found,) = [each for each in run.report["mutants"] if "len(x) + 1" in each["diff"]]
    assert found["status"] == "crash"
    assert "raised ValueError" in found["reason"]
    assert run.exit == 0


def test_a_fault_of_the_interpreter_is_a_crash(lab) -> None:
    project = lab(shift=SHIFT)
    project.edit("lab/ops.py", "os._exit(3)", "__import__('ctypes').string_at(0)")
    assert fates(mutate(project))["w = -(z + 1.0)"] == "crash"


def test_an_equation_that_does_not_hold_judges_nothing(lab) -> None:
    project = lab(ramp=RAMP, double=DOUBLE.replace("2*x[i]", "3*x[i]"))
    run = mutate(project)
    assert run.exit == 1
    assert {name for each in run.report["mutants"] for name in each["equations"]} == {"ramp.ramp"}
    assert [each["code"] for each in run.findings if each["equation"] == "double.double"] == ["EQ501"]
    shown = project.run("mutate")
    assert "skipped     1 equation judged no mutant, as verification does not show it to hold" in shown.stdout
    assert "short form" not in shown.stdout
    alone = mutate(project, "double")
    assert alone.exit == 1
    assert alone.report["mutants"] == []


def test_equations_in_short_form_are_left_out_and_it_says_so(lab) -> None:
    project = lab(double=DOUBLE)
    (project.root / "spec" / "short.yaml").write_text("lab.ops:\n  ramp: {sympy: 'Max(x[i], 0)', shapes: {x: [n]}}\n")
    shown = project.run("mutate")
    assert "1 equation in short form cites no statement, and only cited statements are mutated" in shown.stdout
    assert "skipped" not in project.run("mutate", "double").stdout


def test_a_selection_takes_its_statements_alone(lab) -> None:
    project = lab(ramp=RAMP, double=DOUBLE)
    run = mutate(project, "double")
    assert run.exit == 0
    assert {each["line"] for each in run.report["mutants"]} == {27}


def test_workers_and_seeds_change_nothing_and_all_is_told_again(lab) -> None:
    project = lab(ramp=RAMP, double=DOUBLE, shift=SHIFT)
    one = mutate(project)
    kept = mutate(project)
    lines = record(project).read_text().count("\n")
    assert kept.report["summary"]["from_cache"] == lines
    assert lines <= len(one.report["mutants"])  # nothing is kept of those that are known without a run
    assert told(kept) == told(one)
    two = project.run("mutate", "-j2", "--no-cache", "--format", "json", timeout=120)
    assert told(two) == told(one)
    seeded = [mutate(project, "--seed", "7", "--no-cache") for _ in range(2)]
    assert told(seeded[0]) == told(seeded[1])
    assert fates(seeded[0]) == fates(one)


def test_a_record_that_was_cut_short_is_gone_on_with(lab) -> None:
    project = lab(ramp=RAMP, double=DOUBLE)
    whole = mutate(project)
    file = record(project)
    lines = file.read_text().splitlines(keepends=True)
    assert len(lines) > 4
    file.write_text("".join(lines[:3]) + lines[3][:20])
    resumed = mutate(project)
    assert resumed.report["summary"]["from_cache"] == 3
    assert told(resumed) == told(whole)
    assert mutate(project).report["summary"]["from_cache"] == len(lines)


def test_an_interrupted_run_goes_on_where_it_stopped(lab) -> None:
    project = lab(ramp=RAMP, double=DOUBLE, steps=STEPS)
    command = [sys.executable, "-m", "eqtrace", "mutate", "-j1", "--limit", "1"]
    environment = dict(os.environ)
    if "PYTHONPATH" in environment:
        entries = environment["PYTHONPATH"].split(os.pathsep)
        environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, entries))
    running = subprocess.Popen(
        command,
        cwd=project.root,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    )
    end = time.monotonic() + 300  # of a busy machine
    while time.monotonic() < end and running.poll() is None:
        files = list((project.root / ".eqtrace" / "mutants").glob("*.jsonl"))
        if files and files[0].read_text().count("\n") >= 2:
            break
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    assert running.wait(120) == 130
    judged = record(project).read_text().count("\n")
    assert judged >= 2
    assert project.processes() == []
    resumed = mutate(project, "--limit", "1")
    assert judged <= resumed.report["summary"]["from_cache"] < len(resumed.report["mutants"])
    assert told(resumed) == told(mutate(project, "--limit", "1", "--no-cache"))


def test_what_was_judged_of_another_state_counts_no_more(lab) -> None:
    project = lab(ramp=RAMP, double=DOUBLE)
    mutate(project)
    before = record(project).name
    project.edit("lab/ops.py", "y = x + x", "y = x + x  # twice")
    run = mutate(project)
    assert run.report["summary"]["from_cache"] == 0
    assert record(project).name != before
    json.loads(record(project).read_text().splitlines()[0])
