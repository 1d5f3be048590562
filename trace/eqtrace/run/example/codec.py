"""Results of examples as JSON data, for the cache."""

from __future__ import annotations

from typing import Any

from eqtrace.cache import Entry, Unreadable, checked, decode_fault, encode_fault
from eqtrace.model.example import Compared, Differenced, Edits, ExampleResult, Outcome, StepValue, Table, Value

_SCALAR = (float, int, bool, str, type(None))
_GAP = (float, int, type(None))


def encode(result: ExampleResult) -> Entry:
    """An example's result as JSON data. Its time is not part of it."""
    table, edits = result.table, result.edits
    return {
        "topic": result.topic,
        "outcome": result.outcome.value,
        "steps": [[each.label, _encoded(each.value)] for each in result.steps],
        "compared": [[each.label, each.part, _encoded(each.value), each.gap, each.agrees] for each in result.compared],
        "differences": [
            [each.label, each.by, _encoded(each.value), each.gap, each.agrees] for each in result.differences
        ],
        "edits": None if edits is None else [edits.tried, edits.gap, edits.refused, edits.sizes],
        "table": None if table is None else [table.columns, table.rows, table.sizes],
        "call": result.call,
        "faults": [encode_fault(fault) for fault in result.faults],
    }


def decode(data: Any) -> ExampleResult:
    """The result that JSON data stand for.

    Raises:
        Unreadable: they stand for none.
    """
    try:
        return ExampleResult(
            checked(data["topic"], (str,)),
            Outcome(data["outcome"]),
            tuple(StepValue(checked(label, (str,)), _decoded(value)) for label, value in data["steps"]),
            tuple(
                Compared(
                    checked(label, (str,)), checked(part, (str,)), _decoded(value), checked(gap, _GAP), agrees is True
                )
                for label, part, value, gap, agrees in data["compared"]
            ),
            tuple(
                Differenced(checked(label, (str,)), checked(by, (str,)), _decoded(value), float(gap), agrees is True)
                for label, by, value, gap, agrees in data["differences"]
            ),
            _edits(data["edits"]),
            _table(data["table"]),
            checked(data["call"], (str,)),
            tuple(decode_fault(fault) for fault in data["faults"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable from error


def _encoded(value: Value) -> list[Any]:
    return [value.shape, value.entries]


def _decoded(data: Any) -> Value:
    shape, entries = data
    return Value(tuple(checked(length, (int,)) for length in shape), tuple(checked(each, _SCALAR) for each in entries))


def _edits(data: Any) -> Edits | None:
    if data is None:
        return None
    tried, gap, refused, sizes = data
    axes = tuple(tuple((checked(name, (str,)), checked(axis, (int,))) for name, axis in group) for group in sizes)
    return Edits(checked(tried, (int,)), float(gap), checked(refused, (int,)), axes)


def _table(data: Any) -> Table | None:
    if data is None:
        return None
    columns, rows, sizes = data
    return Table(
        tuple(checked(column, (str,)) for column in columns),
        tuple(tuple(checked(cell, _SCALAR) for cell in row) for row in rows),
        tuple((checked(name, (str,)), checked(size, (int,))) for name, size in sizes),
    )
