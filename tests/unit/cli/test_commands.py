import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from eqtrace.cli.main import run
from eqtrace.model.anchor import Anchor, Match, Role, Status
from eqtrace.model.finding import Finding, Severity
from eqtrace.model.span import Span, Text

ALL = {"linear.linear", "linear.bias", "relu.relu"}


def test_audit_and_verify_pass_on_what_was_asked(eqtrace, parts) -> None:
    assert eqtrace("audit").code == 0
    assert eqtrace("verify", "-j", "3", "--seed", "9", "--timeout", "1.5", "relu").code == 0
    assert eqtrace("verify", "--no-cache").code == 0
    (_, everything, *_), (_, selected, *how, cache), (*_, cache_switched_off) = parts.calls
    assert everything is None
    assert (selected, how) == (frozenset({"relu.relu"}), [3, 9, 1.5, None])
    assert (cache, cache_switched_off) == (True, False)


def test_mutate_passes_on_what_was_asked(eqtrace, parts) -> None:
    assert eqtrace("mutate", "-j", "3", "--seed", "9", "--limit", "2.5", "relu").code == 0
    assert eqtrace("mutate", "--no-cache").code == 0
    (_, selected, how, limit, cache), (_, everything, _, usual, cache_switched_off) = parts.calls
    assert (selected, everything) == (frozenset({"relu.relu"}), None)
    assert (how.jobs, how.seed) == (3, 9)
    assert (limit, usual) == (2.5, 10.0)
    assert (cache, cache_switched_off) == (True, False)
    assert eqtrace("mutate", "--limit", "0").code == 2


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["linear.linear"], {"linear.linear"}),
        (["linear"], {"linear.linear", "linear.bias"}),
        (["*.bias", "relu.relu"], {"linear.bias", "relu.relu"}),
        (["*"], ALL),
        (["spec/relu.yaml"], {"relu.relu"}),
        (["./spec/*.yaml"], ALL),
        (["ops.py"], {"linear.bias"}),
    ],
)
def test_ids_topics_globs_and_files_select(eqtrace, parts, patterns: list[str], expected: set[str]) -> None:
    eqtrace("audit", *patterns)
    assert parts.calls[0][1] == expected


def test_a_file_selects_from_a_folder_below_too(eqtrace, parts, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "spec").mkdir()
    monkeypatch.chdir(tmp_path / "spec")
    eqtrace("audit", "relu.yaml")
    eqtrace("audit", str(tmp_path / "ops.py"))
    assert [call[1] for call in parts.calls] == [{"relu.relu"}, {"linear.bias"}]


def test_a_selection_of_nothing_exits_2_with_the_nearest_ids(eqtrace, parts) -> None:
    shown = eqtrace("verify", "linear.linaer")
    assert shown.code == 2
    assert "'linear.linaer' selects no equation" in shown.err
    assert "nearest: linear.linear" in shown.err
    assert not parts.calls


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Writes one module and its entries, and goes there."""

    def write(code: str, entries: str) -> None:
        (tmp_path / "pyproject.toml").write_text('[tool.eqtrace]\nspec = ["e.yaml"]\nsources = ["m.py"]\n')
        (tmp_path / "m.py").write_text(code)
        (tmp_path / "e.yaml").write_text(entries)
        monkeypatch.chdir(tmp_path)

    return write


def test_a_selection_in_a_specification_that_cannot_be_read_says_so(project, capsys) -> None:
    project("def f(x): return x\n", "m:\n  f: {sympy: 'x'\n")
    assert run(["verify", "m:f"]) == 2
    shown = capsys.readouterr().err
    assert "'m:f' selects no equation that can be read" in shown
    assert "e.yaml:3:1: the YAML can't be read" in shown


def test_a_file_that_cannot_be_read_brings_no_unknown_symbols_with_it(project, capsys) -> None:
    project("def f(x, k): return k * x\ndef broken(:\n", "m:\n  f: {sympy: 'k*x'}\n")
    assert run(["audit", "--no-cache"]) == 1
    shown = capsys.readouterr().out
    assert "EQ206" in shown
    assert "EQ108" not in shown
    project("def f(x): return x\n", "m:\n  f: {sympy: 'k*x'}\n")
    assert run(["audit", "--no-cache"]) == 1
    assert "EQ108" in capsys.readouterr().out


def test_one_pattern_of_several_that_selects_nothing_exits_2(eqtrace, parts) -> None:
    assert eqtrace("audit", "relu", "nonsense").code == 2


def test_exit_code_and_exit_zero(eqtrace, parts) -> None:
    parts.results = replace(parts.results, exit=1)
    assert eqtrace("audit").code == 1
    shown = eqtrace("audit", "--exit-zero", "--format", "json")
    assert (shown.code, json.loads(shown.out)["exit"]) == (0, 0)
    parts.results = replace(parts.results, exit=2)
    assert eqtrace("audit", "--exit-zero").code == 2


def test_fail_on_takes_codes_and_names_and_no_others(eqtrace, parts) -> None:
    eqtrace("audit", "--fail-on", "EQ501", "--fail-on", "line-moved")
    assert parts.calls[0][0].fail_on == {"EQ501", "line-moved"}
    shown = eqtrace("audit", "--fail-on", "line-movd")
    assert shown.code == 2
    assert "nearest: line-moved" in shown.err


def test_formats_and_output_file(eqtrace, parts, tmp_path: Path) -> None:
    assert len(eqtrace("audit", "--format", "concise").out.splitlines()) == 1
    shown = eqtrace("audit", "--format", "json", "--output-file", "new/report.json")
    assert shown.out == ""
    assert shown.err.startswith("No errors in 3 equations")
    assert json.loads((tmp_path / "new/report.json").read_text())["command"] == "audit"
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["report.json"]


def test_an_output_file_that_cannot_be_written_exits_2(eqtrace, parts, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert eqtrace("audit", "--output-file", "file/report.txt").code == 2


def test_explain_prints_the_documentation_by_code_or_name(eqtrace, parts) -> None:
    expected = "EQ201 line-moved (warning)\n\nA line moved.\n\nMore.\n"
    assert eqtrace("explain", "EQ201").out == expected
    assert eqtrace("explain", "eq201").out == expected
    assert eqtrace("explain", "201").out == expected
    assert eqtrace("explain", "line-moved").out == expected


def test_explain_without_a_code_lists_all(eqtrace, parts) -> None:
    assert [line.split()[0] for line in eqtrace("explain").out.splitlines()] == ["EQ201", "EQ501"]


def test_explain_of_an_unknown_code_exits_2_with_the_nearest(eqtrace, parts) -> None:
    shown = eqtrace("explain", "EQ502")
    assert shown.code == 2
    assert "EQ501" in shown.err


def test_schema_of_the_specification_and_of_the_results(eqtrace, parts, tmp_path: Path) -> None:
    assert json.loads(eqtrace("schema").out) == {"title": "spec"}
    assert json.loads(eqtrace("schema", "--results").out)["title"] == "eqtrace results"
    assert json.loads(eqtrace("schema", "--pages").out) == {"title": "pages"}
    assert eqtrace("schema", "--pages", "--results").code == 2
    assert eqtrace("schema", "--output-file", "schema.json").out == ""
    assert json.loads((tmp_path / "schema.json").read_text()) == {"title": "spec"}


@pytest.fixture
def moved(parts, tmp_path: Path) -> Path:
    """A citation whose line moved from 2 to 7, as audit would report it."""
    spec = tmp_path / "spec.yaml"
    spec.write_text("anchors:\n  - {role: computes, at: 'ops.py:2', in: f}\n")
    at = Text("ops.py:2", Span("spec.yaml", 2, 26, 2, 36), "'")
    anchor = Anchor("linear.bias/computes/0", Role.COMPUTES, "ops.py", 2, "f", "return b", at.span, at)
    finding = Finding("EQ201", "line-moved", Severity.WARNING, "ops.py:2 is at line 7", at.span)
    match = Match(anchor, Status.MOVED, Span("ops.py", 7, 5, 7, 13), "f", "return b")
    parts.results = replace(parts.results, matches={anchor.id: match}, findings=(finding,))
    return spec


def test_fix_rewrites_moved_lines_and_prints_each(eqtrace, moved: Path) -> None:
    shown = eqtrace("fix")
    assert (shown.code, shown.out) == (0, "spec.yaml:2: ops.py:2 -> ops.py:7\n")
    assert shown.err == "1 citation in 1 file rewritten.\n"
    assert "at: 'ops.py:7', in: f" in moved.read_text()


def test_fix_with_diff_writes_nothing(eqtrace, moved: Path) -> None:
    before = moved.read_text()
    shown = eqtrace("fix", "--diff")
    assert "+  - {role: computes, at: 'ops.py:7', in: f}\n" in shown.out
    assert shown.err == "1 citation in 1 file would be rewritten.\n"
    assert (shown.code, moved.read_text()) == (0, before)


def test_fix_as_json_holds_the_edits_and_no_finding_that_they_mend(eqtrace, moved: Path) -> None:
    document = json.loads(eqtrace("fix", "--format", "json").out)
    assert (document["command"], document["exit"], document["findings"]) == ("fix", 0, [])
    assert document["edits"] == [{"path": "spec.yaml", "line": 2, "column": 26, "old": "ops.py:2", "new": "ops.py:7"}]


def test_fix_of_a_file_that_changed_meanwhile_exits_2(eqtrace, moved: Path) -> None:
    moved.write_text("# changed\n")
    shown = eqtrace("fix")
    assert (shown.code, shown.out) == (2, "")
    assert "spec.yaml: left alone" in shown.err
    assert shown.err.endswith("Nothing was rewritten.\n")
    assert moved.read_text() == "# changed\n"


def test_fix_says_what_only_you_can_mend(eqtrace, parts, moved: Path) -> None:
    (match,) = parts.results.matches.values()
    lost = replace(match, status=Status.CHANGED)
    parts.results = replace(parts.results, matches={match.anchor.id: lost})
    shown = eqtrace("fix")
    assert (shown.code, shown.out) == (0, "")
    assert shown.err == "Nothing to fix; 1 citation left that only you can mend: see `eqtrace audit`.\n"


def test_site_verifies_and_writes_the_pages(eqtrace, parts, tmp_path: Path) -> None:
    parts.results = replace(parts.results, exit=1)
    shown = eqtrace("site", "--seed", "3")
    assert shown.code == 1
    assert parts.calls[0][3] == 3
    assert (tmp_path / "reports/site/index.html").is_file()
    assert "files of the site written to" in shown.err


def test_site_without_verification_runs_the_audit_only(eqtrace, parts, tmp_path: Path) -> None:
    assert eqtrace("site", "--no-verify", "--output", "public").code == 0
    assert len(parts.calls[0]) == 2
    assert (tmp_path / "public/index.html").is_file()


def test_a_project_elsewhere_is_named(eqtrace, parts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert "  project " not in eqtrace("audit").out
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert f"  project     {tmp_path}\n" in eqtrace("audit").out
