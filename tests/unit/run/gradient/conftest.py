"""Small projects with gradients, verified."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from eqtrace.config import load
from eqtrace.model.finding import Finding
from eqtrace.model.results import Results
from eqtrace.model.verdict import MethodResult
from eqtrace.runner import verify

HEAD = """
topic: layer
title: Layer
page: none
status: implemented
direction: backward
functions: ['layers.py::backward']
what: A layer.
why: To differentiate it.
"""


@dataclass
class Verified:
    """What a run of one equation's vjp gave."""

    results: Results
    method: MethodResult

    @property
    def verdict(self) -> str:
        return str(self.method.verdict)

    @property
    def findings(self) -> list[Finding]:
        """Those of the method alone."""
        return [each for each in self.results.findings if each.method == "vjp"]

    @property
    def codes(self) -> list[str]:
        return [each.code for each in self.findings]

    @property
    def limits(self) -> str:
        return "; ".join(self.method.evidence.limits)


@pytest.fixture
def verified(tmp_path: Path) -> Callable[..., Verified]:
    """Verifies `equation` of a topic (its head is written here) or of a file in short form."""

    def run(code: str, spec: str, equation: str = "layer.gradient", short: bool = False) -> Verified:
        (tmp_path / "layers.py").write_text(textwrap.dedent(code).lstrip("\n"))
        text = textwrap.dedent(spec).lstrip("\n")
        (tmp_path / "spec.yaml").write_text(text if short else HEAD + text)
        (tmp_path / "pyproject.toml").write_text(
            "[tool.eqtrace]\nspec = ['spec.yaml']\nsources = ['layers.py']\ncoverage = 'off'\n"
        )
        results = verify(load(tmp_path), frozenset([equation]))
        return Verified(results, next(each for each in results.methods[equation] if each.method == "vjp"))

    return run
