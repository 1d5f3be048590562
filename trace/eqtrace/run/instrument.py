"""Puts probes around the cited statements of one module; the user's file and its line numbers stay as they are."""

from __future__ import annotations

import ast
import builtins
import inspect
import itertools
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Literal, cast

from eqtrace.code.bind import BindError
from eqtrace.code.source import SourceFile, decode
from eqtrace.run.editor import Editor
from eqtrace.run.plan import SiteError
from eqtrace.run.probe import Probe
from eqtrace.run.record import Recorder
from eqtrace.run.site import Site
from eqtrace.run.tree import Tree

Optimize = Literal[-1, 0, 1, 2]
_DEEPEST = 20_000  # the compiler counts recursion over a tree's depth, which probes and long sums make deep


def instrument(
    data: bytes, filename: str, module: str, sites: Sequence[Site], recorder: Recorder, optimize: Optimize = -1
) -> types.CodeType:
    """The code of a module with probes at `sites`; why one of them could not be placed is in `recorder.problems`.

    Raises:
        SyntaxError: the source cannot be compiled.
    """
    probe = Probe(recorder, module)
    # A constant that becomes the probe: there is no name then that user code could see or shadow.
    marker = next(marker for n in itertools.count() if (marker := b"eqtrace probe %d" % n) not in data)
    with _deep():
        try:
            code = _edited(data, filename, ast.Constant(marker), sites, probe, optimize)
            if not _hides_names(code):
                return _embed(code, marker, probe)
            name = next(name for n in itertools.count() if (name := f"__eqtrace_probe_{n}__") not in vars(builtins))
            code = _edited(data, filename, ast.Name(name, ast.Load()), sites, probe, optimize)
            setattr(builtins, name, probe)
            return code
        except (ValueError, TypeError, RecursionError) as error:
            recorder.problems.update((site.anchor, f"{filename} cannot be instrumented: {error}") for site in sites)
            return compile(data, filename, "exec", dont_inherit=True, optimize=optimize)


def _edited(
    data: bytes, filename: str, target: ast.expr, sites: Sequence[Site], probe: Probe, optimize: Optimize
) -> types.CodeType:
    """The module's code with calls of `target` at the sites."""
    tree = cast(ast.Module, compile(data, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True))
    editor = Editor(Tree(SourceFile(filename, decode(data), tree)), target)
    for site in sorted(sites, key=lambda site: site.whole):
        _find(editor, site, probe.recorder)
    probe.plans = tuple(editor.plans)
    editor.edit()
    return compile(tree, filename, "exec", dont_inherit=True, optimize=optimize)


def _hides_names(code: types.CodeType) -> bool:
    """Whether a module's or a class's own code has inlined comprehensions (Python 3.12).

    Their variables are hidden locals, and `code.replace` forgets that they are hidden.
    """
    if code.co_varnames and not code.co_flags & inspect.CO_OPTIMIZED:
        return True
    return any(_hides_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))


def _find(editor: Editor, site: Site, recorder: Recorder) -> None:
    """Finds a site; one whose values cannot be captured is counted at least."""
    try:
        editor.find(site)
    except (SiteError, BindError) as error:
        recorder.problems[site.anchor] = str(error)
        with suppress(SiteError):
            editor.find(replace(site, inputs={}, outputs={}, whole=False))


@contextmanager
def _deep() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _embed(code: types.CodeType, marker: bytes, probe: Probe) -> types.CodeType:
    """Puts the probe where the marker stands."""

    def embedded(constant: object) -> object:
        if isinstance(constant, types.CodeType):
            return _embed(constant, marker, probe)
        return probe if type(constant) is bytes and constant == marker else constant

    return code.replace(co_consts=tuple(embedded(constant) for constant in code.co_consts))
