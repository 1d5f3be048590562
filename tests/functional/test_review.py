"""Suspicion and the ledger of reviews, through the command, in a small git repository."""

import shutil
import subprocess
from pathlib import Path

import pytest

BASE = Path(__file__).parents[1] / "checks" / "base"
SPEC, LEDGER = "spec/linear.yaml", "reviews.yaml"


@pytest.fixture
def repository(tmp_path, opened):
    """The base project of the checks with every link reviewed, committed; `git` and `review` are at hand."""
    root = tmp_path / "lab"
    shutil.copytree(BASE, root, ignore=shutil.ignore_patterns("__pycache__"))
    project = opened(root)
    project.edit("pyproject.toml", 'waivers = "waivers.yaml"\n', f'waivers = "waivers.yaml"\nreviews = "{LEDGER}"\n')
    (root / ".gitattributes").write_text(f"{LEDGER} merge=union\n")
    git(project, "init", "-q", "-b", "main")
    done = project.run("review", "--accept")
    assert (done.exit, done.stderr) == (0, "")
    assert "Recorded 3 links in reviews.yaml; 3 of 3 links reviewed." in done.stdout
    commit(project)
    return project


def git(project, *arguments: str) -> str:
    who = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *arguments], cwd=project.root, check=True, capture_output=True, text=True)
    return done.stdout


def commit(project) -> None:
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "as it is")


def suspects(project, command: str = "audit", *arguments: str) -> list[dict]:
    run = project.run(command, *arguments, "--format", "json")
    assert run.stderr == ""
    return [each for each in run.report["findings"] if each["name"] == "suspect-link"]


def rewrite_computing_line(project, old: str, new: str) -> None:
    project.edit("lab/ops.py", old, new)
    project.edit(SPEC, f"in: linear, code: '{old}'", f"in: linear, code: '{new}'")


def test_a_changed_form(repository):
    line = repository.edit(SPEC, "Sum(X[t, k]*W[k, j], k) + b[j]", "Sum(X[t, k]*W[k, j], k) - b[j]")
    (found,) = suspects(repository)
    assert (found["code"], found["severity"], found["path"]) == ("EQ307", "warning", SPEC)
    assert (found["line"], found["column"]) == (line, 12)
    first, header, _, old, new = found["message"].split("\n")
    assert first == "the form changed after 3 links were reviewed"
    assert header.removeprefix("--- as reviewed (").removesuffix(")") in git(repository, "rev-parse", "HEAD")
    assert old == "-form: Eq(Y[t, j], Sum(X[t, k] * W[k, j], k) + b[j])"
    assert new == "+form: Eq(Y[t, j], Sum(X[t, k] * W[k, j], k) - b[j])"
    assert [each["message"] for each in found["related"]] == [
        "linear.linear/computes/0",
        "linear.linear/calls/0",
        "linear.linear/tests/0",
    ]


def test_a_changed_topic_text_is_one_finding(repository):
    line = repository.edit(SPEC, "Everything else is built of it.", "Much else is built of it.")
    (found,) = suspects(repository)
    assert found["line"] == line
    assert "the prose changed after 3 links were reviewed" in found["message"]
    assert "-why: Everything else is built of it.\n+why: Much else is built of it." in found["message"]
    assert len(found["related"]) == 3


def test_a_changed_test_with_its_anchor(repository):
    for path in ("tests/test_ops.py", SPEC):
        repository.edit(path, "np.ones(2)).tolist() == [[2, 3]]", "np.zeros(2)).tolist() == [[1, 2]]")
    (found,) = suspects(repository)
    assert "the code changed after linear.linear/tests/0 was reviewed" in found["message"]
    assert "\n-assert linear(X, np.eye(2), np.ones(2)).tolist() == [[2, 3]]\n+assert linear" in found["message"]


def test_a_computing_line_of_equal_value_clears_itself(repository):
    rewrite_computing_line(repository, "return X @ W + b", "return b + X @ W")
    assert suspects(repository) == []
    assert suspects(repository, "verify") == []
    shown = repository.run("review")
    assert shown.exit == 0
    assert "the code of one reviewed line that runs changed: `eqtrace verify` shows" in shown.stdout


def test_a_computing_line_that_is_refuted_is_suspect_too(repository):
    rewrite_computing_line(repository, "return X @ W + b", "return X @ W - b")
    assert suspects(repository) == []
    (found,) = suspects(repository, "verify")
    assert "linear.linear/computes/0 was reviewed, and the equation is refuted" in found["message"]
    assert "-return X @ W + b\n+return X @ W - b" in found["message"]


def test_accepting_clears_and_is_stable(repository):
    repository.edit(SPEC, "Everything else is built of it.", "Much else is built of it.")
    before = repository.hashes()
    shown = repository.run("review")
    assert shown.exit == 1
    assert "Suspect: 3 links." in shown.stdout
    assert "+why: Much else is built of it." in shown.stdout
    assert repository.hashes() == before
    assert repository.run("review", "--accept", "linear").exit == 0
    assert [path for path, value in repository.hashes().items() if before[path] != value] == [LEDGER]
    assert git(repository, "diff", "--numstat", LEDGER).split()[:2] == ["3", "3"]
    after = (repository.root / LEDGER).read_bytes()
    assert repository.run("review").exit == 0
    again = repository.run("review", "--accept")
    assert "Recorded 0 links" in again.stdout
    assert (repository.root / LEDGER).read_bytes() == after
    assert suspects(repository) == []


def test_spacing_is_silent(repository):
    repository.edit(SPEC, "Sum(X[t, k]*W[k, j], k) + b[j]", "Sum(X[t,k] * W[k,j],k)+b[j]")
    repository.edit("tests/test_ops.py", "    assert linear(X, np.eye(2)", "    assert linear(X,  np.eye( 2 )")
    assert repository.run("review").exit == 0


def test_without_git_the_difference_is_said_to_be_missing(repository):
    shutil.rmtree(repository.root / ".git")
    repository.edit(SPEC, "Everything else is built of it.", "Much else is built of it.")
    (found,) = suspects(repository)
    assert found["message"] == "the prose changed after 3 links were reviewed"
    assert "the difference can't be shown: this is no git repository" in found["hint"]


def test_reviews_of_two_branches_merge(repository):
    git(repository, "checkout", "-q", "-b", "one")
    for path in ("tests/test_ops.py", SPEC):
        repository.edit(path, "np.ones(2)).tolist() == [[2, 3]]", "np.zeros(2)).tolist() == [[1, 2]]")
    repository.run("review", "--accept")
    git(repository, "commit", "-aqm", "another test, reviewed")
    git(repository, "checkout", "-q", "main")
    rewrite_computing_line(repository, "return X @ W + b", "return b + X @ W")
    repository.run("review", "--accept")
    git(repository, "commit", "-aqm", "another way to compute, reviewed")
    git(repository, "merge", "-q", "one")
    lines = (repository.root / LEDGER).read_text().splitlines()
    assert len(lines) > 5  # both sides' lines are there
    assert suspects(repository) == []
    assert repository.run("review").exit == 0
    done = repository.run("review", "--accept")
    assert "Recorded 0 links" in done.stdout
    assert len((repository.root / LEDGER).read_text().splitlines()) == 5


def test_a_merge_without_union_says_where_its_markers_are(repository):
    ledger = repository.root / LEDGER
    lines = ledger.read_text().splitlines(keepends=True)
    ledger.write_text(
        "".join([*lines[:2], "<<<<<<< HEAD\n", lines[2], "=======\n", lines[2], ">>>>>>> one\n", *lines[3:]])
    )
    before = ledger.read_bytes()
    run = repository.run("audit", "--format", "json")
    (found,) = run.report["findings"]
    assert (run.exit, found["name"], found["path"], found["line"]) == (1, "yaml-syntax", LEDGER, 3)
    refused = repository.run("review", "--accept")
    assert refused.exit == 2
    assert "markers" in refused.stdout
    assert ledger.read_bytes() == before


def test_a_moved_line_is_refused_and_the_rest_recorded(repository):
    (repository.root / LEDGER).unlink()
    repository.edit("lab/ops.py", '"""A linear layer."""\n', '"""A linear layer."""\n\n\n')
    done = repository.run("review", "--accept", "--format", "json")
    assert done.exit == 1
    assert done.report["reviews"] == {
        "ledger": LEDGER,
        "links": 3,
        "reviewed": 1,
        "suspect": 0,
        "recorded": 1,
        "removed": 0,
        "refused": ["linear.linear/computes/0", "linear.linear/calls/0"],
    }
    assert {each["name"] for each in done.report["findings"]} == {"line-moved"}
    assert "'linear.linear/tests/0'" in (repository.root / LEDGER).read_text()


def test_a_link_that_is_gone_loses_its_line_only_where_all_was_read(repository):
    text = (repository.root / SPEC).read_text()
    start = text.index("      - {role: tests")
    (repository.root / SPEC).write_text(text[:start])
    (repository.root / "spec/broken.yaml").write_text("topic: [\n")
    repository.run("review", "--accept")
    assert "linear.linear/tests/0" in (repository.root / LEDGER).read_text()
    (repository.root / "spec/broken.yaml").unlink()
    assert "1 line of links that are gone removed" in repository.run("review", "--accept").stdout
    assert "linear.linear/tests/0" not in (repository.root / LEDGER).read_text()


def test_the_summary_counts(repository):
    assert "reviewed    3 of 3 links" in repository.run("audit").stdout
    ledger = repository.root / LEDGER
    ledger.write_text("".join(ledger.read_text().splitlines(keepends=True)[:-1]))
    assert "reviewed    2 of 3 links" in repository.run("audit").stdout
    shown = repository.run("review")
    assert (shown.exit, "1 of 3 links not reviewed yet" in shown.stdout) == (0, True)
    ledger.unlink()
    shown = repository.run("audit")
    assert shown.exit == 0
    assert "there is no reviews.yaml yet" in shown.stdout
    assert repository.run("review").exit == 0


def test_no_ledger_is_named(repository):
    repository.edit("pyproject.toml", f'reviews = "{LEDGER}"\n', "")
    for arguments in (("review",), ("review", "--accept")):
        run = repository.run(*arguments)
        assert run.exit == 2
        assert "reviews = 'spec/reviews.yaml'" in run.stderr
    assert "reviewed" not in repository.run("audit").stdout


def test_it_runs_no_code_of_the_project(repository):
    for path in ("lab/ops.py", "tests/test_ops.py", "scenarios.py"):
        file = repository.root / path
        file.write_text(file.read_text() + "\nopen('ran', 'w').close()\n")
    repository.run("review")
    repository.run("review", "--accept")
    assert not (repository.root / "ran").exists()


def test_a_file_that_cannot_be_merged_is_told_once_it_is_written(repository):
    git(repository, "rm", "-q", ".gitattributes")
    assert "reviews.yaml merge=union" in repository.run("review", "--accept").stderr


def test_line_ends_stay(repository):
    ledger = repository.root / LEDGER
    crlf = ledger.read_bytes().replace(b"\n", b"\r\n")
    ledger.write_bytes(crlf)
    assert repository.run("review", "--accept").exit == 0
    assert ledger.read_bytes() == crlf
