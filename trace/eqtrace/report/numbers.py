"""Numbers and arrays as pages show them: short, aligned at the decimal point, and cut where they are long."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from eqtrace.model.example import Scalar, Value

DIGITS = 6
MOST_ROWS, MOST_COLUMNS, MOST_BLOCKS = 16, 16, 8


@dataclass(frozen=True, slots=True)
class Block:
    """A matrix, a row or a single entry of an array: its indices on the leading axes, and its lines."""

    index: str
    lines: tuple[str, ...]
    bare: bool  # a single entry, without brackets


@dataclass(frozen=True, slots=True)
class Shown:
    """An array: its shape as text, its blocks, whether entries were rounded or left out."""

    shape: str
    blocks: tuple[Block, ...]
    rounded: bool
    cut: bool


def number(value: Scalar, digits: int = DIGITS) -> str:
    """`3`, `0.333333`, `1e-05`, `inf`; texts as they are."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        return f"{value + 0.0:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.{digits}g}"
    return "" if value is None else str(value)


def is_rounded(value: Scalar) -> bool:
    """Whether `number` shows less than there is."""
    return isinstance(value, float) and math.isfinite(value) and float(number(value)) != value


def of_data(data: Any) -> Shown:
    """An input: nested tuples as an array, or as they are where their rows differ in length."""
    shape = _shape(data)
    if shape is None:
        return Shown("", (Block("", tuple(map(str, _plain(data))) if data else ("()",), True),), False, False)
    return shown(Value(shape, tuple(_flat(data))))


def shown(value: Value) -> Shown:
    """An array as blocks of aligned lines."""
    leading, last = value.shape[:-2], value.shape[-2:]
    size = math.prod(last)
    count = math.prod(leading)
    blocks = []
    cut = count > MOST_BLOCKS
    for position in range(min(count, MOST_BLOCKS)):
        entries = value.entries[position * size : (position + 1) * size]
        lines, short = _lines(entries, last)
        cut = cut or short
        blocks.append(Block(_index(position, leading), lines, not last))
    shape = f"({value.shape[0]},)" if len(value.shape) == 1 else str(value.shape) if value.shape else "scalar"
    return Shown(shape, tuple(blocks), any(map(is_rounded, value.entries)), cut)


def _lines(entries: Sequence[Scalar], shape: tuple[int, ...]) -> tuple[tuple[str, ...], bool]:
    if not shape:
        return (number(entries[0]),), False
    rows, columns = shape if len(shape) == 2 else (1, shape[0])
    if not rows * columns:
        return ("empty",), False
    table = [
        [number(each) for each in entries[row * columns : row * columns + min(columns, MOST_COLUMNS)]]
        for row in range(min(rows, MOST_ROWS))
    ]
    lines = [" ".join(line) for line in zip(*map(_aligned, zip(*table, strict=True)), strict=True)]
    short = columns > MOST_COLUMNS
    lines = [f"{line} …" for line in lines] if short else lines
    if rows > MOST_ROWS:
        lines.append("…")
    return tuple(lines), short or rows > MOST_ROWS


def _aligned(column: tuple[str, ...]) -> list[str]:
    """A column's entries, their decimal points under each other."""
    parts = [_parts(text) for text in column]
    before, after = (max(len(part[side]) for part in parts) for side in (0, 1))
    return [f"{left:>{before}}{right:<{after}}" for left, right in parts]


def _parts(text: str) -> tuple[str, str]:
    point = text.find(".")
    return (text, "") if point < 0 else (text[:point], text[point:])


def _index(position: int, leading: tuple[int, ...]) -> str:
    found: list[int] = []
    for length in reversed(leading):
        position, index = divmod(position, length)
        found.insert(0, index)
    return f"[{', '.join(map(str, found))}]" if found else ""


def _shape(data: Any) -> tuple[int, ...] | None:
    if not isinstance(data, tuple):
        return ()
    inner = {_shape(each) for each in data}
    if len(inner) > 1 or None in inner:
        return None
    return (len(data), *(next(iter(inner), None) or ()))


def _flat(data: Any) -> Iterator[Scalar]:
    if isinstance(data, tuple):
        for each in data:
            yield from _flat(each)
    else:
        yield float(data) if isinstance(data, int) and not isinstance(data, bool) else data


def _plain(data: Any) -> list[str]:
    """Ragged rows, a line each."""
    return [" ".join(map(str, each)) if isinstance(each, tuple) else str(each) for each in data]
