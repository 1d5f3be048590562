"""A file in short form: module (or file) to functions, or a full target, to a formula."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError
from yaml.nodes import Node

from eqtrace.model.anchor import Anchor, Role
from eqtrace.model.equation import Equation
from eqtrace.model.span import Text
from eqtrace.model.symbol import Symbol
from eqtrace.model.topic import Topic
from eqtrace.spec import equations, mistakes, schema, symbols
from eqtrace.spec.context import Context, child, inside, optional_text
from eqtrace.spec.document import Document, Entries, Items
from eqtrace.spec.equations import Outline

_QUALNAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_MODULE = re.compile(_QUALNAME)
_PATH = re.compile(r"[^\s:\\]+\.py")
_KEYS = frozenset(info.alias or name for name, info in schema.ShortEntry.model_fields.items())
_TOPIC_KEYS = frozenset(schema.Topic.model_fields)
_LINES = (Role.COMPUTES, Role.INLINE)


@dataclass(frozen=True, slots=True)
class _Named:
    """An entry, its target and where that is named."""

    module: str
    function: str
    data: Any
    place: Any
    key: Node

    @property
    def id(self) -> str:
        return target(self.module, self.function)


def target(module: str, function: str) -> str:
    """The id of a function's equation: 'module:qualname' or 'path.py::qualname'."""
    return f"{module}{'::' if module.endswith('.py') else ':'}{function}"


def read(document: Document, context: Context) -> tuple[Topic, ...]:
    """The file's topics, one a module; entries with faults are left out."""
    if _is_topic_without_name(document):
        return ()
    entries = list(_entries(document))
    good = _validated(document, context, entries)
    by_module: dict[str, list[tuple[_Named, schema.ShortEntry]]] = {}
    for entry, model in good:
        by_module.setdefault(entry.module, []).append((entry, model))
    found = (_topic(document, context, module, pairs) for module, pairs in by_module.items())
    return tuple(topic for topic in found if topic is not None)


def _is_topic_without_name(document: Document) -> bool:
    place = document.place
    assert isinstance(place, Entries)
    own = _TOPIC_KEYS.intersection(place.values)
    if len(own) < 2 or all(isinstance(place.values[key], Entries) for key in own):
        return False
    hint = mistakes.nearest("topic", [key for key in place.keys if key not in _TOPIC_KEYS])
    message = "the file has the keys of a topic, but no key `topic`"
    document.fault("schema", place, message, hint.replace("did you mean", "is that") if "mean" in hint else "add it")
    return True


def _entries(document: Document) -> Iterator[_Named]:
    place = document.place
    assert isinstance(place, Entries)
    for name, key in place.keys.items():
        if name not in place.values:
            continue
        data, value = document.data[name], place.values[name]
        if ":" in name:
            module, _, function = name.partition("::" if "::" in name else ":")
            if _is_module(document, module, key) and _is_function(document, function, key):
                yield _Named(module, function, data, value, key)
        elif _is_module(document, name, key):
            yield from _functions(document, name, data, value)


def _functions(document: Document, module: str, data: Any, place: Any) -> Iterator[_Named]:
    if not isinstance(place, Entries):
        message = f"`{module}`: a mapping from function to formula is wanted, not {mistakes.kind(place)}"
        document.fault("schema", place, message)
        return
    if place.keys and _KEYS.issuperset(place.keys) and not any(isinstance(item, dict) for item in data.values()):
        hint = f"write `'{module}:function': {{...}}`, or put the function's name between"
        document.fault("schema", place, f"`{module}` has a formula's keys, but no function is named", hint)
        return
    for function, key in place.keys.items():
        if _is_function(document, function, key):
            yield _Named(module, function, data[function], place.values[function], key)


def _is_module(document: Document, module: str, key: Node) -> bool:
    if _PATH.fullmatch(module):
        return inside(document, key, module)
    if _MODULE.fullmatch(module):
        return True
    message = f"`{module}` is neither a module nor a file: 'package.module' or 'path/file.py' is wanted"
    document.fault("schema", key, message, "a file in topic form has a key `topic`")
    return False


def _is_function(document: Document, function: str, key: Node) -> bool:
    if _MODULE.fullmatch(function):
        return True
    document.fault("schema", key, f"`{function}` is not the qualified name of a function, like `f` or `Class.method`")
    return False


def _validated(document: Document, context: Context, entries: list[_Named]) -> list[tuple[_Named, schema.ShortEntry]]:
    try:
        return list(zip(entries, schema.SHORT.validate_python([entry.data for entry in entries]), strict=True))
    except ValidationError as error:
        places = Items(entries[0].key, [entry.place for entry in entries])
        wrong = {loc[0] for loc in mistakes.report_each(error, document, places, schema.ShortEntry)}
        context.broken.update(name for i in wrong for name in (entries[int(i)].id, entries[int(i)].module))
    good = [entry for i, entry in enumerate(entries) if i not in wrong]
    return list(zip(good, schema.SHORT.validate_python([entry.data for entry in good]), strict=True))


def _topic(
    document: Document, context: Context, module: str, pairs: list[tuple[_Named, schema.ShortEntry]]
) -> Topic | None:
    place = document.place
    assert isinstance(place, Entries)
    span = document.span(place.keys.get(module, pairs[0][0].key))
    if not context.claim("topic", context.topics, module, span):
        context.broken.update(entry.id for entry, _ in pairs)
        return None
    found = []
    for entry, model in pairs:
        if context.claim("equation", context.equations, entry.id, document.span(entry.key)):
            equation = _equation(document, context, entry, model)
            if equation is not None:
                found.append(equation)
    directions = {model.direction for _, model in pairs}
    statuses = {model.status for _, model in pairs}
    return Topic(
        id=module,
        title=module,
        page="",
        span=span,
        status=statuses.pop() if len(statuses) == 1 else "implemented",
        direction=directions.pop() if len(directions) == 1 else "neither",
        equations=tuple(found),
        short=True,
    )


def _equation(document: Document, context: Context, entry: _Named, model: schema.ShortEntry) -> Equation | None:
    if not (model.sympy or model.states or model.gradient_of):
        message = f"`{entry.function}` has no formula: `sympy`, `states` or `gradient_of` is wanted"
        document.fault("schema", entry.key, message, "states: docstring reads it from the documentation")
        context.broken.add(entry.id)
        return None
    span = document.span(entry.key)
    outline = Outline(entry.module, model.status == "derived", words=frozenset())
    built = equations.build(document, context, model, entry.place, entry.id, outline, span)
    has_lines = any(anchor.role in _LINES for anchor in built.anchors)
    whole = () if has_lines else (_whole(context, entry, built),)
    methods = built.methods if "method" in model.model_fields_set or not model.gradient_of else ("vjp",)
    return replace(
        built,
        label=model.label or model.title or entry.function,
        methods=methods,
        anchors=(*whole, *built.anchors),
        symbols=_symbols(document, entry, model, built),
        states=_documentation(document, entry, model),
        states_holds=model.states.holds if isinstance(model.states, schema.Stated) else "",
        gradient_of=optional_text(document, entry.place, "gradient_of"),
        gradient_by=model.by,
        whole=not has_lines,
    )


def _documentation(document: Document, entry: _Named, model: schema.ShortEntry) -> Text | None:
    """What has the docstring that states the formula."""
    if not isinstance(model.states, schema.Stated):
        return optional_text(document, entry.place, "states")
    named = optional_text(document, child(entry.place, "states"), "of")
    return named or Text(model.states.of, document.span(child(entry.place, "states")))


def _whole(context: Context, entry: _Named, equation: Equation) -> Anchor:
    name = f"{equation.id}/computes/0"
    context.anchors[name] = equation.span
    path = entry.module if entry.module.endswith(".py") else ""
    return Anchor(name, Role.COMPUTES, path, 0, entry.function, "", equation.span, target=entry.id)


def _symbols(document: Document, entry: _Named, model: schema.ShortEntry, equation: Equation) -> dict[str, Symbol]:
    """What is said of parameters; the others are inferred when the code is at hand."""
    found = dict(equation.symbols)
    shapes = child(entry.place, "shapes")
    domain = child(entry.place, "domain")
    for name in model.shapes:
        known = found.get(name) or Symbol(name, document.span(shapes.keys[name]), code={"": name})
        found[name] = replace(known, shape=symbols.shape(document, shapes.values[name]))
    given = symbols.domains(document, model.domain, domain) if model.domain else {}
    for name, values in given.items():
        known = found.get(name) or Symbol(name, document.span(domain.keys[name]), code={"": name})
        found[name] = replace(known, domain=values)
    return found
