"""The rows of an audit as JSON data, and back: what the text reports of a kept audit are rendered from.

Its equations are left out, which the text reports name only where methods were run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eqtrace.cache import Unreadable, checked, decode_span, encode_span
from eqtrace.model.finding import Finding, Related, Severity
from eqtrace.model.results import Coverage, Reviews, Tally
from eqtrace.report.rows import LatexSummary, Rows, Summary

_NUMBERS = (
    "exit",
    "seed",
    "topics",
    "equations",
    "equations_in_all",
    "files",
    "anchors",
    "anchors_executable",
    "equation_waivers",
    "statement_waivers",
)
_COUNTS = ("statuses", "examples", "severities")
_SENTENCES = ("skipped", "notes")
_LATEX = ("total", "proof", "values", "differ", "not_compared", "not_read", "waived", "forms")
_TALLY = ("covered", "total", "waived")


def encode(report: Rows) -> dict[str, Any]:
    """The rows of an audit as JSON data."""
    facts = report.summary
    return {
        **{name: getattr(facts, name) for name in ("command", *_NUMBERS)},
        **{name: dict(getattr(facts, name)) for name in _COUNTS},
        **{name: list(getattr(facts, name)) for name in _SENTENCES},
        "coverage": None if facts.coverage is None else [_listed(each, _TALLY) for each in _tallies(facts.coverage)],
        "reviews": None
        if facts.reviews is None
        else [facts.reviews.ledger, facts.reviews.links, facts.reviews.reviewed, facts.reviews.suspect],
        "latex": None if facts.latex is None else _listed(facts.latex, _LATEX),
        "states": None if facts.states is None else _listed(facts.states, _LATEX),
        "findings": [_finding(each) for each in report.findings],
    }


def decode(data: Any) -> Rows:
    """The rows that JSON data stand for, of an audit that came from the cache whole.

    Raises:
        Unreadable: they stand for none.
    """
    try:
        numbers: dict[str, Any] = {name: checked(data[name], (int,)) for name in _NUMBERS}
        numbers |= {name: _counts(data[name]) for name in _COUNTS}
        numbers |= {name: tuple(checked(each, (str,)) for each in data[name]) for name in _SENTENCES}
        summary = Summary(
            command=checked(data["command"], (str,)),
            **numbers,
            anchors_executed=None,
            verdicts=None,
            coverage=None if data["coverage"] is None else _coverage(data["coverage"]),
            seconds=0.0,
            from_cache=numbers["anchors"],
            reviews=None if data["reviews"] is None else _reviews(data["reviews"]),
            latex=None if data["latex"] is None else LatexSummary(*_ints(data["latex"])),
            states=None if data["states"] is None else LatexSummary(*_ints(data["states"])),
        )
        return Rows(summary, (), tuple(_found(each) for each in data["findings"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable from error


def _tallies(coverage: Coverage) -> tuple[Tally, Tally]:
    return coverage.equations, coverage.statements


def _listed(value: object, names: tuple[str, ...]) -> list[int]:
    return [getattr(value, name) for name in names]


def _finding(finding: Finding) -> list[Any]:
    related = [[encode_span(each.span), each.message] for each in finding.related]
    span = encode_span(finding.span)
    words = [finding.code, finding.name, finding.severity.value, finding.message, finding.hint]
    return [words, span, related, finding.equation, finding.method]


def _found(data: Any) -> Finding:
    words, span, related, equation, method = data
    code, name, severity, message, hint = (checked(each, (str,)) for each in words)
    places = tuple(Related(decode_span(where), checked(said, (str,))) for where, said in related)
    optional = (str, type(None))
    owner, by = checked(equation, optional), checked(method, optional)
    return Finding(code, name, Severity(severity), message, decode_span(span), hint, places, owner, by)


def _coverage(data: Any) -> Coverage:
    equations, statements = (Tally(*_ints(each)) for each in data)
    return Coverage(equations, statements)


def _reviews(data: Any) -> Reviews:
    ledger, *counts = data
    links, reviewed, suspect = _ints(counts)
    return Reviews(checked(ledger, (str,)), links, reviewed, suspect)


def _ints(data: Any) -> list[int]:
    return [checked(each, (int,)) for each in data]


def _counts(data: Any) -> Mapping[str, int]:
    return {checked(name, (str,)): checked(count, (int,)) for name, count in data.items()}
