"""Examples held against their language and the code, without running anything."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Iterator, Mapping

from eqtrace.code.bind import BindError, parse_right
from eqtrace.code.index import Index
from eqtrace.code.source import Statement
from eqtrace.config import Config
from eqtrace.formula.steps.reader import read_step
from eqtrace.formula.steps.tree import names
from eqtrace.link.target import resolve_target
from eqtrace.model.example import Example, Step
from eqtrace.model.finding import Fault
from eqtrace.model.span import Text
from eqtrace.model.topic import Page, Topic

SYNTAX = "example-syntax"
_RESERVED = frozenset({"np", "rng"})


def stated(topics: Iterable[Topic], pages: Iterable[Page] = ()) -> dict[str, Example]:
    """The examples of topics, by topic, and the runs of their sections and of pages', by section."""
    chosen = list(topics)
    found = {topic.id: topic.example for topic in chosen if topic.example is not None}
    sections = [section for topic in chosen for section in topic.sections]
    sections += [section for page in pages for section in page.sections]
    return found | {section.id: section.run for section in sections if section.run is not None}


def faults(examples: Mapping[str, Example], index: Index, config: Config) -> dict[str, list[Fault]]:
    """What is wrong with examples, by their names; an example with faults can't be run."""
    found = {name: list(_of(example, index, config)) for name, example in examples.items()}
    return {name: wrong for name, wrong in found.items() if wrong}


def _of(example: Example, index: Index, config: Config) -> Iterator[Fault]:
    yield from _shape(example)
    yield from _steps(example)
    yield from _expressions(example)
    if example.equals is not None:
        function = resolve_target(example.equals.value, index)
        if not isinstance(function, Statement):
            near = ", ".join(f"{each.span.path}:{each.span.line}" for each in function)
            hint = f"near it: {near}" if near else "write 'path/file.py::name'"
            message = f"equals: there is no function `{example.equals.value}`"
            yield Fault("unknown-reference", message, example.equals.span, hint)
    if example.run is not None:
        yield from _scenario(example.run, index, config)


def _shape(example: Example) -> Iterator[Fault]:
    """The keys that each kind needs."""
    if example.kind == "stored":
        if example.run is None:
            yield Fault(SYNTAX, "a stored example names the scenario that is run", example.span, "run: SCENARIO")
        if example.steps:
            yield Fault(SYNTAX, "a stored example has no steps", example.steps[0].name.span, "its run gives the rows")
        return
    if example.run is not None:
        yield Fault(SYNTAX, "only a stored example has a run", example.run.span, "kind: stored")
    if not example.steps:
        yield Fault(SYNTAX, "the example has no steps", example.span, "steps: [{label: Y, code: 'X @ W'}]")
    for name in _RESERVED & example.inputs.keys():
        message = f"an input can't be called `{name}`, which stands for something else"
        yield Fault(SYNTAX, message, example.places.get(name, example.span), "choose another name")


def _steps(example: Example) -> Iterator[Fault]:
    known = set(example.inputs)
    labels: dict[str, Step] = {}
    for step in example.steps:
        yield from _code(step.code, known)
        name = step.name.value
        if name in labels:
            yield Fault(SYNTAX, f"the label `{name}` is used twice", step.name.span, "each step needs its own")
        elif name in _RESERVED:
            yield Fault(SYNTAX, f"a step can't be called `{name}`", step.name.span, "choose another label")
        labels[name] = step
        known.add(name)
    for name, place in example.gives.items():
        if name not in labels:
            yield Fault(SYNTAX, f"gives: there is no step `{name}`", place.span, _near(name, labels))


def _code(code: Text, known: set[str]) -> Iterator[Fault]:
    node, errors = read_step(code.value)
    for error in errors:
        yield Fault(SYNTAX, error.message, code.at(error.offset, error.length), error.hint)
    if node is None:
        return
    seen = set()
    for name in names(node):
        if name.name not in known and name.name not in seen:
            seen.add(name.name)
            message = f"`{name.name}` is neither an input nor an earlier step"
            yield Fault(SYNTAX, message, code.at(name.offset, name.length), _near(name.name, known))


def _expressions(example: Example) -> Iterator[Fault]:
    if example.call is not None:
        try:
            ast.parse(example.call.value.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            message = f"call: `{example.call.value}` is no expression"
            yield Fault(SYNTAX, message, example.call.span, "for example: 'f(X, W, rng)'")
    for place in example.gives.values():
        try:
            parse_right(place.value)
        except BindError as error:
            message, span = f"gives: {error.message}", place.at(error.offset)
            yield Fault(SYNTAX, message, span, "for example: 'result[1]' or 'grads[\"w\"]'")


def _scenario(run: Text, index: Index, config: Config) -> Iterator[Fault]:
    if config.scenarios is None:
        yield Fault(
            "unknown-reference", "run: no scenarios are configured", run.span, "scenarios = 'spec/scenarios.py'"
        )
        return
    file = index.file(config.scenarios)
    if file is None:
        problem = index.problem(config.scenarios)
        what = problem.message if problem else "there is no such file"
        yield Fault("unknown-reference", f"run: the scenarios can't be read: {what}", run.span)
        return
    known = {node.name for node in file.tree.body if isinstance(node, ast.FunctionDef) and node.name[:1] != "_"}
    if run.value not in known:
        yield Fault("unknown-reference", f"run: there is no scenario `{run.value}`", run.span, _near(run.value, known))


def _near(name: str, known: Iterable[str]) -> str:
    choices = sorted(known)
    near = difflib.get_close_matches(name, choices, 1) if len(name) < 100 else []
    return f"did you mean `{near[0]}`?" if near else f"known are {', '.join(choices[:40])}" if choices else ""
