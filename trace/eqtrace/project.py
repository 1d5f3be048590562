"""A project read and held against its code, before anything of it is run: what every command starts from."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from eqtrace.beside import Beside
from eqtrace.cache import Cache
from eqtrace.code.index import Index
from eqtrace.code.source import Statement
from eqtrace.config import Config
from eqtrace.formulas import Forms, Looked, bare, look
from eqtrace.inputs import Inputs
from eqtrace.link import latex, references, states
from eqtrace.link.audit import Audit
from eqtrace.link.audit import audit as link_audit
from eqtrace.link.coverage import Unsure
from eqtrace.link.infer import at_defaults, complete
from eqtrace.link.latex import Latex
from eqtrace.link.relocate import Homes
from eqtrace.link.states import States
from eqtrace.link.target import resolve_target
from eqtrace.model.equation import Equation
from eqtrace.model.example import Example
from eqtrace.model.finding import Fault
from eqtrace.model.readback import Stated
from eqtrace.model.span import Span
from eqtrace.model.topic import Page, Specification, Topic
from eqtrace.spec import sizes
from eqtrace.spec.load import load, load_in_two

if TYPE_CHECKING:
    from eqtrace.formula.form import Form
    from eqtrace.link.review.suspicion import Comparison
    from eqtrace.memory import Memory

# Faults for which a file, an equation or an anchor of the specification may have been left out.
LOSING = frozenset({"yaml-syntax", "duplicate-key", "yaml-type", "schema", "duplicate-id", "limit"})

FEW = 300  # formulas that take less time than to start a process
HELD = 1_000_000  # characters of source whose syntax trees an audit keeps


@dataclass(frozen=True)
class Reading:
    """What a project says of its code, and where that is: enough to run the code, before anything is checked."""

    config: Config
    specification: Specification
    index: Index
    selected: tuple[str, ...]  # the ids of the equations
    whole: bool  # whether none was left out
    written: Forms  # as equations state them
    forms: Mapping[str, Form]  # the same, function symbols resolved
    adopted: Mapping[str, Stated]  # the documentation that states a form, by equation
    examples: Mapping[str, Example]  # of the selected equations' topics (all: of pages too), those without faults
    unfit: tuple[Fault, ...]  # of the other examples
    homes: Homes  # where functions are that are not where anchors say

    @cached_property
    def equations(self) -> dict[str, Equation]:
        """All equations by id."""
        return {equation.id: equation for equation in self.specification.equations}


@dataclass(frozen=True, kw_only=True)
class Project(Reading):
    """A project as it was read, and held against its code: nothing of it has been run."""

    faults: tuple[Fault, ...]
    linked: Audit
    compared: Comparison | None = None  # with the ledger of reviews, where there is one
    latex: Latex = field(default_factory=Latex)
    states: States = field(default_factory=States)


def read_project(
    config: Config,
    selected: frozenset[str] | None,
    cache: bool = True,
    static: bool = False,
    inputs: Inputs | None = None,
    memory: Memory | None = None,
) -> Project:
    """Reads specification and code, and holds the anchors of the selected equations against the code.

    With `cache`, comparisons of LaTeX that an earlier run kept are taken from it. What is only `static` evaluates no
    form, so function symbols are not resolved, and needs the syntax trees of few files at a time. `inputs` gets what
    was read. With a `memory`, what did not change since its last audit is not read again.
    """
    inputs = inputs or Inputs(config.root.resolve())
    reading = read(config, selected, static, inputs, memory)
    return check(reading, cache, static, inputs, memory)


def read(
    config: Config,
    selected: frozenset[str] | None,
    static: bool = False,
    inputs: Inputs | None = None,
    memory: Memory | None = None,
) -> Reading:
    """The first half of `read_project`: what it takes to run the code."""
    inputs = inputs or Inputs(config.root.resolve())
    specification = (
        (load_in_two if static else load)(config, inputs) if memory is None else memory.specification(config, inputs)
    )
    index = Index(config, HELD if static else None, inputs, *(() if memory is None else (memory.source,)))
    specification = complete(specification, index)
    names = _sizes(config)
    specification, adopted = states.adopt(specification, index, names)
    specification = at_defaults(specification)
    chosen = [each.id for each in specification.equations if selected is None or each.id in selected]
    forms = Forms(specification.equations, names)
    held = frozenset(chosen)
    topics = [topic for topic in specification.topics if any(each.id in held for each in topic.equations)]
    worked, wrong = _examples(topics, specification.pages if selected is None else (), index, config)
    return Reading(
        config,
        specification,
        index,
        selected=tuple(chosen),
        whole=selected is None,
        written=forms,
        forms=forms if static else _linked(forms, specification),
        adopted=adopted,
        examples=worked,
        unfit=tuple(wrong),
        homes=Homes(index, [anchor for each in specification.equations for anchor in each.anchors]),
    )


def check(
    reading: Reading,
    cache: bool = True,
    static: bool = False,
    inputs: Inputs | None = None,
    memory: Memory | None = None,
) -> Project:
    """The second half of `read_project`: all that can be told without running the code. `inputs` are the first's."""
    config, specification, index, forms = reading.config, reading.specification, reading.index, reading.written
    inputs = inputs or Inputs(config.root.resolve())
    chosen = frozenset(reading.selected)
    equations = [each for each in specification.equations if each.id in chosen]
    kept = Cache(index.root) if cache else None
    known = "" if kept is None else latex.note(kept, inputs)

    def look_at(some: Sequence[Equation]) -> Looked:
        return _looked(some, forms, kept, static)

    names = _sizes(config)
    work = partial(look_at, equations) if memory is None else partial(memory.looked, equations, names, known, look_at)
    with Beside(work, static and memory is None and len(equations) > FEW) as looking:
        stated = states.held(equations, forms, index, reading.adopted)

        def unsure() -> Unsure:
            return Unsure(looking.value().latex.unsure(), stated.unsure())

        linked = link_audit(specification, index, config, reading.homes, None if reading.whole else chosen, unsure)
        looked = looking.value()
    told = {(each.span.path, each.span.line) for each in specification.faults if each.kind == "reserved-name"}
    faults = [fault for found in looked.forms.values() for fault in found if not _is_told(fault, told)]
    for equation in equations:
        faults += _unreadable_call(equation)
        faults += _unknown_calls(equation, index)
    faults += states.formless(stated)
    faults += looked.shown
    if config.references is not None:
        faults += references.faults(config.references, index)
    faults += reading.unfit
    compared = None
    if specification.reviews is not None:
        from eqtrace.link.review import faults as suspicions
        from eqtrace.link.review.suspicion import compare, links

        held = tuple(links(specification, chosen, linked.matches))
        compared = compare(specification.reviews, held, index)
        faults += suspicions.faults(compared.changes, index)
    every = tuple(_without_echoes((*specification.faults, *faults, *linked.faults)))
    read: dict[str, Any] = {each.name: getattr(reading, each.name) for each in fields(reading)}
    return Project(**read, faults=every, linked=linked, compared=compared, latex=looked.latex, states=stated)


def _sizes(config: Config) -> set[str]:
    """The names of the drawn sizes."""
    return {name for draw in sizes.draws(config) for name in draw}


def _examples(
    topics: Sequence[Topic], pages: Sequence[Page], index: Index, config: Config
) -> tuple[dict[str, Example], list[Fault]]:
    """The examples of topics and pages that can be run, and what is wrong with the others."""
    if all(topic.example is None and not topic.sections for topic in topics) and not any(p.sections for p in pages):
        return {}, []
    from eqtrace.link import examples

    stated = examples.stated(topics, pages)
    wrong = examples.faults(stated, index, config)
    worked = {name: example for name, example in stated.items() if name not in wrong}
    return worked, [fault for found in wrong.values() for fault in found]


def _linked(forms: Forms, specification: Specification) -> dict[str, Form]:
    """All forms, their function symbols resolved."""
    read = dict(forms)
    if any(equation.functions for equation in specification.equations):
        from eqtrace.formula.compose import link

        link(read, specification.equations)
    return read


def _looked(equations: Sequence[Equation], forms: Forms, cache: Cache | None, static: bool) -> Looked:
    found = look(equations, forms, cache)
    return bare(found) if static else found


def _is_told(fault: Fault, told: Collection[tuple[str, int]]) -> bool:
    """Whether the loader saw a reserved name already, at its key instead of in its form."""
    return fault.kind == "reserved-name" and (fault.span.path, fault.span.line) in told


def _unreadable_call(equation: Equation) -> Iterator[Fault]:
    """What a worker would say of a `call` too, but before anything is run."""
    if equation.call is not None:
        try:
            ast.parse(equation.call.value.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            message = f"call: `{equation.call.value}` is no expression"
            yield Fault("form-syntax", message, equation.call.span, "for example: 'f(X, W, rng)'", (), equation.id)


def _without_echoes(faults: tuple[Fault, ...]) -> Iterator[Fault]:
    """Leaves out what only follows from another fault: its cause mended, it may well be gone."""
    unread = any(fault.kind in LOSING for fault in faults)
    control = [fault.span for fault in faults if fault.kind == "control-character"]
    unclear = [fault.span for fault in faults if fault.kind in ("weak-anchor", "anchor-ambiguous")]
    moved = {fault.span for fault in faults if fault.kind == "line-moved"}
    missing = {fault.equation for fault in faults if fault.kind == "anchor-missing"}
    for fault in faults:
        match fault.kind:
            case "unclaimed-statement":
                echo = unread  # what could not be read may claim it
            case "latex-unreadable":
                echo = any(_holds(fault.span, each) for each in control)
            case "unknown-reference":
                echo = fault.span in moved
            case "unused-waiver":
                echo = any(_holds(fault.span, each) for each in unclear)
            case "unknown-symbol":  # in short form symbols are the parameters of what is missing
                echo = fault.equation in missing
            case _:
                echo = False
        if not echo:
            yield fault


def _holds(outer: Span, inner: Span) -> bool:
    """Whether a place lies in another."""
    start, end = (outer.line, outer.column), (outer.end_line, outer.end_column)
    return outer.path == inner.path and start <= (inner.line, inner.column) <= end


def _unknown_calls(equation: Equation, index: Index) -> Iterator[Fault]:
    """Functions of an `order` that are not there."""
    for text in equation.order:
        if not isinstance(resolve_target(text.value, index), Statement):
            message = f"order: there is no function `{text.value}`"
            yield Fault("unknown-reference", message, text.span, "write 'path/file.py::name'", (), equation.id)


def of_latex(project: Project, found: Latex) -> Iterator[Fault]:
    """What is to be told of LaTeX that was read back; LaTeX that can't be shown either is told already."""
    told = {fault.equation for fault in project.faults if fault.kind in ("latex-unreadable", "control-character")}
    for fault in latex.faults(found, project.equations, project.specification.waivers):
        if fault.equation not in told:
            yield fault


def of_states(project: Project, found: States) -> Iterator[Fault]:
    """What is to be told of documentation."""
    return states.faults(found, project.specification.waivers)
