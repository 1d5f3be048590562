"""User code that hangs, exits, crashes, forks, prints: a finding, and everything else is still verified."""

import json

import pytest

from eqtrace.cli.main import run

BODY = "    return LN2 / half_life\n\n\ndef activity"  # of decay_constant
BAD = "halflife.decay:decay_constant"
OTHERS = ("halflife.decay:surviving_fraction", "halflife.detector:phase", "counting.rate")


def planted(project, code, *, at=BODY):
    """Puts code before the return of decay_constant; its first line's number."""
    lines = "".join(f"    {line}\n" for line in code.splitlines())
    return project.edit("src/halflife/decay.py", at, lines + at)


def verify(project, *more):
    run = project.verify(BAD, *OTHERS, "--timeout", "2", "-j", "1", *more)
    assert run.stderr == ""
    assert project.processes() == []
    assert "EQ901" not in run.codes
    return run


FAILING = {
    "hangs": ("while half_life:\n    pass", "timed out after 2 s", 0),
    "exits at once": ("import os\nos._exit(3)", "exited with status 3", None),
    "exits": ("import sys\nsys.exit('no more')", "raised SystemExit", 1),
    "is interrupted": ("raise KeyboardInterrupt", "raised KeyboardInterrupt", 0),
    "crashes": ("import ctypes\nctypes.string_at(0)", "killed by signal SEGV", 1),
    "is killed": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "killed by signal KILL", None),
    "raises for some": ("if half_life > 900:\n    half_life /= 0", "raised ZeroDivisionError", 1),
    "never returns from itself": ("return decay_constant(half_life)", "raised RecursionError", 0),
    "wants all memory": ("bytes(10**15)", "raised MemoryError", 0),
}


@pytest.mark.parametrize("case", FAILING)
def test_a_failure_is_a_finding(project, case):
    code, reason, offset = FAILING[case]
    line = planted(project, code)
    run = verify(project)
    assert run.exit == 1
    assert run.verdicts == {BAD: "not-checked", **dict.fromkeys(OTHERS, "certified")}
    (finding,) = [each for each in run.findings if each["code"] == "EQ903"]
    assert (finding["equation"], finding["path"], finding["line"]) == (BAD, "spec/functions.yaml", 2)
    assert reason in finding["message"]
    if offset is not None:
        assert "src/halflife/decay.py" in finding["message"]
        (place,) = finding["related"]
        assert place["path"] == "src/halflife/decay.py"
        assert place["line"] - line in (offset, offset - 1, offset + 1)


SURVIVED = {
    "prints": "print('{\"equations\": [' * 20_000)",
    "prints to the file itself": "import os\nos.write(1, b'{' * 100_000)\nos.write(2, b'}' * 100_000)",
    "forks": "import os\nos.fork()",
    "leaves a child behind": "import os, time\nif os.fork() == 0:\n    time.sleep(600)",
    "leaves a thread behind": "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()",
    "changes the folder": "import os\nos.chdir('/')",
    "closes files": "import os\nos.closerange(0, 100)",
    "closes its output": "import sys\nsys.stdout.close()",
    "sets an alarm": "import signal\nsignal.alarm(1)",
    "replaces the clock and exit": "import os, time\ntime.monotonic = lambda: 0.0\nos._exit = print",
    "fills the environment": "import os\nos.environ['PYTHONPATH'] = '/nowhere'\nos.environ['HOME'] = ''",
}


@pytest.mark.parametrize("case", SURVIVED)
def test_what_does_no_harm_is_survived(project, case):
    planted(project, SURVIVED[case])
    run = verify(project)
    assert run.verdicts == dict.fromkeys((BAD, *OTHERS), "certified")
    assert run.exit == 0


IMPORT = "LN2 = math.log(2.0)\n"
AT_IMPORT = {
    "raises": ("LN2 = math.log(-2.0)\n", "raised ValueError"),
    "exits": ("raise SystemExit(0)\n", "raised SystemExit"),
    "hangs": ("while True:\n    pass\n", "timed out after 2 s"),
    "crashes": ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n", "killed by signal SEGV"),
}


@pytest.mark.parametrize("case", AT_IMPORT)
def test_a_module_that_fails_at_import(project, case):
    code, reason = AT_IMPORT[case]
    line = project.edit("src/halflife/decay.py", IMPORT, code + IMPORT)
    run = verify(project)
    assert run.exit == 1
    assert run.verdicts[BAD] == "not-checked"
    assert run.verdicts["halflife.detector:phase"] == "certified"
    (finding,) = run.of(BAD)
    assert finding["code"] == "EQ903"
    assert f"import of halflife.decay {reason}" in finding["message"]
    (place,) = finding["related"]
    assert (place["path"], place["line"] - line in (0, 1)) == ("src/halflife/decay.py", True)


def test_a_module_is_not_imported_twice_because_another_failed(tmp_path, monkeypatch, capsys):
    settings = "[tool.eqtrace]\nspec = ['eq.yaml']\nsources = ['pk']\ncoverage = 'off'\n"
    (tmp_path / "pyproject.toml").write_text(settings)
    (tmp_path / "pk").mkdir()
    (tmp_path / "pk" / "__init__.py").write_text("")
    once = "import sys\nassert not hasattr(sys, '_pk_b'), 'again'\nsys._pk_b = 1\n"
    (tmp_path / "pk" / "b.py").write_text(once + "def g(x):\n    return 2 * x\n")
    (tmp_path / "pk" / "a.py").write_text("from . import b\nimport missing\ndef f(x):\n    return x + 1\n")
    (tmp_path / "eq.yaml").write_text("pk.a: {f: {sympy: 'x + 1'}}\npk.b: {g: {sympy: '2*x'}}\n")
    monkeypatch.chdir(tmp_path)
    for jobs in ("1", "2"):
        arguments = ["verify", "-j", jobs, "--no-cache", "--format", "json", "--output-file", "report.json"]
        assert run(arguments) == 1
        report = json.loads((tmp_path / "report.json").read_text())
        assert {each["id"]: each["verdict"] for each in report["equations"]} == {
            "pk.a:f": "not-checked",
            "pk.b:g": "certified",
        }
    capsys.readouterr()


@pytest.mark.parametrize("scenarios", ["", "import pk.m\n"])
def test_a_package_that_fails_has_no_parts(tmp_path, monkeypatch, capsys, scenarios):
    """Its parts that were imported before it failed stay loaded where nobody takes them away."""
    settings = "[tool.eqtrace]\nspec = ['eq.yaml']\nsources = ['pk', 'whole.py']\ncoverage = 'off'\n"
    (tmp_path / "pyproject.toml").write_text(settings + "scenarios = 'sc.py'\n" * bool(scenarios))
    (tmp_path / "sc.py").write_text(scenarios)
    (tmp_path / "pk").mkdir()
    (tmp_path / "pk" / "__init__.py").write_text("from pk import m\nfrom pk.missing import x\n")
    (tmp_path / "pk" / "m.py").write_text("def f(x):\n    return 2 * x\n\ndef g(x):\n    return 3 * x\n")
    (tmp_path / "whole.py").write_text("def h(x):\n    return 4 * x\n")
    entries = "pk.m:\n  f: {sympy: '2*x'}\n  g: {sympy: '3*x'}\nwhole: {h: {sympy: '4*x'}}\n"
    (tmp_path / "eq.yaml").write_text(entries)
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # nothing of it is kept
        assert run(["verify", "-j", "1", "--format", "json", "--output-file", "report.json"]) == 1
        report = json.loads((tmp_path / "report.json").read_text())
        found = {each["id"]: each["verdict"] for each in report["equations"]}
        assert found == {"pk.m:f": "not-checked", "pk.m:g": "not-checked", "whole:h": "certified"}
        failed = {each["equation"] for each in report["findings"] if each["code"] == "EQ903"}
        assert failed >= {"pk.m:f", "pk.m:g"}
    capsys.readouterr()


def test_a_scenario_that_fails_is_not_the_fault_of_what_runs_without_it(project):
    old = '    """Counts of a sample and of the background, their rate, and a histogram."""\n'
    line = project.edit("spec/scenarios.py", old, f"{old}    raise RuntimeError('no source')\n") + 1
    run = project.verify("counting.deviation", "counting.smoothing", *OTHERS[:2], "-j", "1")
    assert run.exit == 1
    assert (
        run.verdicts
        == {
            "counting.deviation": "not-checked",  # only this scenario reaches it
            "counting.smoothing": "certified",
            **dict.fromkeys(OTHERS[:2], "certified"),
        }
    )
    (finding,) = run.findings
    assert (finding["code"], finding["path"], finding["equation"]) == ("EQ903", "spec/scenarios.py", None)
    assert "no source" in finding["message"]
    assert [place["line"] for place in finding["related"]] == [line]


def test_a_scenario_that_hangs_costs_one_time_limit(project):
    old = '    """A series of values, averaged and smoothed."""\n'
    project.edit("spec/scenarios.py", old, f"{old}    while sizes:\n        pass\n")
    run = project.verify("counting.smoothing", "counting.rate", *OTHERS[:2], "--timeout", "2", "-j", "1")
    assert run.exit == 1
    assert run.verdicts["counting.smoothing"] == "not-checked"
    assert run.verdicts["counting.rate"] == "certified"
    assert run.report["summary"]["seconds"] < 10
    assert project.processes() == []


def test_a_module_that_deletes_itself_is_not_certified(project):
    planted(project, "import os\nif os.path.exists(__file__):\n    os.remove(__file__)")
    run = verify(project)
    assert run.verdicts[BAD] == "sampled"
    assert run.verdicts["halflife.detector:phase"] == "certified"
