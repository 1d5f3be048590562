"""What one process keeps between audits, so that after an edit only what changed is read again.

Everything is held against the files before it is used again, so an audit with a memory says what one without it says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from eqtrace.code.source import SourceFile
from eqtrace.config import Config
from eqtrace.formulas import Looked
from eqtrace.inputs import SPEC, Inputs, Present, holds, listing
from eqtrace.model.equation import Equation
from eqtrace.model.topic import Specification
from eqtrace.spec.files import files
from eqtrace.spec.load import load

_ROOM = 2_000_000  # characters of sources whose syntax trees are kept


class Memory:
    """What the last audit read."""

    def __init__(self) -> None:
        self._specification: tuple[Config, Specification, dict[str, Any]] | None = None
        self._looked: tuple[dict[str, Equation], frozenset[str], str, Looked] | None = None
        self._sources: dict[str, tuple[bytes, SourceFile]] = {}
        self._size = 0

    def specification(self, config: Config, inputs: Inputs) -> Specification:
        """The specification, read again only where a file of it changed, came or went."""
        root = config.root.resolve()
        if self._specification is not None:
            before, found, record = self._specification
            if before == config and holds(record, Present(root), lambda name: _fact(name, config)):
                inputs.add(record)
                return found
        read = Inputs(root)
        read.content(config.pyproject, None)  # findings name its lines
        found = load(config, read)
        self._specification = None if read.unknowable else (config, found, read.record())
        inputs.add(read.record(), read.unknowable)
        return found

    def looked(
        self,
        equations: Sequence[Equation],
        sizes: Collection[str],
        kept: str,
        look: Callable[[Sequence[Equation]], Looked],
    ) -> Looked:
        """What was found in the formulas of equations, looked at again where they changed (`kept`: or the cache)."""
        given = {each.id: each for each in equations}
        found: Looked | None = None
        if self._looked is not None:
            before, names, cached, held = self._looked
            if names == frozenset(sizes) and cached == kept:
                changed = [each for each in equations if before.get(each.id) != each]
                found = held.only(given.keys() - {each.id for each in changed}).joined(look(changed), equations)
        if found is None:
            found = look(equations)
        self._looked = (given, frozenset(sizes), kept, found)
        return found

    def source(self, path: str, data: bytes, parse: Callable[[], SourceFile]) -> SourceFile:
        """A file parsed, again only where its content changed."""
        before = self._sources.get(path)
        if before is not None and before[0] == data:
            return before[1]
        found = parse()
        if before is not None:
            self._size -= len(before[0])
            del self._sources[path]
        if self._size + len(data) <= _ROOM:
            self._sources[path] = data, found
            self._size += len(data)
        return found


def _fact(name: str, config: Config) -> str | None:
    return listing(files(config)) if name == SPEC else None
