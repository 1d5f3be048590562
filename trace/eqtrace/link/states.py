"""Formulas that documentation prints, held against forms; in short form, made the form. See `formula.documented`."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from eqtrace.code.documentation.printed import Notation
from eqtrace.code.documentation.spellings import spellings
from eqtrace.code.index import Index
from eqtrace.code.source import Statement
from eqtrace.link.match import match
from eqtrace.link.passage import GONE, MISPLACED
from eqtrace.link.target import resolve_target
from eqtrace.model.anchor import Role
from eqtrace.model.equation import Equation, IndexRange
from eqtrace.model.finding import Fault, Related
from eqtrace.model.readback import FORM, ReadBack, Readback, Stated
from eqtrace.model.span import Span, Text
from eqtrace.model.topic import Specification, Topic, Waiver

if TYPE_CHECKING:
    from eqtrace.formula.form import Form
    from eqtrace.formula.latex.compare import Comparison
    from eqtrace.link.documentation import Choice

PRINTED = "printed"  # the style of a text that is not the specification's own, so that its place is the whole formula
_OTHER = "the entry has other faults"
_FORMLESS = "there is no form to compare it with"


@dataclass(frozen=True)
class States:
    """What was found by the id of the anchor, or of the short-form equation. `open` takes values, or a proof."""

    found: Mapping[str, Stated] = field(default_factory=dict)
    open: Mapping[str, Comparison] = field(default_factory=dict)

    def unsure(self) -> frozenset[str]:
        """The equations of which documentation is not read, or not yet compared: those that a waiver may excuse."""
        doubtful = (ReadBack.NOT_READ, ReadBack.NOT_COMPARED)
        return frozenset(each.equation for each in self.found.values() if each.found.status in doubtful)


def adopt(
    specification: Specification, index: Index, sizes: Collection[str]
) -> tuple[Specification, dict[str, Stated]]:
    """The specification with the forms of short-form equations that say no formula but where it is documented."""
    if not any(equation.states is not None for equation in specification.equations):
        return specification, {}
    stated: dict[str, Stated] = {}

    def completed(topic: Topic) -> Topic:
        found = []
        for equation in topic.equations:
            if equation.states is not None and not equation.statements and not _is_missing(equation, index):
                equation, stated[equation.id] = _adopted(equation, index, sizes)
            found.append(equation)
        return replace(topic, equations=tuple(found))

    topics = tuple(completed(topic) if topic.short else topic for topic in specification.topics)
    return replace(specification, topics=topics), stated


def _is_missing(equation: Equation, index: Index) -> bool:
    """Whether the function itself is not there, which is told as such."""
    return all(match(each, index).span is None for each in equation.anchors if each.target is not None)


def _adopted(equation: Equation, index: Index, sizes: Collection[str]) -> tuple[Equation, Stated]:
    from eqtrace.formula.documented.adopt import adopted
    from eqtrace.formula.form import read
    from eqtrace.link.documentation import formula_place, of_target

    assert equation.states is not None
    choice = of_target(equation, index)
    if choice.formula is None or choice.passage is None:
        return equation, _unread(equation.id, equation, choice, equation.states.span)
    printed = choice.formula.printed
    spelt = _spelt(equation, choice)
    bare = replace(equation, statements=(Text("0", equation.span),), methods=())
    form, _ = read(replace(bare, symbols=spelt.symbols), parameters=tuple(equation.symbols), sizes=sizes)
    if form is None:
        return equation, _unread(equation.id, equation, replace(choice, reason=_OTHER), equation.states.span)
    try:
        _refuse_names_of_code(choice, equation, index)
        found = adopted(choice.formula, choice.beside, choice.conditions, spelt, replace(form, parts=()))
    except Exception as error:  # whatever is wrong with the reader, a formula is no reason to stop
        return equation, _failed(equation.id, equation, choice, equation.states.span, error)
    span = formula_place(choice.formula, choice.passage)
    text = Text(found.statement, span, PRINTED)
    where = ", ".join([*([equation.where.value] if equation.where else []), *found.conditions])
    place = equation.where.span if equation.where and not found.conditions else span
    indices = {
        name: IndexRange(Text(start, span, PRINTED), Text(stop, span, PRINTED))
        for name, (start, stop) in found.indices.items()
    }
    complete = replace(
        equation,
        statements=(text,),
        where=(equation.where if not found.conditions else Text(where, place, PRINTED)),
        indices={**equation.indices, **indices},
    )
    detail = found.statement + (f", where {', '.join(found.conditions)}" if found.conditions else "")
    back = Readback(equation.id, ReadBack.IS_FORM, "", detail, 0, len(printed.text))
    return complete, Stated(equation.id, back, span, equation.states.span, printed.text.strip())


def _refuse_names_of_code(choice: Choice, equation: Equation, index: Index) -> None:
    """Sees that no word of LaTeX that the code has as a name is read as a product of letters.

    Raises:
        Unread: one would be, and documentation defines it nowhere.
    """
    from eqtrace.formula.latex.errors import Unread

    assert choice.formula is not None
    printed = choice.formula.printed
    if printed.notation is not Notation.LATEX:
        return  # other notations write words as one
    known = {*equation.symbols, *(each.plain_name for each in choice.beside)}
    for anchor in equation.anchors:
        function = resolve_target(anchor.target, index) if anchor.target is not None else None
        if not isinstance(function, Statement):
            continue
        stored = {
            node.id
            for node in ast.walk(function.node)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        for name in sorted(stored - known):
            word = re.search(rf"(?<![A-Za-z\\]){re.escape(name)}(?![A-Za-z])", printed.text)
            if len(name) > 1 and name.isalpha() and word and not known.issuperset(name):
                raise Unread(
                    f"`{name}` is a name in the code, and nothing says what it is here", word.start(), len(name)
                )


def held(
    equations: Iterable[Equation], forms: Mapping[str, Form], index: Index, adopted: Mapping[str, Stated]
) -> States:
    """Every passage that a specification cites, held against the form as far as the cheap normal form tells."""
    found: dict[str, Stated] = {}
    open_: dict[str, Comparison] = {}
    for equation in equations:
        if equation.id in adopted:
            found[equation.id] = adopted[equation.id]
        for name, choice, place in _choices(equation, index, equation.id in adopted):
            form = forms.get(equation.id)
            if choice.formula is None or choice.passage is None:
                found[name] = _unread(name, equation, choice, place)
            elif form is None or not form.parts:
                found[name] = _unread(name, equation, replace(choice, reason=_FORMLESS), place)
            else:
                found[name], comparison = _compared(name, choice, equation, form, place)
                if comparison is not None:
                    open_[name] = comparison
    return States(found, open_)


def _choices(equation: Equation, index: Index, adopted: bool) -> Iterator[tuple[str, Choice, Span]]:
    cited = [anchor for anchor in equation.anchors if anchor.role is Role.STATES and anchor.target is None]
    if not cited and equation.states is None:
        return
    from eqtrace.link.documentation import of_anchor, of_target

    for anchor in cited:
        yield anchor.id, of_anchor(match(anchor, index), index), anchor.span
    if equation.states is not None and equation.statements and not adopted and not _is_missing(equation, index):
        yield equation.id, of_target(equation, index), equation.states.span


def _compared(
    name: str, choice: Choice, equation: Equation, form: Form, place: Span
) -> tuple[Stated, Comparison | None]:
    from eqtrace.formula.documented.compare import compared

    assert choice.formula is not None
    try:
        found, comparison = compared(
            name, choice.formula, choice.beside, choice.conditions, _spelt(equation, choice), form
        )
    except Exception as error:  # whatever is wrong with the reader, a formula is no reason to stop
        return _failed(name, equation, choice, place, error), None
    return _stated(found, equation, choice, place), comparison


def settled(states: States, equations: Mapping[str, Equation], forms: Mapping[str, Form], index: Index) -> States:
    """The same with what was open decided."""
    if not states.open:
        return states
    from eqtrace.formula.latex.settle import settle

    found = dict(states.found)
    for name, comparison in states.open.items():
        stated = found[name]
        equation = equations[stated.equation]
        choice = next(choice for each, choice, _ in _choices(equation, index, False) if each == name)
        try:
            result = settle(
                _spelt(equation, choice), forms[equation.id], stated.found, comparison, noun="the documentation"
            )
            found[name] = _stated(result, equation, choice, stated.place)
        except Exception as error:
            found[name] = _failed(name, equation, choice, stated.place, error)
    return States(found)


def formless(states: States) -> Iterator[Fault]:
    """An error for every form that is not read: nothing excuses that."""
    for each in states.found.values():
        if each.found.status is ReadBack.NOT_READ and each.found.how == FORM:
            message = f"the documentation that is to be the form of {each.equation} is not read: {each.found.detail}"
            yield Fault("documented-form-not-read", message, each.span, "", _cited(each), each.equation)


def _cited(stated: Stated) -> tuple[Related, ...]:
    return (Related(stated.place, "the specification cites it here"),)


def faults(states: States, waivers: Iterable[Waiver]) -> Iterator[Fault]:
    """A warning for every difference, and a note for all else that is not read and not waived."""
    excused = {each.equation.value for each in waivers if each.equation is not None and each.lacks == "states"}
    for each in states.found.values():
        status, detail = each.found.status, each.found.detail
        if status is ReadBack.DIFFERS:
            message = f"the documentation of {each.equation} differs from its form: {detail}"
            yield Fault("documentation-differs", message, each.span, "", _cited(each), each.equation)
        told = each.equation in excused or detail == MISPLACED or each.found.how == FORM
        if status is ReadBack.NOT_READ and not told:
            gone = detail.startswith(GONE)  # it was there when the entry was written
            kind = "documentation-differs" if gone else "documentation-not-read"
            what = "is another one than the entry says" if gone else "is not read"
            message = f"the documentation of {each.equation} {what}: {detail}"
            yield Fault(kind, message, each.span, "", _cited(each), each.equation)


def _spelt(equation: Equation, choice: Choice) -> Equation:
    """The equation with the spellings that the documentation itself gives its symbols."""
    said = spellings(choice.passage.text) if choice.passage is not None else {}
    symbols = {
        name: replace(symbol, latex=(said[name],)) if name in said and not symbol.latex else symbol
        for name, symbol in equation.symbols.items()
    }
    return replace(equation, symbols=symbols)


def _stated(found: Readback, equation: Equation, choice: Choice, place: Span) -> Stated:
    from eqtrace.link.documentation import formula_place

    assert choice.formula is not None
    assert choice.passage is not None
    printed = choice.formula.printed
    whole = found.status in (ReadBack.AGREES, ReadBack.NOT_COMPARED)
    if whole:
        return Stated(equation.id, found, formula_place(choice.formula, choice.passage), place, printed.text.strip())
    offset, length = found.offset, found.length
    return Stated(equation.id, found, choice.passage.span(printed.start + offset, length), place, printed.text.strip())


def _unread(name: str, equation: Equation, choice: Choice, place: Span) -> Stated:
    how = FORM if name == equation.id and not equation.statements else ""
    found = Readback(name, ReadBack.NOT_READ, how, choice.reason)
    return Stated(equation.id, found, choice.span or place, place)


def _failed(name: str, equation: Equation, choice: Choice, place: Span, error: Exception) -> Stated:
    """A formula that is not read, or whose reader failed."""
    from eqtrace.formula.latex.errors import Unread

    how = FORM if name == equation.id and not equation.statements else ""
    if isinstance(error, Unread):
        found = Readback(name, ReadBack.NOT_READ, how, error.message, error.offset, error.length)
    elif isinstance(error, RecursionError):
        found = Readback(name, ReadBack.NOT_READ, how, "nested too deep")
    else:
        detail = f"the reader failed, which is a fault of eqtrace: {type(error).__name__} {error}".rstrip()
        found = Readback(name, ReadBack.NOT_READ, how, detail)
    return _stated(found, equation, choice, place)
