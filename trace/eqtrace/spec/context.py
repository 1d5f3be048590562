"""What the builders share while one specification is read: its files, its references and its ids."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from yaml.nodes import Node, ScalarNode

from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span, Text
from eqtrace.spec.document import Document, Entries, Place

_CITE = re.compile(r"\{cite:\s*([^{}]*?)\s*\}")


@dataclass(frozen=True, slots=True)
class Reference:
    """A name that must be somebody's: a page, topic, work, equation or anchor."""

    what: str
    name: str
    span: Span
    equation: str | None = None


@dataclass(slots=True)
class Context:
    """Ids that were seen, references to be checked when everything is read, and faults that belong to no one file."""

    references: list[Reference] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    topics: dict[str, Span] = field(default_factory=dict)
    equations: dict[str, Span] = field(default_factory=dict)
    anchors: dict[str, Span] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)  # ids of entries that were left out for their faults
    complete: bool = True  # whether every file of the specification could be read

    def claim(self, what: str, ids: dict[str, Span], name: str, span: Span) -> bool:
        """Whether an id is new; a fault otherwise."""
        first = ids.setdefault(name, span)
        if first is span:
            return True
        self.broken.add(name)  # what the second one holds is left out, and may be what is named elsewhere
        related = (Related(first, "first here"),)
        message = f"the {what} `{name}` is there already"
        self.faults.append(Fault("duplicate-id", message, span, "give one of them another name", related))
        return False

    def joined(self, other: Context) -> bool:
        """Whether what another context saw of other files could be added: only while no id is in both."""
        ids = ((self.topics, other.topics), (self.equations, other.equations), (self.anchors, other.anchors))
        if not all(own.keys().isdisjoint(others) for own, others in ids):
            return False
        for own, others in ids:
            own.update(others)
        self.references += other.references
        self.faults += other.faults
        self.broken |= other.broken
        self.complete &= other.complete
        return True

    def refer(self, what: str, text: Text, equation: str | None = None) -> None:
        """Notes a reference."""
        self.references.append(Reference(what, text.value, text.span, equation))

    def prose(self, text: Text | None, equation: str | None = None) -> None:
        """Notes the anchors that prose cites."""
        if text is None or "{cite:" not in text.value:
            return
        for match in _CITE.finditer(text.value):
            place = text.at(match.start(1), max(1, len(match[1])))
            self.references.append(Reference("anchor", match[1], place, equation))


def child(place: Place | None, key: str) -> Any:
    """The place of a mapping's value; None where the key is not there."""
    return place.values.get(key) if isinstance(place, Entries) else None


def optional_text(document: Document, place: Place | None, key: str) -> Text | None:
    """A key's text, with its place; None where there is none or it is null."""
    node = child(place, key)
    if not isinstance(node, ScalarNode) or node.tag.endswith(":null"):
        return None
    return document.text(node)


def texts(document: Document, place: Place | None) -> tuple[Text, ...]:
    """The texts of a sequence, or of a single scalar."""
    if isinstance(place, ScalarNode):
        return (document.text(place),)
    return tuple(document.text(item) for item in getattr(place, "items", ()))


def inside(document: Document, node: Node | Place, path: str) -> bool:
    """Whether a path stays inside the project as written; a fault otherwise."""
    if path.startswith(("/", "~")) or ".." in path.split("/"):
        message = f"`{path}` is not a path inside the project's folder"
        document.fault("limit", node, message, "write it relative to the folder of pyproject.toml, without `..`")
        return False
    return True
