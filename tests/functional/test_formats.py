"""Reports for services, and baselines, through the installed command on a project with a wrong line."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml
from sarif_pydantic import Sarif

ROOT = Path(__file__).parents[2]
SHOP = Path(__file__).parent / "projects" / "shop"
SPEC, CODE = "spec/prices.yaml", "lab/ops.py"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """In a folder of a repository, with one line that computes something else and its anchor edited alike."""
    (tmp_path / ".git").mkdir()
    root = tmp_path / "calc 1"
    shutil.copytree(SHOP, root, ignore=shutil.ignore_patterns("__pycache__", ".eqtrace"))
    for path in (SPEC, CODE):
        text = (root / path).read_text()
        assert "np.maximum(x, FLOOR)" in text
        (root / path).write_text(text.replace("np.maximum(x, FLOOR)", "np.minimum(x, FLOOR)"))
    return root


def called(root: Path, command: list[str], **variables: str) -> "subprocess.CompletedProcess[str]":
    """A command run in a folder; this process's paths of modules still count from here."""
    environment = {**os.environ, **variables}
    if "PYTHONPATH" in environment:
        environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, environment["PYTHONPATH"].split(os.pathsep)))
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def run(root: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return called(root, [sys.executable, "-m", "eqtrace", *arguments], **variables)


def line_of(root: Path, path: str, text: str) -> int:
    return next(number for number, line in enumerate((root / path).read_text().splitlines(), 1) if text in line)


def test_annotations_stand_at_the_lines_of_the_specification_and_of_the_code(project, tmp_path):
    summary = tmp_path / "summary.md"
    done = run(project, "verify", "prices.relu", "--format", "github", GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 1
    errors = [line for line in done.stdout.splitlines() if line.startswith("::error ")]
    anchor, code = (line_of(project, path, "np.minimum(x, FLOOR)") for path in (SPEC, CODE))
    assert any(f"file=calc 1/{SPEC},line={anchor}," in line and "title=EQ501" in line for line in errors)
    assert any(f"file=calc 1/{CODE},line={code}," in line and "title=EQ501" in line for line in errors)
    assert "| error EQ501 |" in summary.read_text()
    assert f"<code>{CODE.replace('_', chr(92) + '_')}:{code}</code>" in summary.read_text()


def test_sarif_is_valid_and_its_fingerprints_stay_when_lines_move(project):
    def marks() -> dict[str, str]:
        document = json.loads(run(project, "verify", "prices.relu", "--format", "sarif").stdout)
        Sarif.model_validate(document)
        (found,) = document["runs"]
        rules = found["tool"]["driver"]["rules"]
        assert all(rules[each["ruleIndex"]]["id"] == each["ruleId"] for each in found["results"])
        places = [each["locations"][0]["physicalLocation"] for each in found["results"]]
        assert {each["artifactLocation"]["uri"] for each in places} == {"calc%201/spec/prices.yaml"}
        return {each["ruleId"]: each["partialFingerprints"]["eqtrace/v1"] for each in found["results"]}

    before = marks()
    assert "EQ501" in before
    text = (project / SPEC).read_text()
    (project / SPEC).write_text(f"# one\n# two\n{text}")
    assert marks() == before


def test_junit_has_a_case_for_each_method_and_no_skip_that_reads_as_a_pass(project):
    suite = ET.fromstring(run(project, "verify", "--format", "junit").stdout).find("testsuite")
    assert suite is not None
    cases = {(case.get("classname"), case.get("name")): case for case in suite}
    assert cases["prices.relu", "value"].find("failure") is not None
    assert cases["prices.doubled", "value"].find("failure") is None
    assert suite.get("failures") == str(sum(case.find("failure") is not None for case in suite))
    assert int(suite.get("tests", 0)) == len(cases)
    audited = ET.fromstring(run(project, "audit", "--format", "junit").stdout).find("testsuite")
    assert audited is not None
    assert {case.get("name") for case in audited} == {"citations", "as a whole"}


def test_gitlab_gets_a_finding_each_with_its_own_fingerprint(project):
    issues = json.loads(run(project, "verify", "--format", "gitlab").stdout)
    assert {"major"} <= {each["severity"] for each in issues} <= {"major", "minor", "info"}
    assert len({each["fingerprint"] for each in issues}) == len(issues)
    assert all(each["location"]["path"].startswith("calc 1/spec/") for each in issues)


def test_a_baseline_lets_old_findings_pass_and_new_ones_fail(project):
    arguments = ("verify", "prices", "--format", "concise", "--baseline", "known.json")
    assert run(project, *arguments).returncode == 2
    written = run(project, *arguments, "--write-baseline")
    assert (written.returncode, written.stderr) == (0, "known.json: written\n")
    (project / CODE).write_text(f"\n\n{(project / CODE).read_text()}")  # all lines of the code move
    held = run(project, *arguments)
    assert held.returncode == 0, held.stdout
    assert "EQ501" not in held.stdout
    for path in (SPEC, CODE):
        text = (project / path).read_text()
        (project / path).write_text(text.replace("np.minimum(x, FLOOR)", "np.maximum(x, FLOOR)"))
    mended = run(project, *arguments)
    assert mended.returncode == 0
    assert "are gone; --shrink-baseline removes them" in mended.stderr
    (project / CODE).write_text((project / CODE).read_text().replace("y = rates.scaled(x)", "y = -rates.scaled(x)"))
    assert run(project, *arguments).returncode == 1


@pytest.mark.parametrize("content", ["", "[]", '{"findings": [1]}', '{"citations": []}', "[" * 100_000])
def test_a_damaged_baseline_is_told(project, content):
    (project / "known.json").write_text(content)
    done = run(project, "audit", "--baseline", "known.json")
    assert done.returncode == 2
    assert "known.json is no baseline" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_baseline_that_is_to_be_written_needs_a_name(project):
    assert run(project, "audit", "--write-baseline").returncode == 2


def test_citations_have_no_codes_for_services(project):
    assert run(project, "cites", "--format", "sarif").returncode == 2


def test_the_action_puts_no_input_into_its_script():
    """What stands between `${{` and `}}` of a script is pasted into it before it is run."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    steps = action["runs"]["steps"]
    assert all("${{" not in step["run"] for step in steps)
    assert set(action["inputs"]) == {"command", "arguments", "working-directory"}


def test_the_action_s_script_runs(project):
    script = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"][-1]["run"]
    python = f'python() {{ {shlex.quote(sys.executable)} "$@"; }}\n'
    command = ["bash", "-e", "-c", python + script]
    done = called(project, command, COMMAND="audit", ARGUMENTS="prices --exit-zero")
    assert (done.returncode, done.stderr) == (0, "")
    assert "cited lines" in done.stdout


def test_the_page_on_continuous_integration_names_what_there_is(project):
    text = (ROOT / "docs" / "continuous-integration.md").read_text()
    blocks = re.findall(r"```yaml\n(.*?)```", text, re.S)
    assert len([yaml.safe_load(block) for block in blocks]) == 3
    hooks = {each["id"] for each in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    assert set(re.findall(r"id: (eqtrace-\w+)", text)) <= hooks
    for command in re.findall(r"^eqtrace (.*)$", text, re.M):
        assert run(project, *shlex.split(command)).returncode == 0, command
