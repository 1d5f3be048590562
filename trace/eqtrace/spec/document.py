"""YAML nodes as plain data beside their places, with the faults that any YAML file of ours can have."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span, Text
from eqtrace.spec import scalar
from eqtrace.spec.compose import MAX_DEPTH, MAX_NODES, PREFIX, STR, compose

MAX_SCALAR = 100_000  # characters
_LINE_END = re.compile("\r\n|\r|\n")
_SCALARS = {PREFIX + kind for kind in ("str", "int", "float", "bool", "null", "timestamp", "merge")}
_COLLECTIONS = {PREFIX + "map", PREFIX + "seq"}


@dataclass(slots=True, eq=False)
class Entries:
    """The places of a mapping: its keys' and its values'."""

    node: Node
    keys: dict[str, Node] = field(default_factory=dict)
    values: dict[str, Place] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Items:
    """The places of a sequence's items."""

    node: Node
    items: list[Place] = field(default_factory=list)


Place = ScalarNode | Entries | Items


class Refused(Exception):
    """The document is not read any further."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class Document:
    """One YAML file: `data` (plain), `place` (of the same structure) and `faults`; both are None where it is empty."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.source = text
        self.data: Any = None
        self.place: Place | None = None
        node, faults = compose(text, path)
        self.faults: list[Fault] = list(faults)
        self.refused = node is None and bool(faults)
        if node is not None:
            try:
                self.data, self.place = _Converter(self).convert(node)
            except Refused as refused:
                self.faults.append(refused.fault)
                self.refused = True

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the file, without their ends."""
        return _LINE_END.split(self.source)

    def span(self, place: Place | Node) -> Span:
        """Where a value stands; a block ends where its last value does."""
        node = place if isinstance(place, Node) else place.node
        start, end = node.start_mark, self._end(node)
        return Span(self.path, start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def _end(self, node: Node) -> Any:
        while isinstance(node, MappingNode | SequenceNode) and not node.flow_style and node.value:
            last = node.value[-1]
            found = last[1] if isinstance(last, tuple) else last
            if found.start_mark.index <= node.start_mark.index:
                break  # an alias: what it names stands before it, and may even hold it
            node = found
        return node.end_mark

    def text(self, node: Any) -> Text:
        """A scalar and its place. `node` must be a scalar's: the schema has said so."""
        start, end, style = node.start_mark, node.end_mark, node.style or ""
        if style in ("|", ">") or self.source[start.index] in "&!":
            return self._unusual(node, style)
        place = Span(self.path, start.line + 1, start.column + 1, end.line + 1, end.column + 1)
        return Text(node.value, place, style)

    def _unusual(self, node: ScalarNode, style: str) -> Text:
        """A block scalar, whose mark ends on the next line, or a scalar behind an anchor or a tag."""
        start, end = node.start_mark, node.end_mark
        if style in ("|", ">"):
            last = end.line - 1 if end.line > start.line and not end.column else end.line
            while last > start.line and not self.lines[last].strip():
                last -= 1
            place = Span(self.path, start.line + 1, start.column + 1, last + 1, len(self.lines[last]) + 1)
            return Text(node.value, place, style, self._indent(node) if style == "|" else 0)
        if start.line != end.line:
            return Text(node.value, self.span(node), ">")  # the whole place only: no offset into it is known
        raw = self.source[start.index : end.index]
        while raw[:1] in ("&", "!"):
            raw = raw.partition(" ")[2].lstrip()
        column = end.column - len(raw)
        return Text(node.value, Span(self.path, start.line + 1, column + 1, end.line + 1, end.column + 1), style)

    def _indent(self, node: ScalarNode) -> int:
        for number, content in enumerate(node.value.split("\n"), node.start_mark.line + 1):
            if content.strip() and number < len(self.lines):
                return max(0, len(self.lines[number].rstrip()) - len(content.rstrip()))
        return 0

    def fault(
        self, kind: str, place: Place | Node, message: str, hint: str = "", related: tuple[Related, ...] = ()
    ) -> None:
        """Adds a fault."""
        self.faults.append(Fault(kind, message, self.span(place), hint, related))


class _Converter:
    """Nodes to data and places. Aliased nodes are converted once; their size counts each time they are used."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._check_length = len(document.source) > MAX_SCALAR
        self._done: dict[Node, tuple[Any, Place, int]] = {}
        self._open: set[Node] = set()
        self._size = 0  # of what is converted, aliases followed

    def convert(self, node: Node) -> tuple[Any, Place]:
        if type(node) is ScalarNode:
            self._size += 1
            return (node.value if node.tag == STR and self._plain(node) else self._scalar(node)), node
        if node in self._done:
            data, place, size = self._done[node]
            self._size += size
            self._bound(node)
            return data, place
        if node in self._open:
            raise Refused(Fault("limit", "an alias stands inside the value that it names", self._document.span(node)))
        if len(self._open) >= MAX_DEPTH:
            message = f"the document is nested more than {MAX_DEPTH} levels deep"
            raise Refused(Fault("limit", message, self._document.span(node), "split the file: one topic a file"))
        self._open.add(node)
        before = self._size
        if node.tag not in _COLLECTIONS:
            self._tag(node)
        data, place = self._sequence(node) if isinstance(node, SequenceNode) else self._mapping(node)
        self._size += 1
        self._open.discard(node)
        self._done[node] = data, place, self._size - before
        return data, place

    def _bound(self, node: Node) -> None:
        if self._size > MAX_NODES:
            message = f"with its aliases followed, the document has more than {MAX_NODES:,} values"
            raise Refused(Fault("limit", message, self._document.span(node), "write the values out, in several files"))

    def _plain(self, node: ScalarNode) -> bool:
        return node.style != '"' and not self._check_length

    def _mapping(self, node: Node) -> tuple[dict[str, Any], Entries]:
        data: dict[str, Any] = {}
        place = Entries(node)
        keys, values, convert = place.keys, place.values, self.convert
        for key_node, value_node in node.value:
            if self._check_length or type(key_node) is not ScalarNode or key_node.tag != STR or key_node.style == '"':
                key = self._key(key_node)
                if key is None:
                    continue
            else:
                key = key_node.value
            if key in keys:
                self._duplicate(key, keys[key], key_node)
                continue
            keys[key] = key_node
            data[key], values[key] = convert(value_node)
        self._size += len(keys)
        return data, place

    def _sequence(self, node: SequenceNode) -> tuple[list[Any], Items]:
        pairs = [self.convert(item) for item in node.value]
        return [pair[0] for pair in pairs], Items(node, [pair[1] for pair in pairs])

    def _key(self, node: Node) -> str | None:
        document = self._document
        if not isinstance(node, ScalarNode):
            document.fault("schema", node, "a key is a plain text, not a list or a mapping")
            return None
        if node.tag == PREFIX + "merge":
            hint = "write the keys out, or use an alias for a whole value"
            document.fault("schema", node, "merge keys (`<<`) are not read", hint)
            return None
        if node.tag == STR:
            before = len(document.faults)
            key = str(self._scalar(node))
            return key if len(document.faults) == before else None
        found = scalar.reading(node)
        shown = f"the key `{node.value}` is read as {found}" if node.value else "a key is empty"
        document.fault("yaml-type", node, shown, f"put it in quotes: '{node.value}'" if node.value else "")
        return str(node.value)

    def _duplicate(self, key: str, first: Node, second: Node) -> None:
        related = (Related(self._document.span(first), "first here"),)
        message = f"the key `{key}` stands twice in one mapping"
        self._document.fault("duplicate-key", second, message, "YAML keeps only one of them", related)

    def _scalar(self, node: ScalarNode) -> Any:
        document = self._document
        if len(node.value) > MAX_SCALAR:
            message = f"a text is longer than {MAX_SCALAR:,} characters"
            raise Refused(Fault("limit", message, document.span(node)))
        if node.tag not in _SCALARS:
            self._tag(node)
            return node.value
        if node.style == '"':
            self._control(node)
        return scalar.value(node)

    def _tag(self, node: Node) -> None:
        message = f"the tag `{node.tag.replace(PREFIX, '!!')}` is not read here"
        self._document.fault("yaml-type", node, message, "write the value without a tag")

    def _control(self, node: ScalarNode) -> None:
        document, start = self._document, node.start_mark
        raw = document.source[start.index : node.end_mark.index]
        found = scalar.control(raw) if "\\" in raw else None
        if found is None:
            return
        offset, message = found
        line = start.line + 1 + raw.count("\n", 0, offset)
        column = offset - raw.rfind("\n", 0, offset) if "\n" in raw[:offset] else start.column + 1 + offset
        hint = "use single quotes: in them a backslash is a backslash"
        document.faults.append(Fault("control-character", message, Span(document.path, line, column), hint))
