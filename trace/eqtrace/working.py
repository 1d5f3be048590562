"""What workers need of a project: equations and their forms, and the lines that are watched while the code runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from eqtrace.code.source import Statement
from eqtrace.config import Config
from eqtrace.link.match import match
from eqtrace.link.target import resolve_target
from eqtrace.model.equation import Equation
from eqtrace.model.span import Text
from eqtrace.project import Reading
from eqtrace.report.sizes import size
from eqtrace.run.site import FOLLOWED, Site
from eqtrace.run.work import COMPUTING, EXECUTED, Work, site_of
from eqtrace.spec import sizes


def work_of(reading: Reading, seed: int) -> Work:
    """What the workers need. The selected equations' lines are watched, and those that their methods look at beside."""
    root = str(reading.index.root)
    equations = reading.equations
    sites = {}
    for equation in _watched(reading):
        for anchor in equation.anchors:
            found = match(anchor, reading.index, reading.homes)
            site = site_of(found, equation, reading.forms.get(equation.id), reading.index.root)
            if site is not None:
                sites[anchor.id] = site
    modules = {site.file: reading.index.module_name(site.path) or "" for site in sites.values()}
    for text in (*_differentiated(reading), *_called(reading)):
        path = text.value.partition("::")[0]
        modules[os.path.join(root, path)] = reading.index.module_name(path) or ""
    scenarios, referenced = reading.config.scenarios, reading.config.references
    return Work(
        root=root,
        pythonpath=tuple(os.path.normpath(os.path.join(root, entry)) for entry in reading.config.pythonpath),
        modules={file: name for file, name in modules.items() if name},
        user_files=frozenset(os.path.join(root, path) for path in reading.index.sources()),
        equations=equations,
        forms=reading.forms,
        sites={name: site for name, site in sites.items() if modules[site.file]},
        scenarios=os.path.join(root, scenarios) if scenarios else None,
        references=os.path.join(root, referenced) if referenced else None,
        beside=_beside(reading),
        followed=_followed(reading, sites.values()),
        draws=sizes.draws(reading.config),
        seed=seed,
        examples=reading.examples,
        shown_sizes=_shown_sizes(reading.config),
    )


def _shown_sizes(config: Config) -> dict[str, int]:
    """The sizes that pages show, expressions among them worked out."""
    found = {name: size(name, config.site.sizes) for name in config.site.sizes}
    return {name: value for name, value in found.items() if value is not None}


def _called(reading: Reading) -> Iterator[Text]:
    """The functions that examples call."""
    for example in reading.examples.values():
        if example.equals is not None:
            yield example.equals
        if example.kind == "differences" and example.gradient is not None:
            yield example.gradient.forward


def _watched(reading: Reading) -> list[Equation]:
    """The selected equations, and those of the topics whose lines give the starting values of a `structure`."""
    chosen = set(reading.selected)
    topics = {
        entry.start.value
        for equation in reading.specification.equations
        if equation.id in chosen
        for entry in equation.structure
    }
    return [each for each in reading.specification.equations if each.id in chosen or each.topic in topics]


def _differentiated(reading: Reading) -> Iterator[Text]:
    """The functions that gradients name: user code too, whether or not a line of theirs is cited."""
    for name in reading.selected:
        gradient = reading.equations[name].gradient
        if gradient is not None:
            yield from (gradient.forward, gradient.backward)


def _followed(reading: Reading, sites: Iterable[Site]) -> dict[str, Site]:
    """The functions of which selected equations say in what order they are called, and those that call them."""
    ordered = [reading.equations[name] for name in reading.selected if reading.equations[name].order]
    wanted = {text.value for equation in ordered for text in equation.order}
    lines = {anchor.id for equation in ordered for anchor in equation.anchors if anchor.role in EXECUTED}
    wanted |= {f"{site.path}::{site.function}" for site in sites if site.anchor in lines and site.function}
    found = {}
    for target in sorted(wanted):
        function = resolve_target(target, reading.index)
        if isinstance(function, Statement):
            span = function.span
            file = os.path.join(str(reading.index.root), span.path)
            place = (span.line, span.column, span.end_line, span.end_column)
            name = f"{span.path}::{function.function}"
            found[target] = Site(name, span.path, file, *place, function=function.function, role=FOLLOWED, whole=True)
    return found


def _beside(reading: Reading) -> dict[str, Site]:
    """Statements in functions that are differentiated, of whatever equation: they are looked at, and not recorded."""
    functions = {tuple(each.value.split("::")) for each in _differentiated(reading)}
    found = {}
    for equation in reading.specification.equations if functions else ():
        for anchor in equation.anchors:
            if anchor.role in COMPUTING and (anchor.path, anchor.function) in functions:
                place = match(anchor, reading.index, reading.homes)
                site = site_of(place, equation, reading.forms.get(equation.id), reading.index.root)
                if site is not None:
                    found[anchor.id] = site
    return found
