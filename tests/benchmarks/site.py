"""Times the site from the results of one verification: cold, with nothing changed, and with one equation changed.

With --browser, also how soon Chromium shows the page of all equations, each time in a new profile. Prints medians and
what was made again; nothing here passes or fails.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from eqtrace.config import load
from eqtrace.model.results import Results
from eqtrace.report.site import Built, build
from eqtrace.runner import verify

ROOT = Path(__file__).resolve().parents[2]
RUNS = 5
VISITS = 15


def main() -> None:
    """Builds into a folder of its own, some times each way."""
    config = load(ROOT)
    results = verify(config, None, jobs=2)
    folder = Path(tempfile.mkdtemp(prefix="eqtrace-site-"))
    print(f"the site of {len(results.selected)} equations, from verify's results ({RUNS} runs each; median, range)")
    try:
        built = _row("cold", lambda: _cold(folder), lambda: build(config, results, folder))
        kilobytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1024
        _row("warm, nothing changed", lambda: None, lambda: build(config, results, folder))
        other = _changed(results)
        once = _row(
            "warm, one equation changed",
            lambda: build(config, results, folder) and None,
            lambda: build(config, other, folder),
        )
        print(f"{built.files} files, {kilobytes:,.0f} KB; made again for one equation: {', '.join(once.made)}")
        if "--browser" in sys.argv:
            _browser(folder)
    finally:
        shutil.rmtree(folder)


READY = """async () => {
    await document.fonts.ready;
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    const ready = performance.now();
    const painted = () => performance.getEntriesByName("first-contentful-paint");
    while (!painted().length) await new Promise(done => setTimeout(done, 5));  // it is noted a moment after it happened
    const entries = performance.getEntries().filter(each => "decodedBodySize" in each);
    const fonts = [...document.fonts].map(each => each.status);
    return {
        ready,
        paint: painted()[0].startTime,
        loaded: performance.getEntriesByType("navigation")[0].loadEventEnd,
        formulas: document.querySelectorAll("math").length,
        elements: document.querySelectorAll("*").length,
        kilobytes: entries.reduce((sum, each) => sum + each.decodedBodySize, 0) / 1024,
        fonts: fonts.join(", "),
    };
}"""


def _browser(folder: Path) -> None:
    """From a server on this machine. Ready is: fonts are there, and two more frames were drawn with them."""
    from playwright.sync_api import sync_playwright

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    found = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for _ in range(VISITS):
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/equations.html")
            found.append(page.evaluate(READY))
            context.close()
        browser.close()
    server.shutdown()
    last = found[-1]
    print(
        f"the page of all equations in Chromium: {last['formulas']} formulas, {last['elements']:,} elements, "
        f"{last['kilobytes']:,.0f} KB with its scripts, styles and font ({last['fonts']}); {VISITS} new profiles"
    )
    for name, words in {"paint": "first drawn", "loaded": "loaded", "ready": "all formulas ready"}.items():
        times = [each[name] for each in found]
        print(f"{words:32} {statistics.median(times):7.0f} ms {min(times):7.0f} .. {max(times):.0f}")


def _cold(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def _row(name: str, before: Callable[[], None], work: Callable[[], Built]) -> Built:
    times = []
    for _ in range(RUNS):
        before()
        started = time.perf_counter()
        built = work()
        times.append(time.perf_counter() - started)
    print(f"{name:32} {statistics.median(times):7.3f} s  {min(times):7.3f} .. {max(times):.3f}")
    return built


def _changed(results: Results) -> Results:
    """The results with another label at the first equation."""
    first, *others = results.specification.topics
    equation, *more = first.equations
    topic = replace(first, equations=(replace(equation, label=f"{equation.label}, said again"), *more))
    return replace(results, specification=replace(results.specification, topics=(topic, *others)))


if __name__ == "__main__":
    main()
