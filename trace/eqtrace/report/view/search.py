"""What the search of the page of all equations looks through beside what that page shows: a script of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable

from eqtrace.model.equation import Equation
from eqtrace.model.topic import Topic
from eqtrace.report.view.places import Places
from eqtrace.report.view.topic import Site, symbols_of
from eqtrace.report.words import slug


def search_script(site: Site) -> str:
    """Hands the words of every topic and equation, by the ids of their elements, to static/reference.js."""
    found = [pair for plan in site.places.pages for topic in plan.topics for pair in _pairs(topic, site.places)]
    return f"eqtraceSearch({json.dumps(found, ensure_ascii=False, separators=(',', ':'))});\n"


def _pairs(topic: Topic, places: Places) -> Iterable[tuple[str, str]]:
    yield slug(topic.id), _words(_of_topic(topic))
    for equation in topic.equations:
        yield slug(equation.id), _words(_of_equation(equation, places))


def _of_topic(topic: Topic) -> Iterable[str]:
    """Of all its equations: words, symbols, functions and steps."""
    yield from (topic.id, topic.title, topic.category, *(text.value for text in topic.functions))
    for symbol in symbols_of(topic).values():
        yield from (symbol.name, symbol.meaning, *(name for name in symbol.code.values() if name is not None))
    yield from (step.code.value for step in topic.example.steps) if topic.example else ()


def _of_equation(equation: Equation, places: Places) -> Iterable[str]:
    """Forms, places, functions and code."""
    yield from (equation.id, equation.label, *(statement.value for statement in equation.statements))
    for anchor in equation.anchors:
        match = places.match(anchor)
        path, line = places.line_of(anchor)
        yield from (f"{path}:{line}", (match.function if match else "") or anchor.function, anchor.purpose)
        yield (match.source if match else "") or anchor.code


def _words(texts: Iterable[str]) -> str:
    return " ".join(" ".join(dict.fromkeys(text for text in texts if text)).lower().split())
