"""Formats of services: what stands in messages and paths changes nothing of their structure."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from eqtrace.model.finding import Finding, Related, Severity
from eqtrace.model.results import Results
from eqtrace.model.span import Span
from eqtrace.report import github, junit
from eqtrace.report.known import FINDINGS, fingerprints
from eqtrace.report.rows import rows

NASTY = "50% off\n::error::no, <b>this</b> | that `x`\x00\x1b[31m"


@pytest.fixture
def nasty(audited: Results) -> Results:
    place = Span("a,b:c%.yaml", 3, 5)
    finding = Finding("EQ501", "value-mismatch", Severity.ERROR, NASTY, place, "mend", (Related(place, ""),))
    return replace(audited, findings=(finding,), exit=1)


def test_workflow_commands_are_one_line_each(nasty):
    first, second, closing, *rest = github.render(rows(nasty), "").splitlines()
    assert not rest
    assert first.startswith("::error file=a%2Cb%3Ac%25.yaml,line=3,col=5,title=EQ501 value-mismatch::50%25 off%0A")
    assert first.count("::error") == 2  # the second one within the message
    assert "\x1b" not in first + second
    assert second.startswith("::error file=a%2Cb%3Ac%25.yaml,line=3,")
    assert "1 error" in closing


def test_the_summary_holds_no_markup_of_others(nasty):
    text = github.summary(rows(nasty))
    (row,) = [line for line in text.splitlines() if line.startswith("| error")]
    assert row.replace("\\|", "").count("|") == 5
    assert "<b>" not in text


def test_many_findings_are_counted(nasty):
    many = replace(nasty, findings=nasty.findings * 40)
    assert "10 more findings." in github.summary(rows(many))


def test_xml_holds_no_characters_that_it_cannot(nasty):
    suite = ET.fromstring(junit.render(rows(nasty)).encode()).find("testsuite")
    assert suite is not None
    failure = next(case.find("failure") for case in suite if case.get("name") == "as a whole")
    assert failure is not None
    assert "no, <b>this</b>" in (failure.text or "")


def test_equal_findings_have_fingerprints_of_their_own(nasty):
    twice = [*nasty.findings, *nasty.findings]
    marks = [mark for _, mark in fingerprints(twice)]
    assert len(set(marks)) == 2
    assert marks == [mark for _, mark in fingerprints(twice)]


def test_numbers_of_a_message_are_no_part_of_what_is_known(nasty):
    (finding,) = nasty.findings
    moved = replace(finding, message=finding.message.replace("50", "51"), span=Span(finding.span.path, 9))
    assert not FINDINGS.hold_back([moved], FINDINGS.dump([finding]), "x").new
    assert FINDINGS.hold_back([replace(finding, code="EQ502")], FINDINGS.dump([finding]), "x").gone == 1


def test_notes_are_not_held_back(nasty):
    (finding,) = nasty.findings
    note = replace(finding, severity=Severity.NOTE)
    assert FINDINGS.hold_back([note], FINDINGS.dump([note]), "x").new == (note,)
