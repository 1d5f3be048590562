"""Loads a whole specification: every file, every fault, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from eqtrace import collector
from eqtrace.beside import Beside
from eqtrace.config import Config
from eqtrace.inputs import SPEC, Inputs, listing
from eqtrace.model.finding import Fault
from eqtrace.model.span import Span
from eqtrace.model.topic import Page, Review, Specification, Topic, Waiver, Work
from eqtrace.spec import ledger, sizes
from eqtrace.spec.context import Context
from eqtrace.spec.document import Document, Entries
from eqtrace.spec.files import files
from eqtrace.spec.read import read

Found = TypeVar("Found")

MANY = 100  # files that take longer to read than the half of them to be sent


class _Part(NamedTuple):
    """What was read of some of the files."""

    topics: tuple[Topic, ...]
    context: Context
    faults: list[Fault]
    record: dict[str, Any]  # of what was read, for `Inputs`
    unknowable: bool


def load(config: Config, inputs: Inputs | None = None) -> Specification:
    """Everything that the configuration names; bad content makes faults, never an exception.

    `inputs` gets what was read.
    """
    with collector.paused():
        return _Loading(config, inputs or Inputs(config.root.resolve())).load()


def load_in_two(config: Config, inputs: Inputs) -> Specification:
    """The same; of many files another process reads some.

    Not where user code is loaded: a fork could meet its threads.
    """
    with collector.paused():
        return _Loading(config, inputs, two=True).load()


class _Loading:
    def __init__(self, config: Config, inputs: Inputs, two: bool = False) -> None:
        self.config = config
        self.inputs = inputs
        self.two = two
        self.root: Path = config.root.resolve()
        self.context = Context()
        self.faults: list[Fault] = list(sizes.faults(config))

    def load(self) -> Specification:
        # pydantic takes a tenth of a second to import, so only here; before there are two processes.
        from eqtrace.spec import companions, references, short, topic  # noqa: F401

        context = self.context
        self._code()
        names = files(self.config)
        self.inputs.fact(SPEC, listing(names))
        topics = self._all(names)
        none: tuple[Page, ...] = ()
        pages = self._companion("pages", lambda document: companions.pages(document, context))
        works: dict[str, Work] | None = self._companion("literature", companions.literature)
        waivers: tuple[Waiver, ...] | None = self._companion(
            "waivers", lambda document: companions.waivers(document, context)
        )
        reviews = self._ledger()
        known = None if pages is None else {page.id for page in pages} | set()
        self.faults += context.faults
        self.faults += references.check(context, known, works)
        return Specification(
            topics=topics,
            pages=pages or none,
            literature=works or {},
            waivers=waivers or (),
            reviews=reviews,
            files=names,
            faults=_ordered(self.faults),
        )

    def _code(self) -> None:
        """Files and folders of code that the configuration names: of one that is missing, nothing would be checked."""
        config = self.config
        scenarios = () if config.scenarios is None else (config.scenarios,)
        for key, names in (("sources", config.sources), ("tests", config.tests), ("scenarios", scenarios)):
            for name in names:
                self.inputs.place(name)
                if key == "scenarios" and not (self.root / name).is_file():
                    self._missing(key, f"there is no file `{name}`")
                elif not self._exists(name):
                    self._missing(key, f"there is no file or folder `{name}`")

    def _exists(self, name: str) -> bool:
        self.inputs.place(name)
        return (self.root / name).exists()

    def _missing(self, key: str, message: str) -> None:
        place = Span(self.config.pyproject, self.config.line(key))
        self.faults.append(Fault("unknown-reference", f"`{key}`: {message}", place))

    def _all(self, names: Sequence[str]) -> tuple[Topic, ...]:
        """The topics of files; where there are many, another process reads the last of them at the same time."""
        if not self.two or len(names) < MANY:
            return self._each(names)
        half = len(names) * 3 // 5  # and more, as what the other one reads has to be sent
        own, rest = names[:half], names[half:]
        with Beside(lambda: self._apart(rest)) as reading:
            found = self._each(own)
            part = reading.value()
        if not self.context.joined(part.context):
            return (*found, *self._each(rest))  # an id stands twice, and the context must see which is the second
        self.faults += part.faults
        self.inputs.add(part.record, part.unknowable)
        return (*found, *part.topics)

    def _apart(self, names: Sequence[str]) -> _Part:
        """Some of the files as if there were no others."""
        alone = _Loading(self.config, Inputs(self.root))
        alone.faults.clear()  # those of the configuration
        topics = alone._each(names)
        return _Part(topics, alone.context, alone.faults, alone.inputs.record(), alone.inputs.unknowable)

    def _each(self, names: Sequence[str]) -> tuple[Topic, ...]:
        return tuple(topic for name in names for topic in self._topics(name))

    def _topics(self, name: str) -> tuple[Topic, ...]:
        from eqtrace.spec import short, topic
        from eqtrace.spec.owner import owned

        document = self._document(name)
        if document is None or document.refused:
            self.context.complete = False
            self.faults += document.faults if document is not None else ()
            return ()
        found: tuple[Topic, ...] = ()
        if not isinstance(document.place, Entries):
            words = "the file is empty" if document.place is None else "a mapping is wanted"
            hint = "a file holds one topic (with the key `topic`), or modules and their functions"
            self.faults.append(Fault("schema", words, Span(name, 1), hint))
        elif "topic" in document.place.keys:
            one = topic.read(document, self.context)
            found = (one,) if one is not None else ()
        else:
            found = short.read(document, self.context)
        self.faults += owned(document)
        return found

    def _document(self, name: str) -> Document | None:
        text = read(self.root, name, self.inputs)
        if isinstance(text, Fault):
            self.faults.append(text)
            return None
        return Document(name, text)

    def _ledger(self) -> tuple[Review, ...] | None:
        """The lines of the ledger of reviews; None where there is none yet, or it can't be read."""
        name = self.config.reviews
        if name is None or not self._exists(name):
            return None
        text = read(self.root, name, self.inputs)
        if isinstance(text, Fault):
            self.faults.append(text)
            return None
        found, faults = ledger.read(name, text)
        self.faults += faults
        return found

    def _companion(self, key: str, build: Callable[[Document], Found]) -> Found | None:
        """One of the other files; None where it is not configured, or can't be read."""
        name = getattr(self.config, key)
        if name is None:
            return None
        if not self._exists(name):
            self._missing(key, f"there is no file `{name}`")
            return None
        document = self._document(name)
        if document is None:
            return None
        found = None if document.refused else build(document)
        self.faults += document.faults
        return found


def _ordered(faults: list[Fault]) -> tuple[Fault, ...]:
    """By place, each once; what YAML misreads is not also reported as what the schema makes of it."""
    misread = {_start(fault) for fault in faults if fault.kind in ("yaml-type", "control-character")}
    unique = dict.fromkeys(
        fault for fault in faults if fault.kind not in ("schema", "reserved-name") or _start(fault) not in misread
    )
    return tuple(sorted(unique, key=lambda fault: (fault.span, fault.kind, fault.message)))


def _start(fault: Fault) -> tuple[str, int, int]:
    return fault.span.path, fault.span.line, fault.span.column
