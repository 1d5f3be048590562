"""The command line over parts that are played: what a command passes on, and what it makes of what it gets."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from eqtrace.cli.main import run
from eqtrace.config import Config
from eqtrace.model.anchor import Anchor, Role
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Severity
from eqtrace.model.results import Results
from eqtrace.model.span import Span
from eqtrace.model.topic import Specification, Topic
from eqtrace.runner import Running


@dataclass
class Parts:
    """What the played runner was called with, and what it answers."""

    results: Results
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    error: BaseException | None = None


def _specification() -> Specification:
    anchor = Anchor("linear.bias/computes/0", Role.COMPUTES, "ops.py", 3, "f", "b", Span("spec/linear.yaml", 9))
    linear = (
        Equation("linear.linear", "linear", Span("spec/linear.yaml", 3)),
        Equation("linear.bias", "linear", Span("spec/linear.yaml", 8), anchors=(anchor,)),
    )
    relu = (Equation("relu.relu", "relu", Span("spec/relu.yaml", 3)),)
    topics = (
        Topic("linear", "Linear", "layers", Span("spec/linear.yaml", 1), equations=linear),
        Topic("relu", "ReLU", "layers", Span("spec/relu.yaml", 1), equations=relu),
    )
    return Specification(topics=topics, files=("spec/linear.yaml", "spec/relu.yaml"))


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Parts:
    specification = _specification()
    ids = tuple(each.id for each in specification.equations)
    played = Parts(Results("audit", specification, ids, {}))
    config = Config(tmp_path)

    def answer(*arguments: Any) -> Results:
        played.calls.append(arguments)
        if played.error:
            raise played.error
        return played.results

    checks = (
        SimpleNamespace(
            code="EQ201", name="line-moved", severity=Severity.WARNING, documentation="A line moved.\n\nMore."
        ),
        SimpleNamespace(code="EQ501", name="value-mismatch", severity=Severity.ERROR, documentation="Another value."),
    )
    _play(monkeypatch, "eqtrace.auditing", audit=answer)
    _play(monkeypatch, "eqtrace.runner", verify=answer, Running=Running)
    _play(monkeypatch, "eqtrace.mutating", mutate=answer)
    monkeypatch.setattr("eqtrace.config.load", lambda start: config)
    _play(monkeypatch, "eqtrace.spec.load", load=lambda config: specification)
    _play(
        monkeypatch,
        "eqtrace.spec.schema",
        json_schema=lambda: {"title": "spec"},
        pages_schema=lambda: {"title": "pages"},
    )
    _play(monkeypatch, "eqtrace.checks.registry", CHECKS=checks)
    monkeypatch.chdir(tmp_path)
    return played


def _play(monkeypatch: pytest.MonkeyPatch, name: str, **content: Any) -> None:
    module = ModuleType(name)
    vars(module).update(content)
    parent, _, child = name.rpartition(".")
    __import__(parent)
    monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(sys.modules[parent], child, module, raising=False)


@pytest.fixture
def eqtrace(capsys: pytest.CaptureFixture[str]) -> Callable[..., SimpleNamespace]:
    """Runs a command line; gives `code`, `out` and `err`."""

    def call(*arguments: str) -> SimpleNamespace:
        code = run(arguments)
        captured = capsys.readouterr()
        return SimpleNamespace(code=code, out=captured.out, err=captured.err)

    return call
