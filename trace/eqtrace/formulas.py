"""What the formulas of equations say of themselves, without the code: forms, and LaTeX read back and shown."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from eqtrace.cache import Cache
from eqtrace.link import latex
from eqtrace.link.latex import Latex
from eqtrace.model.equation import Equation
from eqtrace.model.finding import Fault

if TYPE_CHECKING:
    from eqtrace.formula.form import Form


class Forms(Mapping[str, "Form"]):
    """The forms of equations by id, each read when it is asked for; those that can't be read are not in it."""

    def __init__(self, equations: Sequence[Equation], sizes: Collection[str]) -> None:
        self._equations = {each.id: each for each in equations}
        self._sizes = sizes
        self._read: dict[str, tuple[Form | None, tuple[Fault, ...]]] = {}

    def read(self, name: str) -> tuple[Form | None, tuple[Fault, ...]]:
        """An equation's form, None where there is none, and the faults of its text."""
        found = self._read.get(name)
        if found is None:
            from eqtrace.formula.form import read  # its terms take long to import

            equation = self._equations[name]
            # Where the function is not found, which is told as such, any name may be one of its parameters.
            parameters = tuple(equation.symbols) or None if equation.whole else None
            found = self._read[name] = read(equation, parameters=parameters, sizes=self._sizes)
        return found

    def __getitem__(self, name: str) -> Form:
        form = self.read(name)[0] if name in self._equations else None
        if form is None:
            raise KeyError(name)
        return form

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._equations if self.read(name)[0] is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found in formulas: faults of forms by equation, faults of what is shown, and LaTeX read back."""

    forms: Mapping[str, tuple[Fault, ...]] = field(default_factory=dict)  # of those that have some
    shown: tuple[Fault, ...] = ()
    latex: Latex = field(default_factory=Latex)

    def only(self, names: Collection[str]) -> Looked:
        """What belongs to some of the equations, but for what is shown, where equations share symbols."""
        forms = {name: found for name, found in self.forms.items() if name in names}
        return Looked(forms, (), Latex({name: each for name, each in self.latex.found.items() if name in names}))

    def joined(self, other: Looked, equations: Sequence[Equation]) -> Looked:
        """This and what was found in others, in the order of all `equations`."""
        from eqtrace.report import mathml  # converts each formula once

        read, forms = {**self.latex.found, **other.latex.found}, {**self.forms, **other.forms}
        names = [each.id for each in equations]
        latex = Latex({name: read[name] for name in names if name in read})
        return Looked({name: forms[name] for name in names if name in forms}, mathml.faults(equations), latex)


def look(equations: Sequence[Equation], forms: Forms, cache: Cache | None) -> Looked:
    """Looks at the formulas of equations.

    With `cache`, comparisons of LaTeX that an earlier run kept are taken from it.
    """
    from eqtrace.report import mathml  # takes as long to import as to convert a few hundred formulas

    faults = {}
    for equation in equations:
        if found := forms.read(equation.id)[1]:
            faults[equation.id] = tuple(replace(fault, equation=equation.id) for fault in found)
    return Looked(faults, mathml.faults(equations), latex.read(equations, forms, cache))


def bare(looked: Looked) -> Looked:
    """The same without comparisons that are still open, which can be worked out again."""
    return replace(looked, latex=replace(looked.latex, open={}))
