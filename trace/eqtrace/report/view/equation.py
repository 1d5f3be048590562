"""Equations, symbols and evidence as a page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from eqtrace.model.equation import Equation
from eqtrace.model.mutant import Score
from eqtrace.model.readback import ReadBack
from eqtrace.model.symbol import Symbol
from eqtrace.report.mathml import LatexUnreadable, convert
from eqtrace.report.mutants import noticed
from eqtrace.report.prose import Resolve, inline
from eqtrace.report.rows import EquationRow, LatexRow, MethodRow, StatedRow
from eqtrace.report.sizes import shown
from eqtrace.report.words import Badge, badge, latex_of, slug


@dataclass(frozen=True, slots=True)
class MethodView:
    """One method and what stands behind its verdict; `row` is None where it was not run."""

    name: str
    badge: Badge
    row: MethodRow | None


@dataclass(frozen=True, slots=True)
class EquationView:
    """An equation. `markup` is None where there is no LaTeX, or none that can be shown (`problem` says why)."""

    id: str
    element: str
    label: Markup
    name: str  # the label as plain text, or the id
    markup: Markup | None
    problem: str
    latex: str
    forms: tuple[str, ...]
    where: str
    derived: bool
    badge: Badge
    methods: tuple[MethodView, ...]
    read_back: str  # in words what came of reading the LaTeX back; '' where there is none
    beside: tuple[str, ...]  # what the form says and the LaTeX does not
    mutants: str  # how many mutants of its lines were noticed, in words; '' where no run is stored
    documented: tuple[str, ...]  # in words what came of reading the documentation


@dataclass(frozen=True, slots=True)
class SymbolView:
    """A row of the symbols table; `names` are (name or None, function or '')."""

    markup: Markup
    meaning: Markup
    names: tuple[tuple[str | None, str], ...]
    shape: str
    sizes: str
    parameter: bool


class Styles:
    """The rules that the formulas of a site need, gathered while its pages are built."""

    def __init__(self) -> None:
        self.rules: dict[str, str] = {}

    def formula(self, latex: str, display: bool) -> Markup:
        """The MathML of a formula.

        Raises:
            LatexUnreadable: it cannot be shown.
        """
        formula = convert(latex, display)
        self.rules.update(formula.rules)
        return Markup(formula.markup)  # parsed, held against a list of what may occur, and written by ElementTree

    def sheet(self) -> str:
        """The style sheet."""
        return "".join(f".{name} {{ {rule} }}\n" for name, rule in sorted(self.rules.items()))


def equation_view(
    equation: Equation, row: EquationRow | None, resolve: Resolve, styles: Styles, score: Score | None = None
) -> EquationView:
    """One equation; `row` is None where it was not selected."""
    label = inline(equation.label, resolve)
    markup, problem = None, ""
    if equation.latex is not None:
        try:
            markup = styles.formula(equation.latex.value, display=True)
        except LatexUnreadable as error:
            problem = error.message
    methods = row.methods if row else dict.fromkeys(equation.methods)
    return EquationView(
        id=equation.id,
        element=slug(equation.id),
        label=label,
        name=str(label.striptags()) or equation.id,
        markup=markup,
        problem=problem,
        latex=equation.latex.value if equation.latex else "",
        forms=tuple(statement.value for statement in equation.statements),
        where=equation.where.value if equation.where else "",
        derived=equation.derived,
        badge=badge(row.verdict if row else None),
        methods=tuple(
            MethodView(name, badge(method.verdict if method else None), method) for name, method in methods.items()
        ),
        read_back=_read_back(row.latex) if row else "",
        beside=row.latex.more if row and row.latex and row.latex.status == ReadBack.AGREES else (),
        mutants=noticed(score) if score is not None else "",
        documented=tuple(map(_documented, row.states)) if row else (),
    )


def _read_back(found: LatexRow | None) -> str:
    """What came of reading the LaTeX back, in words."""
    if found is None:
        return ""
    if found.status == ReadBack.AGREES:
        shown = "proved for all sizes" if found.how == "proof" else f"by values at {found.points} random points"
        note = f" ({found.detail})" if found.detail else ""
        return f"read back, it says what the form says: {shown}{note}"
    if found.status == ReadBack.DIFFERS:
        return f"read back, it DIFFERS from the form: {found.detail}"
    if found.status == ReadBack.NOT_COMPARED:
        return "read back, and not compared: that takes `eqtrace verify`"
    return f"NOT read back{', which is waived' if found.waived else ''}: {found.detail}"


def _documented(found: StatedRow) -> str:
    """What came of reading a formula of the documentation, in words, and where it stands."""
    place = f"{found.path}:{found.line}"
    if found.status == ReadBack.AGREES:
        shown = "proved for all sizes" if found.how == "proof" else f"by values at {found.points} random points"
        return f"{place} says what the form says: {shown}"
    if found.status == ReadBack.DIFFERS:
        return f"{place} DIFFERS from the form: {found.detail}"
    if found.status == ReadBack.NOT_COMPARED:
        return f"{place} is read, and not compared: that takes `eqtrace verify`"
    if found.status == ReadBack.IS_FORM:
        return f"{place} is the form: {found.detail}"
    return f"{place} is NOT read{', which is waived' if found.waived else ''}: {found.detail}"


def symbol_view(symbol: Symbol, sizes: Mapping[str, int | str], resolve: Resolve, styles: Styles) -> SymbolView:
    """One row of the symbols table."""
    try:
        markup = styles.formula(symbol.latex[0] if symbol.latex else latex_of(symbol.name), display=False)
    except LatexUnreadable:
        markup = Markup("<code>{}</code>").format(symbol.name)
    shape, numbers = ("", "") if symbol.shape is None else shown([each.value for each in symbol.shape], sizes)
    names = dict.fromkeys((name, function) for function, name in symbol.code.items())
    return SymbolView(
        markup=markup,
        meaning=inline(symbol.meaning, resolve),
        names=tuple(names),
        shape="scalar" if symbol.shape == () else shape,
        sizes="" if numbers == shape else numbers,
        parameter=symbol.parameter,
    )
