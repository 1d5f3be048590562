"""A browser, and the sites that it is shown: this repository's, and the sample's of the folder above."""

import contextlib
import functools
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def program(no_browser: str) -> str:
    """The machine's Chromium. Without one its tests are left out, and fail where CI is set."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        found_by_ci = os.environ.get("CI", "").lower() not in {"", "0", "false"}
        (pytest.fail if found_by_ci else pytest.skip)(f"{no_browser} ({', '.join(PROGRAMS)})")
    return found


@pytest.fixture(scope="module")
def browser(program: str) -> Iterator[Browser]:
    """It, for the tests of a file: while playwright runs, an event loop does, and others' tests could run none."""
    with sync_playwright() as playwright:
        # As root, as in most containers, Chromium's own sandbox cannot start.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def repository_site(program: str, once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The folder of this repository's site, from verified results."""
    return once("repository-site", _build_repository)


def _build_repository(folder: Path) -> None:
    from eqtrace import runner
    from eqtrace.config import load
    from eqtrace.judged import stored_scores
    from eqtrace.report.site import build

    config = load(ROOT)
    results = runner.verify(config, None, jobs=2)
    build(config, results, folder, stored_scores(config, results))


@dataclass
class Site:
    """A site as a browser sees it, from a server or (`scheme` is file) from its folder."""

    folder: Path
    address: str

    def url(self, file: str) -> str:
        return f"{self.address}/{file}"

    @property
    def pages(self) -> list[str]:
        """Its pages, by their path."""
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*.html"))


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextlib.contextmanager
def _served(folder: Path) -> Iterator[Site]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Site(folder, f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")  # its thread is not to run beside others' tests
def repository(repository_site: Path) -> Iterator[Site]:
    """This repository's site, from a server."""
    with _served(repository_site) as site:
        yield site


@pytest.fixture(scope="module")  # its thread is not to run beside others' tests
def sample(sample_site: Path) -> Iterator[Site]:
    """The sample's site, from a server."""
    with _served(sample_site) as site:
        yield site


@pytest.fixture(scope="session")
def sample_files(sample_site: Path) -> Site:
    """The sample's site, from its folder."""
    return Site(sample_site, sample_site.as_uri())


@dataclass
class Complaints:
    """What a browser complained of: errors of scripts, of the security policy, and files that are not there."""

    found: list[str] = field(default_factory=list)

    def listen(self, page: Page) -> None:
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.found.append(f"{page.url}: {error}"))
        page.on("requestfailed", self._failed)
        page.on(
            "response",
            lambda got: self.found.append(f"{page.url}: {got.status} {got.url}") if got.status >= 400 else None,
        )

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # by the next page, before an icon came
            self.found.append(f"{request.frame.url}: {request.failure} {request.url}")

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.found.append(f"{message.page.url if message.page else ''}: {message.text}")


Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens an address in a window of its own (options are those of a browser context).

    At the end of the test the browser must have had nothing to complain of.
    """
    complaints = Complaints()
    contexts = []

    def opened(url: str, **options: Any) -> Page:
        context = browser.new_context(**options)
        context.set_default_timeout(5_000)
        contexts.append(context)
        page = context.new_page()
        complaints.listen(page)
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints.found == []


@pytest.fixture(scope="module")
def example_pages(browser: Browser, repository: Site) -> Iterator[Callable[[str], Page]]:
    """Opens each page once."""
    context = browser.new_context()

    @functools.cache
    def opened(file: str) -> Page:
        page = context.new_page()
        page.goto(repository.url(file))
        return page

    yield opened
    context.close()
