"""References from one place of a specification to another, checked when everything is read."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from eqtrace.model.finding import Fault
from eqtrace.spec.context import Context, Reference
from eqtrace.spec.mistakes import nearest

MAX_HINTS = 50  # names for which the nearest one is looked for


def check(context: Context, pages: Collection[str] | None, works: Mapping[str, object] | None) -> tuple[Fault, ...]:
    """A fault for each name that is nobody's. `pages` and `works` are None where there is no such file."""
    known: dict[str, Collection[str] | None] = {
        "page": pages,
        "work": works if works is not None else {},
        "topic": context.topics if context.complete else None,
        "equation": context.equations if context.complete else None,
        "anchor": context.anchors if context.complete else None,
    }
    missing = [item for item in context.references if not _is_known(item, known[item.what], context.broken)]
    few = len(missing) <= MAX_HINTS
    return tuple(_fault(item, known[item.what] or () if few else (), works is None) for item in missing)


def _is_known(reference: Reference, known: Collection[str] | None, broken: set[str]) -> bool:
    if known is None or reference.name in known or reference.name in broken:
        return True
    return reference.what == "anchor" and _owner(reference.name) in broken


def _owner(anchor: str) -> str:
    """The equation in equation/role/name; its id may hold slashes (a file), and the name may too."""
    for role in ("computes", "inline", "calls", "tests", "explains", "states"):
        before, found, _ = anchor.partition(f"/{role}/")
        if found:
            return before
    return anchor


def _fault(reference: Reference, known: Collection[str], no_literature: bool) -> Fault:
    what, name = reference.what, reference.name
    hint = nearest(name, list(known)) if len(known) < 2000 else ""
    if what == "work" and no_literature:
        hint = "name a literature file in [tool.eqtrace]: literature = 'spec/literature.yaml'"
    if what == "anchor" and "/" not in name:
        hint = "an anchor is named equation/role/purpose, or by its index: linear.linear/computes/0"
    return Fault("unknown-reference", f"there is no {what} `{name}`", reference.span, hint, equation=reference.equation)
