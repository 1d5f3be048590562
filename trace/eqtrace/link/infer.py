"""What a short-form entry leaves out: its symbols are the parameters of its target, by their own names."""

from __future__ import annotations

import ast
from dataclasses import replace

from eqtrace.code.index import Index
from eqtrace.link.match import match
from eqtrace.model.anchor import Anchor
from eqtrace.model.equation import Equation
from eqtrace.model.symbol import Symbol
from eqtrace.model.topic import Specification

RESULT = "result"


def complete(specification: Specification, index: Index) -> Specification:
    """The specification with the symbols of short-form equations filled in from the code."""
    topics = tuple(
        replace(topic, equations=tuple(_complete(equation, index) for equation in topic.equations))
        if topic.short
        else topic
        for topic in specification.topics
    )
    return replace(specification, topics=topics)


def _complete(equation: Equation, index: Index) -> Equation:
    anchor = next((each for each in equation.anchors if each.target is not None), None)
    names = parameters(anchor, index) if anchor is not None else ()
    given = dict(equation.symbols)
    symbols = {name: given.pop(name, Symbol(name, equation.span, shape=())) for name in names}
    symbols = {
        name: replace(each, code=each.code or {"": name}, shape=each.shape or ()) for name, each in symbols.items()
    }
    return replace(equation, symbols={**symbols, **given})


def parameters(anchor: Anchor, index: Index) -> tuple[str, ...]:
    """The parameters of a whole-function anchor's target; a method's `self` is not one of them."""
    found = match(anchor, index)
    source = index.file(found.span.path) if found.span is not None else None
    node = source.functions.get(found.function) if source is not None else None
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return ()
    names = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    bound = "." in found.function and not any(
        isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list
    )
    return tuple(names[1:] if bound else names)
