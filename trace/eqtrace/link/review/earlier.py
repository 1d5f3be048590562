"""What was reviewed, found again by its hash: the newest version in git of which the hash is taken is it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from eqtrace.code.index import Index
from eqtrace.code.source import Unreadable, parse
from eqtrace.code.tree import FunctionNode
from eqtrace.link.review import facts
from eqtrace.link.review.facts import Facts
from eqtrace.link.review.history import COMMITS, History, NoHistory
from eqtrace.link.review.suspicion import Change, Link, Texts
from eqtrace.model.anchor import Role
from eqtrace.model.finding import Fault
from eqtrace.model.topic import Topic
from eqtrace.spec.read import decoded


@dataclass(frozen=True, slots=True)
class Earlier:
    """What was reviewed, and a commit that holds it."""

    facts: Facts
    commit: str


class Search:
    """Looks texts up; each file's history is read once, and only as far back as is needed."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._history = History(index.root, asked=index.inputs.history)
        self._known: dict[str, Earlier] = {}  # by hash
        self._versions: dict[str, Iterator[None]] = {}
        self._reasons: dict[str, str] = {}  # why a file's history tells no more

    def find(self, change: Change) -> Earlier | None:
        """What was reviewed; None where it can't be found."""
        for path in self._paths(change.link, change.kind):
            versions = self._versions.get(path)
            if versions is None:
                versions = self._versions[path] = self._read(path)
            while change.reviewed not in self._known:
                if next(versions, self) is self:
                    break
        return self._known.get(change.reviewed)

    def reason(self, change: Change) -> str:
        """Why it was not found."""
        paths = self._paths(change.link, change.kind)
        found = next((self._reasons[path] for path in paths if path in self._reasons), "")
        return found or f"no version of {paths[-1]} in the last {COMMITS} commits that changed it has it"

    @staticmethod
    def _paths(link: Link, kind: str) -> list[str]:
        """The files that held a text: the specification, which quotes cited statements too, or the code itself."""
        spec = link.equation.span.path
        quoted = link.anchor.target is None and (link.anchor.code or link.anchor.role is not Role.STATES)
        if kind != "code" or link.match is None or link.match.span is None:
            return [spec]
        return [spec] if quoted else [link.match.span.path]

    def _read(self, path: str) -> Iterator[None]:
        """Reads one version more of a file at each step."""
        try:
            for commit, content in self._history.versions(path):
                for name, found in self._texts(path, content):
                    self._known.setdefault(name, Earlier(found, commit))
                yield
            if self._history.is_shallow():
                self._reasons[path] = "the clone is shallow, so git knows few versions"
        except NoHistory as error:
            self._reasons[path] = str(error)

    def _texts(self, path: str, content: bytes) -> Iterator[tuple[str, Facts]]:
        if path.endswith(".py"):
            yield from _of_code(path, content)
        elif path.endswith((".yaml", ".yml")):
            yield from _of_specification(path, content, self._index)
        if not path.endswith((".yaml", ".yml")):
            for line in content.decode("utf-8", "replace").splitlines():
                made = facts.cited(Role.STATES, line)
                yield facts.digest(made), made


def _of_specification(path: str, content: bytes, index: Index) -> Iterator[tuple[str, Facts]]:
    """The texts of all links of a file of the specification, by their hashes."""
    texts = Texts(index)
    for topic in _topics(path, content):
        for equation in topic.equations:
            for anchor in equation.anchors:
                link = Link(topic, equation, anchor, None)
                form, name = texts.form(link)
                yield name, form
                yield texts.prose_hash(link), texts.prose(link)
                if anchor.code:
                    cited = facts.cited(anchor.role, anchor.code)
                    yield facts.digest(cited), cited


def _topics(path: str, content: bytes) -> tuple[Topic, ...]:
    from eqtrace.spec import short, topic  # with pydantic, which takes its time
    from eqtrace.spec.context import Context
    from eqtrace.spec.document import Document, Entries

    text = decoded(path, content)
    if isinstance(text, Fault):
        return ()
    document, context = Document(path, text), Context()
    if document.refused or not isinstance(document.place, Entries):
        return ()
    if "topic" not in document.place.keys:
        return short.read(document, context)
    one = topic.read(document, context)
    return (one,) if one is not None else ()


def _of_code(path: str, content: bytes) -> Iterator[tuple[str, Facts]]:
    """Every whole function of a file."""
    try:
        file = parse(path, content)
    except Unreadable:
        return
    for node in file.functions.values():
        if isinstance(node, FunctionNode):
            made = facts.function(node)
            yield facts.digest(made), made
