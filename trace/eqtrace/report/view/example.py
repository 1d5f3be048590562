"""Worked examples and stored runs as a page shows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from eqtrace.code.source import Statement
from eqtrace.formula.steps.limits import sizes
from eqtrace.link.target import resolve_target
from eqtrace.model.example import SEED, Compared, Differenced, Edits, Example, ExampleResult, Outcome, StepValue, Table
from eqtrace.report.engine.live import Live, axis_word, live, tidy, written_out
from eqtrace.report.numbers import Shown, is_rounded, number, of_data, shown
from eqtrace.report.prose import inline
from eqtrace.report.words import Badge

if TYPE_CHECKING:
    from eqtrace.report.rows import ExampleRow
    from eqtrace.report.view.topic import Site

OUTCOMES = {
    Outcome.AGREES: Badge("certified", "✓", "agrees with the code", "Worked out by this run, and equal to the code."),
    Outcome.DIFFERS: Badge("refuted", "✗", "differs from the code", "The steps are not what the code gives."),
    Outcome.SHOWN: Badge("tested", "●", "worked out", "Worked out by this run, and compared with nothing."),
    Outcome.NOT_RUN: Badge("unchecked", "?", "not worked out", "It could not be worked out; see the findings."),
}
STORED = Badge("certified", "✓", "from a run of the code", "The rows come from the real code, run for this page.")
UNTRIED = Badge("unchecked", "?", "not worked out", "No code was run for these pages.")


@dataclass(frozen=True, slots=True)
class StepView:
    """A step: its expression, its value, and how it compares with the code."""

    label: Markup
    name: str
    code: str
    value: Shown | None
    part: str  # of what the code gave, '' where it is compared with nothing
    agrees: bool
    gap: str
    given: Shown | None  # the code's value, where it differs
    written: str  # one entry, '' where there is nothing to write out


@dataclass(frozen=True, slots=True)
class DifferenceView:
    """A gradient, by formula and by central differences."""

    label: str
    by: str
    formula: Shown
    differences: Shown
    gap: str
    agrees: bool


@dataclass(frozen=True, slots=True)
class TableView:
    """A stored run: columns (name, whether of numbers), rows, and the sizes used."""

    columns: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[str, ...], ...]
    sizes: str
    seed: int


@dataclass(frozen=True, slots=True)
class ExampleView:
    """An example with what came of it."""

    kind: str
    badge: Badge
    source: Markup
    inputs: tuple[tuple[str, Shown], ...]
    live: Live | None
    still: str  # why an example that is to be edited cannot be
    edits: str  # what it was held against the code on besides its start values
    steps: tuple[StepView, ...]
    differences: tuple[DifferenceView, ...]
    table: TableView | None
    equals: str
    place: str
    address: str | None
    call: str
    run: str
    run_place: str
    run_address: str | None
    rounded: bool
    cut: bool


def example_view(row: ExampleRow, on: str, site: Site) -> ExampleView:
    """The view of a topic's example on the page `on`."""
    stated, result = row.stated, row.result
    made = live(stated, result) if stated.kind == "editable" else ""
    inputs = tuple((name, of_data(value)) for name, value in stated.inputs.items())
    steps = tuple(_steps(stated, result, lambda text: inline(text, site.resolve(on, row.topic))))
    values = {} if result is None else {each.label: each for each in result.steps}
    differences = () if result is None else tuple(_difference(each, values) for each in result.differences)
    table = None if result is None or result.table is None else table_view(result.table)
    arrays = [shown for _, shown in inputs] + [each.value for each in steps if each.value]
    arrays += [array for each in differences for array in (each.formula, each.differences)]
    cells = [cell for each in result.table.rows for cell in each] if result and result.table else []
    place, address = function_place(stated, row.topic, on, site)
    run_place, run_address = scenario_place(stated, on, site)
    return ExampleView(
        kind=stated.kind,
        badge=_badge(result),
        source=inline(stated.source, site.resolve(on, row.topic)),
        inputs=inputs,
        live=None if isinstance(made, str) else made,
        still=made if isinstance(made, str) else "",
        edits=_edits(result.edits, stated) if result is not None and result.edits is not None else "",
        steps=steps,
        differences=differences,
        table=table,
        equals=stated.equals.value.partition("::")[2] if stated.equals else "",
        place=place,
        address=address,
        call=result.call if result else "",
        run=stated.run.value if stated.run else "",
        run_place=run_place,
        run_address=run_address,
        rounded=any(each.rounded for each in arrays) or any(map(is_rounded, cells)),
        cut=any(each.cut for each in arrays),
    )


def _badge(result: ExampleResult | None) -> Badge:
    if result is None:
        return UNTRIED
    stored = result.table is not None and result.outcome in (Outcome.AGREES, Outcome.SHOWN)
    return STORED if stored else OUTCOMES[result.outcome]


def _steps(stated: Example, result: ExampleResult | None, prose: Callable[[str], Markup]) -> list[StepView]:
    values = [each.value for each in result.steps] if result else []
    compared = {each.label: each for each in result.compared} if result else {}
    entries = written_out(stated, result)
    found = []
    for position, step in enumerate(stated.steps):
        name = step.name.value
        held = compared.get(name)
        found.append(
            StepView(
                label=Markup("<code>{}</code>").format(name) if name.isidentifier() else prose(name),
                name=name,
                code=tidy(step.code.value),
                value=shown(values[position]) if position < len(values) else None,
                part=held.part if held else "",
                agrees=held is not None and held.agrees,
                gap=_gap(held) if held else "",
                given=shown(held.value) if held and not held.agrees else None,
                written=entries.get(name, ""),
            )
        )
    return found


def _edits(edits: Edits, stated: Example) -> str:
    """`20 random edits of numbers, of the sizes T, a, of the rows of X: all gave exactly the same`; `''` for none."""
    if not edits.tried:
        return ""
    letters = {size.axes: size.letter for size in sizes(stated) if size.letter.isidentifier()}
    named = [letters[axes] for axes in edits.sizes if axes in letters]
    kinds = ["numbers", *([f"the size{'s'[: len(named) - 1]} {', '.join(named)}"] if named else [])]
    rest = (axes for axes in edits.sizes if axes not in letters)
    kinds += ["the " + " and ".join(f"{axis_word(stated, *axis)} of {axis[0]}" for axis in axes) for axes in rest]
    gap = f"the largest gap is {edits.gap:.1g} of the largest entry" if edits.gap else "all gave exactly the same"
    return f"{edits.tried} random edits of {', of '.join(kinds)}: {gap}"


def _gap(held: Compared | Differenced) -> str:
    if held.gap is None:
        return ""
    return "exactly" if held.gap == 0 else f"relative gap {held.gap:.1g}"


def _difference(each: Differenced, values: dict[str, StepValue]) -> DifferenceView:
    formula = shown(values[each.label].value)
    return DifferenceView(each.label, each.by, formula, shown(each.value), f"{each.gap:.1g}", each.agrees)


def table_view(table: Table) -> TableView:
    """The rows of a run."""
    kinds = [
        all(isinstance(row[position], int | float) and not isinstance(row[position], bool) for row in table.rows)
        for position in range(len(table.columns))
    ]
    rows = tuple(tuple(number(cell) for cell in row) for row in table.rows)
    sizes = ", ".join(f"{name} = {value}" for name, value in table.sizes)
    return TableView(tuple(zip(table.columns, kinds, strict=True)), rows, sizes, SEED)


def function_place(stated: Example, topic: str, on: str, site: Site) -> tuple[str, str | None]:
    """Where the function is that the example is held against."""
    if stated.equals is None:
        return "", None
    found = resolve_target(stated.equals.value, site.places.index)
    if not isinstance(found, Statement):
        return stated.equals.value, None
    return f"{found.span.path}:{found.span.line}", site.places.line(found.span.path, found.span.line, on, topic)


def scenario_place(stated: Example, on: str, site: Site) -> tuple[str, str | None]:
    """The place and address of the scenario that a stored example runs."""
    if stated.run is None or site.config.scenarios is None:
        return "", None
    found = resolve_target(f"{site.config.scenarios}::{stated.run.value}", site.places.index)
    if not isinstance(found, Statement):
        return site.config.scenarios, None
    return f"{found.span.path}:{found.span.line}", site.places.line(found.span.path, found.span.line, on)
