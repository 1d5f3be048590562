"""Sections of pages and topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from eqtrace.model.example import Example
from eqtrace.model.section import PathStep, Section
from eqtrace.model.span import Text
from eqtrace.spec import schema
from eqtrace.spec.context import Context, child, optional_text, texts
from eqtrace.spec.document import Document


def read(
    document: Document, context: Context, models: Sequence[schema.Section], place: Any, owner: str
) -> tuple[Section, ...]:
    """The sections of `owner`; what their prose and steps cite is noted, to be checked when everything is read."""
    items = place.items if place is not None else ()
    return tuple(
        _section(document, context, model, item, f"{owner}/{number}")
        for number, (model, item) in enumerate(zip(models, items, strict=True))
    )


def _section(document: Document, context: Context, model: schema.Section, place: Any, name: str) -> Section:
    text, run = optional_text(document, place, "text"), optional_text(document, place, "run")
    for prose in (text, optional_text(document, place, "caption")):
        context.prose(prose)
    if not (model.text.strip() or model.steps or run):
        hint = "text: '...', steps: [{text: ..., cite: ANCHOR}], or run: SCENARIO"
        document.fault("schema", place, f"the section `{model.heading}` is empty", hint)
    if model.caption and run is None:
        message = f"the section `{model.heading}` has a caption, and no run whose table it would stand above"
        document.fault("schema", child(place, "caption"), message, "run: SCENARIO")
    return Section(
        name,
        model.heading,
        document.span(place),
        text,
        tuple(_steps(document, context, child(place, "steps"))),
        None if run is None else Example("stored", run.span, run=run),
        model.caption,
    )


def _steps(document: Document, context: Context, place: Any) -> Iterator[PathStep]:
    for item in place.items if place is not None else ():
        text: Text = document.text(child(item, "text"))
        context.prose(text)
        cites = texts(document, child(item, "cite"))
        for cite in cites:
            context.refer("anchor", cite)
        if not cites:
            document.fault("schema", child(item, "cite"), "the step cites no line", "cite: equation/role/purpose")
        yield PathStep(text, cites)
