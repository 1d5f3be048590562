"""Every gradient's form held against its forward's form.

A backward equation says `dW[k, j] = ...`. That is proved as: the derivative, by W[k, j], of the sum of the cotangent
times the output is the right side. What each name means is read so:

- the output is the symbol whose gradient the topic's `cotangent` is; with cotangent '1' it is the scalar that the
  forward gives;
- dS is the gradient by S, where S is a symbol of the equation or of the forward's forms; a left side that is bound to
  the code's expression in `wrt` is the gradient by that symbol, whatever its name;
- on the right side too, where no form defines it, so that each equation stands for itself;
- the forward's forms are those of `given`, and for symbols that these leave open, those of the equations with a
  computing line in the topic's forward function;
- `Old(dW)` is what an accumulator held before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar, cast

from eqtrace.formula.claims import claims, left_names
from eqtrace.formula.form import Form
from eqtrace.formula.given import Problem, include, problem
from eqtrace.formula.statement import Claim, claims_of, to_prove
from eqtrace.formula.term import (
    Add,
    Apply,
    Derivative,
    Eq,
    Indexed,
    Mul,
    Name,
    Node,
    Number,
    Old,
    Sum,
    Term,
    rebuilt,
    walk,
)
from eqtrace.model.anchor import Role
from eqtrace.model.equation import Equation, Gradient

_ZERO = Number(Fraction(0))


Kind = TypeVar("Kind", bound=Node)


class NoGradient(Exception):
    """An equation that does not say what it is the gradient of."""


@dataclass
class GradientProblem:
    """What is to be proved of a backward equation."""

    target: Problem
    claims: list[Claim]
    sources: tuple[str, ...]  # the forward's equations


def gradient_problem(
    equation: Equation, equations: Mapping[str, Equation], forms: Mapping[str, Form]
) -> GradientProblem:
    """The claims that a backward equation's left sides are the derivatives of its forward's forms.

    Raises:
        NoGradient: what is differentiated cannot be told.
    """
    gradient = equation.gradient
    if gradient is None:
        raise NoGradient(f"the topic of {equation.id} has no `gradient`")
    form = forms[equation.id]
    target = problem(equation, form, equations, forms)
    _include_forward(target, gradient, equation, equations, forms)
    if target.faults:
        raise NoGradient("; ".join(target.faults))
    meaning = _Meaning(target, equation, gradient)
    parts = {part: name for part in range(len(form.parts)) if (name := meaning.gradient_part(form, part))}
    if not parts:
        raise NoGradient(f"no left side of {equation.id} is the gradient by a symbol of its forward")
    known = target.depends(meaning.output)
    for symbol in parts.values():
        if symbol not in known:  # else a form that is not there would make every gradient 0
            raise NoGradient(f"no form of the forward says how {meaning.output} depends on {symbol}")
    to_prove(target, equation, form, skip=frozenset(parts))  # for the definitions among the other statements
    for by in parts.values():
        if by not in target.depends(meaning.output):
            where = "say in `given` which forms the forward has"
            raise NoGradient(f"no form of the forward shows how {meaning.output} depends on {by}; {where}")
    meaning.read_definitions()
    found = [claim for part in parts for claim in meaning.claims(form, part)]
    used = {definition.source for definition in target.definitions.values()}
    return GradientProblem(target, found, tuple(sorted(used - {equation.id})))


def _include_forward(
    target: Problem,
    gradient: Gradient,
    equation: Equation,
    equations: Mapping[str, Equation],
    forms: Mapping[str, Form],
) -> None:
    """Forms of the equations with a computing line in the forward function, for symbols that nothing defines yet."""
    path, _, function = gradient.forward.value.partition("::")
    lines: set[tuple[int, str, int | None]] = set()
    for each in equations.values():
        if each.id in forms and each.topic != equation.topic:
            lines |= {
                (anchor.line, each.id, anchor.part)
                for anchor in each.anchors
                if anchor.role is Role.COMPUTES and anchor.path == path and anchor.function == function
            }
    named = frozenset(target.definitions)
    done: set[tuple[str, int]] = set()
    for _, name, only in sorted(lines, key=lambda line: (line[0], line[1])):
        form = forms[name]
        for part in range(len(form.parts)) if only is None else (only,):
            if any(isinstance(node, Apply) for node in walk(form.statement(part))):
                continue  # a proof can't look into function symbols; what they give depends on their `args`
            if (name, part) not in done and not named & set(form.left(part)) and not form.narrows():
                done.add((name, part))
                faults = list(target.faults)
                include(target, equations[name], form, {}, (part,))
                target.faults = faults  # what does not fit, such as a second form of the same line, is not used


class _Meaning:
    """What the names of gradients stand for."""

    def __init__(self, target: Problem, equation: Equation, gradient: Gradient) -> None:
        self.target = target
        self.equation = equation
        self.gradient = gradient
        self.output = self._output()
        self.total = self._total()

    def _output(self) -> str:
        cotangent = self.gradient.cotangent
        if cotangent != "1":
            found = self._of(cotangent)
            if not found:
                raise NoGradient(f"{cotangent} is not d and the name of a symbol")
            return found
        used = {name for own in self.target.definitions for name in self.target.depends(own) - {own}}
        scalars = [name for name in self.target.definitions if self.target.shapes.get(name) == () and name not in used]
        if len(scalars) != 1:
            raise NoGradient(f"the forward gives {len(scalars)} scalars, and with cotangent 1 it must be one")
        return scalars[0]

    def _total(self) -> Term:
        """The sum of the cotangent times the output."""
        dims = self.target.shapes.get(self.output)
        if self.gradient.cotangent == "1":
            return Name(self.output)
        if dims is None:
            raise NoGradient(f"the shape of {self.output} is not declared")
        names = [f"{self.output}_{number}_" for number in range(len(dims))]
        places = tuple(Name(name) for name in names)
        own, cotangent = (
            (Indexed(self.output, places), Indexed(self.gradient.cotangent, places))
            if dims
            else (Name(self.output), Name(self.gradient.cotangent))
        )
        total: Term = Mul(cotangent, own)
        for name, dim in zip(names, dims, strict=True):
            total = Sum(total, name, _ZERO, dim)
        return total

    def _of(self, name: str) -> str:
        """The symbol whose gradient a name is, by its spelling; '' if there is none."""
        if not name.startswith("d") or name in self.target.definitions:
            return ""
        symbols = [*self.equation.symbols, *self.target.shapes]
        exact = [each for each in symbols if name == f"d{each}"]
        alike = dict.fromkeys(each for each in symbols if name.lower() == f"d{each}".lower())
        return exact[0] if exact else next(iter(alike)) if len(alike) == 1 else ""

    def by(self, name: str) -> str:
        """The symbol whose gradient a left side is: as `wrt` and its binding say, else by its spelling."""
        exact = self._of(name)
        if name == f"d{exact}":
            return exact
        for symbol, expression in self.gradient.wrt.items():
            if any(name in anchor.bind and anchor.bind[name].value == expression for anchor in self.equation.anchors):
                return symbol
        rest = [symbol for symbol in self.gradient.wrt if f"d{symbol}" not in self.equation.symbols]
        return exact or (rest[0] if len(rest) == 1 and name.startswith("d") else "")

    def gradient_part(self, form: Form, part: int) -> str:
        """The symbol that a statement gives the gradient by; '' if it is of another kind."""
        found = {
            name
            for claim, _ in claims(form.statement(part))
            if isinstance(claim, Eq) and isinstance(claim.sides[0], Indexed | Name)
            for name in left_names(claim.sides[0])
        }
        return next((by for name in found if (by := self.by(name)) in self.target.shapes), "")

    def read_definitions(self) -> None:
        """In what the equation's own statements define, gradients mean the same as in its claims."""
        for name, own in self.target.definitions.items():
            if own.source == self.equation.id and own.body is not None:
                self.target.definitions[name] = replace(own, body=self._read(own.body, name))

    def claims(self, form: Form, part: int) -> Iterator[Claim]:
        """A statement, its left side and what else is a gradient written as derivatives."""
        for claim in claims_of(form, part):
            left, *rest = claim.sides
            if not isinstance(left, Indexed | Name):
                raise NoGradient("the left side of a gradient is a symbol's entry")
            name = left.base if isinstance(left, Indexed) else left.name
            slope: Term = self._slope(left, self.by(name))
            if any(isinstance(node, Old) and node.target == left for side in rest for node in walk(side)):
                slope = Add(Old(left), slope)
            premises = tuple(self._read(each, name) for each in claim.premises)
            yield replace(claim, sides=(slope, *(self._read(side, name) for side in rest)), premises=premises)

    def _slope(self, entry: Indexed | Name, by: str) -> Derivative:
        place = Indexed(by, entry.subscripts) if isinstance(entry, Indexed) else Name(by)
        return Derivative(self.total, (place,))

    def _read(self, node: Kind, left: str) -> Kind:
        """A node with gradients that no form defines written as derivatives."""

        def change(each: Node) -> Node:
            if isinstance(each, Old):
                return each
            if isinstance(each, Indexed | Name):
                name = each.base if isinstance(each, Indexed) else each.name
                by = self._of(name)
                if by and name not in (self.gradient.cotangent, left) and name == f"d{by}":
                    return self._slope(each, by)
            return rebuilt(each, change)  # type: ignore[no-any-return]

        return cast(Kind, change(node))
