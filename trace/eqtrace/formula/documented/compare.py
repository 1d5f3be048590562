"""A printed formula held against an equation's form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from eqtrace.formula.documented.formula import Formula
from eqtrace.formula.documented.reading import Documented
from eqtrace.formula.form import Form
from eqtrace.formula.latex.align import claimed
from eqtrace.formula.latex.compare import Comparison, concluded
from eqtrace.formula.latex.matching import Matching
from eqtrace.model.equation import Equation
from eqtrace.model.readback import Readback


def compared(
    name: str,
    formula: Formula,
    beside: Iterable[Formula],
    conditions: Iterable[Formula],
    equation: Equation,
    form: Form,
) -> tuple[Readback, Comparison | None]:
    """What came of it under a name; `latex.settle` does the rest.

    `beside` are the formulas that may define names, `conditions` those that say what it holds under.
    """

    def comparison() -> Comparison:
        others = tuple(beside)
        documented = Documented(equation, form, (formula, *others))
        documented.define(others, but=formula.name)
        said = documented.said(formula)
        found = Matching(equation, form, claimed(form), documented.reading, said).compared()
        held = tuple(node for each in conditions for node in documented.condition(each))
        found.pairs = [replace(pair, premises=(*pair.premises, *held)) for pair in found.pairs]
        return found

    return concluded(name, form, len(formula.printed.text), comparison)
