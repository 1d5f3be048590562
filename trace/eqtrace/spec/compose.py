"""Text to YAML nodes, by libyaml where there is one; nothing is constructed, no tag is acted on."""

from __future__ import annotations

import operator
import re
from typing import Any

import yaml
from yaml.nodes import Node, ScalarNode

from eqtrace.model.finding import Fault, Related
from eqtrace.model.span import Span

MAX_DEPTH = 40
MAX_NODES = 250_000  # in one file, before aliases are followed
PREFIX = "tag:yaml.org,2002:"
STR = PREFIX + "str"

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RAW_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")
_SEPARATORS = re.compile("[\x85\u2028\u2029]")  # line breaks to YAML 1.1, but to no editor: positions would be off
_NUMERIC = frozenset("0123456789+-.")
_WORDS = {
    **{
        word: PREFIX + "bool"
        for stem in ("yes", "no", "true", "false", "on", "off")
        for word in (stem, stem.upper(), stem.capitalize())
    },
    **dict.fromkeys(("~", "null", "Null", "NULL", ""), PREFIX + "null"),
    "<<": PREFIX + "merge",
}
_HINTS = (
    ("unknown escape", "in double quotes a backslash starts an escape: write LaTeX in single quotes"),
    ("hexdecimal", "in double quotes a backslash starts an escape: write LaTeX in single quotes"),
    ("mapping values are not allowed", "put a text that holds ': ' in single quotes"),
    ("cannot start any token", "put a text that starts with @, ` or % in single quotes"),
    ("another document", "one file holds one document: remove the line `---`"),
    ("undefined alias", "put a text that starts with * in single quotes"),
)


class TooLarge(Exception):
    """The document is nested too deeply or has too many nodes; the node is the innermost one that was begun."""

    def __init__(self, message: str, node: Node) -> None:
        super().__init__(message)
        self.message = message
        self.node = node


class _Loader(_Base):  # type: ignore[misc]
    """The safe loader, with a short way for the resolution of plain text.

    The two calls that PyYAML makes for each node do nothing here, in C: they would be a quarter of the time.
    """

    descend_resolver: Any = operator.is_  # any function that takes two arguments
    ascend_resolver: Any = int  # and one that takes none

    def resolve(self, kind: type[Node], value: str | None, implicit: Any) -> str:
        """The tag of a node without one: as YAML 1.1 has it, like every PyYAML loader."""
        if kind is ScalarNode and value is not None:
            if not implicit[0]:
                return STR
            if value[:1] not in _NUMERIC:
                return _WORDS.get(value, STR)
        return str(super().resolve(kind, value, implicit))


class _Watched(_Loader):
    """For texts that may pass the limits: it stops while it composes."""

    _depth = 0
    _nodes = 0

    def descend_resolver(self, parent: Node | None, index: object) -> None:
        """Called before each node."""
        self._depth += 1
        if self._depth > MAX_DEPTH and parent is not None:
            raise TooLarge(f"the document is nested more than {MAX_DEPTH} levels deep", parent)
        self._nodes += 1
        if self._nodes > MAX_NODES and parent is not None:
            raise TooLarge(f"the document has more than {MAX_NODES:,} values", parent)

    def ascend_resolver(self) -> None:
        """Called after each node."""
        self._depth -= 1


def _can_be_deep(text: str) -> bool:
    """Whether a text may nest so deep, or hold so much, that composing it must be watched.

    A flow collection needs a bracket; a block collection a column beyond its parent's, or once the same. And there are
    no more values than characters.
    """
    levels = text.count("[") + text.count("{") + 2 * max(map(len, text.split("\n")))
    return levels > 1_000 or len(text) > MAX_NODES // 2


def compose(text: str, path: str) -> tuple[Node | None, tuple[Fault, ...]]:
    """The document's root node, None where it is empty or can't be read, and what is wrong with it as YAML."""
    faults = [_raw_control(text, match.start(), path) for match in _RAW_CONTROL.finditer(text)]
    if faults:
        text = _RAW_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    text = _SEPARATORS.sub(" ", text)
    try:
        return yaml.compose(text, _Watched if _can_be_deep(text) else _Loader), tuple(faults)
    except TooLarge as error:
        place = mark_span(path, error.node.start_mark)
        faults.append(Fault("limit", error.message, place, "split the file: one topic a file"))
    except RecursionError:
        faults.append(Fault("limit", "the document is nested too deeply", Span(path, 1)))
    except yaml.MarkedYAMLError as error:
        faults.append(_syntax(error, path, text))
    except yaml.YAMLError as error:
        faults.append(Fault("yaml-syntax", f"the YAML can't be read: {error}", Span(path, 1)))
    return None, tuple(faults)


def mark_span(path: str, mark: Any) -> Span:
    """A mark of PyYAML's, which counts from 0."""
    return Span(path, mark.line + 1, mark.column + 1)


def _raw_control(text: str, offset: int, path: str) -> Fault:
    place = Span(path, text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1)
    message = f"a control character, U+{ord(text[offset]):04X}, stands in the text"
    return Fault("control-character", message, place, "remove it; LaTeX commands start with a backslash")


def _syntax(error: yaml.MarkedYAMLError, path: str, text: str) -> Fault:
    mark = error.problem_mark or error.context_mark
    words = [word for word in (error.problem, error.context) if word]
    related: tuple[Related, ...] = ()
    if error.context_mark is not None and error.context and mark is not error.context_mark:
        related = (Related(mark_span(path, error.context_mark), error.context),)
    is_tab = mark is not None and text[mark.index : mark.index + 1] == "\t"
    hint = "indent with spaces" if is_tab else next((hint for part, hint in _HINTS if part in " ".join(words)), "")
    place = mark_span(path, mark) if mark is not None else Span(path, 1)
    if "nesting depth" in " ".join(words):
        return Fault("limit", "the document is nested too deeply", place)
    return Fault("yaml-syntax", f"the YAML can't be read: {', '.join(words)}", place, hint, related)
