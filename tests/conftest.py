"""What tests that need a browser left out is said at the end of a run, however it was started."""

from __future__ import annotations

import pytest

NO_BROWSER = "no Chromium on this machine"
"""How the reason begins for which a test in a browser is left out."""


@pytest.fixture(scope="session")
def no_browser() -> str:
    return NO_BROWSER


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = terminalreporter.getreports("skipped")
    left_out = [each for each in reports if isinstance(each.longrepr, tuple) and NO_BROWSER in each.longrepr[2]]
    if left_out:
        terminalreporter.section("THE SITE WAS NOT TESTED IN A BROWSER", sep="!", red=True, bold=True)
        terminalreporter.line(f"{len(left_out)} tests were left out: {NO_BROWSER}. Install it (Debian: chromium);")
        terminalreporter.line("with CI=true in the environment this is a failure.")
