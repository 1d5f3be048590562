"""The single claims of a form's statements, as they are proved: sides, premises, and the ranges of free indices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from eqtrace.formula.claims import claims, free_names, quantifiers
from eqtrace.formula.form import Form, Range
from eqtrace.formula.given import Problem, explicit, include
from eqtrace.formula.term import Condition, Derivative, Eq, Indexed, Name, Node, Statement, Term, symbol_names, walk
from eqtrace.model.equation import Equation


@dataclass(frozen=True, slots=True)
class Claim:
    """Two or more equal sides, for all values of the free indices, under premises."""

    sides: tuple[Term | Condition, ...]
    premises: tuple[Condition, ...]
    indices: dict[str, Range]
    part: int = 0
    first: int = 1  # the number of the first side in the statement


@dataclass
class Claims:
    """What is to be proved of a form, and what cannot be."""

    claims: list[Claim] = field(default_factory=list)
    definitions: list[str] = field(default_factory=list)  # symbols that the form's own statements define
    unfit: list[str] = field(default_factory=list)


def to_prove(target: Problem, equation: Equation, form: Form, *, skip: frozenset[int] = frozenset()) -> Claims:
    """The claims of a form; an equation whose left side is a symbol that nothing defines yet is a definition."""
    found = Claims()
    for part in range(len(form.parts)):
        if part in skip:
            continue
        found.unfit += [
            f"{type(claim).__name__} is not proved"
            for claim, _ in claims(form.statement(part))
            if not isinstance(claim, Eq)
        ]
        alone = isinstance(form.statement(part), Eq)
        for claim in claims_of(form, part):
            left, *rest = claim.sides
            name = left.base if isinstance(left, Indexed) else left.name if isinstance(left, Name) else ""
            if alone and name and _is_new(target, form, name, claim.sides):
                found.definitions += include(target, equation, form, {}, (part,))
                if len(rest) > 1:
                    found.claims.append(replace(claim, sides=tuple(rest), first=2))
            elif len(rest) > 1 and len(form.parts) == 1 and name and _is_new(target, form, name, claim.sides):
                found.claims.append(replace(claim, sides=tuple(rest), first=2))  # a name for them, under the premises
            else:
                found.claims.append(claim)
    return found


def claims_of(form: Form, part: int) -> Iterator[Claim]:
    """The equations that a statement claims."""
    statement = form.statement(part)
    for claim, premises in claims(statement):
        if isinstance(claim, Eq):
            yield _claim(form, statement, claim, premises, part)


def _is_new(target: Problem, form: Form, name: str, sides: tuple[Node, ...]) -> bool:
    """Whether an equation is the definition of its left side."""
    if name not in form.shapes or name in target.definitions or name in target.sizes:
        return False
    last = sides[-1]
    own = {name, f"Old({name})"}
    if not isinstance(last, Term) or not own.isdisjoint(symbol_names(last)):
        return False
    left = sides[0]
    subscripts = left.subscripts if isinstance(left, Indexed) else ()
    names = [each.name for each in subscripts if isinstance(each, Name)]
    return len(set(names)) == len(names) and not any(isinstance(node, Derivative) for node in walk(left))


def _claim(form: Form, statement: Statement, claim: Eq, premises: tuple[Condition, ...], part: int) -> Claim:
    ranges = dict(form.indices)
    for quantified in quantifiers(statement, claim):
        if quantified.start is not None and quantified.stop is not None:
            ranges[quantified.index] = Range(quantified.start, quantified.stop)
    new = tuple(_side(explicit(side, ranges)) for side in claim.sides)
    conditions = tuple(_condition(explicit(premise, ranges)) for premise in premises)
    return Claim(new, conditions, free_ranges((*new, *conditions), ranges), part)


def free_ranges(nodes: tuple[Node, ...], ranges: dict[str, Range]) -> dict[str, Range]:
    """The ranges of the indices that are free in nodes, and of those that these depend on; those come first."""
    found: dict[str, Range] = {}

    def note(names: Iterator[str]) -> None:
        for name in names:
            if name not in found:
                ends = ranges[name]
                note(free_names(ends.start, ranges))
                note(free_names(ends.stop, ranges))
                found[name] = ends

    for node in nodes:
        note(free_names(node, ranges))
    return found


def _side(node: Node) -> Term | Condition:
    assert isinstance(node, Term | Condition)
    return node


def _condition(node: Node) -> Condition:
    assert isinstance(node, Condition)
    return node
