import json
from dataclasses import replace
from pathlib import Path

import pytest

ALL = {"linear.linear", "linear.bias", "relu.relu"}


def test_audit_and_verify_pass_on_what_was_asked(eqtrace, parts) -> None:
    assert eqtrace("audit").code == 0
    assert eqtrace("verify", "-j", "3", "--seed", "9", "--timeout", "1.5", "relu").code == 0
    (_, everything), (_, selected, jobs, seed, timeout, progress) = parts.calls
    assert everything is None
    assert (selected, jobs, seed, timeout, progress) == (frozenset({"relu.relu"}), 3, 9, 1.5, None)


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
    assert eqtrace("schema", "--output-file", "schema.json").out == ""
    assert json.loads((tmp_path / "schema.json").read_text()) == {"title": "spec"}
