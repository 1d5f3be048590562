from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eqtrace.config import Config
from eqtrace.model.topic import Specification
from eqtrace.spec.load import load

Loader = Callable[..., Specification]


@pytest.fixture
def spec(tmp_path: Path) -> Loader:
    """Loads files given by name ('a.yaml' as a); names of companions are taken as the configuration's."""

    def load_files(files: dict[str, str], **keys: Any) -> Specification:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="")
        for key in ("pages", "literature", "waivers", "reviews"):
            if f"{key}.yaml" in files:
                keys.setdefault(key, f"{key}.yaml")
        return load(Config(root=tmp_path, spec=("*.yaml",), **keys))

    return load_files
