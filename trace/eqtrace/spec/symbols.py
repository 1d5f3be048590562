"""Symbols and their domains as written, to symbols of the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from eqtrace.model.span import Text
from eqtrace.model.symbol import Domain, Symbol
from eqtrace.spec import schema
from eqtrace.spec.context import Context, child, optional_text, texts
from eqtrace.spec.document import Document, Items, Place


def symbols(
    document: Document, context: Context, models: Mapping[str, schema.Symbol], place: Any, equation: str | None = None
) -> dict[str, Symbol]:
    """The symbols of a topic, or of one equation."""
    found = {}
    for name, model in models.items():
        entry = place.values[name]
        domain = Domain() if model.domain is None else _domain(document, model.domain, child(entry, "domain"))
        found[name] = Symbol(
            name=name,
            span=document.span(place.keys[name]),
            meaning=model.meaning,
            code=_code(name, model),
            shape=None if model.shape is None else shape(document, child(entry, "shape")),
            parameter=model.parameter,
            latex=(model.latex,) if isinstance(model.latex, str) else tuple(model.latex),
            domain=domain,
        )
        if "{cite:" in model.meaning:
            context.prose(optional_text(document, entry, "meaning"), equation)
    return found


def _code(name: str, model: schema.Symbol) -> dict[str, str | None]:
    if "code" not in model.model_fields_set:
        return {"": name}
    return dict(model.code) if isinstance(model.code, dict) else {"": model.code}


def shape(document: Document, place: Items) -> tuple[Text, ...]:
    """Dimensions, with their places; '...' stands first only."""
    dims = texts(document, place)
    for node, dim in zip(place.items[1:], dims[1:], strict=True):
        if dim.value.strip() == "...":
            document.fault("schema", node, "`...` can only be the first of the dimensions")
    return dims


def domains(document: Document, models: Mapping[str, schema.Domain], place: Any) -> dict[str, Domain]:
    """The key `domain` of a topic, an equation or a short entry: symbol to domain."""
    return {name: _domain(document, model, place.values[name]) for name, model in models.items()}


def _domain(document: Document, model: schema.Domain, place: Place | None) -> Domain:
    return Domain(
        minimum=None if model.min is None else optional_text(document, place, "min"),
        maximum=None if model.max is None else optional_text(document, place, "max"),
        open=frozenset(model.open),
        integer=model.integer,
        one_of=tuple(float(each) for each in model.one_of if not isinstance(each, str)),
        words=tuple(each for each in model.one_of if isinstance(each, str)),
        letters=model.letters or "",
        probability_row=model.probability_row,
        permutation=model.permutation,
        distinct=model.distinct,
        function=model.function,
    )


def narrowed(known: Mapping[str, Symbol], extra: Mapping[str, Domain]) -> Mapping[str, Symbol]:
    """Symbols, with the domains that are given apart."""
    if not extra:
        return known
    return {name: replace(symbol, domain=extra.get(name, symbol.domain)) for name, symbol in known.items()}
