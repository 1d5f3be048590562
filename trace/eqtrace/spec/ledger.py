"""The ledger of reviews: one line a link, read line by line where it is as we write it, else as YAML.

A merge (`merge=union`) may leave two lines of one link, which is no fault here: each of them was reviewed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from yaml.nodes import MappingNode, Node, ScalarNode

from eqtrace.model.finding import Fault
from eqtrace.model.span import Span
from eqtrace.model.topic import Review
from eqtrace.spec.compose import compose, mark_span

HASHES = ("form", "prose", "code")
_HASH = re.compile(r"[0-9a-f]{64}")
_KEY = re.compile(r"\S+/(?:computes|inline|calls|tests|explains|states)/.+", re.DOTALL)
_LINE = re.compile(
    r"'(?P<key>(?:[^']|'')+)': \{form: (?P<form>[0-9a-f]{64}), prose: (?P<prose>[0-9a-f]{64}),"
    r" code: (?P<code>[0-9a-f]{64})\}"
)
_MARKER = re.compile(r"(?:<{7}|={7}|>{7}|\|{7})(?: .*)?")
_EMPTY = re.compile(r"\s*(?:#.*)?")
_ENTRY = "an entry is 'equation/role/name': {form: SHA-256, prose: SHA-256, code: SHA-256}"
_MEND = "restore the line from git, or remove it: the link then counts as not reviewed"


def read(path: str, text: str) -> tuple[tuple[Review, ...], tuple[Fault, ...]]:
    """The lines of the ledger, and what is wrong with the others."""
    lines = text.replace("\r\n", "\n").split("\n")
    found: list[Review] = []
    other = False
    for line in lines:
        match = _LINE.fullmatch(line)
        if match and _KEY.fullmatch(match["key"]):
            found.append(Review(match["key"].replace("''", "'"), match["form"], match["prose"], match["code"]))
        elif not _EMPTY.fullmatch(line):
            other = True
    if not other:
        return tuple(found), ()
    faults = tuple(_conflict(path, lines))
    node, broken = compose("\n".join("" if _MARKER.fullmatch(line) else line for line in lines), path)
    if broken and node is None:
        return tuple(found), (*faults, *broken)
    entries = _Entries(path)
    read = tuple(entries.of(node))
    return read, (*faults, *broken, *entries.faults)


def _conflict(path: str, lines: list[str]) -> Iterator[Fault]:
    marked = [number for number, line in enumerate(lines, 1) if _MARKER.fullmatch(line)]
    if marked:
        message = "a merge left its markers in the ledger of reviews"
        if len(marked) > 1:
            message += f" (lines {', '.join(map(str, marked))})"
        hint = f"remove the marker lines and keep both sides; `{path} merge=union` in .gitattributes does so by itself"
        yield Fault("yaml-syntax", message, Span(path, marked[0], 1, marked[0], len(lines[marked[0] - 1]) + 1), hint)


class _Entries:
    """Reads the entries of a ledger that is YAML, if not written as we do."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.faults: list[Fault] = []

    def of(self, node: Node | None) -> Iterator[Review]:
        if node is None or (isinstance(node, ScalarNode) and not node.value):
            return
        if not isinstance(node, MappingNode):
            self._fault(node, "a mapping from anchor to hashes is wanted", _ENTRY)
            return
        for key, value in node.value:
            if not isinstance(key, ScalarNode) or not _KEY.fullmatch(key.value):
                shown = f"`{key.value}`" if isinstance(key, ScalarNode) else "this"
                self._fault(key, f"{shown} is no anchor's name", "an anchor is named equation/role/purpose or index")
            elif (hashes := self._hashes(value)) is not None:
                yield Review(key.value, *hashes)

    def _hashes(self, node: Node) -> tuple[str, str, str] | None:
        """An entry's hashes; None where it has a fault."""
        before = len(self.faults)
        if not isinstance(node, MappingNode):
            self._fault(node, "a mapping of three hashes is wanted", _ENTRY)
            return None
        found: dict[str, str] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, ScalarNode) else ""
            if name not in HASHES:
                self._fault(key, f"the key `{name}` is not known here" if name else "a key is a text", _ENTRY)
            elif name in found:
                self._fault(key, f"the key `{name}` stands twice in one entry", _MEND)
            elif not isinstance(value, ScalarNode) or not _HASH.fullmatch(value.value):
                self._fault(value, f"`{name}`: a SHA-256 is wanted: 64 of the characters 0-9 and a-f", _MEND)
            else:
                found[name] = value.value
        missing = [name for name in HASHES if name not in found]
        if missing and len(self.faults) == before:
            self._fault(node, f"the key `{missing[0]}` is missing", _MEND)
        return None if len(self.faults) > before else (found["form"], found["prose"], found["code"])

    def _fault(self, node: Node, message: str, hint: str) -> None:
        self.faults.append(Fault("schema", message, mark_span(self.path, node.start_mark), hint))
