"""JUnit's XML: a test case for each equation's citations and for each of its methods."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from eqtrace.model.finding import Finding, Severity
from eqtrace.model.verdict import Verdict
from eqtrace.report.rows import MethodRow, Rows

CITATIONS = "citations"
WHOLE = "as a whole"
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Rows) -> str:
    """The report. A method that showed nothing without an error is skipped with its reason, never a pass."""
    suite = ET.Element("testsuite", name=f"eqtrace {report.summary.command}", time=f"{report.summary.seconds:.3f}")
    findings: dict[tuple[str | None, str | None], list[Finding]] = {}
    for finding in report.findings:
        findings.setdefault((finding.equation, finding.method or None), []).append(finding)
    for row in report.equations:
        _case(suite, row.id, CITATIONS, None, findings.pop((row.id, None), []))
        for name, method in row.methods.items():
            if report.summary.verdicts is not None:
                _case(suite, row.id, name, method, findings.pop((row.id, name), []))
    rest = {id(finding) for found in findings.values() for finding in found}
    _case(suite, "specification", WHOLE, None, [each for each in report.findings if id(each) in rest])
    cases = list(suite)
    suite.set("tests", str(len(cases)))
    for kind, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(case.find(kind) is not None for case in cases)))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _case(suite: ET.Element, group: str, name: str, method: MethodRow | None, findings: Iterable[Finding]) -> None:
    seconds = 0.0 if method is None else method.seconds
    case = ET.SubElement(suite, "testcase", classname=_text(group), name=_text(name), time=f"{seconds:.3f}")
    errors = [each for each in findings if each.severity is Severity.ERROR]
    others = [each for each in findings if each.severity is not Severity.ERROR]
    if errors:
        first = errors[0]
        failure = ET.SubElement(case, "failure", type=first.code, message=_text(first.message.split("\n")[0]))
        failure.text = "\n".join(_told(each) for each in errors)
    elif method is not None and method.verdict == Verdict.REFUTED.value:
        ET.SubElement(case, "failure", type=method.verdict, message=_text(method.detail))
    elif (method is None or method.verdict == Verdict.NOT_CHECKED.value) and name not in (CITATIONS, WHOLE):
        ET.SubElement(case, "skipped", message=_text(method.detail if method is not None else "it was not run"))
    if others:
        ET.SubElement(case, "system-out").text = "\n".join(_told(each) for each in others)


def _told(finding: Finding) -> str:
    lines = [f"{finding.span}: {finding.code} [{finding.name}] {finding.message}"]
    lines += [f"  {each.span}: {each.message}" for each in finding.related]
    return _text("\n".join([*lines, f"  hint: {finding.hint}"] if finding.hint else lines))


def _text(text: str) -> str:
    """Without the characters that XML can't hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
