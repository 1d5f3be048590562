"""Prose of a specification as HTML: paragraphs, `code`, and citations of lines resolved to links."""

from __future__ import annotations

import re
from collections.abc import Callable

from markupsafe import Markup, escape

_INLINE = re.compile(r"`(?P<code>[^`\n]+)`|\{cite: *(?P<cite>[^{}\n]+?) *\}")

Resolve = Callable[[str], tuple[str, str] | None]
"""From an anchor's name to (address, text) of the line it stands for, or None where there is no such anchor."""


def paragraphs(text: str, resolve: Resolve) -> Markup:
    """The text's paragraphs, which empty lines part."""
    parts = [part for part in re.split(r"\n[ \t]*\n", text.strip()) if part.strip()]
    return Markup("\n").join(Markup("<p>{}</p>").format(inline(part, resolve)) for part in parts)


def inline(text: str, resolve: Resolve) -> Markup:
    """One paragraph's text."""
    pieces: list[Markup] = []
    end = 0
    for found in _INLINE.finditer(text):
        pieces.append(escape(text[end : found.start()]))
        pieces.append(_code(found["code"]) if found["code"] else _cite(found["cite"], resolve))
        end = found.end()
    return Markup("").join([*pieces, escape(text[end:])])


def _code(text: str) -> Markup:
    return Markup("<code>{}</code>").format(text)


def _cite(name: str, resolve: Resolve) -> Markup:
    found = resolve(name)
    if found is None:
        return Markup('<mark class="broken">unknown citation: {}</mark>').format(name)
    return Markup('<a class="cite" href="{}">{}</a>').format(*found)
