"""Examples in the JSON report: what was stated, every step's value, and what it was compared with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from eqtrace.model.example import Compared, Differenced, Edits, ExampleResult, Outcome, Scalar, Table, Value
from eqtrace.report.rows import ExampleRow, finite


def tally(outcomes: Mapping[str, int]) -> dict[str, int]:
    """How many examples there are, and of how many what came out; the rest was not run."""
    return {"total": sum(outcomes.values()), **{outcome.value: outcomes[outcome] for outcome in Outcome}}


def document(row: ExampleRow) -> dict[str, Any]:
    """One example; null stands where it was not worked out."""
    stated, result = row.stated, row.result
    return {
        "topic": row.topic,
        "kind": stated.kind,
        "source": stated.source,
        "outcome": None if result is None else result.outcome.value,
        "inputs": {name: _nested(value) for name, value in stated.inputs.items()},
        "steps": [
            {"label": step.name.value, "code": step.code.value, "value": _step(result, number)}
            for number, step in enumerate(stated.steps)
        ],
        "equals": None if stated.equals is None else stated.equals.value,
        "run": None if stated.run is None else stated.run.value,
        "call": None if result is None or not result.call else result.call,
        "compared": None if result is None else [_compared(each) for each in result.compared],
        "differences": None if result is None else [_difference(each) for each in result.differences],
        "edits": None if result is None or result.edits is None else _edits(result.edits),
        "table": None if result is None or result.table is None else _table(result.table),
    }


def _step(result: ExampleResult | None, number: int) -> Any:
    """A step's value; null where it has none (a step before it failed)."""
    return _value(result.steps[number].value) if result is not None and number < len(result.steps) else None


def _compared(each: Compared) -> dict[str, Any]:
    return {
        "label": each.label,
        "part": each.part,
        "value": _value(each.value),
        "gap": finite(each.gap),
        "agrees": each.agrees,
    }


def _difference(each: Differenced) -> dict[str, Any]:
    return {
        "label": each.label,
        "by": each.by,
        "value": _value(each.value),
        "gap": finite(each.gap),
        "agrees": each.agrees,
    }


def _edits(edits: Edits) -> dict[str, Any]:
    sizes = [[{"input": name, "axis": axis} for name, axis in axes] for axes in edits.sizes]
    return {"tried": edits.tried, "gap": edits.gap, "refused": edits.refused, "sizes": sizes}


def _table(table: Table) -> dict[str, Any]:
    return {
        "columns": list(table.columns),
        "rows": [[_scalar(cell) for cell in row] for row in table.rows],
        "sizes": dict(table.sizes),
    }


def _value(value: Value) -> dict[str, Any]:
    return {"shape": list(value.shape), "entries": [_scalar(each) for each in value.entries]}


def _scalar(value: Scalar) -> Scalar:
    """A number as JSON has it; infinities and NaN as texts."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _nested(value: Any) -> Any:
    return [_nested(each) for each in value] if isinstance(value, tuple) else _scalar(value)
