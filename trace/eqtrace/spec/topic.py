"""A file in topic form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from eqtrace.model.equation import Equation, LiteratureReference
from eqtrace.model.example import Example, Step
from eqtrace.model.topic import ShapeTable, Topic
from eqtrace.spec import equations, mistakes, names, schema, sections, shared, symbols
from eqtrace.spec.context import Context, child, inside, optional_text
from eqtrace.spec.document import Document, Entries, Items, Place
from eqtrace.spec.equations import Outline

# Where one of these is wrong, the topic's equations can still be checked.
_PROSE = frozenset(
    {"title", "page", "category", "status", "direction", "literature", "what", "why", "example", "shapes", "sections"}
)
_PLACEHOLDERS: Mapping[str, Any] = {
    "title": "?",
    "page": "",
    "status": "implemented",
    "direction": "neither",
    "functions": [],
    "what": "?",
    "why": "?",
    "symbols": {},
    "equations": [],
}


def read(document: Document, context: Context) -> Topic | None:
    """The file's topic; entries with faults are left out, None where nothing of it can be used."""
    data, place = document.data, document.place
    assert isinstance(place, Entries)
    try:
        model = schema.TOPIC.validate_python(data)
    except ValidationError as error:
        wrong = mistakes.report(error, document, place, schema.Topic)
        _note_broken(data, context)
        repaired = _repair(data, place, wrong)
        if repaired is None:
            return None
        data, place = repaired
        try:
            model = schema.TOPIC.validate_python(data)
        except ValidationError:
            return None
    else:
        if not model.equations:
            document.fault("schema", place.values["equations"], "the topic has no equations", "it needs one at least")
    return _build(document, context, model, place)


def _build(document: Document, context: Context, model: schema.Topic, place: Entries) -> Topic | None:
    name = document.text(place.values["topic"])
    if not context.claim("topic", context.topics, model.topic, name.span):
        return None
    page = optional_text(document, place, "page")
    if page is not None:
        context.refer("page", page)
    what, why = (optional_text(document, place, key) for key in ("what", "why"))
    context.prose(what)
    context.prose(why)
    names.check(document, child(place, "symbols"), "a symbol")
    common = shared.build(document, context, model, place)
    known = symbols.symbols(document, context, model.symbols, child(place, "symbols")) if model.symbols else {}
    outline = Outline(model.topic, model.status == "derived", common, symbols.narrowed(known, common.domain))
    made = _equations(document, context, model, child(place, "equations"), outline)
    return Topic(
        id=model.topic,
        title=model.title,
        page=model.page,
        span=name.span,
        status=model.status,
        direction=model.direction,
        category=model.category,
        functions=shared.functions(document, child(place, "functions")),
        literature=_literature(document, context, model, child(place, "literature")),
        what=what,
        why=why,
        symbols=outline.symbols,
        equations=made,
        shapes=_shapes(document, context, model, child(place, "shapes")),
        example=_completed(_example(document, context, model, child(place, "example"), common), outline, made),
        sections=sections.read(document, context, model.sections, child(place, "sections"), f"topics/{model.topic}"),
    )


def _equations(
    document: Document, context: Context, model: schema.Topic, place: Items | None, outline: Outline
) -> tuple[Equation, ...]:
    found = []
    for entry, item in zip(model.equations, place.items if place else (), strict=True):
        span = document.span(item)
        if context.claim("equation", context.equations, entry.id, document.span(child(item, "id"))):
            found.append(equations.build(document, context, entry, item, entry.id, outline, span))
    return tuple(found)


def _literature(
    document: Document, context: Context, model: schema.Topic, place: Items | None
) -> tuple[LiteratureReference, ...]:
    found = []
    for entry, item in zip(model.literature, place.items if place else (), strict=True):
        work = document.text(child(item, "work"))
        context.refer("work", work)
        numbers = tuple(str(number) for number in entry.equation)
        found.append(LiteratureReference(work, str(entry.section), numbers, str(entry.page)))
    return tuple(found)


def _shapes(document: Document, context: Context, model: schema.Topic, place: Items | None) -> tuple[ShapeTable, ...]:
    found = []
    for entry, item in zip(model.shapes, place.items if place else (), strict=True):
        anchor = optional_text(document, item, "anchor")
        if anchor is not None:
            context.refer("anchor", anchor)
        if "{cite:" in entry.caption:
            context.prose(optional_text(document, item, "caption"))
        rows = tuple((row.array, tuple(str(dim) for dim in row.dims)) for row in entry.rows)
        found.append(ShapeTable(entry.caption, rows, anchor))
    return tuple(found)


def _example(
    document: Document, context: Context, model: schema.Topic, place: Any, common: shared.Shared
) -> Example | None:
    """The example, without what the topic's equations say; see `_completed`."""
    given = model.example
    if given is None:
        return None
    inputs = child(place, "inputs")
    mistakes.misread_numbers(document, inputs)
    steps = child(place, "steps")
    equals, run = (optional_text(document, place, key) for key in ("equals", "run"))
    if equals is not None and not inside(document, child(place, "equals"), equals.value.partition("::")[0]):
        equals = None
    gives = child(place, "gives")
    return Example(
        kind=given.kind,
        span=document.span(place),
        source=given.source,
        inputs={name: _frozen(value) for name, value in given.inputs.items()},
        places={name: document.span(inputs.keys[name]) for name in given.inputs},
        steps=tuple(_step(document, context, item) for item in (steps.items if steps else ())),
        equals=equals,
        run=run,
        call=optional_text(document, place, "call"),
        gives={name: document.text(gives.values[name]) for name in given.gives},
        topic_call=common.call,
        gradient=common.gradient,
    )


def _step(document: Document, context: Context, item: Any) -> Step:
    label = document.text(child(item, "label"))
    context.prose(label)
    return Step(label, document.text(child(item, "code")))


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _completed(example: Example | None, outline: Outline, equations: tuple[Equation, ...]) -> Example | None:
    """The example with the topic's symbols, and how its equations say that their functions are called."""
    if example is None:
        return None
    calls = (equation.call for equation in equations if equation.call is not None)
    gradients = (equation.gradient for equation in equations if equation.gradient is not None)
    return replace(
        example,
        topic_call=example.topic_call or next(calls, None),
        gradient=example.gradient or next(gradients, None),
        symbols=outline.symbols,
        where=tuple(dict.fromkeys(equation.where for equation in equations if equation.where is not None)),
    )


def _note_broken(data: Mapping[str, Any], context: Context) -> None:
    """Remembers the ids of a file with faults, so that nobody who refers to them is blamed."""
    entries = data.get("equations")
    for entry in (data, *(entries if isinstance(entries, list) else ())):
        if isinstance(entry, dict):
            context.broken.update(str(entry[key]) for key in ("topic", "id") if key in entry)


def _repair(
    data: Mapping[str, Any], place: Entries, wrong: tuple[mistakes.Loc, ...]
) -> tuple[dict[str, Any], Entries] | None:
    """The data without what is wrong in it: single equations, or all where something that they share is wrong."""
    keys = {loc[0] for loc in wrong if loc and (loc[0] != "equations" or len(loc) == 1)}
    if "topic" in keys or not all(wrong):
        return None
    kept: dict[str, Any] = {**_PLACEHOLDERS, **{key: value for key, value in data.items() if key not in keys}}
    values: dict[str, Place] = {key: value for key, value in place.values.items() if key not in keys}
    items = values.get("equations")
    bad = {loc[1] for loc in wrong if loc[0] == "equations" and len(loc) > 1}
    if isinstance(items, Items):
        good = [] if keys - _PROSE else [i for i in range(len(items.items)) if i not in bad]
        kept["equations"] = [kept["equations"][i] for i in good]
        values["equations"] = Items(items.node, [items.items[i] for i in good])
    return kept, Entries(place.node, place.keys, values)
