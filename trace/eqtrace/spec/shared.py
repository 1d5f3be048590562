"""The keys that topics and equations have in common, and how an equation's go before its topic's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eqtrace.model.equation import Given, Gradient, IndexRange, ParameterStart, Tolerance, Ulps
from eqtrace.model.span import Span, Text
from eqtrace.model.symbol import Domain
from eqtrace.spec import names, schema, symbols
from eqtrace.spec.context import Context, child, inside, optional_text, texts
from eqtrace.spec.document import Document, Items


@dataclass(frozen=True, slots=True)
class Shared:
    """What a topic says for all of its equations, or an equation for itself."""

    where: Text | None = None
    indices: Mapping[str, IndexRange] = field(default_factory=dict)
    let: Mapping[str, Text] = field(default_factory=dict)
    given: tuple[Given, ...] = ()
    domain: Mapping[str, Domain] = field(default_factory=dict)
    call: Text | None = None
    gradient: Gradient | None = None
    order: tuple[Text, ...] = ()
    structure: tuple[ParameterStart, ...] = ()
    rejects: str | None = None
    tolerance: Tolerance | None = None
    ulps: Ulps | None = None

    def over(self, topic: Shared) -> Shared:
        """This, completed by what the topic says."""
        return Shared(
            where=_both(topic.where, self.where),
            indices={**topic.indices, **self.indices},
            let={**topic.let, **self.let},
            given=_given_over(self.given, topic.given),
            domain={**topic.domain, **self.domain},
            call=self.call or topic.call,
            gradient=self.gradient or topic.gradient,
            order=self.order or topic.order,
            structure=self.structure or topic.structure,
            rejects=self.rejects or topic.rejects,
            tolerance=self.tolerance or topic.tolerance,
            ulps=self.ulps or topic.ulps,
        )


NOTHING = Shared()
_KEYS = frozenset(schema._Shared.model_fields)


def build(
    document: Document,
    context: Context,
    model: schema._Shared,
    place: Any,
    equation: str | None = None,
) -> Shared:
    """Reads the shared keys of a topic, an equation or a short entry."""
    if _KEYS.isdisjoint(place.values):
        return NOTHING
    names.check(document, child(place, "indices"), "an index")
    names.check(document, child(place, "let"), "a helper")
    return Shared(
        where=optional_text(document, place, "where") if model.where and model.where.strip() else None,
        indices=_indices(document, model, child(place, "indices")),
        let=_let(document, model, child(place, "let")),
        given=_given(document, context, model, child(place, "given"), equation),
        domain=symbols.domains(document, model.domain, child(place, "domain")) if model.domain else {},
        call=optional_text(document, place, "call"),
        gradient=_gradient(document, model, child(place, "gradient")),
        order=functions(document, child(place, "order")),
        structure=_structure(document, model, child(place, "structure")),
        rejects=model.rejects,
        tolerance=_tolerance(model),
        ulps=None if model.ulps is None else Ulps(model.ulps.max, model.ulps.reason),
    )


def _both(topic: Text | None, own: Text | None) -> Text | None:
    """Conditions joined; offsets into the joined text mean nothing, so it is marked as folded."""
    if topic is None or own is None:
        return own or topic
    end = own.span
    place = Span(end.path, end.line, end.column, end.end_line, end.end_column)
    return Text(f"{topic.value}, {own.value}", place, ">")


def _given_over(own: tuple[Given, ...], topic: tuple[Given, ...]) -> tuple[Given, ...]:
    taken = {given.equation.value for given in own}
    return (*(given for given in topic if given.equation.value not in taken), *own)


def _indices(document: Document, model: schema._Shared, place: Any) -> dict[str, IndexRange]:
    found = {}
    for name in model.indices:
        ends = texts(document, place.values[name])
        found[name] = IndexRange(ends[0] if len(ends) > 1 else None, ends[-1])
    return found


def _let(document: Document, model: schema._Shared, place: Any) -> dict[str, Text]:
    return {name: document.text(place.values[name]) for name in model.let}


def _given(
    document: Document, context: Context, model: schema._Shared, place: Items | None, equation: str | None
) -> tuple[Given, ...]:
    found = []
    for entry, item in zip(model.given, place.items if place else (), strict=True):
        text = document.text(child(item, "equation"))
        context.refer("equation", text, equation)
        found.append(Given(text, entry.rename))
    return tuple(found)


def _gradient(document: Document, model: schema._Shared, place: Any) -> Gradient | None:
    if model.gradient is None:
        return None
    forward, backward = (document.text(place.values[key]) for key in ("forward", "backward"))
    for key, text in (("forward", forward), ("backward", backward)):
        inside(document, place.values[key], text.value.partition("::")[0])
    given = model.gradient
    return Gradient(
        forward,
        backward,
        given.cotangent,
        given.cache,
        given.wrt,
        given.accumulates,
        optional_text(document, place, "call"),
        given.output,
        given.after,
    )


def functions(document: Document, place: Items | None) -> tuple[Text, ...]:
    """A list of 'path.py::name'."""
    found = []
    for node in place.items if place else ():
        text = document.text(node)
        if inside(document, node, text.value.partition("::")[0]):
            found.append(text)
    return tuple(found)


def _structure(document: Document, model: schema._Shared, place: Any) -> tuple[ParameterStart, ...]:
    return tuple(
        ParameterStart(
            document.text(place.keys[key]),
            symbols.shape(document, child(place.values[key], "shape")),
            document.text(child(place.values[key], "start")),
        )
        for key in model.structure
    )


def _tolerance(model: schema._Shared) -> Tolerance | None:
    given = model.tolerance
    return None if given is None else Tolerance(given.atol, given.rtol, given.reason)
