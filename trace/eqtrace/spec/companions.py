"""The files beside the topics: pages, literature and waivers."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from eqtrace.model.finding import Related
from eqtrace.model.span import Span
from eqtrace.model.topic import Page, Waiver, Work
from eqtrace.spec import mistakes, schema, sections
from eqtrace.spec.context import Context, child, inside, optional_text, texts
from eqtrace.spec.document import Document, Entries, Items, Place

Model = TypeVar("Model", bound=BaseModel)


def pages(document: Document, context: Context) -> tuple[Page, ...]:
    """The pages, in their order."""
    found: dict[str, Page] = {}
    first: dict[str, Span] = {}
    for model, place in _listed(document, schema.PAGES, schema.Page, "a list of pages: - {page: ..., title: ...}"):
        if model.page in found:
            related = (Related(first[model.page], "first here"),)
            message = f"the page `{model.page}` is there already"
            document.fault("duplicate-id", child(place, "page"), message, "give one of them another name", related)
            continue
        topics = texts(document, child(place, "topics"))
        for topic in topics:
            context.refer("topic", topic)
        context.prose(optional_text(document, place, "intro"))
        first[model.page] = document.span(child(place, "page"))
        context.prose(optional_text(document, place, "notation"))
        if child(place, "topics") is None and not model.sections:
            hint = "topics: [ids], or sections: [{heading: ..., text: ...}]"
            document.fault("schema", place, f"the page `{model.page}` has neither `topics` nor `sections`", hint)
        parts = sections.read(document, context, model.sections, child(place, "sections"), f"pages/{model.page}")
        found[model.page] = Page(model.page, model.title, model.intro, topics, model.notation, parts)
    return tuple(found.values())


def literature(document: Document) -> dict[str, Work]:
    """The works, by key."""
    found = {}
    for key, model, place in _keyed(document, schema.LITERATURE, schema.Work, "a mapping from key to work"):
        if not (model.doi or model.arxiv):
            hint = "doi: '10.1000/182', or arxiv: '1706.03762'"
            document.fault("schema", place, f"the work `{key}` has neither `doi` nor `arxiv`", hint)
        found[key] = Work(
            key, model.title, tuple(model.authors), model.year, model.venue, model.doi or "", model.arxiv or ""
        )
    return found


def waivers(document: Document, context: Context) -> tuple[Waiver, ...]:
    """The waivers, in their order."""
    found = []
    for model, place in _listed(document, schema.WAIVERS, schema.Waiver, "a list of waivers"):
        waiver = _waiver(document, model, place)
        if waiver is None:
            continue
        if waiver.equation is not None:
            context.refer("equation", waiver.equation)
        found.append(waiver)
    return tuple(found)


def _waiver(document: Document, model: schema.Waiver, place: Any) -> Waiver | None:
    by_equation = model.equation is not None and model.lacks is not None
    by_line = model.at is not None and model.code is not None
    if by_equation == by_line or (by_equation and (model.at or model.code)) or (by_line and model.equation):
        hint = "{equation: a.b, lacks: test, reason: ...} or {at: 'path:12', in: f, code: ..., reason: ...}"
        document.fault("schema", place, "a waiver names an equation and what it lacks, or a statement", hint)
        return None
    span = document.span(place)
    if by_equation:
        equation = optional_text(document, place, "equation")
        return Waiver(model.reason, span, equation=equation, lacks=model.lacks or "")
    path, _, line = (model.at or "").rpartition(":")
    if not inside(document, place.values["at"], path):
        return None
    at = document.text(place.values["at"])
    return Waiver(model.reason, span, path=path, line=int(line), function=model.function, code=model.code or "", at=at)


def _listed(
    document: Document, adapter: TypeAdapter[list[Model]], model: type[Model], words: str
) -> list[tuple[Model, Any]]:
    place = document.place
    if place is None:
        return []
    if not isinstance(place, Items):
        document.fault("schema", place, f"{words} is wanted, not {mistakes.kind(place)}")
        return []
    valid, good = _valid(document, adapter, model, place, document.data, range(len(place.items)))
    return list(zip(valid, (place.items[i] for i in good), strict=True))


def _keyed(
    document: Document, adapter: TypeAdapter[dict[str, Model]], model: type[Model], words: str
) -> list[tuple[str, Model, Any]]:
    place = document.place
    if place is None:
        return []
    if not isinstance(place, Entries):
        document.fault("schema", place, f"{words} is wanted, not {mistakes.kind(place)}")
        return []
    valid, good = _valid(document, adapter, model, place, document.data, list(place.values))
    return [(key, valid[key], place.values[key]) for key in good]


def _valid(
    document: Document, adapter: Any, model: type[BaseModel], place: Place, data: Any, keys: Any
) -> tuple[Any, list[Any]]:
    """The valid entries of a list or a mapping, and their indices or keys; the others are reported."""
    try:
        return adapter.validate_python(data), list(keys)
    except ValidationError as error:
        wrong = {loc[0] for loc in mistakes.report_each(error, document, place, model) if loc}
    good = [key for key in keys if key not in wrong]
    left = {key: data[key] for key in good} if isinstance(data, dict) else [data[key] for key in good]
    return adapter.validate_python(left), good
