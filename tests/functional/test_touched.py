"""`audit --changed` looks at what a difference touches, and `--shrink-baseline` only takes away."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

BASE = Path(__file__).parents[1] / "checks" / "base"


def git(root: Path, *arguments: str) -> None:
    quiet = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgSign=false"]
    subprocess.run(["git", *quiet, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture(params=["", "below/it"])
def wrong(request, tmp_path: Path, opened: Callable) -> object:
    """A committed project (at the top of its repository, or below) with two findings: one of code, one of prose."""
    root = tmp_path / request.param / "project" if request.param else tmp_path / "project"
    shutil.copytree(BASE, root, ignore=shutil.ignore_patterns("__pycache__"))
    project = opened(root)
    project.edit("spec/linear.yaml", "code: 'H = linear(X, W, b)'", "code: 'H = linear(X, W, c)'")
    project.edit("spec/linear.yaml", "literature: [{work: vaswani2017", "literature: [{work: vaswani2016")
    top = tmp_path if request.param else root
    git(top, "init", "-q")
    git(top, "add", ".")
    git(top, "commit", "-qm", "first")
    return project


def codes(project, *arguments: str) -> list[str]:
    run = project.run("audit", *arguments, "--format", "json")
    assert run.exit in (0, 1), run.stderr
    assert (run.exit == 1) == any(each["severity"] == "error" for each in run.report["findings"])
    return run.codes


def test_only_what_a_difference_touches_on_either_side(wrong) -> None:
    assert codes(wrong) == ["EQ112", "EQ202"]
    assert codes(wrong, "--changed") == []
    wrong.edit("lab/ops.py", "    return X @ W + b\n", "    return X @ W + b  # as before\n")
    assert codes(wrong, "--changed") == ["EQ202"]  # cites a touched file
    wrong.edit("spec/linear.yaml", "section: '3.3'", "section: '3.4'")
    assert codes(wrong, "--changed") == ["EQ112", "EQ202"]  # stands on a touched line
    git(wrong.root, "commit", "-qam", "second")
    assert codes(wrong, "--changed") == []
    assert codes(wrong, "--changed", "HEAD~1") == ["EQ112", "EQ202"]
    text = wrong.run("audit", "--changed")
    assert (text.exit, "2 findings were left out" in text.stdout) == (0, True)


def test_a_revision_that_is_none_is_unusable_input(wrong, tmp_path: Path) -> None:
    run = wrong.run("audit", "--changed", "nowhere")
    assert (run.exit, "no revision 'nowhere'" in run.stderr) == (2, True)
    shutil.rmtree(next(each / ".git" for each in (wrong.root, *wrong.root.parents) if (each / ".git").exists()))
    run = wrong.run("audit", "--changed")
    assert (run.exit, "needs git" in run.stderr) == (2, True)


def entries(project) -> list[str]:
    return [each["code"] for each in json.loads((project.root / "known.json").read_text("utf-8"))["findings"]]


def test_a_baseline_is_shrunk_and_admits_nothing(wrong) -> None:
    known = ("audit", "--baseline", "known.json")
    assert wrong.run(*known, "--write-baseline").exit == 0
    assert entries(wrong) == ["EQ112", "EQ202"]
    wrong.edit("spec/linear.yaml", "vaswani2016", "vaswani2017")
    wrong.edit("spec/linear.yaml", "page: layers", "page: nowhere")
    run = wrong.run(*known, "--shrink-baseline")
    assert (run.exit, "1 of its findings are gone, and removed from it" in run.stderr) == (1, True)
    assert entries(wrong) == ["EQ202"]
    again = (wrong.root / "known.json").read_bytes()
    assert wrong.run(*known, "--shrink-baseline").exit == 1
    assert (wrong.root / "known.json").read_bytes() == again


@pytest.mark.parametrize("more", [("linear",), ("--changed",), ("--write-baseline",)])
def test_what_would_take_away_too_much_is_refused(wrong, more: tuple[str, ...]) -> None:
    known = ("--baseline", "known.json")
    wrong.run("audit", *known, "--write-baseline")
    before = (wrong.root / "known.json").read_bytes()
    assert wrong.run("audit", *known, "--shrink-baseline", *more).exit == 2
    assert wrong.run("audit", "--shrink-baseline").exit == 2
    run = wrong.run("verify", *known, "--shrink-baseline")
    assert (run.exit, "`eqtrace audit` wrote it" in run.stderr) == (2, True)
    assert (wrong.root / "known.json").read_bytes() == before


def test_citations_have_the_same(wrong) -> None:
    (wrong.root / "notes.md").write_text("See `lab/ops.py:99` and `lab/ops.py:98`.\n", "utf-8")
    git(wrong.root, "add", ".")
    known = ("cites", "--baseline", "cites.json")
    wrong.run(*known, "--write-baseline")
    (wrong.root / "notes.md").write_text("See `lab/ops.py:99`.\n", "utf-8")
    assert wrong.run(*known, "--shrink-baseline").exit == 0
    assert len(json.loads((wrong.root / "cites.json").read_text("utf-8"))["citations"]) == 1
