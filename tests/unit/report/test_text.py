from dataclasses import replace
from pathlib import Path

import pytest

from eqtrace.model.finding import Finding, Related, Severity
from eqtrace.model.readback import ReadBack, Readback, Stated
from eqtrace.model.results import Results, Reviews
from eqtrace.model.span import Span
from eqtrace.model.verdict import Evidence
from eqtrace.report import text
from eqtrace.report.rows import rows
from eqtrace.report.styled import plain


def full(results: Results, root: Path) -> str:
    return plain(text.full(rows(results), root))


def concise(results: Results) -> list[str]:
    return plain(text.concise(rows(results))).splitlines()


def last(results: Results) -> str:
    return concise(results)[-1]


def test_a_finding_shows_place_excerpts_related_place_and_hint(refuted: Results, root: Path) -> None:
    expected = """\
linear.yaml:5:29: EQ501 [value-mismatch] the line computes something else
  |
5 |       - {role: computes, at: 'ops.py:2', in: linear_forward, code: 'return X @ W + b'}
  |                             ^^^^^^^^^^
  = entry [0, 0]: code -1.0, form 1.0
 --> ops.py:2:12: this statement
  |
2 |     return X @ W - b
  |            ^^^^^^^^^
  = hint: seed 7 repeats it
"""
    assert full(refuted, root).startswith(expected)


def test_the_summary_names_what_was_checked_and_what_was_not(refuted: Results, root: Path) -> None:
    expected = """\
eqtrace verify  1 topic, 2 equations, 2 cited lines from 1 file in 0.25 s, seed 7
  cited lines 1 of 2 where they say, 1 moved (`eqtrace fix` writes their new places)
  executed    1 of 1 cited lines that verification runs
  coverage    1 of 2 equations have code and a test; 3 of 4 arithmetic statements have an equation, 1 waived
  exempt      by waivers: 0 equations, 1 statement
  from cache  nothing
  skipped     nothing
  slowest     linear.bias (value) 0.10 s

  not-checked                1  NOTHING was shown
  refuted                    1  the code does NOT compute the formula
  refuted: linear.linear (value)
  not-checked: linear.bias (derivative)

Failed: 1 error, 0 warnings in 2 equations and 2 cited lines.
"""
    assert full(refuted, root).endswith(expected)


def test_audit_says_that_no_value_was_checked(audited: Results, root: Path) -> None:
    assert "verdicts    none: values are checked by `eqtrace verify`" in full(audited, root)
    assert last(audited).endswith("Values were not checked: run `eqtrace verify`.")


def test_a_run_without_errors_says_of_how_many_nothing_was_shown(verified: Results) -> None:
    assert last(verified) == (
        "No errors in 2 equations and 2 cited lines; 0 errors, 0 warnings. Nothing was shown of 1 equation."
    )


@pytest.mark.parametrize("exit_code", [0, 2])
def test_an_empty_run_cannot_be_read_as_a_pass(audited: Results, root: Path, exit_code: int) -> None:
    empty = replace(audited, selected=(), exit=exit_code)
    assert last(empty).startswith("Nothing was checked")
    assert "No errors" not in full(empty, root)
    assert "ok" not in full(empty, root).lower().replace("looked", "")


def test_a_run_that_verified_nothing_exits_2_and_says_so(verified: Results) -> None:
    assert last(replace(verified, exit=2)).startswith("Nothing was checked")


def test_skipped_sentences_and_cache_are_printed(verified: Results, root: Path) -> None:
    shown = full(replace(verified, skipped=("a.py was left out", "b.py too"), from_cache=3), root)
    assert "  skipped     a.py was left out\n  skipped     b.py too\n" in shown
    assert "  from cache  3 results\n" in shown


def test_warnings_are_marked_and_do_not_fail(audited: Results) -> None:
    moved = Finding("EQ201", "line-moved", Severity.WARNING, "ops.py:2 is at line 7", Span("linear.yaml", 5, 29))
    lines = concise(replace(audited, findings=(moved,)))
    assert lines[0] == "linear.yaml:5:29: EQ201 [line-moved] warning: ops.py:2 is at line 7"
    assert lines[1].startswith("No errors")
    assert "1 warning" in lines[1]


def test_concise_lines_name_their_equation_and_notes_on_the_run_follow(audited: Results) -> None:
    name, place = "linear.linear", Span("linear.yaml", 5, 29)
    mismatch = Finding("EQ501", "value-mismatch", Severity.ERROR, "1, the form says 2\nmore", place, equation=name)
    test = Finding("EQ303", "missing-test", Severity.ERROR, f"{name}: no test", Span("linear.yaml", 9), equation=name)
    lines = concise(replace(audited, findings=(mismatch, test), exit=1, notes=("start with a.py:3",)))
    assert lines[0].endswith("(linear.linear)")
    assert lines[-3:-1] == ["linear.yaml:9:1: EQ303 [missing-test] linear.linear: no test", "note: start with a.py:3"]


def test_findings_come_in_the_order_of_places(audited: Results) -> None:
    spans = [Span("b.yaml", 1), Span("a.yaml", 10), Span("a.yaml", 9)]
    found = tuple(Finding("EQ105", "schema", Severity.ERROR, "?", span) for span in spans)
    lines = concise(replace(audited, findings=found, exit=1))
    assert [line.split(": ")[0] for line in lines[:3]] == ["a.yaml:9:1", "a.yaml:10:1", "b.yaml:1:1"]


def test_notes_come_before_what_asks_for_something(audited: Results, root: Path) -> None:
    places = {"error": Severity.ERROR, "first note": Severity.NOTE, "warning": Severity.WARNING, "note": Severity.NOTE}
    found = [
        Finding("EQ703", "latex-not-read", severity, message, Span("linear.yaml", line + 1))
        for line, (message, severity) in enumerate(places.items())
    ]
    lines = full(replace(audited, findings=tuple(found)), root).splitlines()
    heads = [line.partition("[latex-not-read] ")[2] for line in lines if line.startswith("linear.yaml:")]
    assert heads == ["note: first note", "note: note", "error", "warning: warning"]
    assert lines[2] == ""  # between notes and the rest


def test_control_characters_do_not_reach_the_terminal(audited: Results, root: Path) -> None:
    (root / "linear.yaml").write_text("a: '\x1b[31m\u202e'\n", encoding="utf-8")
    finding = Finding("EQ103", "control-character", Severity.ERROR, "bad \x1b[2J\x07 text", Span("linear.yaml", 1, 5))
    shown = full(replace(audited, findings=(finding,), exit=1), root)
    assert not set(shown) & {"\x1b", "\x07", "\u202e"}
    assert "bad \\x1b[2J\\x07 text" in shown


def test_a_file_that_is_gone_or_shorter_has_no_excerpt(audited: Results, root: Path) -> None:
    for span in (Span("gone.yaml", 3), Span("linear.yaml", 300), Span("../outside\0", 1)):
        finding = Finding("EQ105", "schema", Severity.ERROR, "?", span)
        shown = full(replace(audited, findings=(finding,), exit=1), root)
        assert " | " not in shown


def test_devices_and_links_out_of_the_root_have_no_excerpt(audited: Results, root: Path) -> None:
    (root.parent / "outside.yaml").write_text("secret\n", encoding="utf-8")
    (root / "link.yaml").symlink_to("../outside.yaml")
    (root / "endless.yaml").symlink_to("/dev/zero")
    for name in ("link.yaml", "endless.yaml", "../outside.yaml", "/dev/zero"):
        finding = Finding("EQ113", "limit", Severity.ERROR, "?", Span(name, 1))
        shown = full(replace(audited, findings=(finding,), exit=1), root)
        assert " | " not in shown


def test_long_lines_are_cut_around_the_caret(audited: Results, root: Path) -> None:
    (root / "linear.yaml").write_text("x" * 300 + "HERE" + "y" * 300 + "\n", encoding="utf-8")
    finding = Finding("EQ105", "schema", Severity.ERROR, "?", Span("linear.yaml", 1, 301, 1, 305))
    lines = full(replace(audited, findings=(finding,), exit=1), root).splitlines()
    source, carets = lines[2], lines[3]
    assert len(source) <= 120
    assert source[carets.index("^") : carets.rindex("^") + 1] == "HERE"
    assert "..." in source[:10]
    assert source.endswith("...")


def test_carets_stand_under_wide_and_tabbed_text(audited: Results, root: Path) -> None:
    (root / "linear.yaml").write_text("\té漢: bad\n", encoding="utf-8")
    finding = Finding("EQ105", "schema", Severity.ERROR, "?", Span("linear.yaml", 1, 6, 1, 9))
    lines = full(replace(audited, findings=(finding,), exit=1), root).splitlines()
    assert lines[3] == "  | " + " " * (4 + 1 + 2 + 2) + "^^^"


def test_what_is_reviewed_is_counted_where_there_is_a_ledger(audited: Results, root: Path) -> None:
    assert "reviewed" not in full(audited, root)
    assert "  reviewed    1 of 2 links, 1 suspect\n" in full(replace(audited, reviews=Reviews("r.yaml", 2, 1, 1)), root)


@pytest.mark.parametrize(
    ("reviews", "exit_code", "expected"),
    [
        (Reviews("r.yaml", 2, 2, 0), 0, "Nothing is suspect of 2 reviewed links."),
        (Reviews("r.yaml", 2, 1, 0), 0, "Nothing is suspect of 1 reviewed link; 1 of 2 links not reviewed yet."),
        (Reviews("r.yaml", 2, 1, 1), 1, "Suspect: 1 link; 1 of 2 links not reviewed yet."),
        (Reviews("r.yaml", 2, 2, 0, 1, 0, ()), 0, "Recorded 1 link in r.yaml; 2 of 2 links reviewed."),
        (
            Reviews("r.yaml", 2, 1, 0, 1, 3, ("a/tests/0",)),
            1,
            "Refused: 1 link refused, whose cited lines are not where they say; 1 link recorded in r.yaml, "
            "3 lines of links that are gone removed; 1 of 2 links reviewed.",
        ),
        (Reviews("r.yaml", 2, 0, 0), 2, "Nothing was recorded: 0 errors, 0 warnings in r.yaml."),
    ],
)
def test_how_a_review_came_out(audited: Results, reviews: Reviews, exit_code: int, expected: str) -> None:
    assert last(replace(audited, command="review", reviews=reviews, exit=exit_code)) == expected


def test_of_many_places_the_first_are_quoted_and_the_last_are_counted(audited: Results, root: Path) -> None:
    related = tuple(Related(Span("ops.py", 2, 5), f"number {number}") for number in range(15))
    finding = Finding("EQ307", "suspect-link", Severity.WARNING, "changed", Span("linear.yaml", 5, 29), related=related)
    shown = full(replace(audited, findings=(finding,)), root)
    assert shown.count("return X @ W - b") == 3
    assert "--> ops.py:2:5: number 11\n" in shown
    assert "number 12" not in shown
    assert "--> 3 more places, in --format json\n" in shown


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([("agrees", "proof"), ("agrees", "values")], "2 of 2 read back, all agree (1 by proof, 1 by values)"),
        ([("agrees", "proof"), ("not-read", "")], "1 of 2 read back, all agree (1 by proof); 1 not read"),
        ([("agrees", "proof"), ("differs", "values")], "2 of 2 read back, 1 agree (1 by proof), 1 DIFFER"),
        ([("not-read", ""), ("not-read", "")], "0 of 2 read back; 2 not read"),
        ([("not-compared", ""), ("agrees", "proof")], "1 to be compared by `eqtrace verify`"),
    ],
)
def test_latex_read_back_is_counted(
    audited: Results, root: Path, statuses: list[tuple[str, str]], expected: str
) -> None:
    found = {
        name: Readback(name, ReadBack(status), how)
        for name, (status, how) in zip(audited.selected, statuses, strict=True)
    }
    assert expected in full(replace(audited, readbacks=found), root)
    assert "latex" not in full(audited, root)


@pytest.mark.parametrize(
    ("ulps", "told"), [(1.5, "1.5 ulps"), (2e9, "2e+09 ulps, as the formula amplifies rounding there")]
)
def test_the_largest_error_is_told_with_its_input(verified: Results, root: Path, ulps: float, told: str) -> None:
    evidence = Evidence(64, 64, 0, ulps, "ops.py:2, Y[0] is 1.1, the form says 1.0, with b = 1.0, in scenario s, run 0")
    result = replace(verified.methods["linear.linear"][0], evidence=evidence)
    shown = full(replace(verified, methods={**verified.methods, "linear.linear": (result,)}), root)
    assert f"  worst error {told}: linear.linear (value), {evidence.worst_at}\n" in shown


def test_documentation_that_is_read_is_counted(audited: Results, root: Path) -> None:
    place = Span("docs/a.md", 7)
    statuses = (ReadBack.IS_FORM, ReadBack.DIFFERS, ReadBack.NOT_READ)
    states = {str(each): Stated("linear.linear", Readback("", each), place, place) for each in statuses}
    expected = "documented  2 of 3 read, 1 are the form themselves, 1 DIFFER; 1 not read"
    assert expected in full(replace(audited, states=states), root)
    assert "documented" not in full(audited, root)
