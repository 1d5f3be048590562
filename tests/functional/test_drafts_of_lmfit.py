"""`init` on a package that nobody here wrote: its drafts stand, but for what its documentation has wrong."""

import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

WRONG = {"dho", "students_t", "bose", "fermi"}  # see projects/documented and projects/published


@pytest.fixture(scope="module")
def drafted(opened, tmp_path_factory):
    root = tmp_path_factory.mktemp("drafts")
    (origin,) = find_spec("lmfit").submodule_search_locations
    shutil.copytree(Path(origin), root / "lmfit", ignore=shutil.ignore_patterns("__pycache__"))
    project = opened(root)
    return project, project.run("init"), project.verify("-j", "2", "--no-cache", timeout=300)


def test_only_wrong_documentation_is_refuted(drafted):
    _, _, verified = drafted
    refuted = {name.partition(":")[2] for name, verdict in verified.verdicts.items() if verdict == "refuted"}
    assert refuted == WRONG
    errors = [each for each in verified.findings if each["severity"] == "error"]
    assert {each["equation"].partition(":")[2] for each in errors} == WRONG
    assert len(verified.verdicts) >= 23
    assert "not-checked" not in verified.verdicts.values()


def test_bounds_are_marked_to_be_confirmed(drafted):
    project, _, _ = drafted
    lines = (project.root / "equations.yaml").read_text("utf-8").split("\n")
    number = next(number for number, line in enumerate(lines) if line.strip().startswith("moffat:"))
    assert "domain: {sigma: {min: 0, open: [min]}, beta: {min: -9, max: 9}}" in lines[number]
    assert lines[number - 1].strip().startswith("# from its docstring; confirm where it holds")


def test_what_documentation_says_in_passing_is_no_draft(drafted):
    """`reduce_negentropy` says "since pdf(r) = ...": that is a formula of something else."""
    project, init, _ = drafted
    assert "reduce_negentropy" not in (project.root / "equations.yaml").read_text("utf-8")
    assert re.search(r"reduce_negentropy: line \d+ calls `norm_dist.pdf`, which forms don't know", init.stderr)
