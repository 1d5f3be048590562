"""Stored runs: a scenario's rows, from the real code."""

from __future__ import annotations

import math
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from eqtrace.model.example import SEED, Example, Scalar, Table
from eqtrace.run.example.failure import NotRun, at

MOST_ROWS, MOST_COLUMNS, LONGEST = 1_000, 50, 500


class Sizes(dict[str, int]):
    """Sizes that tell which of them were looked up."""

    def __init__(self, held: Mapping[str, int]) -> None:
        super().__init__(held)
        self.used: set[str] = set()

    def __getitem__(self, key: str) -> int:
        self.used.add(key)
        if key not in self:
            raise KeyError(f"there is no size {key}: [tool.eqtrace.site.sizes] has {', '.join(self)}")
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The size of a letter, or something else."""
        self.used.add(key)
        return super().get(key, default)


def run(scenario: Callable[..., Any], sizes: Mapping[str, int]) -> tuple[Any, tuple[tuple[str, int], ...]]:
    """What a scenario returns, and the sizes that it used."""
    seen = Sizes(sizes)
    result = scenario(np.random.default_rng(SEED), seen)
    return result, tuple((name, value) for name, value in sizes.items() if name in seen.used)


def table(example: Example, rows: Any, sizes: tuple[tuple[str, int], ...]) -> Table:
    """Rows as a table.

    Raises:
        NotRun: they are no rows.
    """
    span = at(example.run, example.span)
    if isinstance(rows, Mapping):
        rows = [rows]
    if not isinstance(rows, list | tuple) or not rows or not all(isinstance(row, Mapping) for row in rows):
        message = f"the scenario returns {_kind(rows)}, not a list of rows"
        raise NotRun(message, span, "return a list of mappings from column to number or text")
    columns = tuple(dict.fromkeys(str(key) for row in rows for key in row))
    if len(rows) > MOST_ROWS or len(columns) > MOST_COLUMNS:
        message = f"{len(rows)} rows of {len(columns)} columns; {MOST_ROWS} of {MOST_COLUMNS} are allowed"
        raise NotRun(message, span, "return what a reader can take in")
    named = [{str(key): value for key, value in row.items()} for row in rows]
    cells = tuple(tuple(_cell(row.get(column), column, example) for column in columns) for row in named)
    return Table(columns, cells, sizes)


def _cell(value: Any, column: str, example: Example) -> Scalar:
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if isinstance(value, list | tuple) and len(value) <= LONGEST:
        value = " ".join(str(each) for each in value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return value if len(value) <= LONGEST else f"{value[: LONGEST - 1]}…"
    if isinstance(value, float) and not math.isnan(value):
        return value
    message = f"column `{column}` holds {_kind(value) if not isinstance(value, float) else 'NaN'}"
    raise NotRun(message, at(example.run, example.span), "a cell is a number, a text or a short list")


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"


@contextmanager
def watching(code: types.CodeType | None) -> Iterator[list[bool]]:
    """Notes whether a function is entered."""
    entered: list[bool] = []
    if code is None:
        yield entered
        return

    def profile(frame: types.FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is code:
            entered.append(True)
            sys.setprofile(None)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield entered
    finally:
        sys.setprofile(before)
