"""Puts probes around the cited statements of one module; the user's file and its line numbers stay as they are."""

from __future__ import annotations

import ast
import builtins
import inspect
import itertools
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Literal, cast

from eqtrace.code.bind import BindError
from eqtrace.code.source import SourceFile, decode
from eqtrace.run import marks as marking
from eqtrace.run.editor import Editor
from eqtrace.run.marks import Marks
from eqtrace.run.plan import SiteError
from eqtrace.run.probe import Probe
from eqtrace.run.record import Recorder
from eqtrace.run.site import Site
from eqtrace.run.tree import Tree

Optimize = Literal[-1, 0, 1, 2]
_DEEPEST = 20_000  # the compiler counts recursion over a tree's depth, which probes and long sums make deep


def instrument(
    data: bytes,
    filename: str,
    module: str,
    sites: Sequence[Site],
    recorder: Recorder,
    optimize: Optimize = -1,
    marks: Marks | None = None,
) -> types.CodeType:
    """The code of a module with probes at `sites`; why one of them could not be placed is in `recorder.problems`.

    With `marks`, every function tells when it is entered.

    Raises:
        SyntaxError: the source cannot be compiled.
    """
    probe = Probe(recorder, module)
    # Constants that become the probe and the mark: there is no name then that user code could see or shadow.
    marker = next(marker for n in itertools.count() if (marker := b"eqtrace probe %d" % n) not in data)
    objects = {marker: probe, marker + b" mark": marks}
    with _deep():
        try:
            targets: list[ast.expr] = [ast.Constant(each) for each in objects]
            code = _edited(data, filename, targets, sites, probe, optimize, marks)
            if not _hides_names(code):
                return _embed(code, objects)
            names = _unused_names(len(objects))
            targets = [ast.Name(name, ast.Load()) for name in names]
            code = _edited(data, filename, targets, sites, probe, optimize, marks)
            for name, value in zip(names, objects.values(), strict=True):
                setattr(builtins, name, value)
            return code
        except (ValueError, TypeError, RecursionError) as error:
            recorder.problems.update((site.anchor, f"{filename} cannot be instrumented: {error}") for site in sites)
            if marks:
                marks.without.add(filename)
            return compile(data, filename, "exec", dont_inherit=True, optimize=optimize)


def _edited(
    data: bytes,
    filename: str,
    targets: Sequence[ast.expr],
    sites: Sequence[Site],
    probe: Probe,
    optimize: Optimize,
    marks: Marks | None,
) -> types.CodeType:
    """The module's code with calls of the first target at the sites, of the second at the functions' beginnings."""
    tree = cast(ast.Module, compile(data, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True))
    functions = marking.functions(tree) if marks else []
    editor = Editor(Tree(SourceFile(filename, decode(data), tree)), targets[0])
    for site in sorted(sites, key=lambda site: site.whole):
        _find(editor, site, probe.recorder)
    probe.plans = tuple(editor.plans)
    probe.anchors = tuple(plan.site.anchor for plan in editor.plans)
    probe.live = probe.recorder.live(probe.anchors)
    probe.recorder.compared.update((plan.site.anchor, plan.compared) for plan in editor.plans)
    editor.edit()
    if marks:
        marking.put_in(functions, filename, marks, targets[1])
    return compile(tree, filename, "exec", dont_inherit=True, optimize=optimize)


def _unused_names(count: int) -> list[str]:
    names = (name for n in itertools.count() if (name := f"__eqtrace_probe_{n}__") not in vars(builtins))
    return list(itertools.islice(names, count))


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


def _embed(code: types.CodeType, objects: Mapping[bytes, object]) -> types.CodeType:
    """Puts the objects where their markers stand."""

    def embedded(constant: object) -> object:
        if isinstance(constant, types.CodeType):
            return _embed(constant, objects)
        return objects.get(constant, constant) if type(constant) is bytes else constant

    return code.replace(co_consts=tuple(embedded(constant) for constant in code.co_consts))
