import io
import re

import pytest

from eqtrace.report.styled import clean, colourful, lines, plain, write


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "expected"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colour_is_for_terminals_that_want_it(environment: dict[str, str], expected: bool) -> None:
    assert colourful(Terminal(), environment) is expected
    assert colourful(io.StringIO(), environment) is False


def test_what_is_no_terminal_gets_plain_text() -> None:
    stream = io.StringIO()
    write([[("a [bold]", "bold red"), ("b  ", "")], []], stream)
    assert stream.getvalue() == "a [bold]b\n\n" == plain([[("a [bold]", "bold red"), ("b  ", "")], []])


def test_a_terminal_gets_the_same_words_in_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = Terminal()
    write([[("a [bold]", "bold red"), (" b", "")]], stream)
    assert "\x1b[" in stream.getvalue()
    assert "a [bold]" in stream.getvalue()  # brackets are text, not markup


@pytest.mark.parametrize("text", ["::error file=x::owned", "  ::stop-commands::x", "##[error]owned", "x ##vso[task]y"])
def test_nothing_steers_a_service_that_reads_the_log(text: str) -> None:
    for shown in (plain([[(clean(text), "")]]), lines(f"{text}\n{text}")):
        assert not re.search(r"^\s*::|##\w*\[", shown, re.MULTILINE)


def test_two_colons_and_marks_elsewhere_stay() -> None:
    assert plain([[(clean("a.py::f ## x"), "")]]) == "a.py::f ## x\n"
    assert lines("a\n\x1b[2J") == "a\n\\x1b[2J"
