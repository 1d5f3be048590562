"""Equations as written, to equations that are complete in themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eqtrace.model.anchor import Anchor
from eqtrace.model.equation import Equation, FunctionUse
from eqtrace.model.span import Span
from eqtrace.model.symbol import Domain, Symbol
from eqtrace.spec import anchors, names, schema, shared, symbols
from eqtrace.spec.context import Context, child, optional_text, texts
from eqtrace.spec.document import Document
from eqtrace.spec.shared import NOTHING, Shared


@dataclass(frozen=True, slots=True)
class Outline:
    """What an equation has from its topic."""

    topic: str
    derived: bool = False
    shared: Shared = NOTHING
    symbols: Mapping[str, Symbol] = field(default_factory=dict)
    words: frozenset[str] = names.VOCABULARY  # that no symbol can be named as


def build(
    document: Document, context: Context, model: schema._Formula, place: Any, name: str, outline: Outline, span: Span
) -> Equation:
    """One equation, its topic's keys merged in."""
    own = shared.build(document, context, model, place, name)
    every = outline.shared if own is NOTHING else own.over(outline.shared)
    names.check(document, child(place, "symbols"), "a symbol", outline.words)
    names.check(document, child(place, "functions"), "a function symbol")
    statements = texts(document, child(place, "sympy")) if model.sympy else ()
    if "{cite:" in model.label:
        context.prose(optional_text(document, place, "label"), name)
    return Equation(
        id=name,
        topic=outline.topic,
        span=span,
        label=model.label,
        latex=optional_text(document, place, "latex") if model.latex else None,
        statements=statements,
        where=every.where,
        derived=outline.derived if model.derived is None else model.derived,
        methods=tuple(model.method),
        anchors=_anchors(document, context, model, place, name, len(statements)),
        symbols=_symbols(document, context, model, place, name, outline, own.domain),
        indices=every.indices,
        let=every.let,
        given=every.given,
        functions=_functions(document, context, model, child(place, "functions"), name),
        order=every.order,
        structure=every.structure,
        gradient=every.gradient,
        wrt=tuple(model.wrt),
        call=every.call,
        rejects=every.rejects,
        tolerance=every.tolerance,
        ulps=every.ulps,
    )


def _anchors(
    document: Document, context: Context, model: schema._Formula, place: Any, name: str, parts: int
) -> tuple[Anchor, ...]:
    return (
        anchors.build(document, context, model.anchors, child(place, "anchors"), name, parts) if model.anchors else ()
    )


def _symbols(
    document: Document,
    context: Context,
    model: schema._Formula,
    place: Any,
    name: str,
    outline: Outline,
    domain: Mapping[str, Domain],
) -> Mapping[str, Symbol]:
    known = outline.symbols
    if model.symbols:
        own = symbols.symbols(document, context, model.symbols, child(place, "symbols"), name)
        known = {**known, **own}
    return symbols.narrowed(known, domain)


def _functions(
    document: Document, context: Context, model: schema._Formula, place: Any, name: str
) -> dict[str, FunctionUse]:
    found = {}
    for function, use in model.functions.items():
        text = document.text(child(place.values[function], "equation"))
        context.refer("equation", text, name)
        latex = (use.latex,) if isinstance(use.latex, str) else tuple(use.latex)
        found[function] = FunctionUse(text, tuple(use.args), latex)
    return found
