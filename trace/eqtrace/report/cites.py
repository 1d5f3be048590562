"""The reports of `cites`: text with excerpts, one line a finding, or JSON (held by `cites.schema.json`)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from eqtrace import __version__
from eqtrace.model.citation import SEVERITIES, CitationEdit, CitationStatus, Cited, Judged, Target
from eqtrace.model.finding import Severity
from eqtrace.model.span import Span
from eqtrace.report.excerpt import Files, excerpt
from eqtrace.report.styled import Line, clean
from eqtrace.report.summary import count

_STYLE = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
_WORDS = {
    CitationStatus.OK: "where they say",
    CitationStatus.MOVED: "moved: the line stands elsewhere now",
    CitationStatus.CHANGED: "changed: the line is no longer as it was",
    CitationStatus.MISSING: "missing: no such file or symbol any more",
    CitationStatus.PAST_END: "past the end of the file",
    CitationStatus.MISMATCH: "mismatch: another name stands there",
    CitationStatus.AMBIGUOUS: "ambiguous: several files may be meant",
    CitationStatus.UNKNOWN: "unknown: nothing speaks for or against them",
}


def full(cited: Cited, root: Path, every: bool = False) -> list[Line]:
    """Each finding with excerpts and evidence, then what was checked and what was not."""
    quoted = Files(root)
    lines: list[Line] = []
    for each in shown(cited, every):
        lines += [*_finding(each, quoted), []]
    return [*lines, *_summary(cited)]


def concise(cited: Cited, every: bool = False) -> list[Line]:
    """One line a finding and one closing line."""
    return [*(_headline(each) for each in shown(cited, every)), closing(cited)]


def shown(cited: Cited, every: bool) -> list[Judged]:
    """The citations that a report lists: errors and warnings, or all of them."""
    listed = (Severity.ERROR, Severity.WARNING)
    return [each for each in cited.citations if every or SEVERITIES.get(each.status) in listed]


def _headline(judged: Judged) -> Line:
    severity = SEVERITIES.get(judged.status)
    style = "green" if severity is None else _STYLE[severity]
    word = "" if severity in (None, Severity.ERROR) else f"{severity}: "
    citation = judged.citation
    return [
        (clean(str(citation.span)), "bold"),
        (": ", ""),
        (f"[{judged.status}] ", style),
        (word, style),
        (clean(f"`{citation.text}`{_outcome(judged)}"), ""),
    ]


def _outcome(judged: Judged) -> str:
    target, proposed = judged.target, judged.proposed
    meant = f" ({target})" if target is not None and target.path != judged.citation.file else ""
    if proposed is None:
        first = judged.evidence[0].text if judged.evidence else ""
        return f"{meant}: {first}" if first else meant
    verb = "is" if judged.confidence == "strong" else "may be"
    return f"{meant} {verb} {proposed} now" if judged.status is CitationStatus.MOVED else f"{meant}: {verb} {proposed}"


def _finding(judged: Judged, quoted: Files) -> list[Line]:
    citation, target = judged.citation, judged.target
    style = _STYLE.get(SEVERITIES.get(judged.status, Severity.NOTE), "")
    places = [place.line for place in (target, judged.proposed) if place is not None and place.line is not None]
    gutter = len(str(max([citation.span.line, *places])))
    edge = (" " * gutter, "")
    lines = [_headline(judged), *_quoted(citation.span, quoted, gutter, style)]
    for place, said in ((target, "cited"), (judged.proposed, "proposed" if judged.fixable else "perhaps")):
        if place is not None and place.line is not None:
            lines.append([edge, ("--> ", "bright_blue"), (clean(f"{place}: {said}"), "")])
            lines += _quoted(Span(place.path, place.line), quoted, gutter, "", carets=False)
    lines += [[edge, (" = ", "bright_blue"), (clean(f"{each.kind}: {each.text}"), "")] for each in judged.evidence]
    lines.append([edge, (" = ", "bright_blue"), (f"evidence: {judged.confidence}", "")])
    if (hint := _hint(judged)) is not None:
        lines.append([edge, (" = hint: ", "bold green"), (hint, "")])
    return lines


def _hint(judged: Judged) -> str | None:
    if judged.fixable:
        return "`eqtrace cites --fix` writes it (--diff shows it first)"
    if judged.proposed is not None:
        return "read both places; this is not sure enough to be written"
    if judged.status is CitationStatus.AMBIGUOUS:
        return "write more of the path"
    return None


def _quoted(span: Span, quoted: Files, gutter: int, style: str, carets: bool = True) -> list[Line]:
    lines = excerpt(span, quoted, gutter, style)
    bar: Line = [(" " * gutter + " |", "bright_blue")]
    return [bar, *(lines if carets else lines[:1])] if lines else []


def _summary(cited: Cited) -> list[Line]:
    tally = Counter(each.status for each in cited.citations)
    head = f"{count(len(cited.citations), 'citation')} in {count(cited.documents, 'document')}"
    lines: list[Line] = [[("eqtrace cites", "bold"), (f"  {head} in {cited.seconds:.2f} s", "")]]
    lines += [[(f"  {tally[status]:>7,}  {_WORDS[status]}", "")] for status in CitationStatus if tally[status]]
    lines += [[(f"  {text}", "")] for text in _unread(cited)]
    return [*lines, [], closing(cited)]


def _unread(cited: Cited) -> list[str]:
    said = []
    if cited.set_aside:
        said.append(f"set aside: {count(len(cited.set_aside), 'record')} of their day (--records reads them)")
    if cited.unreadable:
        names = ", ".join(cited.unreadable[:3]) + (", ..." if len(cited.unreadable) > 3 else "")
        said.append(
            f"not read: {count(len(cited.unreadable), 'file')}, or lines of them, no text or too large ({names})"
        )
    if cited.history:
        said.append(f"without history: {cited.history}")
    if cited.left_out:
        said.append(f"left out: {count(cited.left_out, 'citation')} that nothing touched")
    if cited.known:
        said.append(f"held back: {count(cited.known, 'finding')} that the baseline knows")
    return said


def closing(cited: Cited) -> Line:
    """What came out, in one line."""
    found = Counter(SEVERITIES.get(each.status) for each in cited.citations)
    errors, warnings = found[Severity.ERROR], found[Severity.WARNING]
    fixable = sum(each.fixable for each in cited.citations)
    can = f"; --fix can write {fixable}" if fixable else ""
    text = f"{count(errors, 'error')}, {count(warnings, 'warning')} in {count(len(cited.citations), 'citation')}{can}."
    return [(text, "bold red" if errors else "bold yellow" if warnings else "bold green")]


def render(cited: Cited, code: int) -> str:
    """The JSON text, ending in a newline."""
    return json.dumps(document(cited, code), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def document(cited: Cited, code: int) -> dict[str, Any]:
    """The report as JSON data."""
    tally = Counter(each.status for each in cited.citations)
    severities = Counter(SEVERITIES[each.status] for each in cited.citations if each.status in SEVERITIES)
    return {
        "eqtrace": __version__,
        "command": "cites",
        "exit": code,
        "summary": {
            "documents": cited.documents,
            "citations": len(cited.citations),
            "statuses": {status.value: tally[status] for status in CitationStatus},
            "findings": {severity.value: severities[severity] for severity in Severity},
            "fixable": sum(each.fixable for each in cited.citations),
            "set_aside": len(cited.set_aside),
            "unreadable": list(cited.unreadable),
            "left_out": cited.left_out,
            "held_back": cited.known,
            "history": cited.history or None,
            "seconds": round(cited.seconds, 3),
        },
        "citations": [_row(each) for each in cited.citations],
        "edits": [_edit(each) for each in cited.edits],
    }


def schema() -> str:
    """The JSON Schema of the report, as committed."""
    return files("eqtrace.report").joinpath("cites.schema.json").read_text(encoding="utf-8")


def _row(judged: Judged) -> dict[str, Any]:
    citation = judged.citation
    return {
        "path": citation.span.path,
        "line": citation.span.line,
        "column": citation.span.column,
        "text": citation.text,
        "target": _target(judged.target)
        or {"path": None, "line": citation.line, "end_line": citation.end_line, "symbol": citation.symbol},
        "status": judged.status.value,
        "proposed": _target(judged.proposed),
        "evidence": [{"kind": each.kind, "text": each.text} for each in judged.evidence],
        "confidence": judged.confidence.value,
        "fixable": judged.fixable,
    }


def _target(target: Target | None) -> dict[str, Any] | None:
    if target is None:
        return None
    return {"path": target.path, "line": target.line, "end_line": target.end_line, "symbol": target.symbol}


def _edit(edit: CitationEdit) -> dict[str, Any]:
    span = edit.span
    return {"path": span.path, "line": span.line, "column": span.column, "old": edit.old, "new": edit.new}


def exit_code(cited: Cited, fail_on: Sequence[str] = ()) -> int:
    """0, or 1 where an error was found, or a status that `fail_on` names."""
    failing = {status.value for status, severity in SEVERITIES.items() if severity is Severity.ERROR} | set(fail_on)
    return int(any(each.status.value in failing for each in cited.citations))
