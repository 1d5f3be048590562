"""Whole-function targets, `module:qualname` and `path.py::qualname`, resolved to their `def`."""

from __future__ import annotations

from eqtrace.code.index import Index
from eqtrace.code.names import Names
from eqtrace.code.source import Statement
from eqtrace.link.nearest import functions_like
from eqtrace.model.anchor import Candidate


def resolve_target(target: str, index: Index) -> Statement | tuple[Candidate, ...]:
    """The definition that a target names, through re-exports and base classes, or what comes near it."""
    path, qualname = target_place(target, index)
    file = index.file(path) if path else None
    if path is None or file is None:
        return ()
    reference = Names(index).member(path, qualname)
    owner = index.file(reference.path) if reference else None
    if reference is None or owner is None:
        return functions_like(file, qualname)
    node = owner.definitions[reference.qualname][-1]
    return Statement(owner, node, reference.qualname)  # type: ignore[arg-type]


def target_place(target: str, index: Index) -> tuple[str | None, str]:
    """The file that a target names (None where no module of that name is found), and the name within it."""
    if "::" in target:
        path, _, qualname = target.partition("::")
        return path, qualname
    module, _, qualname = target.partition(":")
    return index.module_path(module), qualname
