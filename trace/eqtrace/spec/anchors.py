"""Anchors as written, to anchors of the model."""

from __future__ import annotations

from typing import Any

from eqtrace.model.anchor import Anchor, Role
from eqtrace.model.span import Text
from eqtrace.spec import schema
from eqtrace.spec.context import Context, child, inside
from eqtrace.spec.document import Document, Items

_ROLES = {role.value: role for role in Role}


def build(
    document: Document, context: Context, models: list[schema.Anchor], place: Items | None, equation: str, parts: int
) -> tuple[Anchor, ...]:
    """One equation's anchors; those with a fault, and those whose name is taken, are left out."""
    if place is None:
        return ()
    counts: dict[str, int] = {}
    found = []
    for model, item in zip(models, place.items, strict=True):
        name = model.purpose
        if not name:
            name = str(counts.get(model.role, 0))
            counts[model.role] = counts.get(model.role, 0) + 1
        anchor = _build(document, model, item, f"{equation}/{model.role}/{name}")
        if not _is_whole(document, model, item, parts, anchor.path):
            context.broken.add(equation)
        elif context.claim("anchor", context.anchors, anchor.id, anchor.span):
            found.append(anchor)
    return tuple(found)


def _build(document: Document, model: schema.Anchor, place: Any, name: str) -> Anchor:
    path, _, line = model.at.rpartition(":")
    bind: dict[str, Text] = {}
    if model.bind:
        nodes = child(place, "bind").values
        bind = {symbol: document.text(nodes[symbol]) for symbol in model.bind}
    return Anchor(
        id=name,
        role=_ROLES[model.role],
        path=path,
        line=int(line),
        function=model.function,
        code=model.code,
        span=document.span(place),
        at=document.text(place.values["at"]),
        within=document.text(place.values["in"]) if "in" in place.values else None,
        occurrence=model.occurrence,
        counted=document.text(place.values["occurrence"]) if model.occurrence is not None else None,
        purpose=model.purpose,
        bind=bind,
        part=model.part,
    )


def _is_whole(document: Document, model: schema.Anchor, place: Any, parts: int, path: str) -> bool:
    good = inside(document, place.values["at"], path)
    if not model.code and model.role != "states":
        hint = "write the cited statement, as it stands there"
        document.fault("schema", place.values.get("code", place), "the anchor has no `code`", hint)
        good = False
    if model.part is not None and model.part >= max(parts, 1):
        message = f"part {model.part} is cited, but the form has {parts or 1} statement{'s' if parts > 1 else ''}"
        document.fault("schema", place.values["part"], message, "parts count from 0")
        good = False
    return good
