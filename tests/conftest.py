"""Which tests start first, and what those that need a browser or a package index left out, said at the end of a run."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.workers import Forks

NO_BROWSER = "no Chromium on this machine"
"""How the reason begins for which a test in a browser is left out."""


NO_INDEX = "no package index answers"
"""How the reason begins for which a test that installs packages is left out."""


@pytest.fixture(scope="session")
def no_browser() -> str:
    return NO_BROWSER


@pytest.fixture(scope="session")
def no_index() -> str:
    return NO_INDEX


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], object]], Path]:
    """A folder by its name, that is filled once in a run: workers of pytest-xdist share it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def filled(name: str, fill: Callable[[Path], object]) -> Path:
        folder, done = shared / name, shared / f"{name}.done"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                folder.mkdir(exist_ok=True)
                fill(folder)
                done.touch()
        return folder

    return filled


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    from tests.workers import Forks  # here, as eqtrace's plugin may be told not to load before tests do

    made = Forks()
    yield made
    made.close()


@pytest.fixture
def quick_workers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has verifications in this process take forks of one process as their workers."""
    if sys.platform == "linux":
        monkeypatch.setattr("eqtrace.run.process.Process.started", request.getfixturevalue("forks").started)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes minutes starts first, so that no processor waits for it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [each for each in terminalreporter.getreports("skipped") if isinstance(each.longrepr, tuple)]
    if not_installed := [each for each in reports if NO_INDEX in each.longrepr[2]]:
        terminalreporter.section("THE PACKAGE WAS NOT BUILT AND INSTALLED", sep="!", red=True, bold=True)
        terminalreporter.line(f"{len(not_installed)} tests were left out: {NO_INDEX}.")
        terminalreporter.line("With CI=true in the environment this is a failure.")
    left_out = [each for each in reports if NO_BROWSER in each.longrepr[2]]
    if left_out:
        terminalreporter.section("THE SITE WAS NOT TESTED IN A BROWSER", sep="!", red=True, bold=True)
        terminalreporter.line(f"{len(left_out)} tests were left out: {NO_BROWSER}. Install it (Debian: chromium);")
        terminalreporter.line("with CI=true in the environment this is a failure.")
