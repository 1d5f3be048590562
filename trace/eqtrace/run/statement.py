"""A cited statement on its own: compiled from the user's source and run on given values, as written or rewritten."""

from __future__ import annotations

import ast
import copy
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from typing import Any

from eqtrace.code.bind import TARGET, BindError, Left, parse_left
from eqtrace.code.source import SourceFile
from eqtrace.run.earlier import earlier, reads
from eqtrace.run.site import Site
from eqtrace.run.sources import source
from eqtrace.run.tree import Tree
from eqtrace.run.walk import read

_RESULT = "__eqtrace_result__"

Rewrite = Callable[[ast.stmt, list[str]], ast.stmt]


class CannotRun(Exception):
    """Why a statement cannot be run by itself."""


def reason(error: BaseException) -> str:
    """An error of code that was run, in one line."""
    text = str(error).splitlines()[0] if str(error) else ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class Statement:
    """One site's statement, ready to be run on other values.

    Args:
        site: the cited statement and what to read of it.
        rewrite: changes the statement's tree before it is compiled; None leaves it as the user wrote it.
        with_earlier: the statements before it that work out what it reads are run with it.

    Raises:
        CannotRun: it can't be taken out of its function.
    """

    def __init__(self, site: Site, rewrite: Rewrite | None = None, with_earlier: bool = False) -> None:
        self._programs: list[tuple[types.CodeType, list[tuple[str, Left]]]] = []
        tree, lines = _tree(source(site.file))
        found = tree.statement(site.line, site.column)
        if not isinstance(found, ast.stmt):
            raise CannotRun("the statement is not where it was")
        self.earlier = earlier(tree, found, site) if with_earlier else ()
        try:
            statement = copy.deepcopy(found)  # rewriting changes it
        except RecursionError:
            raise CannotRun("the statement is nested too deeply") from None
        self.reads = frozenset(reads(statement))
        try:
            lefts = {symbol: parse_left(text, statement) for symbol, text in site.outputs.items()}
        except BindError as error:
            raise CannotRun(str(error)) from error
        for symbol, left in lefts.items():
            if left.kind != TARGET:
                self._add(_assignment(left, statement), [(symbol, left)], lines, site.file, rewrite)
        targets = [(symbol, left) for symbol, left in lefts.items() if left.kind == TARGET]
        if targets:
            self._add(statement, targets, lines, site.file, rewrite)

    def run(self, namespace: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs, by symbol; the namespace itself is not written to, what it holds may be."""
        outputs: dict[str, Any] = {}
        for code, lefts in self._programs:
            space = dict(namespace)
            exec(code, space)
            for symbol, left in lefts:
                value = read(left.node, space) if left.kind == TARGET else space[_RESULT]
                outputs[symbol] = reduce(lambda each, index: each[index], left.path, value)
        return outputs

    def _add(
        self, statement: ast.stmt, lefts: list[tuple[str, Left]], lines: list[str], file: str, rewrite: Rewrite | None
    ) -> None:
        if any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Await) for node in ast.walk(statement)):
            raise CannotRun("a statement that yields or awaits is not run by itself")
        body = [*copy.deepcopy(self.earlier), statement]
        changed = [rewrite(each, lines) for each in body] if rewrite else body
        module = ast.fix_missing_locations(ast.Module(changed, []))
        self._programs.append((compile(module, file, "exec", dont_inherit=True), lefts))


@lru_cache(maxsize=64)
def _tree(file: SourceFile) -> tuple[Tree, list[str]]:
    """A file's tree, which is not to be changed, and its lines."""
    return Tree(file), file.lines


def resolve(module: str, qualname: str) -> types.FunctionType:
    """A module's function, unwrapped from its decorators.

    Raises:
        CannotRun: it is nested, or no Python function.
    """
    value: Any = sys.modules[module]
    for part in qualname.split("."):
        if part == "<locals>" or not hasattr(value, part):
            raise CannotRun(f"{qualname} can't be reached from outside")
        value = inspect.getattr_static(value, part)
    value = inspect.unwrap(getattr(value, "__func__", getattr(value, "fget", None) or value))
    if not isinstance(value, types.FunctionType):
        raise CannotRun(f"{qualname} is no Python function")
    return value


def call_with(function: Callable[..., Any], original: types.FunctionType, namespace: Mapping[str, Any]) -> Any:
    """Calls a function (or its twin) with arguments by the original's parameter names."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in inspect.signature(original).parameters.values():
        if parameter.name not in namespace:
            continue
        value = namespace[parameter.name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(value)
        elif parameter.kind is parameter.VAR_KEYWORD:
            named.update(value)
        elif parameter.kind is parameter.KEYWORD_ONLY:
            named[parameter.name] = value
        else:
            positional.append(value)
    return function(*positional, **named)


def settled(result: Any) -> Any:
    """What a call gave; what an asynchronous one gives where it waits for nothing.

    Raises:
        CannotRun: it waits for something.
    """
    if not inspect.iscoroutine(result):
        return result
    try:
        result.send(None)
    except StopIteration as done:
        return done.value
    result.close()
    raise CannotRun("it waits for something else")


def whole_outputs(site: Site, result: Any) -> dict[str, Any]:
    """The outputs of a whole function, read from its result."""
    returned = ast.parse("return result").body[0]
    lefts = {symbol: parse_left(text, returned) for symbol, text in site.outputs.items()}
    return {symbol: reduce(lambda each, index: each[index], left.path, result) for symbol, left in lefts.items()}


def _assignment(left: Left, statement: ast.stmt) -> ast.stmt:
    if not isinstance(left.node, ast.expr):
        raise CannotRun("the statement has no value that could be computed again")
    target = ast.copy_location(ast.Name(_RESULT, ast.Store()), statement)
    return ast.copy_location(ast.Assign([target], left.node), statement)
