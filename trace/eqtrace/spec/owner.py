"""Which equation a fault belongs to: the one in whose entry it stands."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

from yaml.nodes import ScalarNode

from eqtrace.model.finding import Fault
from eqtrace.model.span import Span
from eqtrace.spec.context import child
from eqtrace.spec.document import Document, Entries, Items
from eqtrace.spec.short import target


def owned(document: Document) -> list[Fault]:
    """The document's faults, those inside an equation's entry with its id."""
    if not document.faults:
        return []
    regions = sorted(_regions(document))
    return [_owned(fault, regions) for fault in document.faults]


def _owned(fault: Fault, regions: list[tuple[Span, str]]) -> Fault:
    place = (fault.span.line, fault.span.column)
    before = bisect_right(regions, place, key=lambda region: (region[0].line, region[0].column))
    if not before:
        return fault
    span, equation = regions[before - 1]
    return replace(fault, equation=equation) if place <= (span.end_line, span.end_column) else fault


def _regions(document: Document) -> Iterator[tuple[Span, str]]:
    place = document.place
    if not isinstance(place, Entries):
        return
    if "topic" in place.keys:
        equations = child(place, "equations")
        for item in equations.items if isinstance(equations, Items) else ():
            name = child(item, "id")
            if isinstance(name, ScalarNode):
                yield document.span(item), name.value
        return
    for module, entries in place.values.items():
        if ":" in module:
            yield document.span(entries), module
        elif isinstance(entries, Entries):
            for function, entry in entries.values.items():
                key = document.span(entries.keys[function])
                end = document.span(entry)
                yield Span(key.path, key.line, key.column, end.end_line, end.end_column), target(module, function)
