"""The record of a test run: which tests reach which functions of the sources. `--eqtrace-record` writes it.

It is JSON: `{"schema": 1, "tests": {"PATH::QUALNAME": ["PATH::QUALNAME", ...]}}`, sorted, with paths from the root.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from eqtrace.errors import EqtraceError
from eqtrace.regular import content

SCHEMA = 1
_HINT = "record it again: pytest --eqtrace-record FILE"


def render(reached: Mapping[str, Iterable[str]]) -> str:
    """A record's text."""
    tests = {test: sorted(set(functions)) for test, functions in sorted(reached.items())}
    return json.dumps({"schema": SCHEMA, "tests": tests}, indent=1, ensure_ascii=False) + "\n"


def read(path: Path) -> dict[str, frozenset[str]]:
    """What each test reached; nothing where there is no record yet.

    Raises:
        EqtraceError: the file is no record of this version.
    """
    try:
        data = json.loads(content(path).decode("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise EqtraceError(f"testers: {path.name} can't be read: {error}", _HINT) from error
    if not _is_record(data):
        raise EqtraceError(f"testers: {path.name} is no record of a test run (schema {SCHEMA})", _HINT)
    return {test: frozenset(functions) for test, functions in data["tests"].items()}


def _is_record(data: Any) -> bool:
    if not isinstance(data, dict) or data.get("schema") != SCHEMA or not isinstance(data.get("tests"), dict):
        return False
    return all(
        isinstance(functions, list) and all(isinstance(each, str) for each in functions)
        for functions in data["tests"].values()
    )
