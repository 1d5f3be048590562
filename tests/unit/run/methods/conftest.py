import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eqtrace import config, runner
from eqtrace.model.verdict import MethodResult
from eqtrace.project import read_project
from eqtrace.run.session import Session
from eqtrace.run.work import Unit
from eqtrace.working import work_of


class Verified:
    """A project of one module `subject`, verified in this process."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project: runner.Project | None = None
        self.session: Session | None = None

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(textwrap.dedent(text).lstrip("\n"), "utf-8")

    def open(self, seed: int = 0) -> Session:
        self.project = read_project(config.load(self.root), None)
        assert [fault.message for fault in self.project.faults if fault.kind not in ("missing-test",)] == []
        self.session = Session(work_of(self.project, seed), lambda name: None, {})
        return self.session

    def result(self, equation: str = "subject:f", method: str = "value", seed: int = 0) -> MethodResult:
        session = self.session or self.open(seed)
        return session.run(Unit(equation, method))


@pytest.fixture
def verified(tmp_path: Path) -> Iterator[Callable[..., Verified]]:
    """Writes a module and its specification; gives what verifies it. Afterwards nothing of it is imported."""
    path, finders, modules = list(sys.path), list(sys.meta_path), set(sys.modules)

    def make(source: str, spec: str, scenarios: str = "", settings: str = "") -> Verified:
        made = Verified(tmp_path)
        lines = ["[tool.eqtrace]", "spec = ['spec.yaml']", "sources = ['subject.py']", "coverage = 'off'"]
        if scenarios:
            made.write("scenarios.py", scenarios)
            lines.append("scenarios = 'scenarios.py'")
        made.write("pyproject.toml", "\n".join(lines) + "\n" + textwrap.dedent(settings))
        made.write("subject.py", source)
        made.write("spec.yaml", spec)
        return made

    yield make
    sys.path[:], sys.meta_path[:] = path, finders
    for name in set(sys.modules) - modules:
        if name in ("subject", "other", "eqtrace_scenarios"):
            del sys.modules[name]


@pytest.fixture
def value(verified: Callable[..., Verified]) -> Callable[..., MethodResult]:
    """The result of method `value` for function f of a source, by a short-form entry."""

    def run(source: str, entry: str, seed: int = 0) -> MethodResult:
        return verified(source, f"subject:\n  f: {{{entry}}}\n").result(seed=seed)

    return run
