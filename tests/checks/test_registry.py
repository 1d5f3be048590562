"""Registry, files, cases and documentation hold together."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import eqtrace.checks
from eqtrace.checks.check import Check
from eqtrace.checks.registry import BY_NAME, CHECKS
from eqtrace.cli.main import run

HERE = Path(__file__).parent
FOLDER = Path(eqtrace.checks.__file__).parent
DOCS = HERE.parents[1] / "docs" / "checks.md"
each_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)


def test_codes_and_names_are_unique_and_in_order() -> None:
    codes = [check.code for check in CHECKS]
    assert codes == sorted(set(codes))
    assert len(BY_NAME) == len(CHECKS)
    assert all(re.fullmatch(r"EQ[1-9]\d\d", code) for code in codes)


def test_each_check_is_one_file() -> None:
    files = {path.stem for path in FOLDER.glob("*.py")} - {"__init__", "check", "registry"}
    assert files == {check.name.replace("-", "_") for check in CHECKS}


@each_check
def test_its_file_holds_it(check: Check) -> None:
    text = (FOLDER / f"{check.name.replace('-', '_')}.py").read_text("utf-8")
    assert f'CHECK = Check("{check.code}", "{check.name}", Severity.{check.severity.name}, __doc__)' in text


@each_check
def test_its_documentation(check: Check) -> None:
    first, *paragraphs = check.documentation.split("\n\n")
    assert re.match(r"[A-Z`].*\.$", first, re.DOTALL), "a sentence comes first"
    assert sum(part.startswith("Mend: ") for part in paragraphs) == 1
    assert paragraphs[-1].startswith("Mend: "), "what hints are made of comes last"
    assert check.mend
    assert max(map(len, check.documentation.split("\n"))) <= 120


@each_check
def test_explain_prints_it(check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    for word in (check.code, check.code.lower(), check.name):
        assert run(["explain", word]) == 0
        shown = capsys.readouterr().out
        assert shown == f"{check.code} {check.name} ({check.severity.value})\n\n{check.documentation}\n"


def test_each_check_has_cases_that_fire_and_cases_that_stay_silent() -> None:
    cases = {path.stem: path.read_text("utf-8") for path in (HERE / "cases").iterdir()}
    assert cases.keys() == BY_NAME.keys()
    for name, text in cases.items():
        check = BY_NAME[name]
        assert text.split("\n", 1)[0] == f"{check.code} {name} {check.severity.value}"
        assert "\n--- fires: " in text, name
        assert "\n--- silent: " in text, name


def test_the_page_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "--all"]) == 0
    written = capsys.readouterr().out
    assert DOCS.read_text("utf-8") == written, "run `eqtrace explain --all > docs/checks.md`"
    assert all(f"\n### {check.code} {check.name}\n" in written for check in CHECKS)
