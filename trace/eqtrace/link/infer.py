"""What a specification leaves out and the code tells.

The symbols of a short-form entry are the parameters of its target, by their own names, but for those with a default
that is no number (a flag, a unit, None) and that the entry doesn't name: they keep it. The path of an anchor that
starts with a named package (`scipy/optimize/_optimize.py`) is where that is installed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from eqtrace.code.index import Index
from eqtrace.code.lift.flags import bound_to_flag, flags_of
from eqtrace.code.lift.flags import parameters as all_parameters
from eqtrace.link.match import match
from eqtrace.link.target import resolve_target
from eqtrace.model.anchor import Anchor
from eqtrace.model.equation import Equation, Gradient
from eqtrace.model.span import Text
from eqtrace.model.symbol import Symbol
from eqtrace.model.topic import Specification

RESULT = "result"
_GENERATOR = "rng"
_BY_REFERENCE = frozenset({"discrete", "distribution"})  # methods whose reference may read any parameter


def complete(specification: Specification, index: Index) -> Specification:
    """The specification with what the code tells."""
    if index.config.packages:
        specification = _located(specification, index)
    topics = tuple(
        replace(topic, equations=tuple(_complete(equation, index) for equation in topic.equations))
        if topic.short
        else topic
        for topic in specification.topics
    )
    return replace(specification, topics=topics)


def at_defaults(specification: Specification) -> Specification:
    """The specification, in which no symbol stands for a parameter that keeps its default; once formulas are adopted.

    What a formula says without naming such a parameter it says of the default: drawn values would be another claim.
    """
    topics = tuple(
        replace(topic, equations=tuple(map(_at_defaults, topic.equations))) if topic.short else topic
        for topic in specification.topics
    )
    return replace(specification, topics=topics)


def _at_defaults(equation: Equation) -> Equation:
    # What is called is a word of forms, and an index none of the function's parameters.
    named = {name for text in _texts(equation) for name in re.findall(r"\b\w+\b(?!\s*\()", text)} - {*equation.indices}
    said = bool(equation.statements) or equation.gradient_of is not None
    whole = not said or equation.call is not None or _BY_REFERENCE.intersection(equation.methods)
    kept = {name: text for name, text in equation.defaults.items() if not whole and name not in named}
    symbols = {name: symbol for name, symbol in equation.symbols.items() if name not in kept}
    return replace(equation, symbols=symbols, defaults=kept) if symbols else replace(equation, defaults={})


def _texts(equation: Equation) -> Iterator[str]:
    """What a short form says of parameters."""
    yield equation.gradient_by
    if equation.gradient is not None:
        yield from equation.gradient.wrt
    texts = [*equation.statements, *equation.let.values(), *([equation.where] if equation.where else [])]
    for each in equation.indices.values():
        texts += [each.stop, *([each.start] if each.start else [])]
    for symbol in equation.symbols.values():
        texts += [*(symbol.shape or ()), *filter(None, (symbol.domain.minimum, symbol.domain.maximum))]
    yield from (each.value for each in texts)
    for use in equation.functions.values():
        yield from use.args


def _located(specification: Specification, index: Index) -> Specification:
    """Anchors and functions in named packages, at the files where those are installed."""

    def located(anchor: Anchor) -> Anchor:
        path = index.installed_path(anchor.path) if anchor.path else None
        return anchor if path is None else replace(anchor, path=path)

    def function(text: Text) -> Text:
        path, colons, name = text.value.partition("::")
        found = index.installed_path(path)
        return text if found is None else replace(text, value=f"{found}{colons}{name}")

    return replace(
        specification,
        topics=tuple(
            replace(
                topic,
                functions=tuple(map(function, topic.functions)),
                equations=tuple(
                    replace(equation, anchors=tuple(map(located, equation.anchors))) for equation in topic.equations
                ),
            )
            for topic in specification.topics
        ),
    )


def _complete(equation: Equation, index: Index) -> Equation:
    anchor = next((each for each in equation.anchors if each.target is not None), None)
    found = parameters(anchor, index) if anchor is not None else {}
    given = dict(equation.symbols)
    if equation.call is not None and _GENERATOR not in given:  # a call gives it the generator of that name
        found.pop(_GENERATOR, None)
    defaults = {name: default for name, default in found.items() if default is not None and name not in given}
    symbols = {name: given.pop(name, Symbol(name, equation.span, shape=())) for name in found}
    symbols = {
        name: replace(each, code=each.code or {"": name}, shape=each.shape or ()) for name, each in symbols.items()
    }
    complete = replace(equation, symbols={**symbols, **given}, defaults=defaults)
    return complete if equation.gradient_of is None else replace(complete, gradient=_gradient(complete, anchor, index))


def _gradient(equation: Equation, anchor: Anchor | None, index: Index) -> Gradient | None:
    """What `gradient_of` says: the target returns the gradient of a function of the same module that returns a number.

    None where that function is not found, or nothing says what it is differentiated by.
    """
    assert equation.gradient_of is not None
    backward = match(anchor, index) if anchor is not None else None
    if backward is None or backward.span is None or anchor is None or anchor.target is None:
        return equation.gradient
    text = equation.gradient_of
    separator = "::" if "::" in anchor.target else ":"
    name = text.value if ":" in text.value else f"{anchor.target.partition(separator)[0]}{separator}{text.value}"
    forward = resolve_target(name, index)
    reals = [
        name for name, symbol in equation.symbols.items() if not symbol.domain.integer and name not in equation.defaults
    ]
    by = equation.gradient_by or (reals[0] if len(reals) == 1 else "")
    if isinstance(forward, tuple) or not by:
        return equation.gradient
    return Gradient(
        forward=replace(text, value=f"{forward.span.path}::{forward.function}"),
        backward=replace(text, value=f"{backward.span.path}::{backward.function}"),
        cotangent="1",
        cache=None,
        wrt={by: RESULT},
        accumulates=None,
    )


def parameters(anchor: Anchor, index: Index) -> dict[str, str | None]:
    """The parameters of a whole-function anchor's target; a method's `self` is not one of them.

    With those that a formula need not name come their defaults.
    """
    found = match(anchor, index)
    source = index.file(found.span.path) if found.span is not None else None
    node = source.functions.get(found.function) if source is not None else None
    if source is None or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return {}
    flags = flags_of(node, source.tree)
    flags = flags if bound_to_flag(node, flags) is None else {}
    names = [each.arg for each in all_parameters(node)]
    bound = "." in found.function and not any(
        isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list
    )
    return {name: ast.unparse(flags[name]) if name in flags else None for name in (names[1:] if bound else names)}
