"""Equations, symbols and evidence as a page shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from eqtrace.formula.form import RESULT
from eqtrace.formula.parse import parse_statement
from eqtrace.formula.typeset import Unwritten, Writer
from eqtrace.model.anchor import Role
from eqtrace.model.equation import Equation
from eqtrace.model.mutant import Score
from eqtrace.model.readback import ReadBack
from eqtrace.model.symbol import Symbol
from eqtrace.report.marks import mark, spellings
from eqtrace.report.mathml import LatexUnreadable, convert
from eqtrace.report.mutants import noticed
from eqtrace.report.prose import Resolve, inline
from eqtrace.report.rows import EquationRow, LatexRow, MethodRow, StatedRow
from eqtrace.report.sizes import shown
from eqtrace.report.view.citations import CitationView
from eqtrace.report.words import Badge, badge, latex_of, slug

_SHOWN = (Role.COMPUTES, Role.INLINE, Role.EXPLAINS)
"""The roles of lines that stand by their equation; calls and tests are in the topic's table alone."""

BESIDE = (Role.TESTS, Role.STATES)
"""The roles of lines that do not make a file one of an equation's."""


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
    rests: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]  # in words how it rests on equations, and which
    mutants: str  # how many mutants of its lines were noticed, in words; '' where no run is stored
    commit: str  # in words, at which its lines are as they were when they were checked
    documented: tuple[str, ...]  # in words what came of reading the documentation
    lines: tuple[CitationView, ...]  # that compute, repeat or explain it
    files: tuple[str, ...]  # of the lines that it cites, tests aside
    numpy: str  # the statements that compute it, '' where none does


@dataclass(frozen=True, slots=True)
class SymbolView:
    """A row of the symbols table; `names` are (name or None, function or '')."""

    name: str
    markup: Markup
    meaning: Markup
    names: tuple[tuple[str | None, str], ...]
    shape: str
    sizes: str
    parameter: bool


def equation_view(
    equation: Equation,
    row: EquationRow | None,
    cited: Iterable[CitationView],
    resolve: Resolve,
    commit: str,
    rests: tuple[tuple[str, tuple[tuple[str, str], ...]], ...],
    score: Score | None = None,
) -> EquationView:
    """One equation, with its rows of the code and equation table; `row` is None where it was not selected."""
    own = [each for each in cited if each.equation == equation.id]
    label = inline(equation.label, resolve)
    markup, problem = None, ""
    latex = latex_shown(equation)
    if latex:
        try:
            markup = Markup(mark(convert(latex).markup, equation.symbols))
        except LatexUnreadable as error:
            problem = error.message
    methods = row.methods if row else dict.fromkeys(equation.methods)
    files = tuple(dict.fromkeys(each.path for each in own if each.role not in BESIDE))
    return EquationView(
        id=equation.id,
        element=slug(equation.id),
        label=label,
        name=str(label.striptags()) or equation.id,
        markup=markup,
        problem=problem,
        latex=latex,
        forms=tuple(statement.value for statement in equation.statements),
        where=equation.where.value if equation.where else "",
        derived=equation.derived,
        badge=badge(row.verdict if row else None),
        methods=tuple(
            MethodView(name, badge(method.verdict if method else None), method) for name, method in methods.items()
        ),
        read_back=_read_back(row.latex) if row else "",
        beside=row.latex.more if row and row.latex and row.latex.status == ReadBack.AGREES else (),
        rests=rests,
        mutants=noticed(score) if score is not None else "",
        commit=commit,
        documented=tuple(map(_documented, row.states)) if row else (),
        lines=tuple(each for each in own if each.role in _SHOWN),
        files=files,
        numpy=_numpy(equation, own),
    )


def latex_shown(equation: Equation) -> str:
    """The LaTeX of an equation; of one that has none, its forms written as LaTeX, '' where one can't be."""
    if equation.latex is not None:
        return equation.latex.value
    target = next((each.target for each in equation.anchors if each.target is not None), None)
    owner, _, method = (target or RESULT).rpartition(":")[2].rpartition(".")
    name = owner if method == "__call__" else method
    left = r"\operatorname{" + name.replace("_", r"\_") + "}"

    def spelt(name: str) -> str:
        if name in equation.symbols:
            return spellings(equation.symbols[name])[0]
        return left if name == RESULT else latex_of(name)

    arguments = ", ".join(map(spelt, equation.symbols))
    writer, written = Writer(spelt), []
    for text in equation.statements:
        statement, _ = parse_statement(text.value)
        try:
            written.append(writer.statement(statement, f"{left}({arguments})") if statement is not None else "")
        except Unwritten:
            return ""
    return r" \quad ".join(written) if all(written) else ""


def _numpy(equation: Equation, cited: Iterable[CitationView]) -> str:
    """The statements that compute it, as the code has them; a returned value is given to the symbol it is bound to."""
    binds = {slug(anchor.id): anchor.bind for anchor in equation.anchors}
    found = []
    for each in cited:
        if each.role == Role.COMPUTES:
            symbols = [name for name, bound in binds[each.element].items() if bound.value == "result"]
            value = each.text.removeprefix("return ")
            found.append(f"{symbols[0]} = {value}" if len(symbols) == 1 and value != each.text else each.text)
    return "\n".join(dict.fromkeys(found))


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


def symbol_view(symbol: Symbol, sizes: Mapping[str, int | str], resolve: Resolve) -> SymbolView:
    """One row of the symbols table."""
    try:
        # Parsed, held against a list of what may occur, and written by ElementTree.
        markup = Markup(convert(spellings(symbol)[0], display=False).markup)
    except LatexUnreadable:
        markup = Markup("<code>{}</code>").format(symbol.name)
    shape, numbers = ("", "") if symbol.shape is None else shown([each.value for each in symbol.shape], sizes)
    names = dict.fromkeys((name, function) for function, name in symbol.code.items())
    return SymbolView(
        name=symbol.name,
        markup=markup,
        meaning=inline(symbol.meaning, resolve),
        names=tuple(names),
        shape="scalar" if symbol.shape == () else shape,
        sizes="" if numbers == shape else numbers,
        parameter=symbol.parameter,
    )


def rules(latex: str, display: bool) -> Mapping[str, str]:
    """The style rules that a formula needs, by their classes; none where it cannot be shown."""
    try:
        return convert(latex, display).rules
    except LatexUnreadable:
        return {}
