from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from eqtrace.code.index import Index

Project = Callable[..., Index]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Writes files and gives their index: names ending in .py under src/ or impl/ are sources, under tests/ tests."""

    def build(files: dict[str, str | bytes], **settings: object) -> Index:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else textwrap.dedent(text).encode())
        folders = {name.split("/")[0] for name in files}
        defaults: dict[str, object] = {
            "root": tmp_path,
            "sources": tuple(sorted(folders - {"tests", "docs"})),
            "tests": ("tests",),
            "packages": (),
            "pythonpath": (".", "src"),
            "coverage": "report",
            "testers": None,
        }
        return Index(SimpleNamespace(**(defaults | settings)))

    return build
