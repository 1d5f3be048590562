"""The references file: it must not lead to the code that its functions are compared with."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from eqtrace.code.index import Index
from eqtrace.model.finding import Fault
from eqtrace.model.span import Span

_DYNAMIC = frozenset({"importlib", "runpy", "imp", "pkgutil"})
_CALLED = frozenset({"__import__", "exec", "eval", "compile"})


def faults(path: str, index: Index) -> list[Fault]:
    """A fault for every import of the sources, and for whatever could hide one."""
    file = index.file(path)
    if file is None:
        problem = index.problem(path)
        what = f"the references can't be read: {problem.message if problem else 'there is no such file'}"
        return [Fault("source-unreadable", what, Span(path, 1))]
    hint = "compute it here, by another algorithm"
    return [
        Fault("reference-imports-code", message, file.span(node), hint)
        for node in ast.walk(file.tree)
        for message in _told(node, index)
    ]


def _told(node: ast.AST, index: Index) -> Iterator[str]:
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        if node.level:
            yield "a relative import leads to the project's own files"
            return
        modules = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    elif isinstance(node, ast.Name) and node.id in _CALLED:
        yield f"`{node.id}` could import the code"
        return
    else:
        return
    for module in modules:
        top = module.partition(".")[0]
        if top in _DYNAMIC:
            yield f"`{top}` could import the code"
            return
        if any(_is_own(name, index) for name in _outer(module)):
            yield f"it imports {module}, which is the project's own"
            return


def _outer(module: str) -> Iterator[str]:
    parts = module.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def _is_own(module: str, index: Index) -> bool:
    """Whether a module is a file of the project, or of a package whose code is cited: it could import that code."""
    path = index.module_path(module)
    return path is not None
