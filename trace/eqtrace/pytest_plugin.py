"""The pytest plugin: one item for each (equation, method), and a record of which tests reach which functions.

It does nothing without `--eqtrace` (or `eqtrace = true` in pytest's ini file) and `--eqtrace-record`. The items are
what `eqtrace verify` would show in the folder of the run: same settings, same findings, same cache. They are called
`eqtrace::EQUATION::METHOD`, carry the marker `eqtrace`, and can be chosen by that name, by -k and by -m.
"""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from eqtrace.config import Config
    from eqtrace.model.finding import Finding
    from eqtrace.model.verdict import MethodResult
    from eqtrace.runner import Verification

_NAME = "eqtrace"
_GENERAL = ("specification", "audit")  # the item of the findings that belong to no equation
_RECORD = "eqtrace_record"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The plugin's options."""
    group = parser.getgroup(_NAME, "documented equations against the code")
    group.addoption("--eqtrace", action="store_true", help="Verify every documented equation, an item for each method.")
    group.addoption("--eqtrace-no-cache", action="store_true", help="Run every equation again, and keep no result.")
    group.addoption("--eqtrace-seed", type=int, default=0, metavar="SEED", help="Seed of every random draw.")
    group.addoption(
        "--eqtrace-record",
        metavar="FILE",
        help="Write which tests reach which functions of `sources`, for `testers` in [tool.eqtrace].",
    )
    parser.addini(_NAME, "Verify every documented equation, as with --eqtrace.", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Registers what is switched on, and takes the plugin's own items out of the arguments."""
    config.addinivalue_line("markers", "eqtrace(equation, method): a documented equation, verified against the code")
    own = [each for each in config.args if each.startswith(f"{_NAME}::")]
    chosen: list[str] = getattr(config.option, "eqtrace_chosen", [])
    config.option.eqtrace_chosen = [*chosen, *own]  # other processes of xdist are told of options only
    config.args[:] = [each for each in config.args if each not in own]
    if config.getoption("--eqtrace") or config.getini(_NAME) or config.option.eqtrace_chosen:
        config.pluginmanager.register(Equations(config), "eqtrace-equations")
    if config.getoption("--eqtrace-record"):
        config.pluginmanager.register(Recording(config), "eqtrace-recording")


def _configuration(config: pytest.Config) -> Config:
    from eqtrace.config import load
    from eqtrace.errors import EqtraceError

    here, root = config.invocation_params.dir, config.rootpath
    try:
        return load(here if here.is_relative_to(root) else root)  # the project may lie below pytest's root
    except EqtraceError as error:
        raise pytest.UsageError(f"eqtrace: {error}" + (f"\n  hint: {error.hint}" if error.hint else "")) from error


def _is_distributed(config: pytest.Config) -> bool:
    """Whether this is one of xdist's processes, which runs a share of the items that it can't know."""
    return hasattr(config, "workerinput")


# --- equations -------------------------------------------------------------------------------------------------------


class Equations:
    """Collects the items and runs them on one verification."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._verification: Verification | None = None
        self._wanted: frozenset[str] = frozenset()

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, Any]:
        """Adds the items to what the session collects."""
        report = yield
        if isinstance(collector, pytest.Session):
            root: Folder = Folder.from_parent(collector, name=_NAME, nodeid=_NAME)
            root.items = self._items(root)
            report.result.append(root)
        return report

    def _items(self, root: Folder) -> list[pytest.Item]:
        """The items that were asked for.

        Raises:
            UsageError: the configuration is not usable, or an argument names no item.
        """
        from eqtrace.errors import EqtraceError
        from eqtrace.spec.load import load

        config = _configuration(self._config)
        try:
            equations = load(config).equations
        except EqtraceError as error:
            raise pytest.UsageError(f"eqtrace: {error}") from error
        found: list[pytest.Item] = [self._item(root, *_GENERAL, "", (config.pyproject, 1))]
        for each in equations:
            place = (each.span.path, each.span.line)
            found += [self._item(root, each.id, method, each.topic, place) for method in each.methods]
        chosen = self._config.option.eqtrace_chosen
        for each in chosen:
            if not any(_is_named(item, each) for item in found):
                raise pytest.UsageError(f"eqtrace: {each} is no documented equation or method of one")
        return [item for item in found if not chosen or any(_is_named(item, each) for each in chosen)]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Only what is left after every selection is verified."""
        self._wanted = frozenset(
            item.equation for item in session.items if isinstance(item, EquationItem) and not item.is_general
        )

    def verification(self) -> Verification:
        """The session's verification; alone it answers everything at once, under xdist each item as it comes."""
        if self._verification is None:
            from eqtrace.run.jobs import processors
            from eqtrace.runner import Running, Verification

            alone = not _is_distributed(self._config)
            how = Running(processors() if alone else 1, self._config.getoption("--eqtrace-seed"))
            cache = not self._config.getoption("--eqtrace-no-cache")
            self._verification = Verification(_configuration(self._config), self._wanted, how, cache)
            if alone:
                self._verification.answer()
        return self._verification

    def pytest_sessionfinish(self) -> None:
        """Keeps the results, ends the workers."""
        if self._verification is not None:
            self._verification.close()
            self._verification.keep()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """How many equations' methods came out how: what was skipped is not to be overlooked."""
        counts: dict[str, int] = {}
        for reports in terminalreporter.stats.values():
            for report in reports:
                verdict = dict(getattr(report, "user_properties", ())).get("eqtrace_verdict")
                if verdict and report.when == "call":
                    counts[verdict] = counts.get(verdict, 0) + 1
        if counts:
            from eqtrace.model.verdict import Verdict

            shown = ", ".join(f"{counts[each]} {each.value}" for each in Verdict if each.value in counts)
            terminalreporter.write_line(f"eqtrace: {sum(counts.values())} methods of documented equations: {shown}")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Skips are shown where the equation stands."""
        report = yield
        if isinstance(item, EquationItem) and report.skipped and isinstance(report.longrepr, tuple):
            report.longrepr = (*item.place, report.longrepr[2])
        return report

    def _item(self, root: Folder, equation: str, method: str, topic: str, place: tuple[str, int]) -> EquationItem:
        parent = Folder.from_parent(root, name=equation, nodeid=f"{_NAME}::{equation}")
        item: EquationItem = EquationItem.from_parent(parent, name=method)
        item.equation, item.method, item.equations, item.place = equation, method, self, place
        item.add_marker(pytest.mark.eqtrace(equation=equation, method=method))
        item.extra_keyword_matches.update(filter(None, (topic, equation, method)))
        return item


class Folder(pytest.Collector):
    """A level of the items' names; no file stands for it."""

    items: list[pytest.Item]

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        """All items."""
        return [*self.items]


class EquationItem(pytest.Item):
    """One method of one equation, or the findings that belong to none."""

    equation: str
    method: str
    equations: Equations
    place: tuple[str, int]

    @property
    def is_general(self) -> bool:
        """Whether it stands for the findings that belong to no equation."""
        return (self.equation, self.method) == _GENERAL

    def runtest(self) -> None:
        """Fails where there are errors; what nothing was shown of is skipped with its reason, and never passes."""
        from eqtrace.model.finding import Severity
        from eqtrace.model.verdict import Verdict

        verification = self.equations.verification()
        if self.is_general:
            findings = verification.general()
            if any(each.severity is Severity.ERROR for each in findings):
                raise Found(findings, None)
            return
        result, findings = verification.of(self.equation, self.method)
        self.user_properties.append(("eqtrace_verdict", result.verdict.value))
        told = [each for each in findings if each.severity is not Severity.NOTE and each.name != "suspect-link"]
        if any(each.severity is Severity.ERROR for each in findings) or result.verdict is Verdict.REFUTED:
            raise Found(findings, result)
        if result.verdict is Verdict.NOT_CHECKED:
            if not told or any(each.name != "method-not-run" for each in told):
                raise Found(findings, result)
            pytest.skip(f"not-checked: {told[0].message.splitlines()[0]}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *arguments: Any, **options: Any) -> Any:
        """The findings, as the full text report shows them."""
        if not isinstance(excinfo.value, Found):
            return super().repr_failure(excinfo, *arguments, **options)
        from eqtrace.report import styled, text

        lines = text.quoted(excinfo.value.findings, _configuration(self.config).root)
        result = excinfo.value.result
        verdict = f"{self.equation}: {result.verdict.value} ({result.evidence.detail})\n" if result else ""
        return styled.plain(lines) + verdict

    def reportinfo(self) -> tuple[str, int | None, str]:
        """Where pytest says that the item is."""
        return self.place[0], self.place[1] - 1, f"{self.equation} {self.method}"


class Found(Exception):
    """Findings that fail an item."""

    def __init__(self, findings: tuple[Finding, ...], result: MethodResult | None) -> None:
        super().__init__(f"{len(findings)} findings")
        self.findings = findings
        self.result = result


def _is_named(item: pytest.Item, name: str) -> bool:
    return item.nodeid == name or item.nodeid.startswith(f"{name}::")


# --- the record ------------------------------------------------------------------------------------------------------


class Recording:
    """Notes the functions of the sources that run while a test does; those of tests that pass are recorded."""

    def __init__(self, config: pytest.Config) -> None:
        from eqtrace.code.index import Index

        self._config = config
        index = Index(_configuration(config))
        self._root = str(index.root)
        self._sources = {f"{self._root}/{path}": path for path in index.sources()}
        self._reached: dict[str, set[str]] = {}
        self._seen: set[types.CodeType] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Watches a test with its fixtures."""
        self._seen = set()
        with _watching(self._seen.add):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Takes over what a test reached when its call has passed."""
        report = yield
        if call.when == "call" and getattr(report, "passed", False):
            name = self._name(item)
            if name:
                self._reached.setdefault(name, set()).update(self._functions())
        return report

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Writes the record, or hands it to the process that gathers all of them."""
        if _is_distributed(self._config):
            found = {test: sorted(functions) for test, functions in self._reached.items()}
            self._config.workeroutput[_RECORD] = found  # type: ignore[attr-defined]
            return
        from eqtrace.code.reached import render
        from eqtrace.report import atomic

        path = Path(self._config.rootpath, self._config.getoption("--eqtrace-record"))
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(path, render(self._reached).encode())

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Takes over what one of xdist's processes recorded."""
        for test, functions in getattr(node, "workeroutput", {}).get(_RECORD, {}).items():
            self._reached.setdefault(test, set()).update(functions)

    def _name(self, item: pytest.Item) -> str:
        """`path::qualname` of a test function, its parameters left out; '' of items of another kind."""
        function = getattr(item, "originalname", None)
        if function is None or not item.path.is_relative_to(self._root):
            return ""
        owners = [each.name for each in item.listchain() if isinstance(each, pytest.Class)]
        return f"{item.path.relative_to(self._root).as_posix()}::{'.'.join([*owners, function])}"

    def _functions(self) -> Iterator[str]:
        from eqtrace.code.fingerprint import outermost

        for code in tuple(self._seen):
            path = self._sources.get(code.co_filename)
            if path is not None and not code.co_qualname.startswith("<"):
                yield f"{path}::{outermost(code.co_qualname)}"


@contextmanager
def _watching(note: Callable[[types.CodeType], None]) -> Iterator[None]:
    """Hands the code of every Python function that is entered within to `note`, of threads too that begin within."""

    def profile(frame: types.FrameType, event: str, _: Any) -> None:
        if event == "call":
            note(frame.f_code)

    before = sys.getprofile()
    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(before)
        threading.setprofile(before)
